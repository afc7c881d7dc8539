//! Reports for people: pages about statistics and about results of races.
//!
//! ```text
//! Statistics, bench::Report  ->  Page: sections of figures, each a table and pictures of it (svg draws them)
//!                                  |
//!                                  +-> html (askama), with the pictures
//!                                  +-> markdown, csv, json, and text for terminals: the tables
//! ```
//!
//! * A number is computed once, for its [`Cell`](page::Cell). A number read from a file has its place in that file as
//!   a key, which tests use to compare the page with the file.
//! * A page is self-contained: no script, no other file, no network.
//! * A page is bounded. Statistics are bounded; of lists that grow with sources or `--top`, only the first entries are
//!   shown.

mod bench;
mod bins;
mod compare;
mod export;
mod hardest;
mod header;
mod html;
mod marginals;
mod page;
mod ratings;
mod ratio;
mod record_diff;
mod run_page;
mod scene;
mod sheet;
mod steps;
mod svg;

pub(crate) use export::{ExportFormat, csv, json, markdown, terminal};
pub(crate) use html::html;
pub(crate) use marginals::{are_marginals, marginals_page};
pub(crate) use page::Page;
pub(crate) use record_diff::{Paired, RecordFile};
pub(crate) use sheet::{SheetFormat, SheetPuzzle, sheet};
pub(crate) use steps::step_sections;

pub(crate) use bench::{page as bench_page, rows as bench_rows, side_by_side, text as bench_text};

use page::{Cell, Unit, Value};
use quadrille_batch::stats::Statistics;
use serde_json::Value as Json;

/// An input file of the page, as JSON. Cells of tables take their values from it.
#[derive(Debug, Clone)]
struct JsonFile {
    /// Index of this file among the input files of the page.
    number: usize,
    contents: Json,
}

impl JsonFile {
    /// Returns a cell with the number at the position `pointer` in the file, or with `Missing` if there is no
    /// number.
    fn cell(&self, unit: Unit, pointer: &str) -> Cell {
        let number = self.contents.pointer(pointer);
        let whole = number.and_then(Json::as_u64).filter(|_| unit.is_whole());
        let real = || number.and_then(Json::as_f64).map(|real| Value::Real(real, unit));
        self.read_at(pointer, whole.map(|whole| Value::Whole(whole, unit)).or_else(real))
    }

    /// Returns a cell with the text at the position `pointer` in the file, or with `Missing` if there is no
    /// text.
    fn words(&self, kind: fn(String) -> Value, pointer: &str) -> Cell {
        let text = self.contents.pointer(pointer).and_then(Json::as_str);
        self.read_at(pointer, text.map(|text| kind(text.to_owned())))
    }

    /// Returns a cell with a value that was read from the position `pointer` in the file. The key of the cell is the
    /// index of the file, followed by the pointer.
    fn read_at(&self, pointer: &str, value: Option<Value>) -> Cell {
        let key = value.is_some().then(|| format!("{}{pointer}", self.number));
        Cell { key, ..value.into() }
    }
}

/// The statistics of a run, with a name to display.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub(crate) name: String,
    pub(crate) statistics: Statistics,
    file: JsonFile,
}

impl Run {
    /// Creates the run from its statistics. `number` is the index of its file among the input files of the
    /// page.
    pub(crate) fn new(name: impl Into<String>, number: usize, statistics: Statistics) -> Self {
        let file = JsonFile { number, contents: statistics.to_value() };
        Run { name: name.into(), statistics, file }
    }
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/.,:=+%@-_".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Quotes a file name for a shell. Also prevents a command from reading the name as an option.
fn quoted_path(path: &str) -> String {
    if path.starts_with('-') { quoted(&format!("./{path}")) } else { quoted(path) }
}

/// Returns the shell command that starts a run with the given arguments.
fn command(options: &[String]) -> String {
    ["quadrille"]
        .into_iter()
        .chain(options.iter().map(String::as_str))
        .map(quoted)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Escapes a name for use in a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the page about one run, or the page that compares several runs with the first.
///
/// `paired` has the record-by-record comparison of every other run with the first.
pub(crate) fn page(runs: &[Run], paired: &[Paired]) -> Page {
    match runs {
        [run] => Page {
            title: title(run),
            sentence: header::sentence(&run.statistics),
            alarms: header::alarms(&run.statistics),
            sections: run_page::sections(run),
        },
        runs => compare::page(runs, paired),
    }
}

fn title(run: &Run) -> String {
    let verb =
        run.statistics.runs.first().and_then(|kind| kind.options.first()).map_or("run", String::as_str);
    let mut names = run.statistics.sources().map(|(name, _)| name);
    match (names.next(), names.next()) {
        (Some("-"), None) => format!("{verb}: standard input"),
        (Some(name), None) => format!("{verb}: {name}"),
        (Some(_), Some(_)) => format!("{verb}: {} sources", run.statistics.sources().len()),
        _ => verb.to_owned(),
    }
}
