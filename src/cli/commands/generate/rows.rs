//! Writes generated records as lines of text, as columns or as JSON objects.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cli::args::GenerateArgs;
use crate::cli::files;
use quadrille_formats::output::{write_json, write_record};
use quadrille_generate::Generated;
use quadrille_model::Error;

/// Maximum time between two flushes of the output while rows are generated.
const FLUSH_AFTER: Duration = Duration::from_millis(200);

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notation {
    /// Lines of text with fields separated by tabs. If puzzles have extra rules, the rules are part of the
    /// puzzle's field.
    Lines,
    /// A table: a line of column names, then one line per record. This byte separates the columns. If puzzles
    /// have extra rules, the rules have their own column.
    Columns(u8),
    /// One JSON object per line. If puzzles have extra rules, the rules have their own member.
    Objects,
}

/// Error that means that no more rows can be written. [`Rows::end`] returns the reason.
pub(super) struct Ended;

/// Writes records.
pub(super) struct Rows<'a> {
    args: &'a GenerateArgs,
    notation: Notation,
    /// Names of the columns.
    fields: Vec<&'a str>,
    out: Box<dyn Write + Send>,
    line: Vec<u8>,
    rows: u64,
    /// Fewest and most clues.
    clues: Option<(u32, u32)>,
    bytes: u64,
    flushed: Instant,
    failure: Option<std::io::Error>,
}

/// Result of writing all rows.
pub(super) struct RowsWritten {
    pub(super) rows: u64,
    /// Fewest and most clues.
    pub(super) clues: Option<(u32, u32)>,
    /// True if the program that reads the output closed it.
    pub(super) closed: bool,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        args: &'a GenerateArgs,
        notation: Notation,
        has_rules: bool,
        out: Box<dyn Write + Send>,
    ) -> Self {
        let mut fields: Vec<&str> = args.fields.iter().map(String::as_str).collect();
        // In the notation `Lines`, the puzzle field includes the rules. The other notations need a separate
        // field for the rules.
        if has_rules && notation != Notation::Lines && fields.contains(&"puzzle") {
            fields.push("rules");
        }
        let (line, rows, bytes, flushed, failure) = (Vec::new(), 0, 0, Instant::now(), None);
        let mut written =
            Rows { args, notation, fields, out, line, rows, clues: None, bytes, flushed, failure };
        if let Notation::Columns(delimiter) = notation {
            write_record(&written.fields, delimiter, &mut written.line);
            written.failure = written.out.write_all(&written.line).err();
            written.bytes += written.line.len() as u64;
        }
        written
    }

    pub(super) fn write(&mut self, record: &Generated) -> std::result::Result<(), Ended> {
        self.line.clear();
        let values = self.fields.iter().map(|field| value_of(field, record, self.notation));
        match self.notation {
            Notation::Columns(delimiter) => {
                write_record(values.map(|(value, _)| value), delimiter, &mut self.line)
            }
            Notation::Lines => {
                values.for_each(|(value, _)| self.line.extend([value.as_bytes(), b"\t"].concat()));
                self.line.pop();
                self.line.push(b'\n');
            }
            Notation::Objects => {
                for (number, (field, (value, is_number))) in self.fields.iter().zip(values).enumerate() {
                    let start = if number == 0 { '{' } else { ',' };
                    self.line.extend_from_slice(format!("{start}\"{field}\":").as_bytes());
                    match value.as_str() {
                        "" => self.line.extend_from_slice(b"null"),
                        _ if is_number => self.line.extend_from_slice(value.as_bytes()),
                        text => write_json(text, &mut self.line),
                    }
                }
                self.line.extend_from_slice(b"}\n");
            }
        }
        let flush = self.flushed.elapsed() >= FLUSH_AFTER;
        let mut written = match self.failure.take() {
            Some(cause) => Err(cause),
            None => self.out.write_all(&self.line),
        };
        if flush {
            written = written.and_then(|()| self.out.flush());
            self.flushed = Instant::now();
        }
        match written {
            Ok(()) => {
                self.rows += 1;
                let clues = record.clues();
                let (fewest, most) = self.clues.unwrap_or((clues, clues));
                self.clues = Some((fewest.min(clues), most.max(clues)));
                self.bytes += self.line.len() as u64;
                Ok(())
            }
            Err(cause) => {
                self.failure = Some(cause);
                Err(Ended)
            }
        }
    }

    /// Flushes the output and returns the counts of written rows.
    ///
    /// # Errors
    /// Returns the first error of writing. It is not an error if the reader closed the output.
    pub(super) fn end(mut self) -> Result<RowsWritten> {
        let failure = self.failure.take().or_else(|| self.out.flush().err());
        let closed = failure.as_ref().is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe);
        match failure {
            Some(cause) if !closed => {
                let path = files::named(self.args.to.out.as_deref()).unwrap_or(Path::new("standard output"));
                Err(Error::io("writing", path, self.bytes, cause).into())
            }
            _ => Ok(RowsWritten { rows: self.rows, clues: self.clues, closed }),
        }
    }
}

/// Returns the value of a field (empty if the record has none), and true if the value is a number.
fn value_of(field: &str, record: &Generated, notation: Notation) -> (String, bool) {
    let text = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut text = Vec::new();
        write(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    match field {
        "index" => ((record.index + 1).to_string(), true),
        "clues" => (record.clues().to_string(), true),
        "guesses" => (record.guesses.map(|guesses| guesses.to_string()).unwrap_or_default(), true),
        "rating" => (record.rating.map(|rating| rating.to_string()).unwrap_or_default(), true),
        "weight" => (record.weight().map(|weight| weight.to_string()).unwrap_or_default(), true),
        "orders" => (record.orders.map(|orders| orders.to_string()).unwrap_or_default(), true),
        "solution" => (text(&|out| record.write_solution(out)), false),
        "rules" => (record.rules.as_ref().map(|rules| rules.text().to_owned()).unwrap_or_default(), false),
        _ if notation == Notation::Lines => (text(&|out| record.write_puzzle(out)), false),
        _ => (text(&|out| record.write_cells(out)), false),
    }
}
