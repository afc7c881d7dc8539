//! A million puzzles in memory, on all threads, with progress and a way to stop.

use quadrille::FromText;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quadrille::engine::Control;
use quadrille::{BulkQuery, Packed9x9, Result, Status};

fn main() -> Result<()> {
    let text = include_str!("../data/random-1000.txt");
    let thousand = text.lines().map(Packed9x9::from_text).collect::<Result<Vec<_>>>()?;
    let puzzles = thousand.repeat(1000);
    let control = Arc::new(Control::new()); // `cancel`, from any thread, stops the call
    let done = AtomicU64::new(0);
    let answers = BulkQuery::unique()
        .control(&control)
        .progress(&|answered| {
            done.fetch_max(answered, Ordering::Relaxed);
        })
        .answer(&puzzles)?;
    let unique = answers.statuses.iter().filter(|&&status| status == Status::Unique).count();
    let guesses: u64 = answers.guesses.iter().sum();
    println!("{done:?} answered, {unique} with one solution, {guesses} guesses");
    println!("the last one: {:?}", answers.solution(999_999));
    assert_eq!((done.into_inner(), unique), (1_000_000, 1_000_000));
    assert_eq!(answers.digits.len(), 81 * 1_000_000);
    Ok(())
}
