//! `--audit 1/N`: a second engine solves every N-th record again, and the two answers are compared.
//!
//! Verification detects wrong solutions. But only a second search can detect that the answer "none" or a
//! count is wrong.

use std::sync::{Arc, Mutex, PoisonError};

use super::records::RecordChunk;
use crate::memory::MemoryPlan;
use crate::options::BatchOptions;
use quadrille_engine::{Control, EngineKind, EnginePreference, Flow, Solver, Task};
use quadrille_model::{Answer, EndedBy, Goal, ProblemClass, ProblemRef, Status};

/// Engines for audits, in order of preference.
///
/// An audit uses the first of these engines that supports the problem and did not answer the record.
const AUDITORS: [EngineKind; 3] = [EngineKind::Dlx, EngineKind::Bitmask, EngineKind::Naive];

/// Solves records a second time, one record at a time.
pub(crate) struct Auditor {
    solver: Solver,
    memory: MemoryPlan,
    /// Lock that a thread holds during a search that needs more memory than the thread's share.
    ///
    /// A thread that holds the lock must not wait for anything else.
    large: Arc<Mutex<()>>,
}

impl Auditor {
    pub(crate) fn new(preference: EnginePreference, memory: MemoryPlan, large: &Arc<Mutex<()>>) -> Self {
        Auditor { solver: Solver::new(preference), memory, large: Arc::clone(large) }
    }

    /// Returns the answer of `engine` to a problem, or `None` if the search did not finish.
    fn search(
        &mut self,
        problem: ProblemRef<'_>,
        engine: EngineKind,
        options: &BatchOptions,
        control: &Control,
    ) -> Option<Answer> {
        let (limits, is_large) = self.memory.of_audit(problem, engine, options.limits());
        let preference = EnginePreference { engine: Some(engine), timings: false, ..options.preference };
        let goal = options.ask.goal();
        let search = |solver: &mut Solver| {
            solver.preference(preference);
            solver.search(&Task::whole(problem, goal, limits), control, &mut |_| Flow::Continue).ok()
        };
        let answer = if is_large {
            let _only = self.large.lock().unwrap_or_else(PoisonError::into_inner);
            search(&mut Solver::default())
        } else {
            search(&mut self.solver)
        };
        answer.filter(|answer| !answer.ended_by.is_early())
    }
}

/// Audits every N-th record among those before the slot `end` whose rows are not written yet.
pub(crate) fn audit(
    general: &mut RecordChunk,
    end: usize,
    options: &BatchOptions,
    control: &Control,
    auditor: &mut Auditor,
) {
    general.audited.clear();
    let Some(every) = options.audit else { return };
    let mut index = general.written_index;
    for slot in general.written..end {
        if !general.is_record(slot) {
            continue;
        }
        if (index - 1).is_multiple_of(every)
            && let Some((engine, fault)) = verdict_on(general, slot, options, control, auditor)
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
    options: &BatchOptions,
    control: &Control,
    second: &mut Auditor,
) -> Option<(&'static str, Option<String>)> {
    let engine = general.engine_of(slot)?.kind;
    let answer = general.slots[slot].answer.as_ref()?;
    let was_finished = matches!(answer.ended_by, EndedBy::Complete | EndedBy::Limit);
    if !was_finished || answer.status == Status::Unsupported {
        return None;
    }
    let (problem, goal) = (general.problem(slot)?, options.ask.goal());
    let auditor = auditor_for(engine, problem.class(), goal)?;
    let second = second.search(problem, auditor, options, control)?;
    let same = second.count == answer.count
        && second.best.map(|best| best.score) == answer.best.map(|best| best.score);
    let names = (engine.name(), auditor.name());
    let fault = (!same).then(|| {
        format!("engines {} and {} disagree: {} and {}", names.0, names.1, shown(answer), shown(&second))
    });
    Some((names.1, fault))
}

fn auditor_for(engine: EngineKind, class: ProblemClass, goal: Goal) -> Option<EngineKind> {
    AUDITORS.into_iter().find(|&auditor| auditor != engine && (auditor.info().supports)(class, goal))
}

fn shown(answer: &Answer) -> String {
    let count = answer.count.as_ref().map_or_else(String::new, |count| format!(" {count}"));
    let score = answer.best.map_or_else(String::new, |best| format!(" {}", best.score));
    format!("{}{count}{score}", answer.status.word())
}
