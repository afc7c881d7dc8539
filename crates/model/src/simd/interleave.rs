//! Transposes 8x8 bytes on registers with interleaving instructions.

/// A register of 64-bit words that can be interleaved with another.
///
/// In each pair of words, `low` alternates the elements of the lower halves of two registers, and `high`
/// those of the upper halves.
pub(super) trait Interleave: Copy {
    /// Interleaves the lower halves, byte by byte.
    fn low_8(self, other: Self) -> Self;
    /// Interleaves the upper halves, byte by byte.
    fn high_8(self, other: Self) -> Self;
    /// Interleaves the lower halves, by 16 bits.
    fn low_16(self, other: Self) -> Self;
    /// Interleaves the upper halves, by 16 bits.
    fn high_16(self, other: Self) -> Self;
    /// Interleaves the lower halves, by 32 bits.
    fn low_32(self, other: Self) -> Self;
    /// Interleaves the upper halves, by 32 bits.
    fn high_32(self, other: Self) -> Self;
    /// Pairs the lower words.
    fn low_64(self, other: Self) -> Self;
    /// Pairs the upper words.
    fn high_64(self, other: Self) -> Self;

    /// Computes [`Vector::transpose_bytes`](super::Vector::transpose_bytes).
    ///
    /// Three rounds of interleaving bring bytes `2b` and `2b + 1` of two words next to each other. The fourth
    /// round brings the words of one byte together again.
    #[inline(always)]
    fn transpose(r: [Self; 8]) -> [Self; 8] {
        macro_rules! pairs {
            ($low:ident, $high:ident; $($a:expr, $b:expr);+) => { [$(($a.$low($b), $a.$high($b))),+] };
        }
        let [a, b, c, d] = pairs!(low_8, high_8; r[0], r[1]; r[2], r[3]; r[4], r[5]; r[6], r[7]);
        let [e, f, g, h] = pairs!(low_16, high_16; a.0, b.0; c.0, d.0; a.1, b.1; c.1, d.1);
        // From the even words: bytes 0 and 1, 2 and 3 in `i`; 4 and 5, 6 and 7 in `j`. From the odd words: in
        // `k` and `l`.
        let [i, j, k, l] = pairs!(low_32, high_32; e.0, f.0; e.1, f.1; g.0, h.0; g.1, h.1);
        let [m, n, o, p] = pairs!(low_64, high_64; i.0, k.0; i.1, k.1; j.0, l.0; j.1, l.1);
        [m.0, m.1, n.0, n.1, o.0, o.1, p.0, p.1]
    }
}
