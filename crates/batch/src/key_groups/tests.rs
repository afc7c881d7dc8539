//! Compares both structures with plain maps, for various memory limits.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::sorter::Scratch;
use super::*;
use quadrille_model::random::SplitMix64;
use quadrille_model::{Error, ErrorKind, Result};

/// Bytes of a table with one piece of entries and two of the index, which is full at 4,096 keys.
const PIECE: u64 = (128 + 2 * 32) << 10;

/// Creates a plan with room for at most `pieces` pieces of a table, and sorters that hold `bytes` bytes.
fn plan(pieces: u64, ways: usize, bytes: usize) -> Plan {
    let scratch = Arc::new(Scratch::new(&std::env::temp_dir(), bytes, ways));
    Plan { table_bytes: pieces * PIECE, scratch }
}

/// The members of a stream with the sizes of their classes, and its summary.
type Expected = (Vec<Option<(Member, u64)>>, Summary);

/// Computes the expected results for a stream with a map that holds all of it.
fn by_map(keys: &[Option<u128>]) -> Expected {
    let mut classes = HashMap::new();
    let mut members = Vec::new();
    for (number, key) in keys.iter().enumerate() {
        members.push(key.map(|key| {
            let class = classes.len() as u64 + 1;
            let (member, size) = classes.entry(key).or_insert((Member { class, first: number as u64 }, 0));
            *size += 1;
            (*member, key)
        }));
    }
    let keyed = members.iter().flatten().count() as u64;
    let mut sizes = BTreeMap::new();
    for (_, size) in classes.values() {
        *sizes.entry(*size).or_default() += 1;
    }
    let mut largest: Vec<_> =
        classes.values().map(|&(member, size)| Largest { size, first: member.first }).collect();
    largest.retain(|one| one.size > 1);
    largest.sort_by_key(|one| (std::cmp::Reverse(one.size), one.first));
    largest.truncate(MAX_LISTED);
    let summary = Summary {
        records: keys.len() as u64,
        keyed,
        classes: classes.len() as u64,
        duplicates: keyed - classes.len() as u64,
        sizes,
        largest,
        temporary_bytes: 0,
    };
    (members.into_iter().map(|one| one.map(|(member, key)| (member, classes[&key].1))).collect(), summary)
}

/// Compares the results of [`KeyGroups`] with the map. Returns the bytes it had on disk.
fn compare(keys: &[Option<u128>], plan: &Plan, sizes: bool) -> Result<u64> {
    compare_with(&by_map(keys), keys, plan, sizes)
}

fn compare_with(
    (members, summary): &Expected,
    keys: &[Option<u128>],
    plan: &Plan,
    sizes: bool,
) -> Result<u64> {
    let mut classes = KeyGroups::with_plan(plan.clone(), sizes);
    let seen = keys.iter().map(|&key| classes.add(key)).collect::<Result<Vec<_>>>()?;
    let mut later = Vec::new();
    assert_eq!(seen.len(), keys.len());
    for (number, (seen, member)) in seen.into_iter().zip(members).enumerate() {
        match (seen, member) {
            (Membership::None, None) => (),
            (Membership::Known(known), Some((member, _))) => {
                assert_eq!((known, sizes, later.len()), (*member, false, 0), "record {number}");
            }
            (Membership::Later, &Some((member, size))) => {
                later.push(Settled { number: number as u64, member, size });
            }
            (seen, member) => panic!("record {number}: {seen:?} of {member:?}"),
        }
    }
    let Resolved { summary: mut found, members } = classes.finish()?;
    let bytes = std::mem::take(&mut found.temporary_bytes);
    assert_eq!(found, *summary);
    let members = members.collect::<Result<Vec<_>>>()?;
    assert!(members == later, "{} members, {} expected", members.len(), later.len());
    Ok(bytes)
}

/// Returns pseudo-random words.
fn words(seed: u64) -> impl Iterator<Item = u64> {
    let mut random = SplitMix64(seed);
    std::iter::repeat_with(move || random.word())
}

/// Returns a stream of keys of a kind, with records without a key in between.
fn stream(kind: u64, len: usize, seed: u64) -> Vec<Option<u128>> {
    words(seed)
        .enumerate()
        .take(len)
        .map(|(number, word)| {
            let (number, wide) = (number as u128, u128::from(word));
            (word % 11 > 0 || kind == 0).then_some(match kind {
                0 => 7,                          // all the same
                1 => number,                     // all different, in order
                2 => wide % 10,                  // few
                3 => wide % 20_000,              // many, more than once
                4 => (wide % 20_000) << 108,     // different in the highest bits
                5 => wide << 64 | wide,          // random
                6 => u128::MAX - number / 2 * 3, // pairs side by side
                _ => {
                    if word % 3 == 0 {
                        0
                    } else {
                        number << 60
                    }
                } // one large class among small ones
            })
        })
        .collect()
}

#[test]
fn answers_do_not_depend_on_streams_or_memory() -> Result<()> {
    for kind in 0..8 {
        let keys = stream(kind, 30_000, kind * 77);
        let expected = by_map(&keys);
        for (pieces, ways, bytes) in [(64, 4, 6400), (1, 64, 25_600), (1, 3, 3000), (2, 2, 6400)] {
            for sizes in [false, true] {
                let written = compare_with(&expected, &keys, &plan(pieces, ways, bytes), sizes)?;
                let is_large = expected.1.classes > 4096 * pieces;
                assert_eq!(written > 0, sizes || is_large, "kind {kind}, {pieces} pieces");
            }
        }
    }
    Ok(())
}

#[test]
fn the_smallest_memory_bound_merges_twice() -> Result<()> {
    let keys: Vec<_> = stream(5, 700_000, 1).into_iter().chain(stream(5, 50_000, 1)).collect();
    let bytes = compare(&keys, &Plan::new(0, &std::env::temp_dir()), false)?;
    assert!(bytes > 16 * keys.len() as u64, "{bytes} bytes");
    Ok(())
}

#[test]
fn empty_streams_and_streams_without_keys_are_accepted() -> Result<()> {
    for sizes in [false, true] {
        assert_eq!(compare(&[], &plan(1, 2, 6400), sizes)?, 0);
        compare(&[None; 1000], &plan(1, 2, 6400), sizes)?;
        compare(&[None, Some(u128::MAX), None, Some(0), Some(u128::MAX)], &plan(1, 2, 6400), sizes)?;
    }
    Ok(())
}

/// Compares the results of [`KeyIndex`] with a map.
fn compare_firsts(kept: &[(u128, u64)], asked: &[[Option<u128>; KEYS]], plan: &Plan) -> Result<u64> {
    let mut map = HashMap::new();
    let mut firsts = KeyIndex::with_plan(plan.clone());
    for &(key, number) in kept {
        let least = map.entry(key).or_insert(number);
        *least = number.min(*least);
    }
    kept.iter().try_for_each(|&(key, number)| firsts.add(key, number))?;
    let seen = asked.iter().map(|&keys| firsts.ask(keys)).collect::<Result<Vec<_>>>()?;
    let mut later = Vec::new();
    assert_eq!(seen.len(), asked.len());
    for (keys, seen) in asked.iter().zip(seen) {
        let found = (0..KEYS).find_map(|which| map.get(&keys[which]?).map(|&number| Found { which, number }));
        match seen {
            LookupResult::Found(now) => assert_eq!(Some(now), found),
            LookupResult::Absent => assert_eq!(None, found),
            LookupResult::Later => later.push(found),
        }
    }
    let scratch = plan.scratch.clone();
    let answers = firsts.finish()?;
    let bytes = scratch.peak();
    assert!(answers.collect::<Result<Vec<_>>>()? == later);
    Ok(bytes)
}

#[test]
fn lookups_do_not_depend_on_the_memory_bound() -> Result<()> {
    for kind in 0..8 {
        let kept = stream(kind, 20_000, 3);
        // Each record has three consecutive keys.
        let kept: Vec<_> =
            kept.iter().enumerate().filter_map(|(at, key)| Some(((*key)?, at as u64 / 3))).collect();
        let keys: Vec<_> =
            stream(kind, 8_000, 3).into_iter().chain(stream((kind + 1) % 8, 8_000, 4)).collect();
        let asked: Vec<_> =
            keys.chunks(KEYS - 1).map(|keys| [keys[1], keys[0], kept.first().map(|kept| kept.0)]).collect();
        let apart: Vec<_> = keys.windows(KEYS).map(|keys| [keys[2], keys[0], keys[1]]).collect();
        for (pieces, ways, bytes) in [(64, 4, 6400), (1, 64, 25_600), (1, 3, 3000), (2, 2, 6400)] {
            for asked in [&asked, &apart] {
                compare_firsts(&kept, asked, &plan(pieces, ways, bytes))?;
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn groups_of_any_stream_are_those_in_memory(
        seed in any::<u64>(), kinds in prop::collection::vec((0..8u64, 0..9000usize), 1..5),
        pieces in 1..4u64, ways in 2..=64usize, bytes in 2000..9000usize, sizes in any::<bool>(),
    ) {
        let keys: Vec<_> = kinds.iter().flat_map(|&(kind, len)| stream(kind, len, seed)).collect();
        compare(&keys, &plan(pieces, ways, bytes), sizes).unwrap();
        let kept: Vec<_> = keys.iter().flatten().zip(words(seed)).map(|(&key, word)| (key, word % 1000)).collect();
        let asked: Vec<_> = keys.chunks_exact(KEYS).map(|keys| [keys[0].map(|key| key ^ 1), keys[1], keys[2]]).collect();
        compare_firsts(&kept, &asked, &plan(pieces, ways, bytes)).unwrap();
    }
}

/// Returns the directory and the action of an error.
fn io_error(error: &Error) -> (&'static str, &Path) {
    match error.kind() {
        ErrorKind::Io { action, path, .. } => (action, path),
        other => panic!("{other}"),
    }
}

#[test]
fn a_missing_folder_is_an_error_once_files_are_needed() {
    let folder = std::env::temp_dir().join("quadrille-no-such-folder");
    let mut classes = KeyGroups::new(MIN_MEMORY, &folder, false);
    let failed = (0..1_000_000).find_map(|key| classes.add(Some(key)).err()).unwrap();
    assert_eq!(io_error(&failed), ("creating a temporary file in", &*folder));
    let mut firsts = KeyIndex::new(MIN_MEMORY, &folder);
    let failed = (0..1_000_000).find_map(|key| firsts.add(key, 0).err()).unwrap();
    assert_eq!(io_error(&failed), ("creating a temporary file in", &*folder));
}
