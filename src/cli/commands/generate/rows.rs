//! Writes generated records as lines of text, as columns or as JSON objects.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::cli::args::GenerateArgs;
use crate::cli::files;
use quadrille_engine::Flow;
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

/// Writes records.
pub(super) struct Rows<'a> {
    args: &'a GenerateArgs,
    notation: Notation,
    /// Names of the columns.
    fields: Vec<&'a str>,
    out: Box<dyn Write + Send>,
    line: Vec<u8>,
    /// Number of rows written so far.
    pub(super) rows: u64,
    /// Fewest and most clues.
    pub(super) clues: Option<(u32, u32)>,
    bytes: u64,
    flushed: Instant,
    failure: Option<std::io::Error>,
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

    /// Writes a record. Stops if no more rows can be written, for a reason that [`end`](Self::end) returns.
    pub(super) fn write(&mut self, record: &Generated) -> Flow {
        self.line.clear();
        let values = self.fields.iter().map(|field| value_of(field, record, self.notation));
        match self.notation {
            Notation::Columns(delimiter) => write_record(values, delimiter, &mut self.line),
            Notation::Lines => {
                values.for_each(|value| self.line.extend([value.as_bytes(), b"\t"].concat()));
                self.line.pop();
                self.line.push(b'\n');
            }
            Notation::Objects => {
                for (number, (field, value)) in self.fields.iter().zip(values).enumerate() {
                    let start = if number == 0 { '{' } else { ',' };
                    self.line.extend_from_slice(format!("{start}\"{field}\":").as_bytes());
                    match value.as_str() {
                        "" => self.line.extend_from_slice(b"null"),
                        text if ["puzzle", "solution", "rules"].contains(field) => {
                            write_json(text, &mut self.line);
                        }
                        number => self.line.extend_from_slice(number.as_bytes()),
                    }
                }
                self.line.extend_from_slice(b"}\n");
            }
        }
        self.failure = self.failure.take().or_else(|| self.out.write_all(&self.line).err());
        if self.flushed.elapsed() >= FLUSH_AFTER {
            self.failure = self.failure.take().or_else(|| self.out.flush().err());
            self.flushed = Instant::now();
        }
        if self.failure.is_some() {
            return Flow::Stop;
        }
        self.rows += 1;
        let clues = record.clues();
        let (fewest, most) = self.clues.unwrap_or((clues, clues));
        self.clues = Some((fewest.min(clues), most.max(clues)));
        self.bytes += self.line.len() as u64;
        Flow::Continue
    }

    /// Flushes the output. Returns true if the program that reads the output closed it.
    ///
    /// # Errors
    /// Returns the first error of writing.
    pub(super) fn end(&mut self) -> Result<bool> {
        let failure = self.failure.take().or_else(|| self.out.flush().err());
        let closed = failure.as_ref().is_some_and(|cause| cause.kind() == ErrorKind::BrokenPipe);
        // Closes the file before it gets its final name.
        self.out = Box::new(std::io::sink());
        match failure {
            Some(cause) if !closed => {
                let path = files::named(self.args.to.out.as_deref()).unwrap_or(Path::new("standard output"));
                Err(Error::io("writing", path, self.bytes, cause).into())
            }
            _ => Ok(closed),
        }
    }
}

/// Returns the value of a field, or an empty text if the record has none.
fn value_of(field: &str, record: &Generated, notation: Notation) -> String {
    let text = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut text = Vec::new();
        write(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    match field {
        "index" => (record.index + 1).to_string(),
        "clues" => record.clues().to_string(),
        "guesses" => record.guesses.map(|guesses| guesses.to_string()).unwrap_or_default(),
        "rating" => record.rating.map(|rating| rating.to_string()).unwrap_or_default(),
        "weight" => record.weight().map(|weight| weight.to_string()).unwrap_or_default(),
        "orders" => record.orders.map(|orders| orders.to_string()).unwrap_or_default(),
        "solution" => text(&|out| record.write_solution(out)),
        "rules" => record.rules.as_ref().map(|rules| rules.text().to_owned()).unwrap_or_default(),
        _ if notation == Notation::Lines => text(&|out| record.write_puzzle(out)),
        _ => text(&|out| record.write_cells(out)),
    }
}
