//! Engines and instruction sets side by side on a corpus.
//!
//! ```text
//! sources -> Corpus: read, parse, sort by class, shuffle, repeat
//!                |
//!             race: warm up and validate every contender, then rounds in turn (A B C A B C), timed
//!                |
//!             Report: a table, JSON, a comparison with an earlier report
//! ```
//!
//! * A *contender* is an engine, on one instruction set if it has several. It races in every class of problem it
//!   supports; where it does not, the report has the reason.
//! * Before anything is timed each contender does all its records once: every solution passes the verifier, and
//!   contenders that count differently end the race. Timed rounds must then repeat that work exactly.
//! * Timed is what lies between handing records over in memory and the last verdict. Parsing is timed by itself, in
//!   the same rounds, and added where a figure is named as including it.
//! * Where other programs share the processor, processor time can be measured instead of wall time; the report has
//!   in any case the share of processor time in the wall time.
//! * A contender that would take longer than the time it is given works on a sample: the first records of the
//!   shuffled corpus. The report has their number.

mod compare;
mod corpus;
mod machine;
mod race;
mod report;
mod table;
#[cfg(test)]
mod tests;

use std::time::Duration;

use quadrille_batch::stats::processor_ns;
use quadrille_engine::EngineKind;
use quadrille_formats::input::InputOptions;
use quadrille_model::Goal;
use quadrille_model::simd::Isa;
use quadrille_model::{Error, Result};

pub(crate) use corpus::Corpus;
pub(crate) use race::{Step, race};
pub(crate) use report::{ClassReport, Machine, Report, Row, Spread, contender_name};
pub(crate) use table::absences;

/// The engines, the question and the amount of measuring.
#[derive(Debug, Clone)]
pub(crate) struct BenchOptions {
    /// The way to read the corpus.
    pub(crate) input: InputOptions,
    /// The question that engines are asked about every record.
    pub(crate) goal: Goal,
    /// The engines that race; empty for all that can.
    pub(crate) engines: Vec<EngineKind>,
    /// The instruction sets of engines that have several; empty for all that this processor has.
    pub(crate) isas: Vec<Isa>,
    /// Timed rounds; at least 1.
    pub(crate) rounds: usize,
    /// Decides the order in which records are taken.
    pub(crate) seed: u64,
    /// Takes every so many records of the input; at least 1.
    pub(crate) every: usize,
    /// Repeats the corpus in memory until it has so many records.
    pub(crate) at_least: usize,
    /// Measures processor time instead of wall time.
    pub(crate) processor_time: bool,
    /// The time one contender may take in one class, all rounds together; `None` for no limit.
    pub(crate) time: Option<Duration>,
    /// The contender that others are compared with, where it takes part; else it is the slowest.
    pub(crate) baseline: Option<(EngineKind, Option<Isa>)>,
}

impl BenchOptions {
    /// Checks what can be checked before reading.
    ///
    /// # Errors
    /// Usage errors.
    pub(crate) fn validate(&self) -> Result<()> {
        self.input.validate()?;
        self.isas.iter().try_for_each(|isa| isa.require())?;
        if self.rounds == 0 || self.every == 0 || self.goal.limit() == Some(0) {
            return Err(Error::usage("0 rounds, every 0th record or a limit of 0 measure nothing"));
        }
        if self.processor_time && processor_ns() == 0 {
            return Err(Error::usage("this system does not tell processor time"));
        }
        if matches!(self.goal, Goal::Best(_)) {
            return Err(Error::usage("bench measures solving and counting; best scores are not compared"));
        }
        Ok(())
    }
}
