//! The lower levels: a problem of at most 1,024 options as a matrix of bits.
//!
//! ```text
//! arena (words of 64 bits), a block of W words per set, n items, k options:
//!
//!   rows    quad 0: word 0 of items 0-3, word 1 of items 0-3, ...   bit j of item i: option j has item i
//!           quad 1: word 0 of items 4-7, ...                        rows behind the last item are empty
//!   sides   the same of secondary items without colours
//!   pairs   quad 0: words of four colours, then words of what each of them rules out; quad 1: ...
//!   known   W words                                                 bit j: clash of option j is there
//!   clash   option 0: W words, primary items                        bit j: option j cannot go with it
//!           option 1: ...                                           (its own bit is set too)
//! ```
//! A node is the set of its live options, W words. Items are not marked as covered: the rows of a covered item
//! have no live option, and there must be exactly as many such rows as items covered (and behind the last); one
//! more, and some item cannot be covered any more.
//!
//! Where the live options of a node fit in half the words, the subproblem gets a block of its own: every row is
//! squeezed to the bits still alive. Most such blocks are searched in a few nodes, so what can wait waits: clash
//! sets are made when an option is first taken, and options keep no other number than their place; where a
//! solution is to be shown, places are traced back through the sets that the blocks were squeezed by.

use std::ops::Range;

use super::table::Table;
use super::upper::COVERED;
use quadrille_model::bits::{Bits, bits_of, first_bits};
use quadrille_model::simd::{WordKernel, Words, least_key};

/// The most words of a block's sets.
pub(super) const WIDEST: usize = 16;

/// The places of a block's parts in the arena.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    /// Words per set: 1, 2, 4, 8 or 16; 0 for no block.
    pub(super) width: usize,
    /// Rows to count, perhaps without those of items covered before, and their quads.
    pub(super) rows: usize,
    pub(super) quads: usize,
    /// All rows, to make clash sets of; their quads, and those of sides and pairs behind them.
    base: usize,
    all: usize,
    sides: usize,
    pairs: usize,
    known: usize,
    clash: usize,
    /// The place of the set of live options that it was squeezed by; in a block made from the upper levels the options
    /// themselves.
    pub(super) from: usize,
    /// The number of the block that it was squeezed from, 0 for none.
    pub(super) above: u32,
    /// True if clash sets are squeezed from those of the block above, because there are sides or pairs, which only the
    /// first block has. Where all rows are primary items it is cheaper to make them of the rows.
    inherits: bool,
}

/// Words that sets of so many options take; 0 where a block cannot hold them.
#[inline(always)]
pub(super) fn width_for(options: u32) -> usize {
    let words = (options as usize).div_ceil(64).next_power_of_two();
    if words <= WIDEST { words } else { 0 }
}

/// The result of a look at all rows.
pub(super) struct Scan<const W: usize> {
    /// Rows without a live option, padding included.
    pub(super) empty: u64,
    /// The only live options of some row.
    pub(super) forced: [u64; W],
    /// The row with the fewest live options, the first among equals. Only valid where none is forced and some row
    /// is not empty.
    pub(super) row: usize,
}

/// Looks at all rows under a set of live options, of more than one word.
#[inline(always)]
pub(super) fn scan<I: Words, const W: usize>(isa: I, rows: &[[u64; 4]], live: &[u64; W]) -> Scan<W> {
    // A row's key is its count less one, above its number: the least key is the first row with the fewest options. A row
    // without any wraps and comes last.
    let (one, all) = (isa.splat(1), live.map(|word| isa.splat(word)));
    let (mut empty, mut single) = (isa.splat(0), isa.splat(0));
    let (mut index, step, mut least) = (isa.load(&[0, 1, 2, 3]), isa.splat(4), isa.splat(u64::MAX));
    for quad in rows.chunks_exact(W) {
        let count = count(isa, quad, &all);
        // What is equal is all ones, -1: taking it away counts.
        empty = isa.sub(empty, isa.equal(count, isa.splat(0)));
        single = isa.or(single, isa.equal(count, one));
        least = isa.least_low(least, isa.or(isa.shift_16(isa.sub(count, one)), index));
        index = isa.add(index, step);
    }
    let mut forced = [0; W];
    // Seldom, so that counting again is cheaper than keeping every quad's counts.
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

/// The most rows of a block: their numbers must fit in the low half of a key.
pub(super) const MOST_ROWS: u32 = 1 << 16;

impl Block {
    /// Lays the parts out from a place in the arena on; also gives the first word behind them.
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

    /// An upper bound of the words that a block squeezed from this one takes, live and untried options included.
    pub(super) fn room(&self, width: usize, options: u32) -> usize {
        (self.all + self.sides + 2 * self.pairs + 3) * 4 * width
            + width
            + options as usize * (width + 1)
            + 2 * width
    }

    /// The rows to count.
    #[inline(always)]
    pub(super) fn rows<'a>(&self, arena: &'a [u64]) -> &'a [[u64; 4]] {
        arena[self.rows..self.rows + self.quads * 4 * self.width].as_chunks::<4>().0
    }

    /// An option's clash set and the number of items it covers, in a block of one word.
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

    /// Takes an option: what cannot go with it is not live any more. Gives the number of items it covers.
    #[inline(always)]
    fn take<I: Words, const W: usize>(
        &self,
        isa: I,
        blocks: &[Block],
        arena: &mut [u64],
        live: &mut [u64; W],
        option: usize,
    ) -> u32 {
        // Most blocks are left before most of their options were taken.
        self.know::<I, W>(isa, blocks, arena, option);
        let clash = &arena[self.clash + option * (W + 1)..][..W + 1];
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
    /// Squeezes an option's clash set out of that of the block above, of `A` words: it rules out the same options, of those
    /// that are left, and all its items are left.
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
        let squeeze = Squeeze::<I::Mask, A>::by(isa, &arena[self.from..]);
        let set = squeeze_one::<I, A, W>(isa, &squeeze, |word| arena[clash + word]);
        let items = arena[clash + A];
        let clash = &mut arena[self.clash + option * (W + 1)..][..W + 1];
        clash[..W].copy_from_slice(&set);
        clash[W] = items;
    }

    /// Makes sure that an option's clash set is there.
    #[inline(always)]
    fn know<I: Words, const W: usize>(&self, isa: I, blocks: &[Block], arena: &mut [u64], option: usize) {
        if arena[self.known + option / 64] >> (option % 64) & 1 == 0 {
            isa.enter(MakeClash::<W> { block: self, blocks, arena, option });
        }
    }

    /// Makes an option's clash set of the rows that have it.
    #[inline(always)]
    fn unite_rows<I: Words, const W: usize>(&self, isa: I, arena: &mut [u64], option: usize) {
        let (place, bit) = (option / 64, isa.splat(1 << (option % 64)));
        let (mut set, mut items) = ([isa.splat(0); W], isa.splat(0));
        // All rows, not only those still counted: blocks compacted from this one share its clash sets. Rows of items covered
        // by now have no live option, so they rule out nothing more and no option that can be taken counts them.
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

/// The result of a look at a node.
pub(super) enum Verdict {
    /// No solution below it, or not to be entered.
    Closed,
    Solved,
    /// To be branched on this row.
    Open(usize),
}

/// The option taken at a node of a block of more than one word, and what is forced by it, in rounds: `note` is called for each. The live options and the
/// items not covered become those of the node.
#[inline(always)]
pub(super) fn settle<I: Words, const W: usize>(
    isa: I,
    (blocks, block): (&[Block], &Block),
    arena: &mut [u64],
    (live, remaining): (&mut [u64; W], &mut u32),
    option: usize,
    mut note: impl FnMut(usize),
) -> Verdict {
    // Of the rows, as many are empty as pad the last quad or belong to covered items. One more is an item that nothing can
    // cover. (Compacted blocks have fewer covered rows, and fewer quads.)
    let padded = block.quads as u64 * 4;
    note(option);
    *remaining -= block.take(isa, blocks, arena, live, option);
    loop {
        if *remaining == 0 {
            return Verdict::Solved;
        }
        let rows = block.rows(arena);
        let seen = scan::<I, W>(isa, rows, live);
        if seen.empty > padded - u64::from(*remaining) {
            return Verdict::Closed;
        }
        if seen.forced == [0; W] {
            return Verdict::Open(seen.row);
        }
        let mut possible = true;
        for word in 0..W {
            for bit in Bits(seen.forced[word]) {
                // Another forced option may have ruled it out.
                possible &= live[word] >> bit & 1 != 0;
                note(word * 64 + bit);
                // Of an option ruled out, items are counted twice: then nothing is possible anyway.
                let items = block.take(isa, blocks, arena, live, word * 64 + bit);
                *remaining = remaining.wrapping_sub(items);
            }
        }
        if !possible {
            return Verdict::Closed;
        }
    }
}

/// The inputs for a block made of what is left of a problem in the upper levels.
pub(super) struct FromUpper<'a> {
    /// The place of its live options in the arena.
    pub(super) live: Range<usize>,
    pub(super) counts: &'a [u32],
    /// Items not covered.
    pub(super) remaining: u32,
    pub(super) table: &'a Table,
    /// Live options.
    pub(super) options: u32,
    /// The item branched on.
    pub(super) item: u32,
    /// Scratch: [`Table::sets`] sets of [`WIDEST`] words.
    pub(super) sets: &'a mut [u64],
    /// Scratch.
    pub(super) secondary: &'a mut Vec<u32>,
}

impl FromUpper<'_> {
    /// Finds out which rows there will be; gives the words that the block takes, live and untried options included.
    pub(super) fn size(&mut self, arena: &[u64]) -> (usize, [usize; 3]) {
        let FromUpper { table, options, sets, secondary, .. } = self;
        let width = width_for(*options);
        let live = || live_options(&arena[self.live.clone()]);
        // Cleared are only the sets that the live options are in: there may be many times as many.
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

    /// Makes the block `at` words into the arena, with its options, live and untried options behind it; gives the
    /// place of those as well.
    pub(super) fn write(self, rows: [usize; 3], arena: &mut [u64], at: usize) -> (Block, usize) {
        let FromUpper { live, counts, table, options, item, sets, secondary, .. } = self;
        let width = width_for(options);
        let (mut block, end) = Block::layout(width, rows, options as usize, at);
        // The rows that fill up the last quads stay empty, and no clash set is there yet.
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

/// The options of a set, ascending.
fn live_options(set: &[u64]) -> impl Iterator<Item = u32> {
    bits_of(set.iter().copied()).map(|option| option as u32)
}

/// Makes a block of what is left of another, of `W` words.
pub(super) struct Shrink<'a, const W: usize> {
    pub(super) block: Block,
    pub(super) arena: &'a mut [u64],
    /// The place of its live options in the arena, with the untried ones of the branching behind them.
    pub(super) live: usize,
    /// Number of live options.
    pub(super) options: u32,
    /// The place for the new block, after all else, with its live and untried options behind it.
    pub(super) at: usize,
}

impl<const W: usize> WordKernel for Shrink<'_, W> {
    /// The block, and where its live options stand.
    type Output = (Block, usize);

    #[inline(always)]
    fn run<I: Words>(self, isa: I) -> (Block, usize) {
        let Shrink { block: from, arena, live, options, at } = self;
        match width_for(options) {
            1 => shrink::<I, W, 1>(isa, from, arena, live, options, at),
            2 => shrink::<I, W, 2>(isa, from, arena, live, options, at),
            4 => shrink::<I, W, 4>(isa, from, arena, live, options, at),
            _ => shrink::<I, W, 8>(isa, from, arena, live, options, at),
        }
    }
}

/// A set of live options, prepared for squeezing other sets by it.
struct Squeeze<M, const W: usize> {
    masks: [M; W],
    sizes: [u32; W],
}

impl<M: Copy, const W: usize> Squeeze<M, W> {
    #[inline(always)]
    fn by<I: Words<Mask = M>>(isa: I, live: &[u64]) -> Self {
        let mut squeeze = Squeeze { masks: [isa.mask(0); W], sizes: [0; W] };
        for word in 0..W {
            squeeze.masks[word] = isa.mask(live[word]);
            squeeze.sizes[word] = live[word].count_ones();
        }
        squeeze
    }
}

#[inline(always)]
fn shrink<I: Words, const W: usize, const N: usize>(
    isa: I,
    from: Block,
    arena: &mut [u64],
    live_at: usize,
    options: u32,
    at: usize,
) -> (Block, usize) {
    let (old, new) = arena.split_at_mut(at);
    let squeeze = &Squeeze::<I::Mask, W>::by(isa, &old[live_at..]);
    // Secondary items and colours need no rows: clash sets are squeezed too.
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

/// Squeezes rows and writes those that have live options; gives their number. The last quad is filled
/// up with empty rows.
#[inline(always)]
fn squeeze_rows<'r, I: Words, const W: usize, const N: usize>(
    isa: I,
    squeeze: &Squeeze<I::Mask, W>,
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
            // No branch: a row that is not kept is written over by the next.
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

/// Moves the live options of a set, given word by word, together.
#[inline(always)]
fn squeeze_one<I: Words, const W: usize, const N: usize>(
    isa: I,
    squeeze: &Squeeze<I::Mask, W>,
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
    // `% N` only shows the compiler that the place is in bounds.
    let (mut bits, mut filled, mut place) = (0, 0, 0);
    for word in 0..W {
        let squeezed = isa.compress(set(word), squeeze.masks[word]);
        bits |= squeezed << filled;
        let after = filled + squeeze.sizes[word];
        if after >= 64 {
            out[place % N] = bits;
            place += 1;
            // Shifted in two steps, because all 64 bits may have gone out.
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
    /// Writes the rows that have live options to another place: the same block without the items covered.
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

/// The place of a set's n-th bit; `of_word` is that of a word.
#[inline(always)]
pub(super) fn nth(set: &[u64], mut n: usize, of_word: impl Fn(u64, usize) -> usize) -> usize {
    for (word, &bits) in set.iter().enumerate() {
        let size = bits.count_ones() as usize;
        if n < size {
            return word * 64 + of_word(bits, n);
        }
        n -= size;
    }
    unreachable!("an option of a block is one of those it was made of")
}
