//! A checksum of all answers that does not depend on their order.
//!
//! The sum modulo 2^128 of one term a record, so that parts of a corpus add up to the whole and an answer that
//! is counted twice shows. The term of a record is
//!
//! ```text
//! xxh3_128( index as 8 bytes | status word, padded with zeros to 12 bytes | xxh3_128(what was found) )
//! ```
//!
//! with numbers little-endian and the index counted from 1. What was found is, of a grid, the digits of the
//! solution as bytes from 0; of an exact cover, the sum modulo 2^128 of `xxh3_128` over each option's number from
//! 0 (4 bytes), so that the order of the options does not matter; without a solution, the exact number of
//! solutions or the number asked for in decimal; else nothing.

use std::io::Write;

use xxhash_rust::xxh3::xxh3_128;

use crate::model::{Answer, Solution};

/// The term of one answer.
#[inline]
pub(super) fn term(index: u64, answer: &Answer, solution: Option<Solution<'_>>) -> u128 {
    let found = match solution {
        Some(Solution::Digits(digits)) => xxh3_128(digits),
        Some(Solution::Options(options)) => {
            let sum =
                options.iter().fold(0u128, |sum, option| sum.wrapping_add(xxh3_128(&option.to_le_bytes())));
            xxh3_128(&sum.to_le_bytes())
        }
        None => of_count(answer),
    };
    let mut bytes = [0; 36];
    bytes[..8].copy_from_slice(&index.to_le_bytes());
    let word = answer.status.word().as_bytes();
    bytes[8..8 + word.len()].copy_from_slice(word);
    bytes[20..].copy_from_slice(&found.to_le_bytes());
    xxh3_128(&bytes)
}

fn of_count(answer: &Answer) -> u128 {
    let Some(count) = &answer.count else {
        return xxh3_128(&[]);
    };
    match count.to_u64() {
        Some(count) => {
            let mut digits = [0; 20];
            let mut rest = &mut digits[..];
            write!(rest, "{count}").expect("no number of 64 bits has more than 20 digits");
            let length = 20 - rest.len();
            xxh3_128(&digits[..length])
        }
        None => xxh3_128(count.to_string().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Count, EndedBy, Status};

    fn answer(status: Status, count: u64) -> Answer {
        Answer {
            status,
            ended_by: EndedBy::Complete,
            count: Some(count.into()),
            best: None,
            counters: None,
            reason: None,
        }
    }

    #[test]
    fn terms_are_as_documented() {
        let mut bytes = 7u64.to_le_bytes().to_vec();
        bytes.extend_from_slice(b"counted\0\0\0\0\0");
        bytes.extend_from_slice(&xxh3_128(b"507").to_le_bytes());
        assert_eq!(term(7, &answer(Status::Counted, 507), None), xxh3_128(&bytes));
    }

    #[test]
    fn every_part_of_an_answer_counts() {
        let digits = Solution::Digits(&[0, 1, 2, 3]);
        let base = term(1, &answer(Status::Unique, 1), Some(digits));
        let others = [
            term(2, &answer(Status::Unique, 1), Some(digits)),
            term(1, &answer(Status::Solved, 1), Some(digits)),
            term(1, &answer(Status::Unique, 1), Some(Solution::Digits(&[0, 1, 3, 2]))),
            term(1, &answer(Status::Unique, 1), None),
        ];
        assert!(others.iter().all(|other| *other != base));
        let options = |list: &[u32]| term(1, &answer(Status::Unique, 1), Some(Solution::Options(list)));
        assert_eq!(options(&[1, 2, 3]), options(&[3, 1, 2]));
        assert_ne!(options(&[1, 2, 3]), options(&[1, 2]));
        let mut big = answer(Status::Counted, 0);
        big.count = Some(Count::from(num_bigint::BigUint::from(10u32).pow(30)));
        assert_ne!(term(1, &big, None), term(1, &answer(Status::Counted, 0), None));
    }

    #[test]
    fn every_status_word_has_room() {
        assert!(Status::ALL.iter().all(|status| status.word().len() <= 12));
    }
}
