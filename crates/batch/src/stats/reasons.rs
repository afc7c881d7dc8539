//! Records that were not answered as asked, by the reason for it, with the first few of each.
//!
//! Reasons that differ in numbers and in quoted text only are one kind: `80 characters: no grid has this many cells` is
//! `# characters: no grid has this many cells`. Of many kinds the first by name are kept, and the others are counted together.
//! A kind that is among the first of a whole is among the first of each of its parts, so that parts add up exactly.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use quadrille_model::Status;

/// Kinds that are kept.
const KINDS: usize = 24;
/// Records that are named for each.
const NAMED: usize = 5;
/// Characters that are kept of a reason.
const LENGTH: usize = 160;

/// A record, and what was said of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Refusal {
    /// Number over the whole run, from 1.
    pub index: u64,
    /// The source's name.
    pub source: String,
    /// Line in the source, from 1.
    pub line: u64,
    /// The reason in full, or the beginning of a long one.
    pub reason: String,
}

/// The records of one status that have the same kind of reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasonShare {
    /// The status.
    #[serde(serialize_with = "write_status", deserialize_with = "read_status")]
    pub status: Status,
    /// The reason with `#` for numbers and `'...'` for quoted text.
    #[serde(rename = "reason")]
    pub kind: String,
    /// The number of records.
    pub records: u64,
    /// The first of them, ascending.
    pub first: Vec<Refusal>,
}

fn write_status<S: Serializer>(status: &Status, into: S) -> Result<S::Ok, S::Error> {
    into.serialize_str(status.word())
}

fn read_status<'de, D: Deserializer<'de>>(from: D) -> Result<Status, D::Error> {
    let word = String::deserialize(from)?;
    Status::from_word(&word).ok_or_else(|| D::Error::custom(format!("no status is called {word}")))
}

impl ReasonShare {
    fn key(&self) -> (&str, &str) {
        (self.status.word(), &self.kind)
    }

    fn name(&mut self, refusal: &Refusal) {
        if self.first.len() < NAMED || self.first.last().is_some_and(|last| refusal < last) {
            let place = self.first.partition_point(|other| other <= refusal);
            self.first.insert(place, refusal.clone());
            self.first.truncate(NAMED);
        }
    }
}

/// Kinds of reasons, ascending by status and name, and the number of records of others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Reasons {
    list: Vec<ReasonShare>,
    others: u64,
    /// The kind of the last reason, whose memory is used again.
    kind: String,
}

impl Reasons {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.others = 0;
    }

    pub(super) fn list(&self) -> &[ReasonShare] {
        &self.list
    }

    pub(super) fn others(&self) -> u64 {
        self.others
    }

    pub(super) fn set_others(&mut self, others: u64) {
        self.others = others;
    }

    /// The share of a kind, if it is among those that are kept; other records are counted by the caller.
    fn share(&mut self, status: Status, kind: &str) -> Option<&mut ReasonShare> {
        let place = self.list.binary_search_by(|share| share.key().cmp(&(status.word(), kind)));
        let place = match place {
            Ok(place) => place,
            Err(KINDS..) => return None,
            Err(place) => {
                let share = ReasonShare { status, kind: kind.to_owned(), records: 0, first: Vec::new() };
                self.list.insert(place, share);
                if self.list.len() > KINDS {
                    self.others += self.list.pop().map_or(0, |last| last.records);
                }
                place
            }
        };
        Some(&mut self.list[place])
    }

    /// Counts a record.
    pub(super) fn record(&mut self, status: Status, reason: &str, index: u64, source: &str, line: u64) {
        let mut kind = std::mem::take(&mut self.kind);
        write_kind(reason, &mut kind);
        match self.share(status, &kind) {
            Some(share) => {
                share.records += 1;
                if share.first.len() < NAMED || share.first.last().is_some_and(|last| index < last.index) {
                    let reason = reason.chars().take(LENGTH).collect();
                    share.name(&Refusal { index, source: source.into(), line, reason });
                }
            }
            None => self.others += 1,
        }
        self.kind = kind;
    }

    /// Adds a share of others.
    pub(super) fn add(&mut self, other: &ReasonShare) {
        match self.share(other.status, &other.kind) {
            Some(share) => {
                share.records += other.records;
                other.first.iter().for_each(|refusal| share.name(refusal));
            }
            None => self.others += other.records,
        }
    }

    pub(super) fn merge(&mut self, other: &Reasons) {
        self.others += other.others;
        other.list.iter().for_each(|share| self.add(share));
    }
}

/// Writes the kind of a reason: `#` for numbers, `'...'` for quoted text.
fn write_kind(reason: &str, kind: &mut String) {
    kind.clear();
    let mut rest = reason.chars().take(LENGTH).peekable();
    while let Some(character) = rest.next() {
        match character {
            '0'..='9' => {
                while rest.next_if(char::is_ascii_digit).is_some() {}
                kind.push('#');
            }
            '\'' if kind.is_empty() || kind.ends_with(' ') => {
                kind.push_str("'...'");
                // Up to the quote before a blank or the end: what is quoted may be a quote.
                while let Some(character) = rest.next() {
                    if character == '\'' && rest.peek().is_none_or(|next| *next != '\'') {
                        break;
                    }
                }
            }
            _ => kind.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kind(reason: &str) -> String {
        let mut kind = String::from("left over");
        write_kind(reason, &mut kind);
        kind
    }

    #[test]
    fn numbers_and_quoted_text_do_not_make_kinds() {
        assert_eq!(
            kind("80 characters: no grid has this many cells"),
            "# characters: no grid has this many cells"
        );
        assert_eq!(
            kind("'x' in row 3 column 12 is no digit of a 9x9"),
            "'...' in row # column # is no digit of a #x#"
        );
        assert_eq!(kind("''' in row 1"), "'...' in row #");
        assert_eq!(kind("it's 5"), "it's #");
        assert_eq!(kind("'never closed 5"), "'...'");
        assert_eq!(kind(""), "");
    }

    fn of(list: &[(u8, u64)]) -> Reasons {
        let mut reasons = Reasons::default();
        for &(letter, index) in list {
            let text = format!("{} 7", char::from(b'a' + letter));
            reasons.record(Status::Invalid, &text, index, "a.txt", index + 1);
        }
        reasons.kind.clear();
        reasons
    }

    proptest! {
        #[test]
        fn parts_add_up_in_any_order(list in proptest::collection::vec((0..60u8, 0..1000u64), 0..200), cut in 0..200usize) {
            let (left, right) = list.split_at(cut.min(list.len()));
            let (mut forth, mut back) = (of(left), of(right));
            forth.merge(&of(right));
            back.merge(&of(left));
            prop_assert_eq!(&forth, &of(&list));
            prop_assert_eq!(&back, &forth);
            let kept: u64 = forth.list().iter().map(|share| share.records).sum();
            prop_assert_eq!(kept + forth.others(), list.len() as u64);
            prop_assert!(forth.list().len() <= KINDS);
        }
    }
}
