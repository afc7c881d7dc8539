//! The table of the fields that `--fields` can choose.

use crate::input::Span;
use quadrille_model::{Answer, Counter, DigitCounts, ProblemRef, Status};
use quadrille_rating::{Rating, Tenths};

use super::cell_sets::CellNotation;
use super::value::Value;
use super::{Row, Verb};

/// Kind of a field's values, which decides the type of its column in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text,
    /// The name of a status.
    Status,
    /// The reason why a search ended.
    EndedBy,
    /// The name of an engine.
    Engine,
    Unsigned,
    Signed,
    /// A number with a fraction.
    Real,
    /// A rating, with an extra column for its lower bound if the rating is not known exactly.
    Rating,
    /// A number of solutions in 64 bits, with an extra text column for larger numbers.
    Count,
    /// Numbers of steps by technique.
    Techniques,
    /// The steps of a path.
    Path,
    /// Cells in the order in which they are filled.
    Order,
    /// A list of numbers.
    Numbers,
}

/// The part of a row that a field describes. It decides which verbs have the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldScope {
    /// The record or its answer.
    Record,
    /// A solution.
    Solution,
    /// One of several solutions.
    SeveralSolutions,
    /// The value of a solution.
    Best,
    /// A transformed grid.
    Image,
    /// The transform of a grid.
    Transform,
    /// One of several images.
    Copy,
    /// A rating.
    Rating,
    /// A rating that is a mean.
    Mean,
    /// A rating by steps.
    Steps,
    /// The digits that occur in some solution.
    Possible,
    /// Which clues are needed.
    Needs,
}

/// The table entry of a field.
struct Info {
    field: Field,
    kind: ValueKind,
    part: FieldScope,
    name: &'static str,
    about: &'static str,
    value: ValueOf,
}

/// Returns the value of a field in a row.
type ValueOf = for<'a> fn(&Row<'a>) -> Value<'a>;

/// Declares the fields and their table from one list.
///
/// Each entry has kind, part of a row, name, description, and a function that returns the value in a row.
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident: $kind:ident of $part:ident = $name:expr, $about:expr, $value:expr;)+) => {
        /// A column that can be shown for each row.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Field { $($(#[$doc])* $field),+ }

        /// All fields, in the order of the enum.
        static FIELDS: &[Info] = &[$(Info {
            field: Field::$field,
            kind: ValueKind::$kind,
            part: FieldScope::$part,
            name: $name,
            about: $about,
            value: $value,
        }),+];
    };
}

fields! {
    /// Number of the record over the whole run, 1-based.
    Index: Unsigned of Record = "index", "number of the record, 1-based", |row| Value::Number(row.index);
    /// Line of the source in which the record begins, 1-based.
    Line: Unsigned of Record = "line", "line in which the record begins, 1-based", |row| Value::Number(row.record.line);
    /// Offset of the record's first byte in the decompressed source, in bytes.
    Byte: Unsigned of Record = "byte", "offset of the record's first byte, after decompression", |row| Value::Number(row.record.byte);
    /// Name of the source.
    Source: Text of Record = "source", "name of the file, - for standard input", |row| {
        Value::Bytes(row.source.as_bytes())
    };
    /// The text that follows the puzzle, or the value of its id column.
    Id: Text of Record = "id", "what followed the puzzle, or the column id", id;
    /// The puzzle as written in the input; missing for exact cover problems, whose records are whole files.
    Puzzle: Text of Record = "puzzle", "the puzzle as written in the input", |row| {
        if row.layout.format.is_cover() { Value::Missing } else { text(row, row.record.puzzle) }
    };
    /// The rules beyond rows, columns and boxes, as items; missing for classic grids.
    Rules: Text of Record = "rules", "rules beyond rows, columns and boxes, as items", |row| match row.problem {
        Some(ProblemRef::Puzzle(puzzle)) => {
            Value::or_missing(puzzle.rules(), |rules| Value::Bytes(rules.text().as_bytes()))
        }
        _ => Value::Missing,
    };
    /// The verdict.
    Status: Status of Record = "status", "solved, unique, multiple, none, counted, ...", |row| {
        Value::or_missing(row.answer, |answer| Value::Word(answer.status.word()))
    };
    /// The reason for the verdict.
    Reason: Text of Record = "reason", "the reason of the status, in words", |row| {
        Value::or_missing(row.answer.and_then(|answer| answer.reason.as_deref()), Value::Reason)
    };
    /// The reason why the search ended.
    EndedBy: EndedBy of Record = "ended_by", "complete, limit, nodes, time, deadline, memory, cancel", |row| {
        Value::or_missing(row.answer, ended_by)
    };
    /// The solution.
    Solution: Text of Solution = "solution", "the solution, in the symbols of the input", |row| Value::solution(row);
    /// 1-based number of the solution within its record.
    SolutionIndex: Unsigned of SeveralSolutions = "solution_index", "number of the solution within its record, 1-based", |row| {
        Value::or_missing(row.solution_index, Value::Number)
    };
    /// The exact number of solutions.
    Count: Count of Record = "count", "number of solutions, if exact", |row| {
        Value::or_missing(row.answer.and_then(Answer::exact_count), Value::Count)
    };
    /// A lower bound on the number of solutions, if the exact number is unknown.
    MinCount: Count of Record = "min_count", "number of solutions found, if there may be more", |row| {
        Value::or_missing(row.answer.and_then(Answer::count_at_least), Value::Count)
    };
    /// The value of the best solution.
    Score: Signed of Best = "score", "score or cost of this solution", |row| {
        Value::score(row)
    };
    /// A value that no solution beats.
    Bound: Signed of Best = "bound", "score or cost that no solution can beat", |row| {
        Value::or_missing(row.answer.and_then(|answer| answer.best), |best| Value::Signed(best.bound))
    };
    /// Number of cells with exactly one candidate.
    Clues: Unsigned of Record = "clues", "number of cells with one candidate", |row| match row.problem {
        None | Some(ProblemRef::Cover(_)) => Value::Missing,
        Some(grid) => Value::Number(grid.clues().into()),
    };
    /// Number of decisions that were not forced.
    Guesses: Unsigned of Record = Counter::Guesses.name(), Counter::Guesses.words().1, work::<{ Counter::Guesses as usize }>;
    /// Number of search-tree nodes.
    Nodes: Unsigned of Record = Counter::Nodes.name(), Counter::Nodes.words().1, work::<{ Counter::Nodes as usize }>;
    /// Number of items covered.
    Covers: Unsigned of Record = Counter::Covers.name(), Counter::Covers.words().1, work::<{ Counter::Covers as usize }>;
    /// Number of links changed.
    Updates: Unsigned of Record = Counter::Updates.name(), Counter::Updates.words().1, work::<{ Counter::Updates as usize }>;
    /// Wall time of the search in microseconds.
    TimeUs: Unsigned of Record = "time_us", "time of the search in microseconds (--timings)", |row| {
        Value::or_missing(row.time_ns, |nanoseconds| Value::Number(nanoseconds / 1000))
    };
    /// Name of the engine that answered.
    Engine: Engine of Record = "engine", "the engine that answered", |row| {
        Value::or_missing(Some(row.engine).filter(|engine| !engine.is_empty()), Value::Word)
    };
    /// The canonical form, or the grid under the given transform.
    Canon: Text of Image = "canon", "canon: the canonical form", |row| Value::image(row);
    /// Number of arrangements that map the solution to itself.
    SolutionAutomorphisms: Unsigned of Image = "solution_automorphisms", "canon: number of arrangements that keep the solution", |row| Value::or_missing(row.image().and_then(|image| image.solution_automorphisms), number);
    /// Number of arrangements that map the clues to themselves.
    Automorphisms: Unsigned of Image = "automorphisms", "canon: number of arrangements that keep the clues", |row| {
        Value::or_missing(row.image().and_then(|image| image.automorphisms), number)
    };
    /// Class of the best band of the solution, 1 to 416.
    Band: Unsigned of Image = "band", "canon: the class of the best band, 1 to 416", |row| {
        Value::or_missing(row.image().and_then(|image| image.band), number)
    };
    /// The transform to the canonical form.
    Transform: Text of Transform = "transform", "canon, augment: the transform from the record to this form or image", |row| {
        Value::or_missing(row.transform(), Value::Transform)
    };
    /// Number of the image, 0 for the record itself.
    Copy: Unsigned of Copy = "copy", "augment: number of the image, 0 for the record itself", |row| {
        Value::or_missing(row.copy(), Value::Number)
    };
    /// The rating.
    Rating: Rating of Rating = "rating", "rate: the rating", |row| Value::rating(row);
    /// Standard error of a rating that is a mean.
    RatingError: Real of Mean = "rating_error", "rate: the standard error of the rating, if it is a mean", |row| {
        let error = row.rated().and_then(|(_, rated)| rated.error());
        Value::or_missing(error, Value::Thousandths)
    };
    /// The scale of the rating, with its version.
    Scale: Text of Rating = "scale", "rate: the scale of the rating, with its version", |row| {
        Value::or_missing(row.rated(), |(scale, _)| Value::Word(scale))
    };
    /// Rating of the hardest step.
    Er: Rating of Steps = "er", "rating of the hardest step (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.er))
    };
    /// Rating of the hardest step before the first digit is placed.
    Ep: Rating of Steps = "ep", "pearl: rating of the hardest step up to the first digit (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.ep))
    };
    /// Rating of the first step.
    Ed: Rating of Steps = "ed", "diamond: rating of the first step (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.ed))
    };
    /// The technique of the hardest step.
    Technique: Text of Steps = "technique", "technique of the hardest step (ser)", |row| {
        steps(row, |rating| Value::or_missing(rating.hardest, |technique| Value::Word(technique.name())))
    };
    /// The techniques of all steps, each with its number of steps.
    Techniques: Techniques of Steps = "techniques", "techniques, each with its number of steps (ser)", |row| {
        steps(row, Value::Techniques)
    };
    /// The steps as JSON.
    Path: Path of Steps = "path", "the steps in order, with what each places and removes (ser)", |row| {
        Value::or_missing(row.path(), Value::Json)
    };
    /// The cells in the order in which steps place their digits.
    Order: Order of Steps = "order", "the cells in the order in which their digits are placed (ser)", |row| {
        Value::or_missing(row.path(), Value::Order)
    };
    /// The number of steps.
    Steps: Unsigned of Steps = "steps", "number of steps (ser)", |row| steps(row, |rating| number(rating.steps));
    /// The grid after the last step.
    After: Text of Steps = "after", "the grid after the last step, for --until and --max-rating (ser)", |row| {
        reached(row, CellNotation::Single)
    };
    /// The candidates after the last step, as a character for each digit of each cell.
    AfterMarks: Text of Steps = "after_marks", "its candidates as pencilmarks (729 characters)", |row| {
        reached(row, CellNotation::Marks)
    };
    /// Number of filled cells after the last step.
    AfterClues: Unsigned of Steps = "after_clues", "number of its filled cells: 81 if it is solved", |row| {
        Value::or_missing(row.reached(), |reached| Value::Number(reached.filled() as u64))
    };
    /// The technique of the next step, which the bound excludes.
    Missing: Text of Steps = "missing", "technique of the next step, which the bound excludes", |row| {
        let missing = row.reached().and_then(|reached| reached.missing);
        Value::or_missing(missing, |technique| Value::Word(technique.name()))
    };
    /// The digits of each cell that occur in some solution, cells separated by blanks.
    Possible: Text of Possible = "possible", "solve, count: the digits of each cell that occur in some solution", |row| {
        possible(row, CellNotation::Groups)
    };
    /// The same as a character for each digit of each cell.
    PossibleMarks: Text of Possible = "possible_marks", "the same as pencilmarks (729 characters)", |row| {
        possible(row, CellNotation::Marks)
    };
    /// The grid with the cells that are equal in all solutions.
    Determined: Text of Possible = "determined", "the cells that are equal in all solutions", |row| {
        possible(row, CellNotation::Single)
    };
    /// Number of cells that differ between solutions.
    Ambiguous: Unsigned of Possible = "ambiguous", "number of cells that differ between solutions", |row| {
        Value::or_missing(row.possible, |possible| Value::Number(possible.ambiguous() as u64))
    };
    /// The cells that differ between solutions.
    AmbiguousMask: Text of Possible = "ambiguous_mask", "1 for each cell that differs between solutions, otherwise 0", |row| {
        possible(row, CellNotation::Mask)
    };
    /// In how many solutions each digit is in each cell.
    DigitCounts: Numbers of Possible = "digit_counts", "for each digit of each cell, the number of solutions with it, if exact", |row| {
        counts(row, true)
    };
    /// A lower bound on each of these numbers, if there may be more solutions.
    MinDigitCounts: Numbers of Possible = "min_digit_counts", "the same for the solutions found, if there may be more", |row| {
        counts(row, false)
    };
    /// Number of clues that can go, each alone.
    Redundant: Unsigned of Needs = "redundant", "check: number of clues that can go, each alone", |row| {
        Value::or_missing(row.redundancy(), |redundancy| Value::Number(redundancy.count() as u64))
    };
    /// The clues that can go, each alone.
    RedundantMask: Text of Needs = "redundant_mask", "1 for each cell whose clue can go, otherwise 0", |row| {
        Value::or_missing(row.redundancy(), |redundancy| Value::Flags(&redundancy.can_go))
    };
    /// A smallest puzzle with one solution that has no other clues.
    Smallest: Text of Needs = "smallest", "a smallest puzzle with one solution that has no other clues", |row| {
        smallest(row, CellNotation::Single)
    };
    /// The same as a character for each digit of each cell.
    SmallestMarks: Text of Needs = "smallest_marks", "the same as pencilmarks (729 characters)", |row| {
        smallest(row, CellNotation::Marks)
    };
    /// Number of its clues.
    SmallestClues: Unsigned of Needs = "smallest_clues", "number of its clues, cells with marks included", |row| {
        Value::or_missing(row.redundancy(), |redundancy| number(redundancy.left))
    };
    /// Number of clues that no such puzzle has fewer than.
    SmallestBound: Unsigned of Needs = "smallest_bound", "number of clues that no such puzzle can go below", |row| {
        Value::or_missing(row.redundancy(), |redundancy| number(redundancy.bound))
    };
    /// The fewest cells whose digits make the puzzle solvable by singles.
    Backdoor: Text of Needs = "backdoor", "check: fewest cells that make it solvable by singles: 0, 1, 2 or >2", |row| {
        let backdoor = row.needs.and_then(|needs| needs.backdoor);
        Value::or_missing(backdoor, |cells| Value::Word(["0", "1", "2", ">2"][cells.min(3) as usize]))
    };
}

/// Returns the value of the counter with this number.
fn work<'a, const NUMBER: usize>(row: &Row<'a>) -> Value<'a> {
    let counters = row.answer.and_then(|answer| answer.counters);
    Value::or_missing(counters.and_then(|counters| counters.get(Counter::ALL[NUMBER])), Value::Number)
}

/// Returns a value taken from a rating by steps; missing if there is none.
fn steps<'a>(row: &Row<'a>, value: impl FnOnce(&'a Rating) -> Value<'a>) -> Value<'a> {
    Value::or_missing(row.rated().and_then(|(_, rated)| rated.steps()), value)
}

/// Returns the possible digits of a row's record; missing if they are unknown.
fn possible<'a>(row: &Row<'a>, notation: CellNotation) -> Value<'a> {
    Value::or_missing(row.possible, |possible| Value::CellSets(&possible.cells, row.record.symbols, notation))
}

/// Returns the numbers of solutions by digit if their exactness is as wanted; otherwise missing.
fn counts<'a>(row: &Row<'a>, exact: bool) -> Value<'a> {
    let counts = row.possible.and_then(|possible| possible.counts.as_ref());
    let wanted = counts.filter(|DigitCounts { is_exact, .. }| *is_exact == exact);
    Value::or_missing(wanted, |counts| Value::Numbers(&counts.numbers))
}

/// Returns the candidates at the end of a row's path; missing without one.
fn reached<'a>(row: &Row<'a>, notation: CellNotation) -> Value<'a> {
    Value::or_missing(row.reached(), |reached| Value::CellSets(&reached.cells, row.record.symbols, notation))
}

/// Returns the smallest puzzle of a row's record; missing if it is unknown.
fn smallest<'a>(row: &Row<'a>, notation: CellNotation) -> Value<'a> {
    let puzzle = row.redundancy().map(|redundancy| &redundancy.smallest);
    Value::or_missing(puzzle, |cells| Value::CellSets(cells, row.record.symbols, notation))
}

fn number<'a>(number: impl Into<u64>) -> Value<'a> {
    Value::Number(number.into())
}

impl Field {
    /// Returns all fields, in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Field> {
        FIELDS.iter().map(|info| info.field)
    }

    /// Returns the field's name on the command line, in CSV headers and as a JSON key.
    pub fn name(self) -> &'static str {
        FIELDS[self as usize].name
    }

    /// Returns a short description.
    pub fn about(self) -> &'static str {
        FIELDS[self as usize].about
    }

    /// Returns the kind of the field's values.
    pub(super) fn kind(self) -> ValueKind {
        FIELDS[self as usize].kind
    }

    /// Returns the part of a row that the field describes.
    pub(super) fn scope(self) -> FieldScope {
        FIELDS[self as usize].part
    }

    /// Returns true if the field describes a transformed grid.
    pub fn is_of_image(self) -> bool {
        matches!(self.scope(), FieldScope::Image | FieldScope::Transform)
    }

    /// Returns true if the field describes a rating.
    pub fn is_rating(self) -> bool {
        matches!(self.scope(), FieldScope::Rating | FieldScope::Mean | FieldScope::Steps)
    }

    /// Returns true if the field describes a rating by steps.
    pub fn is_of_steps(self) -> bool {
        self.scope() == FieldScope::Steps
    }

    /// Returns true if the field describes the grid at the end of a rating's path.
    pub fn is_of_end(self) -> bool {
        matches!(self, Field::After | Field::AfterMarks | Field::AfterClues | Field::Missing)
    }

    /// Returns true if the field describes the digits that occur in some solution.
    pub fn is_of_possible(self) -> bool {
        self.scope() == FieldScope::Possible
    }

    /// Returns true if the field describes which clues are needed.
    pub fn is_of_needs(self) -> bool {
        self.scope() == FieldScope::Needs
    }

    /// Returns true if the field's values are numbers.
    pub fn is_numeric(self) -> bool {
        use ValueKind::{Count, Rating, Real, Signed, Unsigned};
        matches!(FIELDS[self as usize].kind, Unsigned | Signed | Real | Rating | Count)
    }

    /// Returns the field's number in a row, or `None` if the row has none.
    pub fn number(self, row: &Row<'_>) -> Option<f64> {
        let mut text = Vec::new();
        let value = self.value(row);
        if let Some(Tenths(tenths)) = value.at_least() {
            return Some(f64::from(tenths) / 10.0);
        }
        value.write(&mut text);
        std::str::from_utf8(&text).ok()?.parse().ok()
    }

    /// Returns the name of a rating's extra column, or `None` if the rating is always exact.
    ///
    /// The column holds the minimum of a rating that is not exact. Formats with numeric columns need it: otherwise
    /// the hardest puzzles would have a missing rating.
    pub(super) fn at_least_name(self, verb: Verb) -> Option<&'static str> {
        match self {
            Field::Er => Some("er_at_least"),
            Field::Ep => Some("ep_at_least"),
            Field::Ed => Some("ed_at_least"),
            Field::Rating if verb != (Verb::Rate { by_steps: false }) => Some("rating_at_least"),
            _ => None,
        }
    }

    /// Returns the field's value in a row.
    #[inline]
    pub(super) fn value<'a>(self, row: &Row<'a>) -> Value<'a> {
        (FIELDS[self as usize].value)(row)
    }
}

/// Returns the id of a row's record. In JSON lines, a string with escapes includes its quotes.
fn id<'a>(row: &Row<'a>) -> Value<'a> {
    match text(row, row.record.id) {
        Value::Bytes(json) if row.layout.members.is_some() && json.starts_with(b"\"") => {
            Value::JsonText(json)
        }
        value => value,
    }
}

/// Returns bytes of the record; missing if empty.
fn text<'a>(row: &Row<'a>, span: Span) -> Value<'a> {
    if span.is_empty() { Value::Missing } else { Value::Bytes(span.slice(row.bytes)) }
}

/// Returns the reason why the search ended; missing if there was no search.
fn ended_by(answer: &Answer) -> Value<'static> {
    match answer.status {
        Status::Invalid | Status::Unsupported | Status::Internal => Value::Missing,
        _ => Value::Word(answer.ended_by.word()),
    }
}
