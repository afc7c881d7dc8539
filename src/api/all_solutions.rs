//! Solves a single problem, and lists all its solutions as an iterator.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};

use quadrille_engine::{Control, Flow, Solver, Task};
use quadrille_model::{
    Answer, Count, EndedBy, Error, ErrorKind, Goal, Limits, Problem, ProblemRef, Result, Solution, Solutions,
    verify,
};

/// Maximum number of solutions that the searching thread collects while the channel is full. If the channel
/// has room, the thread sends its solutions immediately.
const BLOCK: usize = 256;

/// Searches a problem until the search ends. Verifies each solution. Returns the answer, and what `make` makes
/// of the last solution.
///
/// # Errors
/// Returns an error if there is not enough memory for the problem, or if no engine supports the problem with
/// this goal. Also returns an error if a solution is wrong, which would be a bug in an engine.
pub(super) fn ask<T>(
    problem: ProblemRef<'_>,
    goal: Goal,
    make: impl Fn(Solution<'_>) -> T,
) -> Result<(Answer, Option<T>)> {
    let mut found = None;
    let answer = ask_while(problem, goal, &Control::new(), &mut |solution| {
        found = Some(make(solution));
        Flow::Continue
    })?;
    Ok((answer, found))
}

/// Returns the number of solutions, but at most `limit`.
///
/// # Errors
/// Returns an error as [`ask`] does.
pub(super) fn count(problem: ProblemRef<'_>, limit: Option<u64>) -> Result<Count> {
    if limit == Some(0) {
        return Ok(Count::default());
    }
    Ok(ask(problem, Goal::Count { limit }, |_| ())?.0.count.unwrap_or_default())
}

fn ask_while(
    problem: ProblemRef<'_>,
    goal: Goal,
    control: &Control,
    found: &mut dyn FnMut(Solution<'_>) -> Flow,
) -> Result<Answer> {
    let mut fault = None;
    let mut check = |solution: Solution<'_>| match verify(problem, solution) {
        Ok(()) => found(solution),
        Err(wrong) => {
            fault = Some(format!("an engine gave a solution that is wrong: {wrong}"));
            Flow::Stop
        }
    };
    let answer =
        Solver::default().search(&Task::whole(problem, goal, Limits::default()), control, &mut check)?;
    match fault {
        Some(fault) => Err(ErrorKind::Internal(fault).into()),
        None if answer.ended_by == EndedBy::Memory => Err(Error::model("not enough memory for this problem")),
        None => Ok(answer),
    }
}

/// An iterator over all solutions of a problem, in the order in which the search finds them.
///
/// A separate thread runs the search. The thread pauses when a few hundred solutions wait to be fetched. The
/// search stops soon after the iterator is dropped. Creating the iterator starts a thread and copies the
/// problem. Each solution is copied, too.
pub struct AllSolutions<T> {
    blocks: Receiver<Solutions>,
    block: Solutions,
    next: usize,
    control: Arc<Control>,
    /// The searching thread, or the error that prevented its start. `None` once the end of the search has
    /// been reported.
    search: Option<std::io::Result<JoinHandle<Result<()>>>>,
    make: Make<T>,
}

/// Function that makes an item of the iterator from a solution, or from the error that ended the search.
type Make<T> = Box<dyn Fn(Result<Solution<'_>>) -> T + Send>;

impl<T> AllSolutions<T> {
    pub(super) fn new(problem: Problem, make: Make<T>) -> Self {
        let (sender, blocks) = bounded(2);
        let control = Arc::new(Control::new());
        let of_search = Arc::clone(&control);
        let search = Builder::new()
            .name("quadrille-solutions".to_owned())
            .spawn(move || search(problem.as_ref(), &of_search, &sender));
        AllSolutions { blocks, block: Solutions::default(), next: 0, control, search: Some(search), make }
    }

    /// Returns an item with the error that ended the search.
    ///
    /// Returns `None` if there was no error, or if the error was already returned.
    fn end(&mut self) -> Option<T> {
        let ended = match self.search.take()? {
            Ok(search) => search.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(cause) => Err(Error::io("starting", "a thread for the search", 0, cause)),
        };
        ended.err().map(|error| (self.make)(Err(error)))
    }
}

impl<T> Iterator for AllSolutions<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.next == self.block.len() {
            let Ok(block) = self.blocks.recv() else { return self.end() };
            (self.block, self.next) = (block, 0);
        }
        self.next += 1;
        Some((self.make)(Ok(self.block.get(self.next - 1))))
    }
}

impl<T> Drop for AllSolutions<T> {
    fn drop(&mut self) {
        self.control.cancel();
    }
}

impl<T> fmt::Debug for AllSolutions<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AllSolutions").finish_non_exhaustive()
    }
}

/// Searches the problem and sends the solutions in blocks. This function runs on the searching thread.
fn search(problem: ProblemRef<'_>, control: &Control, sender: &Sender<Solutions>) -> Result<()> {
    let mut block = Solutions::default();
    let ended = ask_while(problem, Goal::All, control, &mut |solution| {
        block.push(solution);
        let sent = match sender.try_send(std::mem::take(&mut block)) {
            Err(TrySendError::Full(full)) if full.len() < BLOCK => {
                block = full;
                true
            }
            Err(TrySendError::Full(full)) => sender.send(full).is_ok(),
            sent => sent.is_ok(),
        };
        if sent { Flow::Continue } else { Flow::Stop }
    });
    if !block.is_empty() {
        // `send` fails if the iterator was dropped. The solutions are not needed in that case.
        let _ = sender.send(block);
    }
    ended.map(drop)
}
