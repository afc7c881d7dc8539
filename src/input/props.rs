//! Any bytes, cut anyhow: no panic, and the same records.

use std::io::{self, Read};

use proptest::prelude::*;

use super::testing::{All, read_in_chunks, read_source};
use super::{ChunkTarget, Format, InputOptions, Source};

/// Gives out so many bytes a read, again and again from the front of the list.
struct Dribble {
    bytes: Vec<u8>,
    at: usize,
    sizes: Vec<usize>,
    turn: usize,
}

impl Read for Dribble {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.sizes[self.turn % self.sizes.len()];
        self.turn += 1;
        let bytes = size.min(buffer.len()).min(self.bytes.len() - self.at);
        buffer[..bytes].copy_from_slice(&self.bytes[self.at..self.at + bytes]);
        self.at += bytes;
        Ok(bytes)
    }
}

/// Pieces that formats are made of, and pieces that break them.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: &[&[u8]] = &[
        b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
        b"1..............4",
        b"103000509",
        b"1 0 3 0 0 0 5 0 9",
        b"1,0,3,0,0,0,5,0,9",
        b"10 2 0 0 0 0 0 0 0 0 0 0 0 0 0 16",
        b"+---+---+---+",
        b"|1.3|...|5.9|",
        b"---------",
        b"5--------",
        b"\n",
        b"\n\n",
        b"\r\n",
        b"\r",
        b" ",
        b",",
        b"\t",
        b"\"",
        b"#",
        b"# comment",
        b"2",
        b"3 ",
        b"Grid 01",
        b"[Puzzle]",
        b"[State]",
        b"puzzle,solution\n",
        b"id,quizzes",
        b"\xef\xbb\xbf",
        b"\0",
        b"\xff\xfe",
        "│".as_bytes(),
        "é".as_bytes(),
        b"e..o..a..",
        b"123456789ABCDEFG",
    ];
    let known: Vec<Vec<u8>> = known.iter().map(|piece| piece.to_vec()).collect();
    let rows = (prop::sample::select(known.clone()), 1..12usize)
        .prop_map(|(piece, times)| [piece, b"\n".to_vec()].concat().repeat(times));
    prop_oneof![
        6 => prop::sample::select(known),
        3 => rows,
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
}

fn options() -> impl Strategy<Value = InputOptions> {
    let formats: Vec<Option<Format>> =
        Format::all().map(|(format, _)| Some(format)).chain([None, None, None]).collect();
    (
        prop::sample::select(formats),
        any::<bool>(),
        prop::sample::select(vec![60usize, 200, 16 << 20]),
        any::<bool>(),
    )
        .prop_map(|(format, keep_lines, max_record_bytes, marked)| InputOptions {
            format,
            keep_lines,
            max_record_bytes,
            blank: marked.then_some(b'-'),
            ..InputOptions::default()
        })
}

fn told(all: All) -> (Vec<super::testing::Read>, Vec<String>, Vec<String>) {
    (all.records, all.warnings, all.errors.iter().map(ToString::to_string).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn records_do_not_depend_on_chunks_and_reads(
        pieces in prop::collection::vec(piece(), 0..24),
        options in options(),
        bytes in 1usize..400,
        records in 1u64..5,
        sizes in prop::collection::vec(1usize..300, 2..6),
    ) {
        let text = pieces.concat();
        let whole = ChunkTarget { bytes: 1 << 20, records: 1 << 20 };
        let expected = told(read_in_chunks(&text, options.clone(), whole));
        let cut = told(read_in_chunks(&text, options.clone(), ChunkTarget { bytes, records }));
        prop_assert_eq!(&cut, &expected);
        let stream = Box::new(Dribble { bytes: text, at: 0, sizes, turn: 0 });
        let source = Source::Stream { name: "test".into(), stream };
        let dribbled = told(read_source(source, options, ChunkTarget { bytes, records }));
        prop_assert_eq!(&dribbled, &expected);
    }
}
