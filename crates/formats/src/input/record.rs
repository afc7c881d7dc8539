//! The records that a parser reads from a chunk.

use std::sync::Arc;

use quadrille_model::{CoverProblem, EndedBy, Geometry, Packed9x9, ProblemRef, Puzzle, Reason, Symbols};

/// A range of a chunk's bytes; both ends are offsets in bytes.
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

    /// Returns true if the span is empty, as that of an absent field is.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// The content of a record: a puzzle, a problem, nothing readable, or a skipped line.
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
    /// Readable but of an unsupported kind; holds the reason.
    Unsupported(Box<Reason>),
    /// An exact cover problem whose reading [was ended](super::Parser::parse_until); holds the reason.
    Unread(EndedBy),
    /// A comment or empty line that is not a record. Only with `keep_lines`, and answered with an empty line.
    Skipped,
}

/// A solution that the input provides with a puzzle.
#[derive(Debug, Clone)]
pub enum GivenSolution {
    /// The input has no place for solutions.
    Absent,
    /// The input has a place for a solution, but it is empty.
    Empty,
    /// One 0-based digit per cell: `records.given[start..end]`.
    Digits(Span),
    /// Text that is not a solution of the puzzle's size; holds the reason.
    Unreadable(Box<Reason>),
}

/// One record of a chunk. Spans point into the chunk's bytes.
#[derive(Debug, Clone)]
pub struct Record {
    /// The content of the record.
    pub body: Body,
    /// Line of the source in which the record begins, 1-based.
    pub line: u64,
    /// Offset of the record's first byte in the decompressed source, in bytes.
    pub byte: u64,
    /// The whole record as written in the input, without its last line end.
    pub text: Span,
    /// The text of the puzzle alone.
    pub puzzle: Span,
    /// The text after the puzzle (an id, a rating, a comment), or the id column's value.
    ///
    /// A JSON string with escapes includes its quotes.
    pub id: Span,
    /// The text of a solution after the puzzle, in formats of rows and lists; empty if there is none.
    pub solution: Span,
    /// A given solution.
    pub given: GivenSolution,
    /// The characters with which the record's digits are written.
    pub symbols: Symbols,
}

impl Record {
    /// Creates a record that is not read yet: all of its text is the puzzle.
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

/// The records of a chunk. The memory is reused for the next chunk.
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
    /// Warnings for the user that came up while parsing.
    pub warnings: Vec<String>,
    /// Other grids; only the first `puzzles_used` are of this chunk.
    pub(super) puzzles: Vec<Puzzle>,
    puzzles_used: usize,
}

impl Records {
    /// Removes all records and keeps the memory. Shared data such as rules is released.
    pub fn clear(&mut self) {
        self.list.clear();
        self.packed.clear();
        self.covers.clear();
        self.given.clear();
        self.warnings.clear();
        self.puzzles[..self.puzzles_used].iter_mut().for_each(Puzzle::release);
        self.puzzles_used = 0;
    }

    /// Adds a plain 9x9 and returns its body.
    #[inline]
    pub(super) fn add_packed(&mut self, packed: Packed9x9) -> Body {
        let index = self.packed.len() as u32;
        self.packed.push(packed);
        Body::Packed(index)
    }

    /// Adds an exact cover problem and returns its body.
    pub(super) fn add_cover(&mut self, cover: Arc<CoverProblem>) -> Body {
        self.covers.push(cover);
        Body::Cover(self.covers.len() as u32 - 1)
    }

    /// Returns a grid to fill in, reset to `geometry`, and its index for [`Body::Puzzle`].
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

    /// Removes the grid added last, if its record turns out to be invalid.
    pub fn drop_last_puzzle(&mut self) {
        self.puzzles_used -= 1;
    }

    /// Returns the grid read last as a puzzle, with its body; `None` if `body` is not a grid.
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

    /// Converts the grid read last back to a plain 9x9 if it is one. Returns its body.
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

    /// Returns the grids of this chunk.
    pub fn puzzles(&self) -> &[Puzzle] {
        &self.puzzles[..self.puzzles_used]
    }

    /// Returns the problem of a record, or `None` if the record is not a problem.
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
        // The memory is reused for a grid without rules.
        assert!(records.new_puzzle(&geometry).1.rules().is_none());
        assert_eq!(records.puzzles().len(), 1);
    }
}
