//! Puzzles that are written again, in the form of the first source.

use std::sync::OnceLock;

use super::convert::{Conversion, Lines, PuzzleText};
use super::csv::Csv;
use super::jsonl::Jsonl;
use super::{Formatter, Lose, OutputOptions, Row, Verb};
use crate::input::Layout;

/// Formatter for puzzles in the form of the first source: CSV, objects, or lines.
pub(super) struct AsInput {
    csv: Csv,
    jsonl: Jsonl,
    lines: Lines,
    first: OnceLock<Layout>,
}

impl AsInput {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let conversion = match options.verb {
            Verb::Convert(conversion) => conversion,
            _ => Conversion::new("line", PuzzleText::Field),
        };
        let lines = Lines::new(conversion, options.fields.clone());
        AsInput { csv: Csv::new(options), jsonl: Jsonl::new(options), lines, first: OnceLock::new() }
    }

    /// Returns the formatter of rows. On the first call, `layout` must be that of the first source.
    fn rows(&self, layout: &Layout) -> &dyn Formatter {
        let first = self.first.get_or_init(|| layout.clone());
        match first {
            Layout { members: Some(_), .. } => &self.jsonl,
            Layout { csv: None, table: None, .. } => &self.lines,
            _ => &self.csv,
        }
    }
}

impl Formatter for AsInput {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        self.rows(layout).begin(layout, out);
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        self.rows(row.layout).row(row, out);
    }

    fn learn(&self, first: &Layout) {
        self.rows(first).learn(first);
    }

    fn may_lose(&self, layout: &Layout) -> bool {
        self.rows(layout).may_lose(layout)
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        self.rows(row.layout).losses(row, lose);
    }
}
