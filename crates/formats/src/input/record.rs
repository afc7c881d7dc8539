//! The records that a parser makes of a chunk.

use std::sync::Arc;

use quadrille_model::rules::Rules;
use quadrille_model::{Cover, Geometry, Packed, ProblemRef, Puzzle, Reason, Symbols};

/// A range of a chunk's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// Byte after the last.
    pub end: u32,
}

impl Span {
    /// The bytes it means.
    #[inline]
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// True if it is empty; an absent field is an empty span.
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
    /// Unreadable, with the reason.
    Invalid(Box<Reason>),
    /// Readable, and of a kind that is not supported; the reason.
    Unsupported(Box<Reason>),
    /// A comment or empty line that is answered with an empty line; only with `keep_lines`, and no record.
    Skipped,
}

/// A solution that the input brought along.
#[derive(Debug, Clone)]
pub enum Given {
    /// None: the input has no solutions.
    Absent,
    /// None, where the input has a place for it.
    Empty,
    /// One digit a cell: `records.given[start..end]` in 0-based digits.
    Digits(Span),
    /// There is text, but no solution of the puzzle's size; the reason.
    Unreadable(Box<Reason>),
}

/// One record of a chunk. Spans point into the chunk's bytes.
#[derive(Debug, Clone)]
pub struct Record {
    /// Its content.
    pub body: Body,
    /// Line of its first byte in its source, 1 for the first.
    pub line: u64,
    /// Offset of its first byte in its decompressed source.
    pub byte: u64,
    /// The whole record as it stands in the input, without its last line end.
    pub text: Span,
    /// The puzzle alone.
    pub puzzle: Span,
    /// The text that followed the puzzle: an id, a rating, a comment (for CSV: the column named `id`). In JSON lines a string
    /// with escapes has its quotes.
    pub id: Span,
    /// A given solution.
    pub given: Given,
    /// The characters of its digits.
    pub symbols: Symbols,
}

/// The records of a chunk, in memory that is used again for the next chunk.
#[derive(Debug, Default)]
pub struct Records {
    /// In input order.
    pub list: Vec<Record>,
    /// Plain 9x9 grids.
    pub packed: Vec<Packed>,
    /// Exact cover problems.
    pub covers: Vec<Arc<Cover>>,
    /// Digits of given solutions.
    pub given: Vec<u8>,
    /// Messages for people about the source that came up while parsing; for standard error.
    pub warnings: Vec<String>,
    /// Other grids; only the first `puzzles_used` belong to this chunk.
    puzzles: Vec<Puzzle>,
    puzzles_used: usize,
}

impl Records {
    /// Forgets all records, keeping their memory, but for what they share with others, such as rules.
    pub fn clear(&mut self) {
        self.list.clear();
        self.packed.clear();
        self.covers.clear();
        self.given.clear();
        self.warnings.clear();
        self.puzzles[..self.puzzles_used].iter_mut().for_each(Puzzle::release);
        self.puzzles_used = 0;
    }

    /// A grid to fill in, reset to a geometry, and its index for [`Body::Puzzle`].
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

    /// Takes back the grid made last (when the record turns out to be invalid).
    pub fn drop_last_puzzle(&mut self) {
        self.puzzles_used -= 1;
    }

    /// The grid read last, as a puzzle, with its body; `None` where the body is no grid.
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

    /// The grid read last as a plain 9x9, if it is one.
    pub(super) fn packed_again(&mut self, body: Body) -> Body {
        let Body::Puzzle(index) = body else { return body };
        let puzzle = &self.puzzles[index as usize];
        match puzzle.to_packed().filter(|_| puzzle.weights().is_none()) {
            Some(packed) => {
                self.drop_last_puzzle();
                self.packed.push(packed);
                Body::Packed(self.packed.len() as u32 - 1)
            }
            None => Body::Puzzle(index),
        }
    }

    /// Takes back the grid read last.
    pub(super) fn drop_last(&mut self, body: &Body) {
        match body {
            Body::Packed(_) => drop(self.packed.pop()),
            Body::Puzzle(_) => self.drop_last_puzzle(),
            _ => {}
        }
    }

    /// The rules of a grid.
    pub(super) fn rules_of(&self, index: u32) -> Option<&Arc<Rules>> {
        self.puzzles[index as usize].rules()
    }

    /// Gives a grid these rules in place of its own, which are the same.
    pub(super) fn set_rules(&mut self, index: u32, rules: &Arc<Rules>) {
        self.puzzles[index as usize].set_rules(rules);
    }

    /// The grids of this chunk.
    pub fn puzzles(&self) -> &[Puzzle] {
        &self.puzzles[..self.puzzles_used]
    }

    /// The problem of a record; `None` for invalid and skipped ones.
    pub fn problem(&self, record: &Record) -> Option<ProblemRef<'_>> {
        match record.body {
            Body::Packed(index) => Some(ProblemRef::Packed(&self.packed[index as usize])),
            Body::Puzzle(index) => Some(ProblemRef::Puzzle(&self.puzzles[index as usize])),
            Body::Cover(index) => Some(ProblemRef::Cover(&self.covers[index as usize])),
            Body::Invalid(_) | Body::Unsupported(_) | Body::Skipped => None,
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
        // The memory is used again, for a grid without rules.
        assert!(records.new_puzzle(&geometry).1.rules().is_none());
        assert_eq!(records.puzzles().len(), 1);
    }
}
