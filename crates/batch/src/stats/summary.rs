//! Statistics as text for people.

use std::fmt::{self, Write};

use super::histogram::quantile;
use super::numbers::{duration, group, grouped, number_of, percent, quantiles, rounded};
use super::{EngineCounts, Hard, Population, RunOptions, Sample, SourceCounts, Statistics};
use quadrille_model::{Counter, EndedBy, Status};

/// Maximum number of sources that a summary lists. If there is only one source, it is not listed.
const SHOWN_SOURCES: usize = 20;

/// Maximum number of hardest records in a summary.
const SHOWN: usize = 3;

/// Function that returns the texts that follow one label of a summary. Empty texts are not displayed.
type Lines = fn(&Statistics) -> Vec<String>;

/// Labels of a summary. Each label has a function that returns the texts of its lines.
const LINES: [(&str, Lines); 23] = [
    ("records", |all| vec![all.records()]),
    ("lines", |all| vec![all.lines_by_kind()]),
    ("stopped", |all| vec![all.stopped()]),
    ("answers", |all| vec![all.answers()]),
    ("ended by", |all| vec![all.endings()]),
    ("clues", |all| vec![all.clue_range()]),
    ("sample", Statistics::sample_lines),
    ("guesses", |all| vec![all.guesses()]),
    ("nodes", |all| vec![quantiles(|at| all.work(Counter::Nodes).quantile(at).map(grouped))]),
    ("time", |all| vec![quantiles(|at| all.clock.per_record.quantile(at).map(duration))]),
    ("symmetry", |all| vec![all.symmetries()]),
    ("classes", |all| vec![all.classes()]),
    ("lost", |all| vec![all.lost()]),
    ("rating", Statistics::rating_lines),
    ("engine", Statistics::engine_lines),
    ("audited", |all| vec![all.audits()]),
    ("phases", |all| vec![all.phases()]),
    ("hardest", Statistics::hardest_lines),
    ("source", Statistics::source_lines),
    ("", |all| vec![all.further_sources()]),
    ("checksum", |all| vec![all.checksum_text()]),
    ("hint", |all| vec![all.hint()]),
    ("WARNING", |all| vec![all.imbalance()]),
];

impl Statistics {
    /// Width of a summary's label column, in characters.
    pub const SUMMARY_LABEL: usize = 10;

    /// Writes a short summary as aligned lines without colours.
    ///
    /// # Errors
    /// Returns an error only if `out` does.
    pub fn write_summary(&self, out: &mut impl Write) -> fmt::Result {
        self.write_lines(out, |_| true)
    }

    fn write_lines(&self, out: &mut impl Write, is_wanted: impl Fn(&str) -> bool) -> fmt::Result {
        for (label, texts) in LINES.into_iter().filter(|(label, _)| is_wanted(label)) {
            for text in texts(self).iter().filter(|text| !text.is_empty()) {
                writeln!(out, "{label:<0$}{text}", Self::SUMMARY_LABEL)?;
            }
        }
        Ok(())
    }

    /// Writes three lines for the end of a run in a terminal: records, answers and checksum.
    ///
    /// Writes a fourth line with a warning if the counts of records contradict each other.
    ///
    /// # Errors
    /// Returns an error only if `out` does.
    pub fn write_brief_summary(&self, out: &mut impl Write) -> fmt::Result {
        self.write_lines(out, |label| ["records", "answers", "checksum", "WARNING"].contains(&label))
    }

    /// Returns text with the number of lines of each kind, or an empty string if all lines are records.
    fn lines_by_kind(&self) -> String {
        let lines = &self.totals.lines;
        let others = lines.others().into_iter().filter(|&(lines, _)| lines > 0);
        let others: Vec<String> = others.map(|(lines, noun)| number_of(lines, noun)).collect();
        if others.is_empty() {
            return String::new();
        }
        format!("{} of records, {}", grouped(lines.records), others.join(", "))
    }

    fn sample_lines(&self) -> Vec<String> {
        let line = |(population, sample): (Population, &Sample)| {
            let estimate = sample.estimate(population)?;
            let (mean, grid) = (estimate.mean_clues, estimate.per_grid);
            Some(format!(
                "{}, {} to {} clues in {} cells, from {}: mean {:.3} clues ({:.3} to {:.3}), {:.3e} minimal puzzles of a \
                 grid ({:.3e} to {:.3e})",
                number_of(sample.puzzles(), "puzzle"),
                population.clues.0,
                population.clues.1,
                population.cells,
                number_of(sample.orders, "order"),
                mean.value,
                mean.low,
                mean.high,
                grid.value,
                grid.low,
                grid.high
            ))
        };
        self.samples().filter_map(line).collect()
    }

    fn engine_lines(&self) -> Vec<String> {
        let line =
            |share: &EngineCounts| format!("{} {} ({})", share.engine, grouped(share.records), share.chosen);
        self.engines.iter().map(line).collect()
    }

    fn hardest_lines(&self) -> Vec<String> {
        let line = |hard: &Hard| {
            let work = match (hard.guesses, hard.nodes) {
                (Some(guesses), Some(nodes)) => {
                    format!("{}, {}", number_of(guesses, "guess"), number_of(nodes, "node"))
                }
                _ => "split over threads".to_owned(),
            };
            let rated = hard.rating.map_or_else(String::new, |rating| format!("rated {rating}, "));
            format!("record {} ({}:{}): {rated}{work}", hard.index, hard.source, hard.line)
        };
        let is_hard = |hard: &&Hard| hard.guesses != Some(0) || hard.rating.is_some();
        self.hardest().iter().filter(is_hard).take(SHOWN).map(line).collect()
    }

    fn source_lines(&self) -> Vec<String> {
        let line = |(name, share): (&str, SourceCounts<'_>)| {
            let statuses = listed(share.statuses());
            let (records, time) = (number_of(share.records(), "record"), duration(share.busy_ns));
            format!("{name}: {records} in {time}: {}", statuses.join(", "))
        };
        let shown = if self.sources().len() > 1 { SHOWN_SOURCES } else { 0 };
        self.sources().take(shown).map(line).collect()
    }

    fn further_sources(&self) -> String {
        match self.sources().len().saturating_sub(SHOWN_SOURCES) as u64 {
            0 => String::new(),
            more => format!("and {} (--stats-out has them)", number_of(more, "more source")),
        }
    }

    fn hint(&self) -> String {
        self.likely_blank().map_or_else(String::new, |letter| {
            format!("most records have {letter} twice in a house: is it an empty cell (--blank {letter})?")
        })
    }

    /// Returns the result of the audit as text. Returns an empty string if no records were audited.
    ///
    /// The text consists of the number of audited records, the names of the engines that answered them again,
    /// and whether all answers agree.
    pub fn audits(&self) -> String {
        let audits = || self.audited.values();
        let records: u64 = audits().map(|audited| audited.records).sum();
        let disagreed: u64 = audits().map(|audited| audited.disagreed).sum();
        if records == 0 {
            return String::new();
        }
        let engines = self.audited.keys().map(|name| &**name).collect::<Vec<_>>().join(" and ");
        let verdict =
            if disagreed == 0 { "all agree".to_owned() } else { format!("{} disagree", grouped(disagreed)) };
        format!("{} by {engines}, {verdict}", grouped(records))
    }

    fn checksum_text(&self) -> String {
        format!("{:032x}", self.checksum.0)
    }

    /// Returns a warning if the counts of records contradict each other, or an empty string if they do not.
    fn imbalance(&self) -> String {
        if self.is_balanced() {
            return String::new();
        }
        let (read, seen) = (self.totals.records_in, self.answered() + self.rejected());
        format!("{} read, but {} accounted for", number_of(read, "record"), grouped(seen))
    }

    /// Returns the number of records, the time and the rate as text.
    fn records(&self) -> String {
        let mut text = grouped(self.totals.records_in);
        let runs: u64 = self.runs.iter().map(|run| run.runs).sum();
        if runs > 1 {
            text += &format!(" in {}", number_of(runs, "run"));
        }
        if self.runs.len() > 1 {
            text += " with different options";
        }
        let clock = &self.clock;
        let Some(rate) = clock.per_second(self.totals.records_in) else { return text };
        text += &format!(" in {}: {} a second", duration(clock.wall_ns), rounded(rate));
        if let Some(bytes) = clock.per_second(self.totals.bytes_in).filter(|_| self.totals.bytes_in > 0) {
            text += &format!(", {:.1} MB/s", bytes / 1e6);
        }
        if let Some(busy) = clock.busy() {
            let threads = number_of(clock.threads.len() as u64, "thread");
            text += &format!(", {threads} {} busy", percent(busy));
        }
        text
    }

    /// Returns text about classes of equal records. It contains the number of classes, the number of classes
    /// with only one record, and the size of the largest class.
    fn classes(&self) -> String {
        let classes: u64 = self.class_sizes.values().sum();
        let Some((largest, _)) = self.class_sizes.last_key_value() else { return String::new() };
        let alone = self.class_sizes.get(&1).copied().unwrap_or(0);
        format!(
            "{}, {} of one record, the largest of {}",
            grouped(classes),
            grouped(alone),
            grouped(*largest)
        )
    }

    /// Returns text with the number of stopped runs for each reason.
    fn stopped(&self) -> String {
        let runs = |(word, &runs): (&&str, &u64)| format!("{} ({word})", number_of(runs, "run"));
        let stops: Vec<String> = self.stops.iter().map(runs).collect();
        if stops.is_empty() {
            String::new()
        } else {
            format!("before the end of the input: {}", stops.join(", "))
        }
    }

    /// Returns text about the data of records that the output format cannot hold.
    fn lost(&self) -> String {
        let part = |(word, &records): (&&str, &u64)| format!("{word} of {}", number_of(records, "record"));
        self.losses.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// Returns text with the number of solutions that have automorphisms, and the number of classes of their
    /// bands.
    fn symmetries(&self) -> String {
        let solutions: u64 = self.solution_automorphisms.values().sum();
        if solutions == 0 {
            return String::new();
        }
        let plain = self.solution_automorphisms.get(&1).copied().unwrap_or(0);
        let most = self.solution_automorphisms.keys().next_back().copied().unwrap_or(1);
        let of = number_of(solutions, "solution");
        let mut text = format!("{} of {of} with automorphisms (up to {most})", grouped(solutions - plain));
        if !self.bands.is_empty() {
            text += &format!(", {} of bands", number_of(self.bands.len() as u64, "class"));
        }
        text
    }

    fn answers(&self) -> String {
        let mut parts = listed(Status::ALL.iter().map(|&status| (status, self.status(status))));
        if self.totals.solutions.to_u64() != Some(self.totals.with_solution) {
            let solutions = self.totals.solutions.to_string();
            parts.push(format!("solutions found {}", group(&solutions)));
        }
        parts.join(", ")
    }

    /// Returns text with the number of searches for each reason why searches ended.
    ///
    /// Also lists the numbers of the first records whose searches were stopped early.
    fn endings(&self) -> String {
        let is_shown = |ended_by: &&EndedBy| self.ended_by(**ended_by) > 0 && !self.is_as_asked(**ended_by);
        let kinds = EndedBy::ALL.iter().filter(is_shown);
        let parts: Vec<String> = kinds
            .map(|&ended_by| {
                let records = self.ended_by(ended_by);
                let mut part = format!("{} {}", ended_by.word(), grouped(records));
                let named = self.first_ended_by(ended_by);
                if !named.is_empty() {
                    let names: Vec<String> = named.iter().map(u64::to_string).collect();
                    let more = if records > named.len() as u64 { ", ..." } else { "" };
                    let noun = if records == 1 { "record" } else { "records" };
                    part += &format!(" ({noun} {}{more})", names.join(", "));
                }
                part
            })
            .collect();
        parts.join(", ")
    }

    /// Returns true if the requested task itself explains why searches ended for the reason `ended_by`. The
    /// summary then omits this reason.
    ///
    /// If a task needs only one or two solutions, some searches stop once these solutions are found. The
    /// other searches are complete.
    fn is_as_asked(&self, ended_by: EndedBy) -> bool {
        let is_limited = |run: &RunOptions| run.options.iter().any(|word| word == "--limit");
        let is_end = matches!(ended_by, EndedBy::Limit | EndedBy::Complete);
        is_end && self.ended_by(EndedBy::Limit) > 0 && !self.runs.iter().any(is_limited)
    }

    fn clue_range(&self) -> String {
        match (self.clues().next(), quantile(self.clues(), 500), self.clues().last()) {
            (Some((first, _)), _, Some((last, _))) if first == last => first.to_string(),
            (Some((first, _)), Some(median), Some((last, _))) => {
                format!("{first} to {last}, median {median}")
            }
            _ => String::new(),
        }
    }

    fn guesses(&self) -> String {
        let mut text = quantiles(|at| self.work(Counter::Guesses).quantile(at).map(grouped));
        if let Some(share) = self.share_without_guess().filter(|_| !text.is_empty()) {
            text += &format!("; solved without a guess {}", percent(share));
        }
        if self.totals.split > 0 {
            let separator = if text.is_empty() { "" } else { "; " };
            text += &format!("{separator}not counted: {} split over threads", grouped(self.totals.split));
        }
        text
    }

    fn phases(&self) -> String {
        let phases = self.clock.phases.each();
        let total: u64 = phases.iter().map(|(_, ns)| ns).sum();
        if total == 0 {
            return String::new();
        }
        let parts: Vec<String> = phases
            .iter()
            .filter(|(_, ns)| *ns > 0)
            .map(|(name, ns)| format!("{name} {}", percent(*ns as f64 / total as f64)))
            .collect();
        let processor = if self.clock.cpu_ns > 0 {
            format!("; processor {}", duration(self.clock.cpu_ns))
        } else {
            String::new()
        };
        parts.join(", ") + &processor
    }
}

/// Returns a text for each status that occurs, with the number of records that have this status.
fn listed(counts: impl Iterator<Item = (Status, u64)>) -> Vec<String> {
    let there = counts.filter(|(_, records)| *records > 0);
    there.map(|(status, records)| format!("{} {}", status.word(), grouped(records))).collect()
}
