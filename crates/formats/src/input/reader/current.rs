//! Holds the source that is being cut into records, with the bytes that are not yet in a chunk.

use std::sync::Arc;

use super::super::cutter::{CutRecords, Cutter, Unread};
use super::super::feed::{BLOCK_BYTES, Block, HEADROOM};
use super::super::position::InputHash;
use super::super::source::unreadable;
use super::super::source_columns::require_clear_names;
use super::super::{
    Chunk, ChunkBytes, ChunkTarget, Cut, InputOptions, Layout, Parser, Records, SharedRules, Span, formats,
    lines, sniff,
};
use quadrille_model::{Error, Result, usage};

/// Maximum number of bytes that are kept from a record that is too large, for use in messages.
pub(super) const SHOWN_OF_TOO_LARGE: usize = 4096;
/// Maximum number of unread bytes. It is limited because the spans of a chunk are 32 bits wide.
const MAX_UNREAD_BYTES: usize = u32::MAX as usize - (1 << 20);
/// Minimum number of bytes at the front of the buffer that are no longer needed, before the buffer is
/// compacted.
const COMPACT_BYTES: usize = 1 << 20;

/// Source that is being cut, with its bytes that are not in a chunk yet.
#[derive(Default)]
pub(super) struct Current {
    name: Arc<str>,
    /// True if the source begins with a UTF-8 byte order mark.
    has_mark: bool,
    /// First bytes of the source, for [`Reader::format_hint`](super::Reader::format_hint).
    ///
    /// These bytes are collected separately, because the layout may be decided before all of them have
    /// arrived.
    pub(super) head: Vec<u8>,
    /// [`Layout::needs_all`] of the head, which is not decided again for each block that arrives.
    needs_all: Option<&'static str>,
    /// Layout and cutter, or `None` if the layout is not known yet.
    pub(super) cutting: Option<(Arc<Layout>, Box<dyn Cutter>)>,
    /// Bytes of the source. The bytes from `start` on are not in a chunk yet.
    buffer: Vec<u8>,
    start: usize,
    /// True if the last block was full or nearly full. More input is then probably ready.
    is_full_block: bool,
    /// Byte offset of `buffer[start]` in the source.
    pub(super) base: u64,
    /// 1-based line number of `buffer[start]` in the source.
    line: u64,
    pub(super) found: CutRecords,
    /// Result of reading, set once all bytes are in the buffer. It is an error if the source could not be
    /// read to its end.
    pub(super) ended: Option<Result<()>>,
    /// True if the first record was read for rules that later records may share.
    pub(super) has_first: bool,
    /// Rules of the first record that later records may share.
    shared_rules: Option<Arc<SharedRules>>,
    /// True if the cutter has found the last record.
    pub(super) exhausted: bool,
    /// True if the found records should form a chunk although the chunk is not full.
    pub(super) flush: bool,
    /// Number of bytes kept for messages, if the record found is too large and was cut off.
    pub(super) shown: Option<usize>,
    /// True inside a record that is too large. All bytes up to the next line are then dropped.
    dropping: bool,
}

impl Current {
    pub(super) fn new(name: Arc<str>) -> Self {
        Current { name, line: 1, ..Current::default() }
    }

    /// Returns the bytes that are not in a chunk yet.
    fn unread(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Adds the bytes of a block to `head` until `head` is long enough.
    pub(super) fn keep_head(&mut self, block: &Block) {
        let added = block.read();
        let wanted = added.len().min(sniff::HEAD_BYTES - self.head.len());
        self.head.extend_from_slice(&added[..wanted]);
    }

    /// Appends the bytes of a block to the unread bytes. Returns a used buffer for reuse.
    ///
    /// If the unread bytes fit into the free space at the front of the block, they are copied there. The
    /// block then becomes the buffer. Otherwise the bytes of the block are copied to the end of the buffer.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory for the unread bytes.
    pub(super) fn append(&mut self, mut block: Block) -> Result<Vec<u8>> {
        // The length includes the free space at the front of the block. Blocks of table rows are a little
        // shorter than a full read, and would otherwise not count as full.
        self.is_full_block = block.bytes.len() >= BLOCK_BYTES;
        let rest = &self.buffer[self.start..];
        if rest.len() <= block.begin {
            let start = block.begin - rest.len();
            block.bytes[start..block.begin].copy_from_slice(rest);
            self.start = start;
            return Ok(std::mem::replace(&mut self.buffer, block.bytes));
        }
        if self.start >= COMPACT_BYTES {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let added = block.read();
        self.buffer.try_reserve(added.len()).map_err(|_| {
            let read = self.base + self.unread().len() as u64;
            Error::io("reading", &*self.name, read, std::io::ErrorKind::OutOfMemory.into())
        })?;
        self.buffer.extend_from_slice(added);
        Ok(block.bytes)
    }

    /// Decides the layout once enough bytes have arrived, and skips a UTF-8 byte order mark.
    fn sniff(
        &mut self,
        options: &InputOptions,
        first: Option<&Layout>,
        next_record: u64,
        trail: &mut InputHash,
    ) -> Result<()> {
        let ended = self.ended.is_some();
        if self.base == 0 && self.unread().starts_with(b"\xef\xbb\xbf") {
            self.has_mark = true;
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
        let decided = match self.needs_all {
            None => sniff::layout(head, complete, ended && head.len() == bytes.len(), options),
            Some(too_large) if bytes.len() > options.max_record_bytes => Err(too_large.to_owned()),
            Some(_) if ended => sniff::layout(bytes, true, true, options),
            Some(_) => return Ok(()),
        };
        if let (None, Ok(Some(Layout { needs_all: needed @ Some(_), .. }))) = (self.needs_all, &decided) {
            self.needs_all = *needed;
            return self.sniff(options, first, next_record, trail);
        }
        let layout = match decided {
            Ok(Some(layout)) => Arc::new(Layout { has_mark: self.has_mark, ..layout }),
            Ok(None) => return Ok(()),
            Err(reason) => return Err(unreadable(&self.name, (next_record, self.line, self.base), reason)),
        };
        if layout.format.is_cover() && !options.rules.is_empty() {
            let name = &self.name;
            return Err(usage!(
                "{name}: exact cover problems take no rules of grids (--rules, --regions, --houses)"
            ));
        }
        let of_columns = [(&options.column, "--column"), (&options.solution_column, "--solution-column")];
        for (_, option) in
            of_columns.into_iter().filter(|(column, _)| column.is_some() && !layout.has_columns())
        {
            let format = layout.format.name();
            let warning = format!("{} has no columns for {option}: it was read as {format}", self.name);
            self.found.warnings.push(warning);
        }
        self.begin(layout, options, first, next_record)
    }

    /// Creates the cutter for a layout, so that cutting can begin.
    ///
    /// # Errors
    /// Returns an error if a column cannot be mapped by its name to the columns of `first`, the first source.
    pub(super) fn begin(
        &mut self,
        layout: Arc<Layout>,
        options: &InputOptions,
        first: Option<&Layout>,
        next_record: u64,
    ) -> Result<()> {
        if let Some(Err(reason)) = first.map(|first| require_clear_names(first, &layout)) {
            return Err(unreadable(&self.name, (next_record, 1, 0), reason));
        }
        self.found.warnings.extend(layout.notes.iter().map(|note| format!("{}: {note}", self.name)));
        let cutter = (formats::row(layout.format).cutter)(&layout, options);
        self.cutting = Some((layout, cutter));
        Ok(())
    }

    /// Decides the layout if it is not known yet, and skips the rest of a record that was too large.
    ///
    /// Returns true if the unread bytes may contain records.
    pub(super) fn prepare(
        &mut self,
        options: &InputOptions,
        first: Option<&Layout>,
        next_record: u64,
        trail: &mut InputHash,
    ) -> Result<bool> {
        if self.exhausted {
            return Ok(false);
        }
        if self.cutting.is_none() {
            self.sniff(options, first, next_record, trail)?;
        }
        let Some(line_end) = self.line_end() else { return Ok(false) };
        if self.dropping {
            let bytes = &self.buffer[self.start..];
            match memchr::memchr(line_end, bytes) {
                Some(at) => {
                    self.dropping = false;
                    trail.lines.records += 1;
                    self.forward(at + 1, 1, trail);
                }
                None => {
                    let len = bytes.len();
                    self.forward(len, 0, trail);
                    self.exhausted = self.ended.is_some();
                    trail.lines.records += u64::from(self.exhausted);
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Returns the byte that ends lines, or `None` if it is not known yet.
    fn line_end(&self) -> Option<u8> {
        self.cutting.as_ref().map(|(layout, _)| layout.line_end())
    }

    /// Finds records in the unread bytes.
    pub(super) fn cut(
        &mut self,
        options: &InputOptions,
        target: ChunkTarget,
        next_record: u64,
    ) -> Result<()> {
        let Some(line_end) = self.line_end() else { return Ok(()) };
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
            // The source failed within this record. So the error is reported, and the incomplete record is
            // dropped.
            self.exhausted = true;
            return Ok(());
        }
        if cutter.is_unlimited() {
            let limit = options.max_cover_bytes.min(MAX_UNREAD_BYTES);
            if open > limit {
                let reason = format!(
                    "an exact cover problem of more than {limit} bytes of text (--memory sets the limit)"
                );
                return Err(unreadable(&self.name, (next_record, self.line, self.base), reason));
            }
        } else if too_large {
            if self.found.len > 0 || !self.found.warnings.is_empty() {
                // The records before the too large record must get into a chunk first.
                self.found.too_large = false;
                self.flush = true;
                return Ok(());
            }
            cutter.give_up();
            self.give_up_record(line_end, options.max_record_bytes);
        }
        Ok(())
    }

    /// Makes an invalid record of the first line of a too large record, and drops the rest of that line.
    fn give_up_record(&mut self, line_end: u8, limit: usize) {
        let bytes = self.unread();
        let newline = memchr::memchr(line_end, bytes);
        let len = newline.map_or(bytes.len(), |at| at + 1);
        let end = newline.unwrap_or(len).min(SHOWN_OF_TOO_LARGE).min(limit);
        let end = lines::without_returns(&bytes[..end]).len();
        self.found = CutRecords {
            len,
            scanned: len,
            lines: newline.is_some().into(),
            records: 1,
            cuts: vec![Cut {
                span: Span { start: 0, end: end as u32 },
                invalid: Some(format!("a record of more than {limit} bytes")),
                ..Cut::default()
            }],
            ..CutRecords::default()
        };
        self.dropping = newline.is_none();
        self.shown = Some(end);
        self.flush = true;
    }

    /// Stores the rules of the first record, which must be the only record found so far.
    pub(super) fn look_for_rules(&mut self, options: &InputOptions) {
        self.has_first = true;
        // The other sources share no rules: an exact cover text is a single record of any length, and the parts of one
        // problem all have its rules.
        if let Some((layout, _)) = &self.cutting
            && !layout.format.is_one_problem()
        {
            let found = self.found.to_chunk(layout, self.unread());
            let chunk = Chunk { first_line: self.line, first_byte: self.base, ..found };
            let rules = Parser::new(options).shared_rules(&chunk, &mut Records::default());
            self.shared_rules = rules.map(Arc::new);
        }
    }

    /// Returns true if the found records should form a chunk now, although the chunk is not full.
    ///
    /// This is so if the unread bytes do not fit into the free space at the front of the next block. The
    /// bytes of the next block would then have to be copied. The result is false if the target size exceeds
    /// one block.
    pub(super) fn is_better_handed_out(&self, target: ChunkTarget) -> bool {
        self.is_full_block && target.bytes <= BLOCK_BYTES && self.unread().len() > HEADROOM
    }

    pub(super) fn has_chunk(&self, target: ChunkTarget) -> bool {
        let found = &self.found;
        let any = found.records > 0 || found.len > 0 || !found.warnings.is_empty();
        any && (self.flush || self.exhausted || found.is_full(target))
    }

    /// Moves the found records from the buffer to `chunk`.
    pub(super) fn take(&mut self, chunk: &mut Chunk, trail: &mut InputHash) {
        let (start, len, shown) = (self.start, self.found.len, self.shown);
        chunk.source = Arc::clone(&self.name);
        if let Some((layout, _)) = &self.cutting {
            chunk.layout = Arc::clone(layout);
        }
        chunk.shared_rules = self.shared_rules.clone();
        chunk.first_line = self.line;
        chunk.first_byte = self.base;
        chunk.records = self.found.records;
        chunk.cuts = std::mem::take(&mut self.found.cuts);
        chunk.warnings = std::mem::take(&mut self.found.warnings);
        let rewritten = std::mem::take(&mut self.found.rewritten);
        self.drop_front(trail);
        let left = self.unread().len();
        let mut buffer = std::mem::take(&mut chunk.bytes.buffer);
        chunk.bytes = if !rewritten.is_empty() {
            ChunkBytes { buffer: rewritten, start: 0 }
        } else if shown.is_none() && 8 * left < len {
            // The found records are nearly the whole buffer. So the chunk takes the buffer without a copy,
            // and its old buffer becomes the new read buffer. Only the short unread rest is copied, to the
            // end of the new read buffer.
            buffer.resize(buffer.len().max(left), 0);
            let next = buffer.len() - left;
            buffer[next..].copy_from_slice(self.unread());
            self.buffer.truncate(self.start);
            self.start = next;
            ChunkBytes { buffer: std::mem::replace(&mut self.buffer, buffer), start }
        } else {
            buffer.clear();
            buffer.extend_from_slice(&self.buffer[start..start + shown.unwrap_or(len)]);
            ChunkBytes { buffer, start: 0 }
        };
    }

    /// Skips the found records. Either they are unwanted lines, or an earlier execution of the program has
    /// already answered them.
    pub(super) fn drop_front(&mut self, trail: &mut InputHash) {
        let (len, lines) = (self.found.len, self.found.lines);
        trail.lines += self.found.line_counts();
        self.forward(len, lines, trail);
        self.shown = None;
        self.flush = false;
    }

    /// Moves the start of the unread bytes past `len` bytes in `lines` lines, and adds these bytes to the hash
    /// of the input.
    fn forward(&mut self, len: usize, lines: u64, trail: &mut InputHash) {
        trail.pass(&self.buffer[self.start..self.start + len]);
        self.start += len;
        self.base += len as u64;
        self.line += lines;
        self.found = CutRecords { scanned: self.found.scanned.saturating_sub(len), ..CutRecords::default() };
    }
}
