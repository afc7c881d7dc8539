//! Reads Arrow streams and files message by message.
//!
//! A compressed buffer begins with its uncompressed length, and the `arrow` library reserves that much
//! memory. If there is not enough memory, the process is aborted. Lengths are therefore checked before the
//! library sees them.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_footer_length, read_record_batch};
use arrow_ipc::{root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::Batches;

type Result<T> = std::result::Result<T, ArrowError>;

/// Bytes at the start of a message, before its length.
const MARK: [u8; 4] = [0xff; 4];
/// Length in bytes of the last part of a file, which consists of the footer's length and a marker.
const FILE_END: usize = 10;
/// Maximum number of bytes reserved for a message before the message is read.
const RESERVED: usize = 16 << 20;

/// A message, which consists of a description and values.
struct Message {
    about: Vec<u8>,
    values: Buffer,
}

/// Opens a stream.
///
/// Zeros before the first message are skipped, because files have them as padding.
pub(super) fn of_stream(mut raw: impl Read + Send + 'static) -> Result<(SchemaRef, Batches)> {
    let size = loop {
        match size_of_next(&mut raw)? {
            Some(0) => {}
            size => break size,
        }
    };
    let first = size.map(|size| message(&mut raw, size)).transpose()?;
    let first = first.ok_or_else(|| damaged("it has no schema"))?;
    let about = root_as_message(&first.about).map_err(|error| damaged(&error.to_string()))?;
    let schema = schema_of(about.header_as_schema())?;
    let messages = std::iter::from_fn(move || {
        let size = size_of_next(&mut raw).map(|size| size.filter(|&size| size > 0)).transpose()?;
        Some(size.map_err(ArrowError::from).and_then(|size| message(&mut raw, size)))
    });
    Ok((Arc::clone(&schema), batches(schema, messages)))
}

/// Opens a file by its footer, which contains the positions of the messages.
///
/// The order and alignment of the messages do not matter.
pub(super) fn of_file(mut raw: impl Read + Seek + Send + 'static) -> Result<(SchemaRef, Batches)> {
    let mut end = [0; FILE_END];
    raw.seek(SeekFrom::End(-(FILE_END as i64)))?;
    raw.read_exact(&mut end)?;
    let bytes = read_footer_length(end)?;
    raw.seek(SeekFrom::End(-((FILE_END + bytes) as i64)))?;
    let footer = part(&mut raw, bytes)?;
    let footer = root_as_footer(&footer).map_err(|error| damaged(&error.to_string()))?;
    let schema = schema_of(footer.schema())?;
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches()).flatten();
    let offsets: Vec<i64> = blocks.map(|block| block.offset()).collect();
    let messages = offsets.into_iter().map(move |offset| {
        raw.seek(SeekFrom::Start(u64::try_from(offset).unwrap_or(u64::MAX)))?;
        let size = size_of_next(&mut raw)?.ok_or_else(|| damaged("its footer is wrong"))?;
        message(&mut raw, size)
    });
    Ok((Arc::clone(&schema), batches(schema, messages)))
}

fn damaged(reason: &str) -> ArrowError {
    ArrowError::ParseError(format!("it is damaged: {reason}"))
}

fn schema_of(schema: Option<arrow_ipc::Schema<'_>>) -> Result<SchemaRef> {
    let schema = schema.ok_or_else(|| damaged("it has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        return Err(ArrowError::IpcError("its numbers have another order of bytes".to_owned()));
    }
    Ok(Arc::new(try_fb_to_schema(schema)?))
}

/// Returns the size of the next message's description in bytes, or `None` at the end of the input.
///
/// The size is 0 at an end marker.
fn size_of_next(raw: &mut impl Read) -> io::Result<Option<usize>> {
    let mut size = Vec::new();
    if raw.by_ref().take(4).read_to_end(&mut size)? < 4 {
        return Ok(None);
    }
    // In streams of old versions, no marker comes before the size.
    if size == MARK {
        size = part(raw, 4)?;
    }
    Ok(size.first_chunk().map(|&size| u32::from_le_bytes(size) as usize))
}

/// Reads a message whose description has `size` bytes.
fn message(raw: &mut impl Read, size: usize) -> Result<Message> {
    let about = part(raw, size)?;
    let read = root_as_message(&about).map_err(|error| damaged(&error.to_string()))?;
    let bytes = usize::try_from(read.bodyLength()).map_err(|_| damaged("a message has a negative length"))?;
    let values = Buffer::from_vec(part(raw, bytes)?);
    Ok(Message { about, values })
}

/// Reads `bytes` bytes.
fn part(raw: &mut impl Read, bytes: usize) -> io::Result<Vec<u8>> {
    // A damaged length may extend far beyond the end of the input.
    let mut part = Vec::with_capacity(bytes.min(RESERVED));
    match raw.by_ref().take(bytes as u64).read_to_end(&mut part)? == bytes {
        true => Ok(part),
        false => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends within a message")),
    }
}

/// Returns the batches in the messages that follow the schema.
fn batches(schema: SchemaRef, messages: impl Iterator<Item = Result<Message>> + Send + 'static) -> Batches {
    let mut dictionaries = HashMap::new();
    let decode = move |message: Result<Message>| {
        message.and_then(|message| decode(&message, &schema, &mut dictionaries)).transpose()
    };
    Box::new(messages.filter_map(decode))
}

/// Returns the batch in a message, or `None` if the message is a dictionary.
///
/// A dictionary is added to `dictionaries`.
fn decode(
    message: &Message,
    schema: &SchemaRef,
    dictionaries: &mut HashMap<i64, ArrayRef>,
) -> Result<Option<RecordBatch>> {
    let about = root_as_message(&message.about).map_err(|error| damaged(&error.to_string()))?;
    let (values, version) = (&message.values, about.version());
    if let Some(batch) = about.header_as_record_batch() {
        check_lengths(batch, values)?;
        read_record_batch(values, batch, Arc::clone(schema), dictionaries, None, &version).map(Some)
    } else if let Some(dictionary) = about.header_as_dictionary_batch() {
        dictionary.data().map_or(Ok(()), |batch| check_lengths(batch, values))?;
        read_dictionary(values, dictionary, schema, dictionaries, &version).map(|()| None)
    } else {
        Err(damaged("it has a message that is not rows"))
    }
}

/// Checks that there is enough memory for the uncompressed buffers of a batch.
///
/// Each compressed buffer begins with its uncompressed length.
fn check_lengths(batch: arrow_ipc::RecordBatch<'_>, values: &[u8]) -> Result<()> {
    let buffers = batch.compression().and_then(|_| batch.buffers()).into_iter().flatten();
    for buffer in buffers {
        let place = usize::try_from(buffer.offset()).ok().and_then(|place| values.get(place..));
        // Negative lengths, and buffers outside of the values, are not checked here: the library refuses them
        // itself.
        let length = place.and_then(<[u8]>::first_chunk).map_or(0, |&length| i64::from_le_bytes(length));
        let length = usize::try_from(length).unwrap_or(0);
        if Vec::<u8>::new().try_reserve_exact(length).is_err() {
            return Err(damaged(&format!("a compressed buffer claims to have {length} bytes")));
        }
    }
    Ok(())
}
