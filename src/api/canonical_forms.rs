//! Canonical forms of a slice of problems, on all threads.

use rayon::prelude::*;

use super::{Answers, AsProblem, BulkQuery};
use quadrille_model::canonical::{Canonical, Canonizer, Cells, Form, NoForm};
use quadrille_model::{Result, Solution, Status};

impl BulkQuery<'_> {
    /// Returns for each problem, in order, its canonical form, or the reason why it has none.
    ///
    /// If the form needs a solution, all problems are answered first. Problems that are not [`Status::Unique`], the status
    /// of [`BulkQuery::unique`], have [`NoForm::Status`]. If the [control](Self::control) stops the work, the rest have
    /// [`NoForm::Stopped`].
    ///
    /// # Errors
    /// Returns an error as [`answer`](Self::answer) does.
    ///
    /// ```
    /// use quadrille::canonical::{Form, NoForm};
    /// use quadrille::{FromText, BulkQuery, Packed9x9, Status};
    ///
    /// let line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    /// let puzzles = [Packed9x9::from_text(line)?, Packed9x9::FULL];
    /// let forms = BulkQuery::unique().canonical(Form::BySolution, &puzzles)?;
    /// assert_eq!(forms[0].as_ref().map(|canonical| canonical.automorphisms), Ok(Some(1)));
    /// assert_eq!(forms[1], Err(NoForm::Status(Status::Multiple)));
    /// # Ok::<(), quadrille::Error>(())
    /// ```
    pub fn canonical<P: AsProblem>(
        &self,
        form: Form,
        problems: &[P],
    ) -> Result<Vec<std::result::Result<Canonical, NoForm>>> {
        let answers = if form.needs_solution() { Some(self.answer(problems)?) } else { None };
        self.in_pool(|| {
            let forms = problems.par_iter().enumerate().with_min_len(FORMS_AT_A_TIME);
            let forms = forms.map_init(Canonizer::new, |canonizer, (number, problem)| {
                if self.control.is_some_and(|control| control.stop().is_some()) {
                    return Err(NoForm::Stopped);
                }
                let clues = Cells::of_clues(problem.as_problem())?;
                let solution = answers.as_ref().map(|answers| solution(answers, number)).transpose()?;
                canonizer.canonical(form, &clues, solution.as_ref())
            });
            Ok(forms.collect())
        })
    }
}

/// Minimum number of forms that a thread makes before it looks for other work; they take some hundred microseconds.
const FORMS_AT_A_TIME: usize = 256;

/// Returns the only solution of a problem, or the reason why there is no such solution.
fn solution(answers: &Answers, number: usize) -> std::result::Result<Cells, NoForm> {
    match (answers.statuses[number], answers.solution(number)) {
        (Status::Unique, Some(Solution::Digits(digits))) => Cells::of_solution(digits),
        (status, _) => Err(NoForm::Status(status)),
    }
}
