//! The definition of the command line for clap. [`super::config`] checks the meaning of the values.

mod shared;

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser};
use clap_complete::Shell;

pub(super) use self::shared::{
    BoundArgs, CheckpointArgs, InputArgs, LineArgs, OutArgs, OutputArgs, PoolArgs, QuietArgs, ReportArgs,
    RunArgs, SearchArgs, When, WriteArgs,
};
pub(super) use super::value_parsers::FingerprintFormat;
use super::value_parsers::{self, Column, Converted, CorpusPart, GenerateKind, OrAuto};
use crate::bench::{Program, Protocol, Rounds};
use crate::report::ExportFormat;
use quadrille_batch::{Comparison, MAX_COPIES, OnError};
use quadrille_engine::EngineKind;
use quadrille_engine::scales::{MAX_PERMUTATIONS, Scale};
use quadrille_generate::{MAX_ADDED, MAX_REMOVED, Method, Symmetry};
use quadrille_model::canonical::{Form, Part, Transform};
use quadrille_model::simd::Isa;
use quadrille_model::{Alphabet, MAX_SIDE};
use quadrille_rating::{TechniqueSet, Tenths};

/// Solves, counts, checks and optimises very large puzzle corpora in parallel.
#[derive(Debug, Parser)]
#[command(name = "quadrille", version, about, max_term_width = 110)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(disable_help_flag = true, disable_version_flag = true)]
#[command(after_help = "Example: quadrille solve puzzles.txt -o solutions.txt\n\n\
    Exit status:\n  0  every record was answered\n  1  input, output or internal error\n  2  wrong usage\n  \
    3  more rejects than allowed, or convert left records out\n  4  the deadline ended the run\n  \
    5  a record has a status that --fail-on or --strict names\n  6  less than half of the records, or none, could be read\n  \
    130, 143  a signal ended the run")]
pub(super) struct Cli {
    /// Print help; --help --all prints every option
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Print help with every option
    #[arg(long, global = true, action = ArgAction::HelpLong, hide = true)]
    help_all: Option<bool>,
    /// Print the version; --version --verbose prints how the program was built
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

/// Solve every puzzle: print its solution, or its status if it has none
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille solve puzzles.txt\n  quadrille solve --unique kaggle.csv \
    --to csv -o solved.csv\n  quadrille solve --to contest < poj2676.txt")]
pub(super) struct SolveArgs {
    /// Look for a second solution too, and report unique, multiple or none
    #[arg(short, long, conflicts_with_all = ["limit", "all"])]
    pub unique: bool,
    /// Find up to K solutions of each puzzle, one row per solution
    #[arg(short, long, value_name = "K", conflicts_with = "all", value_parser = value_parsers::from_one())]
    pub limit: Option<u64>,
    /// Find every solution, one row per solution
    #[arg(long)]
    pub all: bool,
    /// Find the solution with the smallest digits in reading order
    #[arg(long, value_name = "WHICH", conflicts_with_all = ["unique", "limit", "all"], value_parser = ["least"])]
    pub first: Option<String>,
    /// Draw N random solutions of the first record, each with the same probability, one row per solution
    #[arg(hide_short_help = true, long, value_name = "N", conflicts_with_all = ["unique", "limit", "all", "first", "fail_on"], value_parser = value_parsers::from_one())]
    pub sample: Option<u64>,
    /// With --sample: set the random seed
    #[arg(hide_short_help = true, long, value_name = "SEED", default_value_t = 1, requires = "sample", value_parser = value_parsers::from_zero())]
    pub seed: u64,
    /// With --all: solve only the cubes in FILE (`-`: standard input), which split-problem --all made from
    /// the input
    #[arg(hide_short_help = true, long, value_name = "FILE", requires = "all")]
    pub cubes: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Count the solutions of every puzzle
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille count extension.txt --to contest\n  \
    quadrille count --limit 1000 puzzles.txt")]
pub(super) struct CountArgs {
    /// Stop counting at K
    #[arg(short, long, value_name = "K", value_parser = value_parsers::from_one())]
    pub limit: Option<u64>,
    /// Count only the cubes in FILE (`-`: standard input), which split-problem made from the input
    #[arg(long, value_name = "FILE", conflicts_with = "limit")]
    pub cubes: Option<PathBuf>,
    /// Also write a certificate of the first record's count to FILE, which scripts/check-count checks
    #[arg(long, value_name = "FILE", conflicts_with_all = ["limit", "cubes", "fail_on"])]
    pub certificate: Option<PathBuf>,
    /// Print, for each option of the first record, the number of solutions that have it
    #[arg(long, conflicts_with_all = ["limit", "cubes", "certificate", "fail_on"])]
    pub marginals: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Find the solution with the best score or cost
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille best --to contest < p1074.txt\n  \
    quadrille best --weights my-weights.txt --minimize puzzles.txt\n  \
    quadrille best --minimize --limit 10 costs.dlx")]
pub(super) struct BestArgs {
    /// Score cells by weight times digit; weights are `target`, or one integer per cell in FILE or in a list
    /// such as 1,0,2,...
    #[arg(long, value_name = "target|FILE|LIST", default_value = "target", allow_hyphen_values = true)]
    pub weights: PathBuf,
    /// Find the smallest score or cost
    #[arg(long, conflicts_with = "maximize")]
    pub minimize: bool,
    /// Find the largest score or cost (the default)
    #[arg(hide_short_help = true, long)]
    pub maximize: bool,
    /// In exact cover problems without costs, give every option this cost; 1 finds solutions with the fewest
    /// options
    #[arg(hide_short_help = true, long, value_name = "COST", allow_negative_numbers = true, value_parser = value_parsers::integer)]
    pub cost_each: Option<i64>,
    /// Find the K best solutions, one row each, best first
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = value_parsers::from_one())]
    pub limit: u64,
    /// Search only the cubes in FILE, which split-problem made from this input; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "limit")]
    pub cubes: Option<PathBuf>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Check given solutions, uniqueness, and whether every clue is needed
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille check kaggle.csv --fail-on wrong,multiple\n  \
    quadrille check --minimal puzzles.txt")]
pub(super) struct CheckArgs {
    /// Also check that every clue is needed
    #[arg(long)]
    pub minimal: bool,
    /// Write which clues can be removed, each one alone, and a smallest puzzle that still has one solution
    /// (fields `redundant` to `smallest_bound`)
    #[arg(long, conflicts_with = "minimal")]
    pub redundant: bool,
    /// Exit with status 5 unless every record is `correct` or `unique`
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Write the canonical form of every puzzle, which is the same for all puzzles that differ only in
/// arrangement and labels
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille canon puzzles.txt\n  \
    quadrille canon --form solution --to csv puzzles.txt -o forms.csv\n  \
    quadrille canon --fields puzzle,transform puzzles.txt | quadrille canon --apply")]
pub(super) struct CanonArgs {
    /// Write this canonical form
    #[arg(long, value_name = "FORM", default_value = "by-solution", value_parser = value_parsers::described(Form::ALL, Form::name, Form::about))]
    pub form: Form,
    /// Instead of a canonical form, write each grid after TRANSFORM; without a value, use the transform that
    /// follows the grid or is in the column `transform`
    #[arg(long, value_name = "TRANSFORM", num_args = 0..=1, require_equals = true, conflicts_with = "form")]
    pub apply: Option<Option<Transform>>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Write every record in another format, and report what that format cannot hold
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  quadrille convert kaggle.csv -o puzzles.txt --bare\n  \
    quadrille convert puzzles.txt.gz -o puzzles.csv --to-blank 0\n  \
    quadrille convert kaggle.csv -o kaggle.parquet\n  \
    quadrille convert --to framed puzzles.txt")]
pub(super) struct ConvertArgs {
    /// Input files, plain, gzip or zstd; `-` or no file for standard input
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub output: ConvertOutputArgs,
    #[command(flatten, next_help_heading = "Run")]
    pub pool: PoolArgs,
    #[command(flatten)]
    pub bounds: BoundArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct ConvertOutputArgs {
    #[command(flatten)]
    pub to: OutArgs,
    /// Write this format [default: from the name of -o; otherwise line, or the input format with augment]
    #[arg(long = "to", value_name = "FORMAT", value_parser = value_parsers::converted())]
    pub output_format: Option<Converted>,
    /// Write empty cells as CHAR: one of . 0 * _ - ?
    #[arg(long, value_name = "CHAR", value_parser = value_parsers::to_blank)]
    pub to_blank: Option<u8>,
    /// Write digits with these characters [default: those of the input]
    #[arg(long, value_name = "SYMBOLS", value_parser = value_parsers::symbols())]
    pub to_symbols: Option<Alphabet>,
    /// Separate csv fields with , ; | or tab, and integers with blank , ; or tab [default: , in csv, blank in
    /// integers]
    #[arg(long, value_name = "CHAR", value_parser = value_parsers::delimiter)]
    pub delimiter: Option<u8>,
    /// Write puzzles only, and do not report that ids, solutions and other columns are dropped; on sheets,
    /// leave out solutions
    #[arg(long)]
    pub bare: bool,
    /// Drop candidates, parities and letters that the format cannot hold, instead of rejecting the puzzle
    #[arg(long)]
    pub lossy: bool,
    /// In html and svg, put N puzzles on a page; 1 and 2 are large print [default: 6]
    #[arg(long, value_name = "N", value_parser = value_parsers::whole::<u8>(1, 30))]
    pub per_page: Option<u8>,
    #[command(flatten)]
    pub lines: LineArgs,
    /// Also write to FILE the records that could not be converted, with reasons
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// Choose what happens to records that cannot be read or written
    #[arg(long, default_value = "report", value_parser = value_parsers::one_of(value_parsers::ON_UNWRITTEN))]
    pub on_error: OnError,
    /// Accept up to N records that cannot be read or written; with more, end the run with exit status 3
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = value_parsers::from_zero())]
    pub max_rejects: Option<u64>,
    /// Flush after every chunk of rows
    #[arg(hide_short_help = true, long)]
    pub line_buffered: bool,
    #[command(flatten)]
    pub keep: CheckpointArgs,
}

/// Write every record and random images of it: equivalent puzzles with rows, columns and digits permuted
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille augment puzzles.txt --copies 100 -o augmented.txt\n  \
    quadrille augment kaggle.csv --copies 10 --only digits,transpose --fields index,transform\n  \
    quadrille augment augmented.csv --undo")]
pub(super) struct AugmentArgs {
    /// Write N images of each record, after the record itself
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = value_parsers::whole::<u32>(1, MAX_COPIES.into()))]
    pub copies: u32,
    /// Set the random seed: the same seed gives the same images
    #[arg(short, long, value_name = "SEED", default_value_t = 1, value_parser = value_parsers::from_zero())]
    pub seed: u64,
    /// Change only these parts
    #[arg(long, value_name = "PART,...", value_delimiter = ',', value_parser = value_parsers::described(Part::ALL, Part::word, Part::about))]
    pub only: Vec<Part>,
    /// Write each image of a record only once; a grid with few images gets fewer rows
    #[arg(long)]
    pub distinct: bool,
    /// Undo the transform at the end of each line, or in the column `transform`
    #[arg(long, conflicts_with_all = ["copies", "seed", "only", "distinct"])]
    pub undo: bool,
    /// Append these columns; `transform` shows how the record became the row
    #[arg(short = 'F', long, value_name = "NAME,...", value_delimiter = ',', value_parser = value_parsers::columns())]
    pub fields: Vec<Column>,
    #[command(flatten)]
    pub rows: ConvertArgs,
}

/// Remove duplicates: keep the first of each group of puzzles that differ only in arrangement and labels
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille dedup puzzles.txt -o distinct.txt\n  \
    quadrille dedup --by solution --all kaggle.csv -o classes.csv")]
pub(super) struct DedupArgs {
    /// Compare puzzles by their text (the clues) or by this canonical form
    #[arg(long, value_name = "FORM|text", default_value = "by-solution", value_parser = value_parsers::comparisons())]
    pub by: Comparison,
    /// Keep every puzzle, and append its class, the number of the first puzzle of the class, and the number
    /// of puzzles in the class
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Compare each puzzle with another corpus A: report it as new, copy, isomorph or same-grid
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille overlap train.csv test.csv\n  \
    quadrille overlap train.csv test.csv --fail-on isomorph,copy -q > /dev/null || echo leak")]
pub(super) struct OverlapArgs {
    /// Corpus to compare with
    #[arg(value_name = "A")]
    pub known: PathBuf,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Split a corpus into parts that share no solution, for example to train and to test
#[derive(Debug, Args)]
#[command(
    after_help = "Example: quadrille split-corpus --parts train=90,valid=5,test=5 --seed 7 kaggle.csv -o 'kaggle-{}.csv'"
)]
pub(super) struct SplitCorpusArgs {
    /// Make parts with these names and shares; {} in the name of -o becomes the name of the part
    #[arg(long, value_name = "NAME=SHARE,...", value_delimiter = ',', required = true, value_parser = value_parsers::part)]
    pub parts: Vec<CorpusPart>,
    /// Set the random seed: the same seed gives the same parts
    #[arg(short, long, value_name = "SEED", default_value_t = 1, value_parser = value_parsers::from_zero())]
    pub seed: u64,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Describe a corpus by record count, checksums and ranges, or compare it with another one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille fingerprint train.csv\n  \
    quadrille fingerprint train.csv --to markdown >> README.md\n  \
    quadrille fingerprint train.csv --against published.csv")]
pub(super) struct FingerprintArgs {
    /// Input files, plain, gzip or zstd; `-` or no file for standard input
    pub files: Vec<PathBuf>,
    /// Compare with the corpus in FILE: print `same rows`, `same puzzles`, or the share of puzzles that are
    /// also in FILE
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Print json, or markdown for a data card [default: only the comparison with --against; otherwise
    /// markdown on a terminal, json elsewhere]
    #[arg(long = "to", value_name = "FORMAT", default_value = "text", hide_default_value = true, value_parser = value_parsers::variants::<FingerprintFormat>())]
    pub to: FingerprintFormat,
    #[command(flatten)]
    pub pool: PoolArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub messages: QuietArgs,
}

/// Rate the difficulty of every puzzle with one solution
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille rate puzzles.txt\n  \
    quadrille rate --to csv kaggle.csv -o rated.csv\n  \
    quadrille rate --explain puzzle.txt\n  \
    quadrille rate --until singles puzzles.txt\n  \
    quadrille rate --scale guesses-mean --fields rating,rating_error puzzles.txt")]
pub(super) struct RateArgs {
    /// Rate on this scale; ratings on different scales cannot be compared
    #[arg(long, value_name = "SCALE", default_value = "ser", value_parser = value_parsers::described(Scale::ALL, Scale::name, Scale::about))]
    pub scale: Scale,
    /// With ser and ser-canonical: skip steps rated above RATING, and print >RATING for harder puzzles
    #[arg(long, value_name = "RATING", value_parser = value_parsers::tenths)]
    pub max_rating: Option<Tenths>,
    /// With ser: apply all steps up to TECHNIQUE, a group (such as singles, locking) or a rating; write the
    /// resulting grid, its filled cells and the technique of the next step
    #[arg(long, value_name = "TECHNIQUE", value_parser = value_parsers::until, conflicts_with = "max_rating")]
    pub until: Option<Tenths>,
    /// With ser and ser-canonical: also write each step with its reasons, placements and eliminations (text:
    /// one line per step; jsonl: the member `path`)
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub steps: StepArgs,
    /// With ser and ser-canonical: write only puzzles whose hardest step has a rating in this range
    #[arg(long = "rating", alias = "hardest", value_name = "LOW..HIGH", value_parser = value_parsers::rating_range)]
    pub hardest: Option<RangeInclusive<Tenths>>,
    /// With guesses-mean: try N arrangements of each puzzle [default: 100]
    #[arg(long, value_name = "N", value_parser = value_parsers::whole::<u32>(1, MAX_PERMUTATIONS.into()))]
    pub permutations: Option<u32>,
    /// With guesses-mean: set the random seed of the arrangements [default: 1]
    #[arg(short, long, value_name = "SEED", value_parser = value_parsers::from_zero())]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Conditions on the solving steps of a puzzle.
#[derive(Debug, Args)]
pub(super) struct StepArgs {
    /// Write only puzzles whose solving path (ser) has each of these techniques (such as x-wing) or groups
    /// (singles, locking, chains, loops, graves, wings, fish)
    #[arg(long, value_name = "TECHNIQUE,...", value_delimiter = ',', value_parser = value_parsers::technique_set)]
    pub needs: Vec<(String, TechniqueSet)>,
    /// Write only puzzles whose solving path (ser) has none of these techniques or groups
    #[arg(long, value_name = "TECHNIQUE,...", value_delimiter = ',', value_parser = value_parsers::technique_set)]
    pub without: Vec<(String, TechniqueSet)>,
}

/// Estimate the number of solutions and the search effort by random probes, with 95 % intervals
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille estimate pentominoes.dlx --probes 10000\n  \
    quadrille generate queens 20 | quadrille estimate --json")]
pub(super) struct EstimateArgs {
    /// Input files, plain, gzip or zstd; `-` or no file for standard input
    pub files: Vec<PathBuf>,
    /// Make N random walks down the search tree; the error shrinks with the square root of N
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parsers::from_one())]
    pub probes: u64,
    /// Set the random seed
    #[arg(short, long, value_name = "SEED", default_value_t = 1, value_parser = value_parsers::from_zero())]
    pub seed: u64,
    /// Print one JSON object per record instead of a line
    #[arg(long)]
    pub json: bool,
    /// Probe the search tree of this engine
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value_parsers::engine())]
    pub engine: OrAuto<EngineKind>,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// End the whole run after TIME (exit status 4), with estimates from the probes made by then
    #[arg(long, value_name = "TIME", value_parser = value_parsers::time)]
    pub deadline: Option<Duration>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub messages: QuietArgs,
}

/// Cut one problem into cubes (subproblems) of similar work, one per line, which any machine can answer with
/// --cubes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille split-problem pentominoes.dlx --target 1000 -o cubes.txt\n  \
    quadrille count pentominoes.dlx --cubes cubes.txt -o counts.txt && quadrille combine counts.txt\n  \
    quadrille split-problem --maximize --weights target grid.txt | quadrille best grid.txt --cubes -")]
pub(super) struct SplitProblemArgs {
    /// File with one record; `-` or no file for standard input
    pub file: Option<PathBuf>,
    /// Make at least N cubes if the problem can be cut into that many, and at most 2N
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parsers::whole::<u32>(1, u32::MAX.into()))]
    pub target: u32,
    /// Make cubes for `solve --all` instead of `count`
    #[arg(long, conflicts_with_all = ["minimize", "maximize"])]
    pub all: bool,
    /// Make cubes for `best --minimize` instead of `count`
    #[arg(long, conflicts_with = "maximize")]
    pub minimize: bool,
    /// Make cubes for `best --maximize` instead of `count`
    #[arg(long)]
    pub maximize: bool,
    /// With --minimize or --maximize: use these weights, as `best` does
    #[arg(long, value_name = "target|FILE", default_value = "target")]
    pub weights: PathBuf,
    /// Estimate the work of each large part with N random probes, so that all cubes need similar work
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parsers::from_one())]
    pub probes: u64,
    /// Set the random seed
    #[arg(short, long, value_name = "SEED", default_value_t = 1, value_parser = value_parsers::from_zero())]
    pub seed: u64,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// After TIME, end the run without writing cubes (exit status 4)
    #[arg(long, value_name = "TIME", value_parser = value_parsers::time)]
    pub deadline: Option<Duration>,
    /// Show progress on standard error
    #[arg(hide_short_help = true, long, value_enum, default_value = "auto")]
    pub progress: When,
    /// Print no progress, and no message if there are fewer cubes than requested
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub to: OutArgs,
    #[command(flatten)]
    pub input: InputArgs,
}

/// Combine the answers of cubes into the total count, the best solution, or all solutions
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille combine counts-*.txt\n  \
    quadrille combine counts-*.txt --cubes cubes.txt --missing todo.txt")]
pub(super) struct CombineArgs {
    /// Files of answers that `count`, `best` or `solve --all` wrote with --cubes; `-` for standard input
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Read from FILE the cubes that need an answer
    #[arg(long, value_name = "FILE", requires = "missing")]
    pub cubes: Option<PathBuf>,
    /// Write to FILE the cubes that have no finished answer, instead of printing the total
    #[arg(long, value_name = "FILE", requires = "cubes")]
    pub missing: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
}

/// Write a puzzle as an exact cover problem in Knuth's format
#[derive(Debug, Args)]
#[command(after_help = "Example: quadrille encode puzzle.txt | quadrille count --from dlx")]
pub(super) struct EncodeArgs {
    /// File whose first record is encoded; `-` or no file for standard input
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub to: OutArgs,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub messages: QuietArgs,
}

/// Generate puzzles, reproducible by seed, or classic exact cover problems
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille generate minimal --count 1000 --seed 7 -o minimal.txt\n  \
    quadrille generate puzzles --count 10 --clues 24-30 --fields puzzle,solution\n  \
    quadrille generate minimal --method controlled -n 100 --stats-out sample.json\n  \
    quadrille generate minimal --count 100 --rating 4.0..5.0 --fields puzzle,rating\n  \
    quadrille generate pentominoes 6x10 distinct | quadrille count\n  \
    quadrille generate queens 12 -o queens12.dlx\n  \
    quadrille generate assignment 30 --costs 1..1000 --seed 7 | quadrille best --minimize")]
pub(super) struct GenerateArgs {
    /// Kind of records: puzzles from a random seed, or a classic exact cover problem in Knuth's format
    ///
    /// Exact cover problems take parameters. SHAPE is AxB, or AxB-CxD for a hole of CxD in the middle, or a
    /// file that draws the shape with one character per cell; '.' and blanks are outside the shape.
    #[arg(value_name = "KIND", value_parser = value_parsers::products())]
    pub kind: GenerateKind,
    /// Parameters of an exact cover problem; with neighbours, files
    ///
    /// Neighbours are made from the puzzles in these files; `-` is standard input.
    #[arg(value_name = "PARAMETER")]
    pub parameters: Vec<OsString>,
    /// Make N records
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = value_parsers::from_zero())]
    pub count: u64,
    /// Set the random seed, which decides all records
    #[arg(short, long, value_name = "SEED", default_value_t = 1, value_parser = value_parsers::from_zero())]
    pub seed: u64,
    /// Skip the first N records, to generate one set in shards
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0, value_parser = value_parsers::from_zero())]
    pub skip: u64,
    /// Make N by N grids [default: 9]
    #[arg(long, value_name = "N", conflicts_with = "box_shape", value_parser = value_parsers::whole::<usize>(1, MAX_SIDE as u64))]
    pub side: Option<usize>,
    /// Use boxes of R rows and C columns, such as 2x3
    #[arg(long = "box", value_name = "RxC", value_parser = value_parsers::box_shape)]
    pub box_shape: Option<(usize, usize)>,
    /// Make puzzles with these rules, named as for `solve --rules`; the rules follow each puzzle after a tab
    #[arg(long, value_name = "RULE,...", hide_possible_values = true, value_parser = value_parsers::RuleWords)]
    pub rules: Vec<String>,
    /// Use these regions instead of boxes: one character per cell
    #[arg(hide_short_help = true, long, value_name = "LAYOUT|FILE")]
    pub regions: Option<String>,
    /// Make only puzzles that differ from each other in more than arrangement and labels
    ///
    /// A record that differs from an earlier one only in arrangement and labels is left out. The run goes on
    /// until there are --count other records. After --attempts duplicates in a row, the run ends with the
    /// records made so far and exit status 1. Works for 9x9, 4x4 and, with boxes of 2x3, 6x6. Takes 19 to 39 bytes
    /// of memory per record. Shards do not know each other's records: use `dedup` on all of them.
    #[arg(long)]
    pub distinct: bool,
    /// With minimal, choose how puzzles are found: top-down (fast, prefers few clues) or controlled
    ///
    /// `controlled` samples all minimal puzzles of at most 40 clues: puzzles with the same number of clues
    /// are equally likely, and the column `weight` corrects for different numbers of clues. Some hundred
    /// thousand random orders of clues are tried for each puzzle (the column `orders`).
    #[arg(long, value_name = "NAME", default_value = "top-down", hide_possible_values = true, value_parser = value_parsers::described(Method::ALL, Method::name, Method::about))]
    pub method: Method,
    /// With --method controlled: write the statistics of the sample to FILE, for `stats` and `report`
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub stats_out: Option<PathBuf>,
    /// With sparse, puzzles and minimal, give each puzzle this number of clues [default: a fifth of the cells,
    /// three eighths, any]
    #[arg(long, value_name = "LOW..HIGH", value_parser = value_parsers::clues)]
    pub clues: Option<RangeInclusive<u32>>,
    /// With puzzles and minimal, put clues only in these cells: one character per cell, where `.`, `0`, `-`
    /// or `_` means no clue
    #[arg(hide_short_help = true, long, value_name = "FILE|TEXT", allow_hyphen_values = true)]
    pub pattern: Option<String>,
    /// With puzzles and minimal, make the pattern of clues symmetric: rotational, mirror, diagonal or full
    #[arg(long, value_name = "NAME", hide_possible_values = true, conflicts_with = "pattern", value_parser = value_parsers::one_of(Symmetry::ALL))]
    pub symmetry: Option<Symmetry>,
    /// With puzzles and minimal, make each of the --count puzzles harder (more guesses) by small changes, and
    /// write the N hardest
    ///
    /// The hardest comes first. With --pattern or --symmetry, only digits are changed, and the cells with
    /// clues stay the same.
    #[arg(long, value_name = "N", value_parser = value_parsers::from_one())]
    pub keep_hardest: Option<u64>,
    /// With puzzles, minimal and neighbours, make only puzzles rated (ser) in this range; end the run (exit
    /// status 1) after --attempts without one
    #[arg(long, value_name = "LOW..HIGH", value_parser = value_parsers::rating_range)]
    pub rating: Option<RangeInclusive<Tenths>>,
    /// With puzzles, minimal and neighbours, make only puzzles rated easy (1.0..2.3), medium (2.4..3.9), hard
    /// (4.0..6.2), expert (from 6.5)
    #[arg(long, value_name = "WORD", hide_possible_values = true, conflicts_with = "rating", value_parser = value_parsers::difficulties())]
    pub difficulty: Option<RangeInclusive<Tenths>>,
    /// With puzzles, minimal and neighbours, conditions on the solving steps. If --needs is given without
    /// --rating, no step may be rated above the hardest technique that --needs names
    #[command(flatten)]
    pub path: StepArgs,
    /// With neighbours: remove N clues of each puzzle [default: 1]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = value_parsers::whole::<usize>(0, MAX_REMOVED as u64))]
    pub remove: Option<usize>,
    /// With neighbours: add N other clues [default: 1]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = value_parsers::whole::<usize>(0, MAX_ADDED as u64))]
    pub add: Option<usize>,
    /// With neighbours: make N random changes instead of all. Each draws a puzzle, the clues to remove and
    /// all but one of the clues to add, then tries every clue as the last
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = value_parsers::from_one())]
    pub sample: Option<u64>,
    /// With neighbours: make only puzzles that need every clue
    #[arg(hide_short_help = true, long)]
    pub minimal: bool,
    /// With neighbours: also leave out puzzles equivalent to one in FILE; may be repeated
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub known: Vec<PathBuf>,
    /// With --keep-hardest: try N changes of each puzzle
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 300, requires = "keep_hardest", value_parser = value_parsers::whole::<u32>(0, u32::MAX.into()))]
    pub steps: u32,
    /// With exact cover problems: give every option a random cost from LOW to HIGH
    #[arg(hide_short_help = true, long, value_name = "LOW..HIGH", allow_hyphen_values = true, value_parser = value_parsers::range)]
    pub costs: Option<RangeInclusive<i64>>,
    /// With puzzles: also write random weights from LOW to HIGH, one per cell, to --weights-out
    #[arg(hide_short_help = true, long, value_name = "LOW..HIGH", allow_hyphen_values = true, value_parser = value_parsers::range,
          requires = "weights_out")]
    pub weights: Option<RangeInclusive<i64>>,
    /// Write the weights of --weights to FILE, as `best --weights` reads them
    #[arg(hide_short_help = true, long, value_name = "FILE", requires = "weights")]
    pub weights_out: Option<PathBuf>,
    /// Give up after N failed attempts at a record or, with --distinct, N duplicates in a row
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = quadrille_generate::sudoku::ATTEMPTS,
          value_parser = value_parsers::from_one())]
    pub attempts: u64,
    /// Write these columns, separated by tabs
    #[arg(short = 'F', long, value_name = "NAME,...", value_delimiter = ',', default_value = "puzzle",
          value_parser = ["index", "puzzle", "solution", "clues", "guesses", "rating", "weight", "orders"])]
    pub fields: Vec<String>,
    #[command(flatten)]
    pub to: OutArgs,
    /// Test puzzles with this engine; without --keep-hardest all engines make the same puzzles
    #[arg(hide_short_help = true, long, value_name = "NAME", default_value = "auto", value_parser = value_parsers::engine())]
    pub engine: OrAuto<EngineKind>,
    /// Use this instruction set in the engine
    #[arg(hide_short_help = true, long, value_name = "NAME", default_value = "auto", value_parser = value_parsers::isa())]
    pub isa: OrAuto<Isa>,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// End the whole run after TIME (exit status 4)
    #[arg(long, value_name = "TIME", value_parser = value_parsers::time)]
    pub deadline: Option<Duration>,
    /// Show progress on standard error
    #[arg(hide_short_help = true, long, value_enum, default_value = "auto")]
    pub progress: When,
    /// Print no progress
    #[arg(short, long)]
    pub quiet: bool,
}

/// Compare the speed of engines, instruction sets and other programs
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille bench puzzles.txt\n  \
    quadrille bench --engine lanes,bitmask --every 10 puzzles.txt -o old.json\n  \
    quadrille bench --engine lanes,bitmask --every 10 puzzles.txt --compare old.json")]
pub(super) struct BenchArgs {
    /// Input files, plain, gzip or zstd; `-` or no file for standard input
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Look for up to K solutions of each record; 2 decides uniqueness [default: 2, or all with --count]
    #[arg(long, value_name = "K", value_parser = value_parsers::from_one(), help_heading = "Question")]
    pub limit: Option<u64>,
    /// Count solutions instead of finding them
    #[arg(long, help_heading = "Question")]
    pub count: bool,
    /// Measure these engines [default: all that can answer]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Race",
          value_parser = value_parsers::engines())]
    pub engine: Vec<EngineKind>,
    /// Measure these instruction sets, in engines that have several [default: all of this machine]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Race",
          value_parser = value_parsers::isas())]
    pub isa: Vec<Isa>,
    /// Measure a program as well, and check all its answers; `self` is this program. Write NAME[first] if it
    /// only finds a solution, NAME[unique] if it proves uniqueness. May be repeated; engines then take part
    /// only if --engine names them
    #[arg(long, value_name = "NAME=COMMAND", value_parser = value_parsers::program, help_heading = "Programs")]
    pub program: Vec<Program>,
    /// Use this form of input and output for programs [default: the first that works on the first records]
    #[arg(long, value_name = "NAME", value_parser = value_parsers::one_of(Protocol::ALL), requires = "program", help_heading = "Programs")]
    pub protocol: Option<Protocol>,
    /// Kill a program that has not ended after TIME
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = value_parsers::time, help_heading = "Programs")]
    pub program_limit: Duration,
    /// Measure N rounds; each round runs every engine and program once. `auto` goes on until every ratio is
    /// known to 2 % or --time is up
    #[arg(long, value_name = "N|auto", default_value = "5", help_heading = "Race", value_parser = value_parsers::rounds)]
    pub rounds: Rounds,
    /// Measure each file as a separate corpus, all in one table
    #[arg(long, help_heading = "Race")]
    pub per_file: bool,
    /// Give each engine and program TIME in total: slow ones get a sample of the records, or fewer rounds; 0
    /// for no limit
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = value_parsers::time, help_heading = "Race")]
    pub time: Duration,
    /// Measure processor time, which is steadier if other programs run
    #[arg(hide_short_help = true, long, help_heading = "Race")]
    pub cpu_time: bool,
    /// Compare with this engine or program, such as dlx, lanes:portable or a program's name [default: the slowest]
    #[arg(hide_short_help = true, long, value_name = "NAME", help_heading = "Race")]
    pub baseline: Option<String>,
    /// Measure every N-th record of the input
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 1, help_heading = "Race",
          value_parser = value_parsers::whole::<u32>(1, u32::MAX.into()))]
    pub every: u32,
    /// Repeat a short corpus until it has N records
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0, help_heading = "Race",
          value_parser = value_parsers::whole::<u32>(0, u32::MAX.into()))]
    pub min_records: u32,
    /// Set the random seed, which decides the order of the records
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Race", value_parser = value_parsers::from_zero())]
    pub seed: u64,
    /// Print JSON instead of a table
    #[arg(long, help_heading = "Results")]
    pub json: bool,
    /// Print FORMAT instead of a table for people; csv has one line per engine or program and class of
    /// problems
    #[arg(long, value_name = "FORMAT", conflicts_with = "json", value_parser = value_parsers::one_of(value_parsers::RACE_FORMATS), help_heading = "Results")]
    pub to: Option<ExportFormat>,
    /// Also write the results to FILE as JSON
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
    /// Compare with earlier results for the same records, which -o wrote to FILE
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub compare: Option<PathBuf>,
    /// Write a page about the results to FILE: HTML with charts
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub report: Option<PathBuf>,
    /// Print no progress
    #[arg(short, long, help_heading = "Results")]
    pub quiet: bool,
}

/// Show a statistics file, or the sum of several
#[derive(Debug, Args)]
#[command(after_help = "Example: quadrille stats shard-*.json --out all.json")]
pub(super) struct StatsArgs {
    /// Statistics files that --stats-out wrote
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Also write the sum to FILE, as a statistics file
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
    /// Print the sum as JSON instead of a summary
    #[arg(long)]
    pub json: bool,
}

/// Write a page with charts of one run, of several runs compared, or of bench results
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  quadrille report run.json -o report.html\n  \
    quadrille report old.json new.json -o compared.html\n  \
    quadrille report old.json new.json --outcomes old.outcomes --outcomes new.outcomes -o compared.html\n  \
    quadrille report run.json --to csv --table guesses")]
pub(super) struct PageArgs {
    /// Statistics files that --stats-out wrote: of one run, or of several to compare with the first. Or one
    /// or two results of `bench`, the earlier first. Or one file of `count --marginals --to jsonl`
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub to: OutArgs,
    /// Write the html page, or only its tables [default: from the name of -o, or html]
    #[arg(long = "to", value_name = "FORMAT", value_parser = value_parsers::one_of(value_parsers::PAGE_FORMATS))]
    pub format: Option<ExportFormat>,
    /// With csv: write only the table of this name
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// Read the outcome of each record from FILE, as --outcomes-out wrote it: one file per run, in the same order
    #[arg(long, value_name = "FILE")]
    pub outcomes: Vec<PathBuf>,
    #[command(flatten)]
    pub messages: QuietArgs,
}

/// Print the completion script of a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  quadrille completions bash > ~/.local/share/bash-completion/completions/quadrille\n  \
    quadrille completions fish > ~/.config/fish/completions/quadrille.fish"
)]
pub(super) struct CompletionsArgs {
    /// Shell that runs the script
    pub shell: Shell,
}

/// Print the man page of the program or of a verb
#[derive(Debug, Args)]
#[command(after_help = "Example: quadrille man solve | man -l -")]
pub(super) struct ManArgs {
    /// Verb to describe
    pub verb: Option<String>,
}

/// Run a program for bench, and write its time and memory to a file
#[derive(Debug, Args)]
#[cfg(unix)]
#[command(hide = true)]
pub(super) struct MeterProgramArgs {
    /// File to write
    pub file: PathBuf,
    /// Command of the program
    #[arg(required = true, last = true)]
    pub words: Vec<std::ffi::OsString>,
}

/// Write man pages and shell completions
#[derive(Debug, Args)]
#[command(hide = true)]
pub(super) struct GenerateDocsArgs {
    /// Directory to write them to
    pub directory: PathBuf,
}
