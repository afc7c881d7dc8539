//! One run over a table, with the interpreter free meanwhile.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadrille::batch::compare::RowFilter;
use quadrille::batch::compare::dedup::{self, Dedup};
use quadrille::batch::compare::overlap::{self, Known};
use quadrille::batch::{Ask, BatchOptions, Comparison, NodeLimit, Progress, TableAnswers, run_table};
use quadrille::canonical::Form;
use quadrille::engine::Control;
use quadrille::input::{ColumnRef, WeightSource};
use quadrille::{Direction, Top};

use crate::exception;
use crate::table::Table;

/// Time between two looks at signals, and two calls of a progress function.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Bytes for keys of records that are compared.
const KEY_BYTES: u64 = 1 << 30;

/// The options of a run, as the half in Python gives them.
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
}

fn form(name: Option<&str>) -> PyResult<Form> {
    let name = name.unwrap_or("carried");
    Form::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("no form {name:?}: carried, solution or puzzle")))
}

fn ask(question: &str, settings: &Settings) -> PyResult<Ask> {
    let direction = if settings.minimize { Direction::Minimize } else { Direction::Maximize };
    Ok(match question {
        "solve" => match settings.limit {
            Some(limit) if limit > 1 => Ask::Several(limit),
            _ => Ask::Solve,
        },
        "unique" => Ask::Unique,
        "count" => Ask::Count { limit: settings.limit },
        "check" => Ask::Check { minimal: settings.minimal },
        "best" => Ask::Best(Top { direction, limit: settings.limit.unwrap_or(1) }),
        "canon" => Ask::Canon(form(settings.form.as_deref())?),
        "dedup" | "classes" => Ask::Compare(match settings.form.as_deref() {
            Some("text") => Comparison::Text,
            name => Comparison::Form(form(name)?),
        }),
        "overlap" => Ask::Compare(Comparison::All),
        _ => return Err(PyValueError::new_err(format!("no question {question:?}"))),
    })
}

fn options(question: &str, settings: &Settings) -> PyResult<BatchOptions> {
    let mut options = BatchOptions::new(ask(question, settings)?);
    options.threads = settings.threads;
    options.memory = settings.memory;
    options.node_limit = settings.node_limit.map_or(NodeLimit::Guard, NodeLimit::Asked);
    options.time_limit = match settings.time_limit.map(Duration::try_from_secs_f64).transpose() {
        Ok(limit) => limit,
        Err(_) => return Err(PyValueError::new_err("time_limit is no time in seconds")),
    };
    options.input.column = settings.column.clone().map(ColumnRef::Name);
    options.input.solution_column = settings.solution_column.clone().map(ColumnRef::Name);
    if let Some(weights) = &settings.weights {
        options.input.weights = Some(WeightSource::PerCell(weights.clone()));
    }
    for name in &settings.fields {
        let field = quadrille::output::Field::all().find(|field| field.name() == name);
        let field = field.ok_or_else(|| PyValueError::new_err(format!("no field {name:?}")))?;
        options.output.fields.push(field);
    }
    match question {
        "classes" => options.output.behind = dedup::COLUMNS,
        "overlap" => options.output.behind = overlap::COLUMNS,
        _ => {}
    }
    options.validate().map_err(exception)?;
    Ok(options)
}

/// Answers the records of a table. `known` is the table that they are compared with. `progress` is called now and then with
/// the number of records answered.
#[pyfunction]
pub(crate) fn answer(
    py: Python<'_>,
    question: &str,
    table: Bound<'_, Table>,
    known: Option<Bound<'_, Table>>,
    settings: Settings,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let options = options(question, &settings)?;
    let (table, known) = (table.get(), known.as_ref().map(|known| known.get()));
    let (control, counters) = (Arc::new(Control::new()), Progress::new(options.threads));
    let answers = py.detach(|| {
        let (say, done) = channel();
        std::thread::scope(|scope| {
            let (options, settings, control, counters) = (&options, &settings, &control, &counters);
            let work = move || {
                let answers = run(question, table, known, settings.keep, options, (control, counters));
                // The one who waits may have gone, with an error of its own.
                let _ = say.send(());
                answers
            };
            let worker = scope.spawn(work);
            let mut interrupted = None;
            while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(LOOK_EVERY) {
                let look = |py: Python<'_>| {
                    py.check_signals()?;
                    progress.as_ref().map_or(Ok(()), |call| call.call1(py, (counters.answered(),)).map(drop))
                };
                if interrupted.is_none()
                    && let Err(error) = Python::attach(look)
                {
                    control.cancel();
                    interrupted = Some(error);
                }
            }
            let answers = worker.join();
            match interrupted {
                Some(error) => Err(error),
                None => match answers {
                    Ok(answers) => answers.map_err(exception),
                    Err(_) => Err(pyo3::exceptions::PyRuntimeError::new_err("the run broke down")),
                },
            }
        })
    })?;
    if let Some(call) = progress {
        call.call1(py, (answers.report.statistics.records_in,))?;
    }
    Ok(Table { schema: answers.schema, batches: answers.batches })
}

fn run(
    question: &str,
    table: &Table,
    known: Option<&Table>,
    keep: bool,
    options: &BatchOptions,
    control: (&Arc<Control>, &Progress),
) -> quadrille::Result<TableAnswers> {
    let directory = std::env::temp_dir();
    let memory = options.memory.map_or(KEY_BYTES, |memory| memory / 2);
    let of = |table: &Table| (Arc::clone(&table.schema), table.batches.clone());
    let go = |table: &Table, filter: Option<&mut dyn RowFilter>| {
        run_table("the table", of(table), keep, options, filter, control)
    };
    match (question, known) {
        ("dedup" | "classes", _) => {
            let is_text = options.ask == Ask::Compare(Comparison::Text);
            let mut filter = Dedup::new(memory, &directory, question == "classes", is_text, 1);
            go(table, Some(&mut filter))
        }
        ("overlap", Some(known)) => {
            let mut keys = Known::new(memory, &directory);
            go(known, Some(&mut keys))?;
            let mut filter = keys.compare(&directory)?;
            go(table, Some(&mut filter))
        }
        _ => go(table, None),
    }
}
