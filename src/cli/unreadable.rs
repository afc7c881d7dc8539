//! A message about an input most of which could not be read.

use quadrille_batch::stats::{SourceShare, Statistics, number_of};
use quadrille_formats::input::{Format, ROUNDED};
use quadrille_model::{Status, shown};

/// Returns a message where no record of a run or of one of its sources could be read, or more than half could not.
///
/// Grids that a contest file announces and does not have are no such records as long as there are others.
pub(super) fn complaint(
    statistics: &Statistics,
    format: Option<Format>,
    looks: Option<&'static str>,
) -> Option<String> {
    let (invalid, all) = (statistics.status(Status::Invalid), statistics.answered() + statistics.rejected());
    let share = |share: &SourceShare| {
        share.records() > 0 && share.statuses().all(|(status, _)| status == Status::Invalid)
    };
    let source = statistics.sources().find(|(_, of)| share(of)).map(|(name, _)| name);
    let of_rules = records_of(statistics, OF_RULES);
    let rounded = Some(records_of(statistics, ROUNDED)).filter(|records| 2 * records > invalid);
    let rounded = rounded.and_then(|_| first_rounded(statistics));
    complaint_of(&Unread { invalid, of_rules, rounded, all, source }, format, looks)
}

/// Returns a hint about records that a spreadsheet rounded, which other records came with.
pub(super) fn hint(statistics: &Statistics) -> Option<String> {
    let first = first_rounded(statistics)?;
    // Solutions too, whose records are wrong.
    let records = statistics.reasons().iter().filter(|of| of.kind.starts_with(ROUNDED)).map(|of| of.records);
    let records = number_of(records.sum(), "record");
    Some(format!(
        "numbers rounded by a spreadsheet in {records}, the first in {first}; keep such columns as text"
    ))
}

/// Returns the place of the first record that a spreadsheet rounded.
fn first_rounded(statistics: &Statistics) -> Option<String> {
    let reasons = statistics.reasons().iter().filter(|of| of.kind.starts_with(ROUNDED));
    let first = reasons.filter_map(|of| of.first.first()).min()?;
    Some(format!("{}:{}", shown::text(&first.source), first.line))
}

/// The records that could not be read, among others.
pub(super) struct Unread<'a> {
    pub(super) invalid: u64,
    /// Those of them whose rules are at fault.
    pub(super) of_rules: u64,
    /// The place of the first that a spreadsheet rounded, if most of them are such.
    pub(super) rounded: Option<String>,
    /// All records.
    pub(super) all: u64,
    /// A source none of whose records could be read.
    pub(super) source: Option<&'a str>,
}

/// The reasons of records whose rules are at fault begin like this.
pub(super) const OF_RULES: &str = "rules: ";

/// As [`complaint`], of records that were counted otherwise.
pub(super) fn complaint_of(
    unread: &Unread<'_>,
    format: Option<Format>,
    looks: Option<&'static str>,
) -> Option<String> {
    let &Unread { invalid, of_rules, ref rounded, all, source } = unread;
    let is_most = invalid > 0 && (invalid == all || 2 * invalid > all && format != Some(Format::Contest));
    let what = match source.filter(|_| !is_most) {
        Some(name) => format!("no record of {name} could be read"),
        None if !is_most => return None,
        None if invalid == all => format!("none of {all} records could be read"),
        None => format!("{invalid} of {all} records could not be read"),
    };
    if let Some(first) = rounded.as_ref().filter(|_| is_most) {
        let what = format!("{what}: numbers rounded by a spreadsheet, the first in {first}");
        return Some(what + "; keep such columns as text");
    }
    // The reasons say all.
    if format.is_some_and(is_one_problem) {
        return Some(what);
    }
    let format = format.filter(|_| is_most);
    let taken =
        format.map_or_else(String::new, |format| format!("; the input was taken for {}", format.name()));
    // What it looks like is news if it was taken for something else.
    let is_news = |looks: &&str| format != Some(Format::Jsonl) || !looks.starts_with("JSON:");
    let looks = match looks.filter(|_| format.is_some()).filter(is_news) {
        // It was taken for the right thing.
        _ if 2 * of_rules > invalid => "; the fault is in the rules".to_owned(),
        Some(looks) => format!(", and looks like {looks}"),
        None => "; --format says what it is".to_owned(),
    };
    Some(what + &taken + &looks)
}

/// Returns the number of unreadable records whose reasons begin with some words.
fn records_of(statistics: &Statistics, words: &str) -> u64 {
    let reasons = statistics.reasons().iter();
    let of_words = reasons.filter(|of| of.status == Status::Invalid && of.kind.starts_with(words));
    of_words.map(|of| of.records).sum()
}

/// True if a source of the format is an exact cover problem, or parts of one.
pub(super) fn is_one_problem(format: Format) -> bool {
    format.is_cover() || format == Format::Cubes
}
