//! Options of a caller about the input: format, columns, box shape, limits.

use std::sync::Arc;

use super::{ColumnRef, Format};
use quadrille_model::rules::RunRules;
use quadrille_model::{Alphabet, Geometry, MAX_SIDE, Weights, Whole};
use quadrille_model::{Error, Result};

/// The source of the weights of cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WeightSource {
    /// The target of Luogu P1074, for any side.
    Target,
    /// One integer a cell, row by row; puzzles of another size are invalid.
    PerCell(Vec<i64>),
}

impl WeightSource {
    /// The weights for a grid.
    ///
    /// # Errors
    /// As [`Weights::per_cell`].
    pub fn weights_for(&self, geometry: &Geometry) -> Result<Arc<Weights>> {
        Ok(Arc::new(match self {
            WeightSource::Target => Weights::target(geometry),
            WeightSource::PerCell(values) => Weights::per_cell(geometry, values)?,
        }))
    }
}

/// The use of columns that are no part of records: they go to the output, or they do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OtherColumns {
    /// They are not used, and those of tables are not read.
    #[default]
    Unused,
    /// Each record keeps its own, as in JSON objects.
    Own,
    /// They go into the columns of the first source, by their names. A later source whose names do not tell its columns apart is
    /// an error.
    OfFirst,
}

/// The caller's options about the input; the default leaves everything to sniffing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputOptions {
    /// The format of all sources; `None` sniffs each source's first 64 KiB.
    pub format: Option<Format>,
    /// One more character that stands for an empty cell; a printable one. In puzzles on a line it means nothing else, and
    /// `#` begins no comments then; what separates columns, or cells in rows, still does.
    pub blank: Option<u8>,
    /// The alphabet of grids above side 9; `None` takes it from the source's head where it is clear from there,
    /// else [`Alphabet::FromOne`].
    pub symbols: Option<Alphabet>,
    /// Rows and columns of a box; `None` takes the squarest box of each record's side.
    pub box_shape: Option<(usize, usize)>,
    /// Lower-case letters are read as marks (even, odd, same digit); `None`: up to side 9 only.
    pub marks: Option<bool>,
    /// The CSV column that holds the puzzle.
    pub column: Option<ColumnRef>,
    /// The CSV column that holds a given solution.
    pub solution_column: Option<ColumnRef>,
    /// Names, in lower case, of the CSV column and the JSON member that are a record's id. Default `id`.
    pub id_names: &'static [&'static str],
    /// The side of all grids; 27 reads 729 characters as a 27x27 instead of a pencilmark 9x9.
    pub side: Option<usize>,
    /// True if comments and empty lines are handed on as [`Body::Skipped`](super::Body::Skipped).
    pub keep_lines: bool,
    /// Larger records are invalid (exact cover problems excepted). No more than [`Self::MOST_RECORD_BYTES`].
    pub max_record_bytes: usize,
    /// Exact cover problems whose text has more bytes end their source with an error. No more than 4 GiB can be read.
    pub max_cover_bytes: usize,
    /// Weights for the cells of every grid; grids become [`Body::Puzzle`](super::Body::Puzzle).
    pub weights: Option<WeightSource>,
    /// The problem whose cubes are read.
    pub cubes: Option<Arc<Whole>>,
    /// Rules of all grids, before those that a record brings along.
    pub rules: RunRules,
    /// The use of columns that are no part of records.
    pub other_columns: OtherColumns,
}

/// The most bytes of text that an exact cover problem may have by default.
pub(crate) const MAX_COVER_BYTES: usize = 256 << 20;

impl Default for InputOptions {
    fn default() -> Self {
        InputOptions {
            format: None,
            blank: None,
            symbols: None,
            box_shape: None,
            marks: None,
            column: None,
            solution_column: None,
            id_names: &["id"],
            side: None,
            keep_lines: false,
            max_record_bytes: 16 << 20,
            max_cover_bytes: MAX_COVER_BYTES,
            weights: None,
            cubes: None,
            rules: RunRules::default(),
            other_columns: OtherColumns::default(),
        }
    }
}

impl InputOptions {
    /// Checks the options against each other.
    ///
    /// # Errors
    /// A usage error: a box or side that no grid has, or both and different; a blank that is a control character; a record
    /// size above [`Self::MOST_RECORD_BYTES`].
    pub fn validate(&self) -> Result<()> {
        if self.max_record_bytes > Self::MOST_RECORD_BYTES {
            return Err(Error::usage(format!(
                "records of {} bytes cannot be read (maximum: {}, or 2G)",
                self.max_record_bytes,
                Self::MOST_RECORD_BYTES
            )));
        }
        if self.blank.is_some_and(|blank| blank.is_ascii_control()) {
            return Err(Error::usage("a control character cannot stand for an empty cell"));
        }
        if let Some((rows, columns)) = self.box_shape {
            Geometry::new(rows, columns).map_err(|error| Error::usage(error.to_string()))?;
            if let Some(side) = self.side.filter(|side| *side != rows * columns) {
                return Err(Error::usage(format!("boxes of {rows}x{columns} do not make a side of {side}")));
            }
        }
        // Grids of a side without boxes are refused one by one: their own rules may say what stands in the place of boxes.
        if let Some(side) = self.side.filter(|side| !(Self::SMALLEST_SIDE..=MAX_SIDE).contains(side)) {
            Geometry::of_side(side).map_err(|error| Error::usage(error.to_string()))?;
        }
        Ok(())
    }

    /// The side that the caller asked for, by side or by box.
    pub(super) fn asked_side(&self) -> Option<usize> {
        self.side.or(self.box_shape.map(|(rows, columns)| rows.saturating_mul(columns)))
    }

    /// Maximum of [`max_record_bytes`](Self::max_record_bytes): places in a chunk are 32 bits, and a chunk may hold a record
    /// and more.
    pub const MOST_RECORD_BYTES: usize = 2 << 30;

    /// The smallest side with boxes.
    pub(super) const SMALLEST_SIDE: usize = 4;

    /// True if grids of this side exist: it has boxes and is not above [`MAX_SIDE`].
    pub(super) fn is_side(side: usize) -> bool {
        side <= MAX_SIDE && Geometry::default_box(side).is_some()
    }

    /// The side of a grid with so many cells.
    pub(super) fn side_of_cells(count: usize) -> Option<usize> {
        let side = count.isqrt();
        (side * side == count && Self::is_side(side)).then_some(side)
    }
}

/// Reads a file of weights: integers separated by blanks, line ends or commas, one a cell.
///
/// # Errors
/// A usage error with line and column for anything that is no 64-bit integer, and for a text without any.
pub fn read_weights(text: &str) -> Result<Vec<i64>> {
    let mut values = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut rest = line;
        while !rest.is_empty() {
            let word = rest.split([' ', '\t', ',', ';']).next().unwrap_or_default();
            if !word.is_empty() {
                let column = line.len() - rest.len() + 1;
                values.push(word.parse().map_err(|_| {
                    Error::usage(format!(
                        "weights: line {} column {column}: {word:?} is no integer",
                        number + 1
                    ))
                })?);
            }
            rest = rest.get(word.len() + 1..).unwrap_or_default();
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
        assert_eq!(error, "weights: line 2 column 3: \"x\" is no integer");
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
        assert!(size(InputOptions::MOST_RECORD_BYTES).validate().is_ok());
        assert!(
            size(InputOptions::MOST_RECORD_BYTES + 1).validate().is_err()
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
