//! Writes answers as bytes, with one file per format. Does not know where the bytes go.
//!
//! [`formatter`] creates a [`Formatter`] once per run, shared by all workers. It writes each [`Row`] from the row
//! alone, and allocates nothing except space in the caller's buffer.
//!
//! A [`Field`] is a value that a format may show for a row. Text with chosen fields, CSV and JSON lines are three
//! notations for lists of fields. Text without chosen fields, grid and contest have their own rules (see
//! [`OutputFormat`]).

mod board;
mod by_first_source;
mod cell_sets;
#[cfg(feature = "parquet")]
pub mod columnar;
mod columns;
mod contest;
mod convert;
mod csv;
mod field;
mod first_source;
mod grid;
mod input_rows;
mod json;
mod jsonl;
mod line_ends;
mod notation;
mod objects;
mod packed;
mod row;
mod table;
mod text;
mod value;
mod variant;
mod verb;

#[cfg(test)]
mod tests;

pub use board::{board_of, cells_named};
pub use convert::{Conversion, EMPTY_CELLS, PuzzleText};
pub use csv::write_record;
pub use field::Field;
pub use grid::write_solution;
pub use json::write_json;
pub use line_ends::{LineEnds, set_line_breaks};
pub use notation::{ExtraColumn, Notation};
pub use packed::{PackedOutput, PackedWriter, Packing};
pub use row::{RecordResult, Row};
pub use verb::{write_found, write_refutation};

use std::sync::OnceLock;

use crate::input::{Layout, LineBreak};

use by_first_source::ByFirstSource;
use line_ends::LineEnded;
use quadrille_model::{Error, Loss, Result, usage, worded};

worded! {
    /// The output formats.
    ///
    /// * *Text*: one line per row, with tab-separated parts:
    ///   * `solve`: the solution in the input's symbols. Any other answer begins with the status word; then come the
    ///     solution, if there is one, and the reason or what ended the search early. The solution alone
    ///     is not written if several are known, or if a requested proof of uniqueness is missing.
    ///   * `count`: the number; `>=K` if the limit ended the search, `>=M` and the cause if anything else ended it.
    ///   * `best`: score and solution; if they are not proved optimal, also `feasible` and the bound.
    ///   * `check`: status and reason.
    ///
    ///   Options of an exact cover are written as in the input and separated by ` ; `, row numbers by blanks.
    /// * *Grid*: one line per row of the solution. An exact cover is drawn as a board if its items are cells, or if every
    ///   option has a row and a column; otherwise it has one line per option. Before these lines comes the line of the
    ///   text format without the solution, unless that line is empty. An empty line ends each record. `count` and
    ///   `check` are as in text.
    /// * *Framed*: like *grid*, with frames around the boxes.
    /// * *Csv*: columns with RFC 4180 quoting. For CSV input: its columns unchanged, with its delimiter, then the
    ///   program's own with the prefix `q_`. Rows with too few columns are filled up. Surplus or broken columns are
    ///   quoted into one, so that the program's columns are always in place. A source without a header gets the names
    ///   `column_1` and so on. For other input: the program's columns alone, without prefix. Lines end in a line feed.
    /// * *Jsonl*: one object per line, with every field of the run; `null` if there is no value.
    ///   Counts above 2^53 - 1 are decimal strings.
    /// * *Contest*: what judges expect: the rows of the solution (POJ 2676), the exact count (UVA 1461), the proved best
    ///   score or -1 (Luogu P1074). Any other answer appends nothing, so that the caller can report it elsewhere.
    ///   `check` is as in text.
    ///
    /// Lines of the input that are not records ([`Body::Skipped`](crate::input::Body::Skipped)) are empty lines in text
    /// and grid, and nothing in the other formats.
    #[derive(Default)]
    pub OutputFormat, name, from_name {
        /// One line per row.
        #[default]
        Text = "text",
        /// Grids.
        Grid = "grid",
        /// Grids with frames around the boxes.
        Framed = "framed",
        /// Columns.
        Csv = "csv",
        /// One JSON object per line.
        Jsonl = "jsonl",
        /// The form that judges of contests read.
        Contest = "contest",
        /// Columns of a Parquet file.
        Parquet = "parquet",
        /// Columns of an Arrow file or stream.
        Arrow = "arrow",
    }
}

impl OutputFormat {
    /// Returns true for tables, whose rows a [`TableOutput`](crate::output) converts to columns.
    pub fn is_table(self) -> bool {
        matches!(self, OutputFormat::Parquet | OutputFormat::Arrow)
    }

    /// Returns true if rows of this format are lists of fields that can be chosen.
    fn has_fields(self) -> bool {
        !matches!(self, OutputFormat::Grid | OutputFormat::Framed | OutputFormat::Contest)
    }
}

/// The question that answers belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Verb {
    /// A solution.
    #[default]
    Solve,
    /// The number of solutions.
    Count,
    /// The solution with the best value.
    Best,
    /// The verdict on the record.
    Check,
    /// The transformed grid: its canonical form, or its image under a given transform.
    Canon,
    /// The record as written in the input.
    Keep,
    /// The record in another format.
    Convert(Conversion),
    /// The rating of the record.
    Rate {
        /// True if ratings come from the steps of a path.
        by_steps: bool,
    },
}

impl Verb {
    /// Returns the conversion, or `None` for any other verb.
    fn conversion(self) -> Option<Conversion> {
        if let Verb::Convert(conversion) = self { Some(conversion) } else { None }
    }
}

/// The form of rows. The default is the text output of `solve`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutputOptions {
    /// The format.
    pub format: OutputFormat,
    /// The question that answers belong to.
    pub verb: Verb,
    /// The columns; empty for the default columns of format and verb.
    pub fields: Vec<Field>,
    /// True if CSV begins without a header.
    pub no_header: bool,
    /// True if each solution of a record has its own numbered row (`--all`, `--limit K`).
    pub several: bool,
    /// True if rows contain the record's id; in text it comes first.
    pub echo_id: bool,
    /// True if rows may come in any order. Each then contains its record's number; in text it comes first.
    pub unordered: bool,
    /// True if the steps of each rating are output too.
    ///
    /// In text the steps follow the row, one per line, then an empty line; in JSON they are the member `path`.
    pub explain: bool,
    /// The ends of lines.
    pub line_ends: LineEnds,
    /// True if the columns of input tables are copied to the output without becoming text.
    ///
    /// The caller does that by reading them separately (`PassthroughColumns`, with the feature `parquet`).
    pub passthrough: bool,
    /// The delimiter of CSV.
    pub delimiter: Delimiter,
    /// True if rows have only the columns of the input, for records that are kept.
    ///
    /// If the input has this format, rows stay unchanged.
    pub bare: bool,
    /// The names of all engines, for columns of tables.
    pub engines: Vec<&'static str>,
    /// Names of columns that are appended to rows later, when more than one record is known. The header needs them.
    pub extra_columns: Vec<&'static str>,
    /// True if rows have only the columns of `extra_columns` and the input's own. Requires empty `fields`.
    pub only_extra_columns: bool,
    /// Reserved for new fields: create values with `..`, as in `OutputOptions { no_header: true,
    /// ..OutputOptions::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

/// The byte between columns of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delimiter {
    /// The delimiter of the first source if that is CSV, otherwise a comma.
    #[default]
    Keep,
    /// The same, but a comma instead of a tab.
    KeepUnlessTab,
    /// This byte.
    Byte(u8),
}

impl Delimiter {
    /// Returns the delimiter as options describe it, or `None` for the default.
    pub fn described(self) -> Option<String> {
        match self {
            Delimiter::Keep => None,
            Delimiter::KeepUnlessTab => Some("not tab".to_owned()),
            Delimiter::Byte(byte) => Some(char::from(byte).to_string()),
        }
    }

    /// Returns the delimiter of the output if the first source has the delimiter `first`.
    fn after(self, first: u8) -> u8 {
        match self {
            Delimiter::Byte(byte) => byte,
            Delimiter::KeepUnlessTab if first == b'\t' => b',',
            Delimiter::Keep | Delimiter::KeepUnlessTab => first,
        }
    }
}

impl OutputOptions {
    /// Returns the fields that other options ask for and that come first, except those that `fields` already has.
    fn leading(&self) -> Vec<Field> {
        let wanted = [(self.unordered, Field::Index), (self.echo_id, Field::Id)];
        wanted
            .into_iter()
            .filter(|(wanted, field)| *wanted && !self.fields.contains(field))
            .map(|(_, field)| field)
            .collect()
    }

    /// Returns true if rows have only the columns of the input.
    fn keeps_rows_alone(&self) -> bool {
        let is_bare = self.bare || self.format.is_table();
        is_bare && self.verb == Verb::Keep && self.columns_are_the_default()
    }

    /// Returns true if puzzles are rewritten in the form of the first source: CSV, objects, or lines.
    pub fn keeps_form(&self) -> bool {
        self.format == OutputFormat::Text
            && self.verb.conversion().is_some_and(|conversion| conversion.text == PuzzleText::Field)
    }

    /// Returns true if no columns were requested.
    fn columns_are_the_default(&self) -> bool {
        self.fields.is_empty() && self.leading().is_empty() && !self.only_extra_columns
    }

    /// Returns the columns of CSV, JSON lines and tables. `passthrough` means that the input's own columns come before
    /// them.
    fn columns(&self, passthrough: bool) -> Vec<Field> {
        if self.verb.conversion().is_some() {
            return self.fields.clone();
        }
        if self.keeps_rows_alone() {
            return if passthrough { Vec::new() } else { vec![Field::Puzzle, Field::Id] };
        }
        let mut columns = self.leading();
        if self.only_extra_columns {
            return columns;
        }
        if passthrough && self.fields.is_empty() {
            columns.retain(|field| *field != Field::Id);
        }
        if !self.fields.is_empty() {
            columns.extend_from_slice(&self.fields);
            return columns;
        }
        if !columns.contains(&Field::Index) && (self.several || !passthrough) {
            columns.insert(0, Field::Index);
        }
        // With several rows per record, the number identifies the puzzle; repeating it would take more space than the
        // solutions.
        if self.several {
            columns.push(Field::SolutionIndex);
        } else if !passthrough {
            columns.push(Field::Puzzle);
        }
        columns.push(Field::Status);
        columns.extend_from_slice(self.verb.row().columns);
        columns.extend([Field::Reason, Field::EndedBy]);
        columns
    }
}

/// Receives the kind of a lost value and the name of its column, which is empty if the value has no column.
pub type Lose<'l> = dyn FnMut(Loss, &str) + 'l;

/// Writes rows in one format. Many threads may write rows at once, in any order.
pub trait Formatter: Send + Sync {
    /// Returns the formatter to which this one passes rows on, if there is one.
    ///
    /// `first` is the layout of the first source, if it is known. The defaults of all other functions pass calls on.
    fn inner(&self, first: Option<&Layout>) -> Option<&dyn Formatter> {
        let _ = first;
        None
    }

    /// Writes the text before all rows. Called once, even if the input is empty. `layout` is that of the first
    /// source.
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if let Some(inner) = self.inner(Some(layout)) {
            inner.begin(layout, out);
        }
    }

    /// Appends a row, or nothing if the format has nothing to show for it.
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>);

    /// Writes the text after all rows. Called once, unless the run ends early.
    fn end(&self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Returns how further columns are appended to the row of this record.
    fn notation(&self, layout: &Layout, record: &[u8]) -> Notation {
        self.inner(Some(layout)).map_or(Notation::Tab, |inner| inner.notation(layout, record))
    }

    /// Returns true if a run that continues an earlier run must write the beginning again.
    fn repeats_head(&self) -> bool {
        self.inner(None).is_some_and(<dyn Formatter>::repeats_head)
    }

    /// Returns true if rows of plain records in sources with this layout show only their [plain
    /// output](Self::plain_output).
    fn takes_plain(&self, layout: &Layout) -> bool {
        self.inner(Some(layout)).is_none_or(|inner| inner.takes_plain(layout))
    }

    /// Receives the layout of the first source before any row is written. May be called repeatedly.
    fn learn(&self, first: &Layout) {
        if let Some(inner) = self.inner(Some(first)) {
            inner.learn(first);
        }
    }

    /// Returns true if rows of sources with this layout may have values that the output cannot hold.
    fn may_lose(&self, layout: &Layout) -> bool {
        self.inner(Some(layout)).is_some_and(|inner| inner.may_lose(layout))
    }

    /// Calls `lose` with each value of a row that the output cannot hold.
    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        if let Some(inner) = self.inner(Some(row.layout)) {
            inner.losses(row, lose);
        }
    }

    /// Returns the line end, once the first source [is known](Self::learn).
    ///
    /// Code that writes [plain output](Self::plain_output) or lines around rows must use it.
    fn line_break(&self) -> LineBreak {
        LineBreak::Lf
    }

    /// Returns the only value in rows of plain records; `None` if rows show more.
    ///
    /// Rows of unusual answers are written one by one.
    fn plain_output(&self) -> Option<PlainOutput> {
        self.inner(None)?.plain_output()
    }

    /// Returns the part of an answer that rows of plain records show, if they can be written without their grids and
    /// without results other than the answer and a solution.
    fn row_output(&self) -> Option<PlainOutput> {
        self.inner(None)?.row_output()
    }
}

/// The only content of a row, followed by a newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainOutput {
    /// The only known solution of a 9x9: 81 digits from 1 to 9.
    Solution,
    /// Like [`Solution`](Self::Solution), but a blank replaces the newline if the solution is known to be unique.
    Marked,
    /// The number of solutions in decimal; `>=` before it if there may be more.
    Count,
    /// The name of the status.
    Status,
    /// The rating.
    Rating,
}

/// Creates the formatter for these options.
///
/// # Errors
/// Returns a usage error if the options do not fit together:
/// - fields, ids or record numbers for a format without columns
/// - a field that is chosen twice
/// - several solutions for a verb with one answer
/// - a format that does not fit the verb
pub fn formatter(options: OutputOptions) -> Result<Box<dyn Formatter>> {
    let (format, verb, asked) = (options.format, options.verb, options.line_ends);
    let is_kept = verb == Verb::Keep && options.columns_are_the_default() && format == OutputFormat::Text;
    let rows = formatter_of_lines(options)?;
    let first = OnceLock::new();
    Ok(if format.is_table() { rows } else { Box::new(LineEnded { rows, asked, format, is_kept, first }) })
}

/// Creates the formatter without the handling of line ends; its lines end with a line feed.
fn formatter_of_lines(options: OutputOptions) -> Result<Box<dyn Formatter>> {
    let name = options.format.name();
    if options.format.is_table() && options.unordered {
        return Err(usage!("rows of {name} must be in order: leave --unordered out"));
    }
    if !options.format.has_fields() {
        let misplaced = [
            (!options.fields.is_empty(), "chosen fields"),
            (options.echo_id, "ids"),
            (options.unordered, "record numbers, which --unordered needs"),
        ];
        if let Some((_, what)) = misplaced.into_iter().find(|(asked, _)| *asked) {
            return Err(usage!("{name} output cannot hold {what}: use text, csv or jsonl"));
        }
    }
    for (place, field) in options.fields.iter().enumerate() {
        if options.fields[..place].contains(field) {
            return Err(usage!("field {} is chosen twice", field.name()));
        }
    }
    let (row, is_contest) = (options.verb.row(), options.format == OutputFormat::Contest);
    if options.several && (!row.shows_solutions || options.verb == Verb::Best && is_contest) {
        return Err(Error::usage(
            "only solve and best write several solutions per record, and contest output of best has one",
        ));
    }
    if options.explain && !matches!(options.format, OutputFormat::Text | OutputFormat::Jsonl) {
        return Err(usage!("{name} output cannot hold steps: use text or jsonl"));
    }
    let conversion = options.verb.conversion();
    conversion.map_or(Ok(()), |conversion| conversion.validate())?;
    if !row.is_drawn && conversion.is_none() && !options.format.has_fields() {
        return Err(usage!("{name} output is only for solutions: use text, csv or jsonl"));
    }
    Ok(match options.format {
        _ if options.keeps_form() => Box::new(ByFirstSource::in_its_form(&options)),
        OutputFormat::Text | OutputFormat::Grid | OutputFormat::Contest
            if let Some(conversion) = conversion =>
        {
            Box::new(convert::Lines::new(conversion, options.fields.clone()))
        }
        OutputFormat::Text if options.verb == Verb::Keep && options.columns_are_the_default() => {
            Box::new(input_rows::InputRows::new(&options))
        }
        OutputFormat::Csv | OutputFormat::Jsonl if options.keeps_rows_alone() => {
            Box::new(ByFirstSource::in_format(&options))
        }
        OutputFormat::Text => Box::new(text::Text::new(&options)),
        OutputFormat::Grid => Box::new(grid::Grid { verb: options.verb, is_framed: false }),
        OutputFormat::Framed => Box::new(grid::Grid { verb: options.verb, is_framed: true }),
        OutputFormat::Csv => Box::new(csv::Csv::new(&options)),
        OutputFormat::Jsonl => Box::new(jsonl::Jsonl::new(&options)),
        OutputFormat::Contest => Box::new(contest::Contest(options.verb)),
        OutputFormat::Parquet | OutputFormat::Arrow => Box::new(table::TableFormatter::new(&options)),
    })
}
