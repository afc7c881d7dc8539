//! Quadrille's engines on grids, through the interface that every caller uses.

use quadrille::engine::Isa;
use quadrille::engine::{Control, Flow};
use quadrille::internals::{Client, ENGINES, Engine, EngineInfo, Event, Job, JobBatch, Jobs, Outcome};
use quadrille::{DigitSet, Geometry, Goal, Limits, Packed9x9, ProblemClass, ProblemRef, Puzzle, Solution};

use crate::grids::{Corpus, Found};
use crate::race::{Class, GridSolver};

/// Returns every engine that supports a corpus, for each of its instruction sets that this processor has.
pub fn engines(corpus: &Corpus, limit: usize) -> Vec<Box<dyn GridSolver>> {
    let class = Problems::of(corpus).class();
    let able = ENGINES.iter().filter(|info| (info.supports)(class, Goal::First(limit as u64)));
    able.flat_map(|info| sets(info).into_iter().map(move |isa| solver(info, isa))).collect()
}

/// Returns the instruction sets to race an engine on, or only `None` if there is nothing to choose.
fn sets(info: &EngineInfo) -> Vec<Option<Isa>> {
    let vectors = |isa: &&Isa| isa.is_available() && **isa != Isa::Portable;
    let sets: Vec<_> = info.isas.iter().filter(vectors).copied().map(Some).collect();
    if sets.len() < 2 { vec![None] } else { sets }
}

fn solver(info: &'static EngineInfo, isa: Option<Isa>) -> Box<dyn GridSolver> {
    Box::new(Ours { info, isa, engine: info.make(isa), problems: Problems::Packed(Vec::new()) })
}

struct Ours {
    info: &'static EngineInfo,
    isa: Option<Isa>,
    engine: Box<dyn Engine>,
    problems: Problems,
}

/// A corpus as the program passes it to engines: plain 9x9 grids packed in batches, all others as puzzles.
enum Problems {
    Packed(Vec<Packed9x9>),
    Puzzles(Vec<Puzzle>),
}

impl Problems {
    fn of(corpus: &Corpus) -> Self {
        let side = corpus.shape.side;
        if side == 9 {
            let packed = |grid: &Vec<u8>| {
                Packed9x9::from_cells(&std::array::from_fn(|cell| match grid[cell] {
                    0 => 0x1ff,
                    digit => 1 << (digit - 1),
                }))
            };
            return Problems::Packed(corpus.grids.iter().map(packed).collect());
        }
        let geometry = Geometry::of_side(side).expect("the corpus has a side with boxes");
        let puzzle = |grid: &Vec<u8>| {
            let mut puzzle = Puzzle::new(&geometry);
            for (cell, &digit) in grid.iter().enumerate().filter(|(_, digit)| **digit != 0) {
                puzzle.restrict(cell, DigitSet::only(usize::from(digit) - 1));
            }
            puzzle
        };
        Problems::Puzzles(corpus.grids.iter().map(puzzle).collect())
    }

    fn class(&self) -> ProblemClass {
        match self {
            Problems::Packed(grids) => ProblemRef::Packed(&grids[0]).class(),
            Problems::Puzzles(puzzles) => ProblemRef::Puzzle(&puzzles[0]).class(),
        }
    }
}

struct Run<'a> {
    problems: &'a Problems,
    limit: usize,
    given: usize,
    found: &'a mut Found,
    guesses: Option<u64>,
}

impl Run<'_> {
    fn take(&mut self, ticket: u64, digits: &[u8]) {
        for (out, digit) in self.found.next(ticket as usize).iter_mut().zip(digits) {
            *out = digit + 1;
        }
    }

    fn end(&mut self, ticket: u64, outcome: &Outcome) {
        assert_eq!(outcome.found.to_u64(), Some(u64::from(self.found.counts[ticket as usize])));
        self.guesses =
            self.guesses.zip(outcome.counters).map(|(guesses, counters)| guesses + counters.guesses);
    }
}

impl Client for Run<'_> {
    fn next(&mut self, most: usize) -> Option<Jobs<'_>> {
        let first = self.given;
        let (first_ticket, goal, limits) = (first as u64, Goal::First(self.limit as u64), Limits::default());
        match self.problems {
            Problems::Packed(grids) => {
                let grids = &grids[first..grids.len().min(first + most)];
                self.given += grids.len();
                (!grids.is_empty()).then_some(Jobs::JobBatch(JobBatch {
                    first_ticket,
                    grids,
                    rules: None,
                    goal,
                    limits,
                }))
            }
            Problems::Puzzles(puzzles) => {
                let problem = ProblemRef::Puzzle(puzzles.get(first)?);
                self.given += 1;
                Some(Jobs::One(Job { ticket: first_ticket, problem, goal, limits }))
            }
        }
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution: Solution::Digits(digits) } => self.take(ticket, digits),
            Event::Solution { .. } => unreachable!("grids are given"),
            Event::Solved(all) => {
                for solved in all {
                    // A fixed-length copy, as in the rival.
                    let digits = solved.digits.map(|digit| digit + 1);
                    self.found.next(solved.ticket as usize).copy_from_slice(&digits);
                    if let Some(ended) = solved.ended {
                        self.end(solved.ticket, &ended.into());
                    }
                }
            }
            Event::End { ticket, outcome } => self.end(ticket, &outcome),
        }
        Flow::Continue
    }
}

impl GridSolver for Ours {
    fn name(&self) -> String {
        match self.isa {
            Some(isa) => format!("quadrille {} {isa}", self.info.name),
            None => format!("quadrille {}", self.info.name),
        }
    }

    fn class(&self) -> Class {
        Class::Ours
    }

    fn prepare(&mut self, corpus: &Corpus) {
        self.problems = Problems::of(corpus);
    }

    fn solve(&mut self, limit: usize, found: &mut Found) {
        let mut run = Run { problems: &self.problems, limit, given: 0, found, guesses: Some(0) };
        self.engine.run(&mut run, &Control::new());
        let guesses = run.guesses;
        found.guesses = guesses;
    }
}
