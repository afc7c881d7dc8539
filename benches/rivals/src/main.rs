//! Races quadrille's engines against published solvers: same problems, same process, one thread.

mod canonical;
mod covers;
mod generate;
mod grids;
mod ours;
mod race;
mod report;
mod rivals;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Race on grids, one per line
    Grids {
        #[command(flatten)]
        race: RaceArgs,
        /// Solutions to look for per grid; 2 proves uniqueness
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
        limit: u8,
        /// Take every N-th grid
        #[arg(long, default_value_t = 1, value_name = "N")]
        every: usize,
        /// Take at most N grids
        #[arg(long, default_value_t = usize::MAX, hide_default_value = true, value_name = "N")]
        first: usize,
        /// Shuffle the grids by this seed
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Repeat the grids in memory until there are at least N
        #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
        at_least: usize,
    },
    /// Race at making minimal 9x9 puzzles
    Generate {
        /// Number of puzzles per round
        #[arg(long, default_value_t = 5000, value_name = "N")]
        count: usize,
        /// Number of rounds; each runs every generator once, in turn
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
        rounds: u16,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Race at canonical forms of 9x9 puzzles with one solution, one per line
    Canonical {
        /// Number of rounds; each runs every crate once, in turn
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
        rounds: u16,
        /// Take every N-th puzzle
        #[arg(long, default_value_t = 1, value_name = "N")]
        every: usize,
        /// Print one JSON object per file
        #[arg(long)]
        json: bool,
        /// Files to race on
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Race on exact cover problems in Knuth's format, one per file, counting all solutions
    Cover {
        #[command(flatten)]
        race: RaceArgs,
    },
}

#[derive(Args)]
struct RaceArgs {
    /// Number of rounds; each runs every solver once, in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Only solvers whose name contains one of these words
    #[arg(long, value_delimiter = ',', value_name = "WORD")]
    only: Vec<String>,
    /// Skip solvers whose name contains one of these words
    #[arg(long, value_delimiter = ',', value_name = "WORD")]
    without: Vec<String>,
    /// Print one JSON object per file
    #[arg(long)]
    json: bool,
    /// Files to race on
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

impl RaceArgs {
    fn takes(&self, name: &str) -> bool {
        let named = |words: &[String]| words.iter().any(|word| name.contains(word.as_str()));
        (self.only.is_empty() || named(&self.only)) && !named(&self.without)
    }
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("rivals: {what}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<(), String> {
    match cli.command {
        Command::Grids { race, limit, every, first, seed, at_least } => {
            for file in &race.files {
                let corpus = grids::Corpus::read(file, every, first, seed, at_least)?;
                let limit = usize::from(limit);
                let mut solvers = rivals::rivals(&corpus);
                solvers.extend(ours::engines(&corpus, limit));
                solvers.retain(|solver| race.takes(&solver.name()));
                let head = report::Head {
                    problem: file.display().to_string(),
                    count: corpus.grids.len(),
                    goal: format!("up to {limit} solutions each"),
                    rounds: usize::from(race.rounds),
                };
                let lines = race::race(solvers, &corpus, limit, head.rounds)?;
                report::print(&head, &lines, race.json);
            }
            Ok(())
        }
        Command::Generate { count, rounds, json } => {
            let head = report::Head {
                problem: "minimal 9x9".to_string(),
                count,
                goal: "made from random grids".to_string(),
                rounds: usize::from(rounds),
            };
            report::print(&head, &generate::race(count, head.rounds)?, json);
            Ok(())
        }
        Command::Canonical { rounds, every, json, files } => {
            for file in &files {
                let puzzles = canonical::read(file, every)?;
                let head = report::Head {
                    problem: file.display().to_string(),
                    count: puzzles.len(),
                    goal: "canonical forms".to_string(),
                    rounds: usize::from(rounds),
                };
                let lines = canonical::race(&puzzles, head.rounds)?;
                report::print(&head, &lines, json);
                let classes = canonical::classes(&puzzles)?;
                if !json {
                    println!("\nclasses of these puzzles and as many random images of them: {classes}");
                }
            }
            Ok(())
        }
        Command::Cover { race } => {
            for file in &race.files {
                let cover = covers::read(file)?;
                let rounds = usize::from(race.rounds);
                let (count, lines) = covers::race(&cover, |name| race.takes(name), rounds)
                    .map_err(|what| format!("{}: {what}", file.display()))?;
                let (problem, goal) = (file.display().to_string(), format!("all {count} solutions"));
                report::print(&report::Head { problem, count: 1, goal, rounds }, &lines, race.json);
            }
            Ok(())
        }
    }
}
