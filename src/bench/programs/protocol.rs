//! Protocols: the forms in which `bench` gives records to a program and reads its answers.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

use super::super::corpus::Section;
use super::folder::Folder;
use quadrille_model::{Problem, Symbols};

/// Placeholder in a command for the name of the input file.
pub(super) const FILE: &str = "{}";
/// Placeholder in a command for a puzzle. With this placeholder, each process gets one puzzle.
pub(super) const PUZZLE: &str = "{puzzle}";

/// The form of a program's input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Input: one puzzle per line. Output: the solutions, anywhere in the text.
    Lines,
    /// Input: the number of grids, followed by each grid as rows of digits. Output: the solutions, anywhere
    /// in the text.
    Contest,
    /// Input: one puzzle per line. Output: one line per puzzle with the number of its solutions.
    Counts,
    /// Input: one exact cover problem in Knuth's format per process. Output: the number of its solutions.
    Cover,
    /// Input: one puzzle per line. Output: any text. All programs must print the same text.
    Same,
}

impl Protocol {
    /// All protocols with their names and descriptions, in the order in which they are tried.
    pub(crate) const ALL: [(&str, &str, Protocol); 5] = [
        ("lines", "one puzzle per line; solutions anywhere in the output", Protocol::Lines),
        ("contest", "the number of grids, then their rows; solutions as for lines", Protocol::Contest),
        ("counts", "one puzzle per line; one number of solutions per line", Protocol::Counts),
        ("cover", "one exact cover problem per process; its number of solutions", Protocol::Cover),
        ("same", "one puzzle per line; any output that all programs must agree on", Protocol::Same),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, _, protocol)| *protocol == self).map_or("", |(name, ..)| name)
    }

    /// Returns the protocols that are tried with a section (the records that are measured together).
    pub(super) fn tried(section: &Section) -> &'static [Protocol] {
        match section.problems.first() {
            Some(Problem::Cover(_)) => &[Protocol::Cover],
            _ => &[Protocol::Lines, Protocol::Contest, Protocol::Counts],
        }
    }
}

/// The records of a section as input files for programs. Each file is written when it is first requested.
pub(super) struct Inputs<'a> {
    pub(super) section: &'a Section,
    pub(super) folder: Folder,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(section: &'a Section) -> io::Result<Self> {
        Ok(Inputs { section, folder: Folder::new()? })
    }

    /// Returns a file with `count` records, beginning with record `first`. Writes the file when it is first
    /// requested.
    pub(super) fn file(&self, protocol: Protocol, first: usize, count: usize) -> io::Result<PathBuf> {
        let path = self.folder.path().join(format!("{}-{first}-{count}.txt", protocol.name()));
        if path.exists() {
            return Ok(path);
        }
        let mut file = io::BufWriter::new(File::create(&path)?);
        if protocol == Protocol::Contest {
            writeln!(file, "{count}")?;
        }
        for record in first..first + count {
            let text = self.text(record);
            if protocol != Protocol::Contest {
                file.write_all(text)?;
                file.write_all(b"\n")?;
                continue;
            }
            for row in text.chunks(text.len().isqrt().max(1)) {
                let zeros = row.iter().map(|&byte| if byte == b'.' { b'0' } else { byte });
                file.write_all(&zeros.chain([b'\n']).collect::<Vec<u8>>())?;
            }
        }
        file.flush()?;
        Ok(path)
    }

    /// Returns the text of a record.
    pub(super) fn text(&self, record: usize) -> &'a [u8] {
        &self.section.places[record].text
    }

    /// Returns the characters that the records use for digits.
    pub(super) fn symbols(&self) -> Symbols {
        self.section.symbols
    }
}

/// Splits a command at white space, except within quotes.
pub(super) fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}
