//! The records that a parser reads from a chunk.

use std::sync::Arc;

use quadrille_model::{CoverProblem, EndedBy, Geometry, Packed9x9, ProblemRef, Puzzle, Reason, Symbols};

/// A range of bytes in a chunk. Both ends are offsets in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the bytes of the range.
    #[inline]
    pub fn slice(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// Returns true if the span is empty. The span of an absent field is empty.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// The content of a record: a problem, an unreadable text, or a skipped line.
#[derive(Debug, Clone)]
pub enum Body {
    /// A plain 9x9: `records.packed[index]`.
    Packed(u32),
    /// Another grid: `records.puzzles()[index]`.
    Puzzle(u32),
    /// An exact cover problem: `records.covers[index]`.
    Cover(u32),
    /// Unreadable; holds the reason.
    Invalid(Box<Reason>),
    /// A readable record that contains a kind of problem that is not supported. Holds the reason.
    Unsupported(Box<Reason>),
    /// An exact cover problem that was not read completely, because reading [was
    /// stopped](super::Parser::parse_until).
    ///
    /// Holds the reason.
    Unread(EndedBy),
    /// A comment or empty line that is not a record. Occurs only with `keep_lines`, and the answer is an
    /// empty line.
    Skipped,
}

/// A solution that the input gives for a puzzle.
#[derive(Debug, Clone)]
pub enum GivenSolution {
    /// The format or the source cannot give solutions.
    Absent,
    /// The format or the source can give solutions, but this record has none.
    Empty,
    /// One 0-based digit per cell: `records.given[start..end]`.
    Digits(Span),
    /// A text that is not a solution for a puzzle of this size. Holds the reason.
    Unreadable(Box<Reason>),
}

/// One record of a chunk. Spans point into the chunk's bytes.
#[derive(Debug, Clone)]
pub struct Record {
    /// The content of the record.
    pub body: Body,
    /// 1-based number of the source line in which the record begins.
    pub line: u64,
    /// Offset of the record's first byte in the decompressed source, in bytes.
    pub byte: u64,
    /// The whole record as written in the input, without the line end after its last line.
    pub text: Span,
    /// The text of the puzzle, without the rest of the record.
    pub puzzle: Span,
    /// The text after the puzzle, such as an id, a rating or a comment, or the value of the id column.
    ///
    /// A JSON string that has escapes includes its quotes.
    pub id: Span,
    /// The text of a solution that follows the puzzle, in formats of rows and lists. Empty if there is no
    /// solution.
    pub solution: Span,
    /// A given solution.
    pub given: GivenSolution,
    /// The symbols with which the digits of the record are written.
    pub symbols: Symbols,
}

impl Record {
    /// Creates a record that has not been read yet. All of its text counts as the puzzle.
    #[inline]
    pub(super) fn new(line: u64, byte: u64, text: Span) -> Self {
        Record {
            body: Body::Skipped,
            line,
            byte,
            text,
            puzzle: text,
            id: Span { start: text.end, end: text.end },
            solution: Span::default(),
            given: GivenSolution::Absent,
            symbols: Symbols::DEFAULT,
        }
    }
}

/// The records of a chunk. The next chunk reuses the memory.
#[derive(Debug, Default)]
pub struct Records {
    /// The records in input order.
    pub list: Vec<Record>,
    /// Plain 9x9 grids.
    pub packed: Vec<Packed9x9>,
    /// Exact cover problems.
    pub covers: Vec<Arc<CoverProblem>>,
    /// 0-based digits of given solutions.
    pub given: Vec<u8>,
    /// Warnings for the user that arose while the chunk was parsed.
    pub warnings: Vec<String>,
    /// Grids that are not stored in `packed`. Only the first `puzzles_used` of them belong to this chunk.
    pub(super) puzzles: Vec<Puzzle>,
    puzzles_used: usize,
}

impl Records {
    /// Removes all records and keeps their memory for reuse. Releases shared data such as rules.
    pub fn clear(&mut self) {
        self.list.clear();
        self.packed.clear();
        self.covers.clear();
        self.given.clear();
        self.warnings.clear();
        self.puzzles[..self.puzzles_used].iter_mut().for_each(Puzzle::release);
        self.puzzles_used = 0;
    }

    /// Adds a plain 9x9 grid and returns the body of its record.
    #[inline]
    pub(super) fn add_packed(&mut self, packed: Packed9x9) -> Body {
        let index = self.packed.len() as u32;
        self.packed.push(packed);
        Body::Packed(index)
    }

    /// Adds an exact cover problem and returns the body of its record.
    pub(super) fn add_cover(&mut self, cover: Arc<CoverProblem>) -> Body {
        self.covers.push(cover);
        Body::Cover(self.covers.len() as u32 - 1)
    }

    /// Adds an empty grid of the given geometry, to be filled in. Returns its index for [`Body::Puzzle`] and
    /// the grid.
    pub fn new_puzzle(&mut self, geometry: &Arc<Geometry>) -> (u32, &mut Puzzle) {
        let index = self.puzzles_used;
        if index == self.puzzles.len() {
            self.puzzles.push(Puzzle::new(geometry));
        } else {
            self.puzzles[index].reset(geometry);
        }
        self.puzzles_used += 1;
        (index as u32, &mut self.puzzles[index])
    }

    /// Removes the grid that was added last. Used if its record turns out to be invalid.
    pub fn drop_last_puzzle(&mut self) {
        self.puzzles_used -= 1;
    }

    /// Stores the grid that was read last as a [`Puzzle`]. Returns this puzzle and the new body of the
    /// record, or `None` if `body` is not a grid.
    pub(super) fn last_as_puzzle(
        &mut self,
        body: &Body,
        geometry: &Arc<Geometry>,
    ) -> Option<(Body, &mut Puzzle)> {
        let index = match body {
            Body::Packed(_) => {
                let packed = self.packed.pop()?;
                let (index, puzzle) = self.new_puzzle(geometry);
                packed.unpack_into(geometry, puzzle);
                index
            }
            Body::Puzzle(index) => *index,
            _ => return None,
        };
        Some((Body::Puzzle(index), self.puzzles.get_mut(index as usize)?))
    }

    /// Converts the grid that was read last to a plain 9x9 grid if it is one. Returns the body of its record.
    pub(super) fn packed_again(&mut self, body: Body) -> Body {
        let Body::Puzzle(index) = body else { return body };
        let puzzle = &self.puzzles[index as usize];
        match puzzle.to_packed().filter(|_| puzzle.weights().is_none()) {
            Some(packed) => {
                self.drop_last_puzzle();
                self.add_packed(packed)
            }
            None => Body::Puzzle(index),
        }
    }

    /// Removes the grid read last.
    pub(super) fn drop_last(&mut self, body: &Body) {
        match body {
            Body::Packed(_) => drop(self.packed.pop()),
            Body::Puzzle(_) => self.drop_last_puzzle(),
            _ => {}
        }
    }

    /// Returns the grids of this chunk that are not stored as packed 9x9 grids.
    pub fn puzzles(&self) -> &[Puzzle] {
        &self.puzzles[..self.puzzles_used]
    }

    /// Returns the problem that a record contains, or `None` if it does not contain a problem.
    pub fn problem(&self, record: &Record) -> Option<ProblemRef<'_>> {
        match record.body {
            Body::Packed(index) => Some(ProblemRef::Packed(&self.packed[index as usize])),
            Body::Puzzle(index) => Some(ProblemRef::Puzzle(&self.puzzles[index as usize])),
            Body::Cover(index) => Some(ProblemRef::Cover(&self.covers[index as usize])),
            Body::Invalid(_) | Body::Unsupported(_) | Body::Unread(_) | Body::Skipped => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::rules::{Shape, compile};

    #[test]
    fn records_that_are_forgotten_hold_no_rules() {
        let rules = Arc::new(compile(".AntiKnight", Shape { box_rows: 3, box_columns: 3 }).unwrap());
        let geometry = Geometry::of_side(9).unwrap();
        let mut records = Records::default();
        for _ in 0..3 {
            records.new_puzzle(&geometry).1.set_rules(&rules);
        }
        assert_eq!(Arc::strong_count(&rules), 4);
        records.clear();
        assert_eq!(Arc::strong_count(&rules), 1);
        // The grid without rules reuses the memory of the grid with rules.
        assert!(records.new_puzzle(&geometry).1.rules().is_none());
        assert_eq!(records.puzzles().len(), 1);
    }
}
