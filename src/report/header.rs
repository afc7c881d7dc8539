//! The first section of a page: the facts about a run, and a sentence that states its result.

use super::page::{Cell, Figure, Section, Unit, Value};
use super::{Run, command, quoted_path};
use quadrille_batch::stats::{Statistics, duration, grouped, number_of, percent, rounded};
use quadrille_model::{EndedBy, Status};

/// Maximum number of sources that the first section names.
const NAMED: usize = 6;

/// Returns the section with the facts about a run and its engines.
pub(super) fn section(run: &Run) -> Section {
    let (file, statistics) = (&run.file, &run.statistics);
    let clock = &statistics.clock;
    let mut figure = Figure::new("run", "The run", ["", ""]);
    let mut row = |name: &str, cell: Cell| figure.row([name.into(), cell]);
    for (place, kind) in statistics.runs.iter().enumerate() {
        let files = statistics.sources().map(|(name, _)| quoted_path(name)).filter(|name| name != "-");
        let words: Vec<String> = [command(&kind.options)].into_iter().chain(files.take(NAMED)).collect();
        row("command", Value::Code(words.join(" ")).into());
        row("version", file.words(Value::Text, &format!("/runs/{place}/version")));
        if kind.runs > 1 {
            row("merged runs", file.cell(Unit::Count, &format!("/runs/{place}/runs")));
        }
    }
    let sources = statistics.sources().map(|(name, _)| if name == "-" { "standard input" } else { name });
    let mut input: String = sources.take(NAMED).collect::<Vec<_>>().join(", ");
    if statistics.sources().len() > NAMED {
        input += &format!(" and {} more", statistics.sources().len() - NAMED);
    }
    if !input.is_empty() {
        row("input", input.into());
    }
    for machine in clock.machines.keys() {
        row("machine", machine.as_str().into());
    }
    if let Some(started) = clock.started {
        row("started", date(started).into());
    }
    for (name, field) in [
        ("records", "in"),
        ("answered", "answered"),
        ("unreadable", "rejected"),
        ("rows written", "rows_out"),
    ] {
        row(name, file.cell(Unit::Count, &format!("/records/{field}")));
    }
    row("solutions found", file.words(Value::Large, "/records/solutions"));
    row("bytes read", file.cell(Unit::Bytes, "/records/bytes_in"));
    row("bytes written", file.cell(Unit::Bytes, "/records/bytes_out"));
    if clock.wall_ns > 0 {
        row("time", file.cell(Unit::Nanoseconds, "/clock/wall_ns"));
        row("processor time", file.cell(Unit::Nanoseconds, "/clock/cpu_ns"));
        row("records per second", file.cell(Unit::Rate, "/clock/records_per_second"));
        if clock.busy().is_some() {
            row("threads", Unit::Count.whole(clock.threads.len() as u64));
            row("threads busy", file.cell(Unit::Share, "/clock/busy"));
        }
    }
    if clock.peak_memory.is_some() {
        row("peak memory", file.cell(Unit::Bytes, "/clock/peak_memory_bytes"));
    }
    if !statistics.audits().is_empty() {
        row("audited", statistics.audits().into());
    }
    row("checksum", file.words(Value::Code, "/checksum"));
    let engines = statistics.engines.iter().enumerate().map(|(place, share)| {
        let records = file.cell(Unit::Count, &format!("/engines/{place}/records"));
        [(&*share.engine).into(), (&*share.chosen).into(), records]
    });
    let columns = ["engine", "reason for the choice", "records"];
    let engines = Figure::new("engines", "Engines", columns).with_rows(engines).if_any();
    Section::new("run", "The run", [figure].into_iter().chain(engines))
}

/// Returns a sentence that states the result of a run.
pub(super) fn sentence(statistics: &Statistics) -> String {
    let mut text = number_of(statistics.totals.records_in, "record");
    let clock = &statistics.clock;
    if let Some(rate) = clock.per_second(statistics.totals.records_in) {
        text += &format!(" in {}, {} per second", duration(clock.wall_ns), rounded(rate));
    }
    let statuses = Status::ALL.iter().filter(|status| statistics.status(**status) > 0);
    let mut statuses: Vec<(u64, &str)> =
        statuses.map(|&status| (statistics.status(status), status.word())).collect();
    statuses.sort_by(|a, b| b.cmp(a));
    let parts: Vec<String> = match statuses.as_slice() {
        [(_, only)] => vec![format!("all {only}")],
        list => list.iter().take(4).map(|(number, word)| format!("{} {word}", grouped(*number))).collect(),
    };
    if !parts.is_empty() && statistics.totals.records_in > 0 {
        text += &format!(": {}", parts.join(", "));
    }
    for (scale, counts) in statistics.ratings() {
        let of = |share| counts.quantile(share).map_or_else(String::new, |key| key.to_string());
        text += &match (of(0), of(1000)) {
            (least, most) if least == most => format!("; rated {least} on {scale}"),
            (least, most) => format!("; rated {least} to {most} on {scale}, median {}", of(500)),
        };
    }
    if let Some(share) = statistics.share_without_guess().filter(|_| statistics.ratings().next().is_none()) {
        text += &format!("; {} of the solved records needed no guess", percent(share));
    }
    text + "."
}

/// Returns messages about problems of a run. The worst problem comes first.
pub(super) fn alarms(statistics: &Statistics) -> Vec<String> {
    let mut alarms = Vec::new();
    if !statistics.is_balanced() {
        let seen = statistics.answered() + statistics.rejected();
        alarms.push(format!(
            "{} read, but {} answered or rejected.",
            number_of(statistics.totals.records_in, "record"),
            grouped(seen)
        ));
    }
    for (word, &runs) in &statistics.stops {
        alarms.push(format!("{} stopped before the end of the input ({word}).", number_of(runs, "run")));
    }
    let records = statistics.totals.records_in.max(1) as f64;
    let kinds = [
        (Status::Internal, "failed with an internal error"),
        (Status::Wrong, "had a wrong solution in the input"),
        (Status::Invalid, "could not be read"),
        (Status::Unsupported, "contained something that is not supported"),
    ];
    for (status, what) in kinds {
        let number = statistics.status(status);
        if number > 0 {
            alarms.push(format!(
                "{} ({}) {what}.",
                number_of(number, "record"),
                percent(number as f64 / records)
            ));
        }
    }
    let early =
        EndedBy::ALL.iter().filter(|ended_by| ended_by.is_early() && statistics.ended_by(**ended_by) > 0);
    for &ended_by in early {
        let number = number_of(statistics.ended_by(ended_by), "record");
        alarms.push(format!("{number} without a final answer (ended by {}).", ended_by.word()));
    }
    if let Some(letter) = statistics.likely_blank() {
        alarms.push(format!(
            "Most records have the letter {letter} twice in a house. If it marks empty cells, use --blank {letter}."
        ));
    }
    alarms
}

/// Returns the date and time in UTC, given the seconds since the start of 1970.
///
/// The conversion of days to a date is from Hinnant, "chrono-Compatible Low-Level Date Algorithms".
pub(super) fn date(seconds: u64) -> String {
    let days = (seconds / 86_400).min(10_000_000) + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (date, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = era * 400 + year + u64::from(month <= 2);
    let minutes = seconds / 60 % 1_440;
    format!("{year}-{month:02}-{date:02} {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_795_360_859), "2026-11-22 15:20 UTC");
        assert!(date(u64::MAX).ends_with("UTC"));
    }
}
