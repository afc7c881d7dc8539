//! The format of a source and its details: alphabet, columns, line end.

use super::cells::BLANKS;
use super::dialect::Dialect;
use super::json_members::{MemberLayout, Role};
use quadrille_model::Symbols;

/// The input formats. FORMATS.md has the rules of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// One puzzle per line (also `.sdm`, and lines of 729 characters for pencilmarks).
    Line,
    /// Comma-, semicolon- or tab-separated columns with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// One line per row of a grid, framed or bare; empty lines or the number of rows separate grids.
    Grid,
    /// A count, then that number of grids (POJ 2676, UVA 1461).
    Contest,
    /// Whitespace- or comma-separated integers, 0 for empty (Luogu P1074).
    Integers,
    /// SadMan `.sdk` with its header lines.
    Sdk,
    /// `Grid 01` headings, nine rows each (Project Euler 96).
    Euler,
    /// A group of digits for each cell: its candidates.
    Candidates,
    /// A field of a spreadsheet for each cell, even an empty cell.
    Sheet,
    /// Drawn or bare rows whose empty cells are blanks.
    Drawing,
    /// Lists of cells or rows.
    List,
    /// Games of OpenSudoku (XML).
    OpenSudoku,
    /// Knuth's exact cover text.
    Dlx,
    /// Exact cover: one set of numbers per line.
    Sets,
    /// Exact cover: one row of 0 and 1 per line.
    Matrix,
    /// Parts of one problem, one per line.
    Cubes,
    /// The columns of a Parquet file.
    Parquet,
    /// The columns of an Arrow IPC stream or file.
    Arrow,
}

/// The columns that the text of a table's rows holds in addition to the puzzle.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableLayout {
    /// Roles of the values that follow the puzzle.
    pub roles: Vec<Role>,
    /// True if the table has further columns, which are not part of the text.
    pub has_others: bool,
    /// All columns in table order, if they are [part of the text](super::OtherColumns).
    pub columns: Vec<TableColumn>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// Name of the column.
    pub name: String,
    /// 0-based place of the column's values in the text of a row; the puzzle is at 0.
    pub field: usize,
    /// True if the column's values are numbers or booleans.
    pub is_plain: bool,
}

/// The columns of a CSV source; column numbers are 0-based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvLayout {
    /// The byte between fields.
    pub delimiter: u8,
    /// The header line as written, without its line end; `None` if the source has no header.
    pub header: Option<Vec<u8>>,
    /// Number of columns of the header, or of the first row if there is no header.
    pub columns: usize,
    /// Column of the puzzle.
    pub puzzle: usize,
    /// Column of the given solution.
    pub solution: Option<usize>,
    /// Column of the record's id.
    pub id: Option<usize>,
    /// Column named `rules`.
    pub rules: Option<usize>,
    /// Column named `regions`.
    pub regions: Option<usize>,
}

/// Line end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineBreak {
    /// A line feed.
    #[default]
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// A carriage return, as on old systems.
    Cr,
}

impl LineBreak {
    /// Returns the bytes of the line end.
    pub fn bytes(self) -> &'static [u8] {
        match self {
            LineBreak::Lf => b"\n",
            LineBreak::CrLf => b"\r\n",
            LineBreak::Cr => b"\r",
        }
    }
}

/// The decisions about a source, made by the caller or by sniffing its first 64 KiB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Format of the source.
    pub format: Format,
    /// Alphabet of all records, if the caller named it or the head shows it.
    pub symbols: Option<Symbols>,
    /// Columns of [`Format::Csv`].
    pub csv: Option<CsvLayout>,
    /// Members of [`Format::Jsonl`].
    pub members: Option<MemberLayout>,
    /// Columns of [`Format::Parquet`] and [`Format::Arrow`].
    pub table: Option<TableLayout>,
    /// The byte that ends lines: newline, or carriage return in sources without newlines. Carriage returns before a
    /// newline belong to the line end.
    pub line_end: u8,
    /// 1-based number of the line that holds only the count of puzzles; it is skipped like a comment.
    pub header_line: Option<u64>,
    /// Length in bytes of the count of grids, if cells follow it on its line; otherwise 0.
    pub count_bytes: usize,
    /// End of the first line.
    pub line_break: LineBreak,
    /// True if the source begins with a UTF-8 byte order mark.
    pub has_mark: bool,
    /// Side of grids on one line each, if such a line could also be a row of a larger grid.
    ///
    /// Only for [`Format::Integers`].
    pub side_on_lines: Option<usize>,
    /// Facts about all grids.
    pub(crate) common: Common,
    /// True if layouts of regions follow puzzles on their lines.
    pub has_layouts: bool,
    /// True if a given solution follows the puzzle on its line.
    pub has_solutions: bool,
    /// How rows are written, for formats whose cells are found by their positions.
    pub rows: Option<RowsLayout>,
    /// Notes for the user about how the source is read.
    pub notes: Vec<String>,
}

/// Ways to find the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowLook {
    /// Bars between cells or boxes.
    #[default]
    Bars,
    /// Place of the first cell on the line, and distance between cells.
    Widths(u8, u8),
    /// Blanks and bars between groups of candidates.
    Candidates,
    /// A delimiter between fields; holds its byte.
    Fields(u8),
    /// The number or letter of the row before its cells.
    Labels,
    /// A word of one repeated character before the cells, as in lists and quotations; holds its byte.
    Bullets(u8),
    /// The cells of the puzzle, then those of its solution.
    Pairs,
    /// A string of source code for each row.
    Strings,
}

/// How the rows of grids are written, if their cells are not simply the characters or integers of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowsLayout {
    /// The way to find the cells.
    pub look: RowLook,
    /// Number of cells of a row.
    pub side: usize,
    /// Number of fields of an index before the cells.
    pub skip: usize,
    /// True if a row of a solution follows each row of a puzzle.
    pub has_solution: bool,
    /// True if frames may follow any row; false if they follow bands.
    pub has_any_frames: bool,
    /// True if each row of a grid is drawn with several lines.
    pub is_tall: bool,
}

/// Facts about all grids of a source from its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Common {
    /// Side of all grids that have no rules of their own; `None` if any side is allowed.
    pub(super) side: Option<usize>,
    /// Characters other than dots and zeros that are empty cells next to digits, one bit per known character.
    pub(super) blanks: u8,
    /// True if the head has no grid with a clue, and at least as many other lines as empty grids.
    pub(super) is_text: bool,
}

impl Common {
    /// Returns true if the character is known to be an empty cell.
    pub(super) fn has_blank(self, byte: u8) -> bool {
        BLANKS.iter().position(|&blank| blank == byte).is_some_and(|at| self.blanks >> at & 1 > 0)
    }
}

impl Layout {
    /// Returns true if given solutions have a column of their own.
    pub fn has_solution_column(&self) -> bool {
        self.csv.as_ref().is_some_and(|csv| csv.solution.is_some())
            || self.rows.is_some_and(|rows| rows.has_solution)
            || self.has_solutions
            || self.table.as_ref().is_some_and(|table| table.roles.contains(&Role::Solution))
    }

    /// Returns true if puzzles are in named columns or members.
    pub(crate) fn has_columns(&self) -> bool {
        self.csv.is_some() || self.members.is_some() || self.table.is_some()
    }

    /// Returns true if two CSV sources have matching columns and at least one has no header.
    ///
    /// The columns of such sources can only be matched by position.
    pub(crate) fn is_alike_without_names(&self, other: &Layout) -> bool {
        let (Some(csv), Some(other)) = (&self.csv, &other.csv) else { return false };
        (csv.header.is_none() || other.header.is_none())
            && (csv.columns, csv.puzzle) == (other.columns, other.puzzle)
            && (csv.solution == other.solution || csv.solution.is_none() || other.solution.is_none())
    }

    /// Returns the delimiter and line end of the source's rows.
    ///
    /// The delimiter is a comma if the source is not CSV.
    pub(crate) fn dialect(&self) -> Dialect {
        let delimiter = self.csv.as_ref().map_or(b',', |csv| csv.delimiter);
        // Rows taken from a table always end with a newline.
        let line_end = if self.table.is_some() { b'\n' } else { self.line_end };
        Dialect { delimiter, line_end }
    }
}

impl Default for Layout {
    /// Returns the layout of a source in format [`Format::Line`] about which nothing else is known.
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
            common: Common::default(),
            has_layouts: false,
            has_solutions: false,
            rows: None,
            notes: Vec::new(),
        }
    }
}
