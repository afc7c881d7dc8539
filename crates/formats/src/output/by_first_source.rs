//! Passes rows to the formatter that suits the layout of the first source, such as the first input file.

use std::sync::OnceLock;

use super::convert::{Conversion, Lines, PuzzleText};
use super::csv::Csv;
use super::input_rows::InputRows;
use super::jsonl::Jsonl;
use super::{Formatter, OutputFormat, OutputOptions, Row};
use crate::input::Layout;

/// Formatter that passes all rows to one of several other formatters.
pub(super) struct ByFirstSource {
    choices: Vec<Box<dyn Formatter>>,
    /// Returns the index in `choices` of the formatter that suits the given layout of the first source.
    choose: Box<dyn Fn(&Layout) -> usize + Send + Sync>,
    /// Index of the chosen formatter. It is set once the first source is known.
    chosen: OnceLock<usize>,
}

impl ByFirstSource {
    fn new(
        choices: Vec<Box<dyn Formatter>>,
        choose: impl Fn(&Layout) -> usize + Send + Sync + 'static,
    ) -> Self {
        ByFirstSource { choices, choose: Box::new(choose), chosen: OnceLock::new() }
    }

    /// Creates the formatter that writes rows of the input in the requested format.
    ///
    /// If the first source already has that format, rows are written unchanged.
    pub(super) fn in_format(options: &OutputOptions) -> Self {
        let (format, delimiter) = (options.format, options.delimiter);
        let others: Box<dyn Formatter> = match format {
            OutputFormat::Jsonl => Box::new(Jsonl::new(options)),
            _ => Box::new(Csv::new(options)),
        };
        ByFirstSource::new(vec![Box::new(InputRows::new(options)), others], move |first| {
            let has_format = match (format, &first.csv) {
                (OutputFormat::Jsonl, _) => first.members.is_some(),
                (_, Some(csv)) => delimiter.after(csv.delimiter) == csv.delimiter,
                (_, None) => false,
            };
            usize::from(!has_format)
        })
    }

    /// Creates the formatter that rewrites puzzles in the form of the first source: CSV, JSON objects or
    /// lines.
    pub(super) fn in_its_form(options: &OutputOptions) -> Self {
        let conversion = options.verb.conversion();
        let conversion = conversion.unwrap_or(Conversion::new("line", PuzzleText::Field));
        let lines = Box::new(Lines::new(conversion, options.fields.clone()));
        let choices: Vec<Box<dyn Formatter>> =
            vec![Box::new(Csv::new(options)), Box::new(Jsonl::new(options)), lines];
        ByFirstSource::new(choices, |first| match first {
            Layout { members: Some(_), .. } => 1,
            Layout { csv: None, format, .. } if !format.is_table() => 2,
            _ => 0,
        })
    }

    /// Returns the chosen formatter. On the first call, `layout` must be the layout of the first source.
    fn rows(&self, layout: &Layout) -> &dyn Formatter {
        &*self.choices[*self.chosen.get_or_init(|| (self.choose)(layout))]
    }
}

impl Formatter for ByFirstSource {
    fn inner(&self, first: Option<&Layout>) -> Option<&dyn Formatter> {
        first.map(|first| self.rows(first))
    }

    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        self.rows(row.layout).row(row, out);
    }
}
