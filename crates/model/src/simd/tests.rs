//! Compares every primitive of every vector type with plain arithmetic on its words.

use super::*;
use crate::random::SplitMix64;

/// Runs one primitive inside the instruction set, on vectors in memory.
struct Apply<'a, V, F> {
    inputs: &'a [V],
    outputs: &'a mut Vec<V>,
    primitive: F,
}

impl<V: Vector, F: Fn(&[V]) -> Vec<V>> Kernel<V> for Apply<'_, V, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        *self.outputs = (self.primitive)(self.inputs);
    }
}

struct Check;

impl Dispatch for Check {
    type Output = ();

    fn with<V: Vector>(self, token: V::Token) {
        let mut random = SplitMix64(V::WORDS as u64);
        let mut apply = |primitive: fn(&[V]) -> Vec<V>, model: &dyn Fn(u64, u64, u64) -> u64, name: &str| {
            let mut inputs = vec![V::zero(token); 3];
            words_mut(&mut inputs).fill_with(|| random.word());
            let mut outputs = Vec::new();
            V::enter(token, Apply { inputs: &inputs, outputs: &mut outputs, primitive });
            let (given, got) = (words(&inputs), words(&outputs));
            assert_eq!(got.len(), V::WORDS, "{name}");
            for word in 0..V::WORDS {
                let of = |vector: usize| given[vector * V::WORDS + word];
                assert_eq!(got[word], model(of(0), of(1), of(2)), "{name}, word {word} of {}", V::WORDS);
            }
        };
        macro_rules! check {
            ($(|$a:ident, $b:ident, $c:ident| $vector:expr => $model:expr;)+) => {$(
                apply(
                    |v| { let ($a, $b, $c) = (v[0], v[1], v[2]); let _ = ($a, $b, $c); vec![$vector] },
                    &|$a, $b, $c| { let _ = ($a, $b, $c); $model },
                    stringify!($vector),
                );
            )+};
        }
        check! {
            |a, b, c| a.and(b) => a & b;
            |a, b, c| a.or(b) => a | b;
            |a, b, c| a.xor(b) => a ^ b;
            |a, b, c| a.and_not(b) => a & !b;
            |a, b, c| a.shl::<1>() => a << 1;
            |a, b, c| a.shl::<4>() => a << 4;
            |a, b, c| a.shr::<2>() => a >> 2;
            |a, b, c| a.shr::<4>() => a >> 4;
            |a, b, c| V::splat(a, 0x0123_4567_89ab_cdef) => 0x0123_4567_89ab_cdef;
            |a, b, c| a.and3(b, c) => a & b & c;
            |a, b, c| a.or3(b, c) => a | b | c;
            |a, b, c| a.xor3(b, c) => a ^ b ^ c;
            |a, b, c| a.majority(b, c) => (a & b) | (a & c) | (b & c);
            |a, b, c| V::select(a, b, c) => (a & b) | (!a & c);
            |a, b, c| a.or_and(b, c) => a | (b & c);
            |a, b, c| a.and_or(b, c) => a & (b | c);
            |a, b, c| a.or_and_not(b, c) => a | (b & !c);
            |a, b, c| a.and_nand(b, c) => a & !(b & c);
            |a, b, c| a.and_unless(b, c) => a & (!b | c);
            |a, b, c| a.and_nor(b, c) => a & !b & !c;
        }
        let mut rows = vec![V::zero(token); 8];
        assert!(words(&rows).iter().all(|&word| word == 0));
        words_mut(&mut rows).fill_with(|| random.word());
        let mut columns = Vec::new();
        let primitive = |rows: &[V]| V::transpose_bytes(rows.try_into().unwrap()).to_vec();
        V::enter(token, Apply { inputs: &rows, outputs: &mut columns, primitive });
        for word in 0..V::WORDS {
            let byte = |of: &[V], vector: usize, byte: usize| {
                words(of)[vector * V::WORDS + word].to_le_bytes()[byte]
            };
            for row in 0..8 {
                for column in 0..8 {
                    assert_eq!(byte(&rows, row, column), byte(&columns, column, row), "{row} {column}");
                }
            }
        }
        let primitive = |rows: &[V]| V::transpose_words(rows.try_into().unwrap()).to_vec();
        columns.clear();
        V::enter(token, Apply { inputs: &rows, outputs: &mut columns, primitive });
        for (at, word) in words(&rows).iter().enumerate() {
            let (square, row, column) = (at / V::WORDS / V::WORDS, at / V::WORDS % V::WORDS, at % V::WORDS);
            assert_eq!(*word, words(&columns)[(square * V::WORDS + column) * V::WORDS + row], "{at}");
        }
    }
}

#[test]
fn primitives_agree_with_plain_code() {
    every_vector(|| Check);
}

#[test]
fn portable_code_is_available_everywhere() {
    assert!(Isa::Portable.is_available() && Isa::best().is_available());
}
