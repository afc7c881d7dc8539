//! Choice of the engines for the records of a run.

use std::sync::Arc;

use crate::chunk::columns::{PlainForm, PlainForms};
use crate::options::BatchOptions;
use crate::shared::Shared;
use quadrille_engine::{Selection, select};
use quadrille_formats::input::Layout;
use quadrille_model::rules::Rules;
use quadrille_model::{Error, Packed9x9, ProblemClass, ProblemRef, Puzzle, Reason};

/// The engines chosen so far.
pub(super) struct Engines {
    /// Class of the last problem, and the engine selected for that class.
    selection: Option<(ProblemClass, Result<Selection, Reason>)>,
    /// Engine for column chunks, and the forms in which their rows can be written.
    ///
    /// The engine works on many grids at once. `None` if column chunks cannot be used.
    plain: Option<(Selection, PlainForms)>,
}

impl Engines {
    /// Selects the engines for grids that can be solved many at once. `rules` are the rules of the run, if
    /// any.
    pub(super) fn new(shared: &Shared, rules: Option<&Arc<Rules>>) -> Self {
        let options = &shared.options;
        let forms = PlainForms::new(options, shared.formatter.as_ref());
        Engines { selection: None, plain: series_selection(options, rules).zip(Some(forms)) }
    }

    /// Returns the engine for column chunks of a source with the layout `layout`, and the form in which their
    /// rows are written.
    ///
    /// Returns `None` if column chunks cannot be used.
    pub(super) fn plain(&self, shared: &Shared, layout: &Layout) -> Option<(Selection, PlainForm)> {
        let (selection, forms) = self.plain?;
        Some((selection, forms.of(shared.formatter.takes_plain(layout))?))
    }

    /// Returns the engine for plain lines with the rules `rules`. These are the rules of the run or of the
    /// source.
    ///
    /// Returns `None` if the rules are not supported by any engine that works on many grids at once.
    pub(super) fn for_rules(&self, options: &BatchOptions, rules: Option<&Arc<Rules>>) -> Option<Selection> {
        match rules {
            Some(rules) if options.input.rules.is_empty() => series_selection(options, Some(rules)),
            _ => self.plain.map(|(selection, _)| selection),
        }
    }

    /// Returns the engine for a class of problems, and stores the choice for the next record.
    ///
    /// # Errors
    /// Returns the reason if there is no engine for this class. If the user named an engine that cannot solve
    /// this class, first calls `fail`, which ends the run. A named engine is never replaced silently.
    pub(super) fn select(
        &mut self,
        options: &BatchOptions,
        class: ProblemClass,
        fail: impl FnOnce(Error),
    ) -> Result<Selection, Reason> {
        if let Some((known, selection)) = &self.selection
            && *known == class
        {
            return selection.clone();
        }
        let selection = select(class, options.ask.goal(), options.preference).map_err(|error| {
            let reason = Reason::Text(error.to_string());
            if options.preference.engine.is_some() {
                fail(error);
            }
            reason
        });
        self.selection = Some((class, selection.clone()));
        selection
    }
}

/// Returns the engine for 9x9 lines with the rules `rules`. Returns `None` if the selected engine does not
/// work on many grids at once.
fn series_selection(options: &BatchOptions, rules: Option<&Arc<Rules>>) -> Option<Selection> {
    let class = match rules {
        None if options.input.rules.is_empty() => ProblemRef::Packed(&Packed9x9::FULL).class(),
        None => return None,
        Some(rules) => {
            let mut puzzle = Puzzle::from(Packed9x9::FULL);
            puzzle.set_rules(rules);
            ProblemRef::Puzzle(&puzzle).class()
        }
    };
    // An error is ignored here. It is reported when the first record needs an engine.
    let selection = select(class, options.ask.goal(), options.preference).ok()?;
    (!selection.kind.info().is_timed()).then_some(selection)
}
