//! The lower levels: a problem of at most 1,024 options as a matrix of bits.
//!
//! ```text
//! arena (words of 64 bits), a block of W words per set, n items, k options:
//!
//!   rows    quad 0: word 0 of items 0-3, word 1 of items 0-3, ...   bit j of item i: option j has item i
//!           quad 1: word 0 of items 4-7, ...                        items 4n'.. are padding, all zero
//!   clash   option 0: words 0 .. W                                  bit j: option j cannot go with it
//!           option 1: ...                                           (its own bit is set too)
//!   label   option 0: primary items << 32 | number in the problem
//! ```
//! A node is the set of its live options, W words. Items are not marked as covered: the rows of a covered item
//! have no live option, and there must be exactly as many such rows as items covered (and padding); one more, and
//! some item cannot be covered any more.
//!
//! Where the live options of a node fit in half the words, the subproblem gets a block of its own: every row and
//! every clash set squeezed to the bits still alive.

use super::table::Table;
use super::tally::{COVERED, Tally};
use crate::simd::{WordKernel, Words};

/// The most words of a block's sets.
pub(super) const WIDEST: usize = 16;

/// Where a block's parts stand in the arena.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Block {
    /// Words per set: 1, 2, 4, 8 or 16.
    pub(super) width: usize,
    /// First word of the rows.
    pub(super) rows: usize,
    /// Quads of rows.
    pub(super) quads: usize,
    pub(super) clash: usize,
    pub(super) labels: usize,
}

/// Words that sets of so many options take; 0 where a block cannot hold them.
#[inline(always)]
pub(super) fn width_for(options: u32) -> usize {
    let words = (options as usize).div_ceil(64).next_power_of_two();
    if words <= WIDEST { words } else { 0 }
}

/// What a look at all rows tells.
pub(super) struct Scan<const W: usize> {
    /// Rows without a live option, padding included.
    pub(super) empty: u32,
    /// The only live options of some row.
    pub(super) forced: [u64; W],
    /// The row with the fewest live options, the first among equals. Only valid where none is forced and some row
    /// is not empty.
    pub(super) row: usize,
}

/// Looks at all rows under a set of live options.
#[inline(always)]
pub(super) fn scan<I: Words, const W: usize>(isa: I, rows: &[[u64; 4]], live: &[u64; W]) -> Scan<W> {
    if W == 1 {
        let (empty, forced) = scan_one(isa, rows, live[0]);
        return Scan { empty, forced: [forced; W], row: 0 };
    }
    let (one, all) = (isa.splat(1), live.map(|word| isa.splat(word)));
    let (mut empty, mut single) = (isa.splat(0), isa.splat(0));
    let (mut index, step, mut least) = (isa.load(&[0, 1, 2, 3]), isa.splat(4), isa.splat(u64::MAX));
    for quad in rows.chunks_exact(W) {
        let count = count(isa, quad, &all);
        empty = isa.sub(empty, isa.equal(count, isa.splat(0)));
        single = isa.or(single, isa.equal(count, one));
        least = isa.least_low(least, isa.or(isa.shift_16(isa.sub(count, one)), index));
        index = isa.add(index, step);
    }
    let mut forced = [0; W];
    if isa.words(single) != [0; 4] {
        for quad in rows.chunks_exact(W) {
            let single = isa.equal(count(isa, quad, &all), one);
            for word in 0..W {
                let bits = isa.words(isa.and(single, isa.and(isa.load(&quad[word]), all[word])));
                forced[word] |= bits[0] | bits[1] | bits[2] | bits[3];
            }
        }
    }
    let empty = isa.words(empty).iter().sum::<u64>() as u32;
    Scan { empty, forced, row: least_of(isa, least) }
}

#[inline(always)]
fn least_of<I: Words>(isa: I, least: I::Quad) -> usize {
    let [a, b, c, d] = isa.words(least).map(|key| key as u32);
    (a.min(b).min(c.min(d)) & 0xffff) as usize
}

#[inline(always)]
fn count<I: Words, const W: usize>(isa: I, quad: &[[u64; 4]], live: &[I::Quad; W]) -> I::Quad {
    let mut count = isa.count(isa.and(isa.load(&quad[0]), live[0]));
    for word in 1..W {
        count = isa.add(count, isa.count(isa.and(isa.load(&quad[word]), live[word])));
    }
    isa.total(count)
}

/// Empty rows and forced options of a block of one word: no counting needed.
#[inline(always)]
fn scan_one<I: Words>(isa: I, rows: &[[u64; 4]], live: u64) -> (u32, u64) {
    let (zero, ones, live) = (isa.splat(0), isa.splat(u64::MAX), isa.splat(live));
    let (mut empty, mut forced) = (zero, zero);
    for quad in rows {
        let options = isa.and(isa.load(quad), live);
        let others = isa.and(options, isa.add(options, ones));
        empty = isa.sub(empty, isa.equal(options, zero));
        forced = isa.or(forced, isa.and(options, isa.equal(others, zero)));
    }
    let forced = isa.words(forced);
    (isa.words(empty).iter().sum::<u64>() as u32, forced[0] | forced[1] | forced[2] | forced[3])
}

/// The row with the fewest live options, of a block of one word.
#[inline(always)]
pub(super) fn fewest<I: Words>(isa: I, rows: &[[u64; 4]], live: u64) -> usize {
    let (one, live) = (isa.splat(1), isa.splat(live));
    let (mut index, step, mut least) = (isa.load(&[0, 1, 2, 3]), isa.splat(4), isa.splat(u64::MAX));
    for quad in rows {
        let count = isa.total(isa.count(isa.and(isa.load(quad), live)));
        least = isa.least_low(least, isa.or(isa.shift_16(isa.sub(count, one)), index));
        index = isa.add(index, step);
    }
    least_of(isa, least)
}

/// The most rows of a block: their numbers must fit in the low half of a key.
pub(super) const MOST_ROWS: u32 = 1 << 16;

/// Words that a block takes.
pub(super) fn size(width: usize, items: u32, options: u32) -> usize {
    (items as usize).next_multiple_of(4) * width + options as usize * (width + 1)
}

impl Block {
    /// Lays a block out from a place in the arena on.
    fn layout(width: usize, items: u32, options: u32, at: usize) -> Self {
        let quads = items.div_ceil(4) as usize;
        let clash = at + quads * 4 * width;
        Block { width, rows: at, quads, clash, labels: clash + options as usize * width }
    }

    /// Its rows.
    #[inline(always)]
    pub(super) fn rows<'a>(&self, arena: &'a [u64]) -> &'a [[u64; 4]] {
        arena[self.rows..self.rows + self.quads * 4 * self.width].as_chunks::<4>().0
    }

    /// Makes a block of what is left of a problem in the upper levels, in the words of the arena from `at` on.
    pub(super) fn of_tally(
        tally: &Tally<'_>,
        options: u32,
        table: &Table,
        masks: &mut [u64],
        into: &mut [u64],
        at: usize,
    ) -> Self {
        let width = width_for(options);
        let block = Block::layout(width, tally.remaining, options, at);
        let (rows, into) = into.split_at_mut(block.clash - at);
        let (clashes, labels) = into.split_at_mut(block.labels - block.clash);
        let live = || {
            let bits = tally
                .live
                .iter()
                .enumerate()
                .flat_map(|(word, &bits)| Bits(bits).map(move |bit| (word, bit)));
            bits.map(|(word, bit)| (word * 64 + bit) as u32)
        };
        for option in live() {
            for mask in table.masks_of(option) {
                masks[mask * WIDEST..][..width].fill(0);
            }
        }
        for (place, option) in live().enumerate() {
            for mask in table.masks_of(option) {
                masks[mask * WIDEST + place / 64] |= 1 << (place % 64);
            }
        }
        rows.fill(0);
        let items = tally.counts.iter().enumerate().filter(|(_, count)| **count & COVERED == 0);
        for (row, (item, _)) in items.enumerate() {
            for word in 0..width {
                rows[(row / 4 * width + word) * 4 + row % 4] = masks[item * WIDEST + word];
            }
        }
        for (place, option) in live().enumerate() {
            let clash = &mut clashes[place * width..][..width];
            clash.fill(0);
            for (mask, agreeing) in table.conflicts(option) {
                for (word, bits) in clash.iter_mut().enumerate() {
                    let agreeing = agreeing.map_or(0, |agreeing| masks[agreeing * WIDEST + word]);
                    *bits |= masks[mask * WIDEST + word] & !agreeing;
                }
            }
            let items = table.items_of(option).len() as u64;
            labels[place] = items << 32 | u64::from(table.original(option));
        }
        block
    }
}

/// Makes a block of what is left of another.
pub(super) struct Shrink<'a> {
    pub(super) block: Block,
    pub(super) arena: &'a mut [u64],
    /// Where its live options stand in the arena, with the untried ones of the branching behind them.
    pub(super) live: usize,
    /// How many those are.
    pub(super) options: u32,
    /// Items not covered.
    pub(super) items: u32,
    /// Where the new block is to stand, after all else, with its live and untried options behind it.
    pub(super) at: usize,
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

impl WordKernel for Shrink<'_> {
    type Output = Block;

    #[inline(always)]
    fn run<I: Words>(self, isa: I) -> Block {
        let Shrink { block: from, arena, live, options, items, at } = self;
        let to = Block::layout(width_for(options), items, options, at);
        let (arena, into) = arena.split_at_mut(at);
        let (live, untried) = arena[live..live + 2 * from.width].split_at(from.width);
        let mut masks = [(isa.mask(0), 0); WIDEST];
        for (mask, &bits) in masks.iter_mut().zip(live) {
            *mask = (isa.mask(bits), bits.count_ones());
        }
        let masks = &masks[..from.width];
        let rows = from.rows(arena);
        // A word of each of four rows goes where the words before it end.
        let (fresh, rest) = into.split_at_mut(to.clash - at);
        let mut place = 0;
        for quad in rows.chunks_exact(from.width) {
            for lane in 0..4 {
                let mut any = 0;
                for word in 0..from.width {
                    any |= quad[word][lane] & live[word];
                }
                if any == 0 {
                    continue;
                }
                let row = &mut fresh[place / 4 * 4 * to.width + place % 4..];
                squeeze(isa, masks, |word| quad[word][lane], |word, bits| row[4 * word] = bits, to.width);
                place += 1;
            }
        }
        for padding in place..to.quads * 4 {
            for word in 0..to.width {
                fresh[(padding / 4 * to.width + word) * 4 + padding % 4] = 0;
            }
        }
        let (clash, rest) = rest.split_at_mut(to.labels - to.clash);
        let (labels, rest) = rest.split_at_mut(options as usize);
        all_live(&mut rest[..to.width], options);
        let fresh = &mut rest[to.width..];
        squeeze(isa, masks, |word| untried[word], |word, bits| fresh[word] = bits, to.width);
        let mut place = 0;
        for (word, &bits) in live.iter().enumerate() {
            for bit in Bits(bits) {
                let option = word * 64 + bit;
                let old = &arena[from.clash + option * from.width..][..from.width];
                let new = &mut clash[place * to.width..][..to.width];
                squeeze(isa, masks, |word| old[word], |word, bits| new[word] = bits, to.width);
                labels[place] = arena[from.labels + option];
                place += 1;
            }
        }
        to
    }
}

/// The set of the first so many options.
pub(super) fn all_live(set: &mut [u64], options: u32) {
    for (word, bits) in set.iter_mut().enumerate() {
        let left = (options as usize).saturating_sub(word * 64);
        *bits = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
    }
}

/// Squeezes a set to the bits that are live, given as a mask for each word and its size: `width` words come out.
#[inline(always)]
fn squeeze<I: Words>(
    isa: I,
    masks: &[(I::Mask, u32)],
    from: impl Fn(usize) -> u64,
    mut to: impl FnMut(usize, u64),
    width: usize,
) {
    let (mut bits, mut filled, mut out) = (0, 0, 0);
    for (word, &(mask, size)) in masks.iter().enumerate() {
        let squeezed = isa.compress(from(word), mask);
        bits |= squeezed << filled;
        let after = filled + size;
        if after >= 64 {
            to(out, bits);
            out += 1;
            // Shifted in two steps, because all 64 bits may have gone out.
            bits = squeezed >> (63 - filled) >> 1;
        }
        filled = after % 64;
    }
    if out < width {
        to(out, bits);
    }
    for word in out + 1..width {
        to(word, 0);
    }
}

/// The places of the bits of a word, ascending.
pub(super) struct Bits(pub(super) u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(bit)
    }
}
