//! Copies of solutions, stored in flat buffers.

use super::Solution;

/// Copies of solutions, in the order in which the solutions were found. Clearing the list keeps the allocated
/// memory.
#[derive(Debug, Default)]
pub struct Solutions {
    digits: Vec<u8>,
    options: Vec<u32>,
    /// For each solution, the positions in `digits` and in `options` where the solution ends. A solution
    /// takes space in only one of these buffers.
    ends: Vec<(usize, usize)>,
}

impl Solutions {
    /// Appends a copy of a solution, and returns its 0-based index.
    pub fn push(&mut self, solution: Solution<'_>) -> usize {
        match solution {
            Solution::Digits(digits) => self.digits.extend_from_slice(digits),
            Solution::Options(options) => self.options.extend_from_slice(options),
        }
        self.ends.push((self.digits.len(), self.options.len()));
        self.ends.len() - 1
    }

    /// Returns where a solution starts in each of the two buffers.
    #[inline]
    fn start(&self, number: usize) -> (usize, usize) {
        number.checked_sub(1).map_or((0, 0), |before| self.ends[before])
    }

    /// Moves all solutions from `other` to the end of this list.
    pub fn append(&mut self, other: &mut Solutions) {
        for solution in other.iter() {
            self.push(solution);
        }
        other.clear();
    }

    /// Returns the solution with the given 0-based index.
    ///
    /// # Panics
    /// Panics if there is no such solution.
    #[inline]
    pub fn get(&self, number: usize) -> Solution<'_> {
        let ((digit, option), (end_of_digits, end_of_options)) = (self.start(number), self.ends[number]);
        match &self.digits[digit..end_of_digits] {
            [] => Solution::Options(&self.options[option..end_of_options]),
            digits => Solution::Digits(digits),
        }
    }

    /// Returns all solutions in order.
    pub fn iter(&self) -> impl Iterator<Item = Solution<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Returns the number of solutions.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no solutions.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the approximate number of bytes that the solutions take.
    pub fn bytes(&self) -> usize {
        self.digits.len() + 4 * self.options.len() + size_of::<(usize, usize)>() * self.ends.len()
    }

    /// Keeps the first `len` solutions, and removes all later ones.
    pub fn truncate(&mut self, len: usize) {
        let len = len.min(self.len());
        let (digits, options) = self.start(len);
        self.ends.truncate(len);
        self.digits.truncate(digits);
        self.options.truncate(options);
    }

    /// Removes all solutions, but keeps the allocated memory.
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
