//! One line per row.

use crate::input::{Body, Layout};
use quadrille_model::Solution;

use super::verb::{column, is_plain, row_output, write_line};
use super::{Field, Formatter, Notation, OutputOptions, PlainOutput, Row, Verb};

/// The text format.
pub(super) struct Text {
    verb: Verb,
    /// Fields that come before the answer. A tab follows each of them.
    leading: Vec<Field>,
    /// Fields that the user chose, which replace the answer. Empty if the user chose no fields.
    chosen: Vec<Field>,
    /// Value that makes up the whole output row of a 9x9 grid, if the grid is a whole line of the input.
    /// `None` if such rows show more than one value.
    plain_output: Option<PlainOutput>,
    /// True if the steps of each rating follow its row.
    explain: bool,
    /// True if rows consist only of columns that are appended later.
    is_empty: bool,
}

impl Text {
    pub(super) fn new(options: &OutputOptions) -> Self {
        let (mut leading, mut chosen) = (options.leading(), options.fields.clone());
        if options.only_extra_columns {
            // These fields must not be followed by a tab, because each column that is appended later begins
            // with a tab.
            chosen = std::mem::take(&mut leading);
        }
        let is_plain = leading.is_empty() && chosen.is_empty() && !options.explain;
        let plain_output = options.verb.row().plain.filter(|_| is_plain);
        let is_empty = options.only_extra_columns && chosen.is_empty();
        Text { verb: options.verb, leading, chosen, plain_output, explain: options.explain, is_empty }
    }
}

impl Formatter for Text {
    fn plain_output(&self) -> Option<PlainOutput> {
        self.plain_output
    }

    fn row_output(&self) -> Option<PlainOutput> {
        let fields = self.leading.iter().chain(&self.chosen);
        row_output(self.verb, fields).filter(|_| !self.explain)
    }

    fn notation(&self, _: &Layout, _: &[u8]) -> Notation {
        if self.is_empty { Notation::First(b'\t') } else { Notation::Tab }
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        // This is by far the most frequent row, so it is written in one piece.
        if self.plain_output == Some(PlainOutput::Solution)
            && row.answer.is_none_or(|answer| is_plain(row, answer))
            && let Some(Solution::Digits(digits)) = row.solution
            && let Some(line) = row.record.symbols.plain_line(digits)
        {
            return out.extend_from_slice(&line);
        }
        if !matches!(row.record.body, Body::Skipped) {
            for field in &self.leading {
                field.value(row).write_in_line(out);
                out.push(b'\t');
            }
            match self.chosen.split_first() {
                None if self.is_empty => {}
                None => write_line(self.verb, row, true, out),
                Some((first, rest)) => {
                    first.value(row).write_in_line(out);
                    for field in rest {
                        column(field.value(row), out);
                    }
                }
            }
        }
        out.push(b'\n');
        if self.explain && !matches!(row.record.body, Body::Skipped) {
            out.extend_from_slice(row.path().unwrap_or_default());
            out.push(b'\n');
        }
    }
}
