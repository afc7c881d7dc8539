//! Counts the lines of a source. Each line is part of a record or has one of the kinds in [`LineKind`].

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::lines::is_blank;

/// Kind of a line that is not part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// Nothing but blanks.
    Blank,
    /// A line that the format defines as a comment, such as a line that begins with `#`.
    Comment,
    /// A title for the lines after it: names of columns or sections, or a sentence between grids that are
    /// written in rows.
    Heading,
    /// The number or name of a grid, row or column, alone on its line.
    Label,
    /// A line without letters and digits: part of a frame, or a bracket around records.
    Ruler,
    /// The number of records.
    Count,
    /// Anything else.
    Other,
}

impl LineKind {
    /// Returns the kind of a line for which the format does not define a kind.
    pub(super) fn of(text: &[u8]) -> LineKind {
        let has_letters =
            || !text.is_ascii() && String::from_utf8_lossy(text).contains(char::is_alphanumeric);
        if text.iter().any(u8::is_ascii_alphanumeric) || has_letters() {
            LineKind::Other
        } else if text.iter().all(|&byte| is_blank(byte)) {
            LineKind::Blank
        } else {
            LineKind::Ruler
        }
    }
}

/// Number of lines that are part of records, and number of other lines of each kind. The sum is the number of
/// all lines of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LineCounts {
    /// Number of lines that are part of records, from the first to the last line of each record.
    pub records: u64,
    /// Lines of kind [`LineKind::Blank`].
    pub blank: u64,
    /// Lines of kind [`LineKind::Comment`].
    pub comments: u64,
    /// Lines of kind [`LineKind::Heading`].
    pub headings: u64,
    /// Lines of kind [`LineKind::Label`].
    pub labels: u64,
    /// Lines of kind [`LineKind::Ruler`].
    pub rulers: u64,
    /// Lines of kind [`LineKind::Count`].
    pub counts: u64,
    /// Lines of kind [`LineKind::Other`].
    pub other: u64,
}

impl LineCounts {
    /// Returns, for each kind of line outside records, the number of lines and the noun that messages use for
    /// them.
    ///
    /// The kinds are in the order of the fields of [`LineCounts`].
    pub fn others(mut self) -> [(u64, &'static str); 7] {
        const NOUNS: [&str; 7] =
            ["blank line", "comment", "heading", "label", "ruler", "count", "other line"];
        let [_, others @ ..] = self.fields();
        std::array::from_fn(|kind| (*others[kind], NOUNS[kind]))
    }

    /// Returns the total number of lines.
    pub fn total(&self) -> u64 {
        self.records + self.others().iter().map(|(lines, _)| lines).sum::<u64>()
    }

    /// Returns the number of lines with text: comments, headings, and lines of kind [`LineKind::Other`].
    pub fn text(&self) -> u64 {
        self.comments + self.headings + self.other
    }

    /// Returns all fields in their order, which is that of [`LineKind`] after the lines of records.
    fn fields(&mut self) -> [&mut u64; 8] {
        let LineCounts { records, blank, comments, headings, labels, rulers, counts, other } = self;
        [records, blank, comments, headings, labels, rulers, counts, other]
    }

    /// Adds `lines` to the number of lines of the given kind.
    pub(super) fn add(&mut self, kind: LineKind, lines: u64) {
        *self.fields()[1 + kind as usize] += lines;
    }
}

impl AddAssign for LineCounts {
    fn add_assign(&mut self, mut more: LineCounts) {
        self.fields().into_iter().zip(more.fields()).for_each(|(field, more)| *field += *more);
    }
}
