//! Comparing bytes sixteen at a time: what every x86-64 can do in two instructions, and plain words elsewhere.

/// Bytes compared at a time.
const BYTES: usize = 16;

/// The cells of a 9x9, a byte each, that hold a given byte, bit by cell.
#[inline(always)]
pub(crate) fn cells_with(cells: &[u8; 81], wanted: u8) -> u128 {
    let (vectors, last) = cells.as_chunks::<BYTES>();
    let mut halves = [0u64; 2];
    for (index, vector) in vectors.iter().enumerate() {
        halves[index / 4] |= u64::from(equal_bytes(vector, wanted)) << (index % 4 * BYTES);
    }
    let [low, high] = halves;
    u128::from(low) | u128::from(high | u64::from(last[0] == wanted) << BYTES) << 64
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
}
