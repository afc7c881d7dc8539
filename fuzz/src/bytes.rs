//! Draws numbers from a fuzzer's bytes.

/// Bytes to draw numbers from; zeros after the last byte.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    /// Removes and returns the next byte, or 0 at the end.
    pub(crate) fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    /// Returns the next number below `end`, which is at most 256.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// Returns one of the choices.
    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Returns the bytes not used yet.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Returns true if no bytes are left.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
