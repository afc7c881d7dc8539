//! Blocks of bytes to chunks of whole records.

use std::sync::Arc;

use crossbeam_channel::TryRecvError;

use super::cutter::{Cutter, Found, Window};
use super::source::{Event, Feed};
use super::{Chunk, ChunkTarget, Cut, InputOptions, Layout, ReadProgress, Source, Span, formats, sniff};
use crate::error::{Error, ErrorKind, Location, Result};

/// How much of a record that is too large is kept to show.
const SHOWN_OF_TOO_LARGE: usize = 4096;
/// A chunk's spans are 32 bits wide.
const LARGEST_WINDOW: usize = u32::MAX as usize - (1 << 20);
/// Used-up bytes at the front of the buffer are moved away once there are so many.
const COMPACT_BYTES: usize = 1 << 20;

/// Reads sources one after the other and cuts them into chunks at record boundaries.
///
/// A thread of its own reads and decompresses ahead. Chunks end by bytes or by records, and early when the input
/// stalls: what is complete then goes out at once. Memory is bounded by the chunk target, the largest record
/// allowed and a few blocks.
///
/// ```
/// use quadrille::input::{Chunk, ChunkTarget, InputOptions, Reader, Source};
/// let bytes = b"1234341221434321\n1...............\n".to_vec();
/// let sources = vec![Source::Bytes { name: "two".into(), bytes }];
/// let mut reader = Reader::new(sources, InputOptions::default());
/// let mut chunk = Chunk::default();
/// assert!(reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 1000 })?);
/// assert_eq!(chunk.records, 2);
/// assert!(!reader.next_chunk(&mut chunk, ChunkTarget { bytes: 1 << 20, records: 1000 })?);
/// # Ok::<(), quadrille::Error>(())
/// ```
pub struct Reader {
    feed: Feed,
    options: InputOptions,
    current: Option<Current>,
    sequence: u64,
    next_record: u64,
    first_layout: Option<Arc<Layout>>,
}

/// The source that is being cut.
struct Current {
    name: Arc<str>,
    /// `None` until the head is known.
    cutting: Option<(Arc<Layout>, Box<dyn Cutter>)>,
    /// Bytes from `start` on are not yet in any chunk.
    buffer: Vec<u8>,
    start: usize,
    /// Offset in the source and line of `buffer[start]`.
    base: u64,
    line: u64,
    found: Found,
    /// All its bytes are in the buffer; with the error that ended it early.
    ended: Option<Result<()>>,
    /// The cutter has nothing left to say.
    exhausted: bool,
    /// What was found goes out although the chunk is not full.
    flush: bool,
    /// So much of the record that was given up is shown.
    shown: Option<usize>,
    /// Inside a record that is too large: everything up to the next line is dropped.
    dropping: bool,
}

impl Reader {
    /// Starts reading. The options are taken as they are; [`InputOptions::validate`] checks them.
    pub fn new(sources: Vec<Source>, options: InputOptions) -> Self {
        Reader {
            feed: Feed::start(sources),
            options,
            current: None,
            sequence: 0,
            next_record: 1,
            first_layout: None,
        }
    }

    /// How far reading has come, for another thread to ask.
    pub fn progress(&self) -> ReadProgress {
        self.feed.progress.clone()
    }

    /// The layout of the first source that has ended, also where it had no record.
    pub fn first_layout(&self) -> Option<&Arc<Layout>> {
        self.first_layout.as_ref()
    }

    /// Bytes read from all sources so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.feed.progress.bytes_read()
    }

    /// Fills a chunk with the next records, reusing its memory; `false` at the end of all sources.
    ///
    /// Waits only while not one complete record is there.
    ///
    /// # Errors
    /// A source that cannot be opened, read, decompressed or understood as a whole. What could be read of it was
    /// given out before; the next call goes on with the next source.
    pub fn next_chunk(&mut self, chunk: &mut Chunk, target: ChunkTarget) -> Result<bool> {
        loop {
            let Some(current) = &mut self.current else {
                match self.feed.events.recv() {
                    Ok(Event::Open(name)) => self.current = Some(Current::new(name)),
                    Ok(Event::Block(_) | Event::End(_)) => {}
                    Err(_) => return Ok(false),
                }
                continue;
            };
            if let Err(error) = current.cut(&self.options, target, self.next_record) {
                self.current = None;
                return Err(error);
            }
            if current.has_chunk(target) {
                if current.found.records == 0 && current.found.warnings.is_empty() && !self.options.keep_lines
                {
                    current.drop_front();
                    continue;
                }
                current.take(chunk);
                chunk.sequence = self.sequence;
                chunk.first_record = self.next_record;
                self.sequence += 1;
                self.next_record += chunk.records;
                return Ok(true);
            }
            if current.exhausted && current.ended.is_some() {
                let layout = current.cutting.as_ref().map(|(layout, _)| Arc::clone(layout));
                self.first_layout = self.first_layout.take().or(layout);
                let ended = current.ended.take();
                self.current = None;
                ended.unwrap_or(Ok(()))?;
                continue;
            }
            // Complete records do not wait for more input.
            let ready = current.found.records > 0 || (self.options.keep_lines && current.found.len > 0);
            let event = if ready {
                match self.feed.events.try_recv() {
                    Err(TryRecvError::Empty) => {
                        current.flush = true;
                        continue;
                    }
                    Err(TryRecvError::Disconnected) => None,
                    Ok(event) => Some(event),
                }
            } else {
                self.feed.events.recv().ok()
            };
            match event {
                Some(Event::Block(block)) => {
                    let used = current.append(block);
                    let _ = self.feed.spare.try_send(used);
                }
                Some(Event::End(result)) => current.ended = Some(result),
                Some(Event::Open(_)) | None => {
                    let lost = Error::from(ErrorKind::Internal("the reading thread ended early".into()));
                    current.ended = Some(Err(lost));
                }
            }
        }
    }
}

impl Current {
    fn new(name: Arc<str>) -> Self {
        Current {
            name,
            cutting: None,
            buffer: Vec::new(),
            start: 0,
            base: 0,
            line: 1,
            found: Found::default(),
            ended: None,
            exhausted: false,
            flush: false,
            shown: None,
            dropping: false,
        }
    }

    /// The bytes that are in no chunk yet.
    fn window(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Takes a block in, and gives a used one back.
    fn append(&mut self, mut block: Vec<u8>) -> Vec<u8> {
        if self.start == self.buffer.len() {
            std::mem::swap(&mut self.buffer, &mut block);
            self.start = 0;
            return block;
        }
        if self.start >= COMPACT_BYTES {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(&block);
        block
    }

    /// Decides on the layout once enough is known; the source's own mark of UTF-8 is no part of its text.
    fn sniff(&mut self, options: &InputOptions, next_record: u64) -> Result<()> {
        let ended = self.ended.is_some();
        if self.base == 0 && self.start == 0 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.forward(3, 0);
        }
        let bytes = self.window();
        let complete = ended || bytes.len() >= sniff::HEAD_BYTES;
        if bytes.is_empty() || (!complete && bytes.len() < 3) {
            self.exhausted = ended;
            return Ok(());
        }
        let head = &bytes[..bytes.len().min(sniff::HEAD_BYTES)];
        let layout = match sniff::layout(head, complete, ended && head.len() == bytes.len(), options) {
            Ok(Some(layout)) => Arc::new(layout),
            Ok(None) => return Ok(()),
            Err(reason) => {
                let source = Arc::clone(&self.name);
                let place = Location { source, record: next_record, line: self.line, byte: self.base };
                return Err(ErrorKind::Input { place, reason }.into());
            }
        };
        let cutter = (formats::row(layout.format).cutter)(&layout, options);
        self.cutting = Some((layout, cutter));
        Ok(())
    }

    /// Finds records in what has arrived.
    fn cut(&mut self, options: &InputOptions, target: ChunkTarget, next_record: u64) -> Result<()> {
        if self.exhausted {
            return Ok(());
        }
        if self.cutting.is_none() {
            self.sniff(options, next_record)?;
        }
        let Some(line_end) = self.cutting.as_ref().map(|(layout, _)| layout.line_end) else { return Ok(()) };
        if self.dropping {
            let bytes = &self.buffer[self.start..];
            match memchr::memchr(line_end, bytes) {
                Some(at) => {
                    self.dropping = false;
                    self.forward(at + 1, 1);
                }
                None => {
                    let len = bytes.len();
                    self.forward(len, 0);
                    self.exhausted = self.ended.is_some();
                    return Ok(());
                }
            }
        }
        let Some((_, cutter)) = &mut self.cutting else { return Ok(()) };
        let bytes = &self.buffer[self.start..];
        let window = Window {
            bytes,
            base: self.base,
            first_line: self.line,
            end: matches!(self.ended, Some(Ok(()))),
            target,
        };
        self.exhausted = cutter.cut(&window, &mut self.found);
        if self.exhausted || self.found.is_full(target) {
            return Ok(());
        }
        let open = bytes.len() - self.found.len;
        let too_large = self.found.too_large || (open > options.max_record_bytes && !cutter.is_unlimited());
        if matches!(self.ended, Some(Err(_))) && !too_large {
            // The record that the error tore is not given out: the error speaks for it.
            self.exhausted = true;
            return Ok(());
        }
        if cutter.is_unlimited() {
            if open > LARGEST_WINDOW {
                let source = Arc::clone(&self.name);
                let place = Location { source, record: next_record, line: self.line, byte: self.base };
                let reason = "an exact cover problem of more than 4 GiB of text".into();
                return Err(ErrorKind::Input { place, reason }.into());
            }
        } else if too_large {
            if self.found.len > 0 || !self.found.warnings.is_empty() {
                // What stands before it goes out first.
                self.found.too_large = false;
                self.flush = true;
                return Ok(());
            }
            cutter.give_up();
            self.give_up_record(line_end, options.max_record_bytes);
        }
        Ok(())
    }

    /// Makes the first line of a record that is too large an invalid record; reading goes on at the next line.
    fn give_up_record(&mut self, line_end: u8, limit: usize) {
        let bytes = self.window();
        let newline = memchr::memchr(line_end, bytes);
        let len = newline.map_or(bytes.len(), |at| at + 1);
        let end = newline.unwrap_or(len).min(SHOWN_OF_TOO_LARGE).min(limit);
        let end = super::lines::without_returns(&bytes[..end]).len();
        self.found = Found {
            len,
            scanned: len,
            lines: newline.is_some().into(),
            records: 1,
            cuts: vec![Cut {
                span: Span { start: 0, end: end as u32 },
                line_offset: 0,
                invalid: Some(format!("a record of more than {limit} bytes")),
            }],
            warnings: Vec::new(),
            too_large: false,
        };
        self.dropping = newline.is_none();
        self.shown = Some(end);
        self.flush = true;
    }

    fn has_chunk(&self, target: ChunkTarget) -> bool {
        let found = &self.found;
        let any = found.records > 0 || found.len > 0 || !found.warnings.is_empty();
        any && (self.flush || self.exhausted || found.is_full(target))
    }

    /// Moves the chunk that was found out of the buffer.
    fn take(&mut self, chunk: &mut Chunk) {
        let len = self.found.len;
        chunk.source = Arc::clone(&self.name);
        if let Some((layout, _)) = &self.cutting {
            chunk.layout = Arc::clone(layout);
        }
        chunk.first_line = self.line;
        chunk.first_byte = self.base;
        chunk.records = self.found.records;
        chunk.cuts = std::mem::take(&mut self.found.cuts);
        chunk.warnings = std::mem::take(&mut self.found.warnings);
        chunk.bytes.clear();
        let shown = self.shown.take();
        if shown.is_none() && self.start == 0 && 8 * (self.buffer.len() - len) < len {
            // Nearly all of the buffer: the short rest is copied instead.
            std::mem::swap(&mut self.buffer, &mut chunk.bytes);
            self.buffer.extend_from_slice(&chunk.bytes[len..]);
            chunk.bytes.truncate(len);
            self.base += len as u64;
            self.line += self.found.lines;
            self.after_front(len);
        } else {
            chunk.bytes.extend_from_slice(&self.window()[..shown.unwrap_or(len)]);
            let lines = self.found.lines;
            self.forward(len, lines);
        }
        self.flush = false;
    }

    /// Leaves out what was found: skipped lines that nobody wants.
    fn drop_front(&mut self) {
        let (len, lines) = (self.found.len, self.found.lines);
        self.forward(len, lines);
        self.flush = false;
    }

    fn forward(&mut self, len: usize, lines: u64) {
        self.start += len;
        self.base += len as u64;
        self.line += lines;
        self.after_front(len);
    }

    fn after_front(&mut self, len: usize) {
        self.found = Found { scanned: self.found.scanned.saturating_sub(len), ..Found::default() };
    }
}

#[cfg(test)]
mod tests;
