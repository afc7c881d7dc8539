//! Measures the processor time that the Parquet library takes for the tables of `quadrille solve IN -o OUT`, on one thread, for
//! `bench --program`.

use std::error::Error;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use cpu_time::ProcessTime;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

/// Rows of a batch and of a row group, as in the program.
const BATCH_ROWS: usize = 8192;
const GROUP_ROWS: usize = 1 << 17;

fn batches(path: &Path) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let batches: Result<Vec<_>, _> = builder.with_batch_size(BATCH_ROWS).build()?.collect();
    Ok(batches?)
}

/// Writes a table as the program does.
fn write(batches: &[RecordBatch]) -> Result<(), Box<dyn Error>> {
    let Some(first) = batches.first() else { return Ok(()) };
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_column_dictionary_enabled(ColumnPath::from("q_solution"), false)
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    let out = tempfile()?;
    let mut writer = ArrowWriter::try_new(out, first.schema(), Some(properties.build()))?;
    for batch in batches {
        writer.write(batch)?;
    }
    writer.close()?;
    Ok(())
}

/// Creates a temporary file that is deleted on close.
fn tempfile() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("tables-{}", std::process::id()));
    let file = File::create_new(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [read, wrote] = paths.as_slice() else {
        return Err("needs the table read and the table written".into());
    };
    let made = batches(wrote)?;
    let begun = ProcessTime::now();
    let rows: usize = batches(read)?.iter().map(RecordBatch::num_rows).sum();
    write(&made)?;
    eprintln!("engine_ns {}", begun.elapsed().as_nanos());
    println!("{rows} rows");
    Ok(())
}
