//! Sets the line ends and the byte order mark of the output, as in the first source or as requested.
//!
//! All formatters end lines with a line feed. [`LineEnded`] wraps formatters and changes the line ends of
//! its rows if other line ends are needed.

use std::sync::OnceLock;

use crate::input::{Layout, LineBreak};

use super::csv::Csv;
use super::jsonl::Jsonl;
use super::{Formatter, OutputFormat, OutputOptions, Row};
use quadrille_model::worded;

/// UTF-8 byte order mark, which some programs write.
const MARK: &[u8] = b"\xef\xbb\xbf";

worded! {
    /// The choice of line ends.
    #[derive(Default)]
    pub LineEnds, name, from_name {
        /// Line ends and byte order mark of the first source, if the output repeats the rows of that source.
        ///
        /// If the output does not repeat them, lines end with line feeds, and there is no byte order mark.
        #[default]
        Keep = "keep" => "as in the first input, with its byte order mark, if its rows are repeated; otherwise lf",
        /// Line feeds, without a byte order mark.
        Lf = "lf" => "line feeds, and no byte order mark",
        /// Carriage returns and line feeds, without a byte order mark.
        CrLf = "crlf" => "carriage returns and line feeds, and no byte order mark",
    }
}

/// Formatter that changes the line ends of another formatter's rows.
///
/// If rows have the form of the first source, the first source decides which formatter writes them.
pub(super) struct LineEnded {
    /// Formatter of rows, unless one of those in `by_form` writes them.
    rows: Box<dyn Formatter>,
    /// Formatters for a first source with CSV or with objects. `None` if the form of rows is fixed.
    by_form: Option<(Csv, Jsonl)>,
    asked: LineEnds,
    format: OutputFormat,
    /// True if the command selects records. Rows then have the form of the records in the input.
    is_kept: bool,
    /// Layout of the first source. Empty until the first source is known.
    first: OnceLock<Layout>,
}

impl LineEnded {
    pub(super) fn new(rows: Box<dyn Formatter>, options: &OutputOptions) -> Self {
        let by_form = options.has_form_of_first().then(|| (Csv::new(options), Jsonl::new(options)));
        let is_kept = options.format == OutputFormat::Text && options.keeps_rows();
        let (asked, format) = (options.line_ends, options.format);
        LineEnded { rows, by_form, asked, format, is_kept, first: OnceLock::new() }
    }

    /// Returns the formatter that writes the rows. On the first call, `layout` must be the layout of the first
    /// source.
    fn rows(&self, layout: &Layout) -> &dyn Formatter {
        let Some((columns, objects)) = &self.by_form else { return &*self.rows };
        match self.first.get_or_init(|| layout.clone()) {
            Layout { members: Some(_), .. } => objects,
            Layout { csv: Some(_), .. } => columns,
            // Converted rows of tables, such as Parquet files, become CSV. Selected ones become lines.
            Layout { format, .. } if !self.is_kept && format.is_table() => columns,
            _ => &*self.rows,
        }
    }

    /// Returns true if the output repeats rows of a source with this layout.
    fn writes_theirs(&self, layout: &Layout) -> bool {
        self.is_kept
            || self.format == OutputFormat::Csv && layout.csv.is_some()
            || self.format == OutputFormat::Jsonl && layout.members.is_some()
    }

    /// Returns the line end of the output if the first source has this layout.
    fn choice(&self, layout: &Layout) -> LineBreak {
        match self.asked {
            LineEnds::Keep if self.writes_theirs(layout) => layout.line_break,
            LineEnds::Keep | LineEnds::Lf => LineBreak::Lf,
            LineEnds::CrLf => LineBreak::CrLf,
        }
    }

    /// Changes the ends of all lines in `out` from byte `start` on.
    ///
    /// These lines are rows of a source whose lines end with `given`. `first` is the layout of the first source.
    fn end_lines(&self, first: &Layout, given: LineBreak, out: &mut Vec<u8>, start: usize) {
        let line_break = self.choice(first);
        // Line ends inside of quoted columns must not change.
        let is_table = self.format == OutputFormat::Csv || self.is_kept && first.csv.is_some();
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

/// Changes the ends of all lines in `out` from byte `start` on to `wanted`.
///
/// The lines may end with `given`, with a line feed, or with a carriage return and a line feed.
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
    fn inner(&self, first: Option<&Layout>) -> Option<&dyn Formatter> {
        match first {
            Some(first) => Some(self.rows(first)),
            None => self.by_form.is_none().then_some(&*self.rows),
        }
    }

    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        // A JSON text must not begin with a byte order mark.
        let may_have_mark = self.writes_theirs(layout) && self.format != OutputFormat::Jsonl;
        if layout.has_mark && may_have_mark && self.asked == LineEnds::Keep {
            out.extend_from_slice(MARK);
        }
        let start = out.len();
        self.rows(layout).begin(layout, out);
        self.end_lines(layout, LineBreak::Lf, out, start);
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let start = out.len();
        self.rows(row.layout).row(row, out);
        let first = self.first.get_or_init(|| row.layout.clone());
        self.end_lines(first, row.layout.line_break, out, start);
    }

    fn end(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.rows.end(out);
        let none = Layout::default();
        self.end_lines(self.first.get().unwrap_or(&none), LineBreak::Lf, out, start);
    }

    fn line_break(&self) -> LineBreak {
        self.first.get().map_or(LineBreak::Lf, |first| self.choice(first))
    }

    fn learn(&self, first: &Layout) {
        self.first.get_or_init(|| first.clone());
        self.rows(first).learn(first);
    }
}
