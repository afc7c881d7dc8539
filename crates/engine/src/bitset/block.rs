//! The lower levels of the search: a problem of at most 1,024 options as a matrix of bits.
//!
//! ```text
//! arena (words of 64 bits), a block of W words per set, n items, k options:
//!
//!   rows    quad 0: word 0 of items 0-3, word 1 of items 0-3, ...   bit j of item i: option j has item i
//!           quad 1: word 0 of items 4-7, ...                        rows after the last item are empty
//!   sides   rows of secondary items without colours
//!   pairs   quad 0: words of four colours, then words of what each of them rules out; quad 1: ...
//!   known   W words                                                 bit j: clash set j has been computed
//!   clash   option 0: W words, number of primary items              bit j: option j excludes option 0
//!           option 1: ...                                           (its own bit is set too)
//! ```
//! A node is the set of its live options, W words. Items are not marked as covered: the rows of a covered
//! item have no live option. So the number of empty rows must equal the number of covered items, plus the
//! padding. One more empty row means that some item cannot be covered any more.
//!
//! If the live options of a node fit into half the words, the subproblem gets a block of its own: every row
//! is squeezed to its live bits. Most such blocks are searched in a few nodes, so work is deferred. A clash
//! set is computed when its option is first taken. Options have no number other than their position in the
//! block. To report a solution, positions are traced back through the sets by which the blocks were squeezed.

use std::ops::Range;

use super::table::ProblemTables;
use super::upper::COVERED;
use quadrille_model::bits::{Bits, bits_of, first_bits};
use quadrille_model::simd::{WordKernel, Words, least_key};

/// Maximum number of 64-bit words in each set of a block.
pub(super) const WIDEST: usize = 16;

/// The bit sets of a small problem. The sets are in the arena, which is one long list of words. The fields of
/// a block are positions and sizes in the arena.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    /// Number of words per set: 1, 2, 4, 8 or 16. It is 0 if there is no block.
    pub(super) width: usize,
    /// Position of the rows (sets of options per item) to count. Rows of items that are already covered may
    /// be missing.
    pub(super) rows: usize,
    /// Number of quads (groups of four rows) among the rows to count.
    pub(super) quads: usize,
    /// Position of all rows in the arena. The clash sets (for each option, the options that it excludes) are
    /// made from these rows.
    base: usize,
    /// Number of quads (groups of four rows) among all rows.
    all: usize,
    /// Number of quads for secondary items without colours. These quads follow the rows of primary items.
    sides: usize,
    /// Number of pairs of quads (groups of four rows) for colours. The first quad of a pair has the rows of
    /// four colours. The second has the options that these colours rule out. The pairs follow the quads of
    /// secondary items without colours.
    pairs: usize,
    known: usize,
    clash: usize,
    /// Position in the arena of the set from which this block was made: the live options of the larger block.
    ///
    /// If the block was made from the upper levels, this is the position of a list with the numbers of its
    /// options.
    pub(super) from: usize,
    /// Index of the larger block from which this block was made, or 0 if it was made from the upper levels.
    pub(super) above: u32,
    /// True if the clash sets of this block are made from those of the larger block.
    ///
    /// The clash set of an option has the options that it rules out. Clash sets made from rows are cheaper.
    /// But only the first block has rows for secondary items and colours. So if the problem has any of them,
    /// later blocks inherit their clash sets.
    inherits: bool,
}

/// Returns the number of words in each set of a block that has `options` options.
///
/// Returns 0 if a block cannot have this number of options.
#[inline(always)]
pub(super) fn width_for(options: u32) -> usize {
    let words = (options as usize).div_ceil(64).next_power_of_two();
    if words <= WIDEST { words } else { 0 }
}

/// The result of scanning all rows of a block.
pub(super) struct Scan<const W: usize> {
    /// Number of rows without a live option. Rows that only pad a group of four rows are included.
    pub(super) empty: u64,
    /// Options that are the only live option of at least one row.
    pub(super) forced: [u64; W],
    /// The first of the rows with the fewest live options.
    ///
    /// Valid only if no option is forced and at least one row has a live option.
    pub(super) row: usize,
}

/// Scans all rows, given a set of live options that has more than one word.
#[inline(always)]
pub(super) fn scan<I: Words, const W: usize>(isa: I, rows: &[[u64; 4]], live: &[u64; W]) -> Scan<W> {
    // Rows are compared by keys. The high half of a key is the row's number of live options minus one. The
    // low half is the row's index. So the smallest key belongs to the first row with the fewest options. For
    // a row without options, the high half wraps around, so the row comes last.
    let (one, all) = (isa.splat(1), live.map(|word| isa.splat(word)));
    let (mut empty, mut single) = (isa.splat(0), isa.splat(0));
    let (mut index, step, mut least) = (isa.load(&[0, 1, 2, 3]), isa.splat(4), isa.splat(u64::MAX));
    for quad in rows.chunks_exact(W) {
        let count = count(isa, quad, &all);
        // A comparison yields -1 for equal words, so subtracting its result counts them.
        empty = isa.sub(empty, isa.equal(count, isa.splat(0)));
        single = isa.or(single, isa.equal(count, one));
        least = isa.least_low(least, isa.or(isa.shift_16(isa.sub(count, one)), index));
        index = isa.add(index, step);
    }
    let mut forced = [0; W];
    // Forced options are rare. So counting again is cheaper than storing the counts of every group of four
    // rows.
    if isa.words(single) != [0; 4] {
        for quad in rows.chunks_exact(W) {
            let single = isa.equal(count(isa, quad, &all), one);
            for word in 0..W {
                let bits = isa.words(isa.and(single, isa.and(isa.load(&quad[word]), all[word])));
                forced[word] |= bits[0] | bits[1] | bits[2] | bits[3];
            }
        }
    }
    let empty = isa.words(empty).iter().sum::<u64>();
    Scan { empty, forced, row: least_key(isa, least) }
}

#[inline(always)]
fn count<I: Words, const W: usize>(isa: I, quad: &[[u64; 4]], live: &[I::Quad; W]) -> I::Quad {
    let mut count = isa.count(isa.and(isa.load(&quad[0]), live[0]));
    for word in 1..W {
        count = isa.add(count, isa.count(isa.and(isa.load(&quad[word]), live[word])));
    }
    isa.total(count)
}

/// Maximum number of rows of a block.
///
/// [`scan`] compares rows by keys. The low half of a key must have room for the index of the row.
pub(super) const MAX_ROWS: u32 = 1 << 16;

impl Block {
    /// Computes the position of each list of a block in the arena, starting at position `base`.
    ///
    /// Returns the block and the first free position after it.
    fn layout(width: usize, rows: [usize; 3], options: usize, base: usize) -> (Self, usize) {
        let [all, sides, pairs] = rows.map(|rows| rows.div_ceil(4));
        let known = base + (all + sides + 2 * pairs) * 4 * width;
        let clash = known + width;
        let block = Block {
            width,
            rows: base,
            quads: all,
            base,
            all,
            sides,
            pairs,
            known,
            clash,
            ..Block::default()
        };
        (block, clash + options * (width + 1))
    }

    /// Returns the maximum number of words for a smaller block that is made from this block.
    ///
    /// This includes the sets of live and untried options of the smaller block.
    pub(super) fn room(&self, width: usize, options: u32) -> usize {
        (self.all + self.sides + 2 * self.pairs + 3) * 4 * width
            + width
            + options as usize * (width + 1)
            + 2 * width
    }

    /// Returns the rows to count.
    #[inline(always)]
    pub(super) fn rows<'a>(&self, arena: &'a [u64]) -> &'a [[u64; 4]] {
        arena[self.rows..self.rows + self.quads * 4 * self.width].as_chunks::<4>().0
    }

    /// Returns the clash set of an option and the number of items that the option covers.
    ///
    /// The block must have one word per set.
    #[inline(always)]
    pub(super) fn word_clash<I: Words>(
        &self,
        isa: I,
        blocks: &[Block],
        arena: &mut [u64],
        option: usize,
    ) -> [u64; 2] {
        self.know::<I, 1>(isa, blocks, arena, option);
        let clash = &arena[self.clash + option * 2..][..2];
        [clash[0], clash[1]]
    }
}

/// A block, together with the arena that holds all blocks on the path.
pub(super) struct BlockInArena<'a> {
    pub(super) block: &'a Block,
    pub(super) blocks: &'a [Block],
    pub(super) arena: &'a mut [u64],
}

impl BlockInArena<'_> {
    /// Chooses an option: removes its clash set (the options that it excludes) from `live`.
    ///
    /// Returns the number of items that the option covers.
    #[inline(always)]
    fn take<I: Words, const W: usize>(&mut self, isa: I, live: &mut [u64; W], option: usize) -> u32 {
        let BlockInArena { block, blocks, arena } = self;
        // Clash sets are made only when they are needed, because most blocks choose only a few of their
        // options.
        block.know::<I, W>(isa, blocks, arena, option);
        let clash = &arena[block.clash + option * (W + 1)..][..W + 1];
        for word in 0..W {
            live[word] &= !clash[word];
        }
        clash[W] as u32
    }
}

/// The task of making the clash set of an option (the options that it excludes), with `W` words per set.
struct MakeClash<'a, const W: usize> {
    block: &'a Block,
    blocks: &'a [Block],
    arena: &'a mut [u64],
    option: usize,
}

impl<const W: usize> WordKernel for MakeClash<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<I: Words>(self, isa: I) {
        let MakeClash { block, blocks, arena, option } = self;
        arena[block.known + option / 64] |= 1 << (option % 64);
        if !block.inherits {
            return block.unite_rows::<I, W>(isa, arena, option);
        }
        match blocks[block.above as usize].width {
            2 => block.inherit::<I, 2, W>(isa, blocks, arena, option),
            4 => block.inherit::<I, 4, W>(isa, blocks, arena, option),
            8 => block.inherit::<I, 8, W>(isa, blocks, arena, option),
            _ => block.inherit::<I, 16, W>(isa, blocks, arena, option),
        }
    }
}

impl Block {
    /// Makes the clash set of an option from its clash set in the larger block, which has `A` words per set.
    ///
    /// Options that are no longer live are left out. All items of the option must still be uncovered.
    #[inline(always)]
    fn inherit<I: Words, const A: usize, const W: usize>(
        &self,
        isa: I,
        blocks: &[Block],
        arena: &mut [u64],
        option: usize,
    ) {
        let above = &blocks[self.above as usize];
        let place = nth(&arena[self.from..self.from + A], option, |word, n| isa.place(word, n));
        above.know::<I, A>(isa, blocks, arena, place);
        let clash = above.clash + place * (A + 1);
        let squeeze = CompressMask::<I::Mask, A>::by(isa, &arena[self.from..]);
        let set = squeeze_one::<I, A, W>(isa, &squeeze, |word| arena[clash + word]);
        let items = arena[clash + A];
        let clash = &mut arena[self.clash + option * (W + 1)..][..W + 1];
        clash[..W].copy_from_slice(&set);
        clash[W] = items;
    }

    /// Makes the clash set of an option unless the set exists already.
    #[inline(always)]
    fn know<I: Words, const W: usize>(&self, isa: I, blocks: &[Block], arena: &mut [u64], option: usize) {
        if arena[self.known + option / 64] >> (option % 64) & 1 == 0 {
            isa.enter(MakeClash::<W> { block: self, blocks, arena, option });
        }
    }

    /// Makes the clash set of an option from the rows that contain it.
    #[inline(always)]
    fn unite_rows<I: Words, const W: usize>(&self, isa: I, arena: &mut [u64], option: usize) {
        let (place, bit) = (option / 64, isa.splat(1 << (option % 64)));
        let (mut set, mut items) = ([isa.splat(0); W], isa.splat(0));
        // The loop reads all rows of the block, even rows of covered items. This is correct: an option that
        // can still be chosen does not belong to a row of a covered item.
        //
        // Compacted copies of the block have fewer rows, but use the same clash sets.
        let quads = arena[self.base..self.known].as_chunks::<4>().0;
        let (rows, rest) = quads.split_at(self.all * W);
        let (sides, pairs) = rest.split_at(self.sides * W);
        for quad in rows.chunks_exact(W) {
            let has = isa.equal(isa.and(isa.load(&quad[place]), bit), bit);
            items = isa.sub(items, has);
            for word in 0..W {
                set[word] = isa.or(set[word], isa.and(isa.load(&quad[word]), has));
            }
        }
        for quad in sides.chunks_exact(W) {
            let has = isa.equal(isa.and(isa.load(&quad[place]), bit), bit);
            for word in 0..W {
                set[word] = isa.or(set[word], isa.and(isa.load(&quad[word]), has));
            }
        }
        for quad in pairs.chunks_exact(2 * W) {
            let has = isa.equal(isa.and(isa.load(&quad[place]), bit), bit);
            for word in 0..W {
                set[word] = isa.or(set[word], isa.and(isa.load(&quad[W + word]), has));
            }
        }
        let clash = &mut arena[self.clash + option * (W + 1)..][..W + 1];
        for word in 0..W {
            let [a, b, c, d] = isa.words(set[word]);
            clash[word] = a | b | c | d;
        }
        clash[W] = isa.words(items).iter().sum();
    }
}

/// The result of choosing an option and all options that it forces.
pub(super) enum NodeStatus {
    /// The subtree has no solution, or the node must not be entered.
    Closed,
    Solved,
    /// The node needs a branching on this row.
    Open(usize),
}

/// Chooses an option and all options that it forces, in a block with more than one word per set.
///
/// Calls `note` for each chosen option. Afterwards, `live` is the node's set of live options, and `remaining`
/// is its number of uncovered items.
#[inline(always)]
pub(super) fn settle<I: Words, const W: usize>(
    isa: I,
    mut at: BlockInArena<'_>,
    (live, remaining): (&mut [u64; W], &mut u32),
    option: usize,
    mut note: impl FnMut(usize),
) -> NodeStatus {
    // A row may be empty because it pads the last group of four rows, or because its item is covered. If any
    // other row is empty, its item cannot be covered, so there is no solution.
    let padded = at.block.quads as u64 * 4;
    note(option);
    *remaining -= at.take(isa, live, option);
    loop {
        if *remaining == 0 {
            return NodeStatus::Solved;
        }
        let rows = at.block.rows(at.arena);
        let seen = scan::<I, W>(isa, rows, live);
        if seen.empty > padded - u64::from(*remaining) {
            return NodeStatus::Closed;
        }
        if seen.forced == [0; W] {
            return NodeStatus::Open(seen.row);
        }
        let mut possible = true;
        for word in 0..W {
            for bit in Bits(seen.forced[word]) {
                // This bit is now clear if another forced option has ruled the option out.
                possible &= live[word] >> bit & 1 != 0;
                note(word * 64 + bit);
                // The option may already be ruled out. Its items are then counted twice. This does no harm,
                // because the node has no solution in that case.
                let items = at.take(isa, live, word * 64 + bit);
                *remaining = remaining.wrapping_sub(items);
            }
        }
        if !possible {
            return NodeStatus::Closed;
        }
    }
}

/// The inputs for making the first block, from a node that is still on the upper levels.
pub(super) struct FromUpper<'a> {
    /// Range in the arena that holds the set of live options.
    pub(super) live: Range<usize>,
    pub(super) counts: &'a [u32],
    /// Number of uncovered items.
    pub(super) remaining: u32,
    pub(super) table: &'a ProblemTables,
    /// Number of live options.
    pub(super) options: u32,
    /// The item branched on.
    pub(super) item: u32,
    /// Scratch space for [`ProblemTables::sets`] sets of [`WIDEST`] words each.
    pub(super) sets: &'a mut [u64],
    /// Scratch space for the sets of secondary items and colours that live options belong to.
    pub(super) secondary: &'a mut Vec<u32>,
}

impl FromUpper<'_> {
    /// Determines which rows the block needs. Returns the block's size in words, and its numbers of rows.
    ///
    /// The size includes the sets of live and untried options. There are three numbers: rows of primary
    /// items, of secondary items without colours, and of colours.
    pub(super) fn size(&mut self, arena: &[u64]) -> (usize, [usize; 3]) {
        let FromUpper { table, options, sets, secondary, .. } = self;
        let width = width_for(*options);
        let live = || live_options(&arena[self.live.clone()]);
        // Only the scratch sets that live options use are cleared, because the total number of sets may be
        // many times larger.
        secondary.clear();
        for option in live() {
            for set in table.sets_of(option) {
                sets[set * WIDEST..][..width].fill(0);
                if set >= table.primary {
                    secondary.push(set as u32);
                }
            }
        }
        secondary.sort_unstable();
        secondary.dedup();
        for (place, option) in live().enumerate() {
            for set in table.sets_of(option) {
                sets[set * WIDEST + place / 64] |= 1 << (place % 64);
            }
        }
        let sides = secondary.iter().filter(|set| table.is_plain_side(**set as usize)).count();
        let pairs = secondary.iter().filter(|set| table.colour_set(**set as usize).is_some()).count();
        let rows = [self.remaining as usize, sides, pairs];
        let (_, end) = Block::layout(width, rows, *options as usize, 0);
        (end + *options as usize + 2 * width, rows)
    }

    /// Writes the block to the arena, beginning at word `at`. The sets of live and untried options follow it.
    ///
    /// Returns the block and the position of its live options.
    pub(super) fn write(self, rows: [usize; 3], arena: &mut [u64], at: usize) -> (Block, usize) {
        let FromUpper { live, counts, table, options, item, sets, secondary, .. } = self;
        let width = width_for(options);
        let (mut block, end) = Block::layout(width, rows, options as usize, at);
        // This leaves the rows that pad the last group of four rows empty. It also marks all clash sets as
        // not made.
        arena[at..block.clash].fill(0);
        let (upper, arena) = arena.split_at_mut(at);
        let of = |set: usize| &sets[set * WIDEST..][..width];
        let mut put = |base: usize, stride: usize, row: usize, word: usize, bits: u64| {
            arena[base - at + (row / 4 * stride + word) * 4 + row % 4] = bits;
        };
        let items = counts.iter().enumerate().filter(|(_, count)| **count & COVERED == 0);
        for (row, (item, _)) in items.enumerate() {
            of(item).iter().enumerate().for_each(|(word, &bits)| put(block.base, width, row, word, bits));
        }
        let sides = block.base + block.all * 4 * width;
        for (row, &set) in secondary.iter().filter(|set| table.is_plain_side(**set as usize)).enumerate() {
            of(set as usize).iter().enumerate().for_each(|(word, &bits)| put(sides, width, row, word, bits));
        }
        let pairs = sides + block.sides * 4 * width;
        let coloured =
            secondary.iter().filter_map(|&set| Some((set as usize, table.colour_set(set as usize)?)));
        for (row, (set, (whole, alone))) in coloured.enumerate() {
            for word in 0..width {
                let own = of(set)[word];
                put(pairs, 2 * width, row, word, own);
                put(
                    pairs,
                    2 * width,
                    row,
                    width + word,
                    of(whole)[word] & if alone { u64::MAX } else { !own },
                );
            }
        }
        let rest = &mut arena[end - at..];
        for (place, option) in live_options(&upper[live]).enumerate() {
            rest[place] = u64::from(table.original(option));
        }
        block.from = end;
        let rest = &mut rest[options as usize..];
        first_bits(&mut rest[..width], options);
        rest[width..2 * width].copy_from_slice(of(item as usize));
        (block, end + options as usize)
    }
}

/// Returns the options in a set, ascending.
fn live_options(set: &[u64]) -> impl Iterator<Item = u32> {
    bits_of(set.iter().copied()).map(|option| option as u32)
}

/// Makes a smaller block from the live options of a block with `W` words per set.
pub(super) struct Shrink<'a, const W: usize> {
    pub(super) block: Block,
    pub(super) arena: &'a mut [u64],
    /// Position of the set of live options in the arena. The set of the branching's untried options follows
    /// it.
    pub(super) live: usize,
    /// Number of live options.
    pub(super) options: u32,
    /// Position for the new block in the arena: the first position that is not in use.
    ///
    /// The sets of live and untried options follow the block.
    pub(super) at: usize,
}

impl<const W: usize> WordKernel for Shrink<'_, W> {
    /// The new block, and the position of its set of live options in the arena.
    type Output = (Block, usize);

    #[inline(always)]
    fn run<I: Words>(self, isa: I) -> (Block, usize) {
        match width_for(self.options) {
            1 => self.squeezed::<I, 1>(isa),
            2 => self.squeezed::<I, 2>(isa),
            4 => self.squeezed::<I, 4>(isa),
            _ => self.squeezed::<I, 8>(isa),
        }
    }
}

/// A set of live options, prepared for squeezing other sets: moving the bits of these options next to each
/// other.
struct CompressMask<M, const W: usize> {
    masks: [M; W],
    sizes: [u32; W],
}

impl<M: Copy, const W: usize> CompressMask<M, W> {
    #[inline(always)]
    fn by<I: Words<Mask = M>>(isa: I, live: &[u64]) -> Self {
        let mut squeeze = CompressMask { masks: [isa.mask(0); W], sizes: [0; W] };
        for word in 0..W {
            squeeze.masks[word] = isa.mask(live[word]);
            squeeze.sizes[word] = live[word].count_ones();
        }
        squeeze
    }
}

impl<const W: usize> Shrink<'_, W> {
    /// Makes the smaller block, with `N` words per set.
    #[inline(always)]
    fn squeezed<I: Words, const N: usize>(self, isa: I) -> (Block, usize) {
        let Shrink { block: from, arena, live: live_at, options, at } = self;
        let (old, new) = arena.split_at_mut(at);
        let squeeze = &CompressMask::<I::Mask, W>::by(isa, &old[live_at..]);
        // The new block needs no rows for secondary items and colours, because it makes its clash sets from
        // those of this block.
        let all = squeeze_rows::<I, W, N>(isa, squeeze, from.rows(old).chunks_exact(W), new);
        let (mut block, end) = Block::layout(N, [all, 0, 0], options as usize, at);
        block.from = live_at;
        block.inherits = from.inherits || from.sides + from.pairs > 0;
        arena[block.known..block.clash].fill(0);
        first_bits(&mut arena[end..end + N], options);
        let mut untried = [0; W];
        untried.copy_from_slice(&arena[live_at + W..live_at + 2 * W]);
        let untried = squeeze_one::<I, W, N>(isa, squeeze, |word| untried[word]);
        arena[end + N..end + 2 * N].copy_from_slice(&untried);
        (block, end)
    }
}

/// Squeezes rows: moves the bits of live options next to each other. Writes only rows that have live options,
/// and returns their number.
///
/// Pads the last group of four rows with empty rows.
#[inline(always)]
fn squeeze_rows<'r, I: Words, const W: usize, const N: usize>(
    isa: I,
    squeeze: &CompressMask<I::Mask, W>,
    quads: impl Iterator<Item = &'r [[u64; 4]]>,
    to: &mut [u64],
) -> usize {
    let to = to.as_chunks_mut::<4>().0;
    let mut rows = 0;
    for quad in quads {
        for lane in 0..4 {
            let row = squeeze_one::<I, W, N>(isa, squeeze, |word| quad[word][lane]);
            let to = &mut to[rows / 4 * N..][..N];
            let mut any = 0;
            for word in 0..N {
                to[word][rows % 4] = row[word];
                any |= row[word];
            }
            // There is no branch here. If this row is not kept, the next row overwrites it.
            rows += usize::from(any != 0);
        }
    }
    for row in rows..rows.next_multiple_of(4) {
        for word in 0..N {
            to[row / 4 * N + word][row % 4] = 0;
        }
    }
    rows
}

/// Squeezes a set: moves the bits of live options next to each other. `set` returns one word of the set.
#[inline(always)]
fn squeeze_one<I: Words, const W: usize, const N: usize>(
    isa: I,
    squeeze: &CompressMask<I::Mask, W>,
    set: impl Fn(usize) -> u64,
) -> [u64; N] {
    let mut out = [0; N];
    if N == 1 {
        let mut filled = 0;
        for word in 0..W {
            out[0] |= isa.compress(set(word), squeeze.masks[word]) << (filled % 64);
            filled += squeeze.sizes[word];
        }
        return out;
    }
    // `% N` does not change the position. It shows the compiler that the position is in bounds.
    let (mut bits, mut filled, mut place) = (0, 0, 0);
    for word in 0..W {
        let squeezed = isa.compress(set(word), squeeze.masks[word]);
        bits |= squeezed << filled;
        let after = filled + squeeze.sizes[word];
        if after >= 64 {
            out[place % N] = bits;
            place += 1;
            // The shift is done in two steps, because its total may be 64 bits.
            bits = squeezed >> (63 - filled) >> 1;
        }
        filled = after % 64;
    }
    if place < N {
        out[place % N] = bits;
    }
    out
}

impl Block {
    /// Copies the rows that have live options to position `at`.
    ///
    /// Returns the same block without the rows of covered items.
    #[inline(always)]
    pub(super) fn compact<const W: usize>(
        self,
        live: &[u64; W],
        arena: &mut [u64],
        at: usize,
        items: u32,
    ) -> Self {
        let quads = items.div_ceil(4) as usize;
        let (arena, into) = arena.split_at_mut(at);
        let into = into[..quads * 4 * W].as_chunks_mut::<4>().0;
        let mut place = 0;
        for quad in self.rows(arena).chunks_exact(W) {
            for lane in 0..4 {
                let any = (0..W).fold(0, |any, word| any | quad[word][lane] & live[word]);
                if any == 0 {
                    continue;
                }
                for word in 0..W {
                    into[place / 4 * W + word][place % 4] = quad[word][lane];
                }
                place += 1;
            }
        }
        for padding in place..quads * 4 {
            for word in 0..W {
                into[padding / 4 * W + word][padding % 4] = 0;
            }
        }
        Block { rows: at, quads, ..self }
    }
}

/// Returns the position of the set bit with the 0-based index `n` among the set bits.
///
/// `of_word` does the same within a single word.
#[inline(always)]
pub(super) fn nth(set: &[u64], mut n: usize, of_word: impl Fn(u64, usize) -> usize) -> usize {
    for (word, &bits) in set.iter().enumerate() {
        let size = bits.count_ones() as usize;
        if n < size {
            return word * 64 + of_word(bits, n);
        }
        n -= size;
    }
    unreachable!("the set has more than n options")
}
