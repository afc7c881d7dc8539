//! `convert --to html|svg`: makes a printable sheet of puzzles, with the solutions at the end.

use anyhow::Result;

use super::aside_reader::{AsideReader, Input};
use crate::cli::args::{ConvertArgs, ConvertOutputArgs};
use crate::cli::files::{Destination, FileUses, OutputFile};
use crate::cli::messages::say;
use crate::cli::signals::Signals;
use crate::cli::{config, exit};
use crate::report::{SheetFormat, SheetPuzzle, sheet};
use quadrille_batch::OnError;
use quadrille_batch::stats::{Drawing, number_of};
use quadrille_engine::{Control, Flow, GUARD_NODES, Solver, Task};
use quadrille_formats::input::{Body, InputOptions, Record, Records};
use quadrille_formats::output::{Conversion, PuzzleText};
use quadrille_model::{
    EndedBy, Error, Goal, Limits, Problem, ProblemClass, ProblemRef, Solution, Status, usage, verify,
};

/// Maximum number of puzzles of a sheet.
const MAX_PUZZLES: usize = 10_000;
/// Default number of puzzles on a page.
const PER_PAGE: usize = 6;
/// Maximum number of records in the message about records that are missing from the sheet.
const MAX_LISTED: usize = 10;

/// A puzzle of the input.
struct Read {
    /// Number among all records, 1-based.
    number: u64,
    /// The text that follows the puzzle in the input, such as an id.
    id: String,
    problem: Problem,
}

/// Writes the sheet.
pub(super) fn write(args: &ConvertArgs, format: SheetFormat, name: &'static str) -> Result<u8> {
    let ConvertOutputArgs { to, bare, lossy, per_page, on_error, .. } = &args.output;
    check_options(args, name)?;
    FileUses::default()
        .reads_records(&args.files, &args.input)
        .writes_rows(OutputFile::Converted, to.out.as_deref(), true)
        .check_conflicts()?;
    let options = config::input_options(&args.input)?;
    super::reads_terminal(&args.files);
    let control = config::control(args.run.bounds.deadline);
    let signals = Signals::listen(&control)?;
    let out = signals.at_once(|| Destination::open(to.out.as_deref(), to.write))?;
    let conversion = Conversion { lossy: *lossy, ..Conversion::new(name, PuzzleText::Integers) };
    let (puzzles, unwritten) = match read(args, &options, conversion, &control)? {
        Ok(read) => read,
        Err(reason) => return Ok(stopped(reason, &signals)),
    };
    if puzzles.is_empty() && unwritten.is_empty() {
        return Err(usage!("no puzzle for the sheet in the input").into());
    }
    let mut solver = Solver::default();
    let limits = Limits { nodes: Some(GUARD_NODES), ..Limits::default() };
    let mut sheet_puzzles = Vec::new();
    let mut improper = 0u64;
    for Read { number, id, problem } in &puzzles {
        let problem = problem.as_ref();
        let mut found = None;
        let answer =
            solver.search(&Task::whole(problem, Goal::First(2), limits), &control, &mut |solution| {
                if let (None, Solution::Digits(digits)) = (&found, solution) {
                    found = Some(digits.to_vec());
                }
                Flow::Continue
            })?;
        if let Some(reason) = control.stop() {
            return Ok(stopped(reason, &signals));
        }
        let solution = found.as_deref().map(Solution::Digits).filter(|&found| verify(problem, found).is_ok());
        let status = if solution.is_none() && answer.status == Status::Unique {
            Status::Internal
        } else {
            answer.status
        };
        let mut caption = number.to_string();
        if !bare && !id.is_empty() {
            caption += &format!(" · {id}");
        }
        if status != Status::Unique {
            improper += 1;
            caption += &format!(" · {}", status.word());
        }
        let solution = solution.filter(|_| status == Status::Unique && !bare);
        let ProblemClass::Grid { side, .. } = problem.class() else { continue };
        let Some(puzzle) = Drawing::of_problem(problem, None) else { continue };
        let solved = solution.and_then(|solution| Drawing::of_problem(problem, Some(solution)));
        sheet_puzzles.push(SheetPuzzle { side, caption, puzzle, solved });
    }
    let title = match &args.files[..] {
        [file] if file.is_file() => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        _ => "Puzzles".to_owned(),
    };
    if sheet_puzzles.is_empty() {
        return Ok(tell(&unwritten, *on_error));
    }
    let page = sheet(format, &title, &sheet_puzzles, per_page.map_or(PER_PAGE, usize::from))
        .map_err(|error| usage!("the sheet cannot be written: {error}"))?;
    out.write(|out| out.write_all(page.as_bytes()))?;
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

fn stopped(reason: EndedBy, signals: &Signals) -> u8 {
    say!("quadrille: stopped ({}) before the sheet was complete", reason.word());
    signals.exit_status(reason)
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
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(usage!("{option} is not for sheets (--to {name})").into()),
        None => Ok(()),
    }
}

/// Two lists: the puzzles for a sheet, and the records that cannot be on the sheet. Each of these records has
/// its number and the reason.
type PuzzlesRead = (Vec<Read>, Vec<(u64, String)>);

/// Reads all records. If `control` stops the reading, returns the reason of the stop instead.
fn read(
    args: &ConvertArgs,
    options: &InputOptions,
    conversion: Conversion,
    control: &Control,
) -> Result<std::result::Result<PuzzlesRead, EndedBy>> {
    let mut reader = AsideReader::start(&args.files, options, 1000, control)?;
    let mut records = Records::default();
    let (mut puzzles, mut unwritten) = (Vec::new(), Vec::new());
    let mut number = args.input.index_offset;
    loop {
        let chunk = match reader.next()? {
            Input::Chunk(chunk) => chunk,
            Input::End(_) => return Ok(Ok((puzzles, unwritten))),
            Input::Stopped(reason) => return Ok(Err(reason)),
        };
        reader.parse(&chunk, &mut records, false);
        for record in records.list.iter().filter(|record| !matches!(record.body, Body::Skipped)) {
            number += 1;
            match problem_of(&records, record, conversion) {
                Ok(_) if puzzles.len() == MAX_PUZZLES => {
                    return Err(usage!("a sheet has at most {MAX_PUZZLES} puzzles (use head)").into());
                }
                Ok(problem) => {
                    let id = String::from_utf8_lossy(record.id.slice(&chunk.bytes)).trim().to_owned();
                    puzzles.push(Read { number, id, problem: problem.to_owned() });
                }
                Err(reason) if args.output.on_error == OnError::Fail => {
                    return Err(Error::usage(format!("record {number}: {reason}")).into());
                }
                Err(reason) => unwritten.push((number, reason)),
            }
        }
    }
}

/// Returns the grid of a record, or the reason why it cannot be drawn.
fn problem_of<'a>(
    records: &'a Records,
    record: &Record,
    conversion: Conversion,
) -> std::result::Result<ProblemRef<'a>, String> {
    match (&record.body, records.problem(record)) {
        (Body::Invalid(reason) | Body::Unsupported(reason), _) => Err(reason.to_string()),
        // A sheet can show exactly the problems that the format `integers` can write.
        (_, Some(problem)) => conversion.write(problem, record.symbols, &mut Vec::new()).map(|_| problem),
        (_, None) => Err("not a puzzle".to_owned()),
    }
}
