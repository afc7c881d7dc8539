//! Transposes 8x8 bytes in registers, with instructions that interleave two registers.

/// A register of 64-bit words that can be interleaved with another register.
///
/// A register is a sequence of pairs of words. In each pair, the `low` functions use the lower words of both
/// registers. They take elements from the two words in turn. The `high` functions use the upper words.
pub(super) trait Interleave: Copy {
    /// Interleaves the bytes of the lower word in each pair of words.
    fn low_8(self, other: Self) -> Self;
    /// Interleaves the bytes of the upper word in each pair of words.
    fn high_8(self, other: Self) -> Self;
    /// Interleaves 16-bit elements of the lower word in each pair of words.
    fn low_16(self, other: Self) -> Self;
    /// Interleaves 16-bit elements of the upper word in each pair of words.
    fn high_16(self, other: Self) -> Self;
    /// Interleaves 32-bit elements of the lower word in each pair of words.
    fn low_32(self, other: Self) -> Self;
    /// Interleaves 32-bit elements of the upper word in each pair of words.
    fn high_32(self, other: Self) -> Self;
    /// Pairs the lower words.
    fn low_64(self, other: Self) -> Self;
    /// Pairs the upper words.
    fn high_64(self, other: Self) -> Self;

    /// Computes [`Vector::transpose_bytes`](super::Vector::transpose_bytes).
    ///
    /// After three rounds of interleaving, the lower word of each pair has byte `2b` of all eight rows, and
    /// the upper word has byte `2b + 1`. The fourth round forms pairs from words with the same byte number.
    #[inline(always)]
    fn transpose(r: [Self; 8]) -> [Self; 8] {
        macro_rules! pairs {
            ($low:ident, $high:ident; $($a:expr, $b:expr);+) => { [$(($a.$low($b), $a.$high($b))),+] };
        }
        let [a, b, c, d] = pairs!(low_8, high_8; r[0], r[1]; r[2], r[3]; r[4], r[5]; r[6], r[7]);
        let [e, f, g, h] = pairs!(low_16, high_16; a.0, b.0; c.0, d.0; a.1, b.1; c.1, d.1);
        // `i` and `j` come from the words with even index: `i` has bytes 0 to 3, and `j` has bytes 4 to 7.
        // `k` and `l` have the same bytes of the words with odd index.
        let [i, j, k, l] = pairs!(low_32, high_32; e.0, f.0; e.1, f.1; g.0, h.0; g.1, h.1);
        let [m, n, o, p] = pairs!(low_64, high_64; i.0, k.0; i.1, k.1; j.0, l.0; j.1, l.1);
        [m.0, m.1, n.0, n.1, o.0, o.1, p.0, p.1]
    }
}
