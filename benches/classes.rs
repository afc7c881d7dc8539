//! Measures records per second of `KeyGroups` and `KeyIndex`, in memory and on disk, against a map of the
//! standard library:
//!
//!     cargo bench -p quadrille-benches --bench classes -- KEYS MEMORY_MIB [REPEATED_PERCENT] [map|classes|sizes|firsts]...
//!
//! Without arguments: ten million different keys, within 2 GiB and within 64 MiB. The peak memory is that of
//! the process so far, so name a single structure to measure its memory alone.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use quadrille::Result;
use quadrille::internals::key_groups::{KeyGroups, KeyIndex, LookupResult, Membership, Resolved};

/// Records per batch.
const BATCH: u64 = 1000;

/// Returns the key of a record; `repeated_percent` percent of the records repeat an earlier key.
fn key(record: u64, repeated_percent: u64) -> u128 {
    let mix = |word: u64| {
        let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    };
    let draw = mix(!record);
    let record = if draw % 100 < repeated_percent { draw / 100 % (record + 1) } else { record };
    u128::from(mix(record + 1)) << 64 | u128::from(mix(record ^ 1 << 63))
}

/// Adds a stream of keys to a structure and returns the numbers of new and repeated keys.
fn run(structure: &str, keys: u64, memory: u64, repeated: u64) -> Result<(u64, u64)> {
    let folder: &Path = &std::env::temp_dir();
    let batches = (0..keys).step_by(BATCH as usize).map(|from| from..(from + BATCH).min(keys));
    match structure {
        "map" => {
            let mut map: HashMap<u128, (u64, u64)> = HashMap::new();
            for record in 0..keys {
                map.entry(key(record, repeated)).or_insert((record, 0)).1 += 1;
            }
            Ok((keys - map.len() as u64, 0))
        }
        "classes" | "sizes" => {
            let mut classes = KeyGroups::new(memory, folder, structure == "sizes");
            let (mut batch, mut seen, mut repeats) = (Vec::new(), Vec::new(), 0);
            for records in batches {
                batch.clear();
                batch.extend(records.clone().map(|record| Some(key(record, repeated))));
                seen.clear();
                classes.add_all(&batch, &mut seen)?;
                let known = records.zip(&seen);
                let again =
                    |(record, seen)| matches!(seen, &Membership::Known(member) if member.first < record);
                repeats += known.filter(|&one| again(one)).count() as u64;
            }
            let Resolved { summary, members } = classes.finish()?;
            for settled in members {
                let settled = settled?;
                repeats += u64::from(settled.member.first < settled.number);
            }
            assert_eq!(repeats, summary.duplicates);
            Ok((repeats, summary.temporary_bytes))
        }
        "firsts" => {
            let mut firsts = KeyIndex::new(memory, folder);
            for records in batches.clone() {
                let batch: Vec<_> = records.map(|record| (key(record, repeated), record)).collect();
                firsts.add_all(&batch)?;
            }
            let (mut questions, mut seen) = (firsts.questions()?, Vec::new());
            let mut found = 0;
            for records in batches {
                let batch: Vec<_> = records.map(|record| [Some(key(record, 0)), None, None]).collect();
                seen.clear();
                questions.ask_all(&batch, &mut seen)?;
                found += seen.iter().filter(|seen| matches!(seen, LookupResult::Found(_))).count() as u64;
            }
            let answers = questions.finish()?;
            let bytes = answers.temporary_bytes();
            for answer in answers {
                found += u64::from(answer?.is_some());
            }
            Ok((found, bytes))
        }
        other => panic!("no structure is named {other}"),
    }
}

/// Returns the peak memory of this process in MiB, or `None` if the system does not report it.
fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

fn measure(structure: &str, keys: u64, mib: u64, repeated: u64) -> Result<()> {
    let start = Instant::now();
    let (again, bytes) = run(structure, keys, mib << 20, repeated)?;
    let elapsed = start.elapsed();
    println!(
        "{structure:8} {keys} keys, {mib} MiB: {:.2} million a second ({elapsed:.2?}), {again} again, {} MiB on disk, \
         peak {} MiB",
        keys as f64 / elapsed.as_secs_f64() / 1e6,
        bytes >> 20,
        peak_mib().map_or("?".to_owned(), |mib| mib.to_string()),
    );
    Ok(())
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let numbers: Vec<u64> = words.iter().map_while(|word| word.parse().ok()).collect();
    let named = &words[numbers.len()..];
    let all = ["map", "classes", "sizes", "firsts"].map(str::to_owned);
    let structures = if named.is_empty() { &all[..] } else { named };
    let runs = match numbers[..] {
        [] => vec![(10_000_000, 64, 0), (10_000_000, 2048, 0)],
        [keys, mib] => vec![(keys, mib, 0)],
        [keys, mib, repeated, ..] => vec![(keys, mib, repeated)],
        _ => panic!("a number of keys needs a number of MiB"),
    };
    for (keys, mib, repeated) in runs {
        for structure in structures {
            measure(structure, keys, mib, repeated)?;
        }
    }
    Ok(())
}
