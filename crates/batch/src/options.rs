//! The options of a run, including the question that it asks about each record. A single table describes all
//! options.

use std::fmt;
use std::time::Duration;

use super::memory::threads_within;
use crate::compare::dedup;
use crate::compare::overlap::{self, Relation};
use quadrille_engine::scales::{MAX_PERMUTATIONS, Scale};
use quadrille_engine::{EngineKind, EnginePreference, GUARD_NODES};
use quadrille_formats::input::{InputOptions, OtherColumns, WeightSource};
use quadrille_formats::output::{Conversion, EMPTY_CELLS, Field, OutputFormat, OutputOptions, Verb};
use quadrille_model::canonical::{Form, Parts, Transform};
use quadrille_model::simd::Isa;
use quadrille_model::{Direction, Error, Goal, Limits, MAX_SIDE, Result, Status, Symbols, TopK, usage};
use quadrille_rating::StepFilter;

/// A question that a run asks about every record, such as "What is the solution?"
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Query {
    /// Finds a solution.
    Solve,
    /// Finds the lexicographically smallest solution of a grid, with cells in reading order.
    Least,
    /// Finds up to two solutions, to tell whether the record has no, exactly one or several solutions.
    Unique,
    /// Finds at most this number of solutions and writes one row per solution. The number is at least 2.
    Several(u64),
    /// Finds every solution and writes one row per solution.
    Every,
    /// Counts the solutions.
    Count {
        /// Number of solutions at which counting stops, at least 1. `None` counts all solutions.
        limit: Option<u64>,
    },
    /// Finds the best solutions of a weighted problem and writes one row per solution, best first.
    Best(TopK),
    /// Checks the given solution of the record. If there is no given solution, checks that there is exactly
    /// one solution.
    Check {
        /// True if the check also requires that every clue is needed.
        minimal: bool,
    },
    /// Computes a canonical form of the record.
    Canon(Form),
    /// Applies this transform to the grid.
    ///
    /// If this is `None`, each record contains its own transform. In a text, the transform follows the grid.
    /// In a table, it is in the column `map`.
    Apply(Option<Transform>),
    /// Compares the record with other records, and writes it unchanged.
    Compare(Comparison),
    /// Rates the difficulty of the record on a scale, if it has exactly one solution.
    Rate(Scale),
    /// Writes the record in another format.
    Convert(Conversion),
    /// Writes the record and random images (equivalent puzzles) of the record.
    Augment(Augmentation),
}

/// Options for the images (equivalent puzzles) that `augment` writes for each record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Augmentation {
    /// How puzzles are written.
    pub conversion: Conversion,
    /// True if images have the same character for empty cells as the record that they are made from.
    pub keeps_blank: bool,
    /// Number of images that are written for each record, in addition to the record itself. The maximum is
    /// [`MAX_COPIES`].
    pub copies: u32,
    /// Seed of the transforms.
    pub seed: u64,
    /// Parts of the transforms.
    pub only: Parts,
    /// True if all rows of a record must differ. A grid with few different images then gets fewer rows.
    pub distinct: bool,
    /// True if the run undoes transforms. Each record then names a transform, and the only row is its image
    /// under the inverse transform.
    pub undo: bool,
}

/// Maximum number of images per record. All images of a record are in memory together.
pub const MAX_COPIES: u32 = 1_000_000;

impl Augmentation {
    /// Creates options with all kinds of transforms and the seed 1.
    pub fn new(conversion: Conversion, copies: u32) -> Self {
        Augmentation {
            conversion,
            keeps_blank: true,
            copies,
            seed: 1,
            only: Parts::ALL,
            distinct: false,
            undo: false,
        }
    }

    /// Returns the options for the record whose text is `puzzle`.
    ///
    /// If `keeps_blank` is set, the images use the same character for empty cells as `puzzle`.
    pub(crate) fn with_blank_of(mut self, puzzle: &[u8], symbols: Symbols) -> Self {
        let is_blank =
            |byte: &&u8| EMPTY_CELLS.contains(byte) && symbols.digit_of(**byte, MAX_SIDE).is_none();
        if self.keeps_blank
            && let Some(&blank) = puzzle.iter().find(is_blank)
        {
            self.conversion.empty = blank;
        }
        self
    }

    fn words(&self) -> String {
        let Augmentation { conversion, keeps_blank: _, copies, seed, only, distinct, undo } = *self;
        let conversion =
            conversion.words().split_once(' ').map_or(String::new(), |(_, words)| format!(" {words}"));
        if undo {
            return format!("augment --undo{conversion}");
        }
        let only = match only {
            Parts::ALL => String::new(),
            only => {
                format!(" --only {}", only.iter().map(|part| part.word()).collect::<Vec<_>>().join(","))
            }
        };
        let distinct = if distinct { " --distinct" } else { "" };
        format!("augment --copies {copies} --seed {seed}{only}{distinct}{conversion}")
    }
}

/// Method by which records are compared. Every method compares keys, which are 128-bit hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Comparison {
    /// One key: a hash of the clues as given. Which character marks empty cells does not matter.
    Text,
    /// Two keys: a hash of this canonical form and a hash of the clues.
    Form(Form),
    /// Three keys: hashes of the clues, of the `by-solution` form and of the `solution` form.
    All,
    /// The keys of [`Form::Solution`]. They are used to divide a corpus into parts that share no solution.
    Part,
}

impl Comparison {
    /// Returns the words of the command line that ask for this comparison.
    fn words(self) -> String {
        match self {
            Comparison::Text => "dedup --by text".to_owned(),
            Comparison::Form(form) => format!("dedup --by {form}"),
            Comparison::All => "overlap".to_owned(),
            Comparison::Part => "split-corpus".to_owned(),
        }
    }

    /// Returns true if only records with exactly one solution can be compared.
    pub(crate) fn needs_solution(self) -> bool {
        match self {
            Comparison::Text => false,
            Comparison::Form(form) => form.needs_solution(),
            Comparison::All | Comparison::Part => true,
        }
    }
}

/// Properties of a question: one row of the table in [`Query::row`].
#[derive(Clone, Copy)]
struct QueryRow {
    /// Kind of command that asks the question. The default fields and rows of the output depend on it.
    verb: Verb,
    /// Goal of the search.
    goal: Goal,
    /// True if the answer requires a search.
    is_searched: bool,
    /// True if every solution has its own row.
    is_several: bool,
}

impl Query {
    /// Returns the properties of the question.
    ///
    /// A new question needs an entry here and an entry in [`words`](Self::words).
    #[inline]
    fn row(self) -> QueryRow {
        let searched = |verb, goal| QueryRow { verb, goal, is_searched: true, is_several: false };
        let read = |verb, is_searched| QueryRow { is_searched, ..searched(verb, Goal::First(2)) };
        match self {
            Query::Solve => searched(Verb::Solve, Goal::First(1)),
            Query::Least => searched(Verb::Solve, Goal::Least),
            Query::Unique => searched(Verb::Solve, Goal::First(2)),
            Query::Several(limit) => {
                QueryRow { is_several: true, ..searched(Verb::Solve, Goal::First(limit)) }
            }
            Query::Every => QueryRow { is_several: true, ..searched(Verb::Solve, Goal::All) },
            Query::Count { limit } => searched(Verb::Count, Goal::Count { limit }),
            Query::Best(top) => {
                QueryRow { is_several: top.limit > 1, ..searched(Verb::Best, Goal::Best(top)) }
            }
            Query::Check { .. } => searched(Verb::Check, Goal::First(2)),
            Query::Canon(form) => read(Verb::Canon, form.needs_solution()),
            Query::Apply(_) => read(Verb::Canon, false),
            Query::Compare(comparison) => read(Verb::Keep, comparison.needs_solution()),
            Query::Rate(scale) => searched(Verb::Rate { by_steps: scale.has_steps() }, Goal::First(2)),
            Query::Convert(conversion) | Query::Augment(Augmentation { conversion, .. }) => {
                read(Verb::Convert(conversion), false)
            }
        }
    }

    /// Returns the goal of the search that answers the question.
    pub fn goal(self) -> Goal {
        self.row().goal
    }

    /// Returns true if every solution has its own row.
    #[inline]
    pub fn is_several(self) -> bool {
        self.row().is_several
    }

    /// Returns true if the answer requires a search.
    pub(crate) fn is_searched(self) -> bool {
        self.row().is_searched
    }

    /// Returns true if the answer is the image of a grid under a transform.
    pub(crate) fn is_image(self) -> bool {
        self.row().verb == Verb::Canon
    }

    /// Returns true if every record has exactly one row.
    pub(crate) fn has_one_row(self) -> bool {
        let QueryRow { verb, is_several, .. } = self.row();
        !is_several && !matches!(verb, Verb::Convert(_) | Verb::Keep)
    }

    /// Returns the kind of command that asks the question. The default fields and rows of the output depend
    /// on it.
    #[inline]
    pub fn verb(self) -> Verb {
        self.row().verb
    }

    /// Returns the conversion to apply to puzzles, or `None` if the question does not convert them.
    #[inline]
    pub fn conversion(self) -> Option<Conversion> {
        match self.verb() {
            Verb::Convert(conversion) => Some(conversion),
            _ => None,
        }
    }

    /// Returns the words of the command line that ask this question.
    pub fn words(self) -> Vec<String> {
        let text = match self {
            Query::Solve => "solve".to_owned(),
            Query::Least => "solve --first least".to_owned(),
            Query::Unique => "solve --unique".to_owned(),
            Query::Several(limit) => format!("solve --limit {limit}"),
            Query::Every => "solve --all".to_owned(),
            Query::Count { limit: None } => "count".to_owned(),
            Query::Count { limit: Some(limit) } => format!("count --limit {limit}"),
            Query::Best(TopK { direction, limit }) => {
                let direction = if direction == Direction::Minimize { " --minimize" } else { "" };
                let limit = if limit > 1 { format!(" --limit {limit}") } else { String::new() };
                format!("best{direction}{limit}")
            }
            Query::Check { minimal } => format!("check{}", if minimal { " --minimal" } else { "" }),
            Query::Canon(form) => format!("canon --form {form}"),
            Query::Apply(None) => "canon --apply".to_owned(),
            Query::Apply(Some(map)) => format!("canon --apply={map}"),
            Query::Compare(comparison) => comparison.words(),
            Query::Convert(conversion) => conversion.words(),
            Query::Augment(augmentation) => augmentation.words(),
            Query::Rate(scale) => format!("rate --scale {scale}"),
        };
        text.split(' ').map(str::to_owned).collect()
    }
}

/// A condition that a numeric field of a row must be in a range. A row without a value in the field does not
/// meet the condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// The field.
    pub field: Field,
    /// Lowest value for which a row is written.
    pub low: f64,
    /// Highest value for which a row is written.
    pub high: f64,
}

/// Writes the condition as the user would type it, such as `guesses=5..`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |end: f64| if end.is_finite() { end.to_string() } else { String::new() };
        write!(f, "{}={}..{}", self.field.name(), end(self.low), end(self.high))
    }
}

/// Reaction of a run to a record that it cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum OnError {
    /// Writes a row with the status `invalid` and the reason.
    #[default]
    Row,
    /// Write no row.
    Skip,
    /// Ends the run at the unreadable record.
    Fail,
}

/// Limit on the number of nodes in the search tree of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum NodeLimit {
    /// The default limit [`GUARD_NODES`], which prevents a single blank grid from blocking a corpus.
    ///
    /// The limit applies to searches, but not to counters, which work without a search. No answer depends on
    /// the value of the limit.
    #[default]
    Guard,
    /// A limit that the caller set. The answer is the one after this number of nodes in a search that is not
    /// split into parts.
    Asked(u64),
    /// No limit.
    None,
}

impl NodeLimit {
    /// Returns the limit if the caller set one, or `None` otherwise.
    fn asked(self) -> Option<u64> {
        match self {
            NodeLimit::Asked(nodes) => Some(nodes),
            NodeLimit::Guard | NodeLimit::None => None,
        }
    }
}

/// All options of a run except its sources and outputs.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// Question that is asked about every record.
    pub ask: Query,
    /// Format and other options of the input.
    pub input: InputOptions,
    /// Format and other options of the output.
    ///
    /// `ask` determines the kind of command, and whether there is one row per solution or per record.
    pub output: OutputOptions,
    /// Engine and instruction set that the user requested, or conditions for choosing an engine.
    pub preference: EnginePreference,
    /// Limit on search-tree nodes per record.
    pub node_limit: NodeLimit,
    /// Limit on wall time per record.
    pub time_limit: Option<Duration>,
    /// Memory of the whole run in bytes: text, records, tables of searches and rows together.
    ///
    /// The minimum is 8 MiB, and a run has at most one thread per 8 MiB. The program and its threads need
    /// some memory in addition.
    ///
    /// The tables of the search for one record may use a quarter of the memory ([`Limits::memory`]), and the
    /// text of one record a sixteenth. Only these two limits affect answers. As an exception, the memory also
    /// affects the node and guess counters of records with very many listed solutions. Answers never depend
    /// on the number of threads that share the memory.
    pub memory: Option<u64>,
    /// Number of threads, or 0 for one per core.
    pub threads: usize,
    /// True if rows keep the order of the input.
    pub ordered: bool,
    /// True if the rows of each chunk are flushed as soon as they are written.
    pub line_buffered: bool,
    /// Reaction to unreadable records.
    pub on_error: OnError,
    /// Maximum number of unreadable records. One more ends the run.
    pub max_rejects: Option<u64>,
    /// Statuses whose rows are written. If the list is empty, all rows are written.
    pub only: Vec<Status>,
    /// Relations between a record and the corpus with which it is compared. A row is written if its record
    /// has one of these relations or a status in `only`.
    ///
    /// Requires [`Comparison::All`]. If the list is empty, `only` alone selects rows.
    pub only_relations: Vec<Relation>,
    /// Conditions on the solving steps that a rating finds. Records that do not meet them get no row.
    pub steps: StepFilter,
    /// Conditions on numeric fields. Rows that do not meet all of them are not written.
    pub conditions: Vec<Condition>,
    /// Number `n` if every `n`-th record is audited, or `None` without an audit.
    ///
    /// In an audit, a second engine repeats the search and the two answers are compared.
    pub audit: Option<u64>,
    /// Number of hardest records that the statistics list.
    pub top: usize,
    /// True if the run also writes a file with the outcome of each record
    /// ([`Outputs::outcomes`](crate::Outputs)).
    ///
    /// Requires ordered rows.
    pub outcomes: bool,
    /// True if the statistics describe the clues: their positions, their symmetry, and ratings by number of
    /// clues.
    pub clue_maps: bool,
    /// Maximum number of bytes of input per chunk.
    pub chunk_bytes: usize,
    /// Maximum number of bytes of finished rows that wait until earlier rows are written. The minimum is 1.
    pub window_bytes: usize,
    /// Number of records in earlier shards, if the input is a shard of a larger corpus. It is added to record
    /// numbers.
    pub index_offset: u64,
    /// Reserved for new fields. Use `..` to create values, as in `BatchOptions { threads: 1,
    /// ..BatchOptions::new(ask) }`.
    #[doc(hidden)]
    pub _more: (),
}

/// The descriptions of a run in which an option appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concerns {
    Both,
    /// The option appears only in statistics. It may differ between a run and the run that resumes it.
    Statistics,
    /// The option appears only in checkpoints. It may differ between runs whose statistics are merged.
    Checkpoint,
}

/// A row of [`SETTINGS`]: the name of an option, its value, and the descriptions in which it appears.
///
/// The value is `None` if the option was not given. It is empty if the option is a flag without an argument.
type SettingRow = (&'static str, fn(&BatchOptions) -> Option<String>, Concerns);

/// The options of a run that affect the output, in the order in which descriptions list them.
const SETTINGS: &[SettingRow] = &[
    ("--from", |of| of.input.format.map(|format| format.name().to_owned()), Concerns::Both),
    ("--blank", |of| text(of.input.blank.map(char::from).or(of.input.wide_blank)), Concerns::Both),
    ("--symbols", |of| of.input.symbols.map(|symbols| symbols.word().to_owned()), Concerns::Both),
    ("--box", |of| of.input.box_shape.map(|(rows, columns)| format!("{rows}x{columns}")), Concerns::Both),
    ("--side", |of| text(of.input.side).or(of.input.any_side.then(|| "any".to_owned())), Concerns::Both),
    ("--marks", |of| switch(of.input.marks), Concerns::Both),
    ("--no-rules", |of| flag(of.input.no_rules), Concerns::Both),
    ("--keep", |of| of.input.keep_clues.then(|| "clues".to_owned()), Concerns::Both),
    ("--column", |of| text(of.input.column.as_ref()), Concerns::Both),
    ("--solution-column", |of| text(of.input.solution_column.as_ref()), Concerns::Both),
    ("--keep-lines", |of| flag(of.input.keep_lines), Concerns::Both),
    ("--max-record-bytes", |of| Some(of.input.max_record_bytes.to_string()), Concerns::Both),
    ("--weights", |of| text(of.input.weights.as_ref()), Concerns::Both),
    ("--cost-each", |of| text(of.input.cost_each), Concerns::Both),
    ("--counted-rows", |of| switch(of.input.counted_rows), Concerns::Both),
    ("--rules", |of| filled(of.input.rules.text().to_owned()), Concerns::Both),
    // The value is a fingerprint of the problem. Descriptions other than checkpoints contain the name of the
    // problem's file instead.
    ("--cubes", |of| of.input.cubes.as_ref().map(|cubes| format!("{cubes:?}")), Concerns::Checkpoint),
    ("--to", |of| Some(of.output.format.name().to_owned()), Concerns::Both),
    // The delimiter follows from the name of the output file, which is not among the words that describe the
    // run.
    ("--delimiter", |of| of.output.delimiter.described(), Concerns::Checkpoint),
    ("--bare", |of| flag(of.output.bare), Concerns::Both),
    ("--fields", |of| filled(of.named_columns().join(",")), Concerns::Both),
    ("--no-header", |of| flag(of.output.no_header), Concerns::Both),
    ("--echo-id", |of| flag(of.output.echo_id), Concerns::Both),
    ("--explain", |of| flag(of.output.explain), Concerns::Both),
    ("--line-ends", |of| Some(of.output.line_ends.name().to_owned()), Concerns::Both),
    ("--unordered", |of| flag(!of.ordered), Concerns::Both),
    // The option is set if columns are appended. In `dedup` this happens only with the flag, in `overlap`
    // always.
    ("--all", |of| flag(!of.output.extra_columns.is_empty()), Concerns::Both),
    ("--engine", |of| of.preference.engine.map(|kind| kind.name().to_owned()), Concerns::Both),
    ("--timings", |of| flag(of.preference.timings), Concerns::Both),
    ("--node-limit", |of| text(of.node_limit.asked()), Concerns::Both),
    ("--no-node-limit", |of| flag(of.node_limit == NodeLimit::None), Concerns::Both),
    ("--time-limit", |of| of.time_limit.map(|time| format!("{time:?}")), Concerns::Both),
    ("--memory", |of| text(of.memory), Concerns::Both),
    ("--on-error", |of| Some(format!("{:?}", of.on_error).to_lowercase()), Concerns::Both),
    ("--only", |of| filled(of.wanted().join(",")), Concerns::Both),
    ("--audit", |of| of.audit.map(|every| format!("1/{every}")), Concerns::Both),
    ("--needs", |of| of_steps(of, "--needs"), Concerns::Both),
    ("--without", |of| of_steps(of, "--without"), Concerns::Both),
    ("--rating", |of| of_steps(of, "--rating"), Concerns::Both),
    (
        "--where",
        |of| filled(of.conditions.iter().map(Condition::to_string).collect::<Vec<_>>().join(",")),
        Concerns::Both,
    ),
    ("--isa", |of| text(of.preference.isa), Concerns::Statistics),
    ("--max-rejects", |of| text(of.max_rejects), Concerns::Statistics),
    ("--top", |of| text(Some(of.top)), Concerns::Checkpoint),
    ("--index-offset", |of| text(Some(of.index_offset)), Concerns::Checkpoint),
];

/// Returns a condition on steps.
fn of_steps(of: &BatchOptions, name: &str) -> Option<String> {
    of.steps.settings().into_iter().find_map(|(known, value)| value.filter(|_| known == name))
}

fn text<T: ToString>(value: Option<T>) -> Option<String> {
    value.map(|value| value.to_string())
}

fn filled(value: String) -> Option<String> {
    Some(value).filter(|value| !value.is_empty())
}

fn flag(is_on: bool) -> Option<String> {
    is_on.then(String::new)
}

fn switch(is_on: Option<bool>) -> Option<String> {
    is_on.map(|is_on| if is_on { "on" } else { "off" }.to_owned())
}

/// Maximum number of threads of a run. Large machines have half this number of hardware threads.
///
/// There is a maximum because the time to start a thread pool grows with the square of its number of threads.
pub const MAX_THREADS: usize = 1024;
/// Maximum offset that can be added to record numbers. With it, all record numbers of a run fit into 64 bits.
pub const MAX_INDEX_OFFSET: u64 = 1 << 62;
/// Default size of a chunk, in bytes of input.
///
/// A chunk must be large enough that handing it to a thread costs almost nothing. It must also be small
/// enough that the chunk, its problems and its answers stay in a core's cache.
pub const CHUNK_BYTES: usize = 256 << 10;
/// Default number of bytes of output that may wait for a slow record: some 800,000 rows of 9x9 grids.
pub const WINDOW_BYTES: usize = 64 << 20;

impl BatchOptions {
    /// Creates the default options for a question.
    ///
    /// By default, a run detects everything about the input, writes text in input order, uses all cores and
    /// applies the node limit [`NodeLimit::Guard`].
    pub fn new(ask: Query) -> Self {
        BatchOptions {
            ask,
            input: InputOptions {
                weights: matches!(ask, Query::Best(_)).then_some(WeightSource::Target),
                ..InputOptions::default()
            },
            output: OutputOptions {
                extra_columns: match ask {
                    Query::Compare(Comparison::All) => overlap::COLUMNS.to_vec(),
                    _ => Vec::new(),
                },
                ..OutputOptions::default()
            },
            preference: EnginePreference::default(),
            node_limit: NodeLimit::Guard,
            time_limit: None,
            memory: None,
            threads: 0,
            ordered: true,
            line_buffered: false,
            on_error: OnError::Row,
            max_rejects: None,
            only: Vec::new(),
            only_relations: Vec::new(),
            steps: StepFilter::default(),
            conditions: Vec::new(),
            audit: None,
            top: 10,
            outcomes: false,
            clue_maps: false,
            // All rows of a chunk are in memory together. So chunks must be smaller if a record has more
            // images. A chunk always has at least one record.
            chunk_bytes: match ask {
                Query::Augment(augmentation) => (CHUNK_BYTES / (1 + augmentation.copies as usize)).max(1),
                _ => CHUNK_BYTES,
            },
            window_bytes: WINDOW_BYTES,
            index_offset: 0,
            _more: (),
        }
    }

    /// Checks the options as far as possible without reading input.
    ///
    /// # Errors
    /// Returns a usage error if options of the run or of the input are invalid.
    pub fn validate(&self) -> Result<()> {
        self.input.validate()?;
        self.preference.isa.map_or(Ok(()), Isa::require)?;
        // This call fails only if memory is too small for one thread.
        threads_within(self.memory, 1)?;
        if self.threads > MAX_THREADS {
            return Err(usage!("too many threads: {} (maximum: {MAX_THREADS})", self.threads));
        }
        if self.index_offset > MAX_INDEX_OFFSET {
            return Err(usage!("the index offset is too large (maximum: {MAX_INDEX_OFFSET})"));
        }
        if self.outcomes && !self.ordered {
            return Err(Error::usage("--outcomes-out needs records in order: leave --unordered out"));
        }
        let nothing = matches!(
            self.ask,
            Query::Several(0 | 1) | Query::Count { limit: Some(0) } | Query::Best(TopK { limit: 0, .. })
        );
        if nothing || self.audit == Some(0) {
            return Err(Error::usage("a limit and an audit interval must be at least 1"));
        }
        if let Query::Augment(Augmentation { copies, .. }) = self.ask
            && copies > MAX_COPIES
        {
            return Err(usage!("too many copies: {copies} (maximum: {MAX_COPIES})"));
        }
        let scale = self.scale();
        let has_steps = scale.is_some_and(Scale::has_steps);
        for field in self.shown_fields() {
            if field.is_rating() && scale.is_none() {
                let name = field.name();
                return Err(usage!("the field {name} is only for rate, solve --unique and check"));
            }
            if field.is_of_steps() && !has_steps {
                return Err(usage!(
                    "the field {} is only for the scales ser and ser-canonical",
                    field.name()
                ));
            }
            if field.is_of_end() && !matches!(scale, Some(Scale::Ser { .. })) {
                return Err(usage!("the field {} is only for the scale ser", field.name()));
            }
            if !field.is_of(self.ask.verb()) {
                let (name, verb) = (field.name(), self.ask.words().swap_remove(0));
                return Err(usage!("{verb} has no field {name}"));
            }
        }
        if !self.conditions.is_empty() && (matches!(self.ask.verb(), Verb::Keep | Verb::Convert(_))) {
            return Err(Error::usage(
                "--where is only for verbs that answer records, such as solve and rate",
            ));
        }
        if !self.steps.is_empty() && !has_steps {
            return Err(Error::usage(
                "conditions on steps are only for rate with the scales ser and ser-canonical",
            ));
        }
        if let Some(message) = self.steps.contradiction(self.steps.hardest.map(|(_, most)| most)) {
            return Err(Error::usage(message));
        }
        if self.output.explain && !(has_steps && matches!(self.ask, Query::Rate(_))) {
            return Err(Error::usage("only the scales ser and ser-canonical have steps to explain"));
        }
        if let Query::Rate(Scale::GuessesMean { permutations, .. }) = self.ask
            && !(1..=MAX_PERMUTATIONS).contains(&permutations)
        {
            return Err(usage!("invalid number of permutations: {permutations} (1 to {MAX_PERMUTATIONS})"));
        }
        Ok(())
    }

    /// Returns the limits of one record's search. Only the memory limit is missing, which the [memory
    /// plan](super::memory) sets.
    #[inline]
    pub(crate) fn limits(&self) -> Limits {
        let nodes = match self.node_limit {
            NodeLimit::Guard => Some(GUARD_NODES),
            NodeLimit::Asked(nodes) => Some(nodes),
            NodeLimit::None => None,
        };
        Limits { nodes, time: self.time_limit, ..Limits::default() }
    }

    /// Returns the scale on which the run rates records, or `None` if it does not rate them.
    ///
    /// A run rates records if the question asks for a rating. It also rates records if a rating field is
    /// requested and the answers show whether there is exactly one solution.
    pub(crate) fn scale(&self) -> Option<Scale> {
        let is_proper = matches!(self.ask, Query::Unique | Query::Check { .. });
        match self.ask {
            Query::Rate(scale) => Some(scale),
            _ if is_proper && self.output.fields.iter().any(|field| field.is_rating()) => Some(Scale::SER),
            _ => None,
        }
    }

    /// Returns true if rows show the solving steps that a rating finds.
    pub(crate) fn shows_steps(&self) -> bool {
        self.output.explain
            || self.output.fields.iter().any(|field| matches!(field, Field::Path | Field::Order))
    }

    /// Returns the fields whose values are needed, because they are written or because a condition compares
    /// them.
    pub(crate) fn shown_fields(&self) -> impl Iterator<Item = &Field> {
        self.output.fields.iter().chain(self.conditions.iter().map(|condition| &condition.field))
    }

    /// Returns true if a field describes the grid after the last solving step of a rating.
    pub(crate) fn shows_end(&self) -> bool {
        self.shown_fields().any(|field| field.is_of_end())
    }

    /// Returns true if the caller set a node limit, so that the answers depend on it.
    pub(crate) fn nodes_are_asked(&self) -> bool {
        self.node_limit.asked().is_some()
    }

    /// Returns the question and the options as words of a command line.
    ///
    /// The question comes first. Every option that differs from its default follows, except for options that
    /// only checkpoints contain.
    pub fn words(&self) -> Vec<String> {
        let options = self.describe(Concerns::Checkpoint);
        let options = options.flat_map(|(name, value)| [name.to_owned(), value]);
        self.ask.words().into_iter().chain(options.filter(|word| !word.is_empty())).collect()
    }

    /// Returns the names and values of the options that differ from their defaults, in a fixed order.
    ///
    /// Omits the options that [`SETTINGS`] marks with `others`. A flag has an empty value. The defaults are
    /// those for the question.
    pub(crate) fn describe(&self, others: Concerns) -> impl Iterator<Item = (&'static str, String)> {
        let defaults = BatchOptions::new(self.ask);
        let rows = SETTINGS.iter().filter(move |(.., concerns)| *concerns != others);
        rows.filter_map(move |(name, value, _)| {
            let given = value(self).filter(|given| value(&defaults).as_ref() != Some(given))?;
            Some((*name, given))
        })
    }

    /// Returns the names of the columns that the caller requested.
    fn named_columns(&self) -> Vec<&'static str> {
        let OutputOptions { fields, extra_columns, only_extra_columns, .. } = &self.output;
        // If all appended columns are the default ones, they need no description, even if the caller listed
        // them.
        let are_named =
            *only_extra_columns || ![&[], dedup::COLUMNS, overlap::COLUMNS].contains(&&extra_columns[..]);
        let extra = extra_columns.iter().copied().filter(|_| are_named);
        fields.iter().map(|field| field.name()).chain(extra).collect()
    }

    /// Returns the names of the statuses and relations whose rows are written. The list is empty if all rows
    /// are written.
    fn wanted(&self) -> Vec<&'static str> {
        let statuses = self.only.iter().map(|status| status.word());
        statuses.chain(self.only_relations.iter().map(|relation| relation.word())).collect()
    }

    /// Returns what the run does with input columns that are not part of records.
    pub(crate) fn other_columns(&self) -> OtherColumns {
        let is_bare = self.ask.conversion().is_some_and(|conversion| conversion.bare);
        let is_kept = self.ask.verb() == Verb::Keep && self.output.fields.is_empty();
        match self.output.format {
            _ if is_bare => OtherColumns::Unused,
            OutputFormat::Csv => OtherColumns::OfFirst,
            OutputFormat::Jsonl => OtherColumns::Own,
            OutputFormat::Text if is_kept => OtherColumns::OfFirst,
            OutputFormat::Text if self.output_options().keeps_form() => OtherColumns::OfFirst,
            OutputFormat::Parquet | OutputFormat::Arrow if !self.output.passthrough => OtherColumns::OfFirst,
            _ => OtherColumns::Unused,
        }
    }

    /// Returns the output options, completed with the settings that depend on the question.
    pub fn output_options(&self) -> OutputOptions {
        OutputOptions {
            verb: self.ask.verb(),
            several: self.ask.is_several(),
            unordered: !self.ordered,
            engines: EngineKind::all().map(EngineKind::name).collect(),
            ..self.output.clone()
        }
    }

    /// Returns true if records with this status count as rejected.
    ///
    /// Rejected records are unreadable, or cannot be written in the format of a conversion.
    pub(crate) fn is_reject(&self, status: Status) -> bool {
        status == Status::Invalid || status == Status::Unsupported && self.ask.conversion().is_some()
    }

    /// Returns how many rejected records the run accepts before it ends, or `None` without a limit.
    ///
    /// The number is 0 for `--on-error fail`.
    pub(crate) fn rejects_allowed(&self) -> Option<u64> {
        if self.on_error == OnError::Fail { Some(0) } else { self.max_rejects }
    }
}
