//! A message about an input most of which could not be read.

use quadrille_batch::stats::{SourceShare, Statistics};
use quadrille_formats::input::Format;
use quadrille_model::Status;

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
    complaint_of(&Unread { invalid, of_rules: faulty_rules(statistics), all, source }, format, looks)
}

/// The records that could not be read, among others.
pub(super) struct Unread<'a> {
    pub(super) invalid: u64,
    /// Those of them whose rules are at fault.
    pub(super) of_rules: u64,
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
    let &Unread { invalid, of_rules, all, source } = unread;
    let is_most = invalid > 0 && (invalid == all || 2 * invalid > all && format != Some(Format::Contest));
    let what = match source.filter(|_| !is_most) {
        Some(name) => format!("no record of {name} could be read"),
        None if !is_most => return None,
        None if invalid == all => format!("none of {all} records could be read"),
        None => format!("{invalid} of {all} records could not be read"),
    };
    // The reasons say all.
    if format.is_some_and(is_one_problem) {
        return Some(what);
    }
    let format = format.filter(|_| is_most);
    let taken =
        format.map_or_else(String::new, |format| format!("; the input was taken for {}", format.name()));
    let looks = match looks.filter(|_| format.is_some()) {
        // It was taken for the right thing.
        _ if 2 * of_rules > invalid => "; the fault is in the rules".to_owned(),
        Some(looks) => format!(", and looks like {looks}"),
        None => "; --format says what it is".to_owned(),
    };
    Some(what + &taken + &looks)
}

/// The records that could not be read for their rules alone.
fn faulty_rules(statistics: &Statistics) -> u64 {
    let reasons = statistics.reasons().iter();
    let of_rules = reasons.filter(|of| of.status == Status::Invalid && of.kind.starts_with(OF_RULES));
    of_rules.map(|of| of.records).sum()
}

/// True if a source of the format is an exact cover problem, or parts of one.
pub(super) fn is_one_problem(format: Format) -> bool {
    format.is_cover() || format == Format::Cubes
}
