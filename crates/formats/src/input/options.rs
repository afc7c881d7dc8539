//! Options that a caller sets for the input: format, columns, box shape, limits.

use std::fmt;
use std::sync::Arc;

use super::{ColumnRef, Format};
use quadrille_model::rules::RunRules;
use quadrille_model::{Alphabet, CutProblem, Error, Geometry, MAX_SIDE, Result, Weights, usage};

/// The source of the weights of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightSource {
    /// The weights of Luogu problem P1074, for grids of any size.
    Target,
    /// One integer per cell, row by row. Puzzles with another number of cells are invalid.
    PerCell(Vec<i64>),
}

/// Writes `target`, or the weights of all cells separated by commas.
impl fmt::Display for WeightSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightSource::Target => f.write_str("target"),
            WeightSource::PerCell(values) => {
                f.write_str(&values.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl WeightSource {
    /// Returns the weights of the cells in a grid of this geometry.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Weights::per_cell`].
    pub fn weights_for(&self, geometry: &Geometry) -> Result<Arc<Weights>> {
        Ok(Arc::new(match self {
            WeightSource::Target => Weights::target(geometry),
            WeightSource::PerCell(values) => Weights::per_cell(geometry, values)?,
        }))
    }
}

/// Treatment of the other columns, that is, the columns that are not part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OtherColumns {
    /// Columns that are not part of a record are ignored. In tables they are not even read.
    #[default]
    Unused,
    /// Each record keeps its own set of further columns, because JSON objects may have different members.
    Own,
    /// The further columns of all sources are matched by name with those of the first source.
    ///
    /// It is an error if the names in a later source do not identify its columns.
    OfFirst,
}

/// Options that a caller sets for the input. By default everything is detected from the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputOptions {
    /// Format of all sources, or `None` to detect the format of each source from its first 64 KiB.
    pub format: Option<Format>,
    /// A further printable character that means an empty cell.
    ///
    /// In lines of puzzles the character has no other meaning. For example, if it is `#`, no line is a
    /// comment. But a character that separates columns, or the cells of a row, remains a separator.
    pub blank: Option<u8>,
    /// A character like `blank` that is not ASCII.
    pub wide_blank: Option<char>,
    /// Alphabet of grids larger than 9x9, or `None` to detect it from the first part of the source.
    ///
    /// If the first part of the source does not decide it, the alphabet is [`Alphabet::FromOne`].
    pub symbols: Option<Alphabet>,
    /// Number of rows and columns of a box. `None` means the shape closest to a square for the side length of
    /// each record's grid.
    pub box_shape: Option<(usize, usize)>,
    /// True if lower-case letters are marks (even, odd, same digit). `None` means that they are marks only in
    /// grids up to 9x9.
    pub marks: Option<bool>,
    /// True if, in grids of candidates, a cell with several candidates is read as an empty cell. False if
    /// such a cell keeps its candidates.
    pub keep_clues: bool,
    /// True if columns and members that contain rules are not read.
    pub no_rules: bool,
    /// CSV column of the puzzle.
    pub column: Option<ColumnRef>,
    /// CSV column that contains the given solution.
    pub solution_column: Option<ColumnRef>,
    /// Lower-case names of the CSV column or JSON member with the id of a record. The default is `id`.
    pub id_names: &'static [&'static str],
    /// Side length of all grids, or `None` to detect it.
    ///
    /// If it is 27, a text of 729 characters is a 27x27 grid instead of a 9x9 grid with pencilmarks.
    pub side: Option<usize>,
    /// True if the grids of a source may have different side lengths.
    ///
    /// If false, all grids must have the side length that the first part of the source shows.
    pub any_side: bool,
    /// True if comments and empty lines become records with the body [`Body::Skipped`](super::Body::Skipped).
    pub keep_lines: bool,
    /// Maximum size of a record in bytes. A larger record is invalid.
    ///
    /// This can be at most [`Self::MAX_RECORD_BYTES`]. It does not apply to exact cover problems.
    pub max_record_bytes: usize,
    /// Maximum size of the text of an exact cover problem, in bytes. This can be at most 4 GiB.
    ///
    /// A larger problem ends its source with an error.
    pub max_cover_bytes: usize,
    /// Weights of the cells of every grid. If there are weights, all grids become
    /// [`Body::Puzzle`](super::Body::Puzzle).
    pub weights: Option<WeightSource>,
    /// The problem to which the cubes (parts of a problem) in the input belong.
    pub cubes: Option<Arc<CutProblem>>,
    /// Cost of every option in exact cover problems that do not give a cost for any option.
    pub cost_each: Option<i64>,
    /// True if each row that lists a set begins with the number of its elements. `None` detects this from the
    /// rows.
    pub counted_rows: Option<bool>,
    /// Rules that apply to all grids. They are applied before the rules of each record.
    pub rules: RunRules,
    /// Treatment of the columns that are not part of a record.
    pub other_columns: OtherColumns,
    /// Reserved, so that fields can be added later.
    ///
    /// Create values with `..`, as in `InputOptions { side: Some(9), ..InputOptions::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

/// Default maximum size of the text of an exact cover problem, in bytes.
pub(crate) const MAX_COVER_BYTES: usize = 256 << 20;

impl Default for InputOptions {
    fn default() -> Self {
        InputOptions {
            format: None,
            blank: None,
            wide_blank: None,
            symbols: None,
            box_shape: None,
            marks: None,
            keep_clues: false,
            no_rules: false,
            column: None,
            solution_column: None,
            id_names: &["id"],
            side: None,
            any_side: false,
            keep_lines: false,
            max_record_bytes: 16 << 20,
            max_cover_bytes: MAX_COVER_BYTES,
            weights: None,
            cubes: None,
            cost_each: None,
            counted_rows: None,
            rules: RunRules::default(),
            other_columns: OtherColumns::default(),
            _more: (),
        }
    }
}

impl InputOptions {
    /// Checks that the options are valid and do not contradict each other.
    ///
    /// # Errors
    /// Returns a usage error if the box shape or the side length is impossible, or if they contradict each
    /// other. Also returns one if the character for empty cells is a control character, or if the record size
    /// exceeds [`Self::MAX_RECORD_BYTES`].
    pub fn validate(&self) -> Result<()> {
        if self.max_record_bytes > Self::MAX_RECORD_BYTES {
            return Err(usage!(
                "records of {} bytes cannot be read (maximum: {}, or 2G)",
                self.max_record_bytes,
                Self::MAX_RECORD_BYTES
            ));
        }
        if self.blank.is_some_and(|blank| blank.is_ascii_control()) {
            return Err(Error::usage("a control character cannot be an empty cell"));
        }
        if let Some((rows, columns)) = self.box_shape {
            Geometry::new(rows, columns).map_err(|error| Error::usage(error.to_string()))?;
            if let Some(side) = self.side.filter(|side| *side != rows * columns) {
                return Err(usage!("boxes of {rows}x{columns} do not make a side of {side}"));
            }
        }
        // A side length without boxes is accepted here and refused later for each grid, because the rules of
        // a grid may replace the boxes.
        if let Some(side) = self.side.filter(|side| !(Self::MIN_SIDE..=MAX_SIDE).contains(side)) {
            Geometry::of_side(side).map_err(|error| Error::usage(error.to_string()))?;
        }
        Ok(())
    }

    /// Returns the side length that follows from the option for the side or the option for the box. Returns
    /// `None` if neither option is set.
    pub(super) fn asked_side(&self) -> Option<usize> {
        self.side.or(self.box_shape.map(|(rows, columns)| rows.saturating_mul(columns)))
    }

    /// Maximum value of [`max_record_bytes`](Self::max_record_bytes).
    ///
    /// Offsets in a chunk have 32 bits, and a chunk may contain other bytes in addition to a record of this
    /// size.
    pub const MAX_RECORD_BYTES: usize = 2 << 30;

    /// Smallest side that has boxes.
    pub(super) const MIN_SIDE: usize = 4;

    /// Returns true if grids with this side length have boxes and the side length is at most [`MAX_SIDE`].
    pub(super) fn is_side(side: usize) -> bool {
        side <= MAX_SIDE && Geometry::default_box(side).is_some()
    }

    /// Returns the side length of a grid that has `count` cells, or `None` if there is no such grid.
    pub(super) fn side_of_cells(count: usize) -> Option<usize> {
        let side = count.isqrt();
        (side * side == count && Self::is_side(side)).then_some(side)
    }
}

/// Reads a text of weights: one integer per cell, separated by blanks, line ends, commas or semicolons.
///
/// # Errors
/// Returns a usage error, with line and column, if a word is not a 64-bit integer, or if the text has no
/// integers.
pub fn read_weights(text: &str) -> Result<Vec<i64>> {
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for word in line.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()) {
            let column = word.as_ptr() as usize - line.as_ptr() as usize + 1;
            values.push(word.parse().map_err(|_| {
                usage!("weights: line {} column {column}: {word:?} is not an integer", number + 1)
            })?);
        }
    }
    if values.is_empty() {
        return Err(Error::usage("weights: no integers"));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_in_any_arrangement() {
        assert_eq!(read_weights("6 6,-7\n\n 8\t9;10\n").unwrap(), [6, 6, -7, 8, 9, 10]);
        let error = read_weights("1 2\n3 x").unwrap_err().to_string();
        assert_eq!(error, "weights: line 2 column 3: \"x\" is not an integer");
        assert!(read_weights("\n").is_err());
    }

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        let options = |box_shape, side| InputOptions { box_shape, side, ..InputOptions::default() };
        assert!(options(Some((2, 3)), Some(6)).validate().is_ok());
        assert!(options(Some((2, 3)), Some(9)).validate().is_err());
        assert!(options(Some((1, 9)), None).validate().is_err());
        assert!(options(None, Some(7)).validate().is_ok());
        assert!(options(None, Some(3)).validate().is_err() && options(None, Some(37)).validate().is_err());
        let size = |max_record_bytes| InputOptions { max_record_bytes, ..InputOptions::default() };
        assert!(size(InputOptions::MAX_RECORD_BYTES).validate().is_ok());
        assert!(
            size(InputOptions::MAX_RECORD_BYTES + 1).validate().is_err()
                && size(usize::MAX).validate().is_err()
        );
        let blank = |blank| InputOptions { blank: Some(blank), ..InputOptions::default() };
        assert!(blank(b' ').validate().is_ok() && blank(b'#').validate().is_ok());
        assert!(blank(b'\n').validate().is_err() && blank(0x1a).validate().is_err());
    }

    #[test]
    fn columns_are_numbers_or_names() {
        assert_eq!(ColumnRef::from("2"), ColumnRef::Number(2));
        assert_eq!(ColumnRef::from("quizzes"), ColumnRef::Name("quizzes".into()));
        assert_eq!(ColumnRef::from("0"), ColumnRef::Name("0".into()));
    }
}
