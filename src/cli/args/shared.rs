//! Options that several verbs share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::value_parsers::{self, Column, Only, OrAny, OrAuto};
use quadrille_batch::{Condition, MAX_INDEX_OFFSET, MAX_THREADS, OnError};
use quadrille_engine::EngineKind;
use quadrille_formats::input::{ColumnRef, Format};
use quadrille_formats::output::{LineEnds, OutputFormat};
use quadrille_model::Alphabet;
use quadrille_model::simd::Isa;

/// Options for the output file of a command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct OutArgs {
    /// Write to FILE in the format that its name ends with (.csv, .jsonl.gz) [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
}

/// Treatment of existing output files.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct WriteArgs {
    /// Do not overwrite an existing file; end with exit status 2 instead
    #[arg(hide_short_help = true, long)]
    pub no_clobber: bool,
    /// Overwrite FILE.partial if an earlier run left one
    #[arg(hide_short_help = true, long)]
    pub discard_partial: bool,
    /// Compress .gz and .zst with level N, from 1 (fast) to 9 (small) [default: 1]
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = value_parsers::whole::<u8>(1, 9))]
    pub compression_level: Option<u8>,
}

/// Header and line ends of the output.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct LineArgs {
    /// Write no header row in csv
    #[arg(hide_short_help = true, long)]
    pub no_header: bool,
    /// Choose how lines of text end
    #[arg(hide_short_help = true, long, value_name = "ENDS", default_value = "keep", value_parser = value_parsers::described(LineEnds::ALL, LineEnds::name, LineEnds::about))]
    pub line_ends: LineEnds,
}

/// Options of all commands that answer records, such as `solve` and `count`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Input files, plain, gzip or zstd; `-` or no file for standard input
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Read the input in this format instead of detecting it
    #[arg(short = 'f', long = "from", value_name = "FORMAT", value_parser = value_parsers::formats())]
    pub format: Option<Format>,
    /// Read CHAR as an empty cell too
    #[arg(hide_short_help = true, long, value_name = "CHAR", value_parser = value_parsers::blank)]
    pub blank: Option<char>,
    /// Read digits in grids larger than 9x9 from these characters; a word of distinct letters, such as
    /// RSTUVWXYZ, works for any size
    #[arg(hide_short_help = true, long, value_parser = value_parsers::symbols())]
    pub symbols: Option<Alphabet>,
    /// Read grids with boxes of R rows and C columns, such as 2x3
    #[arg(hide_short_help = true, long = "box", value_name = "RxC", value_parser = value_parsers::box_shape)]
    pub box_shape: Option<(usize, usize)>,
    /// Read N by N grids, or of any size; 27: 729 characters are one grid
    #[arg(long, value_name = "N|any", value_parser = value_parsers::side)]
    pub side: Option<OrAny<usize>>,
    /// Read lower-case letters as marks: e for even, o for odd, any other letter for cells with the same
    /// digit [default: in grids up to 9x9]
    #[arg(hide_short_help = true, long, value_parser = value_parsers::one_of(value_parsers::ON_OR_OFF))]
    pub marks: Option<bool>,
    /// Read the first number of each set as the number of elements that follow [default: only if the input
    /// fits no other reading]
    #[arg(hide_short_help = true, long, value_parser = value_parsers::one_of(value_parsers::ON_OR_OFF))]
    pub counted_rows: Option<bool>,
    /// Keep this part of candidate grids: the candidates, or the clues alone [default: candidates]
    #[arg(hide_short_help = true, long, value_name = "PART", value_parser = value_parsers::one_of(value_parsers::KEPT))]
    pub keep: Option<bool>,
    /// Read puzzles from this column, by name or number
    #[arg(long, value_name = "NAME|N")]
    pub column: Option<ColumnRef>,
    /// Read given solutions from this column, by name or number
    #[arg(long, value_name = "NAME|N")]
    pub solution_column: Option<ColumnRef>,
    /// Apply these rules to all grids (`--rules list` shows all rules)
    #[arg(long, value_name = "RULE,...", hide_possible_values = true, value_parser = value_parsers::RuleWords)]
    pub rules: Vec<String>,
    /// Ignore table columns and JSON members `rules`
    #[arg(hide_short_help = true, long)]
    pub no_rules: bool,
    /// Use these regions instead of boxes in all grids: one character per cell
    #[arg(hide_short_help = true, long, value_name = "LAYOUT|FILE")]
    pub regions: Option<String>,
    /// Add these houses to all grids: one line per house, one character per cell, `.`, `0`, `-` or `_` for
    /// cells outside the house
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub houses: Option<PathBuf>,
    /// Write an empty line for each comment and empty line, so that line numbers stay aligned
    #[arg(hide_short_help = true, long)]
    pub keep_lines: bool,
    /// Reject records larger than SIZE, except exact cover problems; at most 2G
    #[arg(hide_short_help = true, long, value_name = "SIZE", default_value = "16M", value_parser = value_parsers::room)]
    pub max_record_bytes: usize,
    /// Add N to record numbers, for shards of a larger corpus
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0,
          value_parser = value_parsers::whole::<u64>(0, MAX_INDEX_OFFSET))]
    pub index_offset: u64,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    pub to: OutArgs,
    /// Write rows in this format [default: from the name of -o, or text]
    #[arg(long = "to", value_name = "FORMAT", value_parser = value_parsers::output_formats())]
    pub output_format: Option<OutputFormat>,
    /// Write these columns in text, csv, jsonl and tables
    #[arg(short = 'F', long, value_name = "NAME,...", value_delimiter = ',', value_parser = value_parsers::columns())]
    pub fields: Vec<Column>,
    #[command(flatten)]
    pub lines: LineArgs,
    /// Repeat the text that followed the puzzle in the input (an id, a rating)
    #[arg(hide_short_help = true, long)]
    pub echo_id: bool,
    /// Write only rows with these statuses
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', value_parser = value_parsers::only_statuses())]
    pub only: Vec<Only>,
    /// Exit with status 5 if any record has one of these
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', hide_possible_values = true,
          value_parser = value_parsers::only_statuses())]
    pub fail_on: Vec<Only>,
    /// Write only rows whose field NAME is in this range, such as guesses=5.. or clues=17..22
    #[arg(hide_short_help = true, long = "where", value_name = "NAME=RANGE", value_delimiter = ',', value_parser = value_parsers::condition)]
    pub conditions: Vec<Condition>,
    /// Write unreadable records and the reasons to FILE
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// Choose what happens to unreadable records
    #[arg(hide_short_help = true, long, default_value = "row", value_parser = value_parsers::one_of(value_parsers::ON_ERROR))]
    pub on_error: OnError,
    /// End the run (exit status 3) if more than N records are unreadable
    #[arg(hide_short_help = true, long, value_name = "N", value_parser = value_parsers::from_zero())]
    pub max_rejects: Option<u64>,
    /// Write answers as soon as they are ready, easy records first; each row has the number of its record
    #[arg(hide_short_help = true, long, conflicts_with_all = ["checkpoint", "outcomes_out"])]
    pub unordered: bool,
    /// Flush after every chunk of answers
    #[arg(hide_short_help = true, long)]
    pub line_buffered: bool,
    #[command(flatten)]
    pub keep: CheckpointArgs,
}

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct CheckpointArgs {
    /// Save progress to FILE; needs -o
    #[arg(long, value_name = "FILE", requires = "out")]
    pub checkpoint: Option<PathBuf>,
    /// Save progress every TIME
    #[arg(hide_short_help = true, long, value_name = "TIME", default_value = "5s", value_parser = value_parsers::time,
          requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Continue from the checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PoolArgs {
    /// Use N threads; 0 for one per core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, env = "QUADRILLE_THREADS", value_parser = value_parsers::whole::<usize>(0, MAX_THREADS as u64))]
    pub threads: usize,
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// Use this engine
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = value_parsers::engine())]
    pub engine: OrAuto<EngineKind>,
    /// Use this instruction set in engines that have several
    ///
    /// Other engines ignore it, and it does not affect the choice of the engine. Answers are the same with all instruction sets.
    #[arg(hide_short_help = true, long, value_name = "NAME", default_value = "auto", value_parser = value_parsers::isa())]
    pub isa: OrAuto<Isa>,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// Stop each record after N nodes [default: 10^9]
    #[arg(long, value_name = "N", conflicts_with = "no_node_limit", value_parser = value_parsers::from_one())]
    pub node_limit: Option<u64>,
    /// Remove the default node limit
    #[arg(hide_short_help = true, long)]
    pub no_node_limit: bool,
    /// Stop each record after TIME, such as 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = value_parsers::time)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub bounds: BoundArgs,
    /// Use an engine that measures time per record
    #[arg(hide_short_help = true, long)]
    pub timings: bool,
    /// Answer every N-th record with a second engine too, and compare
    #[arg(hide_short_help = true, long, value_name = "1/N", value_parser = value_parsers::audit)]
    pub audit: Option<u64>,
}

/// Limits of a whole run.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct BoundArgs {
    /// End the whole run after TIME (exit status 4)
    #[arg(long, value_name = "TIME", value_parser = value_parsers::time)]
    pub deadline: Option<Duration>,
    /// Use at most SIZE of memory for the whole run, such as 64M, 2G; at least 8M, plus 8M per thread
    ///
    /// The limit is for text, records, search tables and rows of all threads together; the program itself
    /// takes a little more. The search tables of one record may take a quarter of the limit, the text of one
    /// record a sixteenth (256M for an exact cover problem if this option is not given). A record that needs
    /// more is answered `unknown` with `memory`.
    #[arg(hide_short_help = true, long, value_name = "SIZE", value_parser = value_parsers::size)]
    pub memory: Option<u64>,
    /// Give each worker thread SIZE bytes of input at once
    #[arg(long, value_name = "SIZE", value_parser = value_parsers::room, hide = true)]
    pub chunk_bytes: Option<usize>,
    /// Buffer at most SIZE bytes of finished output that waits for an earlier, slow record
    #[arg(long, value_name = "SIZE", value_parser = value_parsers::room, hide = true)]
    pub window: Option<usize>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Reporting")]
pub(crate) struct ReportArgs {
    /// Print the whole summary, even without a terminal
    #[arg(long)]
    pub stats: bool,
    /// Write statistics to FILE as JSON
    #[arg(long, value_name = "FILE")]
    pub stats_out: Option<PathBuf>,
    /// Write a page about the run to FILE: HTML with charts
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write the outcome of each record to FILE, a few bytes each, for `report --outcomes`; slows down plain
    /// 9x9 corpora
    #[arg(hide_short_help = true, long, value_name = "FILE", conflicts_with = "checkpoint")]
    pub outcomes_out: Option<PathBuf>,
    /// List the N hardest records in the statistics
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 10, value_parser = value_parsers::whole::<usize>(0, u64::MAX))]
    pub top: usize,
    /// Show progress on standard error
    #[arg(hide_short_help = true, long, value_enum, default_value = "auto")]
    pub progress: When,
    /// Print no progress, summary or warnings
    #[arg(short, long)]
    pub quiet: bool,
}

/// Options about messages, for commands that show no progress.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct QuietArgs {
    /// Print no warnings
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, but not if results go into a pipe, because its reader may use the terminal too
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
