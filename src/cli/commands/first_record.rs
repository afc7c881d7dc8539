//! Reads the first record of a file, for commands that take a single problem.

use std::path::PathBuf;

use anyhow::Result;

use super::aside_reader::{AsideReader, Input};
use quadrille_engine::Control;
use quadrille_formats::input::{Body, InputOptions, Record, Records};
use quadrille_model::{EndedBy, Error, ErrorKind, Location, ProblemRef};

/// The first record of the input. The record is a problem.
pub(super) struct FirstRecord {
    records: Records,
    place: usize,
    /// True if the input has more than this one record.
    pub has_more: bool,
}

impl FirstRecord {
    /// Reads the first record of the files, or of standard input if there are no files.
    ///
    /// If `control` stops the reading, returns the reason instead of a record.
    pub(super) fn read(
        files: &[PathBuf],
        options: &InputOptions,
        control: &Control,
    ) -> Result<std::result::Result<Self, EndedBy>> {
        let mut reader = AsideReader::start(files, options, 1, control)?;
        let none = || Error::usage("the input has no records");
        let chunk = match reader.next()? {
            Input::Chunk(chunk) => chunk,
            Input::End(_) => return Err(none().into()),
            Input::Stopped(reason) => return Ok(Err(reason)),
        };
        let mut records = Records::default();
        reader.parse(&chunk, &mut records, false);
        let is_record = |record: &&Record| !matches!(record.body, Body::Skipped);
        let place = records.list.iter().position(|record| is_record(&record)).ok_or_else(none)?;
        let record = &records.list[place];
        if let Body::Invalid(reason) | Body::Unsupported(reason) = &record.body {
            let place =
                Location { source: chunk.source.clone(), record: 1, line: record.line, byte: record.byte };
            return Err(Error::from(ErrorKind::Input { place, reason: reason.to_string() }).into());
        }
        if let Body::Unread(reason) = record.body {
            return Ok(Err(reason));
        }
        let mut has_more = records.list.iter().filter(is_record).count() > 1;
        while !has_more {
            match reader.next()? {
                Input::Chunk(rest) => has_more = rest.records > 0,
                Input::End(_) => break,
                Input::Stopped(reason) => return Ok(Err(reason)),
            }
        }
        Ok(Ok(FirstRecord { records, place, has_more }))
    }

    pub(super) fn problem(&self) -> ProblemRef<'_> {
        self.records.problem(self.record()).expect("a record that is not invalid is a problem")
    }

    pub(super) fn record(&self) -> &Record {
        &self.records.list[self.place]
    }
}
