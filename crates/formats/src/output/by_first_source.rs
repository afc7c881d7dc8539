//! Passes rows to the formatter that suits the layout of the first source, such as the first input file.

use std::sync::OnceLock;

use super::convert::Lines;
use super::csv::Csv;
use super::input_lines::InputLines;
use super::jsonl::Jsonl;
use super::{Formatter, OutputOptions, Row};
use crate::input::Layout;

/// Formatter for rows in the form of the first source: CSV, JSON objects or lines.
pub(super) struct ByFirstSource {
    columns: Csv,
    objects: Jsonl,
    lines: Box<dyn Formatter>,
    /// True if the rows of tables, such as Parquet files, become CSV. If false, they become lines.
    has_tables: bool,
    /// Layout of the first source. Empty until the first source is known.
    first: OnceLock<Layout>,
}

impl ByFirstSource {
    /// Creates the formatter for records that are converted or selected.
    pub(super) fn new(options: &OutputOptions) -> Self {
        let conversion = options.verb.conversion();
        ByFirstSource {
            columns: Csv::new(options),
            objects: Jsonl::new(options),
            lines: match conversion {
                Some(conversion) => Box::new(Lines::new(conversion, options)),
                None => Box::new(InputLines::new(options)),
            },
            has_tables: conversion.is_some(),
            first: OnceLock::new(),
        }
    }

    /// Returns the chosen formatter. On the first call, `layout` must be the layout of the first source.
    fn rows(&self, layout: &Layout) -> &dyn Formatter {
        match self.first.get_or_init(|| layout.clone()) {
            Layout { members: Some(_), .. } => &self.objects,
            Layout { csv: Some(_), .. } => &self.columns,
            Layout { format, .. } if self.has_tables && format.is_table() => &self.columns,
            _ => &*self.lines,
        }
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
