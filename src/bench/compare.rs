//! Compares two reports of races, to show which contenders became faster or slower.

use super::report::{BenchQuery, ClassReport, Compared, Comparison, CorpusFacts, Report, Row};
use super::sentences::BUSY_SHARE;
use super::verdict::{Estimate, Verdict};
use quadrille_batch::stats::{grouped, percent};
use quadrille_model::{Result, usage};

impl Report {
    /// Checks that a race over `corpus` with the question `asked` can be compared with this old report.
    ///
    /// `name` is the name of the old report in error messages.
    ///
    /// # Errors
    /// Returns a usage error if the old report has results for another corpus or another question.
    pub(crate) fn require_comparable(
        &self,
        name: &str,
        corpus: &CorpusFacts,
        asked: &BenchQuery,
    ) -> Result<()> {
        let refuse = |what: &str, there: String, here: String| {
            Err(usage!("{name} {what}: {there} there, {here} here"))
        };
        if self.corpus.hash != corpus.hash {
            let describe = |corpus: &CorpusFacts| {
                let start = corpus.hash.get(..8).unwrap_or(&corpus.hash);
                format!("{} records of hash {start}...", grouped(corpus.taken as u64))
            };
            return refuse("has results for another corpus", describe(&self.corpus), describe(corpus));
        }
        let question = |asked: &BenchQuery| {
            let limit = asked.limit.map_or_else(|| "all".to_owned(), |limit| format!("up to {limit}"));
            format!("{} {limit}, {} time", asked.verb, asked.clock)
        };
        let (there, here) = (question(&self.asked), question(asked));
        if there == here { Ok(()) } else { refuse("has results for another query", there, here) }
    }

    /// Compares this report with an old report called `name`, and stores the result.
    ///
    /// # Errors
    /// Returns an error if [`require_comparable`](Self::require_comparable) would return one.
    pub(crate) fn compare(&mut self, name: &str, old: &Report) -> Result<()> {
        old.require_comparable(name, &self.corpus, &self.asked)?;
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
        let is_same_machine = comparison.other_machine.is_none();
        let busiest = [old, self].into_iter().filter_map(|report| report.processor_share).fold(1.0, f64::min);
        let is_quiet = !is_same_machine || busiest >= BUSY_SHARE;
        // Both races read the same records. If reading them took a different time, the machine or the parser
        // has changed.
        let drift = (self.parsing.us_each.median / old.parsing.us_each.median).ln().abs();
        let drift = if is_same_machine && drift.is_finite() { drift } else { 0.0 };
        let pair_of =
            |name: &str| old_rows.iter().find(|(other, ..)| other == name).map(|(.., before)| before);
        let compared = new_rows.iter().filter(|(name, ..)| pair_of(name).is_some()).count();
        for (name, class, row) in &new_rows {
            let Some(before) = pair_of(name) else { continue };
            let estimate = Estimate::unpaired(&before.rounds_us_each, &row.rounds_us_each, drift);
            let verdict = estimate.map(|estimate| estimate.verdict(compared));
            let same_records = row.records == before.records && (same_seed || class.records == row.records);
            comparison.rows.push(Compared {
                class: class.class.clone(),
                engine: row.engine.clone(),
                isa: row.isa.clone(),
                old_us_each: before.us_each,
                new_us_each: row.us_each,
                ratio: before.us_each.median / row.us_each.median,
                ratio_interval: estimate.map(|estimate| estimate.interval(compared)),
                verdict: match (same_records, is_quiet) {
                    (false, _) => "cannot tell (other records)".to_owned(),
                    (_, false) => {
                        format!("cannot tell (other programs took {})", percent(1.0 - busiest))
                    }
                    _ => Estimate::said(verdict),
                },
                clear: same_records && is_quiet && verdict.is_some_and(Verdict::is_clear),
                same_records,
            });
        }
        self.comparison = Some(comparison);
        Ok(())
    }

    /// Returns every row with its class and its full name. The full name consists of the names of the class
    /// and the row.
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
