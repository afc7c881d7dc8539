//! Reports that people look at: statistics and results of races as pages.
//!
//! ```text
//! Statistics, bench::Report  ->  Page: sections of figures, each a table and pictures of it
//!                                  |
//!                                  +-> html (askama), pictures as shapes (svg) in the page
//!                                  +-> markdown, csv, json, and text for terminals: the tables
//! ```
//!
//! * A number is computed once, where its [`Cell`](model::Cell) is made. What was read in a file has the place in it as its key,
//!   by which tests hold the page against the file.
//! * A page needs nothing but itself: no script, no other file, no network.
//! * A page is bounded: statistics are, and of what grows with sources or with `--top` the first are drawn and listed.

mod bench;
mod compare;
mod edges;
mod facts;
mod hardest;
mod html;
mod model;
mod one;
mod paired;
mod ratio;
mod svg;
mod text;

pub(crate) use html::html;
pub(crate) use model::Page;
pub(crate) use paired::{Paired, RecordFile};
pub(crate) use text::{Exported, csv, json, markdown, terminal};

pub(crate) use bench::page as bench_page;

use quadrille_batch::stats::Statistics;

/// The statistics of a run, with a name for people.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Its name among the runs of the page.
    pub(crate) name: String,
    /// Its number among the files of the page.
    pub(crate) number: usize,
    pub(crate) statistics: Statistics,
}

impl Run {
    /// The key of a place in its file.
    fn key(&self, pointer: &str) -> String {
        format!("{}{pointer}", self.number)
    }
}

/// A name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The page about one run, or about several side by side, the others compared with the first. `paired`: what came of the
/// same records in each of the others.
pub(crate) fn page(runs: &[Run], paired: &[Paired]) -> Page {
    match runs {
        [run] => Page {
            title: title(run),
            sentence: facts::sentence(&run.statistics),
            alarms: facts::alarms(&run.statistics),
            sections: one::sections(run),
        },
        runs => compare::page(runs, paired),
    }
}

fn title(run: &Run) -> String {
    let verb =
        run.statistics.runs().first().and_then(|kind| kind.options.first()).map_or("run", String::as_str);
    let mut names = run.statistics.sources().map(|(name, _)| name);
    match (names.next(), names.next()) {
        (Some("-"), None) => format!("{verb}: standard input"),
        (Some(name), None) => format!("{verb}: {name}"),
        (Some(_), Some(_)) => format!("{verb}: {} sources", run.statistics.sources().len()),
        _ => verb.to_owned(),
    }
}
