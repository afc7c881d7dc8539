//! The format of a source, and its details as a whole: alphabet, columns, line end.

use super::dialect::Dialect;
use super::members::MemberLayout;
use quadrille_model::Symbols;

/// The input formats (FORMATS.md has each one's rules).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// One puzzle a line (also `.sdm` and 729-character pencilmark lines).
    Line,
    /// Comma-, semicolon- or tab-separated columns with a header.
    Csv,
    /// JSON objects, one a line.
    Jsonl,
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
    /// Parts of one problem, one a line.
    Cubes,
    /// The columns of a Parquet file.
    Parquet,
    /// The columns of an Arrow IPC stream or file.
    Arrow,
}

/// What the text of a table's rows holds beside their puzzles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableLayout {
    /// A given solution.
    pub has_solution: bool,
    /// An id.
    pub has_id: bool,
    /// It has a column of rules.
    pub has_rules: bool,
    /// It has a column of regions.
    pub has_regions: bool,
    /// The table has other columns, which are no part of the text.
    pub has_others: bool,
    /// All columns in the order of the table, if they are [part of the text](super::OtherColumns).
    pub columns: Vec<TableColumn>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// The place of its values in the text of a row, from 0; the puzzle's is the first.
    pub field: usize,
    /// Its values are numbers, or true and false.
    pub is_plain: bool,
}

/// The columns of a CSV source, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvLayout {
    /// The byte between fields.
    pub delimiter: u8,
    /// The header line as it stands in the input, without its line end; `None` where the source has none.
    pub header: Option<Vec<u8>>,
    /// Number of columns of the header (else the first row).
    pub columns: usize,
    /// The puzzle's column.
    pub puzzle: usize,
    /// The given solution's column.
    pub solution: Option<usize>,
    /// The column named `id`.
    pub id: Option<usize>,
    /// The column named `rules`.
    pub rules: Option<usize>,
    /// The column named `regions`.
    pub regions: Option<usize>,
}

/// The bytes that end a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineBreak {
    /// A line feed.
    #[default]
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// A carriage return, as in texts of old systems.
    Cr,
}

impl LineBreak {
    /// Returns its bytes.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            LineBreak::Lf => b"\n",
            LineBreak::CrLf => b"\r\n",
            LineBreak::Cr => b"\r",
        }
    }
}

/// The decisions about a source that sniffing (or the caller) made, from its first 64 KiB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Its format.
    pub format: Format,
    /// The alphabet of all its records, where named by the caller or clear from the source's head.
    pub symbols: Option<Symbols>,
    /// For [`Format::Csv`].
    pub csv: Option<CsvLayout>,
    /// For [`Format::Jsonl`].
    pub members: Option<MemberLayout>,
    /// For [`Format::Parquet`] and [`Format::Arrow`].
    pub table: Option<TableLayout>,
    /// The byte that ends its lines: newline (carriage returns before it are no part of the line), or carriage
    /// return in sources without newlines.
    pub line_end: u8,
    /// The line, from 1, that holds only the number of puzzles before the first puzzle; skipped like a comment.
    pub header_line: Option<u64>,
    /// Bytes of the first line that are the number of grids, where cells follow on it; else 0.
    pub count_bytes: usize,
    /// What ends its first line.
    pub line_break: LineBreak,
    /// True if it begins with a byte order mark of UTF-8.
    pub has_mark: bool,
    /// For [`Format::Integers`]: the side of grids on a line each, where such a line is as long as a row of a larger grid.
    pub side_on_lines: Option<usize>,
}

impl Layout {
    /// True if records have a place for a given solution in a column of its own.
    pub fn has_solution_column(&self) -> bool {
        self.csv.as_ref().is_some_and(|csv| csv.solution.is_some())
            || self.table.as_ref().is_some_and(|table| table.has_solution)
    }

    /// True if puzzles stand in columns or members with names.
    pub(crate) fn has_columns(&self) -> bool {
        self.csv.is_some() || self.members.is_some() || self.table.is_some()
    }

    /// Returns true if one of two tables of text has no header, and its columns can only be told by their places.
    pub(crate) fn is_alike_without_names(&self, other: &Layout) -> bool {
        let (Some(csv), Some(other)) = (&self.csv, &other.csv) else { return false };
        (csv.header.is_none() || other.header.is_none())
            && (csv.columns, csv.puzzle) == (other.columns, other.puzzle)
            && (csv.solution == other.solution || csv.solution.is_none() || other.solution.is_none())
    }

    /// Returns the delimiter and line end of its rows; with commas where it is no table.
    pub(crate) fn dialect(&self) -> Dialect {
        let delimiter = self.csv.as_ref().map_or(b',', |csv| csv.delimiter);
        // Rows of tables have ends of their own, which no text has.
        let line_end = if self.table.is_some() { b'\n' } else { self.line_end };
        Dialect { delimiter, line_end }
    }
}

impl Default for Layout {
    /// Lines about which nothing is known.
    fn default() -> Self {
        Layout {
            format: Format::Line,
            symbols: None,
            csv: None,
            members: None,
            table: None,
            line_end: b'\n',
            header_line: None,
            count_bytes: 0,
            line_break: LineBreak::Lf,
            has_mark: false,
            side_on_lines: None,
        }
    }
}
