//! Solutions of a part that wait for their turn.

use crate::engine::Flow;
use crate::model::Solution;

/// Solutions in the order they were found, in two flat buffers.
#[derive(Debug, Default)]
pub(super) struct Solutions {
    digits: Vec<u8>,
    options: Vec<u32>,
    /// Kind and end of each solution in its buffer.
    ends: Vec<(Kind, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Digits,
    Options,
}

impl Solutions {
    /// Appends a copy.
    pub(super) fn push(&mut self, solution: Solution<'_>) {
        match solution {
            Solution::Digits(digits) => {
                self.digits.extend_from_slice(digits);
                self.ends.push((Kind::Digits, self.digits.len()));
            }
            Solution::Options(options) => {
                self.options.extend_from_slice(options);
                self.ends.push((Kind::Options, self.options.len()));
            }
        }
    }

    /// Moves all of another list to the end of this one.
    pub(super) fn append(&mut self, other: &mut Solutions) {
        other.for_each(|solution| {
            self.push(solution);
            Flow::Continue
        });
        other.clear();
    }

    /// Passes them on in order, until told to stop.
    pub(super) fn for_each(&self, mut visit: impl FnMut(Solution<'_>) -> Flow) -> Flow {
        let (mut digits, mut options) = (0, 0);
        for &(kind, end) in &self.ends {
            let solution = match kind {
                Kind::Digits => Solution::Digits(&self.digits[std::mem::replace(&mut digits, end)..end]),
                Kind::Options => Solution::Options(&self.options[std::mem::replace(&mut options, end)..end]),
            };
            if visit(solution) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes held, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.digits.len() + 4 * self.options.len() + size_of::<(Kind, usize)>() * self.ends.len()
    }

    /// Forgets them, keeping the memory.
    pub(super) fn clear(&mut self) {
        self.digits.clear();
        self.options.clear();
        self.ends.clear();
    }
}
