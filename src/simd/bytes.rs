//! The bytes of a 9x9 compared with one: which cells hold it, bit by cell.
//!
//! Sixteen at a time with what every x86-64 has, thirty-two with AVX2, in plain words elsewhere. Code around the
//! comparisons profits as well: a [`ByteKernel`] is compiled for the instruction set as a whole, so what its `run`
//! calls must be `#[inline(always)]`.

/// Bytes compared at a time without AVX2.
const BYTES: usize = 16;

/// An instruction set; a value of it is the proof that it is there.
pub(crate) trait Bytes: Copy {
    /// A 9x9, a byte each cell.
    type Grid;

    /// The grid from memory.
    fn load(self, cells: &[u8; 81]) -> Self::Grid;

    /// The cells that hold a given byte, bit by cell.
    fn cells_with(self, grid: &Self::Grid, wanted: u8) -> u128;
}

/// Work to be compiled for an instruction set; `run` and all below it are `#[inline(always)]`.
pub(crate) trait ByteKernel {
    /// What it gives back.
    type Output;
    /// Does it.
    fn run<B: Bytes>(self, bytes: B) -> Self::Output;
}

/// Runs a kernel on AVX2 if the processor has it, otherwise on what every processor has.
#[inline]
pub(crate) fn run_bytes<K: ByteKernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(bytes) = x86::Avx2Bytes::new() {
        return bytes.enter(kernel);
    }
    kernel.run(PlainBytes)
}

/// What every processor has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainBytes;

impl Bytes for PlainBytes {
    type Grid = [u8; 81];

    #[inline(always)]
    fn load(self, cells: &[u8; 81]) -> [u8; 81] {
        *cells
    }

    #[inline(always)]
    fn cells_with(self, cells: &[u8; 81], wanted: u8) -> u128 {
        let (vectors, last) = cells.as_chunks::<BYTES>();
        let mut halves = [0u64; 2];
        for (index, vector) in vectors.iter().enumerate() {
            halves[index / 4] |= u64::from(equal_bytes(vector, wanted)) << (index % 4 * BYTES);
        }
        let [low, high] = halves;
        u128::from(low) | u128::from(high | u64::from(last[0] == wanted) << BYTES) << 64
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{ByteKernel, Bytes};

    /// Proof that the processor has AVX2 and the bit instructions of its time.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Avx2Bytes(());

    /// # Safety
    /// The processor must have these instructions.
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    unsafe fn enter<K: ByteKernel>(bytes: Avx2Bytes, kernel: K) -> K::Output {
        kernel.run(bytes)
    }

    impl Avx2Bytes {
        /// Looks.
        #[inline]
        pub(super) fn new() -> Option<Self> {
            let is_there = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt");
            is_there.then_some(Avx2Bytes(()))
        }

        #[inline]
        pub(super) fn enter<K: ByteKernel>(self, kernel: K) -> K::Output {
            // SAFETY: `self` proves the instruction set.
            unsafe { enter(self, kernel) }
        }
    }

    /// Where the third vector begins: its last byte is the last cell.
    const THIRD: usize = 81 - 32;

    impl Bytes for Avx2Bytes {
        type Grid = [__m256i; 3];

        #[inline(always)]
        fn load(self, cells: &[u8; 81]) -> Self::Grid {
            let (first, rest) = cells.split_at(32);
            let third = &cells[THIRD..];
            // SAFETY: `self` proves AVX2; from each of these places on 32 bytes are borrowed.
            unsafe {
                [
                    _mm256_loadu_si256(first.as_ptr().cast()),
                    _mm256_loadu_si256(rest.as_ptr().cast()),
                    _mm256_loadu_si256(third.as_ptr().cast()),
                ]
            }
        }

        #[inline(always)]
        fn cells_with(self, grid: &Self::Grid, wanted: u8) -> u128 {
            // SAFETY: `self` proves AVX2; operands are values.
            let [first, second, third] = unsafe {
                let wanted = _mm256_set1_epi8(wanted as i8);
                [
                    _mm256_movemask_epi8(_mm256_cmpeq_epi8(grid[0], wanted)) as u32,
                    _mm256_movemask_epi8(_mm256_cmpeq_epi8(grid[1], wanted)) as u32,
                    _mm256_movemask_epi8(_mm256_cmpeq_epi8(grid[2], wanted)) as u32,
                ]
            };
            let low = u64::from(first) | u64::from(second) << 32;
            u128::from(low) | u128::from(third >> (64 - THIRD)) << 64
        }
    }
}

/// Which of sixteen bytes are a given one, lowest bit for the first.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_bytes(bytes: &[u8; BYTES], wanted: u8) -> u16 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    // SAFETY: SSE2 is part of x86-64, and the sixteen bytes that the unaligned load reads are borrowed.
    unsafe {
        let vector = _mm_loadu_si128(bytes.as_ptr().cast());
        _mm_movemask_epi8(_mm_cmpeq_epi8(vector, _mm_set1_epi8(wanted as i8))) as u16
    }
}

/// Which of sixteen bytes are a given one, lowest bit for the first.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn equal_bytes(bytes: &[u8; BYTES], wanted: u8) -> u16 {
    equal_bytes_portable(bytes, wanted)
}

/// As [`equal_bytes`] in plain words: a difference of zero leaves the top bit of its byte clear, and one
/// multiplication gathers the eight top bits.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn equal_bytes_portable(bytes: &[u8; BYTES], wanted: u8) -> u16 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW7: u64 = 0x7f * ONES;
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let (halves, _) = bytes.as_chunks::<8>();
    let equal_in = |half: [u8; 8]| {
        let difference = u64::from_le_bytes(half) ^ (u64::from(wanted) * ONES);
        let unequal = ((difference & LOW7) + LOW7) | difference;
        ((!unequal >> 7 & ONES).wrapping_mul(GATHER) >> 56) as u16
    };
    equal_in(halves[0]) | equal_in(halves[1]) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_find_the_bytes() {
        let mut state = 1u64;
        for round in 0..2000 {
            let bytes: [u8; BYTES] = std::array::from_fn(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let byte = (state >> 56) as u8;
                if round % 2 == 0 { byte } else { byte & 0x81 }
            });
            for wanted in [0, 1, 0x7f, 0x80, 0x81, 0xff, b'.', bytes[7]] {
                let expected = (0..BYTES).fold(0, |mask, at| mask | u16::from(bytes[at] == wanted) << at);
                assert_eq!(equal_bytes(&bytes, wanted), expected);
                assert_eq!(equal_bytes_portable(&bytes, wanted), expected);
            }
        }
    }

    #[test]
    fn a_whole_grid_is_read_alike_on_every_instruction_set() {
        struct Read<'a>(&'a [u8; 81], u8);
        impl ByteKernel for Read<'_> {
            type Output = u128;
            #[inline(always)]
            fn run<B: Bytes>(self, bytes: B) -> u128 {
                bytes.cells_with(&bytes.load(self.0), self.1)
            }
        }
        let mut state = 7u64;
        for _ in 0..500 {
            let cells: [u8; 81] = std::array::from_fn(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 61) as u8
            });
            for wanted in 0..9 {
                let expected = (0..81).fold(0, |mask, cell| mask | u128::from(cells[cell] == wanted) << cell);
                assert_eq!(run_bytes(Read(&cells, wanted)), expected);
                assert_eq!(Read(&cells, wanted).run(PlainBytes), expected);
            }
        }
    }
}
