//! Tables as other programs write them: compressed Arrow, categories, dates.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef, Date64Array, DictionaryArray, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::{POJ, POJ_SOLVED, data, quadrille};

/// Rows of each batch.
const ROWS: usize = 100;

/// Returns batches of puzzles, as a file or a stream.
fn compressed(kind: CompressionType, is_stream: bool) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(Some(kind)).unwrap();
    let text = data("random-1000.txt");
    let lines: Vec<&str> = text.lines().collect();
    let mut bytes = Vec::new();
    let batches = lines.chunks(ROWS).map(|lines| {
        let puzzles: ArrayRef = Arc::new(StringArray::from_iter_values(lines));
        RecordBatch::try_from_iter([("puzzle", puzzles)]).unwrap()
    });
    let batches: Vec<RecordBatch> = batches.collect();
    if is_stream {
        let mut writer =
            StreamWriter::try_new_with_options(&mut bytes, &batches[0].schema(), options).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batches[0].schema(), options).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    }
    bytes
}

#[test]
fn damaged_lengths_of_compressed_buffers_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.arrow");
    let expected = quadrille("solve data/random-1000.txt").prints();
    let length = (81 * ROWS as i64).to_le_bytes();
    let magics = [b"\x04\x22\x4d\x18", b"\x28\xb5\x2f\xfd"];
    for (kind, magic) in [CompressionType::LZ4_FRAME, CompressionType::ZSTD].into_iter().zip(magics) {
        let before = [&length[..], magic].concat();
        for is_stream in [false, true] {
            let whole = compressed(kind, is_stream);
            fs::write(&path, &whole).unwrap();
            assert_eq!(quadrille("solve").arg(&path).prints(), expected);
            let lengths: Vec<usize> =
                (0..whole.len()).filter(|&at| whole[at..].starts_with(&before)).collect();
            assert_eq!(lengths.len(), 10, "{kind:?}");
            let third = lengths[2];
            for wrong in [i64::MAX, 1 << 60, 1 << 46, 1 << 33, 8099, 8101, -7] {
                let mut damaged = whole.clone();
                damaged[third..third + 8].copy_from_slice(&wrong.to_le_bytes());
                fs::write(&path, &damaged).unwrap();
                let ended = quadrille("solve -q --memory 64M").arg(&path).ends_with(1);
                assert!(
                    ended.err.contains("in.arrow:201 (byte 0): it cannot be read further"),
                    "{wrong} {}",
                    ended.err
                );
                assert_eq!(ended.out, expected[..2 * ROWS * 82], "{kind:?} {wrong}");
                if is_stream {
                    let ended = quadrille("solve -q").stdin(damaged).ends_with(1);
                    assert_eq!(ended.out, expected[..2 * ROWS * 82], "{kind:?} {wrong}");
                }
            }
        }
    }
}

#[test]
fn damaged_arrow_files_never_end_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in.arrow");
    for is_stream in [false, true] {
        let whole = compressed(CompressionType::LZ4_FRAME, is_stream);
        // The bytes of numbers in the first descriptions and in the footer.
        for at in (8..1200).step_by(13).chain((whole.len() - 700..whole.len()).step_by(17)) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            fs::write(&path, &damaged).unwrap();
            let ended = quadrille("solve -q --memory 64M").arg(&path).ends();
            assert!(matches!(ended.code, Some(0 | 1 | 6)), "{at}: {:?} {}", ended.code, ended.err);
        }
    }
}

/// Writes a Parquet file with a row group for each list of categories.
fn write_categories(path: &Path, groups: &[&[&str]]) {
    let batches = groups.iter().map(|names| {
        let puzzles: ArrayRef = Arc::new(StringArray::from_iter_values(names.iter().map(|_| POJ)));
        let names = names.iter().map(|name| Some(*name).filter(|name| !name.is_empty()));
        let names: ArrayRef = Arc::new(names.collect::<DictionaryArray<Int8Type>>());
        RecordBatch::try_from_iter_with_nullable([("puzzle", puzzles, true), ("name", names, true)]).unwrap()
    });
    let batches: Vec<RecordBatch> = batches.collect();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(groups[0].len())).build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
}

#[test]
fn categories_of_all_row_groups_are_one_dictionary_in_arrow() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let groups: [&[&str]; 4] = [&["b", "a", "b"], &["c", "", "a"], &["a", "a", "a"], &["d", "b", "c"]];
    write_categories(&at("in.parquet"), &groups);
    // The second source has other categories, and rows are dropped.
    write_categories(&at("more.parquet"), &[&["z", "b", "y"]]);
    for threads in ["-j1", "-j2"] {
        let run = quadrille("solve -q --chunk-bytes 100")
            .arg(threads)
            .arg(at("in.parquet"))
            .arg(at("more.parquet"));
        run.arg("-o").arg(at("out.arrow")).ends_with(0);
        let reader = FileReader::try_new(File::open(at("out.arrow")).unwrap(), None).unwrap();
        let mut names = Vec::new();
        for batch in reader {
            let batch = batch.unwrap();
            let column = batch.column_by_name("name").expect("the column of the input");
            assert_eq!(*column.data_type(), *DictionaryArray::<Int32Type>::from_iter(["a"]).data_type());
            let dictionary = column.as_any_dictionary();
            let words = dictionary.values().as_string::<i32>();
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            let name =
                |(row, key)| if column.is_valid(row) { words.value(key).to_owned() } else { String::new() };
            names.extend(keys.map(name));
            let solved = batch.column_by_name("q_solution").expect("a solution");
            assert!(solved.as_string::<i32>().iter().all(|solution| solution == Some(POJ_SOLVED)));
        }
        assert_eq!(names.join(" "), "b a b c  a a a a d b c z b y");
        // What was written is read.
        let back = quadrille("solve -q --to csv --fields status").arg(at("out.arrow")).prints();
        assert_eq!(back.lines().nth(5).map(|line| line.contains(",,")), Some(true), "{back}");
        fs::remove_file(at("out.arrow")).unwrap();
    }
}

#[test]
fn categories_may_be_more_than_in_any_row_group() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let names: Vec<String> = (0..200).map(|number| format!("name {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    write_categories(&at("in.parquet"), &[&names[..100], &names[100..]]);
    for name in ["out.arrow", "out.parquet"] {
        quadrille("solve -q").arg(at("in.parquet")).arg("-o").arg(at(name)).ends_with(0);
        let rows = quadrille("solve -q --to csv").arg(at(name)).prints();
        assert!(rows.lines().skip(1).zip(&names).all(|(row, name)| row.contains(*name)), "{name}");
    }
}

#[test]
fn dates_in_milliseconds_keep_their_type() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let days: ArrayRef = Arc::new(Date64Array::from(vec![Some(86_400_000), None]));
    let puzzles: ArrayRef = Arc::new(StringArray::from_iter_values([POJ, POJ]));
    let batch = RecordBatch::try_from_iter([("puzzle", puzzles), ("day", Arc::clone(&days))]).unwrap();
    let mut writer = FileWriter::try_new(File::create(at("in.arrow")).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).and_then(|()| writer.finish()).unwrap();
    quadrille("solve -q").arg(at("in.arrow")).arg("-o").arg(at("out.parquet")).ends_with(0);
    quadrille("solve -q").arg(at("out.parquet")).arg("-o").arg(at("out.arrow")).ends_with(0);
    let mut reader = FileReader::try_new(File::open(at("out.arrow")).unwrap(), None).unwrap();
    let found = reader.next().expect("a batch").unwrap();
    let found = found.column_by_name("day").expect("the column of the input");
    assert_eq!(found.to_data(), days.to_data());
}

#[cfg(target_os = "linux")]
#[test]
fn tables_keep_within_the_memory_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("in.txt"), data("random-1000.txt").repeat(200)).unwrap();
    quadrille("convert -q").arg(at("in.txt")).arg("-o").arg(at("in.parquet")).ends_with(0);
    for (name, threads) in [("in.txt", 1), ("in.txt", 2), ("in.parquet", 1), ("in.parquet", 2)] {
        let run = quadrille(&format!("solve -q --memory 64M -j{threads}")).arg(at(name));
        let mut child = run.arg("-o").arg(at("out.parquet")).starts();
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            most = crate::peak_memory(&child).unwrap_or(most);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // As for other runs: the code itself, and the buffers of each thread.
        let allowed = (64 + 12 + 2 * threads) << 20;
        println!("{name} -j{threads}: {most} bytes, {allowed} allowed");
        assert!(most > 0 && most < allowed, "{name} -j{threads}: {most} bytes, {allowed} allowed");
    }
}
