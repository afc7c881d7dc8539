//! `--audit 1/N`: a second engine solves every N-th record again, and the two answers are compared.
//!
//! Verification detects wrong solutions. But only a second search can detect that the answer "none" or a
//! count is wrong.

use super::records::RecordChunk;
use crate::locks::lock;
use crate::shared::Shared;
use quadrille_engine::{EngineKind, EnginePreference, Flow, Solver, Task};
use quadrille_model::{Answer, EndedBy, Goal, ProblemClass, ProblemRef, Status};

/// Engines for audits, in order of preference.
///
/// An audit uses the first of these engines that supports the problem and did not answer the record.
const AUDITORS: [EngineKind; 3] = [EngineKind::Dlx, EngineKind::Bitmask, EngineKind::Naive];

/// Audits every N-th record among those before the slot `end` whose rows are not written yet.
pub(crate) fn audit(general: &mut RecordChunk, end: usize, shared: &Shared, second: &mut Solver) {
    general.audited.clear();
    let Some(every) = shared.options.audit else { return };
    let mut index = general.written_index;
    for slot in general.written..end {
        if !general.is_record(slot) {
            continue;
        }
        if (index - 1).is_multiple_of(every)
            && let Some((engine, fault)) = verdict_on(general, slot, shared, second)
        {
            general.audited.push((slot, (engine, fault.is_none())));
            general.faults.extend(fault.map(|fault| (slot, fault)));
        }
        index += 1;
    }
}

/// Returns the name of the second engine. Also returns a message if the answer of the second engine differs
/// from the record's answer.
///
/// Returns `None` if the record is not audited. Only complete answers that come from a search are audited.
fn verdict_on(
    general: &RecordChunk,
    slot: usize,
    shared: &Shared,
    second: &mut Solver,
) -> Option<(&'static str, Option<String>)> {
    let engine = general.slots[slot].engine?.kind;
    let answer = general.slots[slot].answer.as_ref()?;
    let was_finished = matches!(answer.ended_by, EndedBy::Complete | EndedBy::Limit);
    if !was_finished || answer.status == Status::Unsupported {
        return None;
    }
    let (problem, goal) = (general.problem(slot)?, shared.options.ask.goal());
    let auditor = auditor_for(engine, problem.class(), goal)?;
    let second = search(problem, auditor, shared, second)?;
    let same = second.count == answer.count
        && second.best.map(|best| best.score) == answer.best.map(|best| best.score);
    let names = (engine.name(), auditor.name());
    let fault = (!same).then(|| {
        format!("engines {} and {} disagree: {} and {}", names.0, names.1, shown(answer), shown(&second))
    });
    Some((names.1, fault))
}

/// Returns the answer of the engine `kind` to a problem, or `None` if the search did not finish.
fn search(problem: ProblemRef<'_>, kind: EngineKind, shared: &Shared, solver: &mut Solver) -> Option<Answer> {
    let options = &shared.options;
    let (limits, is_large) = shared.memory.of_audit(problem, kind, options.limits());
    let preference = EnginePreference { engine: Some(kind), timings: false, ..options.preference };
    let task = Task::whole(problem, options.ask.goal(), limits);
    let search = |solver: &mut Solver| {
        solver.preference(preference);
        solver.search(&task, &shared.control, &mut |_| Flow::Continue).ok()
    };
    let answer = if is_large {
        // A thread that holds the lock must not wait for anything else.
        let _only = lock(&shared.audits);
        search(&mut Solver::default())
    } else {
        search(solver)
    };
    answer.filter(|answer| !answer.ended_by.is_early())
}

fn auditor_for(engine: EngineKind, class: ProblemClass, goal: Goal) -> Option<EngineKind> {
    AUDITORS.into_iter().find(|&auditor| auditor != engine && (auditor.info().supports)(class, goal))
}

fn shown(answer: &Answer) -> String {
    let count = answer.count.as_ref().map_or_else(String::new, |count| format!(" {count}"));
    let score = answer.best.map_or_else(String::new, |best| format!(" {}", best.score));
    format!("{}{count}{score}", answer.status.word())
}
