//! Reads records on a separate thread. So a command can end at its deadline even if no input arrives.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::Result;

use crate::cli::config;
use crate::cli::messages::say;
use quadrille_engine::Control;
use quadrille_formats::input::{Chunk, ChunkTarget, InputOptions, Parser, Reader, Records};
use quadrille_model::{EndedBy, Error};

/// Time between two checks of the deadline and signals while no input arrives.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Maximum number of bytes of text in a chunk.
const CHUNK_BYTES: usize = 1 << 20;

/// A piece of the input.
pub(super) enum Input {
    Chunk(Box<Chunk>),
    /// The end of the input. The text is the hint that [`Reader::format_hint`] gives about the first source.
    End(Option<String>),
    /// The run was stopped for this reason.
    Stopped(EndedBy),
}

/// Receives the input from a thread that reads it. If the command is stopped, it does not wait for this
/// thread, which may wait hours for input.
pub(super) struct AsideReader<'c> {
    chunks: Receiver<std::result::Result<Input, Error>>,
    parser: Parser,
    control: &'c Control,
}

impl<'c> AsideReader<'c> {
    /// Starts reading the files in chunks of at most `most_records` records.
    pub(super) fn start(
        files: &[PathBuf],
        options: &InputOptions,
        most_records: u64,
        control: &'c Control,
    ) -> Result<Self> {
        let mut reader = Reader::new(config::sources(files)?, options.clone());
        let (sender, chunks) = sync_channel(1);
        let read = move || {
            loop {
                let mut chunk = Chunk::default();
                let target = ChunkTarget { bytes: CHUNK_BYTES, records: most_records };
                let input = match reader.next_chunk(&mut chunk, target) {
                    Ok(true) => Ok(Input::Chunk(Box::new(chunk))),
                    Ok(false) => Ok(Input::End(reader.format_hint())),
                    Err(error) => Err(error),
                };
                let is_last = !matches!(input, Ok(Input::Chunk(_)));
                // Sending fails if the command has stopped and has dropped the receiver.
                if sender.send(input).is_err() || is_last {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("quadrille-reader".to_owned())
            .spawn(read)
            .map_err(|cause| Error::io("starting", "the reading thread", 0, cause))?;
        Ok(AsideReader { chunks, parser: Parser::new(options), control })
    }

    /// Waits for the next piece of the input, or until the run is stopped.
    pub(super) fn next(&self) -> Result<Input> {
        loop {
            if let Some(reason) = self.control.stop() {
                return Ok(Input::Stopped(reason));
            }
            match self.chunks.recv_timeout(LOOK_EVERY) {
                Ok(input) => return Ok(input?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let cause = std::io::Error::other("the reading thread ended early");
                    return Err(Error::io("reading", "the input", 0, cause).into());
                }
            }
        }
    }

    /// Parses a chunk, and prints its warnings unless `is_quiet` is true.
    pub(super) fn parse(&mut self, chunk: &Chunk, records: &mut Records, is_quiet: bool) {
        self.parser.parse_until(chunk, records, &|| self.control.stop());
        let warnings = records.warnings.iter().filter(|_| !is_quiet);
        warnings.for_each(|warning| say!("quadrille: {warning}"));
    }
}
