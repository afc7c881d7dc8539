use std::sync::Arc;

use super::*;
use quadrille_engine::{EngineKind, EnginePreference, Solver};
use quadrille_formats::input::{Chunk, ChunkTarget, Format, InputOptions, Parser, Reader, Records, Source};
use quadrille_model::{Goal, Limits, ProblemRef};

/// Returns the number of solutions, counted by an engine.
fn count(line: &str, engine: Option<EngineKind>) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let cover = Arc::new(classic(words[0], &words[1..]).unwrap());
    let mut solver = Solver::new(EnginePreference { engine, ..EnginePreference::default() });
    let problem = ProblemRef::Cover(&cover);
    let answer = solver.answer(problem, Goal::Count { limit: None }, Limits::default()).unwrap();
    answer.count.unwrap().to_string()
}

#[test]
fn small_problems_have_the_published_counts_by_every_engine() {
    for (line, expected) in [
        ("queens 1", "1"),
        ("queens 2", "0"),
        ("queens 3", "0"),
        ("queens 4", "2"),
        ("queens 5", "10"),
        ("queens 6", "4"),
        ("domination 4 2", "12"),
        ("langford 2", "0"),
        ("langford 3", "2"),
        ("langford 4", "2"),
        ("latin 1", "1"),
        ("latin 2", "2"),
        ("latin 3", "12"),
        ("latin 4", "576"),
        ("sudoku 2x2", "288"),
        ("assignment 4", "24"),
        ("matchings 3", "0"),
        ("matchings 6", "15"),
        ("matchings 8", "105"),
        ("partitions 1", "1"),
        ("partitions 6", "203"),
        ("dominoes 2x3", "3"),
        ("dominoes 4x4", "36"),
        ("dominoes 3x3", "0"),
        ("dominoes 3x3-1x1", "2"),
        ("triominoes 3x3", "10"),
        ("triominoes 2x3", "3"),
        ("polyominoes 1 5x5", "1"),
        ("polyominoes 4 4x4", "117"),
        ("squares 1", "1"),
        ("squares 2", "2"),
        ("squares 3", "6"),
        ("squares 4", "40"),
        ("squares 3 6", "4"),
        ("squares 4 4", "1"),
        ("partridge 1", "1"),
        ("partridge 2", "0"),
        ("partridge 3", "0"),
    ] {
        for engine in [None, Some(EngineKind::Dlx), Some(EngineKind::Naive)] {
            assert_eq!(count(line, engine), expected, "{line} by {engine:?}");
        }
    }
}

#[test]
fn larger_problems_have_the_published_counts() {
    for (line, expected) in [
        ("queens 8", "92"),
        ("langford 7", "52"),
        ("langford 8", "300"),
        ("pentominoes 3x20 distinct", "2"),
        ("pentominoes 3x20", "8"),
        ("dominoes 6x6", "6728"),
        ("squares 5", "472"),
        ("partridge 4", "0"),
        ("squares 7 9", "28"),
    ] {
        assert_eq!(count(line, Some(EngineKind::Dlx)), expected, "{line}");
        assert_eq!(count(line, None), expected, "{line}");
    }
}

/// Checks the module's table of counts, as far as a search that visits every solution can.
#[test]
#[cfg_attr(debug_assertions, ignore = "long: for optimised builds")]
fn long_problems_have_the_published_counts() {
    for (line, expected) in [
        ("queens 12", "14200"),
        ("queens 13", "73712"),
        ("domination 8 5", "4860"),
        ("langford 11", "35584"),
        ("langford 12", "216288"),
        ("latin 5", "161280"),
        ("matchings 16", "2027025"),
        ("partitions 12", "4213597"),
        ("dominoes 8x8", "12988816"),
        ("pentominoes 6x10 distinct", "2339"),
        ("pentominoes 5x12 distinct", "1010"),
        ("pentominoes 4x15 distinct", "368"),
        ("pentominoes 8x8-2x2 distinct", "65"),
        ("pentominoes 8x8-2x2", "520"),
        ("soma", "11520"),
        ("soma distinct", "480"),
        ("squares 8 16", "3701"),
        ("squares 9 12", "176"),
        ("partridge 6", "0"),
        ("macmahon 4x6 distinct", "26656"),
    ] {
        assert_eq!(count(line, None), expected, "{line}");
    }
}

#[test]
fn written_problems_are_read_back() {
    for (name, parameters) in [
        ("macmahon", vec!["4x6", "distinct"]),
        ("domination", vec!["5", "3"]),
        ("queens", vec!["70"]),
        ("soma", vec![]),
        ("pentominoes", vec!["6x10"]),
    ] {
        let parameters: Vec<String> = parameters.into_iter().map(str::to_owned).collect();
        let cover = classic(name, &parameters).unwrap();
        let mut bytes = Vec::new();
        write(name, &parameters, &cover, &mut bytes).unwrap();
        let options = InputOptions { format: Some(Format::Dlx), ..InputOptions::default() };
        let mut reader = Reader::new(vec![Source::Bytes { name: "text".into(), bytes }], options.clone());
        let (mut chunk, mut records) = (Chunk::default(), Records::default());
        assert!(reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 1 }).unwrap());
        Parser::new(&options).parse(&chunk, &mut records);
        let read = &records.covers[0];
        assert_eq!(
            (read.items(), read.primary(), read.options()),
            (cover.items(), cover.primary(), cover.options())
        );
        assert!((0..cover.primary()).all(|item| read.bounds(item) == cover.bounds(item)));
        let words = |cover: &CoverProblem, option: usize| {
            let mut words = Vec::new();
            cover.write_words(option, &mut words);
            words
        };
        assert!((0..cover.options()).all(|option| words(read, option) == words(&cover, option)), "{name}");
    }
}

#[test]
fn shapes_and_pieces_come_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let frame = write("frame.txt", "  ###\n  #.#\n  ###\n");
    assert_eq!(count(&format!("dominoes {frame}"), None), "2");
    let pieces = write("pieces.txt", "# two bricks\nbox 1x2x2\nA 000 001\nB 0,0,0 0,1,0\n");
    assert_eq!(count(&format!("polycubes {pieces}"), None), "4");
    let same = write("cells.txt", "cells 000 001\ncells 010 011\nA 000 001\nB 000 001\n");
    assert_eq!(count(&format!("polycubes {same}"), None), "4");
    for (text, reason) in [
        ("box 2x2\n", "line 1: a box needs three sides"),
        ("box 1x1x1\nA 0x0\n", "line 2: 0x0 is not a cube"),
        ("box 1x1x1\nA\n", "line 2: A has no cubes"),
        ("box 1x1x2\nA 000\nA 000\n", "line 3: two pieces have the name A"),
        ("A 000\n", "a shape without cells"),
    ] {
        let error = classic("polycubes", &[write("bad.txt", text)]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    assert!(classic("dominoes", &[directory.path().join("none").to_str().unwrap()]).is_err());
}

#[test]
fn wrong_parameters_are_refused_with_a_reason() {
    for (line, reason) in [
        ("queens", "queens takes N: a parameter is missing"),
        ("queens 8 8", "queens takes N: unexpected parameter 8"),
        ("queens 0", "0 is not a number from 1 to 1000"),
        ("queens x", "x is not a number"),
        ("sudoku 9", "9 is not a size"),
        ("macmahon 5x5", "the 24 squares do not fill"),
        ("macmahon 3x8 distinct", "two even sides"),
        ("pentominoes 8x8-3x3", "is not in the middle"),
        ("dominoes 1001x8", "1001x8 is neither a size from 1x1 to 1000x1000 nor a file"),
        ("nothing", "unknown problem nothing"),
    ] {
        let words: Vec<&str> = line.split_whitespace().collect();
        let error = classic(words[0], &words[1..]).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
