//! Compares the steps of a wave with simple models.

use super::propagate::Propagate;
use super::transpose::{Digits, Grids, Load, Rows, Store, transpose};
use super::wave::{PlainKnowledge, Wave};
use quadrille_model::Packed9x9;
use quadrille_model::random::SplitMix64;
use quadrille_model::simd::{Dispatch, Kernel, Vector, every_vector, words, words_mut};

/// Returns the numbers 0 to 8 in random order.
fn shuffled(random: &mut SplitMix64) -> [usize; 9] {
    let mut order: [usize; 9] = std::array::from_fn(|index| index);
    for last in (1..9).rev() {
        order.swap(last, random.below(last + 1));
    }
    order
}

/// Returns a random solved grid: the cyclic grid with shuffled digits and rotated lines.
fn random_grid(random: &mut SplitMix64) -> [u8; 81] {
    let (digits, swaps) = (shuffled(random), [random.below(3), random.below(3)]);
    let line = |line: usize, by: usize| line / 3 * 3 + (line + by) % 3;
    std::array::from_fn(|cell| {
        let (row, column) = (line(cell / 9, swaps[0]), line(cell % 9, swaps[1]));
        digits[(3 * row + row / 3 + column) % 9] as u8
    })
}

struct Transposed<'a, V>(&'a mut [V; 64]);

impl<V: Vector> Kernel<V> for Transposed<'_, V> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        transpose(self.0);
    }
}

#[test]
fn blocks_are_transposed_bit_by_bit() {
    struct Check;
    impl Dispatch for Check {
        type Output = ();
        fn with<V: Vector>(self, token: V::Token) {
            let mut random = SplitMix64(1);
            let mut block = [V::zero(token); 64];
            words_mut(&mut block).fill_with(|| random.word());
            let before = block;
            V::enter(token, Transposed(&mut block));
            for row in 0..64 {
                for word in 0..V::WORDS {
                    for column in 0..64 {
                        let given = words(&before)[row * V::WORDS + word] >> column & 1;
                        let got = words(&block)[column * V::WORDS + word] >> row & 1;
                        assert_eq!(given, got);
                    }
                }
            }
        }
    }
    every_vector(|| Check);
}

/// A wave on which tests run single steps.
struct Bench<V: Vector> {
    token: V::Token,
    wave: Box<Wave<V, PlainKnowledge<V>>>,
    rows: Box<Rows<V>>,
}

impl<V: Vector> Bench<V> {
    fn new(token: V::Token) -> Self {
        Bench { token, wave: Wave::new(token, PlainKnowledge::new(token, ())), rows: Rows::new(token) }
    }

    fn load(&mut self, states: &[Packed9x9], set: impl Fn(usize) -> bool) {
        let mut lanes = V::zero(self.token);
        for (lane, state) in states.iter().enumerate() {
            *self.rows.get_mut(lane) = state.0;
            if set(lane) {
                words_mut(std::slice::from_mut(&mut lanes))[lane / 64] |= 1 << (lane % 64);
            }
        }
        V::enter(self.token, Load { wave: &mut self.wave, rows: &mut self.rows, lanes });
    }

    fn store(&mut self) -> Vec<Packed9x9> {
        V::enter(self.token, Store { wave: &self.wave, rows: &mut self.rows });
        (0..64 * V::WORDS).map(|lane| Packed9x9(*self.rows.get(lane))).collect()
    }

    fn propagate(&mut self, passes: usize) {
        V::enter(self.token, Propagate { wave: &mut self.wave, passes });
    }

    fn bit(vector: &V, lane: usize) -> bool {
        words(std::slice::from_ref(vector))[lane / 64] >> (lane % 64) & 1 != 0
    }
}

#[test]
fn states_are_read_from_the_lanes_they_were_loaded_into() {
    struct Check;
    impl Dispatch for Check {
        type Output = ();
        fn with<V: Vector>(self, token: V::Token) {
            let mut random = SplitMix64(2);
            let mut some = || -> Vec<Packed9x9> {
                let cells = || std::array::from_fn(|_| random.word() as u16 & 0x1ff);
                std::iter::repeat_with(cells)
                    .map(|cells| Packed9x9::from_cells(&cells))
                    .take(64 * V::WORDS)
                    .collect()
            };
            let (first, second) = (some(), some());
            let mut bench = Bench::<V>::new(token);
            bench.load(&first, |_| true);
            assert_eq!(bench.store(), first);
            bench.load(&second, |lane| lane % 3 == 0);
            for (lane, state) in bench.store().into_iter().enumerate() {
                assert_eq!(state, if lane % 3 == 0 { second[lane] } else { first[lane] });
            }
        }
    }
    every_vector(|| Check);
}

#[test]
fn propagation_keeps_every_solution() {
    struct Check;
    impl Dispatch for Check {
        type Output = ();
        fn with<V: Vector>(self, token: V::Token) {
            let mut random = SplitMix64(3);
            let mut bench = Bench::<V>::new(token);
            for round in 0..12 {
                let grids: Vec<[u8; 81]> = (0..64 * V::WORDS).map(|_| random_grid(&mut random)).collect();
                // Later lanes have more clues. Other cells keep three quarters of the candidates in even
                // rounds, all in odd ones.
                let states: Vec<Packed9x9> = grids
                    .iter()
                    .enumerate()
                    .map(|(lane, grid)| {
                        Packed9x9::from_cells(&std::array::from_fn(|cell| {
                            let noise = random.word() | if round % 2 == 0 { random.word() } else { u64::MAX };
                            let clue = random.below(64) < lane % 64;
                            1 << grid[cell] | if clue { 0 } else { noise as u16 & 0x1ff }
                        }))
                    })
                    .collect();
                bench.load(&states, |_| true);
                for _ in 0..4 {
                    bench.propagate(1 + round % 4);
                    let after = bench.store();
                    for (lane, grid) in grids.iter().enumerate() {
                        assert!(Bench::bit(&bench.wave.verdict.alive, lane));
                        for (cell, &digit) in grid.iter().enumerate() {
                            assert!(
                                after[lane].allows(cell, digit as usize),
                                "round {round} lane {lane} cell {cell}"
                            );
                        }
                        if Bench::bit(&bench.wave.verdict.solved, lane) {
                            assert_eq!(after[lane].clues(), 81);
                        }
                    }
                }
            }
        }
    }
    every_vector(|| Check);
}

/// The state at which a lane branches must not depend on the number of earlier passes.
///
/// Otherwise the search of a lane would depend on the other lanes' puzzles.
#[test]
fn the_fixed_point_does_not_depend_on_the_number_of_passes() {
    struct Check;
    impl Dispatch for Check {
        type Output = ();
        fn with<V: Vector>(self, token: V::Token) {
            let mut random = SplitMix64(5);
            for _ in 0..10 {
                // Grids with up to two wrong clues: many contradictions, found early or late.
                let states: Vec<Packed9x9> = (0..64 * V::WORDS)
                    .map(|lane| {
                        let mut grid = random_grid(&mut random);
                        for _ in 0..lane % 3 {
                            grid[random.below(81)] = random.below(9) as u8;
                        }
                        Packed9x9::from_cells(&std::array::from_fn(|cell| {
                            if random.below(81) < 26 { 1 << grid[cell] } else { 0x1ff }
                        }))
                    })
                    .collect();
                let settle = |passes: usize| {
                    let mut bench = Bench::<V>::new(token);
                    bench.load(&states, |_| true);
                    let mut dead = vec![false; 64 * V::WORDS];
                    for _ in 0..60 {
                        bench.propagate(passes);
                        for (lane, dead) in dead.iter_mut().enumerate() {
                            *dead |= !Bench::bit(&bench.wave.verdict.alive, lane);
                        }
                    }
                    let after = bench.store().into_iter();
                    after.zip(dead).map(|(state, dead)| (!dead).then_some(state)).collect::<Vec<_>>()
                };
                let expected = settle(1);
                assert!(expected.iter().any(Option::is_none) && expected.iter().any(Option::is_some));
                for passes in 2..6 {
                    assert!(settle(passes) == expected, "{passes} passes");
                }
            }
        }
    }
    every_vector(|| Check);
}

#[test]
fn one_wrong_digit_in_a_full_grid_is_a_contradiction() {
    struct Check;
    impl Dispatch for Check {
        type Output = ();
        fn with<V: Vector>(self, token: V::Token) {
            let mut random = SplitMix64(4);
            let mut bench = Bench::<V>::new(token);
            let mut grids = Bench::<V>::new(token);
            for _ in 0..10 {
                let full: Vec<[u8; 81]> = (0..64 * V::WORDS).map(|_| random_grid(&mut random)).collect();
                let packed = |grid: &[u8; 81]| Packed9x9::from_cells(&grid.map(|digit| 1 << digit));
                let good: Vec<Packed9x9> = full.iter().map(packed).collect();
                let bad: Vec<Packed9x9> = full
                    .iter()
                    .map(|grid| {
                        let mut grid = *grid;
                        let cell = random.below(81);
                        grid[cell] = (grid[cell] + 1 + random.below(8) as u8) % 9;
                        packed(&grid)
                    })
                    .collect();
                bench.load(&bad, |_| true);
                bench.propagate(1);
                grids.load(&good, |_| true);
                grids.propagate(1);
                let mut digits = Grids::new(token);
                V::enter(token, Digits { wave: &grids.wave, grids: &mut digits });
                for lane in 0..64 * V::WORDS {
                    assert!(!Bench::bit(&bench.wave.verdict.alive, lane));
                    assert!(Bench::bit(&grids.wave.verdict.solved, lane));
                    assert_eq!(digits.get(lane), full[lane]);
                }
            }
        }
    }
    every_vector(|| Check);
}
