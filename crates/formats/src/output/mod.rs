//! Writes answers as bytes, with one module per output format. The code does not depend on where the bytes
//! go.
//!
//! [`formatter`] creates one [`Formatter`] per run, which all workers share. It writes each [`Row`]
//! independently of other rows, and allocates nothing except space in the caller's buffer.
//!
//! A [`Field`] is a value that a format may show for a row. CSV, JSON lines, and text with chosen fields are
//! three notations for lists of fields. Grid, contest, and text without chosen fields have their own rules
//! (see [`OutputFormat`]).

mod board;
mod cell_sets;
#[cfg(feature = "parquet")]
pub mod columnar;
mod columns;
mod contest;
mod convert;
mod converted_lines;
mod csv;
mod field;
mod first_source;
mod grid;
mod input_lines;
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
pub use packed::{PackedOutput, Packing};
pub use row::{RecordResult, Row};
pub use verb::{write_found, write_refutation};

use crate::input::{Layout, LineBreak};

use columns::InputColumns;
use line_ends::LineEnded;
use quadrille_model::{Error, Loss, Result, usage, worded};

worded! {
    /// The output formats.
    ///
    /// * *Text* has one line per row, with tab-separated parts:
    ///   * `solve`: the solution in the symbols of the input, if the solution is the whole answer.
    ///     Any other answer begins with the status word. The solution follows, if there is one, and then
    ///     the reason or the limit that ended the search early. The line also begins with the status word
    ///     if several solutions are known, or if a proof of uniqueness was requested but not found.
    ///   * `count`: the number of solutions. It is `>=K` if the search ended at the limit of K solutions.
    ///     It is `>=M`, followed by the cause, if the search ended early for any other reason after M solutions.
    ///   * `best`: score and solution. If the solution is not proved optimal, also `feasible` and the bound.
    ///   * `check`: status and reason.
    ///   * Options of an exact cover are written as in the input and separated by ` ; `.
    ///     Row numbers are separated by blanks.
    /// * *Grid* has one line per row of the solution, with an empty line after each record:
    ///   * The line of the text format, without the solution, comes first unless it is empty.
    ///   * An exact cover is drawn as a board if its items are cells, or if every option has a row and a
    ///     column. Any other exact cover has one line per option.
    ///   * `count` and `check` are as in text.
    /// * *Framed* is like *grid*, with frames around the boxes.
    /// * *Csv* has columns with RFC 4180 quoting, and lines that end in a line feed:
    ///   * If the input is CSV, its columns come first, unchanged and with its delimiter. The columns of the
    ///     program follow, with the prefix `q_` in their names.
    ///   * If a row of the input has too few columns, empty columns are added. Surplus or broken columns are
    ///     quoted into one column, so that the columns of the program are always in place.
    ///   * A source without a header gets the names `column_1` and so on.
    ///   * For any other input, there are only the columns of the program, without a prefix.
    /// * *Jsonl* has one object per line, with every field of the run. A field without a value is `null`.
    ///   Counts above 2^53 - 1 are decimal strings.
    /// * *Contest* has the text that judges of contests expect, which depends on the command:
    ///   * `solve`: the rows of the solution (POJ 2676).
    ///   * `count`: the exact number of solutions (UVA 1461).
    ///   * `best`: the score that is proved best, or -1 (Luogu P1074).
    ///   * `check`: as in text.
    ///   * Any other answer appends nothing, so that the caller can report it elsewhere.
    ///
    /// Lines of the input that are not records ([`Body::Skipped`](crate::input::Body::Skipped)) become empty
    /// lines in text and grid. The other formats write nothing for these lines.
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
        /// Format that the judge programs of programming contests expect.
        Contest = "contest",
        /// Columns of a Parquet file.
        Parquet = "parquet",
        /// Columns of an Arrow file or stream.
        Arrow = "arrow",
    }
}

impl OutputFormat {
    /// Returns true for table formats. A [`TableOutput`](crate::output) converts rows of these formats to
    /// columns.
    pub fn is_table(self) -> bool {
        matches!(self, OutputFormat::Parquet | OutputFormat::Arrow)
    }

    /// Returns true if rows of this format are lists of fields that the user can choose.
    fn has_fields(self) -> bool {
        !matches!(self, OutputFormat::Grid | OutputFormat::Framed | OutputFormat::Contest)
    }
}

/// Command that a run executes, which decides what the answers mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Verb {
    /// A solution.
    #[default]
    Solve,
    /// The number of solutions.
    Count,
    /// The solution with the best score or cost.
    Best,
    /// The verdict on the record.
    Check,
    /// A transformed grid: the canonical form, or the image under a given transform.
    Canon,
    /// The record in the form that it has in the input.
    Keep,
    /// The record in another format.
    Convert(Conversion),
    /// The rating of the record.
    Rate {
        /// True if each rating is found from the steps of a solving path.
        by_steps: bool,
    },
}

impl Verb {
    /// Returns the options of `Convert`, or `None` for any other command.
    fn conversion(self) -> Option<Conversion> {
        if let Verb::Convert(conversion) = self { Some(conversion) } else { None }
    }
}

/// Options that decide the form of rows. The default is the text output of `solve`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutputOptions {
    /// The format.
    pub format: OutputFormat,
    /// Command that the answers belong to.
    pub verb: Verb,
    /// Fields that the user chose as columns. If empty, the default columns of the format and command are
    /// used.
    pub fields: Vec<Field>,
    /// True if CSV has no header.
    pub no_header: bool,
    /// True if each solution of a record gets its own row, with the number of the solution (`--all`, `--limit
    /// K`).
    pub several: bool,
    /// True if each row contains the id of its record. In text, the id comes first.
    pub echo_id: bool,
    /// True if rows may be written in any order.
    ///
    /// Each row then contains the number of its record. In text, the number comes first.
    pub unordered: bool,
    /// True if the steps of each rating are also output.
    ///
    /// In text, the steps follow the row, one per line, with an empty line after the last step. In JSON, they
    /// are the member `path`.
    pub explain: bool,
    /// The ends of lines.
    pub line_ends: LineEnds,
    /// True if columns of input tables are copied to the output as they are, without conversion to text.
    ///
    /// The caller copies these columns by reading the tables separately (`PassthroughColumns`, with the
    /// feature `parquet`).
    pub passthrough: bool,
    /// The delimiter of CSV.
    pub delimiter: Delimiter,
    /// True if commands that select records write only the columns of the input.
    ///
    /// If the input already has the requested format, rows are written unchanged.
    pub bare: bool,
    /// Names of all engines, needed for the columns of tables.
    pub engines: Vec<&'static str>,
    /// Names of columns whose values are appended to finished rows, after further records have been read. The
    /// header includes these names.
    pub extra_columns: Vec<&'static str>,
    /// True if rows have only the input's columns and those in `extra_columns`. Requires empty `fields`.
    pub only_extra_columns: bool,
    /// Reserved for new fields. Create values with `..`, as in `OutputOptions { no_header: true,
    /// ..OutputOptions::default() }`.
    #[doc(hidden)]
    pub _more: (),
}

/// Byte between the columns of CSV.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delimiter {
    /// The delimiter of the first source if it is CSV, otherwise a comma.
    #[default]
    Keep,
    /// Like [`Keep`](Self::Keep), but with a comma instead of a tab.
    KeepUnlessTab,
    /// This byte.
    Byte(u8),
}

impl Delimiter {
    /// Returns the delimiter as text for a description of the options, or `None` for the default delimiter.
    pub fn described(self) -> Option<String> {
        match self {
            Delimiter::Keep => None,
            Delimiter::KeepUnlessTab => Some("not tab".to_owned()),
            Delimiter::Byte(byte) => Some(char::from(byte).to_string()),
        }
    }

    /// Returns the delimiter of the output, given the delimiter `first` of the first source.
    fn after(self, first: u8) -> u8 {
        match self {
            Delimiter::Byte(byte) => byte,
            Delimiter::KeepUnlessTab if first == b'\t' => b',',
            Delimiter::Keep | Delimiter::KeepUnlessTab => first,
        }
    }
}

impl OutputOptions {
    /// Returns the fields that must come first because of `unordered` and `echo_id`.
    ///
    /// Leaves out fields that `fields` already contains.
    fn leading(&self) -> Vec<Field> {
        let wanted = [(self.unordered, Field::Index), (self.echo_id, Field::Id)];
        wanted
            .into_iter()
            .filter(|(wanted, field)| *wanted && !self.fields.contains(field))
            .map(|(_, field)| field)
            .collect()
    }

    /// Returns true if rows have only the columns of the input.
    ///
    /// If the input already has the requested format, rows are then written unchanged.
    fn keeps_rows(&self) -> bool {
        let is_bare = self.bare || !matches!(self.format, OutputFormat::Csv | OutputFormat::Jsonl);
        is_bare && self.verb == Verb::Keep && self.columns_are_the_default()
    }

    /// Returns true if rows have the form of the first source, which is CSV, objects or lines.
    fn has_form_of_first(&self) -> bool {
        self.format == OutputFormat::Text && self.keeps_rows() || self.keeps_form()
    }

    /// Returns true if puzzles are rewritten in the form of the first source, which is CSV, objects or lines.
    pub fn keeps_form(&self) -> bool {
        self.format == OutputFormat::Text
            && self.verb.conversion().is_some_and(|conversion| conversion.text == PuzzleText::Field)
    }

    /// Returns true if the options request no particular columns.
    fn columns_are_the_default(&self) -> bool {
        self.fields.is_empty() && self.leading().is_empty() && !self.only_extra_columns
    }

    /// Returns the program's columns for CSV, JSON lines and tables.
    ///
    /// If `passthrough` is true, the columns of the input come before them.
    fn columns(&self, passthrough: bool) -> Vec<Field> {
        if self.verb.conversion().is_some() {
            return self.fields.clone();
        }
        if self.keeps_rows() {
            return match (passthrough, self.format) {
                (true, _) => Vec::new(),
                (false, OutputFormat::Text) => vec![Field::Puzzle, Field::Id, Field::Rules],
                (false, _) => vec![Field::Puzzle, Field::Id],
            };
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
        // If a record has several rows, its number identifies the puzzle. Repeating the puzzle would take
        // more space than the solutions.
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

/// Function that is called with the kind of a lost value and the name of its column. The name is empty if
/// there is no column.
pub type Lose<'l> = dyn FnMut(Loss, &str) + 'l;

/// Writes rows in one format. Several threads may write rows at the same time, in any order.
pub trait Formatter: Send + Sync {
    /// Returns the formatter to which this formatter passes its rows, or `None` if there is none.
    ///
    /// `first` is the layout of the first source, if it is known. If not, and if the first source decides which
    /// formatter gets the rows, returns `None`. Most other functions have a default
    /// implementation that calls the same function of the returned formatter.
    fn inner(&self, first: Option<&Layout>) -> Option<&dyn Formatter> {
        let _ = first;
        None
    }

    /// Returns the columns of the rows, or `None` if rows are not lists of columns.
    fn columns(&self) -> Option<&InputColumns> {
        None
    }

    /// Writes the text before the first row. Called once, even if the input is empty.
    ///
    /// `layout` is the layout of the first source.
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        if let Some(inner) = self.inner(Some(layout)) {
            inner.begin(layout, out);
        }
    }

    /// Appends a row, or nothing if the format has nothing to show for it.
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>);

    /// Writes the text after the last row. Called once, unless the run ends early.
    fn end(&self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Returns how additional columns are appended to the row of this record.
    fn notation(&self, layout: &Layout, record: &[u8]) -> Notation {
        self.inner(Some(layout)).map_or(Notation::Tab, |inner| inner.notation(layout, record))
    }

    /// Returns true if a resumed run must write the text before the first row again.
    fn repeats_head(&self) -> bool {
        self.inner(None).is_some_and(<dyn Formatter>::repeats_head)
    }

    /// Returns true if the row of a plain 9x9 grid is only its [plain output](Self::plain_output).
    ///
    /// Here, a plain grid is a 9x9 grid that is a whole line of the input. `layout` is the layout of its
    /// source.
    fn takes_plain(&self, layout: &Layout) -> bool {
        self.inner(Some(layout)).is_none_or(|inner| inner.takes_plain(layout))
    }

    /// Informs the formatter about the layout of the first source, before any row is written. May be called
    /// repeatedly.
    fn learn(&self, first: &Layout) {
        if let Some(inner) = self.inner(Some(first)) {
            inner.learn(first);
        }
        if let Some(columns) = self.columns() {
            columns.first(first);
        }
    }

    /// Returns true if rows may have values that the output cannot hold. `layout` is the layout of their
    /// source.
    fn may_lose(&self, layout: &Layout) -> bool {
        self.inner(Some(layout)).is_some_and(|inner| inner.may_lose(layout))
            || self.columns().is_some_and(|columns| columns.may_lose(layout))
    }

    /// Calls `lose` for each value of a row that the output cannot hold.
    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        if let Some(inner) = self.inner(Some(row.layout)) {
            inner.losses(row, lose);
        }
        self.columns().into_iter().for_each(|columns| columns.losses(row, lose));
    }

    /// Returns the line end of the output. The formatter must already [know](Self::learn) the first source.
    ///
    /// Code that writes [plain output](Self::plain_output), or lines before or after rows, must use this line
    /// end.
    fn line_break(&self) -> LineBreak {
        LineBreak::Lf
    }

    /// Returns the value that makes up the whole output row of a plain 9x9 grid.
    ///
    /// Here, a plain grid is a whole line of the input. Returns `None` if rows of plain grids show more than
    /// one value. Rows for unusual answers, such as errors, are still written with [`row`](Self::row).
    fn plain_output(&self) -> Option<PlainOutput> {
        self.inner(None)?.plain_output()
    }

    /// Returns the part of an answer that is needed for the output row of a plain 9x9 grid.
    ///
    /// Here, a plain grid is a whole line of the input. A caller can write the row from this part and a
    /// solution, without the grid or any other result. Returns `None` if rows show more than this part.
    fn row_output(&self) -> Option<PlainOutput> {
        self.inner(None).map_or_else(|| self.columns()?.row_output(), <dyn Formatter>::row_output)
    }
}

/// Value that is the only content of a row, before its newline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainOutput {
    /// The solution of a 9x9 grid as 81 digits from 1 to 9, if the search found exactly one solution.
    Solution,
    /// Like [`Solution`](Self::Solution), but followed by a blank instead of a newline if the solution is
    /// proved to be unique.
    Marked,
    /// The number of solutions in decimal, with `>=` before it if there may be more solutions.
    Count,
    /// The name of the status.
    Status,
    /// The rating.
    Rating,
}

/// Creates the formatter for the given options.
///
/// # Errors
/// Returns a usage error if the options do not fit together:
/// - fields, ids or record numbers for a format without columns
/// - a field that is chosen twice
/// - several solutions for a command with one answer
/// - a format that does not fit the command
pub fn formatter(options: OutputOptions) -> Result<Box<dyn Formatter>> {
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
    let rows: Box<dyn Formatter> = match (options.format, conversion) {
        (OutputFormat::Text | OutputFormat::Grid | OutputFormat::Contest, Some(conversion)) => {
            Box::new(converted_lines::Lines::new(conversion, &options))
        }
        (OutputFormat::Text, _) if options.keeps_rows() => Box::new(input_lines::InputLines::new(&options)),
        (OutputFormat::Text, _) => Box::new(text::Text::new(&options)),
        (OutputFormat::Grid, _) => Box::new(grid::Grid { verb: options.verb, is_framed: false }),
        (OutputFormat::Framed, _) => Box::new(grid::Grid { verb: options.verb, is_framed: true }),
        (OutputFormat::Csv, _) => Box::new(csv::Csv::new(&options)),
        (OutputFormat::Jsonl, _) => Box::new(jsonl::Jsonl::new(&options)),
        (OutputFormat::Contest, _) => Box::new(contest::Contest(options.verb)),
        (OutputFormat::Parquet | OutputFormat::Arrow, _) => {
            return Ok(Box::new(table::TableFormatter::new(&options)));
        }
    };
    Ok(Box::new(LineEnded::new(rows, &options)))
}
