//! Images of grids under transforms, hashes with which records are compared, and puzzles in another format.
//!
//! All of them depend only on a record and its solution. The thread that writes the record's rows computes them.

use xxhash_rust::xxh3::xxh3_128;

use super::records::RecordChunk;
use crate::options::{BatchOptions, Comparison, Query};
use quadrille_formats::input::Chunk;
use quadrille_formats::output::{Conversion, RecordResult};
use quadrille_model::canonical::{Canonizer, Cells, Form, NoForm, Transform, Transformed};
use quadrille_model::{Answer, Losses, ProblemRef, Reason, Solution, Status};

/// Computes the images, keys or converted puzzles that the question requires. Begins with the first record
/// that is not written yet, and ends before the slot `end`.
///
/// If a record has no image or key, or if the format cannot hold it, it gets the status `unsupported`.
pub(crate) fn make(
    general: &mut RecordChunk,
    chunk: &Chunk,
    end: usize,
    options: &BatchOptions,
    canonizer: &mut Canonizer,
) {
    let ask = options.ask;
    if !ask.is_image() && !matches!(ask, Query::Compare(_) | Query::Convert(_)) {
        return;
    }
    // The rows for the results of earlier calls are already written. The lists must be sorted by slot, but a
    // postponed slot is processed after higher slots. So the earlier results are removed.
    general.results.clear();
    general.converted.clear();
    if !matches!(ask, Query::Convert(_)) {
        general.results.reserve(end - general.written);
    }
    // A conversion from table to table copies the columns unchanged.
    let passes = chunk.layout.format.is_table() && options.output.format.is_table();
    for slot in general.written..end {
        let status = general.slots[slot].answer.as_ref().map(|answer| answer.status);
        let is_known = matches!(status, Some(Status::Unique | Status::Parsed));
        let image = match ask {
            Query::Canon(form) if is_known => canonical(general, slot, form, canonizer).map(Some),
            Query::Apply(map) if is_known => applied(general, chunk, slot, map).map(Some),
            Query::Compare(comparison) => {
                compared(general, slot, comparison, is_known, canonizer).map(|()| None)
            }
            Query::Convert(conversion) if is_known => {
                let passes = passes && !conversion.bare;
                converted(general, slot, conversion, passes).map(|()| None)
            }
            _ => Ok(None),
        };
        let image = image.map(|image| {
            general.results.extend(image.map(|image| (slot, RecordResult::Image(Box::new(image)))));
        });
        if let Err(reason) = image {
            general.slots[slot].answer = Some(Answer::without_search(Status::Unsupported, reason));
        }
    }
}

fn unsupported(reason: impl std::fmt::Display) -> Reason {
    Reason::Text(reason.to_string())
}

/// Returns the clues of a slot's record, and its solution or `None`.
pub(super) fn grids(general: &RecordChunk, slot: usize) -> Result<(Cells, Option<Cells>), NoForm> {
    let clues = Cells::of_clues(general.searched(slot))?;
    let solution = match general.solution(slot) {
        Some(Solution::Digits(digits)) => Some(Cells::of_solution(digits)?),
        _ => None,
    };
    Ok((clues, solution))
}

/// Returns the canonical form `form` of a slot's record.
fn canonical(
    general: &RecordChunk,
    slot: usize,
    form: Form,
    canonizer: &mut Canonizer,
) -> Result<Transformed, Reason> {
    let (clues, solution) = grids(general, slot).map_err(unsupported)?;
    canonizer.canonical(form, &clues, solution.as_ref()).map(Transformed::from).map_err(unsupported)
}

/// Returns the keys of two canonical forms of a slot's record: first `by-solution`, then `solution`.
fn both_keys(
    general: &RecordChunk,
    slot: usize,
    canonizer: &mut Canonizer,
) -> Result<[Option<u128>; 2], Reason> {
    let (clues, solution) = grids(general, slot).map_err(unsupported)?;
    let solution = solution.ok_or_else(|| unsupported(NoForm::NeedsSolution))?;
    let forms = canonizer.by_solution_and_solution(&clues, &solution).map_err(unsupported)?;
    Ok(forms.map(|canonical| Some(canonical.cells.key(canonical.form))))
}

/// Returns the image of a slot's record under `map`, or under the transform that the record contains.
fn applied(
    general: &RecordChunk,
    chunk: &Chunk,
    slot: usize,
    map: Option<Transform>,
) -> Result<Transformed, Reason> {
    let cells = Cells::of_clues(general.searched(slot)).map_err(unsupported)?;
    let map = match map {
        Some(map) => map,
        None => {
            let text = String::from_utf8_lossy(general.record(slot).id.slice(&chunk.bytes));
            text.trim()
                .parse()
                .map_err(|error| unsupported(format!("expected a transform after the grid: {error}")))?
        }
    };
    let cells =
        map.apply(&cells).ok_or_else(|| unsupported("the transform is for a grid of another side"))?;
    Ok(Transformed::under(map, cells))
}

/// Writes the puzzle of the record in a slot in another format. If `passes` is true, the puzzle gets no text.
fn converted(
    general: &mut RecordChunk,
    slot: usize,
    conversion: Conversion,
    passes: bool,
) -> Result<(), Reason> {
    let record = &general.records.list[slot];
    let Some(problem) = general.records.problem(record) else { return Ok(()) };
    let write = |text: &mut Vec<u8>| match passes {
        true => Ok(Losses::default()),
        false => conversion.write(problem, record.symbols, text),
    };
    general.converted.add(slot, write).map_err(Reason::Text)
}

/// Computes and stores the keys with which the record in a slot is compared.
fn compared(
    general: &mut RecordChunk,
    slot: usize,
    comparison: Comparison,
    is_known: bool,
    canonizer: &mut Canonizer,
) -> Result<(), Reason> {
    let Some(problem) = general.problem(slot) else { return Ok(()) };
    let text =
        |problem| text_hash(problem).ok_or_else(|| unsupported("exact cover problems cannot be compared"));
    let text = Some(text(problem)?);
    let forms = match comparison {
        Comparison::Text => {
            general.results.push((slot, RecordResult::Keys([text, None, None])));
            return Ok(());
        }
        _ if !is_known => Ok([None; 2]),
        Comparison::Form(_) | Comparison::Part => {
            let form = if let Comparison::Form(form) = comparison { form } else { Form::Solution };
            canonical(general, slot, form, canonizer).map(|image| [Some(image.cells.key(form)), None])
        }
        Comparison::All => both_keys(general, slot, canonizer),
    };
    let [form, other] = forms.as_ref().map_or([None; 2], |forms| *forms);
    let keys = if comparison == Comparison::All { [text, form, other] } else { [form, text, None] };
    general.results.push((slot, RecordResult::Keys(keys)));
    forms.map(drop)
}

/// Returns a hash of a grid's candidates and conditions. The hash does not depend on how the grid was
/// written.
///
/// Returns `None` for exact cover problems.
fn text_hash(problem: ProblemRef<'_>) -> Option<u128> {
    if let Some(packed) = problem.to_packed() {
        return Some(xxh3_128(packed.0.map(u64::to_le_bytes).as_flattened()));
    }
    let ProblemRef::Puzzle(puzzle) = problem else { return None };
    let geometry = puzzle.geometry();
    let mut bytes: Vec<u8> = puzzle.candidates().iter().flat_map(|set| set.0.to_le_bytes()).collect();
    bytes.extend([geometry.box_rows() as u8, geometry.box_columns() as u8]);
    bytes.extend(format!("{:?}", puzzle.constraints()).into_bytes());
    bytes.extend(puzzle.rules().map_or("", |rules| rules.text()).bytes());
    Some(xxh3_128(&bytes))
}

/// Returns a hash of the grid that was converted. The hash does not depend on the format of the grid.
///
/// Returns `None` if the run is not a conversion, for records that were not read, and for exact cover
/// problems.
pub(super) fn hash_of_converted(
    ask: Query,
    answer: &Answer,
    problem: Option<ProblemRef<'_>>,
) -> Option<u128> {
    let is_asked = ask.conversion().is_some() && answer.status == Status::Parsed;
    text_hash(problem.filter(|_| is_asked)?)
}
