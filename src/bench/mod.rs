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
    BenchQuery, ClassReport, Machine, OWN_CLOCK, ProgramFigures, Report, Row, Spread, contender_name,
};
pub(crate) use sentences::absences;

/// Options of a race: the contenders, the question that they answer, and how much to measure.
#[derive(Debug, Clone)]
pub(crate) struct BenchOptions {
    /// Options for reading the corpus.
    pub(crate) input: InputOptions,
    /// Question to ask about every record.
    pub(crate) goal: Goal,
    /// Engines that race. If the list is empty, every engine that supports the question of the race takes
    /// part.
    pub(crate) engines: Vec<EngineKind>,
    /// Instruction sets on which engines race, if they support several. If the list is empty, these engines
    /// race on every instruction set that this processor has.
    pub(crate) isas: Vec<Isa>,
    /// Other programs that race. If there are any, engines race only if `engines` names them.
    pub(crate) programs: Vec<Program>,
    /// Protocol that all programs use, or `None` to try several protocols.
    pub(crate) protocol: Option<Protocol>,
    /// Maximum duration of one execution of a program.
    pub(crate) program_limit: Duration,
    /// True if each source is a separate corpus.
    pub(crate) per_file: bool,
    /// The timed rounds.
    pub(crate) rounds: Rounds,
    /// Seed for shuffling the records.
    pub(crate) seed: u64,
    /// Step from one used record to the next, at least 1. For example, 1 means that all records are used, and
    /// 2 means every second record.
    pub(crate) every: usize,
    /// Minimum number of records. A smaller corpus is repeated in memory.
    pub(crate) min_records: usize,
    /// True if processor time is measured instead of wall time.
    pub(crate) processor_time: bool,
    /// Maximum total time over all rounds, per contender and class, or `None` for no limit.
    pub(crate) time: Option<Duration>,
    /// Name of the baseline. All other contenders are compared with the baseline.
    ///
    /// If no name is given, or if the named contender does not take part, the slowest contender is the
    /// baseline.
    pub(crate) baseline: Option<String>,
}

/// The number of timed rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounds {
    /// A number, at least 1.
    Fixed(usize),
    /// No fixed number. Rounds continue until every speed ratio is known to within 2 %, or until the time of
    /// all contenders is up.
    Auto,
}

impl Rounds {
    /// Returns the fixed number of rounds. If it is not fixed, returns the minimum number.
    fn planned(self) -> usize {
        match self {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Auto => 7,
        }
    }
}

impl BenchOptions {
    /// Returns the share of a contender's time for one round, or `None` if its time is not limited.
    fn time_per_round(&self) -> Option<Duration> {
        self.time.map(|time| time / (self.rounds.planned() as u32 + 1))
    }

    /// Returns true if a contender that has spent some time has no time for another round. `last` is the time
    /// of its last round, or `None` before the first round.
    fn is_time_up(&self, spent: Duration, last: Option<Duration>) -> bool {
        self.time.zip(last).is_some_and(|(time, last)| spent + last > time)
    }

    /// Checks those options that can be checked before the corpus is read.
    ///
    /// # Errors
    /// Returns a usage error if an option is invalid.
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
