//! Answers to bytes: one file a format, knowing nothing of where the bytes go.
//!
//! A [`Formatter`] is made once for a run by [`formatter`] and shared by all workers: it has no state, writes
//! each [`Row`] from the row alone, and allocates nothing but space in the buffer of the caller.
//!
//! A [`Field`] is one thing that a format may show of a row: text with chosen fields, csv and jsonl are lists of fields
//! written in three notations. Text without chosen fields, grid and contest have rules of their own (see
//! [`OutputFormat`]).

mod board;
mod columns;
mod contest;
mod convert;
mod csv;
mod field;
mod first_source;
mod grid;
mod json;
mod jsonl;
mod kept;
mod line_ends;
mod objects;
mod packed;
mod row;
mod ruled;
mod table;
mod text;
mod value;

#[cfg(test)]
mod tests;

pub use board::board_of;
pub use convert::{Conversion, EMPTY_CELLS, PuzzleText};
pub use field::Field;
pub use internals::Row;
pub use line_ends::{LineEnds, set_line_breaks};
pub use packed::{PackedEnd, PackedWriter, Packing};
pub use table::put_behind;
#[cfg(feature = "parquet")]
pub use table::{ArrowFile, BatchSink, ParquetFile, ParquetParts, TableOutput};
pub use text::{write_found, write_refutation};

/// Items for tests, fuzzers and benchmarks of this package only, see `internals`.
pub mod internals {
    pub use super::row::Row;
}

use crate::input::{Layout, LineBreak};
use quadrille_model::Loss;

use first_source::PREFIX;
use line_ends::LineEnded;
use quadrille_model::{Error, Result, worded};

worded! {
    /// The output formats.
    ///
    /// * *Text*: one line a row. `solve`: the solution in the input's symbols; a line that is not a plain solution
    ///   begins with the status word, then after tabs the solution, if there is one, and the reason (or what ended
    ///   the search early). A plain solution never stands for a record with several known solutions, nor for one
    ///   whose uniqueness was asked for and not proved. `count`: the number, `>=K` where the limit ended it, `>=M`,
    ///   tab, what ended it elsewhere. `best`: score, tab, solution, and where not proved tab, `feasible`, tab,
    ///   bound. `check`: status, tab, reason. Options of an exact cover are written as in the input and separated
    ///   by ` ; `, row numbers by blanks.
    /// * *Grid*: the rows of the solution on lines of their own (for an exact cover the board, where items are cells or
    ///   every option has a row and a column, else an option a line), above them
    ///   the line that text has without its solution, unless that is nothing; an empty line ends each record.
    ///   `count` and `check` have nothing to draw and are as in text.
    /// * *Csv*: columns. For csv input its columns as they stand, with its delimiter, then ours with the prefix
    ///   `q_`; rows with too few columns are filled up, what is too much or broken is quoted into one column, so
    ///   that ours are always in their place. A source without a header row gets the names `column_1`, ...
    ///   Otherwise our columns alone, without prefix. RFC 4180 quoting; lines end in a line feed.
    /// * *Jsonl*: one object a line, every field of the run present, `null` where there is no value, `schema` first.
    ///   Counts above 2^53 - 1 are decimal strings.
    /// * *Contest*: what the judges expect: the rows of the solution (POJ 2676), the exact count (UVA 1461), the
    ///   proved best score or -1 (Luogu P1074). Everything else adds nothing to the buffer, by which the caller sees
    ///   that a message is needed elsewhere. `check` is as in text.
    ///
    /// Lines of the input that are no record ([`Body::Skipped`](crate::input::Body::Skipped)) are empty lines in
    /// text and grid, and nothing in the others.
    #[derive(Default)]
    pub OutputFormat, name, from_name {
        /// One line a row.
        #[default]
        Text = "text",
        /// Grids.
        Grid = "grid",
        /// Columns.
        Csv = "csv",
        /// One JSON object a line.
        Jsonl = "jsonl",
        /// For judges.
        Contest = "contest",
        /// Columns of a Parquet file.
        Parquet = "parquet",
        /// Columns of an Arrow file or stream.
        Arrow = "arrow",
    }
}

impl OutputFormat {
    /// True for tables, whose rows a [`TableOutput`](crate::output) puts into columns.
    pub fn is_table(self) -> bool {
        matches!(self, OutputFormat::Parquet | OutputFormat::Arrow)
    }

    /// True if its rows are lists of fields that can be chosen.
    fn has_fields(self) -> bool {
        !matches!(self, OutputFormat::Grid | OutputFormat::Contest)
    }
}

/// The subject of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
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
    /// The grid under a map: its canonical form, or under a map that was given.
    Canon,
    /// The record as it stands in the input.
    Keep,
    /// The record in another format.
    Convert(Conversion),
    /// The rating of the record.
    Rate {
        /// True if it is that of the steps of a path.
        by_steps: bool,
    },
}

/// The form of rows. The default is the text output of `solve`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputOptions {
    /// The format.
    pub format: OutputFormat,
    /// The subject of the answers.
    pub verb: Verb,
    /// The columns; empty for those that belong to format and verb.
    pub fields: Vec<Field>,
    /// Begins csv with a header. Default true.
    pub header: bool,
    /// Gives each solution of a record a row of its own (`--all`, `--limit K`), with its number.
    pub several: bool,
    /// Adds the record's id to rows: in text before everything else.
    pub echo_id: bool,
    /// Rows may come in any order, so that each carries its record's number: in text first.
    pub unordered: bool,
    /// Puts the steps behind ratings: in text a line each below the row and an empty line, in jsonl as the member `path`.
    pub explain: bool,
    /// The ends of lines.
    pub line_ends: LineEnds,
    /// Columns of tables in the input go into those of the output without becoming text. That is up to the caller, who reads them
    /// a second time (`Carried`, with the feature `parquet`).
    pub carried: bool,
    /// The byte between columns of csv; by default that of the first source, if it is csv, or a comma.
    pub delimiter: Option<u8>,
    /// Writes the columns of the input and none of ours, for records that are kept: rows stay the bytes of the input if that has
    /// this format.
    pub bare: bool,
    /// Columns that are put behind the others later, when more is known than one record: the names for the header.
    pub behind: Vec<&'static str>,
    /// True if rows have no other columns than those and the input's own. Then no `fields` are chosen.
    pub only_behind: bool,
}

/// The way in which further columns are put behind those of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notation {
    /// Behind a tab.
    #[default]
    Tab,
    /// As the first columns of a row that has no others, with a delimiter between them.
    First(u8),
    /// Behind a delimiter.
    Delimiter(u8),
    /// As members of the row's object: under their own names (0), with the prefix `q_` (1), or with that and a number
    /// (from 2).
    Json(u8),
    /// In a comment above the lines of a grid.
    Above,
    /// As values of the row's columns.
    Table,
}

impl Default for OutputOptions {
    fn default() -> Self {
        OutputOptions {
            format: OutputFormat::default(),
            verb: Verb::default(),
            fields: Vec::new(),
            header: true,
            several: false,
            echo_id: false,
            unordered: false,
            explain: false,
            line_ends: LineEnds::Keep,
            carried: false,
            delimiter: None,
            bare: false,
            behind: Vec::new(),
            only_behind: false,
        }
    }
}

impl OutputOptions {
    /// Fields that stand before all others where they are asked for and not chosen anyway.
    fn leading(&self) -> Vec<Field> {
        let wanted = [(self.unordered, Field::Index), (self.echo_id, Field::Id)];
        wanted
            .into_iter()
            .filter(|(wanted, field)| *wanted && !self.fields.contains(field))
            .map(|(_, field)| field)
            .collect()
    }

    /// True if rows are the columns of the input alone, in a format that the input may not have.
    fn keeps_rows_alone(&self) -> bool {
        self.bare && self.verb == Verb::Keep && self.columns_are_the_default()
    }

    /// True if no column was asked for.
    fn columns_are_the_default(&self) -> bool {
        self.fields.is_empty() && self.leading().is_empty() && !self.only_behind
    }

    /// The columns of csv and jsonl. `carried`: the input's own columns stand beside them.
    fn columns(&self, carried: bool) -> Vec<Field> {
        if self.keeps_rows_alone() {
            return if carried { Vec::new() } else { vec![Field::Puzzle, Field::Id] };
        }
        let mut columns = self.leading();
        if self.only_behind {
            return columns;
        }
        if carried && self.fields.is_empty() {
            columns.retain(|field| *field != Field::Id);
        }
        if !self.fields.is_empty() {
            columns.extend_from_slice(&self.fields);
            return columns;
        }
        if !columns.contains(&Field::Index) && (self.several || !carried) {
            columns.insert(0, Field::Index);
        }
        // With several rows a record its number leads to the puzzle; repeating it would dwarf the solutions.
        if self.several {
            columns.push(Field::SolutionIndex);
        } else if !carried {
            columns.push(Field::Puzzle);
        }
        columns.push(Field::Status);
        columns.extend_from_slice(match self.verb {
            Verb::Solve => &[Field::Solution],
            Verb::Count => &[Field::Count, Field::AtLeast],
            Verb::Best => &[Field::Score, Field::Bound, Field::Solution],
            Verb::Check | Verb::Keep | Verb::Convert(_) => &[],
            Verb::Canon => {
                &[Field::Canon, Field::GridAutomorphisms, Field::Automorphisms, Field::Band, Field::Map]
            }
            Verb::Rate { by_steps: true } => {
                &[Field::Er, Field::Ep, Field::Ed, Field::Technique, Field::Scale]
            }
            Verb::Rate { by_steps: false } => &[Field::Rating, Field::RatingError, Field::Scale],
        });
        columns.extend([Field::Reason, Field::EndedBy]);
        columns
    }
}

/// Takes the kind of a value that has no place in the output, and the name of its column; empty if it has none.
pub type Lose<'l> = dyn FnMut(Loss, &str) + 'l;

/// Returns the name of a member that is put behind an object, by the number of [`Notation::Json`].
pub fn name_behind(name: &str, number: u8) -> String {
    match number {
        0 => name.to_owned(),
        1 => format!("{PREFIX}{name}"),
        _ => format!("{PREFIX}{name}_{number}"),
    }
}

/// Writes rows in one format. Without state: rows may be written by many threads at once, in any order.
pub trait Formatter: Send + Sync {
    /// Writes what stands before all rows; called once, also for an empty input. The layout is the first source's.
    fn begin(&self, layout: &Layout, out: &mut Vec<u8>) {
        let _ = (layout, out);
    }

    /// Appends a row. Leaves the buffer as it is where the format has nothing to show for it.
    fn row(&self, row: &Row<'_>, out: &mut Vec<u8>);

    /// The way in which further columns are put behind those of a record's row.
    fn notation(&self, layout: &Layout, record: &[u8]) -> Notation {
        let _ = (layout, record);
        Notation::default()
    }

    /// True if the head is needed by a run that goes on with the work of another.
    fn repeats_head(&self) -> bool {
        false
    }

    /// True if rows of plain records in sources like this one show [one thing](Self::plain_output).
    fn takes_plain(&self, layout: &Layout) -> bool {
        let _ = layout;
        true
    }

    /// Takes the layout of the first source, before any row is written; called any number of times.
    fn learn(&self, first: &Layout) {
        let _ = first;
    }

    /// Returns true if rows of sources like this one may have values without a place in the output.
    fn may_lose(&self, layout: &Layout) -> bool {
        let _ = layout;
        false
    }

    /// Calls with the kind of each value of a row that has no place in the output, and with its column's name if it has one.
    fn losses(&self, row: &Row<'_>, lose: &mut Lose<'_>) {
        let _ = (row, lose);
    }

    /// Returns what ends lines, once the first source [is known](Self::learn). Whoever writes [plain output](Self::plain_output)
    /// or more lines around rows ends them so.
    fn line_break(&self) -> LineBreak {
        LineBreak::Lf
    }

    /// The one thing that rows of plain records show which were answered without any trouble; `None` where rows show more.
    fn plain_output(&self) -> Option<PlainOutput> {
        None
    }
}

/// The only content of a row, with a newline behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainOutput {
    /// The one solution that is known: of a 9x9 in digits, 81 characters 1 to 9.
    Solution,
    /// As [`Solution`](Self::Solution), but a blank stands behind it instead of the newline where it is known to be the only
    /// one.
    Marked,
    /// The number of solutions, in decimal; `>=` before it where there may be others.
    Count,
    /// The word of the status.
    Status,
    /// The rating.
    Rating,
}

/// The formatter for these options.
///
/// # Errors
/// Fields, ids or record numbers for a format without columns; a field chosen twice; several solutions of a
/// verb that has one answer.
pub fn formatter(options: OutputOptions) -> Result<Box<dyn Formatter>> {
    let (format, verb, line_ends) = (options.format, options.verb, options.line_ends);
    let is_kept = verb == Verb::Keep && options.columns_are_the_default() && format == OutputFormat::Text;
    let rows = formatter_of_lines(options)?;
    Ok(if format.is_table() { rows } else { Box::new(LineEnded::new(rows, format, is_kept, line_ends)) })
}

/// Returns the formatter whose lines all end in a line feed.
fn formatter_of_lines(options: OutputOptions) -> Result<Box<dyn Formatter>> {
    let name = options.format.name();
    if options.format.is_table() && options.unordered {
        return Err(Error::usage(format!("rows of {name} are in order: leave --unordered out")));
    }
    if !options.format.has_fields() {
        let misplaced = [
            (!options.fields.is_empty(), "chosen fields"),
            (options.echo_id, "ids"),
            (options.unordered, "record numbers, which rows in any order need"),
        ];
        if let Some((_, what)) = misplaced.into_iter().find(|(asked, _)| *asked) {
            return Err(Error::usage(format!(
                "{name} output has no place for {what}: use text, csv or jsonl"
            )));
        }
    }
    for (place, field) in options.fields.iter().enumerate() {
        if options.fields[..place].contains(field) {
            return Err(Error::usage(format!("field {} is chosen twice", field.name())));
        }
    }
    let one_each = matches!(options.verb, Verb::Count | Verb::Check);
    if options.several && (one_each || options.verb == Verb::Best && options.format == OutputFormat::Contest)
    {
        return Err(Error::usage(
            "several solutions a record can be written by solve and best only, and judges of best want one",
        ));
    }
    if options.explain && !matches!(options.format, OutputFormat::Text | OutputFormat::Jsonl) {
        return Err(Error::usage(format!("{name} output has no place for steps: use text or jsonl")));
    }
    if let Verb::Convert(conversion) = options.verb {
        conversion.validate()?;
        return Ok(match options.format {
            OutputFormat::Csv => Box::new(csv::Csv::new(&options)),
            OutputFormat::Jsonl => Box::new(jsonl::Jsonl::new(&options)),
            OutputFormat::Parquet | OutputFormat::Arrow => Box::new(table::Table::new(&options)),
            OutputFormat::Text | OutputFormat::Grid | OutputFormat::Contest => {
                Box::new(convert::Lines::new(conversion))
            }
        });
    }
    let is_drawn = matches!(options.verb, Verb::Solve | Verb::Count | Verb::Best | Verb::Check);
    if !is_drawn && !options.format.has_fields() {
        return Err(Error::usage(format!("{name} output is for solutions: use text, csv or jsonl")));
    }
    Ok(match options.format {
        OutputFormat::Text if options.verb == Verb::Keep && options.columns_are_the_default() => {
            Box::new(kept::Kept::new(&options))
        }
        OutputFormat::Csv | OutputFormat::Jsonl if options.keeps_rows_alone() => {
            Box::new(kept::KeptAs::new(&options))
        }
        OutputFormat::Text => Box::new(text::Text::new(&options)),
        OutputFormat::Grid => Box::new(grid::Grid(options.verb)),
        OutputFormat::Csv => Box::new(csv::Csv::new(&options)),
        OutputFormat::Jsonl => Box::new(jsonl::Jsonl::new(&options)),
        OutputFormat::Contest => Box::new(contest::Contest(options.verb)),
        OutputFormat::Parquet | OutputFormat::Arrow => Box::new(table::Table::new(&options)),
    })
}
