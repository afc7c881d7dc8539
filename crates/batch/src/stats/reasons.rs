//! Records that were not answered as requested, by reason, with the first few records for each.
//!
//! Reasons that differ only in numbers and quoted text are of one kind: `80 characters: no grid has this many cells`
//! becomes `# characters: no grid has this many cells`. Only the first kinds by name are kept; records of the others
//! are counted together. A kind that is among the first of a whole corpus is also among the first of each part with it,
//! so parts add up exactly.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::figure::{Figure, Parsed};
use quadrille_model::Status;

/// Maximum number of kinds kept.
const KINDS: usize = 24;
/// Maximum number of records listed for each kind.
const NAMED: usize = 5;
/// Maximum number of characters kept of a reason.
const LENGTH: usize = 160;

/// A record, and the reason given for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedRecord {
    /// Number of the record over the whole run, 1-based.
    pub index: u64,
    /// Name of the source.
    pub source: String,
    /// Line in the source, 1-based.
    pub line: u64,
    /// Reason in full, or the beginning of a long reason.
    pub reason: String,
}

/// Records of one status with the same kind of reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReasonCounts {
    /// Status of the records.
    #[serde(serialize_with = "write_status", deserialize_with = "read_status")]
    pub status: Status,
    /// Reason with `#` for numbers and `'...'` for quoted text.
    #[serde(rename = "reason")]
    pub kind: String,
    /// Number of records.
    pub records: u64,
    /// First records of the kind, ascending.
    pub first: Vec<RefusedRecord>,
}

fn write_status<S: Serializer>(status: &Status, into: S) -> Result<S::Ok, S::Error> {
    into.serialize_str(status.word())
}

fn read_status<'de, D: Deserializer<'de>>(from: D) -> Result<Status, D::Error> {
    let word = String::deserialize(from)?;
    Status::from_word(&word).ok_or_else(|| D::Error::custom(format!("unknown status: {word}")))
}

impl ReasonCounts {
    fn key(&self) -> (&str, &str) {
        (self.status.word(), &self.kind)
    }

    fn name(&mut self, refusal: &RefusedRecord) {
        if self.first.len() < NAMED || self.first.last().is_some_and(|last| refusal < last) {
            let place = self.first.partition_point(|other| other <= refusal);
            self.first.insert(place, refusal.clone());
            self.first.truncate(NAMED);
        }
    }
}

/// Kinds of reasons, ascending by status and name, and the number of records of other kinds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Reasons {
    #[serde(rename = "kinds")]
    list: Vec<ReasonCounts>,
    others: u64,
}

impl Figure for Reasons {
    fn merge_from(&mut self, other: &Reasons) {
        self.others += other.others;
        other.list.iter().for_each(|share| self.add(share));
    }

    fn clear(&mut self) {
        self.list.clear();
        self.others = 0;
    }

    fn check(&mut self) -> Parsed<()> {
        self.others.check()?;
        for mut share in std::mem::take(&mut self.list) {
            share.records.check()?;
            self.add(&share);
        }
        Ok(())
    }
}

impl Reasons {
    pub(super) fn list(&self) -> &[ReasonCounts] {
        &self.list
    }

    pub(super) fn others(&self) -> u64 {
        self.others
    }

    /// Returns the counts of a kind, or `None` if it is not kept; the caller must then count the record.
    fn share(&mut self, status: Status, kind: &str) -> Option<&mut ReasonCounts> {
        let place = self.list.binary_search_by(|share| share.key().cmp(&(status.word(), kind)));
        let place = match place {
            Ok(place) => place,
            Err(KINDS..) => return None,
            Err(place) => {
                let share = ReasonCounts { status, kind: kind.to_owned(), records: 0, first: Vec::new() };
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
    pub(super) fn record(&mut self, status: Status, reason: &str, (index, source, line): (u64, &str, u64)) {
        match self.share(status, &kind_of(reason)) {
            Some(share) => {
                share.records += 1;
                if share.first.len() < NAMED || share.first.last().is_some_and(|last| index < last.index) {
                    let reason = reason.chars().take(LENGTH).collect();
                    share.name(&RefusedRecord { index, source: source.into(), line, reason });
                }
            }
            None => self.others += 1,
        }
    }

    /// Adds the counts of a kind from other statistics.
    fn add(&mut self, other: &ReasonCounts) {
        match self.share(other.status, &other.kind) {
            Some(share) => {
                share.records += other.records;
                other.first.iter().for_each(|refusal| share.name(refusal));
            }
            None => self.others += other.records,
        }
    }
}

/// Returns the kind of a reason, with `#` for numbers and `'...'` for quoted text.
fn kind_of(reason: &str) -> String {
    let mut kind = String::new();
    let mut rest = reason.chars().take(LENGTH).peekable();
    while let Some(character) = rest.next() {
        match character {
            '0'..='9' => {
                while rest.next_if(char::is_ascii_digit).is_some() {}
                kind.push('#');
            }
            '\'' if kind.is_empty() || kind.ends_with(' ') => {
                kind.push_str("'...'");
                // A quote ends the text unless another quote follows: the quoted text may itself be a quote.
                while let Some(character) = rest.next() {
                    if character == '\'' && rest.peek().is_none_or(|next| *next != '\'') {
                        break;
                    }
                }
            }
            _ => kind.push(character),
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_and_quoted_text_do_not_make_new_reasons() {
        assert_eq!(
            kind_of("80 characters: no grid has this many cells"),
            "# characters: no grid has this many cells"
        );
        assert_eq!(
            kind_of("'x' in row 3 column 12 is not a digit of a 9x9"),
            "'...' in row # column # is not a digit of a #x#"
        );
        assert_eq!(kind_of("''' in row 1"), "'...' in row #");
        assert_eq!(kind_of("it's 5"), "it's #");
        assert_eq!(kind_of("'never closed 5"), "'...'");
        assert_eq!(kind_of(""), "");
    }

    fn of(list: &[(u8, u64)]) -> Reasons {
        let mut reasons = Reasons::default();
        for &(letter, index) in list {
            let text = format!("{} 7", char::from(b'a' + letter));
            reasons.record(Status::Invalid, &text, (index, "a.txt", index + 1));
        }
        reasons
    }

    proptest! {
        #[test]
        fn parts_add_up_in_any_order(list in proptest::collection::vec((0..60u8, 0..1000u64), 0..200), cut in 0..200usize) {
            let (left, right) = list.split_at(cut.min(list.len()));
            let (mut forth, mut back) = (of(left), of(right));
            forth.merge_from(&of(right));
            back.merge_from(&of(left));
            prop_assert_eq!(&forth, &of(&list));
            prop_assert_eq!(&back, &forth);
            let kept: u64 = forth.list().iter().map(|share| share.records).sum();
            prop_assert_eq!(kept + forth.others(), list.len() as u64);
            prop_assert!(forth.list().len() <= KINDS);
        }
    }
}
