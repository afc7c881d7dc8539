//! A page as plain data, independent of the output format.
//!
//! A page has sections with figures, and each figure is a table with pictures of its contents. All formats
//! are rendered from this data, so that no number is computed twice.

use super::scene::Scene;
use quadrille_batch::stats::{duration, grouped, percent, rounded, three_digits};

#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// The result as a sentence.
    pub(crate) sentence: String,
    /// Messages about problems of the run. The worst problem comes first.
    pub(crate) alarms: Vec<String>,
    pub(crate) sections: Vec<Section>,
}

/// Figures under one heading.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Identifier for links, unique among the sections.
    pub(crate) id: String,
    pub(crate) title: String,
    /// Explanation of the section. It may be empty.
    pub(crate) text: String,
    pub(crate) figures: Vec<Figure>,
}

impl Section {
    /// Creates a section without explanation.
    pub(crate) fn new(
        id: impl Into<String>,
        title: impl Into<String>,
        figures: impl IntoIterator<Item = Figure>,
    ) -> Self {
        let figures = figures.into_iter().collect();
        Section { id: id.into(), title: title.into(), text: String::new(), figures }
    }

    pub(crate) fn with_text(self, text: impl Into<String>) -> Self {
        Section { text: text.into(), ..self }
    }
}

/// A table, with pictures of its contents.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    /// Identifier, unique among the figures of the page.
    pub(crate) id: String,
    pub(crate) caption: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Sentence that describes the pictures to readers who cannot see them.
    pub(crate) text: String,
    pub(crate) pictures: Vec<Picture>,
}

impl Figure {
    /// Creates a figure without rows, text and pictures.
    pub(crate) fn new<C: Into<String>>(
        id: impl Into<String>,
        caption: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
    ) -> Self {
        let (id, caption) = (id.into(), caption.into());
        let columns = columns.into_iter().map(C::into).collect();
        Figure { id, caption, columns, rows: Vec::new(), text: String::new(), pictures: Vec::new() }
    }

    /// Returns true if any column has a name.
    pub(crate) fn has_head(&self) -> bool {
        self.columns.iter().any(|name| !name.is_empty())
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds rows at the end of the table.
    pub(crate) fn with_rows<R: IntoIterator<Item = Cell>>(
        mut self,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        rows.into_iter().for_each(|row| self.row(row));
        self
    }

    pub(crate) fn with_text(self, text: impl Into<String>) -> Self {
        Figure { text: text.into(), ..self }
    }

    pub(crate) fn with_picture(mut self, title: impl Into<String>, scene: Scene) -> Self {
        self.pictures.push(Picture { title: title.into(), scene });
        self
    }

    /// Returns the figure, or `None` if its table has no rows.
    pub(crate) fn if_any(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }
}

/// A picture of a figure or of a cell.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    /// Description of the picture. It is also the alternative text for readers who cannot see the picture.
    pub(crate) title: String,
    pub(crate) scene: Scene,
}

/// A value in a table.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    /// Position of the value in an input file: the index of the file, followed by a JSON pointer.
    ///
    /// `None` if the cell contains text or a computed value.
    pub(crate) key: Option<String>,
    /// Relative size of the value, from 0 to 1. It selects the shade of the background.
    pub(crate) heat: Option<f64>,
    /// Picture that is shown after the value.
    pub(crate) picture: Option<Picture>,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Missing,
    Text(String),
    /// Text that readers may want to copy, such as a command. It is formatted as code.
    Code(String),
    /// Text with a link.
    Link {
        text: String,
        href: String,
    },
    Whole(u64, Unit),
    Real(f64, Unit),
    /// A whole number of any size, as decimal digits.
    Large(String),
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Cell { value, key: None, heat: None, picture: None }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Value::Text(text).into()
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Missing.into(), T::into)
    }
}

impl Cell {
    /// Sets the shade of the background, from 0 (lightest) to 1 (darkest).
    pub(crate) fn heated(self, heat: f64) -> Self {
        Cell { heat: Some(heat.clamp(0.0, 1.0)), ..self }
    }

    /// Returns the value as text for people.
    pub(crate) fn shown(&self) -> String {
        self.value.shown()
    }
}

impl Value {
    /// Returns the value as text for people.
    pub(crate) fn shown(&self) -> String {
        match self {
            Value::Missing => "–".to_owned(),
            Value::Text(text) | Value::Code(text) | Value::Link { text, .. } => text.clone(),
            Value::Large(digits) => shortened(digits),
            Value::Whole(number, Unit::Nanoseconds) => duration(*number),
            Value::Whole(number, Unit::Bytes) => bytes_shown(*number),
            Value::Whole(number, _) => grouped(*number),
            Value::Real(number, Unit::Nanoseconds) => duration(number.round() as u64),
            Value::Real(number, Unit::Share) => percent(*number),
            Value::Real(number, Unit::Rate) => rounded(*number),
            Value::Real(number, _) => three_digits(*number),
        }
    }

    /// Returns the value as text for programs: exact and without a unit. The text is empty if the value is
    /// missing.
    pub(crate) fn raw(&self) -> String {
        match self {
            Value::Missing => String::new(),
            Value::Text(text) | Value::Code(text) | Value::Link { text, .. } | Value::Large(text) => {
                text.clone()
            }
            Value::Whole(number, _) => number.to_string(),
            Value::Real(number, _) => number.to_string(),
        }
    }

    /// Returns true if the value is a number. Numbers are aligned to the right.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Value::Whole(..) | Value::Real(..) | Value::Large(_))
    }

    /// Returns the number that the length of a bar can show, or `None` if the value is text.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Whole(number, _) => Some(*number as f64),
            Value::Real(number, _) => Some(*number),
            Value::Large(digits) => digits.parse().ok(),
            _ => None,
        }
    }
}

/// Returns a whole number as text with its digits grouped.
///
/// A number of more than 64 bits is shortened to its first digits and a power of ten.
fn shortened(digits: &str) -> String {
    match digits.parse::<u64>() {
        Ok(number) => grouped(number),
        Err(_) => {
            let (head, tail) = digits.split_at(1);
            format!("{head}.{} x 10^{}", tail.get(..3).unwrap_or(tail), digits.len() - 1)
        }
    }
}

/// Returns a number of bytes as text with a suitable unit.
pub(crate) fn bytes_shown(bytes: u64) -> String {
    if bytes < 1_000 { format!("{bytes} B") } else { scaled(BYTES, bytes as f64, three_digits) }
}

/// Units of a quantity. Each has its size, its name, and the smallest value for which the next unit is used.
type Scales = [(f64, &'static str, f64)];

const BYTES: &Scales = &[(1.0, "B", 1e3), (1e3, "kB", 1e6), (1e6, "MB", 1e9), (1e9, "GB", f64::MAX)];

const TIMES: &Scales = &[
    (1.0, "ns", 1e3),
    (1e3, "us", 1e6),
    (1e6, "ms", 1e9),
    (1e9, "s", 120e9),
    (60e9, "min", 7200e9),
    (3600e9, "h", f64::MAX),
];

/// Returns the unit in which a value is displayed.
fn scale_of(scales: &Scales, value: f64) -> (f64, &'static str) {
    let scale = scales.iter().find(|(.., end)| value < *end).or(scales.last());
    scale.map_or((1.0, ""), |&(size, name, _)| (size, name))
}

fn scaled(scales: &Scales, value: f64, shown: fn(f64) -> String) -> String {
    let (size, name) = scale_of(scales, value);
    format!("{} {name}", shown(value / size))
}

/// The units of numbers in tables and on axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Count,
    Nanoseconds,
    Bytes,
    /// Tenths of a unit.
    Tenths,
    /// A share, 0 to 1.
    Share,
    /// A rate per second.
    Rate,
    /// Any other number.
    Number,
}

impl Unit {
    /// Returns true if a number in this unit can be whole.
    pub(crate) fn is_whole(self) -> bool {
        matches!(self, Unit::Count | Unit::Nanoseconds | Unit::Bytes)
    }

    /// Returns a cell with a whole number in this unit.
    pub(crate) fn whole(self, number: u64) -> Cell {
        Value::Whole(number, self).into()
    }

    /// Returns a cell with a number in this unit.
    pub(crate) fn real(self, number: f64) -> Cell {
        Value::Real(number, self).into()
    }

    /// Returns the size of the unit in which a time in nanoseconds is displayed on an axis.
    pub(crate) fn of_time(ns: u64) -> f64 {
        // An axis of time has no label in nanoseconds.
        scale_of(&TIMES[1..], ns as f64).0
    }

    /// Returns a value in this unit as short text.
    pub(crate) fn short(self, value: f64) -> String {
        match self {
            Unit::Nanoseconds => scaled(TIMES, value, short),
            Unit::Bytes => scaled(BYTES, value, short),
            Unit::Tenths => format!("{:.1}", value / 10.0),
            _ => short(value),
        }
    }
}

/// Returns a number as short text.
fn short(value: f64) -> String {
    let trimmed = |value: f64, unit: &str| {
        let text = if value < 10.0 { format!("{value:.1}") } else { format!("{value:.0}") };
        format!("{}{unit}", text.strip_suffix(".0").unwrap_or(&text))
    };
    match value {
        ..1.0 if value > 0.0 => format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        ..1e3 => trimmed(value, ""),
        ..1e6 => trimmed(value / 1e3, "k"),
        ..1e9 => trimmed(value / 1e6, "M"),
        ..1e12 => trimmed(value / 1e9, "G"),
        _ => format!("{value:.0e}"),
    }
}
