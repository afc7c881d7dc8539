//! Blocks of bytes to chunks of whole records.

use std::ops::Range;
use std::sync::Arc;

use crossbeam_channel::TryRecvError;

use super::cutter::{Cutter, Found, Unread};
use super::feed::{BLOCK_BYTES, Event, Feed, HEADROOM};
use super::looks::looks_of;
use super::position::Trail;
use super::row_text::CELLS;
use super::{
    Chunk, ChunkBytes, ChunkTarget, Cut, Format, InputOptions, Layout, Parser, Position, ReadProgress,
    Records, SharedRules, Source, Span, formats, sniff,
};
use crate::error::{Error, ErrorKind, Location, Result};

/// Bytes of a record that is too large which are kept to be shown.
const SHOWN_OF_TOO_LARGE: usize = 4096;
/// A chunk's spans are 32 bits wide.
const LARGEST_UNREAD: usize = u32::MAX as usize - (1 << 20);
/// Used-up bytes at the front of the buffer are moved away once there are so many.
const COMPACT_BYTES: usize = 1 << 20;
/// Bytes cut at a time on the way to the place where an earlier run stopped.
const SKIPPED_BYTES: usize = 1 << 20;

/// Reads sources one after the other and cuts them into chunks at record boundaries.
///
/// A thread of its own reads and decompresses ahead, unless the input is short and at hand. Chunks end by bytes or by records, and early when the input
/// stalls: what is complete then goes out at once. Memory is bounded by the chunk target, the largest record
/// allowed and a few blocks.
///
/// ```
/// use quadrille::input::{InputOptions, Source};
/// use quadrille::internals::{Chunk, ChunkTarget, Reader};
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
    /// Sources opened so far.
    opened: u64,
    trail: Trail,
    /// The position where an earlier run stopped; `None` once the reader is there.
    resume_at: Option<Position>,
    /// The bytes before `resume_at` are those that the earlier run read.
    recognised: bool,
    /// The input is not the one that was begun: nothing more is read.
    refused: bool,
    /// The layout of the first source with a record, else of the first that ended.
    first_layout: Option<Arc<Layout>>,
    first_is_final: bool,
    /// The number of that source, and the beginning of it where it has ended.
    first_source: u64,
    first_head: Vec<u8>,
    /// Bare cells that came while text before them was in no chunk yet.
    waiting: Option<Event>,
}

/// The end of the bytes to look for.
#[derive(Clone, Copy)]
enum Aim {
    /// A chunk so large.
    Chunk(ChunkTarget),
    /// Anything that ends at this offset of the source, or before it.
    Byte(u64),
}

/// What is known of the rules of the first record of a source.
enum FirstRules {
    /// It was not met yet.
    NotMet,
    /// No other record shares them.
    NotShared,
    Shared(Arc<SharedRules>),
}

/// The source that is being cut.
struct Current {
    name: Arc<str>,
    /// Its first bytes, kept for [`Reader::first_looks`]: the layout may be known before they are all there.
    head: Vec<u8>,
    /// `None` until the head is known.
    cutting: Option<(Arc<Layout>, Box<dyn Cutter>)>,
    /// Bytes from `start` on are not yet in any chunk.
    buffer: Vec<u8>,
    start: usize,
    /// They are [bare cells](Chunk::are_cells), and no others come before they are all in chunks.
    are_cells: bool,
    /// The last block was as long as blocks are, or a row or two shorter: more of them are there.
    is_full_block: bool,
    /// Offset in the source and line of `buffer[start]`.
    base: u64,
    line: u64,
    found: Found,
    /// All its bytes are in the buffer; with the error that ended it early.
    ended: Option<Result<()>>,
    first_rules: FirstRules,
    /// The cutter has nothing left to give out.
    exhausted: bool,
    /// Found records go out although the chunk is not full.
    flush: bool,
    /// Bytes of the record that was given up which are shown.
    shown: Option<usize>,
    /// Inside a record that is too large: everything up to the next line is dropped.
    dropping: bool,
}

impl Reader {
    /// Starts reading. The options are taken as they are; [`InputOptions::validate`] checks them.
    pub fn new(sources: Vec<Source>, options: InputOptions) -> Self {
        Reader::start(sources, options, false)
    }

    /// A reader some of whose chunks may be [bare cells](Chunk::are_cells).
    pub(crate) fn with_cells(sources: Vec<Source>, options: InputOptions) -> Self {
        // As a row of text each of them would be too large.
        let may_be = options.max_record_bytes > CELLS;
        Reader::start(sources, options, may_be)
    }

    fn start(sources: Vec<Source>, options: InputOptions, with_cells: bool) -> Self {
        Reader {
            feed: Feed::start(sources, &options, with_cells),
            options,
            current: None,
            sequence: 0,
            next_record: 1,
            opened: 0,
            trail: Trail::default(),
            resume_at: None,
            recognised: false,
            refused: false,
            first_layout: None,
            first_is_final: false,
            first_source: 0,
            first_head: Vec::new(),
            waiting: None,
        }
    }

    /// A reader whose chunks carry their end positions with a hash, for a run that may be resumed; it begins
    /// behind a position that such a reader gave (the default one is the start).
    ///
    /// What stands before the position is read, hashed and cut again, so that any source will do; the chunks that
    /// follow are numbered from 0, their records and lines go on.
    pub fn resume(sources: Vec<Source>, options: InputOptions, position: Position) -> Self {
        Reader {
            trail: Trail::hashing(),
            resume_at: (position != Position::default()).then_some(position),
            ..Reader::new(sources, options)
        }
    }

    /// Returns a counter of the bytes read so far, for another thread to read.
    pub fn progress(&self) -> ReadProgress {
        self.feed.progress.clone()
    }

    /// True if everything has been read: no call will wait for input.
    pub(crate) fn is_at_hand(&self) -> bool {
        self.feed.is_at_hand
    }

    /// Records and decompressed bytes passed in all sources so far, those before a resumed position included.
    pub fn passed(&self) -> (u64, u64) {
        (self.next_record - 1, self.trail.bytes())
    }

    /// The layout of the first source with a record; without any record, of the first source that has ended.
    pub fn first_layout(&self) -> Option<&Arc<Layout>> {
        self.first_layout.as_ref()
    }

    /// The likeness of the source of [`first_layout`](Self::first_layout) to something else, by its beginning as far as it was
    /// read, and the way to read that: for messages.
    pub fn first_looks(&self) -> Option<&'static str> {
        let current = self.current.as_ref().filter(|_| self.first_source == self.opened);
        looks_of(current.map_or(&self.first_head, |current| &current.head))
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
    /// given out before; the next call goes on with the next source. Or, once and then the end: the input is not
    /// the one whose position was to be resumed.
    pub fn next_chunk(&mut self, chunk: &mut Chunk, target: ChunkTarget) -> Result<bool> {
        self.skip_what_was_done()?;
        loop {
            if self.refused || !self.find(target)? {
                return Ok(false);
            }
            if !self.has_rows() {
                self.pass_found();
                continue;
            }
            let Some(current) = &mut self.current else { return Ok(false) };
            chunk.sequence = self.sequence;
            chunk.first_record = self.next_record;
            let torn = current.shown.is_some();
            let mut end = Position { opened: self.opened, byte: current.base, records: 0, hash: 0 };
            if torn {
                // How much of the record was there to be given up is an accident: the position is its start.
                end.hash = self.trail.hash();
            }
            current.take(chunk, &mut self.trail);
            if !torn {
                end.byte = current.base;
                end.hash = self.trail.hash();
            }
            self.sequence += 1;
            self.next_record += chunk.records;
            self.note_layout();
            end.records = self.next_record - 1;
            chunk.end = end;
            return Ok(true);
        }
    }

    /// Goes on to where an earlier run stopped, and makes sure that this is the same input.
    fn skip_what_was_done(&mut self) -> Result<()> {
        while let Some(goal) = self.resume_at {
            self.recognise(goal)?;
            let byte = self.current.as_ref().map(|current| current.base);
            let is_source = byte.is_some() && self.opened == goal.opened;
            let records = self.next_record - 1;
            if self.recognised && records == goal.records {
                self.resume_at = None;
                break;
            }
            if self.opened > goal.opened || byte.is_none() && self.opened == goal.opened {
                return Err(self.refuse("it is shorter than it was"));
            }
            if records > goal.records || is_source && !self.recognised && byte > Some(goal.byte) {
                return Err(self.refuse("its records end in other places"));
            }
            let aim = match self.recognised {
                // Records without bytes, and one that was given up, stand behind the byte.
                true => Aim::Chunk(ChunkTarget { bytes: usize::MAX, records: goal.records - records }),
                false => Aim::Byte(if is_source { goal.byte } else { u64::MAX }),
            };
            if self.current.is_none() {
                if !self.open_next() {
                    return Err(self.refuse("it is shorter than it was"));
                }
            } else if self.find_here(aim)? {
                if self.has_rows() {
                    self.note_layout();
                }
                self.pass_found();
            }
        }
        Ok(())
    }

    /// Compares the bytes read with those that the earlier run read, if this is the place.
    fn recognise(&mut self, goal: Position) -> Result<()> {
        let here = self.current.as_ref().is_some_and(|current| current.base == goal.byte);
        if self.recognised || !here || self.opened != goal.opened {
            return Ok(());
        }
        if self.trail.hash() != goal.hash || self.next_record - 1 > goal.records {
            return Err(self.refuse("its beginning is not what it was"));
        }
        self.recognised = true;
        Ok(())
    }

    /// The error for an input that is not the one whose position was to be resumed.
    fn refuse(&mut self, reason: &str) -> Error {
        self.refused = true;
        self.resume_at = None;
        Error::usage(format!("the input has changed since the checkpoint: {reason}"))
    }

    /// Remembers the layout of a source that has something to hand out.
    fn note_layout(&mut self) {
        if let Some(current) = self.current.as_ref().filter(|_| !self.first_is_final) {
            self.first_layout = current.cutting.as_ref().map(|(layout, _)| Arc::clone(layout));
            self.first_is_final = true;
            self.first_source = self.opened;
        }
    }

    /// True if what was found makes rows or messages; skipped lines do only where they are wanted.
    fn has_rows(&self) -> bool {
        let found = self.current.as_ref().map(|current| &current.found);
        found.is_some_and(|found| found.records > 0 || !found.warnings.is_empty() || self.options.keep_lines)
    }

    /// Leaves the found records and lines out.
    fn pass_found(&mut self) {
        let Some(current) = &mut self.current else { return };
        self.next_record += current.found.records;
        current.drop_front(&mut self.trail);
    }

    /// Leaves the current source.
    fn end_current(&mut self) {
        self.waiting = None;
        let ended = self.current.take();
        if let Some(current) = ended.filter(|_| self.first_source == self.opened) {
            self.first_head = current.head;
        }
    }

    /// Waits for the next source to begin; `false` when there is none.
    fn open_next(&mut self) -> bool {
        loop {
            match self.feed.events.recv() {
                Ok(Event::Open(name)) => {
                    self.current = Some(Current::new(name));
                    self.opened += 1;
                    return true;
                }
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }

    /// Finds a chunk in the current source or those behind it; `false` at the end of all.
    fn find(&mut self, target: ChunkTarget) -> Result<bool> {
        loop {
            if self.current.is_none() && !self.open_next() {
                return Ok(false);
            }
            if self.find_here(Aim::Chunk(target))? {
                return Ok(true);
            }
        }
    }

    /// Finds a chunk in the current source; `false` where the source has ended.
    fn find_here(&mut self, aim: Aim) -> Result<bool> {
        loop {
            let Some(current) = &mut self.current else { return Ok(false) };
            let mut cut = current.prepare(&self.options, self.next_record, &mut self.trail);
            let target = match aim {
                Aim::Chunk(target) => target,
                Aim::Byte(byte) => {
                    let bytes = usize::try_from(byte.saturating_sub(current.base)).unwrap_or(usize::MAX);
                    ChunkTarget { bytes: bytes.min(SKIPPED_BYTES), records: u64::MAX }
                }
            };
            if matches!(aim, Aim::Byte(_)) && target.bytes == 0 && cut.is_ok() {
                return Ok(true);
            }
            let looks_for_rules = matches!(current.first_rules, FirstRules::NotMet);
            if matches!(cut, Ok(true)) {
                // The first record is looked at alone, before those behind it.
                let records = if looks_for_rules { 1 } else { target.records };
                let target = ChunkTarget { records, ..target };
                cut = current.cut(&self.options, target, self.next_record).map(|()| true);
            }
            if let Err(error) = cut {
                self.end_current();
                return Err(error);
            }
            let is_first = looks_for_rules && current.found.records > 0;
            if is_first {
                current.look_for_rules(&self.options);
            }
            if current.has_chunk(target) {
                return Ok(true);
            }
            if is_first && !current.exhausted {
                continue;
            }
            if current.exhausted && current.ended.is_some() {
                let ended = current.ended.take();
                if self.first_layout.is_none()
                    && let Some((layout, _)) = &current.cutting
                {
                    self.first_layout = Some(Arc::clone(layout));
                    self.first_source = self.opened;
                }
                self.end_current();
                return ended.unwrap_or(Ok(())).map(|()| false);
            }
            // Complete records do not wait for more input.
            let ready = current.found.records > 0 || (self.options.keep_lines && current.found.len > 0);
            if ready && matches!(aim, Aim::Chunk(_)) && current.is_better_handed_out(target) {
                current.flush = true;
                continue;
            }
            if ready && current.are_cells {
                current.flush = true;
                continue;
            }
            let event = if let Some(event) = self.waiting.take() {
                Some(event)
            } else if ready {
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
                    if !self.first_is_final || self.first_source == self.opened {
                        current.keep_head(&block);
                    }
                    match current.append(block) {
                        Ok(used) => self.feed.recycle(used),
                        Err(error) => {
                            self.end_current();
                            return Err(error);
                        }
                    }
                }
                #[cfg(feature = "parquet")]
                Some(cells @ Event::Cells(_)) if ready => {
                    self.waiting = Some(cells);
                    current.flush = true;
                }
                #[cfg(feature = "parquet")]
                Some(Event::Cells(block)) => {
                    if !self.first_is_final || self.first_source == self.opened {
                        current.keep_head_of_cells(&block);
                    }
                    self.feed.recycle(current.take_cells(block));
                }
                Some(Event::End(result)) => current.ended = Some(result),
                #[cfg(feature = "parquet")]
                Some(Event::Layout(layout)) => {
                    let layout = Arc::new(*layout);
                    let cutter = (formats::row(layout.format).cutter)(&layout, &self.options);
                    current.cutting = Some((layout, cutter));
                }
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
            head: Vec::new(),
            cutting: None,
            buffer: Vec::new(),
            start: 0,
            are_cells: false,
            is_full_block: false,
            base: 0,
            line: 1,
            found: Found::default(),
            ended: None,
            first_rules: FirstRules::NotMet,
            exhausted: false,
            flush: false,
            shown: None,
            dropping: false,
        }
    }

    /// The bytes that are in no chunk yet.
    fn unread(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Keeps the first bytes of the source.
    fn keep_head(&mut self, block: &[u8]) {
        let added = &block[HEADROOM..];
        let wanted = added.len().min(sniff::HEAD_BYTES - self.head.len());
        self.head.extend_from_slice(&added[..wanted]);
    }

    /// The same of bare cells.
    #[cfg(feature = "parquet")]
    fn keep_head_of_cells(&mut self, block: &[u8]) {
        let cells = &block[HEADROOM..];
        let wanted = cells.len().min((sniff::HEAD_BYTES - self.head.len()).next_multiple_of(CELLS));
        super::row_text::spell_out(&cells[..wanted], &mut self.head);
        self.head.truncate(sniff::HEAD_BYTES);
    }

    /// Takes a block of bare cells in, where all before it is in chunks, and gives a used one back.
    #[cfg(feature = "parquet")]
    fn take_cells(&mut self, block: Vec<u8>) -> Vec<u8> {
        debug_assert!(self.unread().is_empty(), "text before bare cells is whole rows");
        (self.are_cells, self.start) = (true, HEADROOM);
        std::mem::replace(&mut self.buffer, block)
    }

    /// Takes a block in, and gives a used one back. The bytes left move to the front of the block, if they fit there.
    ///
    /// # Errors
    /// No memory for as many unread bytes.
    fn append(&mut self, mut block: Vec<u8>) -> Result<Vec<u8>> {
        self.is_full_block = block.len() >= BLOCK_BYTES;
        self.are_cells = false;
        let rest = &self.buffer[self.start..];
        if rest.len() <= HEADROOM {
            let start = HEADROOM - rest.len();
            block[start..HEADROOM].copy_from_slice(rest);
            std::mem::swap(&mut self.buffer, &mut block);
            self.start = start;
            return Ok(block);
        }
        if self.start >= COMPACT_BYTES {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let added = &block[HEADROOM..];
        self.buffer.try_reserve(added.len()).map_err(|_| {
            let read = self.base + self.unread().len() as u64;
            Error::io("reading", &*self.name, read, std::io::ErrorKind::OutOfMemory.into())
        })?;
        self.buffer.extend_from_slice(added);
        Ok(block)
    }

    /// Decides on the layout once enough is known; the source's own mark of UTF-8 is no part of its text.
    fn sniff(&mut self, options: &InputOptions, next_record: u64, trail: &mut Trail) -> Result<()> {
        let ended = self.ended.is_some();
        if self.base == 0 && self.unread().starts_with(b"\xef\xbb\xbf") {
            self.forward(3, 0, trail);
        }
        let bytes = self.unread();
        let complete = ended || bytes.len() >= sniff::HEAD_BYTES;
        if bytes.is_empty() || (!complete && bytes.len() < 3) {
            self.exhausted = ended;
            return Ok(());
        }
        let head = &bytes[..bytes.len().min(sniff::HEAD_BYTES)];
        let named =
            InputOptions { format: options.format.or(sniff::format_of(&self.name)), ..options.clone() };
        let options = &named;
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

    /// Decides on the layout and leaves the rest of a record behind that was given up. Returns true if there is
    /// anything to be cut then.
    fn prepare(&mut self, options: &InputOptions, next_record: u64, trail: &mut Trail) -> Result<bool> {
        if self.exhausted {
            return Ok(false);
        }
        if self.cutting.is_none() {
            self.sniff(options, next_record, trail)?;
        }
        let Some(line_end) = self.line_end() else { return Ok(false) };
        if self.dropping {
            let bytes = &self.buffer[self.start..];
            match memchr::memchr(line_end, bytes) {
                Some(at) => {
                    self.dropping = false;
                    self.forward(at + 1, 1, trail);
                }
                None => {
                    let len = bytes.len();
                    self.forward(len, 0, trail);
                    self.exhausted = self.ended.is_some();
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns the byte that ends lines, once it is decided.
    fn line_end(&self) -> Option<u8> {
        self.cutting.as_ref().map(|(layout, _)| layout.line_end)
    }

    /// Finds records in what has arrived.
    fn cut(&mut self, options: &InputOptions, target: ChunkTarget, next_record: u64) -> Result<()> {
        let Some(line_end) = self.line_end() else { return Ok(()) };
        if self.are_cells {
            self.cut_cells(target);
            return Ok(());
        }
        let Some((_, cutter)) = &mut self.cutting else { return Ok(()) };
        let bytes = &self.buffer[self.start..];
        let unread = Unread {
            bytes,
            base: self.base,
            first_line: self.line,
            end: matches!(self.ended, Some(Ok(()))),
            target,
        };
        self.exhausted = cutter.cut(&unread, &mut self.found);
        if self.exhausted || self.found.is_full(target) {
            return Ok(());
        }
        let open = bytes.len() - self.found.len;
        let too_large = self.found.too_large || (open > options.max_record_bytes && !cutter.is_unlimited());
        if matches!(self.ended, Some(Err(_))) && !too_large {
            // The record that the error cut off is not given out: the error stands for it.
            self.exhausted = true;
            return Ok(());
        }
        if cutter.is_unlimited() {
            let limit = options.max_cover_bytes.min(LARGEST_UNREAD);
            if open > limit {
                let source = Arc::clone(&self.name);
                let place = Location { source, record: next_record, line: self.line, byte: self.base };
                let reason = format!(
                    "an exact cover problem of more than {limit} bytes of text (--memory sets the limit)"
                );
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

    /// Finds records in bare cells: where they end is known.
    fn cut_cells(&mut self, target: ChunkTarget) {
        let all = self.unread().len() / CELLS;
        let wanted = usize::try_from(target.records).unwrap_or(usize::MAX);
        let records = all.min(wanted.max(1)).min(target.bytes.div_ceil(CELLS + 1).max(1));
        let (len, records) = (CELLS * records, records as u64);
        self.found = Found { len, scanned: len, lines: records, records, ..Found::default() };
        self.exhausted = records == all as u64 && self.ended.is_some();
    }

    /// Makes the first line of a record that is too large an invalid record; reading goes on at the next line.
    fn give_up_record(&mut self, line_end: u8, limit: usize) {
        let bytes = self.unread();
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

    /// Notes the rules of the first record, which is all that is found.
    fn look_for_rules(&mut self, options: &InputOptions) {
        self.first_rules = FirstRules::NotShared;
        // The text of an exact cover problem is one record, of any length. Parts of one problem are searched alike. Bare cells have
        // no rules.
        let may_have =
            |layout: &Layout| !layout.format.is_cover() && layout.format != Format::Cubes && !self.are_cells;
        let Some((layout, _)) = self.cutting.as_ref().filter(|(layout, _)| may_have(layout)) else {
            return;
        };
        let chunk = Chunk {
            layout: Arc::clone(layout),
            bytes: ChunkBytes { buffer: self.unread()[..self.found.len].to_vec(), start: 0 },
            first_line: self.line,
            first_byte: self.base,
            records: self.found.records,
            cuts: self.found.cuts.clone(),
            ..Chunk::default()
        };
        if let Some(rules) = Parser::new(options).shared_rules(&chunk, &mut Records::default()) {
            self.first_rules = FirstRules::Shared(Arc::new(rules));
        }
    }

    /// True if the chunk should go out now: the next block would have to be copied behind the unread bytes, and the
    /// target is no larger than one block.
    fn is_better_handed_out(&self, target: ChunkTarget) -> bool {
        self.is_full_block && target.bytes <= BLOCK_BYTES && self.unread().len() > HEADROOM
    }

    fn has_chunk(&self, target: ChunkTarget) -> bool {
        let found = &self.found;
        let any = found.records > 0 || found.len > 0 || !found.warnings.is_empty();
        any && (self.flush || self.exhausted || found.is_full(target))
    }

    /// Moves the chunk that was found out of the buffer.
    fn take(&mut self, chunk: &mut Chunk, trail: &mut Trail) {
        let len = self.found.len;
        chunk.source = Arc::clone(&self.name);
        if let Some((layout, _)) = &self.cutting {
            chunk.layout = Arc::clone(layout);
        }
        chunk.shared_rules = match &self.first_rules {
            FirstRules::Shared(rules) => Some(Arc::clone(rules)),
            FirstRules::NotMet | FirstRules::NotShared => None,
        };
        chunk.first_line = self.line;
        chunk.first_byte = self.base;
        chunk.records = self.found.records;
        chunk.are_cells = self.are_cells;
        chunk.cuts = std::mem::take(&mut self.found.cuts);
        chunk.warnings = std::mem::take(&mut self.found.warnings);
        let shown = self.shown.take();
        let left = self.unread().len() - len;
        let mut buffer = std::mem::take(&mut chunk.bytes.buffer);
        if shown.is_none() && 8 * left < len {
            // Nearly all of the buffer: the short rest is copied instead, to the end of the other buffer, whose bytes need
            // not be cleared so.
            let end = self.start + len;
            buffer.resize(buffer.len().max(left), 0);
            let start = buffer.len() - left;
            buffer[start..].copy_from_slice(&self.buffer[end..]);
            self.pass(self.start..end, trail);
            self.buffer.truncate(end);
            let start = std::mem::replace(&mut self.start, start);
            chunk.bytes = ChunkBytes { buffer: std::mem::replace(&mut self.buffer, buffer), start };
            self.line += self.found.lines;
            self.after_front(len);
        } else {
            buffer.clear();
            buffer.extend_from_slice(&self.unread()[..shown.unwrap_or(len)]);
            chunk.bytes = ChunkBytes { buffer, start: 0 };
            let lines = self.found.lines;
            self.forward(len, lines, trail);
        }
        self.flush = false;
    }

    /// Leaves out what was found: skipped lines that are not wanted, or what an earlier run has done.
    fn drop_front(&mut self, trail: &mut Trail) {
        let (len, lines) = (self.found.len, self.found.lines);
        self.forward(len, lines, trail);
        self.shown = None;
        self.flush = false;
    }

    fn forward(&mut self, len: usize, lines: u64, trail: &mut Trail) {
        self.pass(self.start..self.start + len, trail);
        self.start += len;
        self.line += lines;
        self.after_front(len);
    }

    /// Goes on in the source behind some bytes of the buffer.
    fn pass(&mut self, bytes: Range<usize>, trail: &mut Trail) {
        let bytes = &self.buffer[bytes];
        self.base += if self.are_cells {
            let text = (bytes.len() / CELLS * (CELLS + 1)) as u64;
            trail.pass_unseen(text);
            text
        } else {
            trail.pass(bytes);
            bytes.len() as u64
        };
    }

    fn after_front(&mut self, len: usize) {
        self.found = Found { scanned: self.found.scanned.saturating_sub(len), ..Found::default() };
    }
}

#[cfg(test)]
mod tests;
