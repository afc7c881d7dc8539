//! Recipes ask, an engine answers: many recipes at once, each with one question under way, or a few.
//!
//! A recipe is an async function. Awaiting [`Asker::ask`] puts a question on the recipe's [`Slot`] and suspends the
//! recipe; the worker that drives the recipe takes the question, has it answered, and polls the recipe again. There is
//! no executor: hundreds of recipes are the jobs of one engine (see `run`), which may answer them in any order.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use quadrille_model::{Goal, Limits, Problem};

/// Questions that a recipe may ask at once.
pub(super) const MOST_AT_ONCE: usize = 16;

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
    pub questions: Vec<Question>,
    /// To all questions, in their order.
    pub replies: Vec<Reply>,
}

/// A recipe's side of its slot.
#[derive(Debug, Clone)]
pub(super) struct Asker(pub Rc<RefCell<Slot>>);

impl Asker {
    /// Asks, and waits for the reply.
    pub(super) async fn ask(&self, question: Question) -> Reply {
        self.0.borrow_mut().questions.push(question);
        poll_fn(|_| match self.0.borrow_mut().replies.pop() {
            Some(reply) => Poll::Ready(reply),
            None => Poll::Pending,
        })
        .await
    }

    /// Asks at once at most [`MOST_AT_ONCE`] questions, and waits for all replies, which have the order of the questions.
    pub(super) async fn ask_all(&self, questions: impl Iterator<Item = Question>) -> Vec<Reply> {
        self.0.borrow_mut().questions.extend(questions.take(MOST_AT_ONCE));
        if self.0.borrow().questions.is_empty() {
            return Vec::new();
        }
        poll_fn(|_| {
            let replies = std::mem::take(&mut self.0.borrow_mut().replies);
            if replies.is_empty() { Poll::Pending } else { Poll::Ready(replies) }
        })
        .await
    }
}
