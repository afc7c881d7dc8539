//! Quadrille's engines on grids, through the interface every caller uses.

use quadrille::engine::{Control, Flow};
use quadrille::internals::{Client, ENGINES, Engine, EngineInfo, Event, Job, Jobs};
use quadrille::{DigitSet, Geometry, Goal, Limits, Packed, Problem, Puzzle, Solution};

use crate::grids::{Corpus, Found};
use crate::race::{Class, GridSolver};

/// Every engine that can do a corpus.
pub fn engines(corpus: &Corpus, limit: usize) -> Vec<Box<dyn GridSolver>> {
    let class = problems(corpus)[0].as_ref().class();
    ENGINES
        .iter()
        .filter(|info| (info.supports)(class, Goal::First(limit as u64)))
        .map(|info| {
            Box::new(Ours { info, engine: info.make(None), problems: Vec::new() }) as Box<dyn GridSolver>
        })
        .collect()
}

struct Ours {
    info: &'static EngineInfo,
    engine: Box<dyn Engine>,
    problems: Vec<Problem>,
}

/// The corpus as engines take it: plain 9x9 packed, everything else as a puzzle.
fn problems(corpus: &Corpus) -> Vec<Problem> {
    let side = corpus.shape.side;
    let geometry = Geometry::of_side(side).expect("the corpus has a side with boxes");
    let problem = |grid: &Vec<u8>| {
        if side == 9 {
            return Problem::Packed(Packed::from_cells(&std::array::from_fn(|cell| match grid[cell] {
                0 => 0x1ff,
                digit => 1 << (digit - 1),
            })));
        }
        let mut puzzle = Puzzle::new(&geometry);
        for (cell, &digit) in grid.iter().enumerate().filter(|(_, digit)| **digit != 0) {
            puzzle.restrict(cell, DigitSet::only(usize::from(digit) - 1));
        }
        Problem::Puzzle(puzzle)
    };
    corpus.grids.iter().map(problem).collect()
}

struct Run<'a> {
    problems: &'a [Problem],
    limit: usize,
    given: usize,
    found: &'a mut Found,
    guesses: Option<u64>,
}

impl Client for Run<'_> {
    fn next(&mut self, _most: usize) -> Option<Jobs<'_>> {
        let ticket = self.given as u64;
        let problem = self.problems.get(self.given)?.as_ref();
        self.given += 1;
        let goal = Goal::First(self.limit as u64);
        Some(Jobs::One(Job { ticket, problem, goal, limits: Limits::default() }))
    }

    fn report(&mut self, event: Event<'_>) -> Flow {
        match event {
            Event::Solution { ticket, solution: Solution::Digits(digits) } => {
                for (out, digit) in self.found.next(ticket as usize).iter_mut().zip(digits) {
                    *out = digit + 1;
                }
            }
            Event::Solution { .. } | Event::Solved(_) => unreachable!("grids are given, one by one"),
            Event::End { ticket, outcome } => {
                assert_eq!(outcome.found.to_u64(), Some(u64::from(self.found.counts[ticket as usize])));
                self.guesses =
                    self.guesses.zip(outcome.counters).map(|(guesses, counters)| guesses + counters.guesses);
            }
        }
        Flow::Continue
    }
}

impl GridSolver for Ours {
    fn name(&self) -> String {
        format!("quadrille {}", self.info.name)
    }

    fn class(&self) -> Class {
        Class::Ours
    }

    fn prepare(&mut self, corpus: &Corpus) {
        self.problems = problems(corpus);
    }

    fn solve(&mut self, limit: usize, found: &mut Found) {
        let mut run = Run { problems: &self.problems, limit, given: 0, found, guesses: Some(0) };
        self.engine.run(&mut run, &Control::new());
        let guesses = run.guesses;
        found.guesses = guesses;
    }
}
