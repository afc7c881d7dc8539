//! One run over a table, during which the interpreter is free.

use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::batch::compare::RowFilter;
use quadrille::batch::compare::dedup::{self, Dedup};
use quadrille::batch::compare::fingerprint::{Fingerprint, options as fingerprint_options};
use quadrille::batch::compare::overlap::{self, ReferenceKeys};
use quadrille::batch::{Augmentation, BatchOptions, Comparison, NodeLimit, Progress, Query};
use quadrille::canonical::{Form, Part, Parts};
use quadrille::engine::Control;
use quadrille::input::{ColumnRef, InputOptions, WeightSource};
use quadrille::output::{Conversion, PuzzleText};
use quadrille::rating::{NoTenths, Rater, Technique, Tenths};
use quadrille::scales::Scale;
use quadrille::tables::{TableAnswers, TableRecords, run_table};
use quadrille::{Alphabet, Direction, TopK};

use crate::keys::KeyColumns;
use crate::numbers::Numbers;
use crate::strings::Strings;
use crate::table::Table;
use crate::wait::{Failure, wait};
use crate::{exception, listed, unknown};

/// Memory for the keys of compared records, in bytes.
const KEY_BYTES: u64 = 1 << 30;

/// Options of a run, as the Python code passes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    limit: Option<u64>,
    minimal: bool,
    minimize: bool,
    weights: Option<Vec<i64>>,
    form: Option<String>,
    column: Option<String>,
    solution_column: Option<String>,
    fields: Vec<String>,
    keep: bool,
    threads: usize,
    memory: Option<u64>,
    node_limit: Option<u64>,
    time_limit: Option<f64>,
    scale: Option<String>,
    max_rating: Option<String>,
    permutations: Option<u32>,
    seed: Option<u64>,
    copies: u32,
    only: Option<Vec<String>>,
    distinct: bool,
    name: Option<String>,
    index_offset: u64,
    rules: Vec<String>,
    /// True for the parts of a run after the first. The statistics of the first part already have the options
    /// of the run.
    is_part: bool,
    symbols: Option<String>,
    blank: Option<char>,
    side: Option<String>,
}

/// Adds to the options how puzzles are read.
fn read_as(settings: &Settings, input: &mut InputOptions) -> PyResult<()> {
    let wrong = |name: &str, given: &str| PyValueError::new_err(format!("{name}={given:?} is not known"));
    if let Some(name) = &settings.symbols {
        let words = ["from-one", "from-zero", "letters", "integers"];
        let is_named = |(word, alphabet): &(&str, Alphabet)| word == name || alphabet.word() == name;
        let found = words.into_iter().zip(Alphabet::ALL).find(is_named);
        input.symbols = Some(found.ok_or_else(|| wrong("symbols", name))?.1);
    }
    input.blank = settings.blank.and_then(|blank| u8::try_from(blank).ok()).filter(u8::is_ascii);
    input.wide_blank = settings.blank.filter(|blank| !blank.is_ascii());
    input.any_side = settings.side.as_deref() == Some("any");
    if let Some(side) = settings.side.as_ref().filter(|_| !input.any_side) {
        input.side = Some(side.parse().map_err(|_| wrong("side", side))?);
    }
    for words in &settings.rules {
        let added = input.rules.add(words);
        added.map_err(|reason| PyValueError::new_err(format!("rules={words:?}: {reason}")))?;
    }
    Ok(())
}

fn form(name: Option<&str>) -> PyResult<Form> {
    let name = name.unwrap_or("by-solution");
    Form::from_name(name).ok_or_else(|| unknown("form", name, "by-solution, solution or puzzle"))
}

/// Returns the scale of the settings, or an error if they belong to another scale.
fn scale(settings: &Settings) -> PyResult<Scale> {
    let name = settings.scale.as_deref().unwrap_or("ser");
    let found = Scale::ALL.iter().copied().find(|scale| scale.name() == name);
    let no_scale = || unknown("scale", name, &listed(Scale::ALL.iter().map(|scale| scale.name())));
    let max_rating = settings.max_rating.as_deref().map(rating).transpose()?;
    let scale = found.ok_or_else(no_scale)?.with(max_rating, settings.permutations, settings.seed);
    scale.map_err(|(name, scale)| PyValueError::new_err(format!("{name} is only for the scale {scale}")))
}

/// Returns a rating in the range of ratings by steps.
fn rating(text: &str) -> PyResult<Tenths> {
    let (least, most) = (Technique::LastCell.least(), Rater::MAX_RATING);
    let parsed = text.parse().map_err(|reason: NoTenths| PyValueError::new_err(reason.to_string()))?;
    if (least..=most).contains(&parsed) {
        return Ok(parsed);
    }
    Err(PyValueError::new_err(format!("max_rating {text}: ratings are from {least} to {most}")))
}

fn parts(words: &[String]) -> PyResult<Parts> {
    let known = || listed(Part::ALL.iter().map(|part| part.word()));
    let part = |word: &String| Part::from_word(word).ok_or_else(|| unknown("part", word, &known()));
    words.iter().map(part).collect()
}

fn ask(question: &str, settings: &Settings) -> PyResult<Query> {
    let direction = if settings.minimize { Direction::Minimize } else { Direction::Maximize };
    Ok(match question {
        "solve" => match settings.limit {
            Some(limit) if limit > 1 => Query::Several(limit),
            _ => Query::Solve,
        },
        "unique" => Query::Unique,
        "least" => Query::Least,
        "count" => Query::Count { limit: settings.limit },
        "check" => Query::Check { minimal: settings.minimal },
        "best" => Query::Best(TopK { direction, limit: settings.limit.unwrap_or(1) }),
        "canon" => Query::Canon(form(settings.form.as_deref())?),
        "dedup" | "classes" => Query::Compare(match settings.form.as_deref() {
            Some("text") => Comparison::Text,
            name => Comparison::Form(form(name)?),
        }),
        "keys" => Query::Compare(match settings.form.as_deref() {
            Some("all") => Comparison::All,
            Some("text") => Comparison::Text,
            name => Comparison::Form(form(name)?),
        }),
        "overlap" => Query::Compare(Comparison::All),
        "rate" => Query::Rate(scale(settings)?),
        "augment" => {
            let as_field = Conversion::new("arrow", PuzzleText::Field);
            let mut images = Augmentation::new(as_field, settings.copies);
            images.seed = settings.seed.unwrap_or(1);
            images.only = settings.only.as_deref().map_or(Ok(Parts::ALL), parts)?;
            images.distinct = settings.distinct;
            Query::Augment(images)
        }
        _ => return Err(PyValueError::new_err(format!("unknown question {question:?}"))),
    })
}

/// Converts a limit in seconds.
///
/// # Errors
/// Returns a `ValueError` if the number is not a duration.
pub(crate) fn seconds(limit: Option<f64>) -> PyResult<Option<Duration>> {
    let limit = limit.map(Duration::try_from_secs_f64).transpose();
    limit.map_err(|_| PyValueError::new_err("time_limit is not a time in seconds"))
}

fn options(question: &str, settings: &Settings) -> PyResult<BatchOptions> {
    let mut options = BatchOptions::new(ask(question, settings)?);
    options.threads = settings.threads;
    options.memory = settings.memory;
    options.index_offset = settings.index_offset;
    options.node_limit = settings.node_limit.map_or(NodeLimit::Guard, NodeLimit::Asked);
    options.time_limit = seconds(settings.time_limit)?;
    options.input.column = settings.column.clone().map(ColumnRef::Name);
    options.input.solution_column = settings.solution_column.clone().map(ColumnRef::Name);
    read_as(settings, &mut options.input)?;
    if let Some(weights) = &settings.weights {
        options.input.weights = Some(WeightSource::PerCell(weights.clone()));
    }
    for name in &settings.fields {
        let field = quadrille::output::Field::all().find(|field| field.name() == name);
        let field = field.ok_or_else(|| PyValueError::new_err(format!("unknown field {name:?}")))?;
        options.output.fields.push(field);
    }
    match question {
        "classes" => options.output.extra_columns = dedup::COLUMNS.to_vec(),
        "overlap" => options.output.extra_columns = overlap::COLUMNS.to_vec(),
        // This comparison appends its columns itself.
        "keys" => options.output.extra_columns = Vec::new(),
        _ => {}
    }
    options.validate().map_err(exception)?;
    Ok(options)
}

/// Returns the fingerprint of a table as JSON or Markdown, including a comparison with `known`.
#[pyfunction]
pub(crate) fn fingerprint(
    py: Python<'_>,
    table: Given<'_>,
    known: Option<Given<'_>>,
    column: Option<String>,
    threads: usize,
) -> PyResult<(String, String)> {
    let mut options = fingerprint_options();
    options.threads = threads;
    options.input.column = column.map(ColumnRef::Name);
    options.validate().map_err(exception)?;
    let control = Arc::new(Control::new());
    let take = |given: &Given<'_>, mut own: Fingerprint| {
        let failed = Failure::default();
        let records = given.records(py, false, &failed);
        let counters = Progress::new(options.threads);
        let work = || {
            let answers = run_table("the table", records, &options, Some(&mut own), (&control, &counters))?;
            own.take_statistics(&answers.report.statistics);
            Ok(own)
        };
        wait(py, work, || control.cancel(), |_| Ok(()))?.map_err(|error| failed.or(error))
    };
    let Some(known) = known else {
        let own = take(&table, Fingerprint::default())?;
        return Ok((own.to_json(None), own.to_markdown()));
    };
    let directory = std::env::temp_dir();
    let mut other = take(&known, Fingerprint::with_keys(ReferenceKeys::new(KEY_BYTES, &directory)))?;
    let keys = other.take_keys().map(|keys| keys.compare(&directory));
    let own = take(&table, keys.map_or_else(Fingerprint::default, Fingerprint::compared))?;
    Ok((own.to_json(own.common(&other)), own.to_markdown()))
}

/// Input of a run.
#[derive(FromPyObject)]
pub(crate) enum Given<'py> {
    Table(Bound<'py, Table>),
    Numbers(Bound<'py, Numbers>),
    Strings(Bound<'py, Strings>),
}

impl Given<'_> {
    /// Returns the records. A Python error that occurs while they are read goes to `failed`.
    fn records(&self, py: Python<'_>, keeps_columns: bool, failed: &Failure) -> TableRecords {
        match self {
            Given::Table(table) => batches_of(table.get(), keeps_columns),
            Given::Numbers(numbers) => numbers.get().records(py, failed),
            Given::Strings(strings) => strings.get().records(failed),
        }
    }
}

fn batches_of(table: &Table, keeps_columns: bool) -> TableRecords {
    TableRecords::Batches { schema: Arc::clone(&table.schema), batches: table.batches.clone(), keeps_columns }
}

/// Answers the records of a table, of an array of numbers or of lists of strings.
///
/// `known` is the table that the records are compared with. `progress` is called from time to time with the
/// number of answered records.
#[pyfunction]
pub(crate) fn answer(
    py: Python<'_>,
    question: &str,
    table: Given<'_>,
    known: Option<Bound<'_, Table>>,
    settings: Settings,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let options = options(question, &settings)?;
    let failed = Failure::default();
    let records = table.records(py, settings.keep, &failed);
    let known = known.as_ref().map(|known| batches_of(known.get(), settings.keep));
    let (control, counters) = (Arc::new(Control::new()), Progress::new(options.threads));
    let work = || {
        let begun = run(question, records, known, &options, &settings, (&control, &counters));
        begun.map(|mut answers| {
            if !settings.is_part {
                answers.report.statistics.set_run(env!("CARGO_PKG_VERSION"), options.words());
            }
            answers
        })
    };
    let look = |py: Python<'_>| match &progress {
        Some(call) => call.call1(py, (counters.answered(),)).map(drop),
        None => Ok(()),
    };
    let answers = wait(py, work, || control.cancel(), look)?.map_err(|error| failed.or(error))?;
    if let Some(call) = progress {
        call.call1(py, (answers.report.statistics.totals.records_in,))?;
    }
    let account = Some(Box::new(answers.report.statistics));
    Ok(Table { schema: answers.schema, batches: answers.batches, account })
}

fn run(
    question: &str,
    records: TableRecords,
    known: Option<TableRecords>,
    options: &BatchOptions,
    settings: &Settings,
    control: (&Arc<Control>, &Progress),
) -> quadrille::Result<TableAnswers> {
    let directory = std::env::temp_dir();
    let memory = options.memory.map_or(KEY_BYTES, |memory| memory / 2);
    let go = |records: TableRecords, filter: Option<&mut dyn RowFilter>| {
        let name = settings.name.as_deref().unwrap_or("the table");
        run_table(name, records, options, filter, control)
    };
    match (question, known) {
        ("dedup" | "classes", _) => {
            let is_text = options.ask == Query::Compare(Comparison::Text);
            let mut filter = Dedup::new(memory, &directory, question == "classes", is_text, 1);
            go(records, Some(&mut filter))
        }
        ("keys", _) => {
            let mut keys = KeyColumns::default();
            let mut answers = go(records, Some(&mut keys))?;
            let broken = |error: arrow_schema::ArrowError| quadrille::ErrorKind::Internal(error.to_string());
            (answers.schema, answers.batches) =
                keys.behind((answers.schema, answers.batches)).map_err(broken)?;
            Ok(answers)
        }
        ("overlap", Some(known)) => {
            let mut keys = ReferenceKeys::new(memory, &directory);
            go(known, Some(&mut keys))?;
            let mut filter = keys.compare(&directory);
            go(records, Some(&mut filter))
        }
        _ => go(records, None),
    }
}
