//! The table of formats: one row and one file each.

mod contest;
pub(super) mod csv;
mod cubes;
mod dlx;
mod euler;
mod grid;
mod integers;
pub(super) mod line;
mod matrix;
mod rows;
mod sdk;
mod sets;
mod whole;

use std::sync::Arc;

use super::cutter::Cutter;
use super::sniff::Head;
use super::{Chunk, Format, InputOptions, Layout, Parser, Record, Records};

/// What is to be known about a format.
pub(super) struct Row {
    pub(super) format: Format,
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// What it is, for people.
    pub(super) about: &'static str,
    /// Whether the head of a source looks like it; asked in the order of the table, the last row takes all.
    pub(super) sniff: fn(&Head<'_>) -> bool,
    /// Its grids are written in characters, whose alphabet has to be found out.
    pub(super) has_symbols: bool,
    /// Finds its records.
    pub(super) cutter: fn(&Arc<Layout>, &InputOptions) -> Box<dyn Cutter>,
    /// Parses a chunk without cuts.
    pub(super) parse: fn(&mut Parser, &Chunk, &mut Records),
    /// Parses a record that the cutter found: fills in everything but line, byte and text.
    pub(super) parse_cut: fn(&mut Parser, &Chunk, &mut Record, &mut Records),
}

const TABLE: &[Row] = &[
    cubes::ROW,
    sdk::ROW,
    euler::ROW,
    dlx::ROW,
    integers::ROW,
    csv::ROW,
    contest::ROW,
    grid::ROW,
    sets::ROW,
    matrix::ROW,
    line::ROW,
];

pub(super) fn table() -> &'static [Row] {
    TABLE
}

/// The row of a format.
pub(super) fn row(format: Format) -> &'static Row {
    TABLE.iter().find(|row| row.format == format).unwrap_or(&TABLE[TABLE.len() - 1])
}

/// For formats whose cutter lists all records.
fn no_records(_: &mut Parser, _: &Chunk, _: &mut Records) {}

/// For formats whose parser finds all records.
fn no_cut(_: &mut Parser, _: &Chunk, _: &mut Record, _: &mut Records) {}

/// As [`rows::cells_of`] for characters.
pub(super) fn cells_of(line: &[u8], dashes: bool) -> impl Iterator<Item = (usize, usize)> {
    rows::cells_of(line, rows::Unit::Character, dashes)
}
