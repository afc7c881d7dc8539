//! Images of grids under transforms, and hashes with which records are compared.
//!
//! Both depend only on a record and its solution. The thread that writes the record's rows computes them.

use xxhash_rust::xxh3::xxh3_128;

use super::records::{NONE, RecordChunk};
use crate::options::{Comparison, Query};
use quadrille_formats::input::Chunk;
use quadrille_formats::output::RecordResult;
use quadrille_model::canonical::{Canonizer, Cells, Form, NoForm, Transform, Transformed};
use quadrille_model::{Answer, ProblemRef, Reason, Solution, Status};

/// Computes the images or keys that the question requires. Begins with the first record that is not written
/// yet, and ends before the slot `end`.
///
/// If a record has no image or key, it gets the status `unsupported`.
pub(crate) fn make(
    general: &mut RecordChunk,
    chunk: &Chunk,
    end: usize,
    ask: Query,
    canonizer: &mut Canonizer,
) {
    if !ask.is_image() && !matches!(ask, Query::Compare(_)) {
        return;
    }
    // The rows for the results of earlier calls are already written. The list must be sorted by slot, but a
    // postponed slot is processed after higher slots. So the earlier results are removed.
    general.results.clear();
    general.results.reserve(end - general.written);
    for slot in general.written..end {
        let status = general.slots[slot].answer.as_ref().map(|answer| answer.status);
        let is_known = matches!(status, Some(Status::Unique | Status::Parsed));
        let result = match ask {
            Query::Canon(form) if is_known => image(general, slot, form, canonizer),
            Query::Apply(map) if is_known => applied(general, chunk, slot, map),
            Query::Compare(comparison) => compared(general, slot, comparison, is_known, canonizer),
            _ => Ok(()),
        };
        if let Err(reason) = result {
            general.slots[slot].answer = Some(Answer::without_search(Status::Unsupported, reason));
        }
    }
}

fn unsupported(reason: impl std::fmt::Display) -> Reason {
    Reason::Text(reason.to_string())
}

/// Returns the clues of a slot's record, and its solution or `None`.
fn grids(general: &RecordChunk, slot: usize) -> Result<(Cells, Option<Cells>), Reason> {
    let clues = Cells::of_clues(general.searched(slot)).map_err(unsupported)?;
    let solution = match general.slots[slot].solution {
        NONE => None,
        number => match general.found.get(number as usize) {
            Solution::Digits(digits) => Some(Cells::of_solution(digits).map_err(unsupported)?),
            Solution::Options(_) => None,
        },
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
    let (clues, solution) = grids(general, slot)?;
    canonizer.canonical(form, &clues, solution.as_ref()).map(Transformed::from).map_err(unsupported)
}

/// Returns the keys of two canonical forms of a slot's record: first `by-solution`, then `solution`.
fn both_keys(
    general: &RecordChunk,
    slot: usize,
    canonizer: &mut Canonizer,
) -> Result<[Option<u128>; 2], Reason> {
    let (clues, solution) = grids(general, slot)?;
    let solution = solution.ok_or_else(|| unsupported(NoForm::NeedsSolution))?;
    let forms = canonizer.by_solution_and_solution(&clues, &solution).map_err(unsupported)?;
    Ok(forms.map(|canonical| Some(canonical.cells.key(canonical.form))))
}

fn image(
    general: &mut RecordChunk,
    slot: usize,
    form: Form,
    canonizer: &mut Canonizer,
) -> Result<(), Reason> {
    let image = canonical(general, slot, form, canonizer)?;
    general.results.push((slot, RecordResult::Image(Box::new(image))));
    Ok(())
}

fn applied(
    general: &mut RecordChunk,
    chunk: &Chunk,
    slot: usize,
    map: Option<Transform>,
) -> Result<(), Reason> {
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
    general.results.push((slot, RecordResult::Image(Box::new(Transformed::under(map, cells)))));
    Ok(())
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
pub(super) fn text_hash(problem: ProblemRef<'_>) -> Option<u128> {
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
