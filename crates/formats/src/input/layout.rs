//! The format of a source and its details: alphabet, columns, line end.

use super::cells::BLANKS;
use super::columns::{Columns, Role};
use super::dialect::Dialect;
use super::row_text::ROW_END;
use quadrille_model::Symbols;

/// An input format. FORMATS.md has the rules of each.
///
/// A row of the table in `formats/mod.rs`, which names them all.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(pub(super) u8);

impl Default for Format {
    fn default() -> Self {
        Format::Line
    }
}

/// The grammar of a CSV source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvLayout {
    /// The byte between fields.
    pub delimiter: u8,
    /// The header line as written, without its line end; `None` if the source has no header.
    pub header: Option<Vec<u8>>,
}

/// Where the objects of a source are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObjectShape {
    /// An object per line.
    #[default]
    Lines,
    /// Each object of a record is in this number of other objects.
    Inside(usize),
    /// The source is one document: a table by columns, or a list of the cells of a grid.
    Whole,
}

/// The objects of a JSON source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberLayout {
    /// Where the objects are.
    pub shape: ObjectShape,
    /// Lower-case names of the id member.
    pub id_names: &'static [&'static str],
    /// True if members of rules are left out.
    pub no_rules: bool,
}

/// The text of a table's rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableLayout {
    /// True if the table has further columns, which are not part of the text.
    pub has_others: bool,
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
    /// Returns the last byte of the line end.
    fn byte(self) -> u8 {
        if self == LineBreak::Cr { b'\r' } else { b'\n' }
    }

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
///
/// The default is a source in format [`Format::Line`] about which nothing else is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Format of the source.
    pub format: Format,
    /// Alphabet of all records, if the caller named it or the head shows it.
    pub symbols: Option<Symbols>,
    /// Columns or members of the source, if it has any.
    pub columns: Option<Columns>,
    /// Rows of [`Format::Csv`].
    pub csv: Option<CsvLayout>,
    /// Objects of [`Format::Jsonl`].
    pub members: Option<MemberLayout>,
    /// Rows of [`Format::Parquet`] and [`Format::Arrow`].
    pub table: Option<TableLayout>,
    /// 1-based number of the line that holds only the count of puzzles; it is skipped like a comment.
    pub header_line: Option<u64>,
    /// Meaning of lines that are a number alone, in formats of rows.
    pub numbers: Numbers,
    /// True if the solution of a grid may follow it in rows.
    pub solutions_in_rows: bool,
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
    /// The reason for refusing a source that is too large to be read as a whole, if only the whole source can decide.
    pub needs_all: Option<&'static str>,
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
    /// Blanks, bars or this byte between cells, or nothing.
    Words(u8),
}

/// Text before the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lead {
    /// Nothing.
    #[default]
    Nothing,
    /// The number or letter of the row.
    Label,
    /// A word of one repeated character, as in lists and quotations; holds its byte.
    Bullet(u8),
    /// Source code, with a string for each row.
    Quote,
}

/// Meaning of a number before grids in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Numbers {
    /// Numbers are cells.
    #[default]
    Cells,
    /// One number is the count of the grids.
    Count {
        /// 1-based number of its line.
        line: u64,
        /// The count.
        value: u64,
        /// Length of the count in bytes if cells follow on its line; otherwise 0.
        bytes: usize,
        /// True if the count may be the order of a single grid.
        may_be_order: bool,
    },
    /// This side, or root of the side, is before each grid.
    Order(u64),
    /// Each grid has its number before it.
    Ids,
}

/// How the rows of grids are written, if their cells are not simply the characters or integers of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowsLayout {
    /// The way to find the cells.
    pub look: RowLook,
    /// Text before the cells.
    pub lead: Lead,
    /// Number of cells of a row.
    pub side: usize,
    /// True if a row of a solution follows each row of a puzzle.
    pub has_solution: bool,
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
        self.solutions_in_rows
            || self.rows.is_some_and(|rows| rows.has_solution)
            || self.has_solutions
            || self.columns.as_ref().is_some_and(|columns| columns.places[Role::Solution].is_some())
    }

    /// Returns the number of columns or members that are known; 0 for a source without columns.
    pub(crate) fn column_count(&self) -> usize {
        self.columns.as_ref().map_or(0, |columns| columns.list.len())
    }

    /// Returns true if puzzles are in named columns or members.
    pub(crate) fn has_columns(&self) -> bool {
        self.columns.is_some()
    }

    /// Returns true if two CSV sources have matching columns and at least one has no header.
    ///
    /// The columns of such sources can only be matched by position.
    pub(crate) fn is_alike_without_names(&self, other: &Layout) -> bool {
        let other_columns = &other.columns;
        let (Some(csv), Some(other)) = (&self.csv, &other.csv) else { return false };
        let (Some(columns), Some(others)) = (&self.columns, other_columns) else { return false };
        let (one, two) = (columns.places, others.places);
        (csv.header.is_none() || other.header.is_none())
            && (columns.list.len(), one[Role::Puzzle]) == (others.list.len(), two[Role::Puzzle])
            && (one[Role::Solution] == two[Role::Solution]
                || one[Role::Solution].is_none()
                || two[Role::Solution].is_none())
    }

    /// Returns the delimiter and line end of the source's rows.
    ///
    /// The delimiter is a comma if the source is not CSV.
    pub(crate) fn dialect(&self) -> Dialect {
        let delimiter = self.csv.as_ref().map_or(b',', |csv| csv.delimiter);
        // Rows taken from a table always end with a newline.
        Dialect { delimiter, line_end: self.line_break.byte() }
    }

    /// Returns the byte that ends lines. Carriage returns before a newline belong to the line end.
    pub fn line_end(&self) -> u8 {
        if self.table.is_some() { ROW_END } else { self.line_break.byte() }
    }
}
