//! Statistics of clues, their symmetry, and ratings by clues: in the file and on the page.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{data, quadrille};

/// Counts the clues of 9x9 lines by cell and by digit.
fn clues_of(lines: &str) -> Value {
    let (mut cells, mut digits) = (vec![0u64; 81], vec![0u64; 9]);
    for line in lines.lines() {
        for (cell, byte) in line.bytes().take(81).enumerate().filter(|(_, byte)| (b'1'..=b'9').contains(byte))
        {
            cells[cell] += 1;
            digits[usize::from(byte - b'1')] += 1;
        }
    }
    let symmetries = symmetries_of(lines);
    serde_json::json!({"grids": lines.lines().count(), "cells": cells, "digits": digits, "symmetries": symmetries})
}

/// Counts the symmetries of the clues of 9x9 lines, by turning and mirroring each pattern.
fn symmetries_of(lines: &str) -> BTreeMap<&'static str, u64> {
    type Pattern = Vec<Vec<bool>>;
    let transposed = |pattern: &Pattern| -> Pattern {
        (0..9).map(|row| (0..9).map(|column| pattern[column][row]).collect()).collect()
    };
    let upside_down = |pattern: &Pattern| -> Pattern { pattern.iter().rev().cloned().collect() };
    let turned = |pattern: &Pattern| upside_down(&transposed(pattern));
    let mut counts = BTreeMap::new();
    for line in lines.lines() {
        let is_clue = |byte: &u8| (b'1'..=b'9').contains(byte);
        let pattern: Pattern =
            line.as_bytes()[..81].chunks(9).map(|row| row.iter().map(is_clue).collect()).collect();
        let half = turned(&turned(&pattern));
        let images = [
            ("rotational", half.clone()),
            ("quarter", turned(&pattern)),
            ("mirror", upside_down(&half)),
            ("upside-down", upside_down(&pattern)),
            ("diagonal", transposed(&pattern)),
            ("antidiagonal", transposed(&half)),
        ];
        let names: Vec<_> =
            images.iter().filter(|(_, image)| *image == pattern).map(|(name, _)| *name).collect();
        let all = Some("full").filter(|_| names.len() == images.len());
        names.into_iter().chain(all).for_each(|name| *counts.entry(name).or_default() += 1);
    }
    counts
}

/// Runs a command over puzzles and returns its statistics file.
fn statistics_of(words: &str, puzzles: &str, path: &Path) -> Value {
    quadrille(words).args("-q --stats-out").arg(path).stdin(puzzles).prints();
    serde_json::from_str(&fs::read_to_string(path).expect("written")).expect("JSON")
}

#[test]
fn statistics_have_ratings_by_clues() {
    let puzzles = data("random-1000.txt");
    let mut expected: BTreeMap<u64, BTreeMap<String, u64>> = BTreeMap::new();
    let mut clues: Vec<u64> = Vec::new();
    for line in
        quadrille("rate --to csv --no-header --fields clues,er").stdin(puzzles.as_str()).prints().lines()
    {
        let (number, rating) = line.split_once(',').expect("two columns");
        clues.push(number.parse().expect("a number"));
        *expected.entry(clues[clues.len() - 1]).or_default().entry(rating.to_owned()).or_default() += 1;
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("stats.json");
    // Column chunks and record chunks.
    for words in ["rate -j2", "rate -j1 --fields clues,er"] {
        let read = statistics_of(words, &puzzles, &path);
        let scales = read["clue_maps"]["9"]["ratings"].as_object().expect("scales");
        assert_eq!(scales.len(), 1, "{words}");
        let found: BTreeMap<u64, BTreeMap<String, u64>> = serde_json::from_value(
            scales
                .values()
                .next()
                .expect("a scale")
                .as_object()
                .expect("clues")
                .iter()
                .map(|(clues, list)| {
                    let list: Vec<(String, u64)> = serde_json::from_value(list.clone()).expect("pairs");
                    (clues.clone(), serde_json::json!(list.into_iter().collect::<BTreeMap<_, _>>()))
                })
                .collect(),
        )
        .expect("ratings");
        assert_eq!(found, expected, "{words}");
    }
    let table = quadrille("report --to csv --table ratings-by-clues-1").arg(&path).prints();
    for (number, (clues, ratings)) in expected.iter().enumerate() {
        let row: Vec<&str> = table.lines().nth(number + 1).expect("a row").split(',').collect();
        let records: u64 = ratings.values().sum();
        assert_eq!(row[..2], [clues.to_string(), records.to_string()]);
        let mut all: Vec<&String> =
            ratings.iter().flat_map(|(rating, count)| (0..*count).map(move |_| rating)).collect();
        all.sort_by(|a, b| a.parse::<f64>().expect("a number").total_cmp(&b.parse().expect("a number")));
        assert_eq!((row[2], row[4], row[8]), (&**all[0], &**all[(all.len() - 1) / 2], &**all[all.len() - 1]));
        assert_eq!(row[9..].iter().map(|count| count.parse::<u64>().expect("a count")).sum::<u64>(), records);
    }
    clues.sort_unstable();
    let at = |share: usize| clues[(clues.len() * share).div_ceil(1000).max(1) - 1].to_string();
    let quantiles = quadrille("report --to csv --table clue-quantiles").arg(&path).prints();
    let shares = [0, 250, 500, 750, 900, 990, 1000].map(at);
    assert_eq!(quantiles.lines().nth(1), Some(&*shares.join(",")), "{quantiles}");
    let page = quadrille("report").arg(&path).prints();
    assert!(page.contains("Ratings by clues, 9x9: ser/") && !page.contains("<script"));
}

#[test]
fn statistics_have_a_heat_map_of_clues() {
    let mut puzzles = data("random-1000.txt");
    for word in ["rotational", "quarter", "mirror", "upside-down", "diagonal", "antidiagonal", "full"] {
        puzzles +=
            &quadrille(&format!("generate puzzles --count 3 --clues 36..45 --symmetry {word}")).prints();
    }
    assert!(symmetries_of(&puzzles).values().all(|count| *count >= 3) && symmetries_of(&puzzles).len() == 7);
    let directory = tempfile::tempdir().expect("a temporary directory");
    let stats = directory.path().join("stats.json");
    // Lines in columns, records, several threads, and another side.
    for words in ["rate -j2", "solve --unique -j1", "solve --unique -j4", "check --fields status,clues"] {
        let mut read = statistics_of(words, &puzzles, &stats);
        read["clue_maps"]["9"].as_object_mut().expect("a map").remove("ratings");
        assert_eq!(read["clue_maps"], serde_json::json!({"9": clues_of(&puzzles)}), "{words}");
    }
    let sum = quadrille("stats --json").arg(&stats).arg(&stats).prints();
    let sum: Value = serde_json::from_str(&sum).expect("JSON");
    assert_eq!(sum["clue_maps"]["9"], clues_of(&format!("{puzzles}{puzzles}")));
    let csv = quadrille("report --to csv --table clue-map-9").arg(&stats).prints();
    let counts = clues_of(&puzzles);
    let first: Vec<String> =
        counts["cells"].as_array().expect("counts")[..9].iter().map(Value::to_string).collect();
    assert!(csv.contains(&format!("r1,{}\n", first.join(","))), "{csv}");
    let page = quadrille("report").arg(&stats).prints();
    assert!(
        page.contains("Clues by cell, 9x9")
            && page.contains("Clues by digit, 9x9")
            && !page.contains("<script")
    );

    let symmetries = quadrille("report --to csv --table clue-symmetry-9").arg(&stats).prints();
    for (name, count) in symmetries_of(&puzzles) {
        let share = count as f64 / puzzles.lines().count() as f64;
        assert!(
            symmetries
                .lines()
                .any(|line| line.starts_with(&format!("{name},"))
                    && line.ends_with(&format!(",{count},{share}"))),
            "{symmetries}"
        );
    }

    // Lists of another length are shown by no table.
    let mut odd = sum;
    odd["clue_maps"]["9"]["cells"].as_array_mut().expect("a list").push(1.into());
    let path = directory.path().join("odd.json");
    fs::write(&path, odd.to_string()).expect("written");
    let refused = quadrille("report --to csv --table clue-map-9").arg(&path).fails(2);
    assert!(refused.contains("no table"), "{refused}");
}
