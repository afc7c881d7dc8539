//! The message about an input that is mostly unreadable.

use quadrille_batch::stats::{SourceCounts, Statistics, grouped, number_of};
use quadrille_formats::input::{Format, ROUNDED};
use quadrille_model::{Status, shown};

/// Returns a warning about unreadable records, or `None`. There is a warning if no record of the run could be
/// read, if no record of one source could be read, or if more than half of all records could not be read.
///
/// A contest file may announce more grids than it has. These missing grids are left out of the comparison
/// with half of all records.
pub(super) fn warning(
    statistics: &Statistics,
    format: Option<Format>,
    looks: Option<&str>,
) -> Option<String> {
    let (invalid, all) = (statistics.status(Status::Invalid), statistics.answered() + statistics.rejected());
    if let Some(format) = format.filter(|_| all == 0 && statistics.totals.lines.text() > 0) {
        let lines = number_of(statistics.totals.lines.text(), "line");
        let name = format.name();
        return Some(format!("no record, but {lines} of other text; the input was taken for {name}"));
    }
    let is_unread = |of: &SourceCounts<'_>| {
        of.records() > 0 && of.statuses().all(|(status, _)| status == Status::Invalid)
    };
    let source = statistics.sources().find(|(_, of)| is_unread(of)).map(|(name, _)| name);
    let announced = records_of(statistics, ANNOUNCED);
    let is_most = invalid > 0 && (invalid == all || 2 * (invalid - announced) > all - announced);
    let what = match source.filter(|_| !is_most) {
        Some(name) => format!("no record of {name} could be read"),
        None if !is_most => return None,
        None if all == 1 => "the record could not be read".to_owned(),
        None if invalid == all => format!("none of {} could be read", number_of(all, "record")),
        None => format!("{} of {} could not be read", grouped(invalid), number_of(all, "record")),
    };
    if is_most
        && 2 * records_of(statistics, ROUNDED) > invalid
        && let Some(first) = first_rounded(statistics)
    {
        let what = format!("{what}: numbers rounded by a spreadsheet, the first in {first}");
        return Some(what + "; keep such columns as text");
    }
    // In these formats, the reason is printed with each invalid record, so there is nothing to add.
    if format.is_some_and(Format::is_one_problem) {
        return Some(what);
    }
    let format = format.filter(|_| is_most);
    let taken =
        format.map_or_else(String::new, |format| format!("; the input was read as {}", format.name()));
    // The hint about the likely format is only useful if the input was read in another format.
    let is_news = |looks: &&str| format != Some(Format::Jsonl) || !looks.starts_with("JSON:");
    let looks = match looks.filter(|_| format.is_some()).filter(is_news) {
        // The format is right, and only the rules are invalid.
        _ if 2 * records_of(statistics, OF_RULES) > invalid => "; the rules are invalid".to_owned(),
        Some(looks) => format!(" but looks like {looks}"),
        None => ", and no format reads it".to_owned(),
    };
    Some(what + &taken + &looks)
}

/// Returns a hint if a spreadsheet rounded numbers in some records. The hint is for inputs in which other
/// records could be read.
pub(super) fn hint(statistics: &Statistics) -> Option<String> {
    let first = first_rounded(statistics)?;
    // A spreadsheet may also round a given solution. The record then has the status `wrong` instead of
    // `invalid`. So records with any status are added up.
    let records = statistics.reasons().iter().filter(|of| of.kind.starts_with(ROUNDED)).map(|of| of.records);
    let records = number_of(records.sum(), "record");
    Some(format!(
        "numbers rounded by a spreadsheet in {records}, the first in {first}; keep such columns as text"
    ))
}

/// Returns the source and line of the first record with numbers that a spreadsheet rounded.
fn first_rounded(statistics: &Statistics) -> Option<String> {
    let reasons = statistics.reasons().iter().filter(|of| of.kind.starts_with(ROUNDED));
    let first = reasons.filter_map(|of| of.first.first()).min()?;
    Some(format!("{}:{}", shown::text(&first.source), first.line))
}

/// First words of the reason that is reported for a missing grid. A contest file announced this grid but does
/// not contain it.
const ANNOUNCED: &str = "T is ";

/// First word of the reason that is reported for a record with invalid rules.
const OF_RULES: &str = "rules: ";

/// Returns the number of unreadable records whose reasons begin with `words`.
fn records_of(statistics: &Statistics, words: &str) -> u64 {
    let reasons = statistics.reasons().iter();
    let of_words = reasons.filter(|of| of.status == Status::Invalid && of.kind.starts_with(words));
    of_words.map(|of| of.records).sum()
}
