//! Iteration over the bits of words.

/// Iterator over the 0-based positions of the set bits of a word, in ascending order.
pub struct Bits<T>(pub T);

macro_rules! bits {
    ($($word:ty),+) => {$(
        impl Iterator for Bits<$word> {
            type Item = usize;

            #[inline(always)]
            fn next(&mut self) -> Option<usize> {
                if self.0 == 0 {
                    return None;
                }
                let place = self.0.trailing_zeros() as usize;
                self.0 &= self.0 - 1;
                Some(place)
            }
        }
    )+};
}
bits!(u16, u32, u64, u128);

/// Returns the position of the set bit with the 0-based index `n`, or 64 if the word has fewer set bits.
#[inline]
pub fn nth_bit(mut word: u64, n: usize) -> usize {
    for _ in 0..n {
        word &= word.wrapping_sub(1);
    }
    word.trailing_zeros() as usize
}

/// Returns the positions of the set bits of several words, in ascending order.
///
/// The first bit of the second word has position 64, and so on.
#[inline]
pub fn bits_of(words: impl IntoIterator<Item = u64>) -> impl Iterator<Item = usize> {
    let words = words.into_iter().enumerate();
    words.flat_map(|(number, word)| Bits(word).map(move |place| 64 * number + place))
}

/// Sets the first `number` bits of a bit set, and clears all other bits.
pub fn first_bits(set: &mut [u64], number: u32) {
    for (word, bits) in set.iter_mut().enumerate() {
        let left = (number as usize).saturating_sub(word * 64);
        *bits = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
    }
}

/// Transposes a square matrix of bits: bit `j` of word `i` becomes bit `i` of word `j`.
///
/// Source: Warren, Hacker's Delight, 7-3.
pub fn transpose(square: &mut [u64; 64]) {
    // Exchanges blocks of 32 rows and columns, then of 16, and so on down to 1.
    let mut low = u64::MAX;
    for size in [32, 16, 8, 4, 2, 1] {
        low ^= low << size;
        for pair in square.chunks_exact_mut(2 * size) {
            let (upper, lower) = pair.split_at_mut(size);
            for (above, below) in upper.iter_mut().zip(lower) {
                let differ = (*above >> size ^ *below) & low;
                *above ^= differ << size;
                *below ^= differ;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        let mut random = SplitMix64(5);
        let square: [u64; 64] = std::array::from_fn(|_| random.word());
        let mut exchanged = square;
        transpose(&mut exchanged);
        for (row, word) in square.iter().enumerate() {
            for (column, other) in exchanged.iter().enumerate() {
                assert_eq!(word >> column & 1, other >> row & 1);
            }
        }
    }
}
