//! Filters give the same results as a plain map, with keys in memory and with keys on disk.

use std::collections::HashMap;

use super::dedup::Dedup;
use super::overlap::{Overlap, ReferenceKeys, Relation};
use super::*;
use crate::key_groups::MIN_MEMORY;
use crate::options::{BatchOptions, Comparison, Query};
use quadrille_formats::output::Field;
use quadrille_model::Status;
use quadrille_model::random::SplitMix64;

/// Two budgets: the first holds all keys of a test, the second a tenth of them.
const BUDGETS: [u64; 2] = [1 << 28, MIN_MEMORY];
const RECORDS: u64 = 150_000;

/// Returns the keys of record `number`.
fn mark(index: u64, keys: Keys) -> KeyMark {
    let status = if keys[0].is_some() { Status::Unique } else { Status::Multiple };
    KeyMark { index, keys, text: 0, status, notation: Notation::Delimiter(b';'), rows_end: 0 }
}

fn row(index: u64) -> String {
    format!("row {index}\n")
}

/// Returns the key of a number; numbers have different keys for each kind.
fn key(kind: u64, number: u64) -> u128 {
    xxhash_rust::xxh3::xxh3_128_with_seed(&number.to_le_bytes(), kind)
}

/// Returns the numbers of grid, puzzle and text for each record. Records with equal puzzles have equal grids, and
/// records with equal texts have equal puzzles.
///
/// One record in nine is `None`: it has no form, since it does not have exactly one solution.
fn records(seed: u64) -> Vec<Option<[u64; 3]>> {
    let mut random = SplitMix64(seed);
    let mut below = |bound: u64| random.word() % bound;
    let record = |_| {
        let (grid, puzzle, text) = (below(60_000), below(2), below(2));
        (grid % 9 != 4).then_some([grid, 2 * grid + puzzle, 4 * grid + 2 * puzzle + text])
    };
    (0..RECORDS).map(record).collect()
}

/// Returns the rows that a filter passes, including those at the end, and their number.
///
/// `waits` states whether rows must wait until the end; `None` skips the check.
fn passed(
    filter: &mut dyn RowFilter,
    marks: impl Iterator<Item = KeyMark>,
    waits: Option<bool>,
) -> (String, u64) {
    let (mut out, mut count) = (Vec::new(), 0);
    for mark in marks {
        count += filter.take(&mark, row(mark.index).as_bytes(), &mut out).unwrap();
    }
    if let Some(waits) = waits {
        assert_eq!(filter.journal().is_none(), waits, "rows wait where keys are on disk");
    }
    let control = Arc::new(Control::new());
    let rest = filter.finish(&control, &mut |rows| {
        out.extend_from_slice(rows);
        Ok(())
    });
    let FilterTail { rows, is_cut } = rest.unwrap();
    assert!(!is_cut);
    (String::from_utf8(out).unwrap(), count + rows)
}

/// Kinds of comparison, each with the index in [`records`] of the number that it compares.
const COMPARED: [(&str, usize); 4] = [("text", 2), ("by-solution", 1), ("puzzle", 1), ("solution", 0)];

#[test]
fn duplicates_are_the_same_in_memory_and_on_disk() {
    let records = records(1);
    for (kind, (by, which)) in (0..).zip(COMPARED) {
        let keys = |record: &Option<[u64; 3]>, number: u64| match (by, record) {
            // A record without a form still has a key of its text.
            ("text", None) => [Some(key(9, number % 500)), None, None],
            ("text", Some(of)) => [Some(key(kind, of[which])), None, None],
            (_, None) => [None, Some(key(9, number % 500)), None],
            (_, Some(of)) => [Some(key(kind, of[which])), Some(key(8, of[2])), None],
        };
        let marks = || (1..).zip(&records).map(|(index, record)| mark(index, keys(record, index)));
        let (mut classes, mut texts, mut copies) = (HashMap::new(), HashMap::new(), 0);
        for mark in marks() {
            if let Some(key) = mark.keys[0] {
                let class = classes.len() as u64 + 1;
                classes.entry(key).or_insert((class, mark.index, 0)).2 += 1;
                let text = if by == "text" { key } else { mark.keys[1].unwrap() };
                copies += u64::from(texts.insert(text, ()).is_some());
            }
        }
        for keeps_all in [false, true] {
            let mut expected = String::new();
            let mut kept = 0;
            for mark in marks() {
                let class = mark.keys[0].map(|key| classes[&key]);
                let row = row(mark.index);
                if keeps_all {
                    let text = class.map(|(class, first, size)| format!("{class};{first};{size}"));
                    expected += &format!("{};{}\n", row.trim_end(), text.unwrap_or(";;".to_owned()));
                } else if class.is_none_or(|(_, first, _)| first == mark.index) {
                    expected += &row;
                } else {
                    continue;
                }
                kept += 1;
            }
            for memory in BUDGETS {
                let directory = tempfile::tempdir().unwrap();
                let mut filter = Dedup::new(memory, directory.path(), keeps_all, by == "text", 1);
                let (rows, count) = passed(&mut filter, marks(), Some(memory == MIN_MEMORY || keeps_all));
                assert!(rows == expected, "by {by}, all {keeps_all}, {memory} bytes");
                assert_eq!(count, kept);
                let report = filter.report.unwrap();
                assert_eq!((report.classes.classes, report.copies), (classes.len() as u64, copies));
                // Keys go to disk only if memory is short.
                assert_eq!(report.classes.temporary_bytes > 0, memory == MIN_MEMORY);
            }
        }
    }
}

#[test]
fn relations_are_the_same_in_memory_and_on_disk() {
    let (known, asked) = (records(2), records(3));
    let marks = |records: &[Option<[u64; 3]>]| -> Vec<KeyMark> {
        let keys = |record: &Option<[u64; 3]>, number: u64| match record {
            None => [Some(key(0, number % 5000 + (1 << 40))), None, None],
            Some([grid, puzzle, text]) => [Some(key(0, *text)), Some(key(1, *puzzle)), Some(key(2, *grid))],
        };
        (1..).zip(records).map(|(index, record)| mark(index, keys(record, index))).collect()
    };
    let (known, asked) = (marks(&known), marks(&asked));
    let mut firsts = HashMap::new();
    for mark in &known {
        for key in mark.keys.into_iter().flatten() {
            firsts.entry(key).or_insert(mark.index);
        }
    }
    let (mut expected, mut counts) = (String::new(), [0; Relation::ALL.len()]);
    for mark in &asked {
        let found = (0..3).find_map(|which| Some((which, firsts.get(&mark.keys[which]?)?)));
        let (word, first) = match found {
            Some((which, first)) => (Relation::ALL[which].word(), first.to_string()),
            None if mark.keys[1].is_some() => (Relation::New.word(), String::new()),
            None => (mark.status.word(), String::new()),
        };
        if let Some(relation) = Relation::from_word(word) {
            counts[relation as usize] += 1;
        }
        expected += &format!("{};{word};{first}\n", row(mark.index).trim_end());
    }
    for memory in BUDGETS {
        let directory = tempfile::tempdir().unwrap();
        let mut corpus = ReferenceKeys::new(memory, directory.path());
        let all = |marks: &[KeyMark]| marks.iter().map(|of| mark(of.index, of.keys)).collect::<Vec<_>>();
        assert_eq!(passed(&mut corpus, all(&known).into_iter(), None), (String::new(), 0));
        let mut filter: Overlap = corpus.compare(directory.path());
        let (rows, count) = passed(&mut filter, all(&asked).into_iter(), Some(memory == MIN_MEMORY));
        assert!(rows == expected, "{memory} bytes");
        assert_eq!(count, RECORDS);
        assert_eq!(Relation::ALL.iter().map(|&relation| filter.count(relation)).collect::<Vec<_>>(), counts);
    }
}

/// Returns the output of a filter that is stopped at its first block, and the rows it left.
fn stopped(filter: &mut dyn RowFilter, at_once: bool) -> (Vec<u8>, FilterTail) {
    let (control, mut out) = (Arc::new(Control::new()), Vec::new());
    if at_once {
        control.cancel();
    }
    let rest = filter.finish(&control, &mut |rows| {
        out.extend_from_slice(rows);
        control.cancel();
        Ok(())
    });
    (out, rest.unwrap())
}

#[test]
fn a_stop_ends_the_work_at_the_end_of_a_run() {
    let directory = tempfile::tempdir().unwrap();
    for at_once in [true, false] {
        let mut filter = Dedup::new(MIN_MEMORY, directory.path(), true, false, 1);
        let mut corpus = ReferenceKeys::new(MIN_MEMORY, directory.path());
        let marks = || (1..=RECORDS).map(|index| mark(index, [1, 2, 3].map(|kind| Some(key(kind, index)))));
        let mut rows = Vec::new();
        for mark in marks() {
            filter.take(&mark, row(mark.index).as_bytes(), &mut rows).unwrap();
            corpus.take(&mark, &[], &mut rows).unwrap();
        }
        let mut overlap = corpus.compare(directory.path());
        for mark in marks() {
            overlap.take(&mark, row(mark.index).as_bytes(), &mut rows).unwrap();
        }
        assert!(rows.is_empty(), "all waits");
        for filter in [&mut filter as &mut dyn RowFilter, &mut overlap] {
            let (out, rest) = stopped(filter, at_once);
            assert!(rest.is_cut);
            assert_eq!(rest.rows, out.iter().filter(|&&byte| byte == b'\n').count() as u64);
            assert!(rest.rows < RECORDS / 4, "{} rows", rest.rows);
            assert_eq!(rest.rows == 0, at_once);
        }
        assert!(filter.report.is_none() || !at_once);
    }
}

/// A checkpoint contains these options, so that a run with other options cannot resume it.
#[test]
fn chosen_relations_and_columns_are_options_of_the_run() {
    let mut options = BatchOptions::new(Query::Compare(Comparison::All));
    assert_eq!(options.words(), ["overlap"]);
    options.only = vec![Status::None];
    options.only_relations = vec![Relation::New, Relation::Copy];
    options.output.extra_columns = vec!["relation"];
    options.output.only_extra_columns = true;
    assert_eq!(options.words(), ["overlap", "--fields", "relation", "--only", "none,new,copy"]);
    options.output.fields = vec![Field::Index];
    options.output.only_extra_columns = false;
    assert_eq!(options.words(), ["overlap", "--fields", "index,relation", "--only", "none,new,copy"]);
}
