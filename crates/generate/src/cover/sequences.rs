//! Problems on sequences and sets: Langford pairs, perfect matchings, assignments, set partitions.

use super::{add, code, primaries};
use quadrille_model::{CoverBuilder, CoverProblem, Result};

/// Creates the problem of Langford pairs.
///
/// The items are the numbers and the positions in the sequence. An option is a number with its two positions.
pub(super) fn langford(largest: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let numbers = primaries(&mut builder, (1..=largest).map(|number| number.to_string()))?;
    let places = named(&mut builder, 's', 2 * largest)?;
    for (number, &item) in (1..).zip(&numbers) {
        for (first, second) in places.iter().zip(places.iter().skip(number + 1)) {
            add(&mut builder, &[item, *first, *second])?;
        }
    }
    builder.build()
}

/// Creates the problem of perfect matchings. The items are points, and an option is a pair of points.
pub(super) fn matchings(points: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let points = named(&mut builder, 'v', points)?;
    for (number, &first) in points.iter().enumerate() {
        for &second in &points[number + 1..] {
            add(&mut builder, &[first, second])?;
        }
    }
    builder.build()
}

/// Creates the assignment problem. The items are workers and jobs, and an option is a worker with a job.
pub(super) fn assignment(size: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let workers = named(&mut builder, 'r', size)?;
    let jobs = named(&mut builder, 'c', size)?;
    for &worker in &workers {
        for &job in &jobs {
            add(&mut builder, &[worker, job])?;
        }
    }
    builder.build()
}

/// Creates the problem of set partitions. The items are elements, and an option is a non-empty set of
/// elements.
pub(super) fn partitions(elements: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let elements = named(&mut builder, 'v', elements)?;
    for set in 1..1u32 << elements.len() {
        let members: Vec<u32> = elements.iter().copied().filter(|&element| set >> element & 1 != 0).collect();
        add(&mut builder, &members)?;
    }
    builder.build()
}

/// Adds `number` primary items. Each name is `letter`, followed by a number from 0.
fn named(builder: &mut CoverBuilder, letter: char, number: usize) -> Result<Vec<u32>> {
    primaries(builder, (0..number).map(|place| format!("{letter}{}", code(&[place], number))))
}
