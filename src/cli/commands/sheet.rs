//! `convert --to html|svg`: makes a printable sheet of puzzles, with the solutions at the end.

use anyhow::Result;

use super::aside_reader::{AsideReader, ReadRecord};
use super::refuse;
use crate::cli::args::{ConvertArgs, ConvertOutputArgs};
use crate::cli::files::{Destination, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use crate::report::{SheetFormat, SheetPuzzle, sheet};
use quadrille_batch::OnError;
use quadrille_batch::stats::{Drawing, number_of};
use quadrille_engine::{Control, Flow, GUARD_NODES, Solver, Task};
use quadrille_formats::output::{Conversion, PuzzleText};
use quadrille_model::{Goal, Limits, ProblemClass, ProblemRef, Solution, Status, usage, verify};

/// Maximum number of puzzles of a sheet.
const MAX_PUZZLES: usize = 10_000;
/// Default number of puzzles on a page.
const PER_PAGE: usize = 6;
/// Maximum number of records in the message about records that are missing from the sheet.
const MAX_LISTED: usize = 10;

/// End of the message if the command is stopped.
const STOPPED: &str = " before the sheet was complete";

/// Writes the sheet.
pub(super) fn write(args: &ConvertArgs, format: SheetFormat, name: &'static str) -> Result<u8> {
    let ConvertOutputArgs { to, bare, lossy, per_page, on_error, .. } = &args.output;
    check_options(args, name)?;
    FileUses::default()
        .reads_records(&args.files, &args.input)
        .writes_rows(OutputFile::CONVERTED, to.out.as_deref(), true)
        .check_conflicts()?;
    let options = config::input_options(&args.input)?;
    super::reads_terminal(&args.files);
    let signals = Signals::listen(args.bounds.deadline)?;
    let out = signals.at_once(|| Destination::open(to.out.as_deref(), to.write))?;
    let conversion = Conversion { lossy: *lossy, ..Conversion::new(name, PuzzleText::Integers) };
    let (mut puzzles, mut unwritten, mut improper) = (Vec::new(), Vec::new(), 0u64);
    let mut solver = Solver::default();
    let mut reader = AsideReader::start(&args.files, &options, 1000, &signals, STOPPED)?;
    reader.number = args.input.index_offset;
    reader.each(false, |ReadRecord { number, chunk, record, problem }| {
        // A sheet can show exactly the problems that the format `integers` can write.
        let drawn = problem
            .and_then(|problem| conversion.write(problem, record.symbols, &mut Vec::new()).map(|_| problem));
        let problem = match drawn {
            Ok(_) if puzzles.len() == MAX_PUZZLES => {
                return Err(usage!("a sheet has at most {MAX_PUZZLES} puzzles (use head)").into());
            }
            Ok(problem) => problem,
            Err(reason) if *on_error == OnError::Fail => {
                return Err(usage!("record {number}: {reason}").into());
            }
            Err(reason) => {
                unwritten.push((number, reason));
                return Ok(true);
            }
        };
        let (status, solution) = solved(&mut solver, problem, signals.control())?;
        if let Some(reason) = signals.control().stop() {
            return Err(signals.stopped(reason, STOPPED));
        }
        let mut caption = number.to_string();
        let id = String::from_utf8_lossy(record.id.slice(&chunk.bytes));
        if !bare && !id.trim().is_empty() {
            caption += &format!(" · {}", id.trim());
        }
        if status != Status::Unique {
            improper += 1;
            caption += &format!(" · {}", status.word());
        }
        let solution = solution.as_deref().filter(|_| status == Status::Unique && !bare);
        let ProblemClass::Grid { side, .. } = problem.class() else { return Ok(true) };
        let Some(puzzle) = Drawing::of_problem(problem, None) else { return Ok(true) };
        let solved = solution.and_then(|digits| Drawing::of_problem(problem, Some(Solution::Digits(digits))));
        puzzles.push(SheetPuzzle { side, caption, puzzle, solved });
        Ok(true)
    })?;
    if puzzles.is_empty() && unwritten.is_empty() {
        return Err(usage!("no puzzle for the sheet in the input").into());
    }
    let title = match &args.files[..] {
        [file] if file.is_file() => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        _ => "Puzzles".to_owned(),
    };
    if puzzles.is_empty() {
        return Ok(tell(&unwritten, *on_error));
    }
    let page = sheet(format, &title, &puzzles, per_page.map_or(PER_PAGE, usize::from))
        .map_err(|error| usage!("the sheet cannot be written: {error}"))?;
    out.write_text(&page)?;
    if improper > 0 && !args.report.quiet {
        say!("quadrille: warning: {} without exactly one solution", number_of(improper, "puzzle"));
    }
    Ok(tell(&unwritten, *on_error))
}

/// Prints which records are not on the sheet, and returns the exit status.
fn tell(unwritten: &[(u64, String)], on_error: OnError) -> u8 {
    if unwritten.is_empty() {
        return exit::OK;
    }
    say!("quadrille: {} not on the sheet:", number_of(unwritten.len() as u64, "record"));
    for (number, reason) in unwritten.iter().take(MAX_LISTED) {
        say!("  record {number}: {reason}");
    }
    if on_error == OnError::Row { exit::REJECTS } else { exit::OK }
}

/// Returns a usage error if the user gave an option that has no meaning for sheets.
fn check_options(args: &ConvertArgs, name: &str) -> Result<()> {
    let ConvertOutputArgs { to_blank, to_symbols, delimiter, rejects, max_rejects, keep, .. } = &args.output;
    let given = [
        ("--to-blank", to_blank.is_some()),
        ("--to-symbols", to_symbols.is_some()),
        ("--delimiter", delimiter.is_some()),
        ("--rejects", rejects.is_some()),
        ("--max-rejects", max_rejects.is_some()),
        ("--checkpoint", keep.checkpoint.is_some()),
        ("--stats-out", args.report.stats_out.is_some()),
        ("--report", args.report.report.is_some()),
        ("--outcomes-out", args.report.outcomes_out.is_some()),
    ];
    refuse(&given, |option| format!("{option} is not for sheets (--to {name})"))
}

/// Returns whether a puzzle has one solution, and a verified solution if it has any.
fn solved(
    solver: &mut Solver,
    problem: ProblemRef<'_>,
    control: &Control,
) -> Result<(Status, Option<Vec<u8>>)> {
    let limits = Limits { nodes: Some(GUARD_NODES), ..Limits::default() };
    let mut found = None;
    let answer = solver.search(&Task::whole(problem, Goal::First(2), limits), control, &mut |solution| {
        if let (None, Solution::Digits(digits)) = (&found, solution) {
            found = Some(digits.to_vec());
        }
        Flow::Continue
    })?;
    let found = found.filter(|digits| verify(problem, Solution::Digits(digits)).is_ok());
    let is_wrong = found.is_none() && answer.status == Status::Unique;
    Ok((if is_wrong { Status::Internal } else { answer.status }, found))
}
