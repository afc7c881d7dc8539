//! Micro-benchmarks of every engine on plain 9x9 puzzles: uniqueness of minimal puzzles of data/.
//!
//!     cargo bench --bench engines
//!
//! Every engine's answers are checked before it is timed.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quadrille::engine::{Control, EngineKind, Flow};
use quadrille::internals::{Client, ENGINES, EngineInfo, Event, Job, Jobs};
use quadrille::{EndedBy, Goal, Limits, Packed9x9, ProblemRef, verify};

const GOAL: Goal = Goal::First(2);
const PUZZLES: usize = 400;
/// The reference engine is too slow for more.
const PUZZLES_FOR_NAIVE: usize = 10;

fn puzzles() -> Vec<Packed9x9> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/random-1000.txt");
    let text = std::fs::read_to_string(path).expect("data/random-1000.txt belongs to the package");
    text.lines()
        .take(PUZZLES)
        .map(|line| {
            let mut cells = [0x1ff; 81];
            for (cell, byte) in cells.iter_mut().zip(line.bytes()).filter(|(_, byte)| *byte != b'.') {
                *cell = 1 << (byte - b'1');
            }
            Packed9x9::from_cells(&cells)
        })
        .collect()
}

/// Supplies one puzzle after the other; checks the answers if `check` is set.
struct Check<'a> {
    puzzles: &'a [Packed9x9],
    given: usize,
    finished: usize,
    check: bool,
}

impl Client for Check<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let puzzle = self.puzzles.get(self.given)?;
        self.given += 1;
        let ticket = self.given as u64 - 1;
        let problem = ProblemRef::Packed(puzzle);
        Some(Jobs::One(Job { ticket, problem, goal: GOAL, limits: Limits::default() }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution } => {
                if self.check {
                    let puzzle = &self.puzzles[ticket as usize];
                    assert_eq!(verify(ProblemRef::Packed(puzzle), solution), Ok(()), "puzzle {ticket}");
                }
                black_box(solution);
            }
            Event::Solved(_) => unreachable!("no series is given"),
            Event::End { ticket, outcome } => {
                if self.check {
                    let verdict = (outcome.found.to_u64(), outcome.ended_by);
                    assert_eq!(verdict, (Some(1), EndedBy::Complete), "puzzle {ticket} has one solution");
                }
                self.finished += 1;
            }
        }
        Flow::Continue
    }
}

/// Returns the number of puzzles for an engine.
fn share(info: &EngineInfo) -> usize {
    if info.kind == EngineKind::Naive { PUZZLES_FOR_NAIVE } else { PUZZLES }
}

fn engines(criterion: &mut Criterion) {
    let puzzles = puzzles();
    let control = Control::new();
    let class = ProblemRef::Packed(&puzzles[0]).class();
    let mut group = criterion.benchmark_group("unique 9x9");
    for info in ENGINES.iter().filter(|info| (info.supports)(class, GOAL)) {
        let puzzles = &puzzles[..share(info)];
        let mut engine = info.make(None);
        let mut run = |check| {
            let mut client = Check { puzzles, given: 0, finished: 0, check };
            engine.run(&mut client, &control);
            assert_eq!(client.finished, puzzles.len());
        };
        run(true);
        group.throughput(Throughput::Elements(puzzles.len() as u64));
        group.bench_function(info.name, |bencher| bencher.iter(|| run(false)));
    }
    group.finish();
}

criterion_group!(benches, engines);
criterion_main!(benches);
