//! The set of records that are the first of their class; the rank of such a record is the number of its class.

/// Number of bits of a block: a cache line, less 8 bytes for the count.
const BITS: u64 = 7 * 64;

/// A set of numbers, built in ascending order, that returns the rank of each member.
///
/// The set takes 1 1/7 bits per number (Jacobson, *Space-efficient Static Trees and Graphs*, 1989, with one level of
/// counts).
#[derive(Debug, Default)]
pub(super) struct Ranks {
    blocks: Vec<Block>,
    len: u64,
    members: u64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Block {
    /// Number of members before the block.
    before: u64,
    bits: [u64; 7],
}

impl Ranks {
    /// Adds the next number, as a member or not.
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

    /// Adds the missing numbers below `len` as non-members.
    pub(super) fn extend_to(&mut self, len: u64) {
        while self.len < len {
            self.push(false);
        }
    }

    /// Returns the number of members up to and including `number`, or of all members if `number` is beyond the end.
    #[inline]
    pub(super) fn rank(&self, number: u64) -> u64 {
        let Some(block) = self.blocks.get((number / BITS) as usize) else { return self.members };
        let last = number % BITS;
        let whole = block.bits[..(last / 64) as usize].iter().map(|word| u64::from(word.count_ones()));
        let part = block.bits[(last / 64) as usize] << (63 - last % 64);
        block.before + whole.sum::<u64>() + u64::from(part.count_ones())
    }
}
