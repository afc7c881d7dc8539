//! Decompresses gzip members and zstd frames, several at the same time.
//!
//! A thread cuts off the members whose sizes are known without decompressing them. Other threads unpack them, and the
//! reader gets their texts in order. From the first member on that cannot be cut off, the reader decompresses the rest
//! itself.
//!
//! ```text
//! cut: stream -> whole members, up to 1 MiB of text -> a thread: unpack -> text -\
//!             \-> [threads in order, then the rest] --------------------------------> Unpacked: Read
//! ```
//!
//! A member that cannot be unpacked at once is read again as a stream, so that its readable part and the error do not
//! depend on how it was read.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::mem;
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use flate2::bufread::GzDecoder;
use libdeflater::{Decompressor, crc32};
use zstd::zstd_safe::{find_frame_compressed_size, get_frame_content_size};

/// Maximum total size, in bytes, of the members that are passed to one thread together.
///
/// The limit applies to the compressed and to the decompressed size. A member is a gzip member or a zstd
/// frame.
const MEMBERS_BYTES: usize = 1 << 20;
/// Number of compressed bytes requested by each read from the stream.
const READ_BYTES: usize = 128 << 10;
/// Maximum number of decompressing threads whose text the reader has not received yet.
const THREADS_AHEAD: usize = 4;
/// Maximum size of the header of a zstd frame, in bytes.
const ZSTD_HEADER: usize = 18;

/// A compression format of input.
#[derive(Debug, Clone, Copy)]
pub(super) enum Packed {
    Gzip,
    Zstd,
}

/// How a stream goes on.
enum Next {
    /// A whole member of `bytes` compressed bytes, whose text has `text` bytes.
    Member { bytes: usize, text: usize },
    /// The next member cannot be separated from the rest of the stream, because its size is not known.
    Rest,
}

/// The decompressed text of some members. The result is an error if decompression failed after this text.
type Text = (Vec<u8>, io::Result<()>);

/// A part of the text of a compressed stream.
enum Part {
    Members(JoinHandle<Text>),
    Rest(Box<dyn Read + Send>),
}

impl Packed {
    /// Returns whether a whole member comes next in a stream. Returns `None` if more bytes are needed to
    /// know.
    fn next(self, stream: &[u8]) -> Option<Next> {
        let next = match self {
            Packed::Gzip => next_of_gzip(stream),
            Packed::Zstd => next_of_zstd(stream),
        };
        match next {
            Some(Next::Member { bytes, text }) if bytes.max(text) > MEMBERS_BYTES => Some(Next::Rest),
            None if stream.len() > MEMBERS_BYTES => Some(Next::Rest),
            next => next,
        }
    }

    /// Returns the number of bytes at the start of `stream` that are passed to one thread. These bytes are
    /// whole members.
    ///
    /// The second value is true if the next member cannot be separated from the rest of the stream.
    fn cut(self, stream: &[u8]) -> (usize, bool) {
        let (mut end, mut length) = (0, 0);
        loop {
            match self.next(&stream[end..]) {
                Some(Next::Member { bytes, text }) if length + text <= MEMBERS_BYTES => {
                    (end, length) = (end + bytes, length + text);
                }
                next => return (end, matches!(next, Some(Next::Rest))),
            }
        }
    }

    /// Returns a reader of the text of all members of a stream.
    fn text_of<'a>(self, stream: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            Packed::Gzip => {
                let member = next_member(BufReader::with_capacity(READ_BYTES, stream))?;
                Box::new(GzipMembers { member })
            }
            Packed::Zstd => Box::new(zstd::stream::read::Decoder::new(stream)?),
        })
    }

    /// Decompresses whole members.
    fn unpack(self, mut members: &[u8]) -> Text {
        let mut all = Vec::new();
        while let Some(Next::Member { bytes, text }) = self.next(members) {
            let (member, rest) = members.split_at(bytes);
            members = rest;
            let begin = all.len();
            all.resize(begin + text, 0);
            let written = match self {
                Packed::Gzip => ungzip(member, &mut all[begin..]),
                Packed::Zstd => zstd::bulk::decompress_to_buffer(member, &mut all[begin..]).ok(),
            };
            if written != Some(text) {
                all.truncate(begin);
                let stream = self.text_of(member).map(|stream| stream.take(MEMBERS_BYTES as u64));
                let end = match stream.and_then(|mut stream| stream.read_to_end(&mut all)) {
                    Ok(bytes) if bytes < MEMBERS_BYTES => Ok(()),
                    Ok(_) => Err(io::Error::other("a member is longer than its header says")),
                    Err(cause) => Err(cause),
                };
                if end.is_err() {
                    return (all, end);
                }
            }
        }
        (all, Ok(()))
    }
}

/// Returns a number whose bytes are stored in little-endian order.
fn number(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

/// Finds the end of a gzip member from the size in its extra field.
///
/// The size is in subfield BC (BGZF) or in subfield IG (pgzip, crabz and the output of this program).
fn next_of_gzip(stream: &[u8]) -> Option<Next> {
    const EXTRA: usize = 12;
    let (magic, flags) = (stream.get(..3)?, stream.get(3)?);
    if magic != b"\x1f\x8b\x08" || flags & 4 == 0 {
        return Some(Next::Rest);
    }
    let mut extra = stream.get(EXTRA..EXTRA + number(stream.get(EXTRA - 2..EXTRA)?))?;
    while let Some((head, values)) = extra.split_at_checked(4) {
        let Some((value, rest)) = values.split_at_checked(number(&head[2..])) else { break };
        extra = rest;
        let bytes = match (&head[..2], value.len()) {
            (b"BC", 2) => number(value) + 1,
            (b"IG", 4) => number(value),
            _ => continue,
        };
        if bytes > MEMBERS_BYTES {
            break;
        }
        let member = stream.get(..bytes)?;
        return Some(Next::Member { bytes, text: number(member.last_chunk::<4>()?) });
    }
    Some(Next::Rest)
}

/// Finds the end of a zstd frame from the sizes of its blocks.
fn next_of_zstd(stream: &[u8]) -> Option<Next> {
    match get_frame_content_size(stream) {
        Ok(Some(text)) => {
            let bytes = find_frame_compressed_size(stream).ok()?;
            Some(Next::Member { bytes, text: usize::try_from(text).unwrap_or(usize::MAX) })
        }
        Err(_) if stream.len() < ZSTD_HEADER => None,
        // The length of the text is not known, or the frame is damaged.
        _ => Some(Next::Rest),
    }
}

/// Size of the part of a gzip header that comes before the extra field, in bytes.
const HEADER: usize = 10;

/// Decompresses a gzip member into `text` and returns the length of the text.
///
/// Returns `None` if decompression fails or does not reach the end of the member.
fn ungzip(member: &[u8], text: &mut [u8]) -> Option<usize> {
    // A wrong size in a header may cover several equal members. Then only the first of them would be read. So
    // refuse a member in which its own header occurs again.
    if memchr::memmem::find(&member[1..], member.get(..HEADER)?).is_some() {
        return None;
    }
    let written = Decompressor::new().gzip_decompress(member, text).ok()?;
    let sum = number(member.last_chunk::<8>()?.first_chunk::<4>()?);
    (sum == crc32(&text[..written]) as usize).then_some(written)
}

/// Decoder for all members of a gzip stream.
///
/// Skips zeros after a member, because tapes and devices add them as padding.
struct GzipMembers<R> {
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let bytes = member.read(buffer)?;
            if bytes > 0 || buffer.is_empty() {
                return Ok(bytes);
            }
            let Some(member) = self.member.take() else { break };
            self.member = next_member(member.into_inner())?;
        }
        Ok(0)
    }
}

/// Returns a decoder for the next member, or `None` at the end of the stream. Skips zeros before the member.
fn next_member<R: BufRead>(mut stream: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let known = stream.fill_buf()?;
        if known.is_empty() {
            return Ok(None);
        }
        let zeros = known.iter().take_while(|&&byte| byte == 0).count();
        let is_over = zeros < known.len();
        stream.consume(zeros);
        if is_over {
            return Ok(Some(GzDecoder::new(stream)));
        }
    }
}

/// The decompressed text of a stream.
pub(super) struct Unpacked {
    parts: Receiver<io::Result<Part>>,
    text: Cursor<Vec<u8>>,
    /// The error after `text`.
    end: io::Result<()>,
    rest: Option<Box<dyn Read + Send>>,
}

impl Unpacked {
    /// Starts to decompress a stream in other threads.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub(super) fn start(stream: impl Read + Send + 'static, packed: Packed) -> io::Result<Self> {
        let (send, parts) = bounded(THREADS_AHEAD);
        let cut = move || {
            if let Err(cause) = cut(stream, packed, &send) {
                // If the receiver is gone, nobody needs the text any more, so a failure to send is ignored.
                let _ = send.send(Err(cause));
            }
        };
        begin(cut)?;
        Ok(Unpacked { parts, text: Cursor::default(), end: Ok(()), rest: None })
    }
}

impl Read for Unpacked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let lost = || io::Error::other("a thread that decompresses ended early");
        loop {
            if let Some(rest) = &mut self.rest {
                return rest.read(buffer);
            }
            let bytes = self.text.read(buffer)?;
            if bytes > 0 || buffer.is_empty() {
                return Ok(bytes);
            }
            mem::replace(&mut self.end, Ok(()))?;
            match self.parts.recv().map_err(|_| lost())?? {
                Part::Members(thread) => {
                    let (text, end) = thread.join().map_err(|_| lost())?;
                    (self.text, self.end) = (Cursor::new(text), end);
                }
                Part::Rest(rest) => self.rest = Some(rest),
            }
        }
    }
}

fn begin<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name("quadrille-unpack".to_owned()).spawn(work)
}

/// Divides a stream into groups of members and sends each group. Sends the rest of the stream last, if it
/// cannot be divided.
///
/// Ends early if the receiver is dropped.
fn cut(
    mut stream: impl Read + Send + 'static,
    packed: Packed,
    parts: &Sender<io::Result<Part>>,
) -> io::Result<()> {
    let mut known = Vec::new();
    loop {
        let (bytes, is_rest) = packed.cut(&known);
        if bytes > 0 {
            let rest = known.split_off(bytes);
            let members = mem::replace(&mut known, rest);
            let thread = begin(move || packed.unpack(&members))?;
            if parts.send(Ok(Part::Members(thread))).is_err() {
                return Ok(());
            }
        } else if is_rest || read_more(&mut stream, &mut known)? == 0 {
            let rest = match known.is_empty() {
                true => Box::new(stream),
                false => packed.text_of(Cursor::new(known).chain(stream))?,
            };
            let _ = parts.send(Ok(Part::Rest(rest)));
            return Ok(());
        }
    }
}

/// Reads once from the stream and appends the bytes to `bytes`.
///
/// Returns the number of appended bytes, which is 0 at the end of the stream.
fn read_more(stream: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let known = bytes.len();
    bytes.resize(known + READ_BYTES, 0);
    let read = loop {
        match stream.read(&mut bytes[known..]) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    bytes.truncate(known + read.as_ref().map_or(0, |&read| read));
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const BLOCK: usize = 256 << 10;

    /// Returns a gzip member with the extra field `extra`.
    ///
    /// The last `size` bytes of `extra` are replaced by the size of the member minus `less`.
    fn member(text: &[u8], extra: &[u8], (size, less): (usize, usize)) -> Vec<u8> {
        let encoder = flate2::GzBuilder::new().extra(extra);
        let mut encoder = encoder.write(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        let mut member = encoder.finish().unwrap();
        let bytes = (member.len() - less).to_le_bytes();
        member[12 + extra.len() - size..][..size].copy_from_slice(&bytes[..size]);
        member
    }

    /// Returns a gzip member as bgzip writes it, with another subfield before the subfield that contains the
    /// size.
    fn bgzf(text: &[u8]) -> Vec<u8> {
        member(text, b"XY\x01\0zBC\x02\0\0\0", (2, 1))
    }

    /// Returns some text, and the same text compressed as one member or frame per block.
    fn text_and_packed(packed: Packed) -> (Vec<u8>, Vec<u8>) {
        let text: Vec<u8> = (0..200_000u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let pack = |block: &[u8]| match packed {
            Packed::Gzip => member(block, b"IG\x04\0\0\0\0\0", (4, 0)),
            Packed::Zstd => zstd::bulk::compress(block, 1).unwrap(),
        };
        let members = text.chunks(BLOCK).flat_map(pack).collect();
        (text, members)
    }

    /// Returns the text and the error of a stream that arrives in pieces of `every` bytes.
    fn read(packed: Packed, stream: &[u8], every: usize) -> (Vec<u8>, Option<String>) {
        struct Pieces(Cursor<Vec<u8>>, usize);
        impl Read for Pieces {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let most = buffer.len().min(self.1);
                self.0.read(&mut buffer[..most])
            }
        }
        let mut text = Vec::new();
        let stream = Pieces(Cursor::new(stream.to_vec()), every);
        let end = Unpacked::start(stream, packed).unwrap().read_to_end(&mut text);
        (text, end.err().map(|error| error.to_string()))
    }

    /// Returns the text and the error of a stream that one decoder decompresses without dividing it into
    /// members.
    fn streamed(packed: Packed, stream: &[u8]) -> (Vec<u8>, Option<String>) {
        let mut text = Vec::new();
        let end = packed.text_of(stream).and_then(|mut stream| stream.read_to_end(&mut text));
        (text, end.err().map(|error| error.to_string()))
    }

    #[test]
    fn members_of_known_size_are_cut_off() {
        for kind in [Packed::Gzip, Packed::Zstd] {
            let (text, packed) = text_and_packed(kind);
            let (mut rest, mut members) = (&*packed, 0);
            while let Some(Next::Member { bytes, .. }) = kind.next(rest) {
                (rest, members) = (&rest[bytes..], members + 1);
            }
            assert_eq!((rest.len(), members), (0, text.len().div_ceil(BLOCK)));
            for every in [1000, usize::MAX] {
                assert!(read(kind, &packed, every) == (text.clone(), None), "{kind:?}");
            }
        }
        let members = [bgzf(b"one "), bgzf(b""), bgzf(b"two "), vec![0; 5]].concat();
        assert!(matches!(Packed::Gzip.next(&members), Some(Next::Member { text: 4, .. })));
        for every in [1, 7, usize::MAX] {
            assert_eq!(read(Packed::Gzip, &members, every), (b"one two ".to_vec(), None));
        }
        // Put a member that another program has written between the members with sizes.
        let mut usual = Vec::new();
        let mut encoder = flate2::read::GzEncoder::new(&b"three"[..], flate2::Compression::best());
        encoder.read_to_end(&mut usual).unwrap();
        let mixed = [members, usual, bgzf(b" four")].concat();
        assert_eq!(read(Packed::Gzip, &mixed, 3), (b"one two three four".to_vec(), None));
    }

    /// Returns the total length of the texts of all members that end before the byte offset `place`.
    fn whole_before(kind: Packed, packed: &[u8], place: usize) -> usize {
        let (mut begin, mut length) = (0, 0);
        while let Some(Next::Member { bytes, text }) = kind.next(&packed[begin..]) {
            begin += bytes;
            if begin > place {
                break;
            }
            length += text;
        }
        length
    }

    #[test]
    fn damaged_streams_are_read_as_without_threads() {
        let mut random = quadrille_model::random::SplitMix64(5);
        for kind in [Packed::Gzip, Packed::Zstd] {
            let (text, packed) = text_and_packed(kind);
            for round in 0..120 {
                let (mut damaged, at) = (packed.clone(), random.below(packed.len()));
                match round % 3 {
                    0 => damaged.truncate(at),
                    1 => damaged[at] ^= 1 << random.below(8),
                    _ => drop(damaged.splice(packed.len().., b"rest".iter().copied())),
                }
                let (found, error) = read(kind, &damaged, 50_000);
                let (expected, expected_error) = streamed(kind, &damaged);
                // How early a decoder notices damage in a member depends on the sizes of reads. So only the
                // common part of the two texts is compared.
                let common = found.len().min(expected.len());
                assert!(found[..common] == expected[..common], "{kind:?} {round}");
                let whole = if round % 3 == 2 { text.len() } else { whole_before(kind, &packed, at) };
                assert!(common >= whole && text.starts_with(&found[..whole]), "{kind:?} {round}");
                // Only the reader with threads uses the size in the header. The reader without threads
                // ignores it, and so does not notice that the size is damaged.
                let is_of_size = matches!(kind, Packed::Gzip) && round % 3 == 1 && expected_error.is_none();
                assert!(error == expected_error || is_of_size, "{kind:?} {round} {error:?}");
            }
        }
    }

    #[test]
    fn wrong_sizes_in_headers_cost_no_memory_and_no_rows() {
        let (text, packed) = text_and_packed(Packed::Gzip);
        let second = number(&packed[16..20]);
        for size in [0, 1, 19, 27, second - 1, second + 1, 2 * second, MEMBERS_BYTES, 0xffff_ffff] {
            let mut damaged = packed.clone();
            damaged[16..20].copy_from_slice(&(size as u32).to_le_bytes());
            let (found, error) = read(Packed::Gzip, &damaged, usize::MAX);
            assert!(error.is_some() || found == text, "{size}");
            assert!(text.starts_with(&found), "{size}");
        }
        let mut equal = [&packed[..second], &packed[..second]].concat();
        equal[16..20].copy_from_slice(&(2 * second as u32).to_le_bytes());
        assert_eq!(read(Packed::Gzip, &equal, usize::MAX), streamed(Packed::Gzip, &equal));
        // The stored length of the text is wrong: too small, too large, or far too large.
        for length in [0u32, 5, 300 << 10, 1 << 30, u32::MAX] {
            let mut damaged = packed.clone();
            damaged[second - 4..second].copy_from_slice(&length.to_le_bytes());
            let (found, error) = read(Packed::Gzip, &damaged, usize::MAX);
            assert!(error.is_some() && text.starts_with(&found), "{length}");
        }
    }
}
