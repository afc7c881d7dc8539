//! Recipes ask, an engine answers: many recipes at once, each with one question under way.
//!
//! A recipe is an async function. Awaiting [`Asker::ask`] puts a question on the recipe's [`Slot`] and suspends the
//! recipe; the worker that drives the recipe takes the question, has it answered, and polls the recipe again. There is
//! no executor: hundreds of recipes are the jobs of one engine (see `run`), which may answer them in any order.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use crate::model::{Goal, Limits, Problem};

/// A question about the solutions of a problem.
#[derive(Debug)]
pub(super) struct Question {
    pub problem: Problem,
    /// With a limit; solutions come with the reply where the goal wants them.
    pub goal: Goal,
    pub limits: Limits,
}

/// An engine's answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Reply {
    /// Solutions found.
    pub found: u64,
    /// True if the question is settled: all solutions are found, or as many as were asked for.
    pub settled: bool,
    /// Guesses of the search.
    pub guesses: u64,
    /// The solutions, one after the other, a digit a cell.
    pub solutions: Vec<u8>,
}

/// The meeting place of a recipe and its driver.
#[derive(Debug, Default)]
pub(super) struct Slot {
    pub question: Option<Question>,
    pub reply: Option<Reply>,
}

/// A recipe's side of its slot.
#[derive(Debug, Clone)]
pub(super) struct Asker(pub Rc<RefCell<Slot>>);

impl Asker {
    /// Asks, and waits for the reply.
    pub(super) async fn ask(&self, question: Question) -> Reply {
        self.0.borrow_mut().question = Some(question);
        poll_fn(|_| match self.0.borrow_mut().reply.take() {
            Some(reply) => Poll::Ready(reply),
            None => Poll::Pending,
        })
        .await
    }
}
