//! Solutions kept for later, in flat buffers.

use super::Solution;

/// Copies of solutions in the order they were found; memory is kept when it is cleared.
#[derive(Debug, Default)]
pub struct Solutions {
    digits: Vec<u8>,
    options: Vec<u32>,
    /// Kind, start and end of each in its buffer.
    places: Vec<(Kind, usize, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Digits,
    Options,
}

impl Solutions {
    /// Appends a copy, and returns its number.
    pub fn push(&mut self, solution: Solution<'_>) -> usize {
        let (kind, start, end) = match solution {
            Solution::Digits(digits) => {
                let start = self.digits.len();
                self.digits.extend_from_slice(digits);
                (Kind::Digits, start, self.digits.len())
            }
            Solution::Options(options) => {
                let start = self.options.len();
                self.options.extend_from_slice(options);
                (Kind::Options, start, self.options.len())
            }
        };
        self.places.push((kind, start, end));
        self.places.len() - 1
    }

    /// Moves all of another list to the end of this one.
    pub fn append(&mut self, other: &mut Solutions) {
        for solution in other.iter() {
            self.push(solution);
        }
        other.clear();
    }

    /// The solution of a number.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn get(&self, number: usize) -> Solution<'_> {
        match self.places[number] {
            (Kind::Digits, start, end) => Solution::Digits(&self.digits[start..end]),
            (Kind::Options, start, end) => Solution::Options(&self.options[start..end]),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Solution<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// The number of solutions.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        self.digits.len() + 4 * self.options.len() + size_of::<(Kind, usize, usize)>() * self.places.len()
    }

    /// Forgets all from a number on.
    pub fn truncate(&mut self, len: usize) {
        for (kind, start, _) in self.places.drain(len.min(self.places.len())..).rev() {
            match kind {
                Kind::Digits => self.digits.truncate(start),
                Kind::Options => self.options.truncate(start),
            }
        }
    }

    /// Forgets them, keeping the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_kept_in_order() {
        let mut list = Solutions::default();
        list.push(Solution::Digits(&[1, 2]));
        list.push(Solution::Options(&[7]));
        let mut more = Solutions::default();
        more.push(Solution::Digits(&[3]));
        list.append(&mut more);
        assert!(more.is_empty() && more.bytes() == 0);
        let all: Vec<_> = list.iter().collect();
        assert_eq!(all, [Solution::Digits(&[1, 2]), Solution::Options(&[7]), Solution::Digits(&[3])]);
        list.truncate(1);
        assert_eq!((list.len(), list.push(Solution::Options(&[9]))), (1, 1));
        assert_eq!(list.get(1), Solution::Options(&[9]));
    }
}
