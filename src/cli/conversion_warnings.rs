//! Messages about records that a conversion did not write, and about values that the output cannot hold.

use super::messages::say;
use quadrille_batch::stats::{Statistics, UnplacedColumn, number_of};
use quadrille_batch::{BatchOptions, OnError};
use quadrille_formats::input::Format;
use quadrille_formats::output::{OutputFormat, OutputOptions};
use quadrille_model::{Loss, Status, shown};

/// Maximum number of reasons that are printed for records that were not written.
const MAX_LISTED: usize = 10;

/// Returns the number of records that were not written.
fn unwritten(statistics: &Statistics) -> u64 {
    statistics.status(Status::Invalid) + statistics.status(Status::Unsupported)
}

/// Returns true if the run fails at its end because of records that were not written.
pub(super) fn fails(options: &BatchOptions, statistics: &Statistics) -> bool {
    let is_told = options.on_error == OnError::Row && options.max_rejects.is_none();
    options.ask.conversion().is_some() && is_told && unwritten(statistics) > 0
}

/// Prints which records were not written, and why.
pub(super) fn tell(statistics: &Statistics) {
    let missing = unwritten(statistics);
    if missing == 0 {
        return;
    }
    let were = if missing == 1 { "was" } else { "were" };
    say!("quadrille: {} {were} not written:", number_of(missing, "record"));
    let reasons = statistics.reasons();
    for share in reasons.iter().take(MAX_LISTED) {
        let first = share.first.iter().map(|first| format!("{}:{}", first.source, first.line));
        let first = first.collect::<Vec<_>>().join(", ");
        let more = if share.records > share.first.len() as u64 { ", ..." } else { "" };
        let (status, records) = (share.status.word(), number_of(share.records, "record"));
        say!("  {status}: {} ({records}: {first}{more})", share.kind);
    }
    let shown: u64 = reasons.iter().take(MAX_LISTED).map(|share| share.records).sum();
    if shown < missing {
        say!("  and {} for other reasons (--rejects FILE has them)", number_of(missing - shown, "record"));
    }
}

/// Maximum number of sources for which the message names the dropped columns.
const SOURCES: usize = 10;

/// Prints which values of the input are missing in the output because the output format cannot hold them.
pub(super) fn tell_dropped(statistics: &Statistics, options: &BatchOptions, first_format: Option<Format>) {
    let losses = &statistics.losses;
    if losses.is_empty() {
        return;
    }
    let of_records = |(word, &records): (&&str, &u64)| format!("{word} of {}", number_of(records, "record"));
    let all = losses.iter().map(of_records).collect::<Vec<_>>().join(", ");
    say!("quadrille: warning: dropped data that the output cannot hold: {all}");
    let (columns, others) = statistics.unplaced();
    let by_source: Vec<_> = columns.chunk_by(|one, next| one.source == next.source).collect();
    for of_source in by_source.iter().take(SOURCES) {
        let column = |of: &UnplacedColumn| {
            format!("{} ({})", shown::text(&of.column), number_of(of.records, "record"))
        };
        let names = of_source.iter().map(column).collect::<Vec<_>>().join(", ");
        let source = shown::text(&of_source[0].source);
        say!("  {source}: {names}");
    }
    if by_source.len() > SOURCES {
        say!("  and {}", number_of((by_source.len() - SOURCES) as u64, "other source"));
    }
    if others > 0 {
        say!("  and {} in other columns", number_of(others, "value"));
    }
    hints(statistics, options, first_format.is_some_and(Format::has_columns))
        .iter()
        .for_each(|hint| say!("  ({hint})"));
}

/// Returns hints on how to keep the dropped values.
fn hints(statistics: &Statistics, options: &BatchOptions, has_columns: bool) -> Vec<&'static str> {
    let has = |loss: Loss| statistics.losses.contains_key(loss.word());
    let OutputOptions { format, echo_id, .. } = options.output;
    let is_line = format == OutputFormat::Text;
    let is_converted = options.ask.conversion().is_some();
    let in_columns = [Loss::Columns, Loss::Solutions, Loss::Ids].into_iter().any(has);
    let all = [
        (
            has_columns && in_columns && format != OutputFormat::Jsonl && !(is_line && is_converted),
            "--to jsonl keeps the columns of all sources",
        ),
        (
            !has_columns && has(Loss::Columns) && !(is_line && is_converted),
            "columns of later sources are kept if the first source has columns",
        ),
        (!has_columns && has(Loss::Ids) && !is_line && !echo_id && !is_converted, "--echo-id keeps ids"),
    ];
    all.into_iter().filter(|(is_true, _)| *is_true).map(|(_, hint)| hint).collect()
}
