//! Exact cover problems in Knuth's format, counted to the end by every solver that can.
//!
//! Read here and not by quadrille, so that a mistake of its reader shows as a disagreement. Only plain problems:
//! colours, multiplicities and costs are refused.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use dlx::choose::{mrv_chooser, no_tiebreak, prefer_any};
use dlx::{OptOrder, Uint, x};
use flate2::read::MultiGzDecoder;
use quadrille::engine::{Client, Control, ENGINES, EngineInfo, Flow, Job};
use quadrille::{CoverBuilder, Goal, Limits, Outcome, Problem, Solution};

use crate::race::{Class, Line};

const GOAL: Goal = Goal::Count { limit: None };

/// Items by number, primary ones first, and options as lists of them.
pub struct Cover {
    names: Vec<String>,
    primary: usize,
    options: Vec<Vec<usize>>,
}

impl Cover {
    /// Reads a problem, gzip or not.
    pub fn read(path: &Path) -> Result<Self, String> {
        let fail = |what: String| format!("{}: {what}", path.display());
        let bytes = std::fs::read(path).map_err(|error| fail(error.to_string()))?;
        let mut text = String::new();
        if bytes.starts_with(&[0x1f, 0x8b]) {
            MultiGzDecoder::new(&*bytes).read_to_string(&mut text)
        } else {
            (&*bytes).read_to_string(&mut text)
        }
        .map_err(|error| fail(error.to_string()))?;
        Self::parse(&text).map_err(fail)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().filter(|line| !line.starts_with('|') && !line.trim().is_empty());
        let head: Vec<&str> = lines.next().ok_or("no items")?.split_whitespace().collect();
        let primary = head.iter().position(|word| *word == "|").unwrap_or(head.len());
        let names: Vec<String> =
            head.iter().filter(|word| **word != "|").map(|word| word.to_string()).collect();
        if let Some(name) = names.iter().find(|name| name.contains(['|', ':'])) {
            return Err(format!("item {name}: multiplicities are not raced"));
        }
        let numbers: HashMap<&str, usize> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let number = |word: &str| {
            numbers.get(word).copied().ok_or_else(|| format!("{word}: colours and costs are not raced"))
        };
        let options = lines
            .map(|line| line.split_whitespace().map(number).collect())
            .collect::<Result<Vec<Vec<usize>>, _>>()?;
        // An option without a primary item would be taken or not at will: Knuth's programs leave it out.
        let options =
            options.into_iter().filter(|option| option.iter().any(|item| *item < primary)).collect();
        Ok(Cover { names, primary, options })
    }
}

/// Counts all solutions, the building of the solver's own problem included.
type Count = Box<dyn FnMut() -> u64>;

fn dlx_counter(cover: &Cover) -> Count {
    let (primary, secondary) = (cover.primary as Uint, (cover.names.len() - cover.primary) as Uint);
    let options: Vec<Vec<Uint>> =
        cover.options.iter().map(|option| option.iter().map(|&item| item as Uint).collect()).collect();
    Box::new(move || {
        let mut problem = x::make_problem(primary, secondary, &options, OptOrder::Seq);
        let mut solver = dlx::Solver::new(&mut problem);
        let mut chooser = mrv_chooser(prefer_any(), no_tiebreak());
        let mut count = 0;
        while solver.next_solution(&mut chooser) {
            count += 1;
        }
        count
    })
}

struct Listed {
    primary: usize,
    items: Vec<usize>,
    options: Vec<Vec<usize>>,
}

impl dancing_links::ExactCover for Listed {
    type Possibility = Vec<usize>;
    type Constraint = usize;

    fn satisfies(&self, option: &Vec<usize>, item: &usize) -> bool {
        option.contains(item)
    }

    fn is_optional(&self, item: &usize) -> bool {
        *item >= self.primary
    }

    fn possibilities(&self) -> &[Vec<usize>] {
        &self.options
    }

    fn constraints(&self) -> &[usize] {
        &self.items
    }
}

fn dancing_links_counter(cover: &Cover) -> Count {
    let listed = Listed {
        primary: cover.primary,
        items: (0..cover.names.len()).collect(),
        options: cover.options.clone(),
    };
    Box::new(move || dancing_links::Solver::new(&listed).map(black_box).count() as u64)
}

/// A client with one job that keeps its outcome.
struct One<'a> {
    problem: Option<&'a Problem>,
    outcome: Option<Outcome>,
}

impl Client for One<'_> {
    fn next_job(&mut self) -> Option<Job<'_>> {
        let problem = self.problem.take()?.as_ref();
        Some(Job { ticket: 0, problem, goal: GOAL, limits: Limits::default() })
    }

    fn solution(&mut self, _: u64, _: Solution<'_>) -> Flow {
        Flow::Continue
    }

    fn finish(&mut self, _: u64, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    fn hand_over(&mut self, ticket: u64) {
        unreachable!("job {ticket} has no split_after");
    }
}

fn our_problem(cover: &Cover) -> quadrille::Result<Problem> {
    let mut builder = CoverBuilder::new();
    for (item, name) in cover.names.iter().enumerate() {
        if item < cover.primary {
            builder.primary(name)?
        } else {
            builder.secondary(name)?
        };
    }
    for option in &cover.options {
        let words: Vec<&str> = option.iter().map(|&item| cover.names[item].as_str()).collect();
        builder.option(&words)?;
    }
    Ok(Problem::Cover(Arc::new(builder.build()?)))
}

fn our_counter(info: &EngineInfo, problem: &Problem) -> Count {
    let (mut engine, problem) = ((info.make)(), problem.clone());
    Box::new(move || {
        let mut one = One { problem: Some(&problem), outcome: None };
        engine.run(&mut one, &Control::new());
        let found = one.outcome.expect("an engine finishes every job it takes").found;
        found.to_u64().expect("a count that was enumerated fits in 64 bits")
    })
}

/// Races every solver that `takes` a name lets in; all must agree on the count, which comes back too.
pub fn race(cover: &Cover, rounds: usize, takes: impl Fn(&str) -> bool) -> Result<(u64, Vec<Line>), String> {
    let problem = our_problem(cover).map_err(|error| error.to_string())?;
    let class = problem.as_ref().class();
    let mut solvers = vec![
        ("dlx 0.8.5".to_string(), Class::Links, dlx_counter(cover)),
        ("dancing-links 0.3.1".to_string(), Class::Links, dancing_links_counter(cover)),
    ];
    for info in ENGINES.iter().filter(|info| (info.supports)(class, GOAL)) {
        solvers.push((format!("quadrille {}", info.name), Class::Ours, our_counter(info, &problem)));
    }
    solvers.retain(|(name, ..)| takes(name));
    let mut lines: Vec<Line> = solvers
        .iter()
        .map(|(name, class, _)| Line {
            name: name.clone(),
            class: *class,
            seconds: Vec::new(),
            guesses: None,
        })
        .collect();
    let mut agreed = None;
    for _ in 0..rounds {
        for ((name, _, count), line) in solvers.iter_mut().zip(&mut lines) {
            let began = Instant::now();
            let count = count();
            line.seconds.push(began.elapsed().as_secs_f64());
            let expected = *agreed.get_or_insert(count);
            if count != expected {
                return Err(format!("{name} counts {count}, those before it {expected}"));
            }
        }
    }
    Ok((agreed.unwrap_or(0), lines))
}
