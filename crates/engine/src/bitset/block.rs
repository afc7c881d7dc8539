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

/// Maximum number of words of a block's sets.
pub(super) const WIDEST: usize = 16;

/// A block: the positions of its parts in the arena.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    /// Words per set: 1, 2, 4, 8 or 16; 0 for no block.
    pub(super) width: usize,
    /// Position of the rows to count, which may lack the rows of items covered before.
    pub(super) rows: usize,
    /// Number of quads of the rows to count.
    pub(super) quads: usize,
    /// Position of all rows, from which clash sets are made.
    base: usize,
    /// Number of quads of all rows.
    all: usize,
    /// Number of quads of secondary items without colours, which follow the rows.
    sides: usize,
    /// Number of quads of colours, which follow in pairs.
    pairs: usize,
    known: usize,
    clash: usize,
    /// Position of the set of live options by which the block was squeezed. In a block made from the upper
    /// levels it holds the options themselves.
    pub(super) from: usize,
    /// Index of the block that this one was squeezed from; 0 for none.
    pub(super) above: u32,
    /// True if clash sets are squeezed from those of the block above.
    ///
    /// Clash sets are squeezed if there are secondary items or colours, whose rows only the first block has. Otherwise
    /// it is cheaper to make them from the rows.
    inherits: bool,
}

/// Returns the number of words for a set of `options` options, or 0 if no block can hold them.
#[inline(always)]
pub(super) fn width_for(options: u32) -> usize {
    let words = (options as usize).div_ceil(64).next_power_of_two();
    if words <= WIDEST { words } else { 0 }
}

/// The result of scanning all rows.
pub(super) struct Scan<const W: usize> {
    /// Number of rows without a live option, padding included.
    pub(super) empty: u64,
    /// Options that are the only live one of some row.
    pub(super) forced: [u64; W],
    /// The row with the fewest live options, the first on ties. Only valid if nothing is forced and some row
    /// is not empty.
    pub(super) row: usize,
}

/// Scans all rows under a set of live options of more than one word.
#[inline(always)]
pub(super) fn scan<I: Words, const W: usize>(isa: I, rows: &[[u64; 4]], live: &[u64; W]) -> Scan<W> {
    // The key of a row has its count minus one in the high half and its number in the low half. So the smallest key
    // is the first row with the fewest options. A row without options wraps around and comes last.
    let (one, all) = (isa.splat(1), live.map(|word| isa.splat(word)));
    let (mut empty, mut single) = (isa.splat(0), isa.splat(0));
    let (mut index, step, mut least) = (isa.load(&[0, 1, 2, 3]), isa.splat(4), isa.splat(u64::MAX));
    for quad in rows.chunks_exact(W) {
        let count = count(isa, quad, &all);
        // Comparisons yield -1 for equal words, so subtracting the result counts them.
        empty = isa.sub(empty, isa.equal(count, isa.splat(0)));
        single = isa.or(single, isa.equal(count, one));
        least = isa.least_low(least, isa.or(isa.shift_16(isa.sub(count, one)), index));
        index = isa.add(index, step);
    }
    let mut forced = [0; W];
    // Forced options are rare, so counting again is cheaper than keeping the counts of every quad.
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

/// Maximum number of rows of a block: their numbers must fit into the low half of a key.
pub(super) const MAX_ROWS: u32 = 1 << 16;

impl Block {
    /// Lays out the parts starting at `base`; returns the block and the first free position after it.
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

    /// Returns the maximum number of words of a block squeezed from this block.
    ///
    /// Includes the live and untried options of that block.
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

    /// Returns an option's clash set and the number of items it covers, in a block of one word.
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

/// A block with the memory of all blocks on the path.
pub(super) struct BlockInArena<'a> {
    pub(super) block: &'a Block,
    pub(super) blocks: &'a [Block],
    pub(super) arena: &'a mut [u64],
}

impl BlockInArena<'_> {
    /// Takes an option: removes its clash set from `live`; returns the number of items it covers.
    #[inline(always)]
    fn take<I: Words, const W: usize>(&mut self, isa: I, live: &mut [u64; W], option: usize) -> u32 {
        let BlockInArena { block, blocks, arena } = self;
        // Clash sets are made on demand: the search leaves most blocks before it has taken most of their options.
        block.know::<I, W>(isa, blocks, arena, option);
        let clash = &arena[block.clash + option * (W + 1)..][..W + 1];
        for word in 0..W {
            live[word] &= !clash[word];
        }
        clash[W] as u32
    }
}

/// Makes the clash set of an option, in a block of `W` words.
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
    /// Makes an option's clash set by squeezing that of the block above, of `A` words.
    ///
    /// The option rules out the same options as in the block above, as far as they are left here. All its items are
    /// left too.
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

    /// Makes the clash set of an option, unless it has been made.
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
        // Goes through all rows, not only those still counted, because blocks compacted from this one share
        // its clash sets. Rows of covered items have no live option, so they rule out nothing more, and no
        // option that can be taken counts them.
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

/// The result of settling a node.
pub(super) enum NodeStatus {
    /// No solution below the node, or it must not be entered.
    Closed,
    Solved,
    /// The node must be branched on this row.
    Open(usize),
}

/// Takes an option and everything it forces, in a block of more than one word.
///
/// Calls `note` for each option taken. `live` and `remaining` become the live options and the number of
/// uncovered items of the node.
#[inline(always)]
pub(super) fn settle<I: Words, const W: usize>(
    isa: I,
    mut at: BlockInArena<'_>,
    (live, remaining): (&mut [u64; W], &mut u32),
    option: usize,
    mut note: impl FnMut(usize),
) -> NodeStatus {
    // Empty rows are the padding of the last quad and the rows of covered items. One more empty row is an item that
    // nothing can cover. (Compacted blocks have fewer rows of covered items, and fewer quads.)
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
                // Another forced option may have ruled this one out.
                possible &= live[word] >> bit & 1 != 0;
                note(word * 64 + bit);
                // Items of an option that was ruled out are counted twice, but then nothing is possible
                // anyway.
                let items = at.take(isa, live, word * 64 + bit);
                *remaining = remaining.wrapping_sub(items);
            }
        }
        if !possible {
            return NodeStatus::Closed;
        }
    }
}

/// The inputs for a block made from a node of the upper levels.
pub(super) struct FromUpper<'a> {
    /// Position of the live options in the arena.
    pub(super) live: Range<usize>,
    pub(super) counts: &'a [u32],
    /// Number of uncovered items.
    pub(super) remaining: u32,
    pub(super) table: &'a ProblemTables,
    /// Number of live options.
    pub(super) options: u32,
    /// The item branched on.
    pub(super) item: u32,
    /// Scratch space: [`ProblemTables::sets`] sets of [`WIDEST`] words.
    pub(super) sets: &'a mut [u64],
    /// Scratch space: the secondary sets of live options.
    pub(super) secondary: &'a mut Vec<u32>,
}

impl FromUpper<'_> {
    /// Determines the rows of the block; returns its size in words and its numbers of rows.
    ///
    /// The size includes live and untried options. The numbers are of primary items, secondary items without
    /// colours, and colours.
    pub(super) fn size(&mut self, arena: &[u64]) -> (usize, [usize; 3]) {
        let FromUpper { table, options, sets, secondary, .. } = self;
        let width = width_for(*options);
        let live = || live_options(&arena[self.live.clone()]);
        // Clear only the sets of live options: the total number of sets may be many times larger.
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

    /// Writes the block at word `at` of the arena, followed by its live and untried options.
    ///
    /// Returns the block and the position of its live options.
    pub(super) fn write(self, rows: [usize; 3], arena: &mut [u64], at: usize) -> (Block, usize) {
        let FromUpper { live, counts, table, options, item, sets, secondary, .. } = self;
        let width = width_for(options);
        let (mut block, end) = Block::layout(width, rows, options as usize, at);
        // The rows that pad the last quads stay empty, and no clash set has been made yet.
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

/// Returns the options of a set, ascending.
fn live_options(set: &[u64]) -> impl Iterator<Item = u32> {
    bits_of(set.iter().copied()).map(|option| option as u32)
}

/// Makes a smaller block from the live options of another block, of `W` words.
pub(super) struct Shrink<'a, const W: usize> {
    pub(super) block: Block,
    pub(super) arena: &'a mut [u64],
    /// Position of the live options in the arena, followed by the untried options of the branching.
    pub(super) live: usize,
    /// Number of live options.
    pub(super) options: u32,
    /// Position of the new block, after everything else. Its live and untried options follow it.
    pub(super) at: usize,
}

impl<const W: usize> WordKernel for Shrink<'_, W> {
    /// The block and the position of its live options.
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

/// A set of live options, prepared for squeezing other sets by it.
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
    /// Makes the smaller block with sets of `N` words.
    #[inline(always)]
    fn squeezed<I: Words, const N: usize>(self, isa: I) -> (Block, usize) {
        let Shrink { block: from, arena, live: live_at, options, at } = self;
        let (old, new) = arena.split_at_mut(at);
        let squeeze = &CompressMask::<I::Mask, W>::by(isa, &old[live_at..]);
        // Secondary items and colours need no rows, because clash sets are squeezed too.
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

/// Squeezes rows and writes those that have live options; returns their number.
///
/// The last quad is padded with empty rows.
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
            // Without a branch: a row that is not kept is overwritten by the next row.
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

/// Moves the live options of a set together, given the set word by word.
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
    // `% N` only shows the compiler that the position is in bounds.
    let (mut bits, mut filled, mut place) = (0, 0, 0);
    for word in 0..W {
        let squeezed = isa.compress(set(word), squeeze.masks[word]);
        bits |= squeezed << filled;
        let after = filled + squeeze.sizes[word];
        if after >= 64 {
            out[place % N] = bits;
            place += 1;
            // Shifted in two steps, because all 64 bits may have been written.
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
    /// Copies the rows that have live options to position `at`: the same block without covered items.
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

/// Returns the position of the n-th bit of a set. `of_word` does the same for a single word.
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
