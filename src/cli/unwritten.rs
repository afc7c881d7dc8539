//! Messages about records that a conversion did not write, and about what it left out of others.

use super::messages::say;
use quadrille_batch::stats::{Statistics, number_of};
use quadrille_batch::{Ask, BatchOptions, OnError};
use quadrille_model::Status;

/// Reasons that are told, of records that were not written.
const TOLD: usize = 10;

/// Records that were not written.
fn unwritten(statistics: &Statistics) -> u64 {
    statistics.status(Status::Invalid) + statistics.status(Status::Unsupported)
}

/// True if records that were not written make the run fail at its end.
pub(super) fn fails(options: &BatchOptions, statistics: &Statistics) -> bool {
    let is_told = options.on_error == OnError::Row && options.max_rejects.is_none();
    matches!(options.ask, Ask::Convert(_)) && is_told && unwritten(statistics) > 0
}

/// Says which records were not written, and what was left out of those that were.
pub(super) fn tell(statistics: &Statistics) {
    let missing = unwritten(statistics);
    if missing > 0 {
        let were = if missing == 1 { "was" } else { "were" };
        say!("quadrille: {} {were} not written:", number_of(missing, "record"));
        let reasons = statistics.reasons();
        for share in reasons.iter().take(TOLD) {
            let first = share.first.iter().map(|first| format!("{}:{}", first.source, first.line));
            let first = first.collect::<Vec<_>>().join(", ");
            let more = if share.records > share.first.len() as u64 { ", ..." } else { "" };
            let (status, records) = (share.status.word(), number_of(share.records, "record"));
            say!("  {status}: {} ({records}: {first}{more})", share.kind);
        }
        let shown: u64 = reasons.iter().take(TOLD).map(|share| share.records).sum();
        if shown < missing {
            say!(
                "  and {} for other reasons (--rejects FILE has them)",
                number_of(missing - shown, "record")
            );
        }
    }
    let lost: Vec<String> = statistics
        .losses()
        .iter()
        .map(|(word, &records)| format!("{word} of {}", number_of(records, "record")))
        .collect();
    if !lost.is_empty() {
        say!("quadrille: left out, for want of a place: {}", lost.join(", "));
    }
}
