//! A checksum of all answers that does not depend on their order.
//!
//! The checksum is the sum modulo 2^128 of one term per record. So the checksums of the parts of a corpus add up to
//! that of the whole, and counting an answer twice changes the sum. The term of a record is
//!
//! ```text
//! xxh3_128( index as 8 bytes | status word, padded with zeros to 12 bytes | result )
//! ```
//!
//! with numbers little-endian and the index 1-based. The result is
//!
//! - for a grid, the digits of the solution as bytes, 0-based;
//! - for an exact cover, the 16 bytes of the sum modulo 2^128 of `xxh3_128` over the 0-based number of each option (4
//!   bytes), so that the order of the options does not matter;
//! - without a solution, the exact number of solutions or the number requested, in decimal;
//! - for the image of a grid under a transform, its cells as bytes, 0 for an empty cell;
//! - for a rated puzzle, the rating as text, for ratings by steps `ER/EP/ED`;
//! - for a record written in another format, the 16 bytes of a hash of its candidates and conditions;
//! - otherwise nothing.

use xxhash_rust::xxh3::xxh3_128;

use quadrille_model::{Answer, Solution, Status};
use quadrille_rating::AnyRating;

/// Number of bytes that are hashed before the result of a record.
const HEAD: usize = 20;
/// Maximum length in bytes of a result that is hashed without heap memory, such as a 9x9 grid.
const SHORT: usize = 81;

/// Length in bytes of a padded status word.
const WORD: usize = HEAD - 8;
/// Padded status words, in the order of the variants of `Status`. [`Status::ALL`] has the same order.
static WORDS: [[u8; WORD]; Status::ALL.len()] = {
    let mut words = [[0; WORD]; Status::ALL.len()];
    let mut number = 0;
    while number < words.len() {
        let word = Status::ALL[number].word().as_bytes();
        let mut at = 0;
        while at < word.len() {
            words[number][at] = word[at];
            at += 1;
        }
        number += 1;
    }
    words
};

/// Returns the term that one answer adds to the checksum.
#[inline]
pub(super) fn term(index: u64, answer: &Answer, solution: Option<Solution<'_>>) -> u128 {
    let head = head(index, answer.status);
    match solution {
        Some(Solution::Digits(digits)) => match <&[u8; SHORT]>::try_from(digits) {
            Ok(digits) => of_grid(&head, digits),
            Err(_) => hash_of(&head, digits),
        },
        Some(Solution::Options(options)) => {
            let sum =
                options.iter().fold(0u128, |sum, option| sum.wrapping_add(xxh3_128(&option.to_le_bytes())));
            hash_of(&head, &sum.to_le_bytes())
        }
        None => of_count(&head, answer),
    }
}

/// Returns the sum of the checksum terms for solved 9x9 grids.
///
/// For each record, the input contains its offset from the record with number `first`, its status, and its
/// solution as digits from 1 to 9.
///
/// The bytes of eight terms are written before the first of these terms is hashed. The hash function reads
/// words that overlap two writes. Directly after these writes, it would have to wait.
pub(crate) fn terms_of_lines<'a>(
    first: u64,
    mut answers: impl Iterator<Item = (u64, Status, &'a [u8; SHORT])>,
) -> u128 {
    let mut written = [[0; HEAD + SHORT]; 8];
    let mut sum = 0u128;
    loop {
        let mut count = 0;
        for (term, (number, status, characters)) in written.iter_mut().zip(answers.by_ref()) {
            term[..HEAD].copy_from_slice(&head(first + number, status));
            for (digit, character) in term[HEAD..].iter_mut().zip(characters) {
                *digit = character.wrapping_sub(b'1');
            }
            count += 1;
        }
        if count == 0 {
            return sum;
        }
        sum = written[..count].iter().fold(sum, |sum, term| sum.wrapping_add(xxh3_128(term)));
    }
}

/// Returns the checksum term for a record whose solutions were only counted.
#[inline]
pub(crate) fn term_of_count(index: u64, count: u64) -> u128 {
    of_number(&head(index, Status::Counted), count)
}

/// Returns the checksum term for a rated record. `text` is a buffer for the text that is hashed.
pub(crate) fn term_of_rating(index: u64, status: Status, rated: &AnyRating, text: &mut Vec<u8>) -> u128 {
    text.clear();
    rated.write_term(text);
    hash_of(&head(index, status), text)
}

/// Returns the checksum term for a record that was read but not solved. `grid` is a hash of the record's
/// grid.
pub(super) fn term_of_hash(index: u64, status: Status, grid: u128) -> u128 {
    hash_of(&head(index, status), &grid.to_le_bytes())
}

#[inline]
fn head(index: u64, status: Status) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&index.to_le_bytes());
    head[8..].copy_from_slice(&WORDS[status as usize]);
    head
}

/// Returns the checksum term for a solved 9x9 grid. `head` contains the bytes that are hashed before the
/// digits.
///
/// Such grids are by far the most frequent records. This function is fast because the compiler knows all
/// lengths.
#[inline]
fn of_grid(head: &[u8; HEAD], digits: &[u8; SHORT]) -> u128 {
    let mut bytes = [0; HEAD + SHORT];
    bytes[..HEAD].copy_from_slice(head);
    bytes[HEAD..].copy_from_slice(digits);
    xxh3_128(&bytes)
}

fn hash_of(head: &[u8; HEAD], found: &[u8]) -> u128 {
    if found.len() > SHORT {
        return xxh3_128(&[head, found].concat());
    }
    let mut bytes = [0; HEAD + SHORT];
    bytes[..HEAD].copy_from_slice(head);
    bytes[HEAD..HEAD + found.len()].copy_from_slice(found);
    xxh3_128(&bytes[..HEAD + found.len()])
}

fn of_count(head: &[u8; HEAD], answer: &Answer) -> u128 {
    let Some(count) = &answer.count else {
        return hash_of(head, &[]);
    };
    match count.to_u64() {
        Some(count) => of_number(head, count),
        None => hash_of(head, count.to_string().as_bytes()),
    }
}

fn of_number(head: &[u8; HEAD], number: u64) -> u128 {
    hash_of(head, itoa::Buffer::new().format(number).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadrille_model::{Count, EndedBy};

    fn answer(status: Status, count: u64) -> Answer {
        Answer {
            status,
            ended_by: EndedBy::Complete,
            count: Some(count.into()),
            best: None,
            counters: None,
            reason: None,
            _more: (),
        }
    }

    #[test]
    fn terms_are_as_documented() {
        let mut bytes = 7u64.to_le_bytes().to_vec();
        bytes.extend_from_slice(b"counted\0\0\0\0\0");
        bytes.extend_from_slice(b"507");
        assert_eq!(term(7, &answer(Status::Counted, 507), None), xxh3_128(&bytes));
        for cells in [16, 81, 256] {
            let digits: Vec<u8> = (0..cells).map(|cell| (cell % 9) as u8).collect();
            let mut bytes = 1u64.to_le_bytes().to_vec();
            bytes.extend_from_slice(b"unique\0\0\0\0\0\0");
            bytes.extend_from_slice(&digits);
            let found = Some(Solution::Digits(&digits));
            assert_eq!(term(1, &answer(Status::Unique, 1), found), xxh3_128(&bytes));
        }
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
    fn each_status_is_at_its_index() {
        assert!(Status::ALL.iter().enumerate().all(|(place, status)| *status as usize == place));
    }
}
