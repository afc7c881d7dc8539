//! Small problems with known counts, and every way to run out of something.

use std::sync::Arc;

use super::*;
use crate::engine::{Naive, Task, TreeSearch, Visitor};
use crate::model::{Cover, CoverBuilder};

fn cover(primary: &[String], secondary: &[String], options: &[Vec<String>]) -> Arc<Cover> {
    let mut builder = CoverBuilder::new();
    primary.iter().for_each(|name| builder.primary(name).map(drop).unwrap());
    secondary.iter().for_each(|name| builder.secondary(name).map(drop).unwrap());
    for option in options {
        builder.option(&option.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    }
    Arc::new(builder.build().unwrap())
}

/// Boards side by side, to be filled with dominoes.
fn dominoes(rows: usize, columns: usize, boards: usize) -> Arc<Cover> {
    let cells = || {
        let places = (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
        (0..boards).flat_map(move |board| places.clone().map(move |(row, column)| (board, row, column)))
    };
    let name = |(board, row, column): (usize, usize, usize)| format!("{board}.{row}.{column}");
    let options: Vec<Vec<String>> = cells()
        .flat_map(|(b, row, column)| {
            [(b, row, column + 1), (b, row + 1, column)].map(|next| ((b, row, column), next))
        })
        .filter(|(_, (_, row, column))| *row < rows && *column < columns)
        .map(|(one, two)| vec![name(one), name(two)])
        .collect();
    cover(&cells().map(name).collect::<Vec<_>>(), &[], &options)
}

fn count_within(cover: &Arc<Cover>, memory: usize) -> Outcome {
    let problem = ProblemRef::Cover(cover);
    Memo::within(memory).tally(problem, Limits::default(), &Control::new(), None).expect("no allowance")
}

fn counted(cover: &Arc<Cover>) -> String {
    let outcome = count_within(cover, MEMORY);
    assert_eq!(outcome.ended_by, EndedBy::Complete);
    outcome.found.to_string()
}

#[test]
fn dominoes_on_boards_of_any_size() {
    assert_eq!(counted(&dominoes(8, 8, 1)), "12988816");
    assert_eq!(counted(&dominoes(12, 12, 1)), "53060477521960000");
    assert_eq!(counted(&dominoes(5, 7, 1)), "0");
    assert_eq!(counted(&dominoes(6, 6, 2)), "45265984");
    assert_eq!(counted(&dominoes(6, 6, 4)), "2049009307488256");
}

struct Silent;

impl Visitor for Silent {
    fn solution(&mut self, _: crate::model::Solution<'_>) -> crate::engine::Flow {
        crate::engine::Flow::Continue
    }
}

/// A small random problem with secondary items and colours.
fn random(seed: u64) -> Arc<Cover> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % below
    };
    let (primary, secondary) = (1 + draw(9), draw(5));
    let names: Vec<String> = (0..primary + secondary).map(|item| format!("i{item}")).collect();
    let options: Vec<Vec<String>> = (0..draw(40))
        .map(|_| {
            let mut items: Vec<usize> = (0..1 + draw(3)).map(|_| draw(primary + secondary)).collect();
            items.push(draw(primary));
            items.sort_unstable();
            items.dedup();
            let with_colour = |item: usize| match (item >= primary, draw(4)) {
                (true, colour @ 1..) => format!("{}:c{colour}", names[item]),
                _ => names[item].clone(),
            };
            items.into_iter().map(with_colour).collect()
        })
        .collect();
    cover(&names[..primary], &names[primary..], &options)
}

#[test]
fn random_problems_as_the_reference_counts_them() {
    for seed in 1..3000 {
        let cover = random(seed);
        let problem = ProblemRef::Cover(&cover);
        let task = Task::whole(problem, Goal::Count { limit: None }, Limits::default());
        let reference = Naive::new().search(&task, &mut Silent, &Control::new());
        assert_eq!(counted(&cover), reference.found.to_string(), "seed {seed}");
    }
}
