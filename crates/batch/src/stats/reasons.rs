//! Counts of records that were not answered as requested, for each kind of reason. The first few records of
//! each kind are listed.
//!
//! Reasons of the same kind differ only in numbers and quoted text. For example, the reason `80 characters:
//! no grid has this many cells` is of the kind `# characters: no grid has this many cells`.

use std::cmp::Ordering;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::figure::{Entry, Figure, Parsed, first_entries, insert_first};
use quadrille_model::Status;

/// Maximum number of kinds kept.
const KINDS: usize = 24;
/// Maximum number of records that are listed for each kind of reason.
const NAMED: usize = 5;
/// Maximum length of a stored reason, in characters.
const LENGTH: usize = 160;

/// A record that was not answered as requested, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedRecord {
    /// 1-based number of the record in the corpus. If the input is a shard, the records of earlier shards are
    /// counted too.
    pub index: u64,
    /// Name of the source.
    pub source: String,
    /// Line in the source, 1-based.
    pub line: u64,
    /// Reason, shortened if it is very long.
    pub reason: String,
}

/// Number of records that have the same status and the same kind of reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReasonCounts {
    /// Status of the records.
    #[serde(serialize_with = "write_status", deserialize_with = "read_status")]
    pub status: Status,
    /// Reason in which `#` replaces numbers and `'...'` replaces quoted text.
    #[serde(rename = "reason")]
    pub kind: String,
    /// Number of records.
    pub records: u64,
    /// First records with this kind of reason, in ascending order.
    pub first: Vec<RefusedRecord>,
}

fn write_status<S: Serializer>(status: &Status, into: S) -> Result<S::Ok, S::Error> {
    into.serialize_str(status.word())
}

fn read_status<'de, D: Deserializer<'de>>(from: D) -> Result<Status, D::Error> {
    let word = String::deserialize(from)?;
    Status::from_word(&word).ok_or_else(|| D::Error::custom(format!("unknown status: {word}")))
}

impl Entry for ReasonCounts {
    fn cmp_key(&self, other: &Self) -> Ordering {
        (self.status.word(), &self.kind).cmp(&(other.status.word(), &other.kind))
    }

    fn count(&mut self) -> &mut u64 {
        &mut self.records
    }

    fn check(&mut self) -> Parsed<()> {
        self.first.sort();
        self.first.truncate(NAMED);
        self.records.check()
    }

    fn add(&mut self, other: Self) {
        self.records += other.records;
        other.first.into_iter().for_each(|refusal| insert_first(&mut self.first, refusal, NAMED));
    }
}

first_entries! {
    /// Kinds of reasons, sorted first by status and then by text.
    Reasons, "kinds": ReasonCounts; KINDS
}

impl Reasons {
    /// Counts a record.
    pub(super) fn record(&mut self, status: Status, reason: &str, (index, source, line): (u64, &str, u64)) {
        let first = RefusedRecord {
            index,
            source: source.into(),
            line,
            reason: reason.chars().take(LENGTH).collect(),
        };
        self.add(ReasonCounts { status, kind: kind_of(reason), records: 1, first: vec![first] });
    }
}

/// Returns the kind of a reason. This is its text with `#` for each number and `'...'` for quoted text.
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
                // The quoted text may itself contain a quotation mark. So a quotation mark ends the text only
                // if no other quotation mark follows it.
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
            let kept: u64 = forth.list.iter().map(|share| share.records).sum();
            prop_assert_eq!(kept + forth.others, list.len() as u64);
            prop_assert!(forth.list.len() <= KINDS);
        }
    }
}
