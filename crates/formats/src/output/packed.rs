//! Compressed output: gzip and zstd.

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flate2::Compression;
use flate2::write::GzEncoder;

/// A compression format for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// One gzip member.
    Gzip,
    /// One zstd frame.
    Zstd,
}

impl Packing {
    /// All compression formats.
    pub const ALL: [Packing; 2] = [Packing::Gzip, Packing::Zstd];

    /// Returns the file name extension that selects it, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Packing::Gzip => "gz",
            Packing::Zstd => "zst",
        }
    }
}

type Sink = Box<dyn Write + Send>;

enum Encoder {
    Gzip(GzEncoder<Sink>),
    Zstd(zstd::stream::write::Encoder<'static, Sink>),
}

impl Encoder {
    fn out(&mut self) -> &mut dyn Write {
        match self {
            Encoder::Gzip(encoder) => encoder,
            Encoder::Zstd(encoder) => encoder,
        }
    }

    fn finish(self) -> io::Result<Sink> {
        match self {
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
        }
    }
}

struct State {
    /// `None` after the end was written.
    encoder: Option<Encoder>,
    /// True if anything was written.
    is_begun: bool,
}

/// A writer that compresses.
pub struct PackedWriter {
    state: Arc<Mutex<State>>,
    flushes: bool,
}

/// Ends compressed output. Belongs to the owner of the file, since a writer cannot know whether the output is
/// complete.
#[derive(Clone)]
pub struct PackedEnd(Arc<Mutex<State>>);

impl fmt::Debug for PackedEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackedEnd")
    }
}

impl PackedWriter {
    /// Creates a writer to `sink`, and the handle that ends it.
    ///
    /// `flushes` means that flushed bytes are passed on immediately, as a pipe needs. Otherwise flushing does
    /// nothing, so that the output does not depend on it.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn new(packing: Packing, sink: Sink, flushes: bool) -> io::Result<(Self, PackedEnd)> {
        let encoder = match packing {
            Packing::Gzip => Encoder::Gzip(GzEncoder::new(sink, Compression::default())),
            Packing::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(sink, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(encoder)
            }
        };
        let state = Arc::new(Mutex::new(State { encoder: Some(encoder), is_begun: false }));
        Ok((PackedWriter { state: Arc::clone(&state), flushes }, PackedEnd(state)))
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Write for PackedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = lock(&self.state);
        state.is_begun |= !bytes.is_empty();
        match &mut state.encoder {
            Some(encoder) => encoder.out().write(bytes),
            None => Err(io::Error::other("the compressed output has ended")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut lock(&self.state).encoder {
            Some(encoder) if self.flushes => encoder.out().flush(),
            _ => Ok(()),
        }
    }
}

impl PackedEnd {
    /// Writes the remaining bytes and the end of the compressed data. Does nothing on a second call.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn finish(&self) -> io::Result<()> {
        match lock(&self.0).encoder.take() {
            Some(encoder) => encoder.finish()?.flush(),
            None => Ok(()),
        }
    }

    /// Returns true if anything was written.
    pub fn is_begun(&self) -> bool {
        lock(&self.0).is_begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;
    use std::io::Read;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn compressed_output_is_readable_wherever_it_was_flushed() {
        let text: Vec<u8> = (0..200_000u32).flat_map(|number| number.to_string().into_bytes()).collect();
        for packing in Packing::ALL {
            let pack = |every: usize| {
                let sink = Shared::default();
                let (mut writer, end) = PackedWriter::new(packing, Box::new(sink.clone()), false).unwrap();
                assert!(!end.is_begun());
                for piece in text.chunks(every) {
                    writer.write_all(piece).unwrap();
                    writer.flush().unwrap();
                }
                assert!(end.is_begun());
                drop(writer);
                end.finish().unwrap();
                end.finish().unwrap();
                sink.0.lock().unwrap().clone()
            };
            let packed = pack(1000);
            assert_eq!(packed, pack(1000));
            assert!(packed.len() < text.len() / 2);
            let mut read = Vec::new();
            let source = Source::Bytes { name: "packed".to_owned(), bytes: packed };
            source.open_unpacked().unwrap().read_to_end(&mut read).unwrap();
            assert!(read == text);
        }
    }
}
