//! Writes converted records as lines or grids, each starting on a new line.

use crate::input::{Layout, Role, beside};
use quadrille_model::Loss;

use super::columns::InputColumns;
use super::convert::{Conversion, PuzzleText, has_given, is_tail};
use super::{Field, Formatter, Lose, OutputOptions, Row};

/// Formatter that writes each puzzle as text, starting on a new line.
pub(super) struct Lines {
    conversion: Conversion,
    /// Values that the program adds after the record's own values.
    fields: Vec<Field>,
    columns: InputColumns,
}

impl Lines {
    pub(super) fn new(conversion: Conversion, options: &OutputOptions) -> Self {
        Lines { conversion, fields: options.fields.clone(), columns: InputColumns::new(options, false) }
    }

    /// Returns true if the format can hold ids.
    fn has_ids(&self) -> bool {
        matches!(self.conversion.text, PuzzleText::Line | PuzzleText::Pencilmarks | PuzzleText::Field)
    }

    /// Calls `take` with the role, name and value of each column of a row.
    ///
    /// If the input has no columns, calls `take` once, with the record's id.
    fn each(&self, row: &Row<'_>, mut take: impl FnMut(Role, &str, &[u8])) {
        if row.layout.csv.is_none() && row.layout.members.is_none() {
            return take(Role::Id, "", row.record.id.slice(row.bytes));
        }
        let columns = self.columns.first(row.layout).columns_of(row.layout);
        for field in beside(row.layout, &columns, row.record, row.bytes) {
            take(field.role, &field.name, &field.value.text().unwrap_or_default());
        }
    }
}

impl Formatter for Lines {
    fn begin(&self, _: &Layout, out: &mut Vec<u8>) {
        if self.conversion.text == PuzzleText::OpenSudoku {
            out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opensudoku>\n");
        }
    }

    fn end(&self, out: &mut Vec<u8>) {
        if self.conversion.text == PuzzleText::OpenSudoku {
            out.extend_from_slice(b"</opensudoku>\n");
        }
    }

    fn columns(&self) -> Option<&InputColumns> {
        Some(&self.columns)
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        let Some((text, _)) = row.converted else {
            // This input line is not a record.
            return out.push(b'\n');
        };
        if self.conversion.text == PuzzleText::Sdk {
            out.extend_from_slice(b"[Puzzle]\n");
        }
        out.extend_from_slice(text);
        if !self.conversion.bare && self.has_ids() {
            self.each(row, |role, _, id| {
                if role == Role::Id && is_tail(id) {
                    out.push(b'\t');
                    out.extend_from_slice(id);
                }
            });
        }
        for field in &self.fields {
            out.push(b'\t');
            field.value(row).write_in_line(out);
        }
        out.push(b'\n');
    }

    fn may_lose(&self, _: &Layout) -> bool {
        !self.conversion.bare
    }

    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        self.each(row, |role, name, value| match role {
            _ if value.is_empty() => {}
            Role::Id if !(self.has_ids() && is_tail(value)) => lose(Loss::Ids, name),
            Role::Other => lose(Loss::Columns, name),
            _ => {}
        });
        if has_given(row) {
            lose(Loss::Solutions, "");
        }
        if row.layout.has_others {
            lose(Loss::Columns, "");
        }
    }
}
