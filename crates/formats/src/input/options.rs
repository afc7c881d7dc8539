//! Options of a caller about the input: format, columns, box shape, limits.

use std::fmt;
use std::sync::Arc;

use super::{ColumnRef, Format};
use quadrille_model::rules::RunRules;
use quadrille_model::{Alphabet, CutProblem, Error, Geometry, MAX_SIDE, Result, Weights, usage};

/// Where the weights of cells come from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightSource {
    /// The weights of Luogu P1074, for any side.
    Target,
    /// One integer per cell, row by row. Puzzles of another size are invalid.
    PerCell(Vec<i64>),
}

/// Writes `target` or the weights of the cells, separated by commas.
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
    /// Returns the weights for a grid of this geometry.
    ///
    /// # Errors
    /// Returns the errors of [`Weights::per_cell`].
    pub fn weights_for(&self, geometry: &Geometry) -> Result<Arc<Weights>> {
        Ok(Arc::new(match self {
            WeightSource::Target => Weights::target(geometry),
            WeightSource::PerCell(values) => Weights::per_cell(geometry, values)?,
        }))
    }
}

/// Treatment of columns that are not part of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OtherColumns {
    /// Other columns are ignored; in tables they are not even read.
    #[default]
    Unused,
    /// Each record keeps its own columns, as in JSON objects.
    Own,
    /// Other columns are mapped by name to the columns of the first source. A later source is an error if its names do
    /// not identify its columns.
    OfFirst,
}

/// The caller's options about the input. The default detects everything by sniffing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputOptions {
    /// Format of all sources; `None` detects each source's format from its first 64 KiB.
    pub format: Option<Format>,
    /// An additional printable character for an empty cell.
    ///
    /// In lines of puzzles the character has no other meaning: if it is `#`, no line is a comment. A character that
    /// separates columns, or cells in rows, remains a separator.
    pub blank: Option<u8>,
    /// Like `blank`, for a character that is not ASCII.
    pub wide_blank: Option<char>,
    /// Alphabet of grids above side 9. `None` detects it from the source's head; if that is ambiguous, it is
    /// [`Alphabet::FromOne`].
    pub symbols: Option<Alphabet>,
    /// Rows and columns of a box; `None` takes the box closest to a square for each record's side.
    pub box_shape: Option<(usize, usize)>,
    /// True if lower-case letters are marks (even, odd, same digit); `None` means up to side 9 only.
    pub marks: Option<bool>,
    /// True if cells of candidate grids with several candidates are empty; false if they keep their candidates.
    pub keep_clues: bool,
    /// True if columns and members of rules are left out.
    pub no_rules: bool,
    /// CSV column of the puzzle.
    pub column: Option<ColumnRef>,
    /// CSV column of the given solution.
    pub solution_column: Option<ColumnRef>,
    /// Lower-case names of the CSV column or JSON member that holds a record's id. Default: `id`.
    pub id_names: &'static [&'static str],
    /// Side of all grids. With 27, 729 characters are a 27x27 instead of a 9x9 with pencilmarks.
    pub side: Option<usize>,
    /// True if the grids of a source may have several sides; false if all must have the side that its head shows.
    pub any_side: bool,
    /// True if comments and empty lines are passed on as [`Body::Skipped`](super::Body::Skipped).
    pub keep_lines: bool,
    /// Maximum bytes of a record; larger records are invalid. At most [`Self::MAX_RECORD_BYTES`]. Does not apply to
    /// exact cover problems.
    pub max_record_bytes: usize,
    /// Maximum bytes of the text of an exact cover problem. At most 4 GiB.
    ///
    /// A larger problem ends its source with an error.
    pub max_cover_bytes: usize,
    /// Weights of the cells of every grid. With weights, all grids become [`Body::Puzzle`](super::Body::Puzzle).
    pub weights: Option<WeightSource>,
    /// The problem whose cubes (parts) are read.
    pub cubes: Option<Arc<CutProblem>>,
    /// The cost of every option of exact cover problems in which no option has a cost.
    pub cost_each: Option<i64>,
    /// True if rows of sets begin with their number of elements; `None` detects it from the rows.
    pub counted_rows: Option<bool>,
    /// Rules of all grids, applied before the rules of a record itself.
    pub rules: RunRules,
    /// Treatment of columns that are not part of records.
    pub other_columns: OtherColumns,
    /// Reserved for new fields: create values with `..`, as in `InputOptions { side: Some(9), ..InputOptions::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

/// Default maximum bytes of the text of an exact cover problem.
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
    /// Returns a usage error if the box or the side is impossible, if box and side contradict each other, if the blank
    /// is a control character, or if the record size exceeds [`Self::MAX_RECORD_BYTES`].
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
        // A side without boxes is refused per grid, since a grid's own rules may replace the boxes.
        if let Some(side) = self.side.filter(|side| !(Self::MIN_SIDE..=MAX_SIDE).contains(side)) {
            Geometry::of_side(side).map_err(|error| Error::usage(error.to_string()))?;
        }
        Ok(())
    }

    /// Returns the side given by the options for side or box, or `None` if neither is set.
    pub(super) fn asked_side(&self) -> Option<usize> {
        self.side.or(self.box_shape.map(|(rows, columns)| rows.saturating_mul(columns)))
    }

    /// Maximum value of [`max_record_bytes`](Self::max_record_bytes).
    ///
    /// Places in a chunk are 32 bits wide, and a chunk may hold a record and more.
    pub const MAX_RECORD_BYTES: usize = 2 << 30;

    /// Smallest side that has boxes.
    pub(super) const MIN_SIDE: usize = 4;

    /// Returns true if this side has boxes and is at most [`MAX_SIDE`].
    pub(super) fn is_side(side: usize) -> bool {
        side <= MAX_SIDE && Geometry::default_box(side).is_some()
    }

    /// Returns the side of a grid with `count` cells, or `None` if there is none.
    pub(super) fn side_of_cells(count: usize) -> Option<usize> {
        let side = count.isqrt();
        (side * side == count && Self::is_side(side)).then_some(side)
    }
}

/// Reads a file of weights: one integer per cell, separated by blanks, line ends, commas or semicolons.
///
/// # Errors
/// Returns a usage error, with line and column, if a word is not a 64-bit integer, or if the text is empty.
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
        assert_eq!(ColumnRef::from_text("2"), ColumnRef::Number(2));
        assert_eq!(ColumnRef::from_text("quizzes"), ColumnRef::Name("quizzes".into()));
        assert_eq!(ColumnRef::from_text("0"), ColumnRef::Name("0".into()));
    }
}
