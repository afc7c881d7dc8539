//! Set of the records that are the first of their class.
//!
//! The rank of a first record is the number of its class.

/// Number of bits per block. A block also has a count of 8 bytes, and together they fill a cache line.
const BITS: u64 = 7 * 64;

/// Set of numbers that returns the rank of a member. The rank is the number of members up to and including
/// this member.
///
/// All numbers must be added in ascending order, each as a member or as a non-member. The set takes 1 1/7
/// bits per number (Jacobson, *Space-efficient Static Trees and Graphs*, 1989, with one level of counts).
#[derive(Debug, Default)]
pub(super) struct Ranks {
    blocks: Vec<Block>,
    len: u64,
    members: u64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Block {
    /// Number of members in earlier blocks.
    before: u64,
    bits: [u64; 7],
}

impl Ranks {
    /// Adds the next number, either as a member or as a non-member.
    #[inline]
    pub(super) fn push(&mut self, member: bool) {
        let bit = self.len % BITS;
        if bit == 0 {
            self.blocks.push(Block { before: self.members, bits: [0; 7] });
        }
        if let Some(block) = self.blocks.last_mut() {
            block.bits[(bit / 64) as usize] |= u64::from(member) << (bit % 64);
        }
        self.len += 1;
        self.members += u64::from(member);
    }

    /// Adds the numbers up to `len - 1` as non-members, unless they were already added.
    pub(super) fn extend_to(&mut self, len: u64) {
        while self.len < len {
            self.push(false);
        }
    }

    /// Returns the number of members that are at most `number`.
    ///
    /// Returns the number of all members if `number` is past the end.
    #[inline]
    pub(super) fn rank(&self, number: u64) -> u64 {
        let Some(block) = self.blocks.get((number / BITS) as usize) else { return self.members };
        let last = number % BITS;
        let whole = block.bits[..(last / 64) as usize].iter().map(|word| u64::from(word.count_ones()));
        let part = block.bits[(last / 64) as usize] << (63 - last % 64);
        block.before + whole.sum::<u64>() + u64::from(part.count_ones())
    }
}
