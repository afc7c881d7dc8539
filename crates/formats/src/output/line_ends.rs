//! The ends of lines, and the byte order mark: those of the first source, or as asked for.
//!
//! All formatters end lines in a line feed. The formatter around them here changes that row by row, and only where another end is
//! wanted.

use std::sync::OnceLock;

use crate::input::{Layout, LineBreak};

use super::{Formatter, Lose, Notation, OutputFormat, PlainOutput, Row};

/// The mark that some programs put before text in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The choice of line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineEnds {
    /// Those of the first source, and its byte order mark, where its own lines, columns or objects are part of the output; line feeds
    /// elsewhere.
    #[default]
    Keep,
    /// Line feeds, and no byte order mark.
    Lf,
    /// Carriage returns and line feeds, and no byte order mark.
    CrLf,
}

impl LineEnds {
    /// All of them, in the order of the documentation.
    pub const ALL: [LineEnds; 3] = [LineEnds::Keep, LineEnds::Lf, LineEnds::CrLf];

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            LineEnds::Keep => "keep",
            LineEnds::Lf => "lf",
            LineEnds::CrLf => "crlf",
        }
    }

    /// Returns one line about it.
    pub fn about(self) -> &'static str {
        match self {
            LineEnds::Keep => {
                "those of the first input, and its byte order mark, where its own rows are written; lf elsewhere"
            }
            LineEnds::Lf => "line feeds, and no byte order mark",
            LineEnds::CrLf => "carriage returns and line feeds, and no byte order mark",
        }
    }
}

/// A formatter whose rows get other line ends.
pub(super) struct LineEnded {
    rows: Box<dyn Formatter>,
    asked: LineEnds,
    format: OutputFormat,
    /// True if rows are records as they are in the input.
    is_kept: bool,
    /// The choice by the first source.
    first: OnceLock<First>,
}

/// What the first source decides.
#[derive(Clone, Copy)]
struct First {
    line_break: LineBreak,
    /// True if it is a table of text.
    is_table: bool,
}

impl LineEnded {
    pub(super) fn new(
        rows: Box<dyn Formatter>,
        format: OutputFormat,
        is_kept: bool,
        asked: LineEnds,
    ) -> Self {
        LineEnded { rows, asked, format, is_kept, first: OnceLock::new() }
    }

    /// Returns true if rows of a source with this layout are part of the output.
    fn writes_theirs(&self, layout: &Layout) -> bool {
        self.is_kept
            || self.format == OutputFormat::Csv && layout.csv.is_some()
            || self.format == OutputFormat::Jsonl && layout.members.is_some()
    }

    /// Returns what a first source with this layout decides.
    fn choice(&self, layout: &Layout) -> First {
        let line_break = match self.asked {
            LineEnds::Keep if self.writes_theirs(layout) => layout.line_break,
            LineEnds::Keep => LineBreak::Lf,
            LineEnds::Lf => LineBreak::Lf,
            LineEnds::CrLf => LineBreak::CrLf,
        };
        First { line_break, is_table: layout.csv.is_some() }
    }

    /// Sets the ends of the lines from `start` on, which are rows of a source whose own is `given`.
    fn end_lines(&self, first: First, given: LineBreak, out: &mut Vec<u8>, start: usize) {
        let First { line_break, is_table } = first;
        // Columns may have other line ends between quotes, which stay.
        let is_table = self.format == OutputFormat::Csv || self.is_kept && is_table;
        let given = if self.is_kept && !is_table { given } else { LineBreak::Lf };
        if (line_break, given) == (LineBreak::Lf, LineBreak::Lf) {
            return;
        }
        if !is_table {
            set_line_breaks(out, start, given, line_break);
        } else if out[start..].ends_with(b"\n") {
            out.pop();
            out.extend_from_slice(line_break.bytes());
        }
    }
}

/// Sets the ends of the lines from `start` on, which are line feeds, with a carriage return before them or not, or those of a source.
pub fn set_line_breaks(out: &mut Vec<u8>, start: usize, given: LineBreak, wanted: LineBreak) {
    if given == LineBreak::Lf && wanted == LineBreak::Lf {
        return;
    }
    let text = out.split_off(start);
    let mut rest = &text[..];
    while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
        let (line, behind) = rest.split_at(end);
        out.extend_from_slice(line);
        let length = match behind {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ if given == LineBreak::Cr => 1,
            _ => 0,
        };
        out.extend_from_slice(if length == 0 { b"\r" } else { wanted.bytes() });
        rest = &behind[length.max(1)..];
    }
    out.extend_from_slice(rest);
}

impl Formatter for LineEnded {
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        // A text of JSON has none.
        let may_have_mark = self.writes_theirs(layout) && self.format != OutputFormat::Jsonl;
        if layout.has_mark && may_have_mark && self.asked == LineEnds::Keep {
            out.extend_from_slice(MARK);
        }
        let start = out.len();
        self.rows.begin(layout, out);
        self.end_lines(self.choice(layout), LineBreak::Lf, out, start);
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        self.rows.row(row, out);
        let first = *self.first.get_or_init(|| self.choice(row.layout));
        self.end_lines(first, row.layout.line_break, out, start);
    }

    fn line_break(&self) -> LineBreak {
        self.first.get().map_or(LineBreak::Lf, |first| first.line_break)
    }

    fn learn(&self, first: &Layout) {
        self.first.get_or_init(|| self.choice(first));
        self.rows.learn(first);
    }

    fn notation(&self, layout: &Layout, record: &[u8]) -> Notation {
        self.rows.notation(layout, record)
    }

    fn repeats_head(&self) -> bool {
        self.rows.repeats_head()
    }

    fn takes_plain(&self, layout: &Layout) -> bool {
        self.rows.takes_plain(layout)
    }

    fn may_lose(&self, layout: &Layout) -> bool {
        self.rows.may_lose(layout)
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        self.rows.losses(row, lose);
    }

    fn plain_output(&self) -> Option<PlainOutput> {
        self.rows.plain_output()
    }
}
