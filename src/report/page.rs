//! A page as plain data, independent of the output format.
//!
//! A page has sections with figures, and each figure is a table with pictures of its contents. All formats
//! are rendered from this data, so that no number is computed twice.

use quadrille_batch::stats::{Drawing, duration, grouped, percent, rounded, three_digits};
use quadrille_rating::Candidate;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// The result as a sentence.
    pub(crate) sentence: String,
    /// Messages about problems of the run. The worst problem comes first.
    pub(crate) alarms: Vec<String>,
    pub(crate) sections: Vec<Section>,
}

/// Figures under one heading.
#[derive(Debug, Clone, PartialEq)]
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
    pub(crate) fn new(id: impl Into<String>, title: impl Into<String>, figures: Vec<Figure>) -> Self {
        Section { id: id.into(), title: title.into(), text: String::new(), figures }
    }
}

/// A table, with pictures of its contents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    pub(crate) table: Table,
    /// Sentence that describes the pictures to readers who cannot see them.
    pub(crate) text: String,
    pub(crate) pictures: Vec<Picture>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Identifier, unique among the tables of the page.
    pub(crate) id: String,
    pub(crate) caption: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Returns an empty table.
    pub(crate) fn new(id: impl Into<String>, caption: impl Into<String>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&name| name.to_owned()).collect();
        Table { id: id.into(), caption: caption.into(), columns, rows: Vec::new() }
    }

    /// Returns true if any column has a name.
    pub(crate) fn has_head(&self) -> bool {
        self.columns.iter().any(|name| !name.is_empty())
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn figure(self, text: impl Into<String>, pictures: Vec<Picture>) -> Figure {
        Figure { table: self, text: text.into(), pictures }
    }
}

/// A value in a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    /// Position of the value in an input file: the index of the file, followed by a JSON pointer.
    ///
    /// `None` if the cell contains text or a computed value.
    pub(crate) key: Option<String>,
    /// Relative size of the value, from 0 to 1. It selects the shade of the background.
    pub(crate) heat: Option<f64>,
    /// Picture that is shown instead of the value.
    pub(crate) picture: Option<Box<Picture>>,
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
    Count(u64),
    /// A whole number of any size, as decimal digits.
    Large(String),
    /// A share, 0 to 1.
    Share(f64),
    /// A time in nanoseconds.
    Time(u64),
    /// A mean time in nanoseconds.
    MeanTime(f64),
    Bytes(u64),
    /// A rate per second.
    Rate(f64),
    /// Any other number.
    Number(f64),
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Cell { value, key: None, heat: None, picture: None }
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Value::Text(text.into()).into()
    }

    /// Sets the position in an input file from which the value was read.
    pub(crate) fn at(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the shade of the background, from 0 (lightest) to 1 (darkest).
    pub(crate) fn heated(mut self, heat: f64) -> Self {
        self.heat = Some(heat.clamp(0.0, 1.0));
        self
    }

    /// Sets a picture that is shown instead of the value.
    pub(crate) fn drawn(mut self, picture: Picture) -> Self {
        self.picture = Some(Box::new(picture));
        self
    }
}

impl Value {
    /// Creates a value with the constructor `kind`, or returns `Missing` if `value` is `None`.
    pub(crate) fn from_option<T>(value: Option<T>, kind: fn(T) -> Value) -> Value {
        value.map_or(Value::Missing, kind)
    }

    /// Returns the value as text for people.
    pub(crate) fn shown(&self) -> String {
        match self {
            Value::Missing => "–".to_owned(),
            Value::Text(text) | Value::Code(text) | Value::Link { text, .. } => text.clone(),
            Value::Count(number) => grouped(*number),
            Value::Large(digits) => shortened(digits),
            Value::Share(share) => percent(*share),
            Value::Time(ns) => duration(*ns),
            Value::MeanTime(ns) => duration(ns.round() as u64),
            Value::Bytes(bytes) => bytes_shown(*bytes),
            Value::Rate(rate) => rounded(*rate),
            Value::Number(number) => three_digits(*number),
        }
    }

    /// Returns the value as text for programs: exact and without a unit. The text is empty if the value is
    /// missing.
    pub(crate) fn raw(&self) -> String {
        match self {
            Value::Missing => String::new(),
            Value::Text(text) | Value::Code(text) | Value::Link { text, .. } => text.clone(),
            Value::Count(number) | Value::Time(number) | Value::Bytes(number) => number.to_string(),
            Value::Large(digits) => digits.clone(),
            Value::Share(number) | Value::Rate(number) | Value::Number(number) | Value::MeanTime(number) => {
                number.to_string()
            }
        }
    }

    /// Returns true if the value is a number. Numbers are aligned to the right.
    pub(crate) fn is_number(&self) -> bool {
        !matches!(self, Value::Missing | Value::Text(_) | Value::Code(_) | Value::Link { .. })
    }

    /// Returns the number that the length of a bar can show, or `None` if the value is text.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Count(number) | Value::Time(number) | Value::Bytes(number) => Some(*number as f64),
            Value::Share(number) | Value::Rate(number) | Value::Number(number) | Value::MeanTime(number) => {
                Some(*number)
            }
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
    let number = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", three_digits(number / 1e3)),
        1_000_000..1_000_000_000 => format!("{} MB", three_digits(number / 1e6)),
        _ => format!("{} GB", three_digits(number / 1e9)),
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    /// Description of the picture. It is also the alternative text for readers who cannot see the picture.
    pub(crate) title: String,
    pub(crate) kind: PictureKind,
}

/// The kinds of pictures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PictureKind {
    /// One bar per name.
    Bars(Vec<Bar>),
    /// One bar divided into parts.
    Parts(Vec<Bar>),
    Histogram(Histogrammed),
    /// A histogram without axes.
    Spark(Histogrammed),
    Density(DensityCells),
    /// Amounts over time.
    Steps(Steps),
    /// A diagram with one row per name, in which shaded cells show how a share changes over time.
    Rows(TimeRows),
    /// Ratios with their ranges, on a logarithmic axis around 1.
    Ratios(Vec<RatioDot>),
    /// A drawing of one of the hardest records.
    Drawing(Drawing),
    /// A 9x9 grid just before a solving step that the rating uses.
    Step(Box<StepDrawing>),
}

/// A 9x9 grid just before a solving step that the rating uses.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StepDrawing {
    /// The digit in each cell, from 1 to 9, or 0 for an empty cell.
    pub(crate) digits: [u8; 81],
    pub(crate) is_clue: [bool; 81],
    /// The candidates of each cell as bits. Bit `d` represents the digit `d`.
    pub(crate) candidates: [u16; 81],
    /// Candidates that have a role in the step, each with its role. No candidate occurs twice.
    pub(crate) marks: Vec<(Candidate, StepMark)>,
}

/// Role of a candidate in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepMark {
    /// The conclusion of the step depends on this candidate.
    Basis,
    /// The candidate is true in a chain of the step.
    On,
    /// The candidate is false in a chain of the step.
    Off,
    Removed,
    Placed,
}

/// A named amount.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) amount: f64,
    /// The amount as readable text.
    pub(crate) shown: String,
}

/// The units of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Count,
    Nanoseconds,
    Bytes,
    /// Tenths of a unit.
    Tenths,
}

impl Unit {
    /// Returns a value in this unit as short text.
    pub(crate) fn short(self, value: f64) -> String {
        match self {
            Unit::Count => short(value),
            Unit::Nanoseconds => match value {
                ..1e3 => format!("{} ns", short(value)),
                ..1e6 => format!("{} us", short(value / 1e3)),
                ..1e9 => format!("{} ms", short(value / 1e6)),
                ..120e9 => format!("{} s", short(value / 1e9)),
                ..7200e9 => format!("{} min", short(value / 60e9)),
                _ => format!("{} h", short(value / 3600e9)),
            },
            Unit::Tenths => format!("{:.1}", value / 10.0),
            Unit::Bytes => match value {
                ..1e3 => format!("{} B", short(value)),
                ..1e6 => format!("{} kB", short(value / 1e3)),
                ..1e9 => format!("{} MB", short(value / 1e6)),
                _ => format!("{} GB", short(value / 1e9)),
            },
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

/// Counts of values in bins. All bins are drawn with equal width, even if their ranges differ.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Histogrammed {
    pub(crate) unit: Unit,
    /// Start of each bin in ascending order, followed by the end of the last bin.
    pub(crate) edges: Vec<u64>,
    /// Number of records in each bin.
    pub(crate) counts: Vec<u64>,
    /// Values that are marked in the picture, each with its name.
    pub(crate) marks: Vec<(String, u64)>,
}

/// Counts of pairs of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DensityCells {
    pub(crate) x_name: &'static str,
    pub(crate) x_unit: Unit,
    pub(crate) y_name: &'static str,
    pub(crate) y_unit: Unit,
    pub(crate) x_edges: Vec<u64>,
    pub(crate) y_edges: Vec<u64>,
    /// Each cell has the indices of its horizontal and vertical bins, and its number of records.
    pub(crate) cells: Vec<(usize, usize, u64)>,
}

/// Amounts over time, stacked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Steps {
    /// Nanoseconds per step.
    pub(crate) step_ns: u64,
    /// Time from the start to the end of the run in nanoseconds. The last time step may be shorter than the
    /// others.
    pub(crate) end_ns: u64,
    pub(crate) unit: Unit,
    /// The stacked layers. Each has a name and one amount per time step.
    pub(crate) layers: Vec<(String, Vec<f64>)>,
}

/// Shares over time, one row per name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TimeRows {
    pub(crate) step_ns: u64,
    pub(crate) end_ns: u64,
    /// The rows. Each has a name and, for each time step, a share from 0 to 1.
    pub(crate) rows: Vec<(String, Vec<f64>)>,
}

/// A ratio with its low and high ends, and with a name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RatioDot {
    pub(crate) name: String,
    pub(crate) ratio: Ratio,
}

/// A ratio, with the range in which the true ratio is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Ratio {
    /// Returns true if the range excludes 1, so that there clearly is a difference.
    pub(crate) fn is_clear(self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}
