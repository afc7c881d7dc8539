//! Numbers out of a fuzzer's bytes.

/// Bytes to draw numbers from; zeros when they are used up.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next byte.
    pub(crate) fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    /// The next number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// One of the choices.
    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// What is left.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Whether all are used up.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
