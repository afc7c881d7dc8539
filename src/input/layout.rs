//! What is known about a source as a whole.

use crate::model::Symbols;

/// The input formats (FORMATS.md has each one's rules).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// One puzzle a line (also `.sdm` and 729-character pencilmark lines).
    Line,
    /// Comma-, semicolon- or tab-separated columns with a header.
    Csv,
    /// Rows of a puzzle on lines of their own, puzzles separated by empty lines or by count; framed or bare.
    Grid,
    /// A count, then that many grids (POJ 2676, UVA 1461).
    Contest,
    /// Whitespace- or comma-separated integers, 0 for empty (Luogu P1074).
    Integers,
    /// SadMan `.sdk` with its header lines.
    Sdk,
    /// `Grid 01` headings, nine rows each (Project Euler 96).
    Euler,
    /// Knuth's exact cover text.
    Dlx,
    /// Exact cover: one set of numbers a line.
    Sets,
    /// Exact cover: one 0/1 row a line.
    Matrix,
}

/// The columns of a CSV source, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvLayout {
    /// The byte between fields.
    pub delimiter: u8,
    /// The header line as it stands in the input, without its line end; `None` where the source has none.
    pub header: Option<Vec<u8>>,
    /// How many columns the header (else the first row) has.
    pub columns: usize,
    /// The puzzle's column.
    pub puzzle: usize,
    /// The given solution's column.
    pub solution: Option<usize>,
    /// The column named `id`.
    pub id: Option<usize>,
}

/// What sniffing (or the caller) decided about a source, from its first 64 KiB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Its format.
    pub format: Format,
    /// The alphabet of all its records, where named by the caller or clear from the source's head.
    pub symbols: Option<Symbols>,
    /// For [`Format::Csv`].
    pub csv: Option<CsvLayout>,
}
