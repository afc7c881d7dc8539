//! Results of each record of a run, in a few bytes each, for comparing two runs record by record.
//!
//! A file has a head and one row per record, in the order of the input:
//!
//! ```text
//! "quadrille outcomes 1\n"
//! number of the first record                                                   8 bytes
//! for each record:
//!   hash of its text (the low half of xxh3_64)                                 4 bytes
//!   hash of the answer (the low bytes of its term in the checksum, index 0)    4 bytes
//!   status, as its index in the list of statuses                               1 byte
//!   guesses + 1, nodes + 1, nanoseconds + 1, each 0 if not known               varint each
//! ```
//! Numbers are little-endian. A varint has seven bits per byte, the lowest first; the high bit is set if another byte
//! follows. Times are only included with `--timings`. Without them the file is the same for any number of threads.

use std::io::{self, Read};

use xxhash_rust::xxh3::xxh3_64;

use crate::stats::AnsweredRecord;
use quadrille_model::{Error, Result, Status, usage};

/// First bytes of every file.
const MAGIC: &[u8] = b"quadrille outcomes 1\n";

/// Returns the bytes with which a file of outcomes begins. `first` is the number of its first record.
pub(crate) fn head(first: u64) -> Vec<u8> {
    [MAGIC, &first.to_le_bytes()].concat()
}

/// Results of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordOutcome {
    /// 1-based number of the record in the whole run.
    pub index: u64,
    /// Hash of the record's text.
    pub puzzle: u32,
    /// Hash of the answer.
    pub answer: u32,
    /// Verdict on the record.
    pub status: Status,
    /// Number of guesses of the search, or `None` if they were not counted.
    pub guesses: Option<u64>,
    /// Number of nodes of the search, or `None` if they were not counted.
    pub nodes: Option<u64>,
    /// Search time in nanoseconds, or `None` if it was not measured.
    pub time_ns: Option<u64>,
}

impl RecordOutcome {
    /// Creates the outcome of a record whose text in the input is `text`.
    pub(crate) fn new(text: &[u8], entry: &AnsweredRecord<'_>) -> Self {
        let counters = entry.answer.counters;
        RecordOutcome {
            index: entry.index,
            puzzle: xxh3_64(text) as u32,
            answer: entry.term(0) as u32,
            status: entry.answer.status,
            guesses: counters.map(|work| work.guesses),
            nodes: counters.map(|work| work.nodes),
            time_ns: entry.time_ns,
        }
    }

    /// Appends the row for this record to `out`.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.puzzle.to_le_bytes());
        out.extend_from_slice(&self.answer.to_le_bytes());
        out.push(self.status as u8);
        for value in [self.guesses, self.nodes, self.time_ns] {
            write_varint(value.map_or(0, |value| value.saturating_add(1)), out);
        }
    }
}

fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A reader of a file of outcomes, which reads one row at a time.
#[derive(Debug)]
pub struct OutcomeReader<R> {
    source: String,
    input: R,
    /// Number of the next record.
    index: u64,
    /// Number of bytes read so far.
    read: u64,
}

impl<R: Read> OutcomeReader<R> {
    /// Creates a reader and reads the start of the file, up to the first row.
    ///
    /// `input` should be buffered. `source` is its name in error messages.
    ///
    /// # Errors
    /// Returns an error if the input is not a file of outcomes, or cannot be read.
    pub fn new(source: String, input: R) -> Result<Self> {
        let mut reader = OutcomeReader { source, input, index: 0, read: 0 };
        let mut head = [0; MAGIC.len() + 8];
        match reader.take(&mut head) {
            Ok(()) if head.starts_with(MAGIC) => {
                let number = head.last_chunk().copied().unwrap_or_default();
                reader.index = u64::from_le_bytes(number);
                Ok(reader)
            }
            Err(cause) if cause.kind() != io::ErrorKind::UnexpectedEof => Err(reader.failed(cause)),
            _ => Err(usage!("{}: not a file that --outcomes-out wrote", reader.source)),
        }
    }

    /// Returns the outcome of the next record, or `None` at the end.
    ///
    /// # Errors
    /// Returns an error if the file is truncated or damaged, or cannot be read.
    pub fn next_trace(&mut self) -> Result<Option<RecordOutcome>> {
        let mut first = [0];
        match self.input.read(&mut first) {
            Ok(0) => return Ok(None),
            Ok(_) => self.read += 1,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => return self.next_trace(),
            Err(cause) => return Err(self.failed(cause)),
        }
        self.row(first[0]).map(Some).map_err(|cause| self.failed(cause))
    }

    fn row(&mut self, first: u8) -> io::Result<RecordOutcome> {
        let wrong = || io::Error::new(io::ErrorKind::InvalidData, "invalid record");
        let mut fixed = [first, 0, 0, 0, 0, 0, 0, 0, 0];
        self.take(&mut fixed[1..])?;
        let [puzzle, answer] =
            [0, 4].map(|at| u32::from_le_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]));
        let status = *Status::ALL.get(usize::from(fixed[8])).ok_or_else(wrong)?;
        let mut known = || self.varint().map(|number| number.checked_sub(1));
        let (guesses, nodes, time_ns) = (known()?, known()?, known()?);
        let index = self.index;
        self.index = index.checked_add(1).ok_or_else(wrong)?;
        Ok(RecordOutcome { index, puzzle, answer, status, guesses, nodes, time_ns })
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let mut byte = [0];
            self.take(&mut byte)?;
            let bits = u64::from(byte[0] & 0x7f);
            if bits > u64::MAX >> shift {
                break;
            }
            number |= bits << shift;
            if byte[0] & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "a number is too long"))
    }

    fn take(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(bytes)?;
        self.read += bytes.len() as u64;
        Ok(())
    }

    fn failed(&self, cause: io::Error) -> Error {
        Error::io("reading", &self.source, self.read, cause)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(list: &[RecordOutcome]) -> Vec<u8> {
        let mut bytes = head(list.first().map_or(1, |trace| trace.index));
        list.iter().for_each(|trace| trace.write(&mut bytes));
        bytes
    }

    fn read(bytes: &[u8]) -> Result<Vec<RecordOutcome>> {
        let mut reader = OutcomeReader::new("a".to_owned(), bytes)?;
        std::iter::from_fn(|| reader.next_trace().transpose()).collect()
    }

    fn outcomes() -> impl Strategy<Value = Vec<RecordOutcome>> {
        let known =
            || proptest::option::of((0..u64::MAX, 0..64u32).prop_map(|(value, shift)| value >> shift));
        let one = (any::<u32>(), any::<u32>(), 0..Status::ALL.len(), known(), known(), known());
        (1..1_000_000u64, proptest::collection::vec(one, 0..20)).prop_map(|(first, list)| {
            let trace = |(index, (puzzle, answer, status, guesses, nodes, time_ns))| RecordOutcome {
                index,
                puzzle,
                answer,
                status: Status::ALL[status],
                guesses,
                nodes,
                time_ns,
            };
            (first..).zip(list).map(trace).collect()
        })
    }

    proptest! {
        #[test]
        fn written_data_is_read_back(list in outcomes()) {
            prop_assert_eq!(read(&written(&list)).unwrap(), list);
        }

        #[test]
        fn damaged_files_are_errors(list in outcomes(), at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
            let mut bytes = written(&list);
            let place = at.index(bytes.len());
            bytes[place] = byte;
            bytes.truncate(cut.index(bytes.len()) + 1);
            let _ = read(&bytes);
        }
    }

    #[test]
    fn incomplete_files_are_refused() {
        assert!(read(b"").is_err() && read(b"{\"schema\": 1}, and more").is_err());
        let list = [RecordOutcome {
            index: 3,
            puzzle: 1,
            answer: 2,
            status: Status::None,
            guesses: None,
            nodes: Some(300),
            time_ns: None,
        }];
        let bytes = written(&list);
        assert!(read(&bytes[..bytes.len() - 1]).unwrap_err().to_string().contains("reading"));
    }
}
