//! Two reports side by side: what became faster or slower.

use super::report::{Asked, ClassReport, Compared, Comparison, CorpusFacts, Report, Row};
use super::{BenchOptions, Corpus};
use crate::error::{Error, Result};
use crate::stats::grouped;

/// Refuses an old report that a race over this corpus cannot be compared with.
///
/// # Errors
/// Usage errors: another corpus, another question.
fn comparable(old: &Report, name: &str, corpus: &CorpusFacts, asked: &Asked) -> Result<()> {
    let refuse = |what: &str, there: String, here: String| {
        Err(Error::usage(format!("{name} {what}: {there} there, {here} here")))
    };
    if old.corpus.hash != corpus.hash {
        let describe = |corpus: &CorpusFacts| {
            let start = corpus.hash.get(..8).unwrap_or(&corpus.hash);
            format!("{} records of hash {start}...", grouped(corpus.taken as u64))
        };
        return refuse("is about another corpus", describe(&old.corpus), describe(corpus));
    }
    let question = |asked: &Asked| {
        let limit = asked.limit.map_or_else(|| "all".to_owned(), |limit| format!("up to {limit}"));
        format!("{} {limit}, {} time", asked.verb, asked.clock)
    };
    let (there, here) = (question(&old.asked), question(asked));
    if there == here { Ok(()) } else { refuse("answers another question", there, here) }
}

impl Report {
    /// Refuses this old report where a race over a corpus cannot be compared with it. `name` is for the error.
    ///
    /// # Errors
    /// Usage errors: another corpus, another question.
    pub(crate) fn require_comparable(
        &self,
        name: &str,
        corpus: &Corpus,
        options: &BenchOptions,
    ) -> Result<()> {
        comparable(self, name, corpus.facts(), &Asked::of(options))
    }

    /// Compares with an old report of this name, and keeps the result.
    ///
    /// # Errors
    /// As [`require_comparable`](Self::require_comparable).
    pub(crate) fn compare(&mut self, name: &str, old: &Report) -> Result<()> {
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
