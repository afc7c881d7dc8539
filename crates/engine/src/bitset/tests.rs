use std::sync::Arc;

use super::block::{scan, width_for};
use super::{Bitset, Control, Task, TreeSearch};
use crate::Flow;
use quadrille_model::bits::{Bits, nth_bit};
use quadrille_model::random::SplitMix64;
use quadrille_model::simd::{Isa, WordKernel, Words, run_sets};
use quadrille_model::{CoverProblem, EndedBy, Goal, Limits, Outcome, ProblemRef, Solution};

/// Returns a set with few, some or many bits.
fn set(random: &mut SplitMix64) -> u64 {
    let dense = random.word() | random.word();
    (0..random.below(9)).fold(dense, |word, _| word & random.word())
}

/// Compares a scan with counts made item by item.
struct Check<const W: usize>(u64);

impl<const W: usize> WordKernel for Check<W> {
    type Output = ();

    #[inline(always)]
    fn run<I: Words>(self, isa: I) {
        let mut random = SplitMix64(self.0);
        for items in 1..40usize {
            let sets: Vec<[u64; W]> = (0..items).map(|_| std::array::from_fn(|_| set(&mut random))).collect();
            let live: [u64; W] = std::array::from_fn(|_| set(&mut random));
            let quads = items.div_ceil(4);
            let mut rows = vec![[0; 4]; quads * W];
            for (item, set) in sets.iter().enumerate() {
                (0..W).for_each(|word| rows[item / 4 * W + word][item % 4] = set[word]);
            }
            let count =
                |set: &[u64; W]| (0..W).map(|word| (set[word] & live[word]).count_ones()).sum::<u32>();
            let counts: Vec<u32> = sets.iter().map(count).collect();
            let mut forced = [0; W];
            for (set, _) in sets.iter().zip(&counts).filter(|(_, count)| **count == 1) {
                (0..W).for_each(|word| forced[word] |= set[word] & live[word]);
            }
            let seen = scan::<I, W>(isa, &rows, &live);
            let empty = counts.iter().filter(|count| **count == 0).count() + quads * 4 - items;
            assert_eq!((seen.empty as usize, seen.forced), (empty, forced));
            let open = counts.iter().filter(|count| **count > 1).min();
            if let Some(least) = open.filter(|_| forced == [0; W]) {
                assert_eq!(Some(seen.row), counts.iter().position(|count| count == least));
            }
        }
    }
}

/// Compares the scans of one-word rows with counts of each row alone; the field is a seed.
struct Rows(u64);

impl WordKernel for Rows {
    type Output = ();

    #[inline(always)]
    fn run<I: Words>(self, isa: I) {
        let mut random = SplitMix64(self.0);
        for items in 1..80usize {
            let (live, dense) = (set(&mut random), items % 2 == 0);
            let mut rows: Vec<u64> = (0..items).map(|_| set(&mut random)).collect();
            // Otherwise rows with more than two options would be rare.
            rows.iter_mut().filter(|_| dense).for_each(|row| *row |= live & random.word());
            rows.resize(items.next_multiple_of(I::LANES), 0);
            let counts: Vec<u32> = rows.iter().map(|row| (row & live).count_ones()).collect();
            let single = rows.iter().zip(&counts).filter(|(_, count)| **count == 1);
            let forced = single.fold(0, |forced, (row, _)| forced | row & live);
            let empty = counts.iter().filter(|count| **count == 0).count();
            assert_eq!(isa.scan_rows(&rows, live), (empty as u32, forced));
            let least = counts.iter().filter(|count| **count > 0).min();
            if let Some(least) = least.filter(|_| forced == 0) {
                let expected = counts.iter().position(|count| count == least);
                assert_eq!(Some(isa.fewest_of_rows(&rows, live)), expected);
            }
        }
    }
}

/// Compares packed rows with rows kept one by one.
struct Pack(u64);

impl WordKernel for Pack {
    type Output = ();

    #[inline(always)]
    fn run<I: Words>(self, isa: I) {
        let mut random = SplitMix64(self.0);
        for quads in 1..12 {
            let live = set(&mut random);
            let rows: Vec<u64> = (0..quads * 4).map(|_| set(&mut random) & set(&mut random)).collect();
            let kept = || rows.iter().map(|row| row & live).filter(|row| *row != 0);
            let filled = kept().count().next_multiple_of(I::LANES);
            let mut into = vec![u64::MAX; filled + I::LANES];
            isa.pack_rows(&rows, live, &mut into);
            let padding = std::iter::repeat_n(0, filled - kept().count());
            assert_eq!(into[..filled], kept().chain(padding).collect::<Vec<_>>());
        }
    }
}

/// Compares the positions of bits, and the highest bits of words, with a simple search.
struct Places(u64);

impl WordKernel for Places {
    type Output = ();

    #[inline(always)]
    fn run<I: Words>(self, isa: I) {
        let mut random = SplitMix64(self.0);
        for word in [0, 1, u64::MAX, 1 << 63].into_iter().chain((0..500).map(|_| set(&mut random))) {
            for n in 0..66 {
                let expected = Bits(word).nth(n).unwrap_or(64);
                assert_eq!([isa.place(word, n), nth_bit(word, n)], [expected; 2], "{word:x} {n}");
            }
            let quad = [word, !word, word.rotate_left(1), word.rotate_left(2)];
            let expected = (0..4).map(|lane| ((quad[lane] >> 63) as u32) << lane).sum::<u32>();
            assert_eq!(isa.lanes(isa.load(&quad)), expected, "{quad:x?}");
        }
    }
}

/// Compares squeezing with a bit-by-bit version.
struct CompressMask(u64);

impl WordKernel for CompressMask {
    type Output = ();

    #[inline(always)]
    fn run<I: Words>(self, isa: I) {
        let mut random = SplitMix64(self.0);
        for mask in [0, 1, u64::MAX, 1 << 63].into_iter().chain((0..500).map(|_| set(&mut random))) {
            let word = SplitMix64(self.0.wrapping_add(mask)).word();
            let bits = Bits(mask).enumerate();
            let expected = bits.fold(0, |out, (place, bit)| out | (word >> bit & 1) << place);
            assert_eq!(isa.compress(word, isa.mask(mask)), expected, "{mask:x}");
        }
    }
}

#[test]
fn scans_and_compressions_agree_on_every_instruction_set() {
    for isa in [Isa::Portable, Isa::Avx2, Isa::Avx512] {
        for seed in 0..20 {
            run_sets(Some(isa), Rows(seed));
            run_sets(Some(isa), Check::<2>(seed));
            run_sets(Some(isa), Check::<8>(seed));
            run_sets(Some(isa), Check::<16>(seed));
            run_sets(Some(isa), CompressMask(seed));
            run_sets(Some(isa), Pack(seed));
            run_sets(Some(isa), Places(seed));
        }
    }
}

#[test]
fn widths_are_powers_of_two_up_to_sixteen() {
    let widths = [1, 64, 65, 128, 129, 512, 513, 1024].map(width_for);
    assert_eq!(widths, [1, 1, 2, 2, 4, 8, 16, 16]);
    assert_eq!(width_for(1025), 0);
}

/// Returns the problem of filling a board with dominoes.
fn dominoes(rows: usize, columns: usize) -> Arc<CoverProblem> {
    let mut options = Vec::new();
    for cell in 0..rows * columns {
        if (cell + 1) % columns > 0 {
            options.push([cell, cell + 1]);
        }
        if cell + columns < rows * columns {
            options.push([cell, cell + columns]);
        }
    }
    Arc::new(CoverProblem::from_options(rows * columns, &options).expect("a board is a problem"))
}

fn searched(engine: &mut Bitset, cover: &Arc<CoverProblem>, goal: Goal, nodes: Option<u64>) -> Outcome {
    let limits = Limits { nodes, ..Limits::default() };
    let task = Task::whole(ProblemRef::Cover(cover), goal, limits);
    engine.search(&task, &mut |_: Solution<'_>| Flow::Continue, &Control::new())
}

/// Searches that report solutions use no cache.
#[test]
fn cached_subtrees_do_not_change_counters() {
    let (mut engine, mut other) = (Bitset::default(), Bitset::default());
    let cover = dominoes(6, 6);
    let whole = searched(&mut engine, &cover, Goal::Count { limit: None }, None);
    assert!(engine.store.rests.saved() > 1000);
    assert_eq!((whole.found.to_u64(), whole.ended_by), (Some(6728), EndedBy::Complete));
    assert_eq!(whole, searched(&mut other, &cover, Goal::All, None));
    let nodes = whole.counters.expect("a search counts").nodes;
    let mut random = SplitMix64(1);
    let some = (0..40).map(|_| random.below(nodes as usize) as u64);
    for limit in some.chain([0, 1, 1023, 1024, 1025, nodes - 1, nodes]) {
        let counted = searched(&mut engine, &cover, Goal::Count { limit: None }, Some(limit));
        assert_eq!(counted, searched(&mut other, &cover, Goal::All, Some(limit)), "{limit}");
    }
    // Has several blocks, and more branchings than the cache checks before it decides whether caching pays.
    let cover = dominoes(6, 8);
    let whole = searched(&mut engine, &cover, Goal::Count { limit: None }, None);
    assert_eq!(whole, searched(&mut other, &cover, Goal::All, None));
}
