//! Which records are the first of their class, and how many are up to a record: the number of a class.

/// Bits of a block, which is a cache line with the count before it.
const BITS: u64 = 7 * 64;

/// A set of numbers that is made in their order, one bit and a seventh each, with the rank of each member (Jacobson,
/// *Space-efficient Static Trees and Graphs*, 1989, with one level of counts).
#[derive(Debug, Default)]
pub(super) struct Ranks {
    blocks: Vec<Block>,
    len: u64,
    members: u64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Block {
    /// Members before the block.
    before: u64,
    bits: [u64; 7],
}

impl Ranks {
    /// Numbers so far, members or not.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Members so far.
    pub(super) fn members(&self) -> u64 {
        self.members
    }

    /// Adds the next number.
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

    /// Adds the numbers up to one, which is the only member of them. Nothing if it was there.
    pub(super) fn push_up_to(&mut self, member: u64) {
        self.extend_to(member);
        if self.len == member {
            self.push(true);
        }
    }

    /// Adds the numbers below one that are not yet there, none of them members.
    pub(super) fn extend_to(&mut self, len: u64) {
        while self.len < len {
            self.push(false);
        }
    }

    /// Members up to a number, itself included; all of them beyond the end.
    #[inline]
    pub(super) fn rank(&self, number: u64) -> u64 {
        let Some(block) = self.blocks.get((number / BITS) as usize) else { return self.members };
        let last = number % BITS;
        let whole = block.bits[..(last / 64) as usize].iter().map(|word| u64::from(word.count_ones()));
        let part = block.bits[(last / 64) as usize] << (63 - last % 64);
        block.before + whole.sum::<u64>() + u64::from(part.count_ones())
    }
}
