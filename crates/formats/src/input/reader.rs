//! Cuts the bytes of the sources, which arrive in blocks, into chunks of whole records.

mod current;

use std::sync::Arc;

use crossbeam_channel::TryRecvError;

use self::current::Current;
use super::feed::{Event, Feed};
use super::format_hints::format_hint;
use super::position::InputHash;
use super::{
    Chunk, ChunkTarget, InputOptions, Layout, LineCounts, OtherColumns, Position, ReadProgress, Source,
};
use quadrille_model::{Error, ErrorKind, Result, usage};

/// Number of bytes that the reader cuts into records at once while it skips input that an earlier execution
/// of the program has processed.
const SKIPPED_BYTES: usize = 1 << 20;

/// Reads sources one after the other and cuts them into chunks at record boundaries.
///
/// A separate thread reads and decompresses ahead, unless the input is short and can be read without waiting. A chunk
/// ends at its target of bytes or records. It ends earlier if no more input has arrived, so that complete records are
/// not held back. Memory is bounded by the chunk target, the largest allowed record and a few blocks.
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
    /// Number of sources opened so far.
    opened: u64,
    trail: InputHash,
    /// Position at which an earlier execution of the program stopped.
    ///
    /// `None` if this reader has already reached that position, or if it starts at the beginning of the
    /// input.
    resume_at: Option<Position>,
    /// True if the earlier execution of the program is known to have read the same bytes before `resume_at`.
    recognised: bool,
    /// True if the input differs from that of the earlier execution of the program. Then nothing more is
    /// read.
    refused: bool,
    /// Layout of the first source that has a record.
    ///
    /// Until such a source is found, this is the layout of the first source that has ended.
    first_layout: Option<Arc<Layout>>,
    first_is_final: bool,
    /// 1-based number of the source to which `first_layout` belongs.
    first_source: u64,
    /// First bytes of the source to which `first_layout` belongs, stored when that source ends.
    first_head: Vec<u8>,
    /// Number of input bytes up to the end of the last chunk that was returned, by this reader or by the one
    /// that it resumes.
    handed_out: u64,
}

/// Where to stop cutting.
#[derive(Clone, Copy)]
enum Aim {
    /// Stop at the end of a chunk of this size.
    Chunk(ChunkTarget),
    /// Stop at this byte offset of the source, or at the end of the last record before it.
    Byte(u64),
}

impl Reader {
    /// Creates a reader and starts to read. Does not check the options; use [`InputOptions::validate`] for
    /// that.
    pub fn new(sources: Vec<Source>, options: InputOptions) -> Self {
        Reader {
            feed: Feed::start(sources, &options),
            options,
            current: None,
            sequence: 0,
            next_record: 1,
            opened: 0,
            trail: InputHash::default(),
            resume_at: None,
            recognised: false,
            refused: false,
            first_layout: None,
            first_is_final: false,
            first_source: 0,
            first_head: Vec::new(),
            handed_out: 0,
        }
    }

    /// Creates a reader that continues after `position`. A later reader can in turn continue after its
    /// chunks.
    ///
    /// The chunks of this reader carry end positions with a hash. `position` must come from such a reader, or
    /// be the default, which is the start of the input. The reader reads, hashes and cuts everything before
    /// the position again. So any kind of source can be resumed. Chunks are numbered from 0, but the numbers
    /// of records and lines continue.
    pub fn resume(sources: Vec<Source>, options: InputOptions, position: Position) -> Self {
        Reader {
            trail: InputHash::hashing(),
            resume_at: (position != Position::default()).then_some(position),
            ..Reader::new(sources, options)
        }
    }

    /// Returns a handle with which another thread can get the number of bytes read so far.
    pub fn progress(&self) -> ReadProgress {
        self.feed.progress.clone()
    }

    /// Returns true if everything has already been read, so that no call waits for input.
    pub fn is_at_hand(&self) -> bool {
        self.feed.is_at_hand
    }

    /// Returns how many records and decompressed bytes the reader has returned in chunks or skipped so far,
    /// in all sources.
    ///
    /// Both numbers include everything before the position at which the reader was resumed.
    pub fn passed(&self) -> (u64, u64) {
        (self.next_record - 1, self.trail.bytes)
    }

    /// Returns the layout of the first source that has a record.
    ///
    /// Until such a source is found, returns the layout of the first source that has ended, or `None` if
    /// there is none.
    pub fn first_layout(&self) -> Option<&Arc<Layout>> {
        self.first_layout.as_ref()
    }

    /// Describes the source of [`first_layout`](Self::first_layout) from its first bytes, for use in
    /// messages.
    ///
    /// The description says what the source resembles and how such a source can be read. Returns `None` if it
    /// resembles nothing known.
    pub fn format_hint(&self) -> Option<String> {
        format_hint(self.first_head(), &self.options)
    }

    /// Returns the bytes that were read from the start of the source of [`first_layout`](Self::first_layout).
    pub fn first_head(&self) -> &[u8] {
        let current = self.current.as_ref().filter(|_| self.first_source == self.opened);
        current.map_or(&self.first_head, |current| &current.head)
    }

    /// Returns how many lines of each kind the reader has returned in chunks or skipped so far, in all
    /// sources.
    ///
    /// The result includes all lines before the position at which the reader was resumed.
    pub fn lines(&self) -> LineCounts {
        self.trail.lines
    }

    /// Fills `chunk` with the next records and reuses its memory. Returns false at the end of all sources.
    ///
    /// Waits only if not even one complete record has arrived.
    ///
    /// # Errors
    /// Returns an error if a source cannot be opened, read, decompressed or understood. Earlier calls have
    /// already returned the records before the error. The next call continues with the next source.
    ///
    /// Also returns an error, once, if the input differs from the input for which the resumed position was
    /// made. After that error the reader has no more chunks.
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
                // A record that is too large is cut off. Timing decides how many bytes of the record have
                // arrived by then. So the position is the start of the record, which does not depend on
                // timing.
                end.hash = self.trail.hash();
            }
            current.take(chunk, &mut self.trail);
            if !torn {
                end.byte = current.base;
                end.hash = self.trail.hash();
            }
            self.sequence += 1;
            self.next_record += chunk.records;
            self.note_layout(true);
            let passed = self.trail.bytes;
            chunk.extent = passed - std::mem::replace(&mut self.handed_out, passed);
            end.records = self.next_record - 1;
            chunk.end = end;
            return Ok(true);
        }
    }

    /// Skips the input that an earlier execution of the program has processed, and checks that it is the same
    /// input.
    fn skip_what_was_done(&mut self) -> Result<()> {
        while let Some(goal) = self.resume_at {
            self.recognise(goal)?;
            let byte = self.current.as_ref().map(|current| current.base);
            let is_source = byte.is_some() && self.opened == goal.opened;
            let records = self.next_record - 1;
            if self.recognised && records == goal.records {
                self.resume_at = None;
                self.note_earlier();
                break;
            }
            if self.opened > goal.opened || byte.is_none() && self.opened == goal.opened {
                return Err(self.refuse("it is shorter than it was"));
            }
            if records > goal.records || is_source && !self.recognised && byte > Some(goal.byte) {
                return Err(self.refuse("its records end at other offsets"));
            }
            let aim = match self.recognised {
                // The remaining records come after this byte. Either they have no bytes, or they were cut off
                // as too large.
                true => Aim::Chunk(ChunkTarget { bytes: usize::MAX, records: goal.records - records }),
                false => Aim::Byte(if is_source { goal.byte } else { u64::MAX }),
            };
            if self.current.is_none() {
                if !self.open_next()? {
                    return Err(self.refuse("it is shorter than it was"));
                }
            } else if self.find_here(aim)? {
                if self.has_rows() {
                    self.note_layout(true);
                }
                self.pass_found();
            }
            self.note_earlier();
        }
        Ok(())
    }

    /// Counts everything read so far as processed by an earlier execution of the program.
    fn note_earlier(&mut self) {
        self.handed_out = self.trail.bytes;
        self.feed.progress.passes(self.next_record - 1, self.handed_out);
    }

    /// Checks that the earlier execution of the program read the same bytes before `goal`. The check takes
    /// place once the reader is at the byte offset of `goal`.
    fn recognise(&mut self, goal: Position) -> Result<()> {
        let here = self.current.as_ref().is_some_and(|current| current.base == goal.byte);
        if self.recognised || !here || self.opened != goal.opened {
            return Ok(());
        }
        if self.trail.hash() != goal.hash || self.next_record - 1 > goal.records {
            return Err(self.refuse("its beginning differs"));
        }
        self.recognised = true;
        Ok(())
    }

    /// Stops reading, and returns an error that says that the input differs from that of the earlier
    /// execution.
    fn refuse(&mut self, reason: &str) -> Error {
        self.refused = true;
        self.resume_at = None;
        usage!("the input has changed since the checkpoint: {reason}")
    }

    /// Stores the layout of the current source, if it is the first source from which records are returned.
    ///
    /// If `has_records` is false, stores it only if no layout is stored yet.
    fn note_layout(&mut self, has_records: bool) {
        let cutting = self.current.as_ref().and_then(|current| current.cutting.as_ref());
        if let Some((layout, _)) = cutting
            && !self.first_is_final
            && (has_records || self.first_layout.is_none())
        {
            self.first_layout = Some(Arc::clone(layout));
            (self.first_is_final, self.first_source) = (has_records, self.opened);
        }
    }

    /// Returns true if the records and lines found so far lead to output rows or messages.
    ///
    /// Skipped lines lead to output only with the option `keep_lines`.
    fn has_rows(&self) -> bool {
        let found = self.current.as_ref().map(|current| &current.found);
        found.is_some_and(|found| found.records > 0 || !found.warnings.is_empty() || self.options.keep_lines)
    }

    /// Skips the records and lines that were found so far.
    fn pass_found(&mut self) {
        let Some(current) = &mut self.current else { return };
        self.next_record += current.found.records;
        current.drop_front(&mut self.trail);
    }

    /// Closes the current source.
    fn end_current(&mut self) {
        let ended = self.current.take();
        if let Some(current) = ended.filter(|_| self.first_source == self.opened) {
            self.first_head = current.head;
        }
    }

    /// Waits for the next source to begin. Returns false if there are no more sources.
    ///
    /// # Errors
    /// Returns an error if the reading thread ended too early.
    fn open_next(&mut self) -> Result<bool> {
        loop {
            match self.feed.events.recv() {
                Ok(Event::Open(name)) => {
                    self.current = Some(Current::new(name));
                    self.opened += 1;
                    self.feed.unopened = self.feed.unopened.saturating_sub(1);
                    return Ok(true);
                }
                Ok(_) => {}
                Err(_) => return self.feed.lost().map_or(Ok(false), Err),
            }
        }
    }

    /// Finds a chunk in the current source or in a later one. Returns false at the end of all sources.
    fn find(&mut self, target: ChunkTarget) -> Result<bool> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                return Ok(false);
            }
            if self.find_here(Aim::Chunk(target))? {
                return Ok(true);
            }
        }
    }

    /// Finds a chunk in the current source. Returns false if the source has ended.
    fn find_here(&mut self, aim: Aim) -> Result<bool> {
        loop {
            let Some(current) = &mut self.current else { return Ok(false) };
            let has_first = self.first_is_final && self.options.other_columns == OtherColumns::OfFirst;
            let first = self.first_layout.as_deref().filter(|_| has_first);
            let mut cut = current.prepare(&self.options, first, self.next_record, &mut self.trail);
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
            let looks_for_rules = !current.has_first;
            if matches!(cut, Ok(true)) {
                // The first record is read before all others, because later records may share its rules.
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
                self.note_layout(false);
                self.end_current();
                return ended.unwrap_or(Ok(())).map(|()| false);
            }
            // Return complete records now: they must not wait for more input.
            let ready = current.found.records > 0 || (self.options.keep_lines && current.found.len > 0);
            let is_better = matches!(aim, Aim::Chunk(_)) && current.is_better_handed_out(target);
            let event = match ready {
                true if is_better => Err(TryRecvError::Empty),
                true => self.feed.events.try_recv(),
                false => self.feed.events.recv().map_err(|_| TryRecvError::Disconnected),
            };
            let mut taken = Ok(());
            match event {
                Err(TryRecvError::Empty) => current.flush = true,
                Ok(Event::Block(block)) => {
                    if !self.first_is_final || self.first_source == self.opened {
                        current.keep_head(&block);
                    }
                    taken = current.append(block).map(|used| self.feed.recycle(used));
                }
                Ok(Event::Layout(layout)) => {
                    taken = current.begin(Arc::new(*layout), &self.options, first, self.next_record);
                }
                Ok(Event::End(result)) => current.ended = Some(result),
                Ok(Event::Open(_)) | Err(TryRecvError::Disconnected) => {
                    let lost = Error::from(ErrorKind::Internal("the reading thread ended early".into()));
                    current.ended = Some(Err(lost));
                }
            }
            if let Err(error) = taken {
                self.end_current();
                return Err(error);
            }
        }
    }
}

#[cfg(test)]
mod tests;
