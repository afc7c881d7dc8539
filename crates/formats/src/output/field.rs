//! Defines the table of the fields that the user can choose with `--fields`.

use crate::input::Span;
use quadrille_model::{Answer, Counter, DigitCounts, ProblemRef, Status};
use quadrille_rating::{Rating, Tenths};

use super::cell_sets::CellNotation;
use super::value::Value;
use super::{Row, Verb};

/// Kind of values in a field. It decides the type of the field's column in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text,
    /// The name of a status.
    Status,
    /// Reason why a search ended.
    EndedBy,
    /// The name of an engine.
    Engine,
    Unsigned,
    Signed,
    /// A number with a fraction.
    Real,
    /// A rating. A second column holds a lower bound if the exact rating is unknown.
    Rating,
    /// A number of solutions that fits in 64 bits. A second column holds larger numbers as text.
    Count,
    /// Numbers of steps by technique.
    Techniques,
    /// The steps of a path.
    Path,
    /// Cells in the order in which digits are placed in them.
    Order,
    /// A list of numbers.
    Numbers,
}

/// Part of a row that a field describes. This part decides which commands have the field.
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
    /// Rating that is a mean.
    Mean,
    /// A rating by steps.
    Steps,
    /// Digits that occur in some solution.
    Possible,
    /// Which clues are needed.
    Needs,
}

/// Table entry of a field.
struct Info {
    field: Field,
    kind: ValueKind,
    part: FieldScope,
    name: &'static str,
    about: &'static str,
    value: ValueOf,
}

/// Function that returns the value of a field in a row.
type ValueOf = for<'a> fn(&Row<'a>) -> Value<'a>;

/// Declares the enum `Field` and the table `FIELDS` from one list of entries.
///
/// Each entry gives the kind of the field's values, the part of a row that the field describes, the field's
/// name and a description. The last part of an entry is a function that returns the value in a row.
macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident: $kind:ident of $part:ident = $name:expr, $about:expr, $value:expr;)+) => {
        /// A column that can be shown for each row.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Field { $($(#[$doc])* $field),+ }

        /// Table entries of all fields, in the order of the enum.
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
    /// 1-based number of the record, counted over all sources of the run.
    Index: Unsigned of Record = "index", "number of the record, 1-based", |row| Value::Number(row.index);
    /// 1-based number of the line on which the record begins in its source.
    Line: Unsigned of Record = "line", "line in which the record begins, 1-based", |row| Value::Number(row.record.line);
    /// Byte offset of the record in the decompressed source.
    Byte: Unsigned of Record = "byte", "offset of the record's first byte, after decompression", |row| Value::Number(row.record.byte);
    /// Name of the source.
    Source: Text of Record = "source", "name of the file, - for standard input", |row| {
        Value::Bytes(row.source.as_bytes())
    };
    /// Text that follows the puzzle, or the value in the id column.
    Id: Text of Record = "id", "what followed the puzzle, or the column id", id;
    /// Puzzle as written in the input. Missing for exact cover problems, because their records are whole
    /// files.
    Puzzle: Text of Record = "puzzle", "the puzzle as written in the input", |row| {
        if row.layout.format.is_cover() { Value::Missing } else { text(row, row.record.puzzle) }
    };
    /// Rules in addition to those of rows, columns and boxes, written as items. Missing for classic grids.
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
    /// Reason why the search ended.
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
    /// Lower bound on the number of solutions, if the exact number is unknown.
    MinCount: Count of Record = "min_count", "number of solutions found, if there may be more", |row| {
        Value::or_missing(row.answer.and_then(Answer::count_at_least), Value::Count)
    };
    /// Score or cost of the solution.
    Score: Signed of Best = "score", "score or cost of this solution", |row| {
        Value::score(row)
    };
    /// Score or cost that no solution can beat.
    Bound: Signed of Best = "bound", "score or cost that no solution can beat", |row| {
        Value::or_missing(row.answer.and_then(|answer| answer.best), |best| Value::Signed(best.bound))
    };
    /// Number of cells with exactly one candidate in the puzzle.
    Clues: Unsigned of Record = "clues", "number of cells with one candidate", |row| match row.problem {
        None | Some(ProblemRef::Cover(_)) => Value::Missing,
        Some(grid) => Value::Number(grid.clues().into()),
    };
    /// Number of decisions that the search made without being forced to.
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
    /// Name of the engine that found the answer.
    Engine: Engine of Record = "engine", "the engine that answered", |row| {
        Value::or_missing(Some(row.engine).filter(|engine| !engine.is_empty()), Value::Word)
    };
    /// Canonical form, or the grid after the given transform.
    Canon: Text of Image = "canon", "canon: the canonical form", |row| Value::image(row);
    /// Number of arrangements (of rows, columns and digits) that map the solution to itself.
    SolutionAutomorphisms: Unsigned of Image = "solution_automorphisms", "canon: number of arrangements that keep the solution", |row| Value::or_missing(row.image().and_then(|image| image.solution_automorphisms), number);
    /// Number of arrangements (of rows, columns and digits) that map the clues to themselves.
    Automorphisms: Unsigned of Image = "automorphisms", "canon: number of arrangements that keep the clues", |row| {
        Value::or_missing(row.image().and_then(|image| image.automorphisms), number)
    };
    /// Class, from 1 to 416, of the band that becomes the top band of the solution's canonical form.
    Band: Unsigned of Image = "band", "canon: the class of the best band, 1 to 416", |row| {
        Value::or_missing(row.image().and_then(|image| image.band), number)
    };
    /// Transform that turns the record into its canonical form, or into one of its images (transformed
    /// copies).
    Transform: Text of Transform = "transform", "canon, augment: the transform from the record to this form or image", |row| {
        Value::or_missing(row.transform(), Value::Transform)
    };
    /// 0-based index of the image (transformed copy). Index 0 is the record itself.
    Copy: Unsigned of Copy = "copy", "augment: number of the image, 0 for the record itself", |row| {
        Value::or_missing(row.copy(), Value::Number)
    };
    /// The rating.
    Rating: Rating of Rating = "rating", "rate: the rating", |row| Value::rating(row);
    /// Standard error of the rating, if the rating is a mean.
    RatingError: Real of Mean = "rating_error", "rate: the standard error of the rating, if it is a mean", |row| {
        let error = row.rated().and_then(|(_, rated)| rated.error());
        Value::or_missing(error, Value::Thousandths)
    };
    /// Scale of the rating, with its version.
    Scale: Text of Rating = "scale", "rate: the scale of the rating, with its version", |row| {
        Value::or_missing(row.rated(), |(scale, _)| Value::Word(scale))
    };
    /// Rating of the hardest step.
    Er: Rating of Steps = "er", "rating of the hardest step (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.er))
    };
    /// Rating of the hardest step up to the first placed digit.
    Ep: Rating of Steps = "ep", "pearl: rating of the hardest step up to the first digit (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.ep))
    };
    /// Rating of the first step.
    Ed: Rating of Steps = "ed", "diamond: rating of the first step (ser)", |row| {
        steps(row, |rating| Value::Grade(rating.ed))
    };
    /// Technique of the hardest step.
    Technique: Text of Steps = "technique", "technique of the hardest step (ser)", |row| {
        steps(row, |rating| Value::or_missing(rating.hardest, |technique| Value::Word(technique.name())))
    };
    /// Techniques of all steps, each with the number of steps that use it.
    Techniques: Techniques of Steps = "techniques", "techniques, each with its number of steps (ser)", |row| {
        steps(row, Value::Techniques)
    };
    /// The steps as JSON.
    Path: Path of Steps = "path", "the steps in order, with what each places and removes (ser)", |row| {
        Value::or_missing(row.path(), Value::Json)
    };
    /// Cells in the order in which the steps place their digits.
    Order: Order of Steps = "order", "the cells in the order in which their digits are placed (ser)", |row| {
        Value::or_missing(row.path(), Value::Order)
    };
    /// The number of steps.
    Steps: Unsigned of Steps = "steps", "number of steps (ser)", |row| steps(row, |rating| number(rating.steps));
    /// Grid after the last step.
    After: Text of Steps = "after", "the grid after the last step, for --until and --max-rating (ser)", |row| {
        reached(row, CellNotation::Single)
    };
    /// Candidates after the last step, with one character per digit of each cell.
    AfterMarks: Text of Steps = "after_marks", "its candidates as pencilmarks (729 characters)", |row| {
        reached(row, CellNotation::Marks)
    };
    /// Number of filled cells in the grid after the last step.
    AfterClues: Unsigned of Steps = "after_clues", "number of its filled cells: 81 if it is solved", |row| {
        Value::or_missing(row.reached(), |reached| Value::Number(reached.filled() as u64))
    };
    /// Technique that the next step would need, but that exceeds the user's bound for techniques.
    Missing: Text of Steps = "missing", "technique of the next step, which the bound excludes", |row| {
        let missing = row.reached().and_then(|reached| reached.missing);
        Value::or_missing(missing, |technique| Value::Word(technique.name()))
    };
    /// Digits that occur in some solution, for each cell, with a blank between cells.
    Possible: Text of Possible = "possible", "solve, count: the digits of each cell that occur in some solution", |row| {
        possible(row, CellNotation::Groups)
    };
    /// Digits that occur in some solution, with one character per digit of each cell.
    PossibleMarks: Text of Possible = "possible_marks", "the same as pencilmarks (729 characters)", |row| {
        possible(row, CellNotation::Marks)
    };
    /// Grid that has only the cells whose digit is the same in all solutions.
    Determined: Text of Possible = "determined", "the cells that are equal in all solutions", |row| {
        possible(row, CellNotation::Single)
    };
    /// Number of cells whose digit differs between solutions.
    Ambiguous: Unsigned of Possible = "ambiguous", "number of cells that differ between solutions", |row| {
        Value::or_missing(row.possible, |possible| Value::Number(possible.ambiguous() as u64))
    };
    /// Mask of the cells whose digit differs between solutions.
    AmbiguousMask: Text of Possible = "ambiguous_mask", "1 for each cell that differs between solutions, otherwise 0", |row| {
        possible(row, CellNotation::Mask)
    };
    /// Number of solutions for each digit in each cell, if these numbers are exact.
    DigitCounts: Numbers of Possible = "digit_counts", "for each digit of each cell, the number of solutions with it, if exact", |row| {
        counts(row, true)
    };
    /// Lower bound on the number of solutions for each digit in each cell, if there may be more solutions.
    MinDigitCounts: Numbers of Possible = "min_digit_counts", "the same for the solutions found, if there may be more", |row| {
        counts(row, false)
    };
    /// Number of redundant clues. A clue is redundant if the puzzle without only this clue still has one
    /// solution.
    Redundant: Unsigned of Needs = "redundant", "check: number of clues that can go, each alone", |row| {
        Value::or_missing(row.redundancy(), |redundancy| Value::Number(redundancy.count() as u64))
    };
    /// Mask of the redundant clues. A clue is redundant if the puzzle without only this clue still has one
    /// solution.
    RedundantMask: Text of Needs = "redundant_mask", "1 for each cell whose clue can go, otherwise 0", |row| {
        Value::or_missing(row.redundancy(), |redundancy| Value::Flags(&redundancy.can_go))
    };
    /// Puzzle with one solution that keeps as few of the clues as possible.
    Smallest: Text of Needs = "smallest", "a smallest puzzle with one solution that has no other clues", |row| {
        smallest(row, CellNotation::Single)
    };
    /// Puzzle with one solution and as few of the clues as possible, with one character per digit of each
    /// cell.
    SmallestMarks: Text of Needs = "smallest_marks", "the same as pencilmarks (729 characters)", |row| {
        smallest(row, CellNotation::Marks)
    };
    /// Number of its clues.
    SmallestClues: Unsigned of Needs = "smallest_clues", "number of its clues, cells with marks included", |row| {
        Value::or_missing(row.redundancy(), |redundancy| number(redundancy.left))
    };
    /// Lower bound on the number of clues that a puzzle with one solution must keep.
    SmallestBound: Unsigned of Needs = "smallest_bound", "number of clues that no such puzzle can go below", |row| {
        Value::or_missing(row.redundancy(), |redundancy| number(redundancy.bound))
    };
    /// Smallest number of cells that must be filled so that singles solve the rest of the puzzle.
    Backdoor: Text of Needs = "backdoor", "check: fewest cells that make it solvable by singles: 0, 1, 2 or >2", |row| {
        let backdoor = row.needs.and_then(|needs| needs.backdoor);
        Value::or_missing(backdoor, |cells| Value::Word(["0", "1", "2", ">2"][cells.min(3) as usize]))
    };
}

/// Returns the value of the counter with index `NUMBER`.
fn work<'a, const NUMBER: usize>(row: &Row<'a>) -> Value<'a> {
    let counters = row.answer.and_then(|answer| answer.counters);
    Value::or_missing(counters.and_then(|counters| counters.get(Counter::ALL[NUMBER])), Value::Number)
}

/// Returns the value that `value` computes from a row's rating. The value is missing if the row has no rating
/// based on solving steps.
fn steps<'a>(row: &Row<'a>, value: impl FnOnce(&'a Rating) -> Value<'a>) -> Value<'a> {
    Value::or_missing(row.rated().and_then(|(_, rated)| rated.steps()), value)
}

/// Returns the possible digits of a row's record. The value is missing if they are unknown.
fn possible<'a>(row: &Row<'a>, notation: CellNotation) -> Value<'a> {
    Value::or_missing(row.possible, |possible| Value::CellSets(&possible.cells, row.record.symbols, notation))
}

/// Returns, for each digit of each cell, the number of solutions.
///
/// If `exact` is true, the value is missing unless the numbers are exact. If `exact` is false, the value is
/// missing unless the numbers are lower bounds.
fn counts<'a>(row: &Row<'a>, exact: bool) -> Value<'a> {
    let counts = row.possible.and_then(|possible| possible.counts.as_ref());
    let wanted = counts.filter(|DigitCounts { is_exact, .. }| *is_exact == exact);
    Value::or_missing(wanted, |counts| Value::Numbers(&counts.numbers))
}

/// Returns the candidates at the end of a row's solving path. The value is missing if there is no path.
fn reached<'a>(row: &Row<'a>, notation: CellNotation) -> Value<'a> {
    Value::or_missing(row.reached(), |reached| Value::CellSets(&reached.cells, row.record.symbols, notation))
}

/// Returns the smallest puzzle of a row's record. The value is missing if the puzzle is unknown.
fn smallest<'a>(row: &Row<'a>, notation: CellNotation) -> Value<'a> {
    let puzzle = row.redundancy().map(|redundancy| &redundancy.smallest);
    Value::or_missing(puzzle, |cells| Value::CellSets(cells, row.record.symbols, notation))
}

fn number<'a>(number: impl Into<u64>) -> Value<'a> {
    Value::Number(number.into())
}

impl Field {
    /// Returns all fields in the order of the documentation.
    pub fn all() -> impl Iterator<Item = Field> {
        FIELDS.iter().map(|info| info.field)
    }

    /// Returns the name of the field, which is used on the command line, in CSV headers and as a JSON key.
    pub fn name(self) -> &'static str {
        FIELDS[self as usize].name
    }

    /// Returns a short description.
    pub fn about(self) -> &'static str {
        FIELDS[self as usize].about
    }

    pub(super) fn kind(self) -> ValueKind {
        FIELDS[self as usize].kind
    }

    /// Returns the part of a row that the field describes.
    pub(super) fn scope(self) -> FieldScope {
        FIELDS[self as usize].part
    }

    /// Returns true if the field describes an image, which is a transformed grid.
    pub fn is_of_image(self) -> bool {
        matches!(self.scope(), FieldScope::Image | FieldScope::Transform)
    }

    /// Returns true if the field describes a rating.
    pub fn is_rating(self) -> bool {
        matches!(self.scope(), FieldScope::Rating | FieldScope::Mean | FieldScope::Steps)
    }

    /// Returns true if the field describes a rating that was found from solving steps.
    pub fn is_of_steps(self) -> bool {
        self.scope() == FieldScope::Steps
    }

    /// Returns true if the field describes the grid at the end of a rating's solving path.
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

    /// Returns true if the values of the field are numbers.
    pub fn is_numeric(self) -> bool {
        use ValueKind::{Count, Rating, Real, Signed, Unsigned};
        matches!(FIELDS[self as usize].kind, Unsigned | Signed | Real | Rating | Count)
    }

    /// Returns the value of a numeric field in a row, or `None` if the row has no such number.
    pub fn number(self, row: &Row<'_>) -> Option<f64> {
        let mut text = Vec::new();
        let value = self.value(row);
        if let Some(Tenths(tenths)) = value.at_least() {
            return Some(f64::from(tenths) / 10.0);
        }
        value.write(&mut text);
        std::str::from_utf8(&text).ok()?.parse().ok()
    }

    /// Returns the name of the additional column of a rating, or `None` if the rating is always exact.
    ///
    /// If a rating is not exact, the additional column holds its lower bound. Formats with numeric columns
    /// need it, because the ratings of the hardest puzzles are often only bounds.
    pub(super) fn at_least_name(self, verb: Verb) -> Option<&'static str> {
        match self {
            Field::Er => Some("er_at_least"),
            Field::Ep => Some("ep_at_least"),
            Field::Ed => Some("ed_at_least"),
            Field::Rating if verb != (Verb::Rate { by_steps: false }) => Some("rating_at_least"),
            _ => None,
        }
    }

    /// Returns the value of the field in a row.
    #[inline]
    pub(super) fn value<'a>(self, row: &Row<'a>) -> Value<'a> {
        (FIELDS[self as usize].value)(row)
    }
}

/// Returns the id of a row's record. In JSON lines, an id that is a string with escapes keeps its quotes.
fn id<'a>(row: &Row<'a>) -> Value<'a> {
    match text(row, row.record.id) {
        Value::Bytes(json) if row.layout.members.is_some() && json.starts_with(b"\"") => {
            Value::JsonText(json)
        }
        value => value,
    }
}

/// Returns the bytes of the record in `span`. The value is missing if `span` is empty.
fn text<'a>(row: &Row<'a>, span: Span) -> Value<'a> {
    if span.is_empty() { Value::Missing } else { Value::Bytes(span.slice(row.bytes)) }
}

/// Returns the reason why the search ended. The value is missing if there was no search.
fn ended_by(answer: &Answer) -> Value<'static> {
    match answer.status {
        Status::Invalid | Status::Unsupported | Status::Internal => Value::Missing,
        _ => Value::Word(answer.ended_by.word()),
    }
}
