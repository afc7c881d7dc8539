//! A reader on a thread of its own, for commands that must end at their deadline while the input stalls.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use anyhow::Result;

use quadrille_engine::Control;
use quadrille_formats::input::{Chunk, ChunkTarget, Reader};
use quadrille_model::{EndedBy, Error};

/// Interval at which the deadline and signals are checked while there is no input.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A piece of the input.
pub(super) enum Input {
    Chunk(Box<Chunk>),
    /// The end of the input, with the hint of [`Reader::format_hint`] about the first source.
    End {
        looks: Option<String>,
    },
    Failed(Error),
}

/// Receives the input from a thread that reads it. A stop does not wait for this thread: there may be no input for
/// hours.
pub(super) struct AsideReader(Receiver<Input>);

impl AsideReader {
    /// Starts reading chunks of at most this size.
    pub(super) fn start(mut reader: Reader, target: ChunkTarget) -> Result<Self> {
        let (sender, receiver) = sync_channel(1);
        let read = move || {
            loop {
                let mut chunk = Chunk::default();
                let input = match reader.next_chunk(&mut chunk, target) {
                    Ok(true) => Input::Chunk(Box::new(chunk)),
                    Ok(false) => Input::End { looks: reader.format_hint() },
                    Err(error) => Input::Failed(error),
                };
                let is_last = !matches!(input, Input::Chunk(_));
                // After a stop the receiver is gone.
                if sender.send(input).is_err() || is_last {
                    return;
                }
            }
        };
        std::thread::Builder::new()
            .name("quadrille-reader".to_owned())
            .spawn(read)
            .map_err(|cause| Error::io("starting", "the reading thread", 0, cause))?;
        Ok(AsideReader(receiver))
    }

    /// Waits for the next piece of the input. Returns the reason as an error if the run is stopped.
    pub(super) fn next(&self, control: &Control) -> std::result::Result<Input, EndedBy> {
        loop {
            if let Some(reason) = control.stop() {
                return Err(reason);
            }
            match self.0.recv_timeout(LOOK_EVERY) {
                Ok(input) => return Ok(input),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let cause = std::io::Error::other("the reading thread ended early");
                    return Ok(Input::Failed(Error::io("reading", "the input", 0, cause)));
                }
            }
        }
    }
}
