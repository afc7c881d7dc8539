//! Compressed output: gzip and zstd.
//!
//! The bytes are cut into blocks of [`BLOCK_BYTES`], and every block becomes a complete gzip member or zstd frame; both
//! formats allow any number of them. So any thread can compress a block, and a file can be cut off and continued after
//! each. Blocks do not depend on threads or on the sizes of writes. Only [`PackedOutput::flush`] ends a block early.
//!
//! ```text
//! PackedWriter: fills a block -> waiting -> any thread: taken -> packed -> PackedWriter: writes it when it is the first
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use libdeflater::{CompressionLvl, crc32};
use quadrille_model::message_of;
use zstd::zstd_safe::{CParameter, ParamSwitch};

/// Bytes of a block before compression. Blocks of 4 MiB are 0.3 % smaller in gzip, and 2.6 % in zstd.
const BLOCK_BYTES: usize = 256 << 10;

/// Header of a gzip member, up to the size of the member in its extra field.
///
/// The field is that of pgzip and crabz. With it, readers can decompress several members at the same time.
const GZIP_HEADER: &[u8] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x08\0IG\x04\0";
/// Bytes of the size of a member.
const GZIP_SIZE: usize = 4;

/// The zstd level that [`FAST_ZSTD`] makes faster.
const FAST_ZSTD_LEVEL: i32 = 1;
/// Parameters with which zstd compresses rows twice as fast as its own level 1, while files stay at most 10 % larger than
/// those of `gzip -6`.
///
/// Digits repeat by chance in short sequences. So only matches of 7 bytes are looked for, and positions are skipped. The
/// remaining bytes are still Huffman-coded, which zstd would leave out if it skips positions.
const FAST_ZSTD: [CParameter; 3] = [
    CParameter::MinMatch(7),
    CParameter::TargetLength(16),
    CParameter::LiteralCompressionMode(ParamSwitch::Enable),
];

/// A compression format for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// gzip members.
    Gzip,
    /// zstd frames.
    Zstd,
}

impl Packing {
    /// All compression formats.
    pub const ALL: [Packing; 2] = [Packing::Gzip, Packing::Zstd];
    /// Levels of compression, from the fastest to the smallest.
    pub const LEVELS: std::ops::RangeInclusive<u8> = 1..=9;
    /// Default level of compression. Its files are at most 10 % larger than those of `gzip -6`.
    pub const LEVEL: u8 = 1;

    /// Returns the file name extension that selects it, without the dot.
    pub fn ending(self) -> &'static str {
        match self {
            Packing::Gzip => "gz",
            Packing::Zstd => "zst",
        }
    }
}

/// A compressor of one thread.
enum Compressor {
    Gzip(libdeflater::Compressor),
    Zstd(zstd::bulk::Compressor<'static>),
}

impl Compressor {
    fn new(packing: Packing, level: u8) -> io::Result<Self> {
        let level = i32::from(level);
        Ok(match packing {
            Packing::Gzip => {
                let level = CompressionLvl::new(level).unwrap_or_default();
                Compressor::Gzip(libdeflater::Compressor::new(level))
            }
            Packing::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(level)?;
                compressor.include_checksum(true)?;
                if level == FAST_ZSTD_LEVEL {
                    FAST_ZSTD.into_iter().try_for_each(|parameter| compressor.set_parameter(parameter))?;
                }
                Compressor::Zstd(compressor)
            }
        })
    }

    /// Returns the member or frame of a block.
    fn pack(&mut self, block: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Compressor::Gzip(compressor) => {
                let begin = GZIP_HEADER.len() + GZIP_SIZE;
                let mut member = vec![0; begin + compressor.deflate_compress_bound(block.len())];
                member[..GZIP_HEADER.len()].copy_from_slice(GZIP_HEADER);
                let bytes =
                    compressor.deflate_compress(block, &mut member[begin..]).map_err(io::Error::other)?;
                member.truncate(begin + bytes);
                member.extend(crc32(block).to_le_bytes());
                member.extend((block.len() as u32).to_le_bytes());
                let size = member.len() as u32;
                member[GZIP_HEADER.len()..begin].copy_from_slice(&size.to_le_bytes());
                Ok(member)
            }
            Compressor::Zstd(compressor) => compressor.compress(block),
        }
    }
}

type Sink = Box<dyn Write + Send>;

/// A block on its way to the file.
enum Block {
    Waiting(Vec<u8>),
    /// A thread compresses the block.
    Taken,
    Packed(io::Result<Vec<u8>>),
}

/// Blocks that are cut and not yet written, in order.
#[derive(Default)]
struct Queue {
    blocks: VecDeque<Block>,
    /// Number of blocks written, which is the number of the first in `blocks`.
    written: usize,
    /// Maximum number of blocks that wait for other threads.
    held: usize,
    idle: Vec<Compressor>,
    /// Memory of blocks for reuse.
    spare: Vec<Vec<u8>>,
}

/// The file and the block that is being filled.
struct Open {
    /// `None` after the end was written or writing failed.
    sink: Option<Sink>,
    block: Vec<u8>,
    /// True if anything was written, or an earlier run wrote to the file.
    is_begun: bool,
}

struct Shared {
    packing: Packing,
    level: u8,
    open: Mutex<Open>,
    queue: Mutex<Queue>,
    /// Signals that a block is packed.
    packed: Condvar,
}

/// A writer that compresses.
pub struct PackedWriter {
    shared: Arc<Shared>,
    flushes: bool,
}

/// Handle of compressed output, with which other threads compress and the owner of the file ends it.
///
/// A writer cannot know whether the output is complete.
#[derive(Clone)]
pub struct PackedOutput(Arc<Shared>);

impl fmt::Debug for PackedOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackedOutput")
    }
}

impl PackedWriter {
    /// Creates a writer to `sink` with a `level` of [`Packing::LEVELS`], and its handle.
    ///
    /// `flushes` means that flushed bytes are passed on immediately, as a pipe needs. Otherwise flushing does
    /// nothing, so that the output does not depend on it. `is_begun` means that `sink` continues a file.
    pub fn new(
        (packing, level): (Packing, u8),
        sink: Sink,
        flushes: bool,
        is_begun: bool,
    ) -> (Self, PackedOutput) {
        let open = Open { sink: Some(sink), block: Vec::new(), is_begun };
        let (open, queue) = (Mutex::new(open), Mutex::default());
        let shared = Arc::new(Shared { packing, level, open, queue, packed: Condvar::new() });
        (PackedWriter { shared: Arc::clone(&shared), flushes }, PackedOutput(shared))
    }
}

fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Write for PackedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut open = lock(&self.shared.open);
        open.is_begun |= !bytes.is_empty();
        let room = BLOCK_BYTES - open.block.len();
        let taken = &bytes[..room.min(bytes.len())];
        open.block.extend_from_slice(taken);
        if taken.len() == room {
            let held = self.shared.cut(&mut open);
            self.shared.write(&mut open, held)?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.flushes { self.shared.flush(&mut lock(&self.shared.open)) } else { Ok(()) }
    }
}

impl Shared {
    /// Ends the current block. Returns the maximum number of blocks that may wait.
    fn cut(&self, open: &mut Open) -> usize {
        let mut queue = lock(&self.queue);
        let empty = queue.spare.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK_BYTES));
        queue.blocks.push_back(Block::Waiting(mem::replace(&mut open.block, empty)));
        queue.held
    }

    /// Compresses the first waiting block. Returns false if no block waits.
    fn pack_one(&self) -> bool {
        let mut queue = lock(&self.queue);
        let Some(place) = queue.blocks.iter().position(|block| matches!(block, Block::Waiting(_))) else {
            return false;
        };
        let number = queue.written + place;
        let compressor = queue.idle.pop();
        let Block::Waiting(mut text) = mem::replace(&mut queue.blocks[place], Block::Taken) else {
            unreachable!("the block waits")
        };
        drop(queue);
        let mut compressor = compressor.map_or_else(|| Compressor::new(self.packing, self.level), Ok);
        let packed = match &mut compressor {
            // A block that stays taken would stop the writer for good.
            Ok(compressor) => catch_unwind(AssertUnwindSafe(|| compressor.pack(&text)))
                .unwrap_or_else(|panic| Err(io::Error::other(message_of(panic.as_ref())))),
            Err(cause) => Err(io::Error::new(cause.kind(), cause.to_string())),
        };
        text.clear();
        let mut queue = lock(&self.queue);
        queue.idle.extend(compressor);
        queue.spare.push(text);
        let place = number - queue.written;
        queue.blocks[place] = Block::Packed(packed);
        drop(queue);
        self.packed.notify_all();
        true
    }

    /// Writes packed blocks until at most `held` blocks are left, none of which is packed and the first.
    fn write(&self, open: &mut Open, held: usize) -> io::Result<()> {
        let written = self.write_blocks(open, held);
        if written.is_err() {
            // A part of a block may be written, so no further block may follow.
            open.sink = None;
        }
        written
    }

    fn write_blocks(&self, open: &mut Open, held: usize) -> io::Result<()> {
        loop {
            let mut queue = lock(&self.queue);
            let waiting = queue.blocks.len();
            match queue.blocks.front_mut() {
                Some(Block::Packed(packed)) => {
                    let packed = mem::replace(packed, Ok(Vec::new()));
                    queue.blocks.pop_front();
                    queue.written += 1;
                    drop(queue);
                    let ended = || io::Error::other("the compressed output has ended");
                    open.sink.as_mut().ok_or_else(ended)?.write_all(&packed?)?;
                }
                Some(_) if waiting > held => {
                    drop(queue);
                    if !self.pack_one() {
                        let is_taken = |queue: &mut Queue| matches!(queue.blocks.front(), Some(Block::Taken));
                        drop(self.packed.wait_while(lock(&self.queue), is_taken));
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Ends the current block and writes all blocks.
    fn flush(&self, open: &mut Open) -> io::Result<()> {
        if !open.block.is_empty() {
            self.cut(open);
        }
        self.write(open, 0)?;
        open.sink.as_mut().map_or(Ok(()), Write::flush)
    }
}

impl PackedOutput {
    /// Says that `threads` other threads call [`help`](Self::help), for which up to `bytes` bytes may wait.
    pub fn expect_help(&self, threads: usize, bytes: usize) {
        lock(&self.0.queue).held = (2 * threads).min(bytes / BLOCK_BYTES);
    }

    /// Compresses blocks that wait, if there are any.
    pub fn help(&self) {
        while self.0.pack_one() {}
    }

    /// Writes everything so far as complete members or frames, and flushes the file.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn flush(&self) -> io::Result<()> {
        self.0.flush(&mut lock(&self.0.open))
    }

    /// Writes the remaining bytes. A file without bytes gets one empty member or frame. Does nothing on a second call.
    ///
    /// # Errors
    /// Returns an error if writing fails.
    pub fn finish(&self) -> io::Result<()> {
        let mut open = lock(&self.0.open);
        if open.sink.is_none() {
            return Ok(());
        }
        if !open.is_begun {
            self.0.cut(&mut open);
        }
        let flushed = self.0.flush(&mut open);
        open.sink = None;
        flushed
    }

    /// Returns true if anything was written, or an earlier run wrote to the file.
    pub fn is_begun(&self) -> bool {
        lock(&self.0.open).is_begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;
    use std::io::Read;

    #[derive(Clone, Default)]
    struct Bytes(Arc<Mutex<Vec<u8>>>);

    impl Write for Bytes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn text() -> Vec<u8> {
        (0..400_000u32).flat_map(|number| number.to_string().into_bytes()).collect()
    }

    fn unpacked(packed: Vec<u8>) -> Vec<u8> {
        let mut read = Vec::new();
        let source = Source::Bytes { name: "packed".to_owned(), bytes: packed };
        source.open_unpacked().unwrap().read_to_end(&mut read).unwrap();
        read
    }

    /// Returns the file of a text that is written in pieces of `every` bytes while `helpers` threads help.
    fn packed(packing: Packing, text: &[u8], every: usize, helpers: usize) -> Vec<u8> {
        let sink = Bytes::default();
        let (mut writer, output) = PackedWriter::new((packing, 1), Box::new(sink.clone()), false, false);
        output.expect_help(helpers, usize::MAX);
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|| {
                    while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                        output.help();
                        std::thread::yield_now();
                    }
                });
            }
            assert!(!output.is_begun());
            for piece in text.chunks(every) {
                writer.write_all(piece).unwrap();
                writer.flush().unwrap();
            }
            assert_eq!(output.is_begun(), !text.is_empty());
            drop(writer);
            output.finish().unwrap();
            output.finish().unwrap();
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        sink.0.lock().unwrap().clone()
    }

    #[test]
    fn compressed_output_is_the_same_for_all_threads_and_pieces() {
        let text = text();
        for packing in Packing::ALL {
            let alone = packed(packing, &text, 1000, 0);
            assert!(alone.len() < text.len() / 2);
            for (every, helpers) in [(1000, 1), (BLOCK_BYTES, 2), (3 * BLOCK_BYTES + 1, 3)] {
                assert!(packed(packing, &text, every, helpers) == alone, "{every} {helpers}");
            }
            if packing == Packing::Gzip {
                let mut rest = &alone[..];
                while let Some(header) = rest.first_chunk::<20>() {
                    assert_eq!(header[12..16], *b"IG\x04\0");
                    rest = &rest[u32::from_le_bytes(*header.last_chunk().unwrap()) as usize..];
                }
                assert!(rest.is_empty());
            }
            assert!(unpacked(alone) == text);
            for short in [&b""[..], b"one row\n"] {
                assert_eq!(unpacked(packed(packing, short, 3, 0)), short);
            }
        }
    }

    #[test]
    fn a_file_is_readable_after_every_flush_and_can_be_continued_there() {
        let text = text();
        let (first, second) = text.split_at(BLOCK_BYTES + 5);
        for packing in Packing::ALL {
            let sink = Bytes::default();
            let open = |is_begun| PackedWriter::new((packing, 9), Box::new(sink.clone()), false, is_begun);
            let (mut writer, output) = open(false);
            writer.write_all(first).unwrap();
            output.flush().unwrap();
            assert!(unpacked(sink.0.lock().unwrap().clone()) == first);
            let (mut writer, output) = open(true);
            writer.write_all(second).unwrap();
            output.finish().unwrap();
            assert!(unpacked(sink.0.lock().unwrap().clone()) == text);
            let bytes = sink.0.lock().unwrap().len();
            open(true).1.finish().unwrap();
            assert_eq!(sink.0.lock().unwrap().len(), bytes);
        }
    }

    #[test]
    fn nothing_is_written_after_an_error() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let text = text();
        let (mut writer, output) = PackedWriter::new((Packing::Gzip, 1), Box::new(Full(2)), false, false);
        assert_eq!(writer.write_all(&text).unwrap_err().kind(), io::ErrorKind::StorageFull);
        output.finish().unwrap();
    }
}
