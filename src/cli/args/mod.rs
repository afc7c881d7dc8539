//! The command line as it is typed: pure parsing, no judgement (that is [`super::config`]'s).

mod shared;

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand};
use clap_complete::Shell;

pub(super) use self::shared::{
    BoundArgs, CheckpointArgs, FailArgs, InputArgs, LineEndArgs, OutArgs, OutputArgs, PoolArgs, ReportArgs,
    RunArgs, SearchArgs, When, WriteArgs,
};
use super::values::{self, Converted, OrAuto, Part, Product, Unwritten};
use crate::report::Exported;
use quadrille_batch::Comparison;
use quadrille_batch::compare::overlap::Relation;
use quadrille_engine::EngineKind;
use quadrille_engine::scales::{MOST_PERMUTATIONS, Scale};
use quadrille_model::Alphabet;
use quadrille_model::canonical::{Form, Map};
use quadrille_model::simd::Isa;
use quadrille_rating::Tenths;

/// Solves, counts, checks and optimises very large puzzle corpora in parallel.
#[derive(Debug, Parser)]
#[command(name = "quadrille", version, about, max_term_width = 110, arg_required_else_help = true)]
#[command(disable_help_flag = true)]
#[command(after_help = "Example: quadrille solve puzzles.txt -o solutions.txt\n\n\
    Exit status:\n  0  every record was answered\n  1  input, output or internal error\n  2  usage\n  \
    3  more rejects than allowed; convert left records out\n  4  the deadline ended the run\n  \
    5  a status that --fail-on or --strict names\n  6  nothing, or less than half, could be read\n  \
    130, 143  a signal ended the run")]
pub(super) struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Print help; --help --all prints every option
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Print help with every option
    #[arg(long, global = true, action = ArgAction::HelpLong, hide = true)]
    help_all: Option<bool>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Solve every puzzle: a solution each, or what is known instead
    #[command(
        after_help = "Examples:\n  quadrille solve puzzles.txt\n  quadrille solve --unique kaggle.csv \
        --output csv -o solved.csv\n  quadrille solve --output contest < poj2676.txt"
    )]
    Solve(SolveArgs),
    /// Count the solutions of every puzzle
    #[command(after_help = "Examples:\n  quadrille count extension.txt --output contest\n  \
        quadrille count --limit 1000 puzzles.txt")]
    Count(CountArgs),
    /// Find the solution with the best score or cost
    #[command(after_help = "Examples:\n  quadrille best --output contest < p1074.txt\n  \
        quadrille best --weights my-weights.txt --minimize puzzles.txt\n  \
        quadrille best --minimize --limit 10 costs.dlx")]
    Best(BestArgs),
    /// Check given solutions, uniqueness, and whether every clue is needed
    #[command(after_help = "Examples:\n  quadrille check kaggle.csv --fail-on wrong,multiple\n  \
        quadrille check --minimal puzzles.txt")]
    Check(CheckArgs),
    /// Write the canonical form of every puzzle: the same for all that differ in arrangement and labels only
    #[command(after_help = "Examples:\n  quadrille canon puzzles.txt\n  \
        quadrille canon --form solution --output csv puzzles.txt -o forms.csv\n  \
        quadrille canon --fields puzzle,map puzzles.txt | quadrille canon --apply")]
    Canon(CanonArgs),
    /// Write every record in another format, and say what that has no place for
    #[command(after_help = "Examples:\n  quadrille convert kaggle.csv -o puzzles.txt --bare\n  \
        quadrille convert puzzles.txt.gz -o puzzles.csv --empty 0\n  \
        quadrille convert kaggle.csv -o kaggle.parquet\n  \
        quadrille convert --output framed puzzles.txt")]
    Convert(ConvertArgs),
    /// Keep the first puzzle of every class of puzzles that are the same but for arrangement and labels
    #[command(after_help = "Examples:\n  quadrille dedup puzzles.txt -o distinct.txt\n  \
        quadrille dedup --by solution --all kaggle.csv -o classes.csv")]
    Dedup(DedupArgs),
    /// Compare every puzzle of a corpus with those of another: new, copy, isomorph or same-grid
    #[command(after_help = "Examples:\n  quadrille overlap train.csv test.csv\n  \
        quadrille overlap train.csv test.csv --fail-on isomorph,copy -q > /dev/null || echo leak")]
    Overlap(OverlapArgs),
    /// Cut a corpus into parts that share no solution, such as for training and testing
    #[command(
        after_help = "Example: quadrille split-corpus --parts train=90,valid=5,test=5 --seed 7 kaggle.csv -o 'kaggle-{}.csv'"
    )]
    SplitCorpus(SplitCorpusArgs),
    /// Rate the difficulty of every puzzle with one solution
    #[command(after_help = "Examples:\n  quadrille rate puzzles.txt\n  \
        quadrille rate --output csv kaggle.csv -o rated.csv\n  \
        quadrille rate --explain puzzle.txt\n  \
        quadrille rate --scale guesses-mean --fields rating,rating_error puzzles.txt")]
    Rate(RateArgs),
    /// Estimate the number of solutions and the work of finding all, by random probes, with an interval of 95 %
    #[command(after_help = "Examples:\n  quadrille estimate pentominoes.dlx --probes 10000\n  \
        quadrille generate queens 20 | quadrille estimate --json")]
    Estimate(EstimateArgs),
    /// Cut one problem into cubes of about equal work, a line each, to be answered anywhere with --cubes
    #[command(after_help = "Examples:\n  quadrille split pentominoes.dlx --target 1000 -o cubes.txt\n  \
        quadrille count pentominoes.dlx --cubes cubes.txt -o counts.txt && quadrille combine counts.txt\n  \
        quadrille split --maximize --weights target grid.txt | quadrille best grid.txt --cubes -")]
    Split(SplitArgs),
    /// Put the answers of cubes together: the total count, the best solution, or all solutions
    #[command(after_help = "Examples:\n  quadrille combine counts-*.txt\n  \
        quadrille combine counts-*.txt --cubes cubes.txt --missing todo.txt")]
    Combine(CombineArgs),
    /// Write a puzzle's exact cover problem in Knuth's format
    #[command(after_help = "Example: quadrille encode puzzle.txt | quadrille count --format dlx")]
    Encode(EncodeArgs),
    /// Make puzzles, the same ones for the same seed, and classic exact cover problems
    #[command(
        after_help = "Examples:\n  quadrille generate minimal --count 1000 --seed 7 -o minimal.txt\n  \
        quadrille generate puzzles --count 10 --clues 24-30 --fields puzzle,solution\n  \
        quadrille generate minimal --count 500 --hard 100\n  \
        quadrille generate minimal --count 100 --rating 4.0..5.0 --fields puzzle,rating\n  \
        quadrille generate pentominoes 6x10 distinct | quadrille count\n  \
        quadrille generate queens 12 -o queens12.dlx\n  \
        quadrille generate assignment 30 --costs 1..1000 --seed 7 | quadrille best --minimize"
    )]
    Generate(GenerateArgs),
    /// Measure engines and instruction sets side by side
    #[command(after_help = "Examples:\n  quadrille bench puzzles.txt\n  \
        quadrille bench --engine lanes,bitmask --every 10 puzzles.txt -o old.json\n  \
        quadrille bench --engine lanes,bitmask --every 10 puzzles.txt --compare old.json")]
    Bench(BenchArgs),
    /// Show a statistics file, or several added up
    #[command(after_help = "Example: quadrille stats shard-*.json --out all.json")]
    Stats(StatsArgs),
    /// Make a page with pictures of a run's statistics, of several runs side by side, or of results of bench
    #[command(after_help = "Examples:\n  quadrille report run.json -o report.html\n  \
        quadrille report old.json new.json -o compared.html\n  \
        quadrille report old.json new.json --records old.records --records new.records -o compared.html\n  \
        quadrille report run.json --format csv --table guesses")]
    Report(PageArgs),
    /// Print what completes this program's words in a shell
    #[command(
        after_help = "Examples:\n  quadrille completions bash > ~/.local/share/bash-completion/completions/quadrille\n  \
        quadrille completions fish > ~/.config/fish/completions/quadrille.fish"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page of the program, or of a verb
    #[command(after_help = "Example: quadrille man solve | man -l -")]
    Man {
        /// The verb
        verb: Option<String>,
    },
    /// Write man pages and shell completions
    #[command(hide = true)]
    GenerateDocs {
        /// The directory to write them to
        directory: PathBuf,
    },
}

#[derive(Debug, Args)]
pub(super) struct SolveArgs {
    /// Also look for a second solution: a record is unique, multiple or none
    #[arg(short, long, conflicts_with_all = ["limit", "all"])]
    pub unique: bool,
    /// Up to K solutions, a row each
    #[arg(short, long, value_name = "K", conflicts_with = "all", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Every solution, a row each
    #[arg(long)]
    pub all: bool,
    /// With --all: solve these cubes (`-`: standard input) of the one problem in the input, as split --all made them
    #[arg(hide_short_help = true, long, value_name = "FILE", requires = "all")]
    pub cubes: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct CountArgs {
    /// Stop counting at K
    #[arg(short, long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Count the cubes in this file (`-` is standard input) of the one problem in the input, as split made them
    #[arg(long, value_name = "FILE", conflicts_with = "limit")]
    pub cubes: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct BestArgs {
    /// `target`, or a file of integers, one a cell: a digit in a cell is worth weight times digit
    #[arg(long, value_name = "target|FILE", default_value = "target")]
    pub weights: PathBuf,
    /// The smallest score or cost
    #[arg(long, conflicts_with = "maximize")]
    pub minimize: bool,
    /// The largest score or cost, which is the default
    #[arg(hide_short_help = true, long)]
    pub maximize: bool,
    /// The K best solutions, a row each, the best first
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Answer these cubes (`-`: standard input) of the one problem in the input
    #[arg(long, value_name = "FILE", conflicts_with = "limit")]
    pub cubes: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Also check that every clue is needed
    #[arg(long)]
    pub minimal: bool,
    /// Exit with status 5 if any record is not as it should be
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct CanonArgs {
    /// The canonical form
    #[arg(long, value_name = "FORM", default_value = "carried", value_parser = values::forms())]
    pub form: Form,
    /// Instead of a form, the grid under this map, or under the one that stands behind each grid (in a column named map)
    #[arg(long, value_name = "MAP", num_args = 0..=1, require_equals = true, conflicts_with = "form")]
    pub apply: Option<Option<Map>>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct ConvertArgs {
    /// Input files, gzip and zstd included; `-` or nothing is standard input
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub output: ConvertOutputArgs,
    #[command(flatten)]
    pub run: ConvertRunArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct ConvertOutputArgs {
    #[command(flatten)]
    pub to: OutArgs,
    /// The format to write [default: by the name of -o, else line]
    #[arg(long = "output", value_name = "FORMAT", value_parser = values::converted())]
    pub output_format: Option<Converted>,
    /// The character of an empty cell: one of . 0 * _ - ?
    #[arg(long, value_name = "CHAR", value_parser = values::empty)]
    pub empty: Option<u8>,
    /// The characters of digits [default: those of the input]
    #[arg(long, value_name = "SYMBOLS", value_parser = values::symbols())]
    pub digits: Option<Alphabet>,
    /// What stands between fields of csv (, ; | tab) or integers (blank , ; tab) [default: , in csv, else a blank]
    #[arg(long, value_name = "CHAR", value_parser = values::delimiter)]
    pub delimiter: Option<u8>,
    /// Only puzzles: no ids, solutions or other columns, which are then not counted as lost
    #[arg(long)]
    pub bare: bool,
    /// Also write puzzles of which the format has no place for candidates, parities or letters, without these
    #[arg(long)]
    pub lossy: bool,
    /// No header row in csv
    #[arg(hide_short_help = true, long)]
    pub no_header: bool,
    #[command(flatten)]
    pub ends: LineEndArgs,
    /// Also write here what could not be converted, with reasons
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// The treatment of records that cannot be read or written
    #[arg(long, default_value = "tell", value_parser = values::on_unwritten())]
    pub on_error: Unwritten,
    /// Exit with status 3, and end the run, only when more records than this cannot be read or written
    #[arg(hide_short_help = true, long, value_name = "N")]
    pub max_rejects: Option<u64>,
    /// Flush after every chunk of rows
    #[arg(hide_short_help = true, long)]
    pub line_buffered: bool,
    #[command(flatten)]
    pub keep: CheckpointArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub(super) struct ConvertRunArgs {
    #[command(flatten)]
    pub pool: PoolArgs,
    #[command(flatten)]
    pub bounds: BoundArgs,
}

#[derive(Debug, Args)]
pub(super) struct DedupArgs {
    /// What makes puzzles the same: text (the clues), or a canonical form
    #[arg(long, value_name = "FORM|text", default_value = "carried", value_parser = values::comparisons())]
    pub by: Comparison,
    /// Keep every puzzle, and put its class, the number of the first of the class, and the size of the class behind it
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct OverlapArgs {
    /// The corpus to compare with
    #[arg(value_name = "A")]
    pub known: PathBuf,
    /// Exit with status 5 if any record has one of these relations
    #[arg(long, value_name = "RELATION,...", value_delimiter = ',', value_parser = values::relations())]
    pub fail_on: Vec<Relation>,
    #[command(flatten)]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub(super) struct SplitCorpusArgs {
    /// The parts and their shares; -o has {} where the name of a part stands
    #[arg(long, value_name = "NAME=SHARE,...", value_delimiter = ',', required = true, value_parser = values::part)]
    pub parts: Vec<Part>,
    /// Seed of the random numbers: the same seed gives the same parts
    #[arg(short, long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct RateArgs {
    /// The scale; ratings on different scales do not compare
    #[arg(long, value_name = "SCALE", default_value = "ser", value_parser = values::scales())]
    pub scale: Scale,
    /// With ser and ser-canonical: the highest rating that is told; harder puzzles are above it, such as >7.5
    #[arg(long, value_name = "RATING", value_parser = values::tenths)]
    pub up_to: Option<Tenths>,
    /// With ser and ser-canonical: also write the steps, what they rest on, place and remove: in text a line each, in jsonl as
    /// path
    #[arg(long)]
    pub explain: bool,
    /// With guesses-mean: arrangements of each puzzle [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PERMUTATIONS)))]
    pub permutations: Option<u32>,
    /// With guesses-mean: seed of the arrangements [default: 1]
    #[arg(short, long, value_name = "SEED")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub fail: FailArgs,
}

#[derive(Debug, Args)]
pub(super) struct EstimateArgs {
    /// Files of records; `-` or nothing is standard input
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Random walks from the root of the search down; the error falls with the root of their number
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    pub probes: u64,
    /// Seed of the random numbers
    #[arg(short, long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// A JSON object a record instead of a line
    #[arg(long)]
    pub json: bool,
    /// The engine whose search is probed, or auto
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::engine())]
    pub engine: OrAuto<EngineKind>,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// End the whole run after this time (exit 4), with what the probes say by then
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub deadline: Option<Duration>,
}

#[derive(Debug, Args)]
pub(super) struct SplitArgs {
    /// A file with one record; `-` or nothing is standard input
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Minimum number of cubes, if the problem can be cut into that many; at most twice as many are made
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub target: u32,
    /// Cut for solve --all instead of count
    #[arg(long, conflicts_with_all = ["minimize", "maximize"])]
    pub all: bool,
    /// Cut for best --minimize instead of count
    #[arg(long, conflicts_with = "maximize")]
    pub minimize: bool,
    /// Cut for best --maximize instead of count
    #[arg(long)]
    pub maximize: bool,
    /// With --minimize or --maximize: as for best
    #[arg(long, value_name = "target|FILE", default_value = "target")]
    pub weights: PathBuf,
    /// Random probes of the search for each large part, by which the parts are made even
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    pub probes: u64,
    /// Seed of the random numbers
    #[arg(short, long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// Progress on standard error
    #[arg(hide_short_help = true, long, value_enum, default_value = "auto")]
    pub progress: When,
    /// No progress, and no word if there are fewer cubes than asked for
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub to: OutArgs,
}

#[derive(Debug, Args)]
pub(super) struct CombineArgs {
    /// Files of answers, as count, best and solve --all write them with --cubes; `-` is standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The cubes that were to be answered
    #[arg(long, value_name = "FILE", requires = "missing")]
    pub cubes: Option<PathBuf>,
    /// Instead of the total, write the cubes that have no finished answer here
    #[arg(long, value_name = "FILE", requires = "cubes")]
    pub missing: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
}

#[derive(Debug, Args)]
pub(super) struct EncodeArgs {
    /// A file whose first record is encoded; `-` or nothing is standard input
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub to: OutArgs,
}

#[derive(Debug, Args)]
pub(super) struct GenerateArgs {
    /// The kind of records: puzzles, by the seed, or one of the classic exact cover problems, in Knuth's format
    ///
    /// Exact cover problems are named with their parameters. SHAPE is AxB, AxB-CxD with a hole in the middle, or a file
    /// that draws it, a character a cell, '.' and blanks for none.
    #[arg(value_name = "KIND", value_parser = values::products())]
    pub kind: Product,
    /// Of exact cover problems: their parameters
    #[arg(value_name = "PARAMETER")]
    pub parameters: Vec<String>,
    /// Number of records to make
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    pub count: u64,
    /// Seed of the random numbers: the same seed gives the same bytes
    #[arg(short, long, value_name = "SEED", default_value_t = 1)]
    pub seed: u64,
    /// Records to leave out before the first, for shards
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0)]
    pub index_offset: u64,
    /// The side of the grids [default: 9]
    #[arg(long, value_name = "N", conflicts_with = "box_shape")]
    pub side: Option<usize>,
    /// Rows and columns of a box, such as 2x3
    #[arg(long = "box", value_name = "RxC", value_parser = values::box_shape)]
    pub box_shape: Option<(usize, usize)>,
    /// Rules of the puzzles, comma-separated, as `solve --rules`: they stand behind each puzzle, after a tab
    #[arg(long, value_name = "RULE,...", hide_possible_values = true, value_parser = values::RuleWords)]
    pub rules: Vec<String>,
    /// Regions in the place of boxes: a character a cell
    #[arg(hide_short_help = true, long, value_name = "LAYOUT|FILE")]
    pub regions: Option<String>,
    /// No two puzzles of a run that are the same up to arrangement and labels
    ///
    /// A record like an earlier one is left out, and later ones take its place until there are --count; when --attempts in a
    /// row are not new, the run ends (exit 1) with what there is. For 9x9, 4x4 and, with boxes of 2x3, 6x6; 19 to 39 bytes
    /// of memory a record. Shards know nothing of each other: `dedup` takes them together.
    #[arg(long)]
    pub distinct: bool,
    /// Sparse, puzzles, minimal: how many clues [sparse: a fifth of the cells; puzzles: three eighths; minimal: as it
    /// comes]
    #[arg(long, value_name = "N|A-B", value_parser = values::clues)]
    pub clues: Option<RangeInclusive<u32>>,
    /// Puzzles, minimal: which cells are clues, a character a cell, `.`, `0`, `-` and `_` for the others
    #[arg(hide_short_help = true, long, value_name = "FILE|TEXT", allow_hyphen_values = true)]
    pub pattern: Option<String>,
    /// Puzzles, minimal: climb towards many guesses from each of --count, and keep the N hardest, those first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub hard: Option<u64>,
    /// Puzzles, minimal: only those whose rating (ser) is in this range; --attempts of which none is end the run (exit 1)
    #[arg(long, value_name = "LOW..HIGH", value_parser = values::rating_range)]
    pub rating: Option<RangeInclusive<Tenths>>,
    /// With --hard: steps of each climb, one changed puzzle each
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 300, requires = "hard")]
    pub steps: u32,
    /// Exact cover problems: a random cost for every option, by the seed, from LOW to HIGH
    #[arg(hide_short_help = true, long, value_name = "LOW..HIGH", allow_hyphen_values = true, value_parser = values::range)]
    pub costs: Option<RangeInclusive<i64>>,
    /// Puzzles: write random weights beside them, by the seed, one a cell from LOW to HIGH, to --weights-out
    #[arg(hide_short_help = true, long, value_name = "LOW..HIGH", allow_hyphen_values = true, value_parser = values::range,
          requires = "weights_out")]
    pub weights: Option<RangeInclusive<i64>>,
    /// The file for --weights, as `best --weights` reads it
    #[arg(hide_short_help = true, long, value_name = "FILE", requires = "weights")]
    pub weights_out: Option<PathBuf>,
    /// Give up when so many attempts at a record made nothing, or, with --distinct, so many records nothing new
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = quadrille_generate::sudoku::ATTEMPTS,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub attempts: u64,
    /// Columns, comma-separated, tabs between
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "puzzle",
          value_parser = ["index", "puzzle", "solution", "clues", "guesses", "rating"])]
    pub fields: Vec<String>,
    #[command(flatten)]
    pub to: OutArgs,
    /// The engine that tests puzzles, or auto; without --hard all make the same puzzles
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::engine())]
    pub engine: OrAuto<EngineKind>,
    /// The instruction set of the engine, or auto
    #[arg(hide_short_help = true, long, value_name = "NAME", default_value = "auto", value_parser = values::isa())]
    pub isa: OrAuto<Isa>,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// End the whole run after this time (exit 4)
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub deadline: Option<Duration>,
    /// Progress on standard error
    #[arg(hide_short_help = true, long, value_enum, default_value = "auto")]
    pub progress: When,
    /// No progress
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct BenchArgs {
    /// Input files, gzip and zstd included; `-` or nothing is standard input
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Solutions to look for in each record; 2 decides uniqueness [default: 2; with --count all]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Question")]
    pub limit: Option<u64>,
    /// Count solutions instead of finding them
    #[arg(long, help_heading = "Question")]
    pub count: bool,
    /// The engines, comma-separated; all that can by default
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Race",
          value_parser = values::engines())]
    pub engine: Vec<EngineKind>,
    /// The instruction sets of engines that are written for several; all of this machine by default
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Race",
          value_parser = values::isas())]
    pub isa: Vec<Isa>,
    /// Timed rounds; each runs every engine once, in turn
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Race",
          value_parser = clap::value_parser!(u16).range(1..))]
    pub rounds: u16,
    /// Time that an engine may take in all: a slow one does a sample, or fewer rounds; 0 for no limit
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::time, help_heading = "Race")]
    pub time: Duration,
    /// Measure processor time: steadier where other programs run
    #[arg(hide_short_help = true, long, help_heading = "Race")]
    pub cpu_time: bool,
    /// The engine that the last column compares with, such as dlx or lanes:portable [default: the slowest]
    #[arg(hide_short_help = true, long, value_name = "ENGINE[:ISA]", value_parser = values::Baseline, help_heading = "Race")]
    pub baseline: Option<(EngineKind, Option<Isa>)>,
    /// Take every N-th record of the input
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 1, help_heading = "Race",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub every: u32,
    /// Repeat a short corpus until it has N records
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0, help_heading = "Race")]
    pub at_least: u32,
    /// Decides the order in which records are taken
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Race")]
    pub seed: u64,
    /// Print JSON instead of a table
    #[arg(long, help_heading = "Results")]
    pub json: bool,
    /// Also write the results as JSON
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
    /// Compare with results that -o wrote before, of the same records
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub compare: Option<PathBuf>,
    /// Write a page about the race, with pictures: one file of HTML
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub report: Option<PathBuf>,
    /// No progress
    #[arg(short, long, help_heading = "Results")]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct StatsArgs {
    /// Statistics files, as --stats-out writes them
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Also write the sum as a statistics file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
    /// Print the sum as JSON instead of a summary
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PageArgs {
    /// Statistics files, as --stats-out writes them: of one run, or of several to be compared with the first; or results of
    /// bench, of one race or of an earlier and a later one
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub to: OutArgs,
    /// The page, or its tables alone [default: by the name of -o, else html]
    #[arg(long, value_name = "FORMAT", value_parser = values::page_formats())]
    pub format: Option<Exported>,
    /// In csv, only the table of this name
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// What came of each record, as --records-out wrote it: a file for each run, in the same order
    #[arg(long, value_name = "FILE")]
    pub records: Vec<PathBuf>,
}
