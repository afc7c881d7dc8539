//! The table of formats: one row and one file each.

mod align;
mod contest;
mod csv;
mod cubes;
mod dlx;
mod euler;
mod grid;
mod integers;
pub(super) mod jsonl;
mod line;
mod matrix;
mod row_machine;
mod rows;
mod sdk;
mod sets;
pub(super) mod table;
mod whole;

use std::sync::Arc;

use super::cutter::Cutter;
use super::grids::GridReader;
use super::head::Head;
use super::{Chunk, Format, InputOptions, Layout, PlainLines, Record, Records};

/// The entry of a format in the table: its names and functions.
pub(super) struct FormatRow {
    pub(super) format: Format,
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// One line about it, for help.
    pub(super) about: &'static str,
    /// Returns true if the head of a source looks like it; asked in the order of the table, the last row takes all.
    pub(super) sniff: fn(&Head<'_>) -> bool,
    /// Adds to the layout what else a head decides; `false` where it stops too soon (never where it is complete).
    pub(super) describe: fn(&Head<'_>, bool, &mut Layout) -> Result<bool, String>,
    /// Its grids are written in characters, whose alphabet has to be found out.
    pub(super) has_symbols: bool,
    /// Finds its records.
    pub(super) cutter: fn(&Arc<Layout>, &InputOptions) -> Box<dyn Cutter>,
    /// Takes the puzzles of a chunk without cuts, and given solutions where they are wanted, if all may be plain 9x9.
    pub(super) plain_lines: fn(&Chunk, &mut PlainLines, Option<&mut Vec<u8>>) -> bool,
    /// Parses a chunk without cuts.
    pub(super) parse: fn(&mut GridReader, &Chunk, &mut Records),
    /// Parses a record that the cutter found: fills in everything but line, byte and text.
    pub(super) parse_cut: fn(&mut GridReader, &Chunk, &mut Record, &mut Records),
}

const TABLE: &[FormatRow] = &[
    cubes::ROW,
    jsonl::ROW,
    sdk::ROW,
    euler::ROW,
    dlx::ROW,
    integers::ROW,
    csv::ROW,
    contest::ROW,
    grid::ROW,
    sets::ROW,
    matrix::ROW,
    table::PARQUET,
    table::ARROW,
    line::ROW,
];

pub(super) fn table() -> &'static [FormatRow] {
    TABLE
}

/// The row of a format.
pub(super) fn row(format: Format) -> &'static FormatRow {
    TABLE.iter().find(|row| row.format == format).unwrap_or(&TABLE[TABLE.len() - 1])
}

impl FormatRow {
    /// The defaults of most formats: their cutter lists all records, and only a name leads to them.
    const CUT: FormatRow = FormatRow {
        format: Format::Line,
        name: "",
        about: "",
        sniff: |_| false,
        describe: |_, _, _| Ok(true),
        has_symbols: false,
        cutter: whole::cutter,
        plain_lines: |_, _, _| false,
        parse: |_, _, _| {},
        parse_cut: |_, _, _, _| {},
    };
}

impl Format {
    /// All formats and what each is, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = (Format, &'static str)> {
        TABLE.iter().map(|row| (row.format, row.about))
    }

    /// True for exact cover: a source is one problem.
    pub fn is_cover(self) -> bool {
        matches!(self, Format::Dlx | Format::Sets | Format::Matrix)
    }

    /// True if an id may stand with a puzzle that has no columns.
    pub(super) fn has_ids(self) -> bool {
        matches!(self, Format::Line | Format::Euler | Format::Cubes)
    }

    /// True for tables of columns that are no text: they are recognised by their first bytes, and read in builds with the
    /// feature `parquet`.
    pub fn is_table(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow)
    }

    /// Returns true if puzzles are in columns or members with names.
    pub fn has_columns(self) -> bool {
        self.is_table() || matches!(self, Format::Csv | Format::Jsonl)
    }

    /// The format of a name, as [`name`](Self::name) writes it.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.format)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        row(self).name
    }
}

/// As [`rows::cells_of`] for characters.
pub(super) fn cells_of(line: &[u8], dashes: bool) -> impl Iterator<Item = (usize, usize)> {
    rows::cells_of(line, rows::Unit::Character, dashes)
}
