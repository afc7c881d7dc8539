//! The comparison of two reports: which contenders became faster or slower.

use super::report::{BenchQuery, ClassReport, Compared, Comparison, CorpusFacts, Report, Row};
use super::{BenchOptions, Corpus};
use quadrille_batch::stats::grouped;
use quadrille_model::{Result, usage};

/// Checks that a race over this corpus can be compared with an old report.
///
/// # Errors
/// Returns a usage error for another corpus or another question.
fn comparable(old: &Report, name: &str, corpus: &CorpusFacts, asked: &BenchQuery) -> Result<()> {
    let refuse =
        |what: &str, there: String, here: String| Err(usage!("{name} {what}: {there} there, {here} here"));
    if old.corpus.hash != corpus.hash {
        let describe = |corpus: &CorpusFacts| {
            let start = corpus.hash.get(..8).unwrap_or(&corpus.hash);
            format!("{} records of hash {start}...", grouped(corpus.taken as u64))
        };
        return refuse("has results for another corpus", describe(&old.corpus), describe(corpus));
    }
    let question = |asked: &BenchQuery| {
        let limit = asked.limit.map_or_else(|| "all".to_owned(), |limit| format!("up to {limit}"));
        format!("{} {limit}, {} time", asked.verb, asked.clock)
    };
    let (there, here) = (question(&old.asked), question(asked));
    if there == here { Ok(()) } else { refuse("has results for another query", there, here) }
}

impl Report {
    /// Checks that a race over a corpus can be compared with this old report; `name` names that report in the error.
    ///
    /// # Errors
    /// Returns a usage error for another corpus or another question.
    pub(crate) fn require_comparable(
        &self,
        name: &str,
        corpus: &Corpus,
        options: &BenchOptions,
    ) -> Result<()> {
        comparable(self, name, &corpus.facts, &BenchQuery::new(options))
    }

    /// Compares this report with an old one called `name`, and keeps the result.
    ///
    /// # Errors
    /// Returns an error as [`require_comparable`](Self::require_comparable) does.
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
        for (name, class, row) in &new_rows {
            let Some((_, _, before)) = old_rows.iter().find(|(other, _, _)| other == name) else { continue };
            comparison.rows.push(Compared {
                class: class.class.clone(),
                engine: row.engine.clone(),
                isa: row.isa.clone(),
                old_us_each: before.us_each,
                new_us_each: row.us_each,
                ratio: before.us_each.median / row.us_each.median,
                clear: !row.us_each.overlaps(before.us_each),
                same_records: row.records == before.records && (same_seed || class.records == row.records),
            });
        }
        self.comparison = Some(comparison);
        Ok(())
    }

    /// Returns every row with its class, and with a name made of the names of the class and the row.
    fn each_row(&self) -> Vec<NamedRow<'_>> {
        let mut rows = Vec::new();
        for class in &self.classes {
            rows.extend(
                class.rows.iter().map(|row| (format!("{}: {}", class.class, row.name()), class, row)),
            );
        }
        rows
    }
}

type NamedRow<'a> = (String, &'a ClassReport, &'a Row);

fn names_missing(of: &[NamedRow<'_>], among: &[NamedRow<'_>]) -> Vec<String> {
    let names = of.iter().map(|(name, _, _)| name);
    names.filter(|name| among.iter().all(|(other, _, _)| other != *name)).cloned().collect()
}
