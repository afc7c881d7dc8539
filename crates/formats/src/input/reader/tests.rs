use std::cell::Cell;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use super::current::SHOWN_OF_TOO_LARGE;
use super::*;
use crate::input::examples::EASY;
use crate::input::testing::{bodies, read_all, read_in_chunks, read_source};
use crate::input::{Body, Format, Parser, Records};
use quadrille_model::EndedBy;

const WHOLE: ChunkTarget = ChunkTarget { bytes: 1 << 20, records: 1 << 20 };

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn named() -> InputOptions {
    InputOptions { format: Some(Format::Line), ..InputOptions::default() }
}

#[test]
fn chunks_of_any_size_hold_the_same_records() {
    let text = format!("# head\n{EASY}\n\nbad\r\n{EASY} id\n{EASY}").repeat(30);
    let whole = read_all(text.as_bytes(), InputOptions::default()).records;
    assert_eq!(whole.len(), 120);
    for (bytes, records) in [(1, 1), (1, 100), (100, 7), (333, 2), (1 << 20, 3)] {
        let cut = read_in_chunks(text.as_bytes(), InputOptions::default(), ChunkTarget { bytes, records });
        assert_eq!(cut.records, whole);
    }
}

#[test]
fn sources_follow_each_other() {
    let sources = ["a", "b", "c"].map(|name| Source::Bytes {
        name: name.into(),
        bytes: if name == "b" { Vec::new() } else { format!("{EASY}\n{EASY}").into_bytes() },
    });
    let mut reader = Reader::new(sources.into(), InputOptions::default());
    assert_eq!(reader.progress().total_bytes(), Some(2 * (81 + 1 + 81)));
    let mut chunk = Chunk::default();
    let (mut told, mut chunks, mut records) = (Vec::new(), 0, 0);
    while reader.next_chunk(&mut chunk, WHOLE).unwrap() {
        // A complete record does not wait for the end of its source, so two may come in one chunk or in two.
        assert_eq!((chunk.sequence, chunk.first_record), (chunks, records + 1));
        (chunks, records) = (chunks + 1, records + chunk.records);
        let number = chunk.first_record;
        told.push((chunk.source.to_string(), number, chunk.first_line, chunk.first_byte));
        let is_second = number % 2 == 0;
        assert_eq!((chunk.first_line, chunk.first_byte), if is_second { (2, 82) } else { (1, 0) });
    }
    told.retain(|(_, number, ..)| number % 2 == 1);
    assert_eq!((told, records), (vec![("a".into(), 1, 1, 0), ("c".into(), 3, 1, 0)], 4));
    assert_eq!(reader.progress().bytes_read(), 2 * 163);
}

#[test]
fn the_format_does_not_depend_on_how_bytes_arrive() {
    let table = format!("id;puzzle\n{}", format!("1;{EASY}\n").repeat(40)).into_bytes();
    let binary = [EASY.as_bytes(), b"\nno puzzle\n", &[b'\n'; 3], &[0; 9]].concat();
    for (text, looks) in
        [(table, "columns: "), (binary, "binary data: "), (b"\xef\xbb\xbf<p>".to_vec(), "a web page")]
    {
        for size in [1, 2, 7, 40, 1000] {
            let first = Source::Bytes { name: "empty".into(), bytes: Vec::new() };
            let parts = text.chunks(size).map(|part| &*part.to_vec().leak()).collect();
            let (_, ended) = std::sync::mpsc::channel();
            let stream = Source::Stream { name: "parts".into(), stream: Box::new(Parts(parts, Some(ended))) };
            let last = Source::Bytes { name: "last".into(), bytes: b"{}\n".to_vec() };
            let mut reader = Reader::new(vec![first, stream, last], named());
            let mut chunk = Chunk::default();
            while reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1, records: 1 }).unwrap() {}
            let seen = reader.format_hint();
            assert!(seen.as_ref().is_some_and(|seen| seen.starts_with(looks)), "{seen:?} in parts of {size}");
        }
    }
}

/// A stream that returns one part per read.
///
/// After the last part it blocks until its channel closes, or returns an error if it has no channel.
struct Parts(Vec<&'static [u8]>, Option<std::sync::mpsc::Receiver<()>>);

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            if let Some(wait) = &self.1 {
                let _ = wait.recv();
                return Ok(0);
            }
            return Err(io::Error::other("the disk is gone"));
        }
        let bytes = self.0[0].len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&self.0[0][..bytes]);
        self.0[0] = &self.0[0][bytes..];
        if self.0[0].is_empty() {
            self.0.remove(0);
        }
        Ok(bytes)
    }
}

#[test]
fn complete_records_go_out_while_the_input_stalls() {
    let (go_on, wait) = std::sync::mpsc::channel();
    let stream = Box::new(Parts(vec![b"1..............4\n2..", b".............\n3.."], Some(wait)));
    let options = InputOptions { side: Some(4), ..named() };
    let mut reader = Reader::new(vec![Source::Stream { name: "pipe".into(), stream }], options);
    let mut chunk = Chunk::default();
    let mut records = 0;
    while records < 2 {
        assert!(reader.next_chunk(&mut chunk, WHOLE).unwrap());
        records += chunk.records;
    }
    drop(go_on);
    assert!(reader.next_chunk(&mut chunk, WHOLE).unwrap());
    assert_eq!((&chunk.bytes[..], chunk.first_line, chunk.first_record), (&b"3.."[..], 3, 3));
    assert!(!reader.next_chunk(&mut chunk, WHOLE).unwrap());
}

#[test]
fn an_error_comes_after_the_records_before_it() {
    let stream = Box::new(Parts(vec![b"1..............4\n2.."], None));
    let all = read_source(Source::Stream { name: "pipe".into(), stream }, InputOptions::default(), WHOLE);
    assert_eq!(bodies(&all), ["1000000000000004"]);
    assert_eq!(all.errors[0].to_string(), "reading pipe: the disk is gone (after 20 bytes)");

    let mut bytes = gzip(format!("{EASY}\n").repeat(20_000).as_bytes());
    bytes.truncate(bytes.len() / 2);
    let all = read_in_chunks(&bytes, InputOptions::default(), WHOLE);
    assert!(all.records.len() > 1000 && all.errors.len() == 1);
    assert!(all.records.iter().all(|record| record.body.starts_with("53")));
}

#[test]
fn compressed_sources_are_read_as_their_text() {
    let text = format!("{EASY}\n");
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    let plain = read_all(format!("{text}{text}").as_bytes(), InputOptions::default()).records;
    for bytes in [
        gzip(format!("{text}{text}").as_bytes()),
        [gzip(text.as_bytes()), gzip(text.as_bytes())].concat(),
        [zstd(&text), zstd(&text)].concat(),
    ] {
        assert_eq!(read_all(&bytes, InputOptions::default()).records, plain);
    }
}

#[test]
fn unreadable_sources_are_reported_with_a_hint_and_the_next_follows() {
    let folder = tempfile::tempdir().unwrap();
    let sources = vec![
        Source::File(folder.path().to_owned()),
        Source::File(PathBuf::from("does/not/exist")),
        Source::Bytes { name: "a.zip".into(), bytes: b"PK\x03\x04....".to_vec() },
        Source::Bytes { name: "good".into(), bytes: b"1..............4".to_vec() },
    ];
    let mut reader = Reader::new(sources, InputOptions::default());
    let mut chunk = Chunk::default();
    let mut next = || reader.next_chunk(&mut chunk, WHOLE).map_err(|error| error.to_string());
    assert!(next().unwrap_err().contains("it is a directory, not a file"));
    assert!(next().unwrap_err().starts_with("opening does/not/exist"));
    assert!(next().unwrap_err().contains("unzip -p a.zip | quadrille ..."));
    assert_eq!((next(), next()), (Ok(true), Ok(false)));
    assert_eq!(chunk.first_record, 1);
}

#[test]
fn a_record_that_is_too_large_is_one_invalid_record() {
    let long = "5".repeat(3_000_000);
    let text = format!("{EASY}\n{long}\n{EASY}\n\n{EASY}");
    for target in [1, 1 << 20] {
        let options = InputOptions { max_record_bytes: 1000, ..InputOptions::default() };
        let all = read_in_chunks(text.as_bytes(), options, ChunkTarget { bytes: target, records: 1000 });
        let told: Vec<_> =
            all.records.iter().map(|record| (record.number, record.line, record.byte)).collect();
        let after = 82 + 3_000_001;
        assert_eq!(told, [(1, 1, 0), (2, 2, 82), (3, 3, after), (4, 5, after + 83)]);
        assert_eq!(all.records[1].body, "invalid: a record of more than 1000 bytes");
        assert!(all.records[1].text.len() <= SHOWN_OF_TOO_LARGE);
    }
}

/// The delimiter of a source named CSV must not be decided by half of a quoted field.
///
/// With a wrong delimiter the field ends at its first line end. Only with the right delimiter does the field wait for
/// its closing quote.
#[test]
fn a_csv_header_is_not_read_from_half_a_quoted_field() {
    let parts: Vec<&'static [u8]> =
        vec![b"id,note,what\n1,\"two\n", b"lines\",123434122143432.\n2,,123434122143432.\n"];
    let options = InputOptions { format: Some(Format::Csv), ..InputOptions::default() };
    let whole = read_all(&parts.concat(), options.clone());
    // The sending half is dropped, so that the parts end without an error.
    let (_, end) = std::sync::mpsc::channel();
    let stream = Source::Stream { name: "test".into(), stream: Box::new(Parts(parts, Some(end))) };
    let cut = read_source(stream, options, WHOLE);
    assert!(whole.errors.is_empty() && cut.errors.is_empty(), "{:?} {:?}", whole.errors, cut.errors);
    assert_eq!(whole.records, cut.records);
    assert_eq!(cut.records.len(), 2);
}

/// Number of bytes between two checks in builds for tests, as in `formats/whole_source.rs`.
const BYTES_BETWEEN_CHECKS: usize = 1 << 14;

#[test]
fn reading_a_long_problem_can_be_cancelled() {
    let dlx = "a b\n".to_owned() + &"a b\na\nb\n".repeat(5_000);
    let sets = "1 2\n1\n2\n".repeat(5_000);
    let matrix = "11\n10\n01\n".repeat(5_000);
    let row = (1..6_000).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
    let bits = "10".repeat(4_150);
    // Each entry has a text, and the minimum number of bytes that are counted while the text is read. The
    // names of items are counted, too. In the last matrix, the names have 40 kB.
    for (format, text, bytes) in [
        (Format::Dlx, dlx, 40_000),
        (Format::Sets, sets, 2 * 40_000),
        (Format::Matrix, matrix, 2 * 45_000),
        (Format::Dlx, format!("{row}\n{row}\n"), 2 * row.len()),
        (Format::Sets, format!("{row}\n"), 2 * row.len()),
        (Format::Matrix, format!("1 8300\n{bits}\n"), 49_200),
    ] {
        let source = Source::Bytes { name: "x".into(), bytes: text.into_bytes() };
        let options = InputOptions { format: Some(format), ..InputOptions::default() };
        let mut reader = Reader::new(vec![source], options.clone());
        let mut chunk = Chunk::default();
        assert!(reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1, records: 1 }).unwrap());
        let mut records = Records::default();
        let mut parser = Parser::new(&options);
        // `stop(2)` stops the first call at its second check. It never stops the second call.
        let asked = Cell::new(0);
        let stop = |last: u32| {
            asked.set(asked.get() + 1);
            (asked.get() == last).then_some(EndedBy::Deadline)
        };
        parser.parse_until(&chunk, &mut records, &|| stop(2));
        assert!(matches!(records.list[0].body, Body::Unread(EndedBy::Deadline)), "{format:?}");
        assert!(records.problem(&records.list[0]).is_none() && asked.get() == 2);
        parser.parse_until(&chunk, &mut records, &|| stop(2));
        assert!(records.problem(&records.list[0]).is_some(), "{format:?}");
        assert!(asked.get() as usize >= 2 + bytes / BYTES_BETWEEN_CHECKS, "{format:?}: {}", asked.get());
    }
}
