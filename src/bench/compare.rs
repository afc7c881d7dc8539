//! Two reports side by side: what became faster or slower.

use std::fmt::{self, Write};

use serde::Serialize;

use super::report::{Asked, ClassReport, CorpusFacts, Report, Row, Spread};
use super::table::{Unit, three_digits, write_aligned};
use crate::error::{Error, Result};
use crate::stats::grouped;

/// What a new report says beside an old one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of the old report.
    pub old: String,
    /// Version of the program that made it.
    pub old_version: String,
    /// The machine it was made on, where that is another.
    pub other_machine: Option<String>,
    /// Contenders that both have.
    pub rows: Vec<Compared>,
    /// Contenders of the new report alone, class first.
    pub only_new: Vec<String>,
    /// Contenders of the old report alone.
    pub only_old: Vec<String>,
}

/// One contender in both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The class of problem.
    pub class: String,
    /// The engine.
    pub engine: String,
    /// Its instruction set, where it has several.
    pub isa: Option<String>,
    /// Microseconds a record, before.
    pub old_us_each: Spread,
    /// Microseconds a record, now.
    pub new_us_each: Spread,
    /// Speed now through speed before, by medians: above 1 it became faster.
    pub ratio: f64,
    /// Whether no round of one took as long as any of the other.
    pub clear: bool,
    /// Whether both were timed on the same records.
    pub same_records: bool,
}

/// Refuses an old report that a race over this corpus cannot be compared with.
///
/// # Errors
/// Usage errors: another corpus, another question.
fn comparable(old: &Report, name: &str, corpus: &CorpusFacts, asked: &Asked) -> Result<()> {
    if old.corpus.hash != corpus.hash {
        let describe = |corpus: &CorpusFacts| {
            let start = corpus.hash.get(..8).unwrap_or(&corpus.hash);
            format!("{} records of hash {start}...", grouped(corpus.taken as u64))
        };
        return Err(Error::usage(format!(
            "{name} is about another corpus: {} there, {} here",
            describe(&old.corpus),
            describe(corpus)
        )));
    }
    let question = |asked: &Asked| (asked.verb.clone(), asked.limit, asked.clock.clone());
    if question(&old.asked) != question(asked) {
        let describe = |asked: &Asked| {
            let limit = asked.limit.map_or_else(|| "all".to_owned(), |limit| format!("up to {limit}"));
            format!("{} {limit}, {} time", asked.verb, asked.clock)
        };
        return Err(Error::usage(format!(
            "{name} answers another question: {} there, {} here",
            describe(&old.asked),
            describe(asked)
        )));
    }
    Ok(())
}

impl Report {
    /// Refuses this old report where a race over a corpus cannot be compared with it. `name` is for the error.
    ///
    /// # Errors
    /// Usage errors: another corpus, another question.
    pub fn require_comparable(
        &self,
        name: &str,
        corpus: &super::Corpus,
        options: &super::BenchOptions,
    ) -> Result<()> {
        comparable(self, name, corpus.facts(), &Asked::of(options))
    }

    /// Compares with an old report of this name, and keeps the result.
    ///
    /// # Errors
    /// As [`require_comparable`](Self::require_comparable).
    pub fn compare(&mut self, name: &str, old: &Report) -> Result<()> {
        comparable(old, name, &self.corpus, &self.asked)?;
        let same_seed = self.asked.seed == old.asked.seed;
        let (new_rows, old_rows) = (self.each_row(), old.each_row());
        let mut comparison = Comparison {
            old: name.to_owned(),
            old_version: old.version.clone(),
            other_machine: (self.machine != old.machine).then(|| old.machine.to_string()),
            rows: Vec::new(),
            only_new: names_missing(&new_rows, &old_rows),
            only_old: names_missing(&old_rows, &new_rows),
        };
        for (class, row) in &new_rows {
            let Some((_, before)) = old_rows.iter().find(|other| is_same(other, &(class, row))) else {
                continue;
            };
            let (whole, same) = (self.records_of(class), row.records == before.records);
            comparison.rows.push(Compared {
                class: (*class).to_owned(),
                engine: row.engine.clone(),
                isa: row.isa.clone(),
                old_us_each: before.us_each,
                new_us_each: row.us_each,
                ratio: before.us_each.median / row.us_each.median,
                clear: !row.us_each.overlaps(before.us_each),
                same_records: same && (same_seed || whole == Some(row.records)),
            });
        }
        self.comparison = Some(comparison);
        Ok(())
    }

    fn each_row<'a>(&'a self) -> Vec<(&'a str, &'a Row)> {
        let rows_of = |class: &'a ClassReport| class.rows.iter().map(|row| (class.class.as_str(), row));
        self.classes.iter().flat_map(rows_of).collect()
    }

    fn records_of(&self, class: &str) -> Option<usize> {
        self.classes.iter().find(|report| report.class == class).map(|report| report.records)
    }
}

fn is_same(a: &(&str, &Row), b: &(&str, &Row)) -> bool {
    a.0 == b.0 && a.1.engine == b.1.engine && a.1.isa == b.1.isa
}

fn names_missing(of: &[(&str, &Row)], among: &[(&str, &Row)]) -> Vec<String> {
    of.iter()
        .filter(|row| !among.iter().any(|other| is_same(row, other)))
        .map(|(class, row)| format!("{class}: {}", row.name()))
        .collect()
}

impl Comparison {
    /// Writes the comparison as aligned lines.
    ///
    /// # Errors
    /// Those of the writer.
    pub(super) fn write_table(&self, out: &mut impl Write) -> fmt::Result {
        writeln!(out, "compared with {} (quadrille {})", self.old, self.old_version)?;
        if let Some(machine) = &self.other_machine {
            writeln!(out, "which is of another machine: {machine}")?;
        }
        let classes: Vec<&str> =
            self.rows.iter().map(|row| row.class.as_str()).fold(Vec::new(), |mut all, name| {
                if all.last() != Some(&name) {
                    all.push(name);
                }
                all
            });
        for class in classes {
            let rows: Vec<&Compared> = self.rows.iter().filter(|row| row.class == class).collect();
            let unit = Unit::of(rows.iter().flat_map(|row| [row.old_us_each.median, row.new_us_each.median]));
            writeln!(out, "\n{class}")?;
            let (old, new) = (format!("old {}", unit.name), format!("new {}", unit.name));
            let head = ["engine", "isa", &old, &new, "speed new/old", ""];
            let mut lines = vec![head.map(str::to_owned).to_vec()];
            lines.extend(rows.iter().map(|row| row.cells(unit)));
            write_aligned(&lines, 2, out)?;
        }
        if !self.only_new.is_empty() {
            writeln!(out, "not in the old results: {}", self.only_new.join("; "))?;
        }
        if !self.only_old.is_empty() {
            writeln!(out, "only in the old results: {}", self.only_old.join("; "))?;
        }
        Ok(())
    }
}

impl Compared {
    fn cells(&self, unit: Unit) -> Vec<String> {
        let mark = match (self.clear, self.same_records) {
            (_, false) => "other records",
            (true, _) if self.ratio > 1.0 => "faster",
            (true, _) => "SLOWER",
            (false, _) => "",
        };
        vec![
            self.engine.clone(),
            self.isa.clone().unwrap_or_else(|| "-".to_owned()),
            unit.show(self.old_us_each.median),
            unit.show(self.new_us_each.median),
            three_digits(self.ratio),
            mark.to_owned(),
        ]
    }
}
