//! Micro-benchmarks of the canonical forms, on minimal puzzles of data/.
//!
//!     cargo bench --bench canonical
//!
//! Every form is checked before it is timed: its transform leads to it, and a transformed puzzle has the same
//! form.

use quadrille::FromText;
use quadrille::GridQuestions;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use quadrille::canonical::{Canonizer, Cells, Form, Transform};
use quadrille::{Packed9x9, ProblemRef};

const PUZZLES: usize = 2000;

/// Returns puzzles with their solutions.
fn puzzles() -> Vec<(Cells, Cells)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/minimal-5000.txt");
    let text = std::fs::read_to_string(path).expect("data/minimal-5000.txt belongs to the package");
    let lines = text.lines().filter(|line| line.len() >= 81 && !line.starts_with('#'));
    lines
        .take(PUZZLES)
        .map(|line| {
            let puzzle: Packed9x9 = Packed9x9::from_text(&line[..81]).expect("a 9x9");
            let solution = puzzle.solve().expect("it has a solution");
            let clues = Cells::of_clues(ProblemRef::Packed(&puzzle)).expect("a 9x9");
            (clues, Cells::of_solution(solution.digits()).expect("a 9x9"))
        })
        .collect()
}

fn canonical(criterion: &mut Criterion) {
    let puzzles = puzzles();
    let mut canonizer = Canonizer::new();
    let map: Transform = "t:456123987:312879456:987654321".parse().expect("a map");
    let mut group = criterion.benchmark_group("canonical 9x9");
    group.throughput(Throughput::Elements(puzzles.len() as u64));
    for &form in Form::ALL {
        for (clues, solution) in &puzzles {
            let found = canonizer.canonical(form, clues, Some(solution)).expect("it has a form");
            let source = if form == Form::Solution { solution } else { clues };
            assert_eq!(found.transform.apply(source), Some(found.cells));
            let images = [clues, solution].map(|grid| map.apply(grid).expect("a 9x9"));
            let again = canonizer.canonical(form, &images[0], Some(&images[1])).expect("it has a form");
            assert_eq!((found.cells, found.automorphisms), (again.cells, again.automorphisms));
        }
        group.bench_function(form.name(), |bencher| {
            bencher.iter(|| {
                for (clues, solution) in &puzzles {
                    black_box(canonizer.canonical(form, black_box(clues), Some(solution)).is_ok());
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, canonical);
criterion_main!(benches);
