//! Sentences about a race: the corpus, the question, and remarks that help a reader to judge the figures.

use std::collections::BTreeSet;
use std::fmt;

use super::report::{
    BenchQuery, ClassReport, Comparison, CorpusFacts, Machine, Report, RoundsEnd, Row, SETTLED_WIDTH, Skipped,
};
use quadrille_batch::stats::{grouped, number_of, percent};

/// Maximum number of sources that are listed by name.
const SOURCES_NAMED: usize = 3;
/// Limit for processor time divided by wall time. Below this limit, other programs are assumed to have used
/// the processor.
pub(super) const BUSY_SHARE: f64 = 0.95;
/// Maximum share of a program's time that its start may take. If the start takes more, the time says little
/// about the records.
const STARTING_SHARE: f64 = 0.1;
/// Minimum duration of a round, in microseconds. Shorter rounds are mostly noise.
const SHORT_ROUND_US: f64 = 10_000.0;

impl Report {
    /// Returns the names of all contenders, in the order of the classes. A contender has one name per class.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.classes.iter().flat_map(|class| {
            let failed = class.failed.iter().map(|failed| failed.name.clone());
            class.rows.iter().map(Row::name).chain(failed)
        })
    }

    /// Returns remarks that help a reader to judge the figures.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.optimised {
            notes.push("This program was built without optimisation: its figures mean nothing.".to_owned());
        }
        if let Some(share) = self.processor_share.filter(|share| *share < BUSY_SHARE) {
            let blame = if self.asked.clock == "wall" {
                "figures may be too slow by that much; --cpu-time measures processor time"
            } else {
                "the ranges of the rounds are too wide"
            };
            notes
                .push(format!("Other programs took {} of the time measured: {blame}.", percent(1.0 - share)));
        }
        let rows = || self.classes.iter().flat_map(|class| &class.rows);
        let questions: BTreeSet<&str> = rows().map(Row::asked).collect();
        if questions.len() > 1 {
            let of = |question: &str| {
                let asked = rows().filter(|row| row.asked() == question).map(Row::name);
                let names: Vec<String> = asked.collect::<BTreeSet<_>>().into_iter().collect();
                format!("{question} ({})", names.join(", "))
            };
            let all: Vec<String> = questions.into_iter().map(of).collect();
            notes.push(format!(
                "Not like for like: {}. NAME[first]=COMMAND or NAME[unique]=COMMAND says what a command proves.",
                all.join("; ")
            ));
        }
        if let Some(end) = self.asked.end() {
            notes.push(end);
        }
        let starting = rows().find(|row| {
            let start = row.program.as_ref().and_then(|program| program.start_us);
            start.is_some_and(|start| start.median > STARTING_SHARE * row.us_each.median * row.records as f64)
        });
        if let Some(row) = starting {
            notes.push(format!(
                "Starting takes more than {} of the time of {}: --min-records repeats the corpus.",
                percent(STARTING_SHARE),
                row.name()
            ));
        }
        // Computes the number of records that would make the shortest round long enough.
        let short = |row: &&Row| row.us_each.median * (row.records as f64) < SHORT_ROUND_US;
        let fastest = rows().filter(short).map(|row| row.us_each.median).min_by(f64::total_cmp);
        if let Some(fastest) = fastest {
            let needed = 10f64.powf((SHORT_ROUND_US / fastest).log10().ceil());
            notes.push(format!(
                "Some rounds took less than 10 ms: --min-records {needed:.0} repeats the corpus and makes figures \
                 steadier."
            ));
        }
        notes
            .extend(self.classes.iter().flat_map(|class| class.rows.iter().filter_map(|row| row.cut(class))));
        if let Some(comparison) = &self.comparison {
            notes.extend(comparison.notes());
        }
        notes
    }
}

impl Comparison {
    /// Returns remarks about differences between the machines and contenders of the two reports.
    fn notes(&self) -> impl Iterator<Item = String> {
        let machine = self
            .other_machine
            .iter()
            .map(|machine| format!("{} was made on another machine: {machine}.", self.old));
        let alone = [("not", &self.only_new), ("only", &self.only_old)]
            .into_iter()
            .filter(|(_, names)| !names.is_empty());
        machine.chain(alone.map(|(which, names)| format!("{which} in the old results: {}", names.join("; "))))
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cores = number_of(self.cores as u64, "core");
        write!(f, "{}, {cores}, {}: {}", self.cpu, self.architecture, self.isas.join(", "))
    }
}

impl CorpusFacts {
    /// Returns a sentence that describes the corpus.
    pub(crate) fn sentence(&self) -> String {
        let name = match self.sources.as_slice() {
            [] => "-".to_owned(),
            [one] if one == "-" => "standard input".to_owned(),
            some if some.len() <= SOURCES_NAMED => some.join(", "),
            many => format!("{} sources", many.len()),
        };
        let mut text = format!("{name}: {}", number_of(self.taken as u64, "record"));
        if self.every > 1 {
            text += &format!(", one in {} of {}", self.every, grouped(self.readable as u64));
        }
        if self.repeats > 1 {
            text += &format!(", repeated {} times", grouped(self.repeats as u64));
        }
        text
    }
}

impl BenchQuery {
    /// Returns the reason why a race with `--rounds auto` ended, and the option that would make it longer.
    ///
    /// Returns `None` if the number of rounds was fixed.
    fn end(&self) -> Option<String> {
        let time = self.time_s.map_or_else(String::new, |time| format!(" (now {time} s)"));
        let why = match self.ended_by {
            RoundsEnd::Number => return None,
            RoundsEnd::Settled => format!("every ratio is known to {}", percent(SETTLED_WIDTH)),
            RoundsEnd::Time => format!("the time of every contender was up; --time{time} gives more"),
            RoundsEnd::Maximum => "there are no more; --rounds N sets another number".to_owned(),
        };
        Some(format!("Ended after {}: {why}.", number_of(self.rounds as u64, "round")))
    }

    /// Returns a sentence that describes the question of the race.
    pub(crate) fn sentence(&self) -> String {
        let what = match (self.verb.as_str(), self.limit) {
            ("count", None) => "count all solutions".to_owned(),
            ("count", Some(limit)) => format!("count up to {}", number_of(limit, "solution")),
            (_, Some(2)) => "up to 2 solutions each (uniqueness)".to_owned(),
            (_, Some(limit)) => format!("up to {} each", number_of(limit, "solution")),
            (_, None) => "all solutions".to_owned(),
        };
        let rounds = number_of(self.rounds as u64, "round");
        format!("{what}; one thread, {rounds} in turn, {} time, seed {}", self.clock, self.seed)
    }
}

/// Returns the name of a search that stops at `limit` solutions. `None` means a search for all solutions.
pub(super) fn question(limit: Option<u64>) -> String {
    match limit {
        Some(1) => "first solution".to_owned(),
        Some(2) => "unique".to_owned(),
        Some(limit) => format!("up to {}", grouped(limit)),
        None => "all solutions".to_owned(),
    }
}

/// Returns a text that lists the contenders that did not take part, grouped by reason.
pub(crate) fn absences(all: &[Skipped]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for Skipped { name, reason } in all {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, names)) => names.push(name),
            None => reasons.push((reason, vec![name])),
        }
    }
    let sentence = |(reason, names): &(&str, Vec<&str>)| format!("{} ({reason})", names.join(", "));
    reasons.iter().map(sentence).collect::<Vec<_>>().join("; ")
}

impl Row {
    fn asked(&self) -> &str {
        self.asked.as_deref().unwrap_or("unknown")
    }

    /// Returns a remark that the contender's time was up, or `None` if the contender had enough time.
    ///
    /// The remark appears if the contender was timed on only some records of `class`, or in fewer rounds than
    /// other contenders.
    fn cut(&self, class: &ClassReport) -> Option<String> {
        let planned = class.rows.iter().map(|row| row.rounds_us_each.len()).max().unwrap_or(0);
        let mut cut = Vec::new();
        if self.records < class.records {
            cut.push(format!("a sample of {}", number_of(self.records as u64, "record")));
        }
        if self.rounds_us_each.len() < planned {
            cut.push(number_of(self.rounds_us_each.len() as u64, "round"));
        }
        let name = self.name();
        (!cut.is_empty()).then(|| format!("{name}: {}, because its time was up (--time).", cut.join(" and ")))
    }
}
