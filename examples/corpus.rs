//! A corpus from a file to a writer: in bounded memory, on all cores, in input order.

use std::sync::Arc;

use quadrille::Result;
use quadrille::batch::{self, BatchOptions, Outputs, Progress, Query};
use quadrille::engine::Control;
use quadrille::input::Source;

fn main() -> Result<()> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/random-1000.txt");
    let mut rows = Vec::new();
    let outputs = Outputs::new(Box::new(&mut rows));
    let options = BatchOptions::new(Query::Unique);
    let control = Arc::new(Control::new()); // `cancel` stops the run
    let report =
        batch::run(vec![Source::from_argument(file)], &options, outputs, &control, &Progress::default())?;
    if let Some(error) = report.error {
        return Err(error);
    }
    println!("{} puzzles, {} bytes of answers", report.statistics.answered(), rows.len());
    assert_eq!((report.statistics.answered(), rows.len()), (1000, 82_000));
    Ok(())
}
