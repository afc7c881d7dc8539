//! Problems on sequences and sets: Langford pairs, perfect matchings, assignments, set partitions.

use super::{code, primaries, with_options};
use quadrille_model::{CoverBuilder, CoverProblem, Result};

/// Creates the problem of Langford pairs.
///
/// The items are the numbers and the positions in the sequence. An option is a number with its two positions.
pub(super) fn langford(largest: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let numbers = primaries(&mut builder, (1..=largest).map(|number| number.to_string()))?;
    let places = named(&mut builder, 's', 2 * largest)?;
    let options = (1..).zip(&numbers).flat_map(|(number, &item)| {
        let pairs = places.iter().zip(places.iter().skip(number + 1));
        pairs.map(move |(&first, &second)| [item, first, second])
    });
    with_options(builder, options)
}

/// Creates the problem of perfect matchings. The items are points, and an option is a pair of points.
pub(super) fn matchings(points: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let points = named(&mut builder, 'v', points)?;
    let pairs = (1..).zip(&points);
    with_options(
        builder,
        pairs.flat_map(|(next, &first)| points[next..].iter().map(move |&second| [first, second])),
    )
}

/// Creates the assignment problem. The items are workers and jobs, and an option is a worker with a job.
pub(super) fn assignment(size: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let workers = named(&mut builder, 'r', size)?;
    let jobs = named(&mut builder, 'c', size)?;
    with_options(builder, workers.iter().flat_map(|&worker| jobs.iter().map(move |&job| [worker, job])))
}

/// Creates the problem of set partitions. The items are elements, and an option is a non-empty set of
/// elements.
pub(super) fn partitions(elements: usize) -> Result<CoverProblem> {
    let mut builder = CoverBuilder::new();
    let elements = named(&mut builder, 'v', elements)?;
    let members = |set: u32| elements.iter().copied().filter(move |&element| set >> element & 1 != 0);
    with_options(builder, (1..1 << elements.len()).map(|set| members(set).collect::<Vec<_>>()))
}

/// Adds `number` primary items. Each name is `letter`, followed by a number from 0.
fn named(builder: &mut CoverBuilder, letter: char, number: usize) -> Result<Vec<u32>> {
    primaries(builder, (0..number).map(|place| format!("{letter}{}", code(&[place], number))))
}
