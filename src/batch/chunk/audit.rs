//! `--audit 1/N`: a second engine does every N-th record again, and the two answers are compared.
//!
//! The verifier sees wrong solutions; only a second search can see a wrong "none" or a wrong count.

use super::general::GeneralChunk;
use crate::batch::options::BatchOptions;
use crate::engine::{Control, EngineKind, EnginePreference, Flow, Solver};
use crate::model::{Answer, EndedBy, Goal, ProblemClass, Status};

/// Engines that audit, the first one that differs from the record's own and can do the job.
const AUDITORS: [EngineKind; 3] = [EngineKind::Dlx, EngineKind::Bitmask, EngineKind::Naive];

/// Audits the records of the slots that are to be written next, up to `end`.
pub(crate) fn audit(
    general: &mut GeneralChunk,
    end: usize,
    options: &BatchOptions,
    control: &Control,
    solver: &mut Solver,
) {
    let Some(every) = options.audit else { return };
    let mut index = general.written_index;
    for slot in general.written..end {
        if !general.is_record(slot) {
            continue;
        }
        if (index - 1).is_multiple_of(every)
            && let Some(fault) = fault_of(general, slot, options, control, solver)
        {
            general.faults.push((slot, fault));
        }
        index += 1;
    }
}

/// Returns a message if the second engine disagrees with a record's answer. Only complete answers of searches are
/// audited.
fn fault_of(
    general: &GeneralChunk,
    slot: usize,
    options: &BatchOptions,
    control: &Control,
    solver: &mut Solver,
) -> Option<String> {
    let engine = general.engine_of(slot)?.kind;
    let answer = general.slots[slot].answer.as_ref()?;
    let was_finished = matches!(answer.ended_by, EndedBy::Complete | EndedBy::Limit);
    if !was_finished || answer.status == Status::Unsupported {
        return None;
    }
    let (problem, goal) = (general.problem(slot)?, options.ask.goal());
    let auditor = auditor_for(engine, problem.class(), goal)?;
    solver.preference(EnginePreference { engine: Some(auditor), timings: false, ..options.preference });
    let limits = options.limits();
    let second = solver.search(problem, goal, limits, control, &mut |_| Flow::Continue).ok();
    solver.preference(options.preference);
    let second = second.filter(|second| !second.ended_by.is_early())?;
    let same = second.count == answer.count
        && second.best.map(|best| best.score) == answer.best.map(|best| best.score);
    let names = (engine.info().name, auditor.info().name);
    (!same).then(|| {
        format!("{} and {} do not agree: {} and {}", names.0, names.1, shown(answer), shown(&second))
    })
}

fn auditor_for(engine: EngineKind, class: ProblemClass, goal: Goal) -> Option<EngineKind> {
    AUDITORS.into_iter().find(|&auditor| auditor != engine && (auditor.info().supports)(class, goal))
}

fn shown(answer: &Answer) -> String {
    let count = answer.count.as_ref().map_or_else(String::new, |count| format!(" {count}"));
    let score = answer.best.map_or_else(String::new, |best| format!(" {}", best.score));
    format!("{}{count}{score}", answer.status.word())
}
