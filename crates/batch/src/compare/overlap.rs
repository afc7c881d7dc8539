//! The relation of every record of one corpus to another corpus.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3Default;

use super::waiting::WaitingRows;
use super::{Behind, KeyMark, Rest, RowFilter, stop, unless_stopped, write_waiting, write_with};
use crate::classes::{Asked, Firsts, Found, Questions};
use quadrille_engine::Control;
use quadrille_formats::output::Notation;
use quadrille_model::Status;
use quadrille_model::{Error, Result, worded};

/// The columns that stand behind every record.
pub const COLUMNS: &[&str] = &["relation", "first"];

worded! {
    /// The relations of a record to another corpus, in the order in which they are looked for, and the last: none.
    pub Relation, word, from_word {
        /// The same clues.
        Copy = "copy",
        /// The same puzzle but for arrangement and labels.
        Isomorph = "isomorph",
        /// Another puzzle on a solution that the corpus has, but for arrangement and labels.
        SameGrid = "same-grid",
        /// None of these.
        New = "new",
    }
}

/// Takes the keys of the corpus that is compared with; writes nothing.
pub struct Known {
    firsts: Firsts,
    digest: Xxh3Default,
}

impl Known {
    /// Returns one that takes so much memory and makes its temporary files in `directory`.
    pub fn new(memory: u64, directory: &Path) -> Self {
        Known { firsts: Firsts::new(memory, directory), digest: Xxh3Default::new() }
    }

    /// Returns a hash of all keys that came by, with the numbers of their records.
    pub fn digest(&self) -> u128 {
        self.digest.digest128()
    }

    /// All records have come by: compares others with them. Temporary files come into `directory`.
    ///
    /// # Errors
    /// What goes wrong with temporary files.
    pub fn compare(self, directory: &Path) -> Result<Overlap> {
        Ok(Overlap {
            questions: Some(self.firsts.questions()?),
            waiting: None,
            directory: directory.to_owned(),
            counts: [0; Relation::ALL.len()],
            journal: Vec::new(),
        })
    }
}

impl RowFilter for Known {
    fn take(&mut self, mark: &KeyMark, _: &[u8], _: &mut Vec<u8>) -> Result<u64> {
        self.digest.update(&mark.index.to_le_bytes());
        for key in mark.keys.into_iter().flatten() {
            self.digest.update(&key.to_le_bytes());
            self.firsts.add(key, mark.index)?;
        }
        Ok(0)
    }

    fn finish(&mut self, _: &Arc<Control>, _: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<Rest> {
        Ok(Rest::NONE)
    }
}

/// Puts the relation of every record to the known corpus behind it, and the number of the first record there that has it. A
/// record that is no copy and has not one solution has its status there instead.
///
/// As long as all keys of the known corpus fit into memory a row is written as soon as its turn comes; else rows wait on disk.
pub struct Overlap {
    questions: Option<Questions>,
    waiting: Option<WaitingRows>,
    directory: PathBuf,
    counts: [u64; Relation::ALL.len()],
    /// The number of each record's relation, and as many as there are where it has none.
    journal: Vec<u8>,
}

/// The mark of a waiting row of which something will be told, beside the number of its status.
const IS_ASKED: u8 = 0x80;
/// The mark of a row that can be compared with all of the corpus, instead of the number of a status.
const IS_COMPARED: u8 = 0x7f;

impl Overlap {
    /// Returns the number of records with a relation.
    pub fn count(&self, relation: Relation) -> u64 {
        self.counts[relation as usize]
    }

    /// Appends a row with the relation behind it.
    fn write(
        &mut self,
        rows: &[u8],
        notation: Notation,
        tag: u8,
        found: Option<Found>,
        out: &mut Vec<u8>,
    ) -> u64 {
        let relation = match found {
            Some(found) => Some(Relation::ALL[found.which]),
            None => (tag & !IS_ASKED == IS_COMPARED).then_some(Relation::New),
        };
        let word = match relation {
            Some(relation) => {
                self.counts[relation as usize] += 1;
                relation.word()
            }
            None => Status::ALL[usize::from(tag & !IS_ASKED)].word(),
        };
        if rows.is_empty() {
            return 0;
        }
        let number = found.map_or_else(String::new, |found| found.number.to_string());
        let columns = [
            Behind { name: COLUMNS[0], value: word, is_word: true },
            Behind { name: COLUMNS[1], value: &number, is_word: false },
        ];
        write_with(rows, notation, &columns, out);
        1
    }
}

impl RowFilter for Overlap {
    fn take(&mut self, mark: &KeyMark, rows: &[u8], out: &mut Vec<u8>) -> Result<u64> {
        let Some(questions) = &mut self.questions else { return Ok(0) };
        let asked = questions.ask(mark.keys)?;
        let tag = if mark.keys[1].is_some() { IS_COMPARED } else { mark.status as u8 };
        if asked == Asked::Later || self.waiting.is_some() {
            let waiting = self.waiting.get_or_insert_with(|| WaitingRows::new(&self.directory));
            let is_asked = if asked == Asked::Later { IS_ASKED } else { 0 };
            waiting.push(rows, mark.notation, tag | is_asked)?;
            return Ok(0);
        }
        let found = match asked {
            Asked::Found(found) => Some(found),
            Asked::Absent | Asked::Later => None,
        };
        let relation =
            found.map(|found| found.which).or((tag == IS_COMPARED).then_some(Relation::New as usize));
        self.journal.push(relation.unwrap_or(Relation::ALL.len()) as u8);
        Ok(self.write(rows, mark.notation, tag, found, out))
    }

    fn journal(&mut self) -> Option<&mut Vec<u8>> {
        if self.waiting.is_some() { None } else { Some(&mut self.journal) }
    }

    fn restore(&mut self, journal: &[u8]) -> Result<()> {
        for &relation in journal {
            match self.counts.get_mut(usize::from(relation)) {
                Some(count) => *count += 1,
                None if usize::from(relation) == Relation::ALL.len() => {}
                None => return Err(Error::usage("the relations of the checkpoint are none")),
            }
        }
        Ok(())
    }

    fn finish(
        &mut self,
        control: &Arc<Control>,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<Rest> {
        let (Some(questions), Some(waiting)) = (self.questions.take(), self.waiting.take()) else {
            return Ok(Rest::NONE);
        };
        questions.stop_by(stop(control));
        let Some(mut answers) = unless_stopped(questions.finish())? else { return Ok(Rest::STOPPED) };
        write_waiting(waiting, control, write, |rows, notation, tag, out| {
            let found = if tag & IS_ASKED != 0 { answers.next().transpose()?.flatten() } else { None };
            Ok(self.write(rows, notation, tag, found, out))
        })
    }
}
