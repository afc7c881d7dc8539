//! Reads records on a separate thread. So a command can end at its deadline even if no input arrives.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Result;

use crate::cli::config;
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use quadrille_formats::input::{
    Body, Chunk, ChunkTarget, Format, InputOptions, Parser, Reader, Record, Records,
};
use quadrille_model::{EndedBy, Error, ErrorKind, Location, ProblemRef};

/// Time between two checks of the deadline and signals while no input arrives.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Maximum number of bytes of text in a chunk.
const CHUNK_BYTES: usize = 1 << 20;

/// Receives the input from a thread that reads it. If the command is stopped, it does not wait for this
/// thread, which may wait hours for input.
pub(super) struct AsideReader<'s> {
    chunks: Receiver<Chunk>,
    /// The thread that reads, which returns the hint that [`Reader::format_hint`] gives. `None` after the
    /// end of the input.
    thread: Option<JoinHandle<quadrille_model::Result<Option<String>>>>,
    parser: Parser,
    signals: &'s Signals,
    /// End of the message that is printed if the command is stopped. `{}` becomes the number of records.
    if_stopped: &'static str,
    /// Number of records that [`each`](Self::each) has passed on, plus the number that the caller sets before.
    pub(super) number: u64,
    /// Format of the first chunk.
    pub(super) format: Option<Format>,
    /// Description of the first source, which is known at the end of the input.
    pub(super) format_hint: Option<String>,
}

/// A record of the input.
pub(super) struct ReadRecord<'r> {
    /// Number among all records, 1-based.
    pub(super) number: u64,
    pub(super) chunk: &'r Chunk,
    pub(super) record: &'r Record,
    /// The problem, or the reason why the record cannot be read.
    pub(super) problem: std::result::Result<ProblemRef<'r>, String>,
}

impl<'s> AsideReader<'s> {
    /// Starts reading the files in chunks of at most `most_records` records.
    pub(super) fn start(
        files: &[PathBuf],
        options: &InputOptions,
        most_records: u64,
        signals: &'s Signals,
        if_stopped: &'static str,
    ) -> Result<Self> {
        let mut reader = Reader::new(config::sources(files)?, options.clone());
        let (sender, chunks) = sync_channel(1);
        let read = move || {
            loop {
                let mut chunk = Chunk::default();
                let target = ChunkTarget { bytes: CHUNK_BYTES, records: most_records };
                // Sending fails if the command has stopped and has dropped the receiver.
                if !reader.next_chunk(&mut chunk, target)? || sender.send(chunk).is_err() {
                    return Ok(reader.format_hint());
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("quadrille-reader".to_owned())
            .spawn(read)
            .map_err(|cause| Error::io("starting", "the reading thread", 0, cause))?;
        let (parser, thread) = (Parser::new(options), Some(thread));
        let (number, format, format_hint) = (0, None, None);
        Ok(AsideReader { chunks, thread, parser, signals, if_stopped, number, format, format_hint })
    }

    /// Waits for the next piece of the input, and returns `None` at its end.
    ///
    /// # Errors
    /// Returns an error if reading fails, or if the command is stopped.
    pub(super) fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        loop {
            if let Some(reason) = self.signals.control().stop() {
                return Err(self.stopped(reason));
            }
            match self.chunks.recv_timeout(LOOK_EVERY) {
                Ok(chunk) => {
                    self.format.get_or_insert(chunk.layout.format);
                    return Ok(Some(chunk));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let Some(thread) = self.thread.take() else { return Ok(None) };
                    let cause = std::io::Error::other("the reading thread ended early");
                    let ended = thread.join().map_err(|_| Error::io("reading", "the input", 0, cause));
                    self.format_hint = ended??;
                    return Ok(None);
                }
            }
        }
    }

    /// Calls `take` for each record until `take` returns false. Prints warnings unless `is_quiet` is true.
    ///
    /// # Errors
    /// Returns an error if [`next_chunk`](Self::next_chunk) or `take` does.
    pub(super) fn each(
        &mut self,
        is_quiet: bool,
        mut take: impl FnMut(ReadRecord<'_>) -> Result<bool>,
    ) -> Result<()> {
        let mut records = Records::default();
        while let Some(chunk) = self.next_chunk()? {
            self.parser.parse_until(&chunk, &mut records, &|| self.signals.control().stop());
            let warnings = records.warnings.iter().filter(|_| !is_quiet);
            warnings.for_each(|warning| say!("quadrille: {warning}"));
            for record in &records.list {
                let problem = match &record.body {
                    Body::Skipped => continue,
                    &Body::Unread(reason) => return Err(self.stopped(reason)),
                    Body::Invalid(reason) | Body::Unsupported(reason) => Err(reason.to_string()),
                    _ => records.problem(record).ok_or_else(|| "not a puzzle".to_owned()),
                };
                self.number += 1;
                if !take(ReadRecord { number: self.number, chunk: &chunk, record, problem })? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the error of a command that was stopped.
    fn stopped(&self, reason: EndedBy) -> anyhow::Error {
        self.signals.stopped(reason, self.if_stopped.replace("{}", &self.number.to_string()))
    }
}

/// Returns the error of a record that cannot be used for this reason.
pub(super) fn unusable(number: u64, chunk: &Chunk, record: &Record, reason: String) -> Error {
    let place =
        Location { source: chunk.source.clone(), record: number, line: record.line, byte: record.byte };
    Error::from(ErrorKind::Input { place, reason })
}
