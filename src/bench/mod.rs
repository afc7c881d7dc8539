//! Races of engines, instruction sets and programs on a corpus.
//!
//! ```text
//! sources -> Corpus: read, parse, sort by class, shuffle, repeat
//!                |
//!             race: warm up and validate every contender, then rounds in turn (A B C A B C), timed
//!                |
//!             Report: a table, JSON, a comparison with an earlier report
//! ```
//!
//! * A *contender* is an engine, on one instruction set if it has several. It races in every class of problem that it
//!   supports; for other classes the report gives the reason.
//! * Before anything is timed, each contender does all its records once. Every solution is verified, and the
//!   race ends if contenders have different counts. Timed rounds must repeat this work exactly.
//! * Time is measured from the handover of records in memory to the last verdict. Parsing is timed separately, in
//!   the same rounds, and added to figures that are said to include it.
//! * If other programs share the processor, processor time can be measured instead of wall time. The report always has
//!   the share of processor time in wall time.
//! * Programs of any origin race as whole processes, in [`programs`].
//! * A contender that would exceed its time works on a sample: the first records of the shuffled corpus. The report has
//!   their number.

mod compare;
mod corpus;
mod machine;
mod programs;
mod race;
mod report;
mod sentences;
mod verdict;

#[cfg(test)]
mod tests;

use std::time::Duration;

use quadrille_batch::stats::processor_ns;
use quadrille_engine::EngineKind;
use quadrille_formats::input::InputOptions;
use quadrille_model::simd::Isa;
use quadrille_model::{Error, Goal, Result, usage};

pub(crate) use corpus::Corpus;
pub(crate) use programs::{Program, Protocol};
#[cfg(unix)]
pub(crate) use programs::{end_running, meter};
pub(crate) use race::race;
pub(crate) use report::{
    ClassReport, Machine, OWN_CLOCK, ProgramFigures, Report, Row, Spread, contender_name,
};
pub(crate) use sentences::absences;

/// The options of a race: engines, question, and the amount of measuring.
#[derive(Debug, Clone)]
pub(crate) struct BenchOptions {
    /// The options for reading the corpus.
    pub(crate) input: InputOptions,
    /// The question asked about every record.
    pub(crate) goal: Goal,
    /// The engines that race; empty for all that support the question.
    pub(crate) engines: Vec<EngineKind>,
    /// The instruction sets for engines that have several; empty for all that this processor has.
    pub(crate) isas: Vec<Isa>,
    /// The programs that race. If there are any, engines race only if they are named.
    pub(crate) programs: Vec<Program>,
    /// The protocol of all programs, or `None` to try several.
    pub(crate) protocol: Option<Protocol>,
    /// Maximum time of one run of a program.
    pub(crate) program_limit: Duration,
    /// True if each source is a corpus of its own.
    pub(crate) per_file: bool,
    /// The timed rounds.
    pub(crate) rounds: Rounds,
    /// The seed of the order of the records.
    pub(crate) seed: u64,
    /// Takes every `every`-th record of the input; at least 1.
    pub(crate) every: usize,
    /// Minimum number of records: a smaller corpus is repeated in memory.
    pub(crate) min_records: usize,
    /// True to measure processor time instead of wall time.
    pub(crate) processor_time: bool,
    /// Maximum time of a contender in a class, for all rounds together, or `None` for no limit.
    pub(crate) time: Option<Duration>,
    /// The name of the contender with which others are compared. Without a name, or if that contender does not take
    /// part, the slowest one is the baseline.
    pub(crate) baseline: Option<String>,
}

/// The number of timed rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounds {
    /// A number, at least 1.
    Fixed(usize),
    /// Until every ratio is known to 2 %, or the time of the contenders is up.
    Auto,
}

impl Rounds {
    /// Returns the number of rounds, or the minimum if the number is not fixed.
    fn planned(self) -> usize {
        match self {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Auto => 7,
        }
    }
}

impl BenchOptions {
    /// Checks the options as far as possible before reading the corpus.
    ///
    /// # Errors
    /// Returns a usage error for options that cannot be used.
    pub(crate) fn validate(&self) -> Result<()> {
        self.input.validate()?;
        self.isas.iter().try_for_each(|isa| isa.require())?;
        if self.rounds == Rounds::Fixed(0) || self.every == 0 || self.goal.limit() == Some(0) {
            return Err(Error::usage("the numbers of rounds, every and limit must be at least 1"));
        }
        if self.processor_time && processor_ns() == 0 {
            return Err(Error::usage("this system does not report processor time"));
        }
        if matches!(self.goal, Goal::Best(_)) {
            return Err(Error::usage("bench measures solving and counting, not best scores"));
        }
        for (number, program) in self.programs.iter().enumerate() {
            if self.programs[..number].iter().any(|other| other.name == program.name) {
                return Err(usage!("two programs are named {}", program.name));
            }
        }
        Ok(())
    }
}
