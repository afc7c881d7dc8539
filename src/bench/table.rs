//! Results of a race as text for people.

use std::fmt::{self, Write};

use super::report::{
    BenchQuery, ClassReport, Compared, Comparison, CorpusFacts, Machine, Report, Row, Skipped, Spread,
};
use quadrille_batch::stats::{Statistics, grouped, number_of, percent, rounded, three_digits};
use quadrille_model::Counter;

/// Maximum number of sources listed by name.
const SOURCES_NAMED: usize = 3;
/// Share of processor time in wall time below which other programs are assumed to have run.
const BUSY_SHARE: f64 = 0.95;
/// Width of a ratio's interval, divided by the ratio, above which the ratio means nothing.
const NOISY_WIDTH: f64 = 0.2;
/// Share of a program's time that its start takes, above which the time says little about the records.
const STARTING_SHARE: f64 = 0.1;
/// Microseconds below which a round is mostly noise.
const SHORT_ROUND_US: f64 = 10_000.0;

impl Report {
    /// Writes the results as aligned lines without colours, each with a line feed.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    pub(crate) fn write_table(&self, columns: usize, out: &mut impl Write) -> fmt::Result {
        let mut line =
            |label: &str, text: String| writeln!(out, "{label:<0$}{text}", Statistics::SUMMARY_LABEL);
        line("machine", self.machine.to_string())?;
        let commit = self.commit.as_ref().map(|commit| format!(", {commit}")).unwrap_or_default();
        line("program", format!("quadrille {}{commit}", self.version))?;
        line("corpus", self.corpus.sentence())?;
        if let Some(first) = &self.corpus.first_unreadable {
            let records = number_of(self.corpus.unreadable as u64, "record");
            line("left out", format!("{records} that cannot be read; the first: {first}"))?;
        }
        if self.corpus.contradictory > 0 {
            let records = number_of(self.corpus.contradictory as u64, "record");
            line("left out", format!("{records} whose clues contradict each other"))?;
        }
        line("query", self.asked.sentence())?;
        let parsing = &self.parsing;
        let unit = Unit::of([parsing.us_each.median]);
        let each = format!("{} {} a record", unit.show(parsing.us_each.median), unit.name);
        let rate = rounded(parsing.per_second);
        let megabytes = grouped((parsing.bytes_per_second / 1e6).round() as u64);
        line("parsing", format!("{each}: {rate} a second, {megabytes} MB/s"))?;
        for class in &self.classes {
            writeln!(out)?;
            class.write_table(columns, out)?;
        }
        if self.classes.len() > 1 {
            writeln!(out)?;
            self.write_overview(columns, out)?;
        }
        let notes = self.notes();
        if !notes.is_empty() {
            writeln!(out, "\n{}", notes.join("\n"))?;
        }
        if let Some(comparison) = &self.comparison {
            writeln!(out)?;
            comparison.write_table(out)?;
        }
        Ok(())
    }

    /// Writes a table with a row per contender and a column per class.
    fn write_overview(&self, columns: usize, out: &mut impl Write) -> fmt::Result {
        let mut lines = Vec::new();
        for name in self.names() {
            let mut line = vec![name.clone()];
            for class in &self.classes {
                line.push(match class.rows.iter().find(|row| row.name() == name) {
                    Some(row) => {
                        let unit = Unit::of(class.rows.iter().map(|row| row.us_each.median));
                        format!(
                            "{} {} ({} x)",
                            unit.show(row.us_each.median),
                            unit.name,
                            three_digits(row.ratio)
                        )
                    }
                    None if class.failed.iter().any(|failed| failed.name == name) => "FAILED".to_owned(),
                    None => "-".to_owned(),
                });
            }
            lines.push(line);
        }
        writeln!(out, "time per record, and speed relative to the baseline, in:")?;
        for (number, class) in self.classes.iter().enumerate() {
            writeln!(out, "  {} {}", number + 1, class.class)?;
        }
        let numbers: Vec<String> = (1..=self.classes.len()).map(|number| number.to_string()).collect();
        let head: Vec<&str> = ["contender"].into_iter().chain(numbers.iter().map(String::as_str)).collect();
        write_fitting(&head, lines.into_iter(), columns, out)
    }

    /// Returns the names of all contenders, each once, in the order of the classes.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for class in &self.classes {
            let failed = class.failed.iter().map(|failed| failed.name.clone());
            for name in class.rows.iter().map(Row::name).chain(failed) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Returns remarks that a reader needs to judge the figures.
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
        let noisy: Vec<String> = rows()
            .filter(|row| row.ratio_width().is_some_and(|width| width > NOISY_WIDTH))
            .map(Row::name)
            .collect();
        if !noisy.is_empty() {
            notes.push(format!(
                "Too noisy for any claim: the intervals of {} are wider than {}. More rounds help (--rounds auto).",
                noisy.join(", "),
                percent(NOISY_WIDTH)
            ));
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
        // The number of records that would make the shortest round long enough.
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
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cores = number_of(self.cores as u64, "core");
        write!(f, "{}, {cores}, {}: {}", self.cpu, self.architecture, self.isas.join(", "))
    }
}

impl CorpusFacts {
    /// Returns a description of the corpus on one line.
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
    /// Returns the question on one line.
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

/// Returns a list of the contenders that did not take part, grouped by reason.
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

impl ClassReport {
    fn write_table(&self, columns: usize, out: &mut impl Write) -> fmt::Result {
        writeln!(out, "{}: {}", self.class, grouped(self.records as u64))?;
        if let Some(baseline) = &self.baseline {
            let unit = Unit::of(self.rows.iter().map(|row| row.us_each.median));
            let (programs, engines): (Vec<&Row>, Vec<&Row>) =
                self.rows.iter().partition(|row| row.program.is_some());
            let (ratio, each) = (format!("x {baseline}"), format!("{} each", unit.name));
            if !engines.is_empty() {
                let mut head = vec!["engine", "isa", "per second", &each, SPREAD, WITH_PARSING];
                head.extend(Counter::SUMMED.map(Counter::name));
                head.extend(["no guess", &ratio, INTERVAL]);
                write_fitting(&head, engines.iter().map(|row| row.cells(unit)), columns, out)?;
            }
            if !programs.is_empty() {
                if !engines.is_empty() {
                    writeln!(out)?;
                }
                let head = [
                    "program",
                    "time",
                    "per second",
                    &each,
                    SPREAD,
                    LESS_START,
                    START,
                    PROCESSOR,
                    MEMORY,
                    &ratio,
                    INTERVAL,
                ];
                write_fitting(&head, programs.iter().map(|row| row.program_cells(unit)), columns, out)?;
            }
        }
        for Skipped { name, reason } in &self.failed {
            writeln!(out, "{name}: FAILED: {reason}")?;
        }
        let planned = self.rows.iter().map(|row| row.rounds_us_each.len()).max().unwrap_or(0);
        for row in &self.rows {
            let mut cut = Vec::new();
            if row.records < self.records {
                cut.push(format!("a sample of {}", number_of(row.records as u64, "record")));
            }
            if row.rounds_us_each.len() < planned {
                cut.push(number_of(row.rounds_us_each.len() as u64, "round"));
            }
            if !cut.is_empty() {
                writeln!(out, "{}: {}, because its time was up (--time)", row.name(), cut.join(" and "))?;
            }
        }
        if !self.absent.is_empty() {
            writeln!(out, "absent: {}", absences(&self.absent))?;
        }
        Ok(())
    }
}

impl Row {
    fn cells(&self, unit: Unit) -> Vec<String> {
        let mean = |mean: Option<f64>| mean.map_or_else(|| "-".to_owned(), three_digits);
        let mut cells = vec![
            self.engine.clone(),
            self.isa.clone().unwrap_or_else(|| "-".to_owned()),
            rounded(self.per_second),
            unit.show(self.us_each.median),
            unit.range(self.us_each),
            rounded(self.with_parsing_per_second),
        ];
        cells.extend(Counter::SUMMED.map(|counter| mean(self.mean(counter))));
        cells.push(self.without_guess.map_or_else(|| "-".to_owned(), percent));
        cells.extend([three_digits(self.ratio), self.interval()]);
        cells
    }

    /// Returns the cells of a program.
    fn program_cells(&self, unit: Unit) -> Vec<String> {
        let Some(program) = &self.program else { return Vec::new() };
        let start = program.start_us.map_or_else(|| "-".to_owned(), |start| three_digits(start.median / 1e3));
        let memory = |bytes: u64| three_digits(bytes as f64 / 1e6);
        vec![
            self.engine.clone(),
            if program.clock == "own" { "its own" } else { "process" }.to_owned(),
            rounded(self.per_second),
            unit.show(self.us_each.median),
            unit.range(self.us_each),
            program.less_start_us_each.map_or_else(|| "-".to_owned(), |us| unit.show(us)),
            start,
            unit.show(program.processor_us_each),
            program.peak_bytes.map_or_else(|| "-".to_owned(), memory),
            three_digits(self.ratio),
            self.interval(),
        ]
    }

    /// Returns the interval of the ratio as text.
    pub(crate) fn interval(&self) -> String {
        let shown = |[low, high]: [f64; 2]| format!("({}-{})", three_digits(low), three_digits(high));
        self.ratio_interval.map_or_else(|| "-".to_owned(), shown)
    }
}

impl Comparison {
    /// Writes the comparison as aligned lines.
    ///
    /// # Errors
    /// Returns the errors of the writer.
    fn write_table(&self, out: &mut impl Write) -> fmt::Result {
        writeln!(out, "compared with {} (quadrille {})", self.old, self.old_version)?;
        if let Some(machine) = &self.other_machine {
            writeln!(out, "made on another machine: {machine}")?;
        }
        for rows in self.rows.chunk_by(|a, b| a.class == b.class) {
            let unit = Unit::of(rows.iter().flat_map(|row| [row.old_us_each.median, row.new_us_each.median]));
            writeln!(out, "\n{}", rows[0].class)?;
            let (old, new) = (format!("old {}", unit.name), format!("new {}", unit.name));
            let head = ["engine", "isa", &old, &new, "speed new/old", ""];
            let mut lines = vec![head.map(str::to_owned).to_vec()];
            lines.extend(rows.iter().map(|row| row.cells(unit)));
            write_aligned(&lines, out)?;
        }
        let alone = [("not", &self.only_new), ("only", &self.only_old)];
        for (which, names) in alone.into_iter().filter(|(_, names)| !names.is_empty()) {
            writeln!(out, "{which} in the old results: {}", names.join("; "))?;
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

/// The unit of time of a column.
#[derive(Clone, Copy)]
struct Unit {
    name: &'static str,
    us: f64,
}

impl Unit {
    /// Returns the largest of us, ms and s in which no figure is below 1.
    ///
    /// Returns us if some figure is below 1 in every unit.
    fn of(us: impl IntoIterator<Item = f64>) -> Self {
        let least = us.into_iter().fold(f64::INFINITY, f64::min);
        let (name, us) = match least {
            1e6.. => ("s", 1e6),
            1e3.. => ("ms", 1e3),
            _ => ("us", 1.0),
        };
        Unit { name, us }
    }

    fn show(self, us: f64) -> String {
        three_digits(us / self.us)
    }

    fn range(self, spread: Spread) -> String {
        format!("({}-{})", self.show(spread.min), self.show(spread.max))
    }
}

/// Name of the column of rates that include reading the records on the same thread.
const WITH_PARSING: &str = "with parsing";
/// Name of the column of the least and the greatest time of a round.
const SPREAD: &str = "(min-max)";
/// Name of the column of times from which the time of a run on one record is subtracted.
const LESS_START: &str = "less start";
/// Name of the column with the time of a run on one record.
const START: &str = "start ms";
/// Name of the column of processor times.
const PROCESSOR: &str = "cpu";
/// Name of the column of peak memory.
const MEMORY: &str = "MB";
/// Name of the column of intervals of ratios.
const INTERVAL: &str = "(95 %)";
/// Columns that are left out of narrow tables, the least important first.
const LEFT_OUT: [&str; 7] =
    [WITH_PARSING, INTERVAL, MEMORY, PROCESSOR, Counter::Nodes.name(), Counter::Guesses.name(), SPREAD];

/// Writes a table, without columns that do not fit into `columns` characters. A line says which.
fn write_fitting(
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
    columns: usize,
    out: &mut impl Write,
) -> fmt::Result {
    let mut lines: Vec<Vec<String>> = vec![head.iter().map(|&name| name.to_owned()).collect()];
    lines.extend(rows);
    let mut left_out = Vec::new();
    for name in LEFT_OUT {
        let widths = widths(&lines);
        let is_wide = widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1) > columns;
        let place = lines[0].iter().position(|head| head == name).filter(|_| is_wide);
        if let Some(place) = place {
            lines.iter_mut().for_each(|line| drop(line.remove(place)));
            left_out.push(name);
        }
    }
    write_aligned(&lines, out)?;
    if left_out.is_empty() {
        return Ok(());
    }
    writeln!(out, "too wide for this terminal: {}", left_out.join(", "))
}

/// Returns the width of each column, in characters.
fn widths(lines: &[Vec<String>]) -> Vec<usize> {
    let cells = |column: usize| lines.iter().filter_map(move |line| line.get(column));
    let width = |column: usize| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0);
    (0..lines.first().map_or(0, Vec::len)).map(width).collect()
}

/// Writes lines with aligned columns: the first two columns to the left, figures to the right.
fn write_aligned(lines: &[Vec<String>], out: &mut impl Write) -> fmt::Result {
    let widths = widths(lines);
    for line in lines {
        let aligned = |(column, (cell, &width)): (usize, (&String, &usize))| {
            if column < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        };
        let cells: Vec<String> = line.iter().zip(&widths).enumerate().map(aligned).collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    Ok(())
}
