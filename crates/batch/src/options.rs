//! The question and the options of a run, and the one description of them.

use std::time::Duration;

use xxhash_rust::xxh3::xxh3_128;

use super::memory::threads_within;
use crate::compare::overlap;
use quadrille_engine::scales::{MOST_PERMUTATIONS, Scale};
use quadrille_engine::{EnginePreference, GUARD_NODES};
use quadrille_formats::input::{ColumnRef, InputOptions, OtherColumns, WeightSource};
use quadrille_formats::output::{Conversion, LineEnds, OutputFormat, OutputOptions, Verb};
use quadrille_model::canonical::{Form, Map};
use quadrille_model::simd::Isa;
use quadrille_model::{Direction, Goal, Limits, Status, Top};
use quadrille_model::{Error, Result};

/// The question that is asked about every record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// A solution.
    Solve,
    /// Up to two solutions: the record is unique, multiple or none.
    Unique,
    /// Up to so many solutions, a row each; at least 2.
    Several(u64),
    /// Every solution, a row each.
    Every,
    /// The number of solutions.
    Count {
        /// Stop counting here; at least 1.
        limit: Option<u64>,
    },
    /// The best solution of a weighted problem; where several are wanted, a row each, the best first.
    Best(Top),
    /// Checks the record: its given solution, else that it has exactly one.
    Check {
        /// Every clue must be needed too.
        minimal: bool,
    },
    /// The canonical form of the record.
    Canon(Form),
    /// The grid under a map: this one, or the one that stands behind the grid (for columns: in one named `map`).
    Apply(Option<Map>),
    /// The record as it stands, to be compared with others.
    Compare(Comparison),
    /// The rating of the record on a scale, if it has one solution.
    Rate(Scale),
    /// The record in another format.
    Convert(Conversion),
}

/// The comparison of a record with others, by keys: hashes of 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// One key, of the clues as they stand, whatever character is an empty cell.
    Text,
    /// A key of the canonical form, and one of the clues.
    Form(Form),
    /// A key of the clues, one of the `carried` form and one of the `solution` form.
    All,
    /// The keys of [`Form::Solution`], by which records are divided among parts.
    Part,
}

impl Comparison {
    /// The question as it is asked on the command line.
    fn words(self) -> String {
        match self {
            Comparison::Text => "dedup --by text".to_owned(),
            Comparison::Form(form) => format!("dedup --by {form}"),
            Comparison::All => "overlap".to_owned(),
            Comparison::Part => "split-corpus".to_owned(),
        }
    }

    /// True if the record must have one solution.
    pub(crate) fn needs_solution(self) -> bool {
        match self {
            Comparison::Text => false,
            Comparison::Form(form) => form.needs_solution(),
            Comparison::All | Comparison::Part => true,
        }
    }
}

impl Ask {
    /// Returns the goal of the search that answers it.
    pub fn goal(self) -> Goal {
        match self {
            Ask::Solve => Goal::First(1),
            Ask::Unique
            | Ask::Check { .. }
            | Ask::Canon(_)
            | Ask::Apply(_)
            | Ask::Compare(_)
            | Ask::Convert(_)
            | Ask::Rate(_) => Goal::First(2),
            Ask::Several(limit) => Goal::First(limit),
            Ask::Every => Goal::All,
            Ask::Count { limit } => Goal::Count { limit },
            Ask::Best(top) => Goal::Best(top),
        }
    }

    /// True if every solution has a row of its own.
    pub fn is_several(self) -> bool {
        matches!(self, Ask::Several(_) | Ask::Every) || matches!(self, Ask::Best(top) if top.limit > 1)
    }

    /// True if the answer takes a search.
    pub(crate) fn is_searched(self) -> bool {
        match self {
            Ask::Canon(form) => form.needs_solution(),
            Ask::Apply(_) | Ask::Convert(_) => false,
            Ask::Compare(comparison) => comparison.needs_solution(),
            _ => true,
        }
    }

    /// True if the answer is a grid under a map.
    pub(crate) fn is_image(self) -> bool {
        matches!(self, Ask::Canon(_) | Ask::Apply(_))
    }

    /// The question as it is asked on the command line.
    pub fn words(self) -> Vec<String> {
        let text = match self {
            Ask::Solve => "solve".to_owned(),
            Ask::Unique => "solve --unique".to_owned(),
            Ask::Several(limit) => format!("solve --limit {limit}"),
            Ask::Every => "solve --all".to_owned(),
            Ask::Count { limit: None } => "count".to_owned(),
            Ask::Count { limit: Some(limit) } => format!("count --limit {limit}"),
            Ask::Best(Top { direction, limit }) => {
                let direction = if direction == Direction::Minimize { " --minimize" } else { "" };
                let limit = if limit > 1 { format!(" --limit {limit}") } else { String::new() };
                format!("best{direction}{limit}")
            }
            Ask::Check { minimal } => format!("check{}", if minimal { " --minimal" } else { "" }),
            Ask::Canon(form) => format!("canon --form {form}"),
            Ask::Apply(None) => "canon --apply".to_owned(),
            Ask::Apply(Some(map)) => format!("canon --apply={map}"),
            Ask::Compare(comparison) => comparison.words(),
            Ask::Convert(conversion) => conversion.words(),
            Ask::Rate(scale) => format!("rate --scale {scale}"),
        };
        text.split(' ').map(str::to_owned).collect()
    }

    /// Returns the verb by which the output chooses its default fields and rows.
    pub fn verb(self) -> Verb {
        match self {
            Ask::Solve | Ask::Unique | Ask::Several(_) | Ask::Every => Verb::Solve,
            Ask::Count { .. } => Verb::Count,
            Ask::Best(_) => Verb::Best,
            Ask::Check { .. } => Verb::Check,
            Ask::Canon(_) | Ask::Apply(_) => Verb::Canon,
            Ask::Compare(_) => Verb::Keep,
            Ask::Convert(conversion) => Verb::Convert(conversion),
            Ask::Rate(scale) => Verb::Rate { by_steps: scale.has_steps() },
        }
    }
}

/// The treatment of records that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// A row with the status `invalid` and the reason.
    #[default]
    Row,
    /// No row.
    Skip,
    /// The run ends there.
    Fail,
}

/// The limit on search-tree nodes for one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeLimit {
    /// [`GUARD_NODES`], which guards a corpus against one blank grid. It is a limit of searches, not of what counts
    /// without searching, and no answer depends on where it falls.
    #[default]
    Guard,
    /// So many, as the caller wishes: the answer is that of one search which stops there.
    Asked(u64),
    /// Any number.
    None,
}

/// Everything about a run but where its bytes come from and go to.
#[derive(Debug, Clone)]
pub struct BatchOptions {
    /// The question that is asked about every record.
    pub ask: Ask,
    /// Format and details of the input.
    pub input: InputOptions,
    /// Format and details of the output; its verb, and one row a solution or a record, follow from `ask`.
    pub output: OutputOptions,
    /// The engine and instruction set, or conditions on them.
    pub preference: EnginePreference,
    /// Search-tree nodes for one record.
    pub node_limit: NodeLimit,
    /// Wall time for one record.
    pub time_limit: Option<Duration>,
    /// Bytes of memory for the whole run: text, records, tables of searches and rows together, beside what the program and
    /// its threads take anyway. At least 8 MiB; a run has no more threads than one for every 8 MiB. A quarter of it is the
    /// limit on the tables of the search for one record ([`Limits::memory`]), a sixteenth that on the text of one; answers do
    /// not depend on it otherwise, but for counters of records of which very many solutions are listed. They never depend
    /// on the threads among which it is divided.
    pub memory: Option<u64>,
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// True if rows keep the order of the input.
    pub ordered: bool,
    /// True if each chunk's rows are flushed at once.
    pub line_buffered: bool,
    /// The treatment of unreadable records.
    pub on_error: OnError,
    /// Number of unreadable records that are allowed; one more ends the run.
    pub max_rejects: Option<u64>,
    /// Rows of other statuses are not written; empty writes all.
    pub only: Vec<Status>,
    /// Every so many records a second engine does the work again, and the two are compared.
    pub audit: Option<u64>,
    /// Number of the hardest records that the statistics keep.
    pub top: usize,
    /// True if what came of each record is written too ([`Outputs::traces`](crate::Outputs)); only for ordered rows.
    pub traces: bool,
    /// Bytes of input in a chunk at most.
    pub chunk_bytes: usize,
    /// Bytes of finished output that may wait for their turn; at least 1.
    pub window_bytes: usize,
    /// Number of the first record, less one: for shards of a larger corpus.
    pub index_offset: u64,
}

/// An option that is not the default.
pub(crate) struct Setting {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Its value, long ones as a hash; empty where the name says all.
    pub(crate) value: String,
    pub(crate) concerns: Concerns,
}

/// The descriptions of a run that contain an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concerns {
    Both,
    /// May differ between a run and the one that goes on with its work.
    Statistics,
    /// May differ between runs whose statistics are added up.
    Checkpoint,
}

/// Values longer than this are kept as a hash.
const SHOWN_OF_VALUE: usize = 80;

fn short(value: String) -> String {
    if value.len() <= SHOWN_OF_VALUE {
        return value;
    }
    let start: String = value.chars().take(SHOWN_OF_VALUE / 2).collect();
    format!("{start}... ({:032x})", xxh3_128(value.as_bytes()))
}

fn joined<T>(values: impl Iterator<Item = T>, shown: impl Fn(T) -> String) -> String {
    values.map(shown).collect::<Vec<_>>().join(",")
}

/// Threads of a run at most: twice as many as large machines have. Starting a pool of them takes time that grows with the
/// square of their number.
pub const MOST_THREADS: usize = 1024;
/// The largest offset of record numbers: no run reads so many records that their numbers pass 64 bits.
pub const MAX_INDEX_OFFSET: u64 = 1 << 62;
/// Bytes of input in a chunk by default: large enough that handing one over costs nothing by comparison, small
/// enough that a chunk, its problems and its answers stay in a core's cache.
pub const CHUNK_BYTES: usize = 256 << 10;
/// Bytes of finished output that wait behind a record that takes long by default: some 800,000 rows of 9x9.
pub const WINDOW_BYTES: usize = 64 << 20;

impl BatchOptions {
    /// The defaults for a question: everything sniffed, text output in order, all cores, the node guard.
    pub fn new(ask: Ask) -> Self {
        BatchOptions {
            ask,
            input: InputOptions {
                weights: matches!(ask, Ask::Best(_)).then_some(WeightSource::Target),
                ..InputOptions::default()
            },
            output: OutputOptions {
                behind: if ask == Ask::Compare(Comparison::All) { overlap::COLUMNS } else { &[] },
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
            audit: None,
            top: 10,
            traces: false,
            chunk_bytes: CHUNK_BYTES,
            window_bytes: WINDOW_BYTES,
            index_offset: 0,
        }
    }

    /// Checks what can be checked before reading.
    ///
    /// # Errors
    /// Usage errors, from here and from the options of input.
    pub fn validate(&self) -> Result<()> {
        self.input.validate()?;
        self.preference.isa.map_or(Ok(()), Isa::require)?;
        // Whether there is memory for one decides.
        threads_within(self.memory, 1)?;
        if self.threads > MOST_THREADS {
            return Err(Error::usage(format!("{} threads: at most {MOST_THREADS} can be had", self.threads)));
        }
        if self.index_offset > MAX_INDEX_OFFSET {
            return Err(Error::usage(format!("an index offset of more than {MAX_INDEX_OFFSET}")));
        }
        if self.traces && !self.ordered {
            return Err(Error::usage("--records-out is of records in their order: not with --unordered"));
        }
        let nothing = matches!(
            self.ask,
            Ask::Several(0 | 1) | Ask::Count { limit: Some(0) } | Ask::Best(Top { limit: 0, .. })
        );
        if nothing || self.audit == Some(0) {
            return Err(Error::usage("a limit or an audit interval of 0 asks for nothing"));
        }
        let scale = self.scale();
        let has_steps = scale.is_some_and(Scale::has_steps);
        for field in &self.output.fields {
            if field.is_rating() && scale.is_none() {
                let name = field.name();
                return Err(Error::usage(format!("the field {name} is for rate, solve --unique and check")));
            }
            if field.is_of_steps() && !has_steps {
                return Err(Error::usage(format!(
                    "the field {} is for ratings by steps (ser)",
                    field.name()
                )));
            }
        }
        if self.output.explain && !(has_steps && matches!(self.ask, Ask::Rate(_))) {
            return Err(Error::usage("only ratings by steps (ser) have steps to explain"));
        }
        if let Ask::Rate(Scale::GuessesMean { permutations, .. }) = self.ask
            && !(1..=MOST_PERMUTATIONS).contains(&permutations)
        {
            return Err(Error::usage(format!("{permutations} permutations: from 1 to {MOST_PERMUTATIONS}")));
        }
        Ok(())
    }

    /// Limits of the search for a record, but for that on memory, which is the [plan](super::memory)'s.
    #[inline]
    pub(crate) fn limits(&self) -> Limits {
        let nodes = match self.node_limit {
            NodeLimit::Guard => Some(GUARD_NODES),
            NodeLimit::Asked(nodes) => Some(nodes),
            NodeLimit::None => None,
        };
        Limits { nodes, time: self.time_limit, memory: None }
    }

    /// The scale on which records are rated, where they are: also where a question that shows if there is one solution has a
    /// field of ratings.
    pub(crate) fn scale(&self) -> Option<Scale> {
        let is_proper = matches!(self.ask, Ask::Unique | Ask::Check { .. });
        match self.ask {
            Ask::Rate(scale) => Some(scale),
            _ if is_proper && self.output.fields.iter().any(|field| field.is_rating()) => Some(Scale::SER),
            _ => None,
        }
    }

    /// True if the caller chose a node limit: then it decides the answers.
    pub(crate) fn nodes_are_asked(&self) -> bool {
        matches!(self.node_limit, NodeLimit::Asked(_))
    }

    /// Returns question and options in words of the command line: the question, then every option that is not the
    /// default, but for those that concern checkpoints only.
    pub fn words(&self) -> Vec<String> {
        let shown = self.describe().into_iter().filter(|setting| setting.concerns != Concerns::Checkpoint);
        let options = shown.flat_map(|setting| [setting.name.to_owned(), setting.value]);
        self.ask.words().into_iter().chain(options.filter(|word| !word.is_empty())).collect()
    }

    /// The options that are not the default for the question, in a fixed order.
    pub(crate) fn describe(&self) -> Vec<Setting> {
        let defaults = BatchOptions::new(self.ask).settings();
        let given = self.settings().into_iter().zip(defaults).filter(|(is, default)| is.1 != default.1);
        given
            .filter_map(|((name, value, concerns), _)| Some(Setting { name, value: short(value?), concerns }))
            .collect()
    }

    /// THE list of options and their values: `None` where not given, empty for what is on or off. Taken apart to the
    /// last field, so that a new option cannot be forgotten. Left out is what changes no byte of what is written.
    fn settings(&self) -> Vec<(&'static str, Option<String>, Concerns)> {
        let BatchOptions {
            ask: _,
            input,
            output,
            preference,
            node_limit,
            time_limit,
            memory,
            threads: _,
            ordered,
            line_buffered: _,
            on_error,
            max_rejects,
            only,
            audit,
            top,
            traces: _,
            chunk_bytes: _,
            window_bytes: _,
            index_offset,
        } = self;
        let InputOptions {
            format,
            blank,
            symbols,
            box_shape,
            marks,
            column,
            solution_column,
            // These follow from the question.
            id_names: _,
            other_columns: _,
            side,
            keep_lines,
            max_record_bytes,
            // The same for all runs: the limit is that of --memory, which is described.
            max_cover_bytes: _,
            weights,
            cubes,
            rules,
        } = input;
        let OutputOptions {
            format: output_format,
            verb: _,
            fields,
            header,
            several: _,
            echo_id,
            unordered: _,
            explain,
            line_ends,
            // This follows from the input.
            carried: _,
            delimiter,
            bare,
            behind,
        } = output;
        let EnginePreference { engine, isa, timings } = preference;
        let weights = weights.as_ref().map(|weights| match weights {
            WeightSource::Target => "target".to_owned(),
            WeightSource::PerCell(values) => joined(values.iter(), i64::to_string),
        });
        let asked_nodes = match node_limit {
            NodeLimit::Asked(nodes) => Some(*nodes),
            NodeLimit::Guard | NodeLimit::None => None,
        };
        let flag = |is_on: bool| is_on.then(String::new);
        let word = |text: &str| Some(text.to_owned());
        let number = |number: &Option<u64>| number.map(|number| number.to_string());
        let named = |column: &Option<ColumnRef>| column.as_ref().map(ColumnRef::to_string);
        let both = [
            ("--format", format.map(|format| format.name().to_owned())),
            ("--blank", blank.map(|byte| char::from(byte).to_string())),
            ("--symbols", symbols.map(|symbols| symbols.word().to_owned())),
            ("--box", box_shape.map(|(rows, columns)| format!("{rows}x{columns}"))),
            ("--side", side.map(|side| side.to_string())),
            ("--marks", marks.and_then(|marks| word(if marks { "on" } else { "off" }))),
            ("--column", named(column)),
            ("--solution-column", named(solution_column)),
            ("--keep-lines", flag(*keep_lines)),
            ("--max-record-bytes", Some(max_record_bytes.to_string())),
            ("--weights", weights),
            ("--rules", (!rules.is_empty()).then(|| rules.text().to_owned())),
            ("--cubes", cubes.as_ref().map(|cubes| format!("{cubes:?}"))),
            ("--output", word(output_format.name())),
            ("--delimiter", delimiter.map(|byte| char::from(byte).to_string())),
            ("--bare", flag(*bare)),
            (
                "--fields",
                (!fields.is_empty()).then(|| joined(fields.iter(), |field| field.name().to_owned())),
            ),
            ("--no-header", flag(!header)),
            ("--echo-id", flag(*echo_id)),
            ("--explain", flag(*explain)),
            ("--line-ends", (*line_ends != LineEnds::Keep).then(|| line_ends.name().to_owned())),
            ("--unordered", flag(!ordered)),
            // Of overlap they are the default.
            ("--all", flag(!behind.is_empty())),
            ("--engine", engine.map(|kind| kind.info().name.to_owned())),
            ("--timings", flag(*timings)),
            ("--node-limit", number(&asked_nodes)),
            ("--no-limit", flag(*node_limit == NodeLimit::None)),
            ("--time-limit", time_limit.map(|time| format!("{time:?}"))),
            ("--memory", number(memory)),
            ("--on-error", word(&format!("{on_error:?}").to_lowercase())),
            ("--only", (!only.is_empty()).then(|| joined(only.iter(), |status| status.word().to_owned()))),
            ("--audit", audit.map(|every| format!("1/{every}"))),
        ];
        let one = [
            ("--isa", isa.map(|isa| isa.to_string()), Concerns::Statistics),
            ("--max-rejects", number(max_rejects), Concerns::Statistics),
            ("--top", Some(top.to_string()), Concerns::Checkpoint),
            ("--index-offset", Some(index_offset.to_string()), Concerns::Checkpoint),
        ];
        both.into_iter().map(|(name, value)| (name, value, Concerns::Both)).chain(one).collect()
    }

    /// The use of columns that are no part of records.
    pub(crate) fn other_columns(&self) -> OtherColumns {
        let is_bare = matches!(self.ask, Ask::Convert(conversion) if conversion.bare);
        let is_kept = self.ask.verb() == Verb::Keep && self.output.fields.is_empty();
        match self.output.format {
            _ if is_bare => OtherColumns::Unused,
            OutputFormat::Csv => OtherColumns::OfFirst,
            OutputFormat::Jsonl => OtherColumns::Own,
            OutputFormat::Text if is_kept => OtherColumns::OfFirst,
            OutputFormat::Parquet | OutputFormat::Arrow if !self.output.carried => OtherColumns::OfFirst,
            _ => OtherColumns::Unused,
        }
    }

    /// Output options that agree with the question.
    pub fn output_options(&self) -> OutputOptions {
        OutputOptions {
            verb: self.ask.verb(),
            several: self.ask.is_several(),
            unordered: !self.ordered,
            ..self.output.clone()
        }
    }

    /// True if records of this status are rejected: those that cannot be read, and those that another format cannot hold.
    pub(crate) fn is_reject(&self, status: Status) -> bool {
        status == Status::Invalid || status == Status::Unsupported && matches!(self.ask, Ask::Convert(_))
    }

    /// Rejects allowed, where there is a limit: `--on-error fail` allows none.
    pub(crate) fn rejects_allowed(&self) -> Option<u64> {
        if self.on_error == OnError::Fail { Some(0) } else { self.max_rejects }
    }
}
