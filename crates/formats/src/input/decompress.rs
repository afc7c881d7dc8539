//! Decompresses gzip and zstd, which are detected by their first bytes and never by the file name.

use std::io::{self, Read};

use encoding_rs_io::DecodeReaderBytes;

use super::members::{Packed, Unpacked};

/// Number of bytes needed to recognise a compression format.
const MAGIC_BYTES: usize = 4;

/// Opens a stream for reading and decompresses it if it is compressed.
///
/// Reads all members of a gzip stream, or all frames of a zstd stream.
///
/// # Errors
/// Returns an error if reading fails. Also returns an error with advice for the user ([`hint_of`]) if the
/// stream is an archive that must be unpacked first, or text that must be converted first.
pub(super) fn open(mut raw: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = Vec::with_capacity(MAGIC_BYTES);
    // Read further bytes only if the bytes so far may be the start of a compressed stream. Otherwise a short
    // line that was typed into a pipe would have to wait for further input.
    while magic.len() < MAGIC_BYTES
        && could_be_magic(&magic)
        && raw.by_ref().take(1).read_to_end(&mut magic)? > 0
    {}
    let whole = io::Cursor::new(magic.clone()).chain(raw);
    match kind_of(&magic) {
        None => Ok(Box::new(whole)),
        Some(Kind::Packed(packed)) => Ok(Box::new(Unpacked::start(whole, packed)?)),
        // The library sees from the mark at the start which byte comes first.
        Some(Kind::Utf16) => Ok(Box::new(DecodeReaderBytes::new(whole))),
        Some(Kind::Unread(hint)) => Err(io::Error::new(io::ErrorKind::Unsupported, hint)),
    }
}

/// Returns true if further bytes could show that the source is not plain text.
fn could_be_magic(known: &[u8]) -> bool {
    let zstd_skippable = known.first().is_none_or(|byte| byte & 0xf0 == 0x50);
    zstd_skippable || MAGIC.iter().any(|(start, _)| start.starts_with(known))
}

/// Returns true if a source with these first bytes is neither compressed, nor a table, nor an archive.
pub(super) fn is_plain(head: &[u8]) -> bool {
    kind_of(head).is_none()
}

/// Recognises a source that is not plain text by its first bytes. Returns `None` for plain text.
fn kind_of(head: &[u8]) -> Option<Kind> {
    // Programs that write seekable zstd, or write zstd in parallel, put a skippable frame first.
    let is_skippable =
        || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]).then_some(Kind::Packed(Packed::Zstd));
    MAGIC.iter().find(|(start, _)| head.starts_with(start)).map(|&(_, kind)| kind).or_else(is_skippable)
}

/// A kind of source that is not plain text.
#[derive(Clone, Copy)]
enum Kind {
    Packed(Packed),
    Utf16,
    /// A source that cannot be read directly. Holds advice for the user, in which `ARCHIVE` is replaced by
    /// the source's name.
    Unread(&'static str),
}

/// Advice for a Parquet file. Such a file cannot be read from a pipe. A build without the feature `parquet`
/// cannot read it at all.
const PARQUET: &str = if cfg!(feature = "parquet") {
    "a Parquet file in a pipe, which can be read only from its end: give the file's name, or write the pipe as an Arrow stream"
} else {
    "a Parquet file, which this build cannot read: cargo install --path . --features parquet (or convert it: duckdb -csv -c \
     \"from 'ARCHIVE'\" | quadrille ...)"
};
const ARROW: &str = if cfg!(feature = "parquet") {
    "an Arrow stream within a compressed stream: name the file, or unpack it first"
} else {
    "an Arrow stream or file, which this build cannot read: cargo install --path . --features parquet"
};

/// First bytes that identify sources that are not plain text.
const MAGIC: &[(&[u8], Kind)] = &[
    (b"\x1f\x8b", Kind::Packed(Packed::Gzip)),
    (b"\x28\xb5\x2f\xfd", Kind::Packed(Packed::Zstd)),
    (b"\xff\xfe", Kind::Utf16),
    (b"\xfe\xff", Kind::Utf16),
    (
        b"PK\x03\x04",
        Kind::Unread(
            "a zip archive: unzip -p ARCHIVE | quadrille ... (a spreadsheet, .xlsx or .ods: save it as CSV)",
        ),
    ),
    (b"PAR1", Kind::Unread(PARQUET)),
    (b"ARRO", Kind::Unread(ARROW)),
    (b"\xff\xff\xff\xff", Kind::Unread(ARROW)),
    (b"%PDF", Kind::Unread("a PDF: pdftotext -layout ARCHIVE - | quadrille ...")),
    (b"\xd0\xcf\x11\xe0", Kind::Unread("a spreadsheet (.xls): save it as CSV")),
    (b"\x89PNG", Kind::Unread("a picture (PNG): its puzzles must be typed")),
    (b"\xff\xd8\xff", Kind::Unread("a picture (JPEG): its puzzles must be typed")),
    (b"PK\x05\x06", Kind::Unread("an empty zip archive")),
    (b"BZh", Kind::Unread("compressed with bzip2: bzcat ARCHIVE | quadrille ...")),
    (b"\xfd7zX", Kind::Unread("compressed with xz: xzcat ARCHIVE | quadrille ...")),
    (b"7z\xbc\xaf", Kind::Unread("a 7z archive: 7z x -so ARCHIVE | quadrille ...")),
];

/// Returns the advice for the user that an error of [`open`] contains, or `None` if it contains no advice.
///
/// `name` is the name of the source.
pub(super) fn hint_of(error: &io::Error, name: &str) -> Option<String> {
    // Only errors of [`open`] have the kind `Unsupported`. Readers of compressed data never report it.
    let hint = error.get_ref().filter(|_| error.kind() == io::ErrorKind::Unsupported)?;
    Some(hint.to_string().replace("ARCHIVE", name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        open(io::Cursor::new(bytes))?.read_to_end(&mut text)?;
        Ok(text)
    }

    #[test]
    fn all_members_and_frames_are_read() {
        let zstd = |text: &[u8]| zstd::encode_all(text, 1).unwrap();
        assert_eq!(read([gzip(b"one "), gzip(b""), gzip(b"two")].concat()).unwrap(), b"one two");
        let skippable = vec![0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2];
        assert_eq!(read([skippable, zstd(b"one "), zstd(b"two")].concat()).unwrap(), b"one two");
        assert_eq!(
            read([gzip(b"one "), vec![0; 700], gzip(b"two"), vec![0; 9]].concat()).unwrap(),
            b"one two"
        );
        assert!(read([gzip(b"one "), b"two".to_vec()].concat()).is_err());
        for plain in [&b""[..], b"P", b"PK", b"P.3", b"BZ", b"\x1f", b"(12", b"12345"] {
            assert_eq!(read(plain.to_vec()).unwrap(), plain);
        }
    }

    #[test]
    fn a_truncated_stream_is_an_error() {
        let mut short = gzip(&b"some text that is long enough".repeat(50));
        short.truncate(short.len() - 6);
        assert!(read(short).is_err());
        let mut short = zstd::encode_all(&b"0123456789abcdef".repeat(1000)[..], 1).unwrap();
        short.truncate(short.len() - 3);
        assert!(read(short).is_err());
    }

    #[test]
    fn archives_come_with_a_hint() {
        let error = read(b"PK\x03\x04rest".to_vec()).unwrap_err();
        assert!(
            hint_of(&error, "a.zip").unwrap().starts_with("a zip archive: unzip -p a.zip | quadrille ...")
        );
        assert!(hint_of(&io::Error::other("x"), "a").is_none());
    }
}
