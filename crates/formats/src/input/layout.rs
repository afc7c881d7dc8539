//! The format of a source and its details, such as alphabet, columns and line end.

use super::cells::BLANKS;
use super::columns::{Columns, Role};
use super::dialect::Dialect;
use super::row_text::ROW_END;
use quadrille_model::Symbols;

/// An input format. FORMATS.md describes the rules of each format.
///
/// The value is the index of a row in the table in `formats/mod.rs`, which names all formats.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Format(pub(super) u8);

impl Default for Format {
    fn default() -> Self {
        Format::Line
    }
}

/// The grammar of a CSV source: its delimiter and header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CsvLayout {
    /// The byte between fields.
    pub delimiter: u8,
    /// The header line as written, without its line end, or `None` if the source has no header.
    pub header: Option<Vec<u8>>,
}

/// The position of the records' objects in a JSON source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObjectShape {
    /// An object per line.
    #[default]
    Lines,
    /// Each object of a record is nested in this number of outer objects.
    Inside(usize),
    /// The whole source is one document: a table stored by columns, or a list of the cells of a grid.
    Whole,
}

/// Line end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineBreak {
    /// A line feed.
    #[default]
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// A carriage return alone, as on old systems.
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
    /// Alphabet of all records, if the caller named it or the first part of the source shows it.
    pub symbols: Option<Symbols>,
    /// Columns or members of the source. Empty if it has none.
    pub columns: Columns,
    /// Rows of [`Format::Csv`].
    pub csv: Option<CsvLayout>,
    /// Where the objects of [`Format::Jsonl`] are.
    pub members: Option<ObjectShape>,
    /// True if a table has further columns that the text of the rows does not contain.
    pub has_others: bool,
    /// 1-based number of a line that contains only the count of puzzles. The line is skipped like a comment.
    pub header_line: Option<u64>,
    /// The meaning of a line that contains only a number. Used in formats with one row of a grid per line.
    pub numbers: Numbers,
    /// True if a grid in rows may be followed by its solution in rows.
    pub solutions_in_rows: bool,
    /// End of the first line.
    pub line_break: LineBreak,
    /// True if the source begins with a UTF-8 byte order mark.
    pub has_mark: bool,
    /// Side length of the grids, if each grid is on one line.
    ///
    /// It is set only if such a line could also be a row of a larger grid. Used only for
    /// [`Format::Integers`].
    pub side_on_lines: Option<usize>,
    /// Facts about all grids.
    pub(crate) common: Common,
    /// True if, on each line, a layout of regions follows the puzzle.
    pub has_layouts: bool,
    /// True if, on each line, a given solution follows the puzzle.
    pub has_solutions: bool,
    /// The way in which rows are written, for formats whose cells are found by their positions.
    pub rows: Option<RowsLayout>,
    /// The reason for refusing a source that is too large to be read as a whole, if only the whole source can decide.
    pub needs_all: Option<&'static str>,
    /// Notes for the user about how the source is read.
    pub notes: Vec<String>,
}

/// A way to find the cells in the text of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowLook {
    /// Bars between cells or boxes.
    #[default]
    Bars,
    /// Position of the first cell on the line, and distance between two cells.
    Widths(u8, u8),
    /// Each cell is a group of candidates. Blanks and bars separate the groups.
    Candidates,
    /// Each cell is a field. Holds the delimiter between fields.
    Fields(u8),
    /// Cells are separated by blanks, bars or this byte, or not at all.
    Words(u8),
}

/// Text that comes before the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lead {
    /// Nothing.
    #[default]
    Nothing,
    /// The number or letter that labels the row.
    Label,
    /// A word that repeats one character, as in lists and quotations. Holds that character.
    Bullet(u8),
    /// Source code in which each row is a string.
    Quote,
}

/// Meaning of a number that comes before grids written in rows.
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
        /// Length of the count in bytes, if cells follow on the same line; otherwise 0.
        bytes: usize,
        /// True if the number may instead be the order of a single grid: its side length, or the square root
        /// of its side length.
        may_be_order: bool,
    },
    /// Each grid is preceded by this number, which is its side length or the square root of its side length.
    Order(u64),
    /// Each grid is preceded by a number that identifies it.
    Ids,
}

/// The way in which the rows of grids are written, if the cells are not simply the characters or integers of
/// a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowsLayout {
    /// The way to find the cells in a row.
    pub look: RowLook,
    /// Text before the cells.
    pub lead: Lead,
    /// Number of cells of a row.
    pub side: usize,
    /// True if each row of a puzzle is followed by a row of its solution.
    pub has_solution: bool,
    /// True if each row of a grid is drawn on several lines.
    pub is_tall: bool,
}

/// Facts about a source that hold for all of its grids. They are found in the first part of the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Common {
    /// Side length of all grids without their own rules, or `None` if any side length is allowed.
    pub(super) side: Option<usize>,
    /// Characters, other than dots and zeros, that mean an empty cell in grids that also have digits. One bit
    /// per character.
    pub(super) blanks: u8,
    /// True if the first part of the source looks like prose.
    ///
    /// Prose has no grid with a clue. It has at least as many lines without a grid as empty grids.
    pub(super) is_text: bool,
}

impl Common {
    /// Returns true if the source is known to use `byte` for empty cells.
    pub(super) fn has_blank(self, byte: u8) -> bool {
        BLANKS.iter().position(|&blank| blank == byte).is_some_and(|at| self.blanks >> at & 1 > 0)
    }
}

impl Layout {
    /// Returns true if the source has a separate column or position for solutions.
    pub fn has_solution_column(&self) -> bool {
        self.solutions_in_rows
            || self.rows.is_some_and(|rows| rows.has_solution)
            || self.has_solutions
            || self.columns.places[Role::Solution].is_some()
    }

    /// Returns the number of known columns or members, or 0 if the source has no columns.
    pub(crate) fn column_count(&self) -> usize {
        self.columns.list.len()
    }

    /// Returns true if the puzzles are in columns or members that have names.
    pub(crate) fn has_columns(&self) -> bool {
        self.format.has_columns()
    }

    /// Returns true if two CSV sources have matching columns and at least one of them has no header.
    ///
    /// Then the columns can be matched only by position, not by name.
    pub(crate) fn is_alike_without_names(&self, other: &Layout) -> bool {
        let (Some(csv), Some(other_csv)) = (&self.csv, &other.csv) else { return false };
        let (one, two) = (self.columns.places, other.columns.places);
        (csv.header.is_none() || other_csv.header.is_none())
            && (self.column_count(), one[Role::Puzzle]) == (other.column_count(), two[Role::Puzzle])
            && (one[Role::Solution] == two[Role::Solution]
                || one[Role::Solution].is_none()
                || two[Role::Solution].is_none())
    }

    /// Returns the delimiter and the line end of the source's rows.
    ///
    /// The delimiter is a comma if the source is not CSV.
    pub(crate) fn dialect(&self) -> Dialect {
        let delimiter = self.csv.as_ref().map_or(b',', |csv| csv.delimiter);
        Dialect { delimiter, line_end: self.line_break.byte() }
    }

    /// Returns the byte that ends lines. Carriage returns before a newline belong to the line end.
    pub fn line_end(&self) -> u8 {
        if self.format.is_table() { ROW_END } else { self.line_break.byte() }
    }
}
