//! Options that several verbs share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::values::{self, Column, Only, OrAuto};
use quadrille_batch::{CHUNK_BYTES, MAX_INDEX_OFFSET, OnError, WINDOW_BYTES};
use quadrille_engine::EngineKind;
use quadrille_formats::input::{ColumnRef, Format};
use quadrille_formats::output::{LineEnds, OutputFormat};
use quadrille_model::simd::Isa;
use quadrille_model::{Alphabet, Status};

/// The file that a verb writes.
#[derive(Debug, Args)]
pub(crate) struct OutArgs {
    /// The file to write, in the format and with the compression of its name (.csv, .jsonl.gz) [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub write: WriteArgs,
}

/// The treatment of files that are there already.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct WriteArgs {
    /// Keep a file that is there already, and end with exit status 2
    #[arg(hide_short_help = true, long)]
    pub no_clobber: bool,
    /// Write over FILE.partial, where an earlier run left one
    #[arg(hide_short_help = true, long)]
    pub discard_partial: bool,
}

/// The ends of lines.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct LineEndArgs {
    /// What ends the lines of text
    #[arg(hide_short_help = true, long, value_name = "ENDS", default_value = "keep", value_parser = values::line_ends())]
    pub line_ends: LineEnds,
}

/// The statuses that make a run fail.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FailArgs {
    /// Exit with status 5 if any record has one of these statuses, as for --only
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', hide_possible_values = true,
          value_parser = values::statuses())]
    pub fail_on: Vec<Status>,
}

/// The options that all verbs that answer records share.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Input files, gzip and zstd included; `-` or nothing is standard input
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

#[derive(Debug, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// The input's format instead of sniffing it
    #[arg(short, long, value_name = "FORMAT", value_parser = values::formats())]
    pub format: Option<Format>,
    /// One more character that stands for an empty cell
    #[arg(hide_short_help = true, long, value_name = "CHAR", value_parser = values::blank)]
    pub blank: Option<u8>,
    /// The characters that are the digits above side 9
    #[arg(hide_short_help = true, long, value_parser = values::symbols())]
    pub symbols: Option<Alphabet>,
    /// Rows and columns of a box, such as 2x3
    #[arg(hide_short_help = true, long = "box", value_name = "RxC", value_parser = values::box_shape)]
    pub box_shape: Option<(usize, usize)>,
    /// The side of all grids (27 reads 729 characters as a 27x27)
    #[arg(long, value_name = "N")]
    pub side: Option<usize>,
    /// Read lower-case letters as marks: e even, o odd, others the same digit [default: up to side 9]
    #[arg(hide_short_help = true, long, value_parser = values::on_or_off())]
    pub marks: Option<bool>,
    /// The CSV column that holds the puzzle, by name or number
    #[arg(long, value_name = "NAME|N", value_parser = values::column)]
    pub column: Option<ColumnRef>,
    /// The CSV column that holds a given solution, by name or number
    #[arg(long, value_name = "NAME|N", value_parser = values::column)]
    pub solution_column: Option<ColumnRef>,
    /// Rules of all grids (`--rules list`)
    #[arg(long, value_name = "RULE,...", hide_possible_values = true, value_parser = values::RuleWords)]
    pub rules: Vec<String>,
    /// Regions in the place of boxes, for all grids: a character a cell
    #[arg(hide_short_help = true, long, value_name = "LAYOUT|FILE")]
    pub regions: Option<String>,
    /// More houses of all grids: a line each, a character a cell, `.`, `0`, `-` and `_` for cells outside
    #[arg(hide_short_help = true, long, value_name = "FILE")]
    pub houses: Option<PathBuf>,
    /// Answer comments and empty lines with an empty line, so that line numbers stay aligned
    #[arg(hide_short_help = true, long)]
    pub keep_lines: bool,
    /// Larger records are invalid (exact cover problems excepted); at most 2G
    #[arg(hide_short_help = true, long, value_name = "SIZE", default_value = "16M", value_parser = values::room)]
    pub max_record_bytes: usize,
    /// Added to record numbers, for shards of a larger corpus
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..=MAX_INDEX_OFFSET))]
    pub index_offset: u64,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    pub to: OutArgs,
    /// The format of the rows [default: by the name of -o, else text]
    #[arg(long = "output", value_name = "FORMAT", value_parser = values::OutputFormats)]
    pub output_format: Option<OutputFormat>,
    /// Columns of text, csv and jsonl, comma-separated
    #[arg(short = 'F', long, value_name = "NAME,...", value_delimiter = ',', value_parser = values::Columns::ALL)]
    pub fields: Vec<Column>,
    /// No header row in csv
    #[arg(hide_short_help = true, long)]
    pub no_header: bool,
    #[command(flatten)]
    pub ends: LineEndArgs,
    /// Repeat what followed the puzzle in the input (an id, a rating)
    #[arg(hide_short_help = true, long)]
    pub echo_id: bool,
    /// Only rows with these statuses
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', value_parser = values::only_statuses())]
    pub only: Vec<Only>,
    /// Also write unreadable records here, with reasons
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// The treatment of unreadable records
    #[arg(hide_short_help = true, long, default_value = "row", value_parser = values::on_error())]
    pub on_error: OnError,
    /// End the run (exit 3) when more records than this are unreadable
    #[arg(hide_short_help = true, long, value_name = "N")]
    pub max_rejects: Option<u64>,
    /// Write answers as they come, easy records before hard ones; each row carries its record's number
    #[arg(hide_short_help = true, long, conflicts_with_all = ["checkpoint", "records_out"])]
    pub unordered: bool,
    /// Flush after every chunk of answers
    #[arg(hide_short_help = true, long)]
    pub line_buffered: bool,
    #[command(flatten)]
    pub keep: CheckpointArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct CheckpointArgs {
    /// Keep how far the run has come here; needs -o
    #[arg(long, value_name = "FILE", requires = "out")]
    pub checkpoint: Option<PathBuf>,
    /// Time between two writings of the checkpoint
    #[arg(hide_short_help = true, long, value_name = "TIME", default_value = "5s", value_parser = values::time,
          requires = "checkpoint")]
    pub checkpoint_every: Duration,
    /// Go on where the checkpoint says; without one, start
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PoolArgs {
    /// Threads; 0 for one a core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, env = "QUADRILLE_THREADS", value_parser = values::threads)]
    pub threads: usize,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// The engine, or auto
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = values::engine())]
    pub engine: OrAuto<EngineKind>,
    /// The instruction set of engines that are written for several, or auto
    ///
    /// Other engines do not look at it, nor does the choice of the engine; answers are the same on all of them.
    #[arg(hide_short_help = true, long, value_name = "NAME", default_value = "auto", value_parser = values::isa())]
    pub isa: OrAuto<Isa>,
    #[command(flatten)]
    pub pool: PoolArgs,
    /// Search-tree nodes a record may take [default: 1000000000]
    #[arg(long, value_name = "N", conflicts_with = "no_limit", value_parser = clap::value_parser!(u64).range(1..))]
    pub node_limit: Option<u64>,
    /// Lift the default node limit
    #[arg(hide_short_help = true, long)]
    pub no_limit: bool,
    /// Time a record may take, such as 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub time_limit: Option<Duration>,
    #[command(flatten)]
    pub bounds: BoundArgs,
    /// Use an engine that measures time per record
    #[arg(hide_short_help = true, long)]
    pub timings: bool,
    /// Let a second engine redo every N-th record and compare
    #[arg(hide_short_help = true, long, value_name = "1/N", value_parser = values::audit)]
    pub audit: Option<u64>,
}

/// The bounds of a run.
#[derive(Debug, Args)]
pub(crate) struct BoundArgs {
    /// End the whole run after this time (exit 4)
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    pub deadline: Option<Duration>,
    /// Memory for the whole run, such as 64M, 2G; at least 8M, and as much again for each thread
    ///
    /// Text, records, tables of searches and rows of all threads together take no more, beside what the program itself takes. The
    /// tables of the search for one record may have a quarter, the text of one record a sixteenth (that of an exact cover
    /// problem has 256M without this option); a record that needs more is answered `unknown` with `memory`.
    #[arg(hide_short_help = true, long, value_name = "SIZE", value_parser = values::size)]
    pub memory: Option<u64>,
    /// Bytes of input handed to a worker at once
    #[arg(long, value_name = "SIZE", default_value_t = CHUNK_BYTES, value_parser = values::room, hide = true)]
    pub chunk_bytes: usize,
    /// Bytes of finished output that may wait behind a record that takes long
    #[arg(long, value_name = "SIZE", default_value_t = WINDOW_BYTES, value_parser = values::room, hide = true)]
    pub window: usize,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Reporting")]
pub(crate) struct ReportArgs {
    /// Print the whole summary, on a terminal or not
    #[arg(long)]
    pub stats: bool,
    /// Write statistics as JSON
    #[arg(long, value_name = "FILE")]
    pub stats_out: Option<PathBuf>,
    /// Write a page about the run, with pictures (HTML)
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Write what came of each record, a few bytes each, for `report --records`; takes a slower way through plain corpora
    #[arg(hide_short_help = true, long, value_name = "FILE", conflicts_with = "checkpoint")]
    pub records_out: Option<PathBuf>,
    /// Number of the hardest records that the statistics list
    #[arg(hide_short_help = true, long, value_name = "N", default_value_t = 10)]
    pub top: usize,
    /// Progress on standard error
    #[arg(hide_short_help = true, long, value_enum, default_value = "auto")]
    pub progress: When,
    /// No progress, no summary, no warnings
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
