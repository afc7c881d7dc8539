//! The table of formats, with one row and one file per format.

mod alphabets;
mod assembler;
mod boxes;
mod contest;
mod counted;
mod csv;
mod cubes;
mod dlx;
mod drawn;
mod drawn_cells;
mod euler;
mod grid;
mod integers;
pub(super) mod json_members;
mod json_objects;
mod jsonl;
mod line;
mod line_words;
mod list;
mod matrix;
mod notations;
mod open_sudoku;
mod rows;
mod sdk;
mod sets;
mod stretch;
pub(super) mod table;
mod text_lines;
mod text_rows;
mod whole_source;

use std::fmt;
use std::sync::Arc;

pub(super) use self::alphabets::symbols_of;
pub(super) use self::rows::Shown;
use self::rows::Style;
use super::cutter::Cutter;
use super::grids::GridReader;
use super::head::Head;
use super::shapes::Sides;
use super::{Body, Chunk, Format, InputOptions, Layout, PlainLines, Record, Wanted};
use quadrille_model::{EndedBy, Reason};
use whole_source::ReadCover;

/// Where a format has its records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// A grid on each line, with any text around it.
    Lines,
    /// Grids of several lines.
    Rows,
    /// Values in named columns or members.
    Columns,
    /// Columns of a binary table.
    Table,
    /// The whole source, one exact cover problem.
    Whole,
    /// Parts of one problem, one per line.
    Parts,
}

/// The table entry of a format: its names and functions.
pub(super) struct FormatSpec {
    /// Set by the table.
    pub(super) format: Format,
    /// Name on the command line.
    pub(super) name: &'static str,
    /// One line for help texts.
    pub(super) about: &'static str,
    /// Noun for its sources in hints; empty if the format is not tried on sources of other formats.
    pub(super) look: &'static str,
    pub(super) container: Container,
    /// True if a puzzle may be followed by an id in a source that has no columns.
    has_ids: bool,
    /// Returns true if a complete head looks like this format.
    pub(super) looks: fn(&Head<'_>) -> bool,
    /// How grids are written in formats with rows.
    style: Style,
    /// Offers a layout of the head: adds what the head decides to the layout. Returns false if the head does not
    /// [fit](Head::fits), or if more bytes are needed. The last format accepts any head.
    ///
    /// The bool argument is true if the head is complete. If it is not, a format that is not asked for offers a layout
    /// only if the beginning of the source decides on the format, whatever follows.
    pub(super) offer: fn(&Head<'_>, bool, &mut Layout) -> Result<bool, String>,
    /// True if grids of this format are written in characters, so that an alphabet must be detected.
    pub(super) has_symbols: bool,
    /// Creates the cutter that finds the records of a source.
    pub(super) cutter: fn(&Arc<Layout>, &InputOptions) -> Box<dyn Cutter>,
    /// Takes the puzzles of a chunk without cuts, and the other wanted parts. Returns false if some cannot be a
    /// plain 9x9.
    pub(super) plain_lines: fn(&Chunk, &mut PlainLines, Wanted) -> bool,
    /// Parses a chunk without cuts.
    pub(super) parse: fn(&mut GridReader, &Chunk),
    /// Parses a record that the cutter found: fills in everything except line, byte and text.
    ///
    /// # Errors
    /// Returns the reason if the record is invalid.
    parse_cut: fn(&mut GridReader, &Chunk, &mut Record) -> Result<(), Reason>,
    /// Reads a record that is an exact cover problem; `None` in formats of grids.
    read_cover: Option<ReadCover>,
}

/// Declares the formats and their table.
macro_rules! formats {
    ($($(#[$doc:meta])* $format:ident = $spec:expr;)*) => {
        enum Row { $($format,)* }

        #[expect(non_upper_case_globals, reason = "a format is named as a variant of an enum would be")]
        impl Format {
            $($(#[$doc])* pub const $format: Format = Format(Row::$format as u8);)*
        }

        pub(super) const TABLE: &[FormatSpec] = &[$(FormatSpec { format: Format::$format, ..$spec },)*];
    };
}

// In this order they are asked whether a head looks like them.
formats! {
    /// Parts of one problem, one per line.
    Cubes = cubes::SPEC;
    /// One JSON object per line.
    Jsonl = jsonl::SPEC;
    /// Games of OpenSudoku (XML).
    OpenSudoku = open_sudoku::SPEC;
    /// Lists of cells or rows.
    List = list::SPEC;
    /// SadMan `.sdk` with its header lines.
    Sdk = sdk::SPEC;
    /// Knuth's exact cover text.
    Dlx = dlx::SPEC;
    /// A group of digits for each cell: its candidates.
    Candidates = drawn::CANDIDATES;
    /// A field of a spreadsheet for each cell, even an empty cell.
    Sheet = drawn::SHEET;
    /// Drawn or bare rows whose empty cells are blanks.
    Drawing = drawn::DRAWING;
    /// `Grid 01` headings, nine rows each (Project Euler 96).
    Euler = euler::SPEC;
    /// Exact cover: one set of numbers per line.
    Sets = sets::SPEC;
    /// Whitespace- or comma-separated integers, 0 for empty (Luogu P1074).
    Integers = integers::SPEC;
    /// Comma-, semicolon- or tab-separated columns with a header.
    Csv = csv::SPEC;
    /// A count, then that number of grids (POJ 2676, UVA 1461).
    Contest = contest::SPEC;
    /// One line per row of a grid, framed or bare; empty lines or the number of rows separate grids.
    Grid = grid::SPEC;
    /// Exact cover: one row of 0 and 1 per line.
    Matrix = matrix::SPEC;
    /// The columns of a Parquet file.
    Parquet = table::PARQUET;
    /// The columns of an Arrow IPC stream or file.
    Arrow = table::ARROW;
    /// One puzzle per line (also `.sdm`, and lines of 729 characters for pencilmarks).
    Line = line::SPEC;
}

/// Returns the sides of the grids on the lines of a head, see [`line::sides_of_lines`].
pub(super) fn sides_of_lines(head: &Head<'_>) -> Sides {
    line::sides_of_lines(head)
}

/// Returns the table entry of a format.
pub(super) fn row(format: Format) -> &'static FormatSpec {
    &TABLE[usize::from(format.0)]
}

impl FormatSpec {
    /// Defaults of most formats: the cutter lists all records, and the format must be named.
    const CUT: FormatSpec = FormatSpec {
        format: Format::Line,
        name: "",
        about: "",
        look: "",
        container: Container::Rows,
        has_ids: false,
        looks: |_| false,
        style: Style::PLAIN,
        offer: |head, complete, layout| Ok(head.fits(complete, row(layout.format).looks)),
        has_symbols: false,
        cutter: whole_source::cutter,
        plain_lines: |_, _, _| false,
        parse: |_, _| {},
        parse_cut: |_, _, _| Ok(()),
        read_cover: None,
    };

    /// Parses a record that the cutter found, see [`Parser::parse_until`](super::Parser::parse_until).
    pub(super) fn parse_record(
        &self,
        grids: &mut GridReader,
        chunk: &Chunk,
        record: &mut Record,
        stop: &dyn Fn() -> Option<EndedBy>,
    ) {
        // Each cube is a copy of its problem, which may be large, so `stop` is asked before each.
        if self.container == Container::Parts
            && let Some(reason) = stop()
        {
            record.body = Body::Unread(reason);
            return;
        }
        match self.read_cover {
            Some(read) => whole_source::parse(read, grids, chunk, record, stop),
            None => {
                if let Err(reason) = (self.parse_cut)(grids, chunk, record) {
                    record.body = Body::Invalid(Box::new(reason));
                }
            }
        }
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Format {
    /// Returns all formats with a line about each, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = (Format, &'static str)> {
        TABLE.iter().map(|row| (row.format, row.about))
    }

    /// Returns true for exact cover formats, where a source is one problem.
    pub fn is_cover(self) -> bool {
        self.container() == Container::Whole
    }

    /// Returns true if a source is one exact cover problem, or parts of one problem.
    pub fn is_one_problem(self) -> bool {
        matches!(self.container(), Container::Whole | Container::Parts)
    }

    /// Returns true if each row of a grid is on its own line.
    pub(super) fn is_in_rows(self) -> bool {
        self.container() == Container::Rows
    }

    fn container(self) -> Container {
        row(self).container
    }

    /// Returns true if a puzzle without columns may be followed by an id.
    pub(super) fn has_ids(self) -> bool {
        row(self).has_ids
    }

    /// Returns true for binary tables (Parquet, Arrow).
    ///
    /// Tables are detected by their first bytes, and read in builds with the feature `parquet`.
    pub fn is_table(self) -> bool {
        self.container() == Container::Table
    }

    /// Returns true if puzzles are in named columns or members.
    pub fn has_columns(self) -> bool {
        matches!(self.container(), Container::Columns | Container::Table)
    }

    /// Returns the format with this name, as [`name`](Self::name) returns it, or `None`.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.format)
    }

    /// Returns the format's name on the command line.
    pub fn name(self) -> &'static str {
        row(self).name
    }
}
