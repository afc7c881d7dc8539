//! The first record of a file, for commands that take one problem.

use std::path::PathBuf;

use anyhow::Result;

use crate::cli::config;
use crate::cli::messages::say;
use quadrille_formats::input::{Body, Chunk, ChunkTarget, InputOptions, Parser, Reader, Record, Records};
use quadrille_model::{Error, ErrorKind, Location, ProblemRef};

/// A record that is a problem.
pub(super) struct FirstRecord {
    records: Records,
    place: usize,
    /// True if the input has more records.
    pub has_more: bool,
}

impl FirstRecord {
    /// Reads the first record of the files, or of standard input if there are no files.
    pub(super) fn read(files: &[PathBuf], options: &InputOptions) -> Result<Self> {
        let mut reader = Reader::new(config::sources(files)?, options.clone());
        let (mut chunk, mut records) = (Chunk::default(), Records::default());
        let target = ChunkTarget { bytes: 1 << 20, records: 1 };
        let none = || Error::usage("the input has no records");
        if !reader.next_chunk(&mut chunk, target)? {
            return Err(none().into());
        }
        Parser::new(options).parse(&chunk, &mut records);
        records.warnings.iter().for_each(|warning| say!("quadrille: {warning}"));
        let is_record = |record: &&Record| !matches!(record.body, Body::Skipped);
        let place = records.list.iter().position(|record| is_record(&record)).ok_or_else(none)?;
        let record = &records.list[place];
        if let Body::Invalid(reason) | Body::Unsupported(reason) = &record.body {
            let place =
                Location { source: chunk.source.clone(), record: 1, line: record.line, byte: record.byte };
            return Err(Error::from(ErrorKind::Input { place, reason: reason.to_string() }).into());
        }
        let mut has_more = records.list.iter().filter(is_record).count() > 1;
        let mut rest = Chunk::default();
        while !has_more && reader.next_chunk(&mut rest, target)? {
            has_more = rest.records > 0;
        }
        Ok(FirstRecord { records, place, has_more })
    }

    pub(super) fn problem(&self) -> ProblemRef<'_> {
        self.records.problem(self.record()).expect("a record that is not invalid is a problem")
    }

    pub(super) fn record(&self) -> &Record {
        &self.records.list[self.place]
    }
}
