use super::*;
use crate::model::{DigitSet, Geometry, Packed, Puzzle};

fn count(problem: ProblemRef<'_>) -> String {
    let outcome = Bands::new().tally(problem, Limits::default(), &Control::new(), None).unwrap();
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    outcome.found.to_string()
}

fn empty(rows: usize, columns: usize) -> Puzzle {
    Puzzle::new(&Geometry::new(rows, columns).unwrap())
}

#[test]
fn all_grids_of_two_bands() {
    for (rows, columns, grids) in [(2, 2, "288"), (2, 3, "28200960"), (3, 2, "28200960"), (2, 4, "29136487207403520")] {
        assert_eq!(count(ProblemRef::Puzzle(&empty(rows, columns))), grids, "{rows}x{columns}");
    }
}

#[test]
fn all_grids_of_9x9() {
    assert_eq!(count(ProblemRef::Packed(&Packed::FULL)), "6670903752021072936960");
}
