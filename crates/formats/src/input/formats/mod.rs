//! Defines the table of formats, which has one row per format. Most formats have their own file.

mod alphabets;
mod assembler;
mod boxes;
mod counted;
mod csv;
mod cubes;
mod dlx;
mod drawn;
mod drawn_cells;
mod grid;
mod headed;
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
mod sets;
mod stretch;
pub(super) mod table;
mod text_lines;
mod text_rows;
mod whole_source;

use std::fmt;
use std::sync::Arc;

pub(super) use self::alphabets::symbols_of;
pub(super) use self::line::sides_of_lines;
pub(super) use self::rows::Shown;
use self::rows::Style;
use super::cutter::Cutter;
use super::grids::GridReader;
use super::head::Head;
use super::{Body, Chunk, Format, InputOptions, Layout, PlainLines, Record, Wanted};
use quadrille_model::{EndedBy, Reason};
use whole_source::ReadCover;

/// The way in which the sources of a format hold their records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// One grid per line, with any text before and after the grid.
    Lines,
    /// Grids of several lines.
    Rows,
    /// Values in named columns or members.
    Columns,
    /// Columns of a binary table.
    Table,
    /// The whole source is one exact cover problem.
    Whole,
    /// Each line is a part of the same problem, such as a cube.
    Parts,
}

/// Table entry of a format, with its names and functions.
pub(super) struct FormatSpec {
    /// Set by the table.
    pub(super) format: Format,
    /// Name on the command line.
    pub(super) name: &'static str,
    /// One line for help texts.
    pub(super) about: &'static str,
    /// Noun for sources of this format, used in messages that suggest formats to the user.
    ///
    /// Empty if the format is never tried or suggested for a source of another format.
    pub(super) look: &'static str,
    pub(super) container: Container,
    /// True if an id may follow a puzzle in a source without columns.
    pub(super) has_ids: bool,
    /// Returns true if a complete head (the first part of a source) looks like this format.
    pub(super) looks: fn(&Head<'_>) -> bool,
    /// How grids are written, for formats with rows.
    style: Style,
    /// Adds to a layout what the first part of a source (the head) shows, if the source is in this format.
    ///
    /// Returns false if the head does not [fit](Head::fits) the format, or if more bytes are needed. The last
    /// format in the table accepts any head.
    ///
    /// The bool argument is true if the head is complete. An incomplete head is enough if the caller named
    /// the format, or if no later bytes could lead to another format.
    pub(super) offer: fn(&Head<'_>, bool, &mut Layout) -> Result<bool, String>,
    /// True if the cells of grids are characters, so that the alphabet must be detected.
    pub(super) has_symbols: bool,
    /// Creates the cutter that finds the records of a source.
    pub(super) cutter: fn(&Arc<Layout>, &InputOptions) -> Box<dyn Cutter>,
    /// Collects the puzzles of a chunk, and the other parts of its records that the caller wants.
    ///
    /// Called if the cutter did not list the records of the chunk. Returns false if some puzzle cannot be a
    /// plain 9x9 grid.
    pub(super) plain_lines: fn(&Chunk, &mut PlainLines, Wanted) -> bool,
    /// Parses a chunk without cuts.
    pub(super) parse: fn(&mut GridReader, &Chunk),
    /// Parses a record that the cutter found. Sets all its fields except line, byte and text.
    ///
    /// # Errors
    /// Returns the reason if the record is invalid.
    parse_cut: fn(&mut GridReader, &Chunk, &mut Record) -> Result<(), Reason>,
    /// Reads a record that is an exact cover problem. `None` for grid formats.
    read_cover: Option<ReadCover>,
}

/// Declares one constant per format, and the table of all formats.
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

// The first part of a source is compared with the formats in this order.
formats! {
    /// Cubes: parts of one problem, one per line.
    Cubes = cubes::SPEC;
    /// One JSON object per line.
    Jsonl = jsonl::SPEC;
    /// Games of OpenSudoku (XML).
    OpenSudoku = open_sudoku::SPEC;
    /// Lists of cells or rows.
    List = list::SPEC;
    /// SadMan `.sdk` with header lines.
    Sdk = headed::SDK;
    /// Knuth's exact cover text.
    Dlx = dlx::SPEC;
    /// Candidate grids: a group of digits per cell.
    Candidates = drawn::CANDIDATES;
    /// Spreadsheets: one field per cell, which is blank for an empty cell.
    Sheet = drawn::SHEET;
    /// Rows with or without drawn lines, with blanks as empty cells.
    Drawing = drawn::DRAWING;
    /// Headings such as `Grid 01`, each followed by nine rows (Project Euler 96).
    Euler = headed::EULER;
    /// Exact cover: one set of numbers per line.
    Sets = sets::SPEC;
    /// Whitespace- or comma-separated integers, 0 for empty (Luogu P1074).
    Integers = integers::SPEC;
    /// Comma-, semicolon- or tab-separated columns with a header.
    Csv = csv::SPEC;
    /// A count, followed by this number of grids (POJ 2676, UVA 1461).
    Contest = headed::CONTEST;
    /// One row of a grid per line, with or without frames. Empty lines or the number of rows separate grids.
    Grid = grid::SPEC;
    /// Exact cover: one row of 0 and 1 per line.
    Matrix = matrix::SPEC;
    /// Columns of a Parquet file.
    Parquet = table::PARQUET;
    /// Columns of an Arrow IPC stream or file.
    Arrow = table::ARROW;
    /// One puzzle per line (also `.sdm`, and lines of 729 characters for pencilmarks).
    Line = line::SPEC;
}

/// Returns the table entry of a format.
pub(super) fn row(format: Format) -> &'static FormatSpec {
    &TABLE[usize::from(format.0)]
}

impl FormatSpec {
    /// Default values for the fields that most formats share.
    ///
    /// With these values, the cutter lists all records, and the format is never detected.
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
        cutter: |layout, _| whole_source::cutter(layout, |_, _| Vec::new()),
        plain_lines: |_, _, _| false,
        parse: |_, _| {},
        parse_cut: |_, _, _| Ok(()),
        read_cover: None,
    };

    /// Parses a record that the cutter found.
    ///
    /// `stop` is used as in [`Parser::parse_until`](super::Parser::parse_until).
    pub(super) fn parse_record(
        &self,
        grids: &mut GridReader,
        chunk: &Chunk,
        record: &mut Record,
        stop: &dyn Fn() -> Option<EndedBy>,
    ) {
        // Each cube is a copy of its problem, which may be large. `stop` is therefore checked before each
        // cube.
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
    /// Returns all formats in the order of the documentation, each with a description of one line.
    pub fn all() -> impl Iterator<Item = (Format, &'static str)> {
        TABLE.iter().map(|row| (row.format, row.about))
    }

    /// Returns true for exact cover formats in which a whole source is one problem.
    pub fn is_cover(self) -> bool {
        self.container() == Container::Whole
    }

    /// Returns true if a whole source is one exact cover problem, or consists of parts of one problem.
    pub fn is_one_problem(self) -> bool {
        matches!(self.container(), Container::Whole | Container::Parts)
    }

    /// Returns true if each row of a grid is on a line of its own.
    pub(super) fn is_in_rows(self) -> bool {
        self.container() == Container::Rows
    }

    fn container(self) -> Container {
        row(self).container
    }

    /// Returns true for binary tables (Parquet, Arrow).
    ///
    /// Tables are detected by their first bytes. Only builds with the feature `parquet` can read them.
    pub fn is_table(self) -> bool {
        self.container() == Container::Table
    }

    /// Returns true if puzzles are values of named columns or members.
    pub fn has_columns(self) -> bool {
        matches!(self.container(), Container::Columns | Container::Table)
    }

    /// Returns the format with the given [`name`](Self::name), or `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.format)
    }

    /// Returns the name of the format on the command line.
    pub fn name(self) -> &'static str {
        row(self).name
    }
}
