//! Connects recipes with an engine.
//!
//! A recipe is an async function that makes records. It asks questions about the solutions of puzzles, and
//! the engine answers them.
//!
//! A recipe asks a question by awaiting [`QueryHandle::ask`], which puts the question into the recipe's
//! [`Exchange`] and suspends the recipe. The worker that drives the recipe removes the question, gets an
//! answer from the engine, and polls the recipe again. There is no executor. Instead, one engine answers the
//! questions of hundreds of recipes (see `run`), in any order.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use quadrille_model::{Goal, Limits, Problem};

/// Maximum number of questions to the engine that a recipe may ask at once.
pub(super) const MAX_AT_ONCE: usize = 16;

/// A question about the solutions of a problem.
#[derive(Debug)]
pub(super) struct Question {
    pub problem: Problem,
    /// The goal of the search, with a limit. The reply contains solutions if the goal requests them.
    pub goal: Goal,
    pub limits: Limits,
}

/// An engine's answer to a question.
#[derive(Debug, Clone, Default)]
pub(super) struct Reply {
    /// Number of solutions found.
    pub found: u64,
    /// True if the engine found all solutions or reached the limit.
    pub settled: bool,
    /// Guesses of the search.
    pub guesses: u64,
    /// The solutions, one after another, one digit per cell.
    pub solutions: Vec<u8>,
}

/// The questions and replies that pass between a recipe and the worker that drives it.
#[derive(Debug, Default)]
pub(super) struct Exchange {
    pub questions: Vec<Question>,
    /// One reply per question, in the order of the questions. The recipe only runs while all of them are
    /// complete.
    pub replies: Vec<Reply>,
}

/// A recipe's access to its [`Exchange`].
#[derive(Debug, Clone)]
pub(super) struct QueryHandle(pub Rc<RefCell<Exchange>>);

impl QueryHandle {
    /// Asks the engine a question and waits for its reply.
    pub(super) async fn ask(&self, question: Question) -> Reply {
        self.0.borrow_mut().questions.push(question);
        poll_fn(|_| match self.0.borrow_mut().replies.pop() {
            Some(reply) => Poll::Ready(reply),
            None => Poll::Pending,
        })
        .await
    }

    /// Asks the engine up to [`MAX_AT_ONCE`] questions at once, waits, and returns all replies.
    ///
    /// The replies are in the order of the questions.
    pub(super) async fn ask_all(&self, questions: impl Iterator<Item = Question>) -> Vec<Reply> {
        self.0.borrow_mut().questions.extend(questions.take(MAX_AT_ONCE));
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
