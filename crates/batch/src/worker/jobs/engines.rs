//! The choice of engines for a run's records.

use std::sync::Arc;

use crate::chunk::columns::{PlainForm, PlainForms};
use crate::options::{BatchOptions, Query};
use crate::shared::Shared;
use quadrille_engine::{Selection, select};
use quadrille_formats::input::Layout;
use quadrille_model::rules::Rules;
use quadrille_model::{Error, Packed9x9, ProblemClass, ProblemRef, Puzzle, Reason};

/// The engines chosen so far.
pub(super) struct Engines {
    /// Last class of problems, and the engine selected for it.
    selection: Option<(ProblemClass, Result<Selection, Reason>)>,
    /// Engine for packed grids.
    ///
    /// `None` without an engine that holds many grids at a time, in runs with rules, if given solutions are checked,
    /// and if no search is needed.
    pub(super) packed: Option<Selection>,
    /// Engine for column chunks, with their forms.
    ///
    /// This engine holds many grids at a time. `None` if chunks cannot be plain.
    plain: Option<(Selection, PlainForms)>,
}

impl Engines {
    /// Selects the engines for packed grids, under the rules of the run if it has any.
    pub(super) fn new(shared: &Shared, rules: Option<&Arc<Rules>>) -> Self {
        let options = &shared.options;
        let series = series_selection(options, rules);
        let is_searched = options.ask.is_searched() && !matches!(options.ask, Query::Check { .. });
        Engines {
            selection: None,
            packed: series.filter(|_| is_searched && options.input.rules.is_empty()),
            plain: series.zip(Some(PlainForms::new(options, shared.formatter.as_ref()))),
        }
    }

    /// Returns the engine for column chunks of sources with this layout, and their form; `None` if chunks cannot be
    /// plain.
    pub(super) fn plain(&self, shared: &Shared, layout: &Layout) -> Option<(Selection, PlainForm)> {
        let (selection, forms) = self.plain?;
        Some((selection, forms.of(shared.formatter.takes_plain(layout))?))
    }

    /// Returns the engine for plain lines under `rules`, which are those of the run or of their source.
    ///
    /// Returns `None` if no engine that holds many grids at a time supports the rules.
    pub(super) fn for_rules(&self, options: &BatchOptions, rules: Option<&Arc<Rules>>) -> Option<Selection> {
        match rules {
            Some(rules) if options.input.rules.is_empty() => series_selection(options, Some(rules)),
            _ => self.plain.map(|(selection, _)| selection),
        }
    }

    /// Returns the engine for a class of problems, caching it for the next record.
    ///
    /// # Errors
    /// Returns the reason if there is no engine. If the user named an engine that cannot do the job, `fail` is called
    /// first: it ends the run, since a named engine is never silently replaced.
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

/// Returns the engine for lines of 9x9 under `rules`, or `None` if it does not hold many at a time.
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
    // A failed selection is reported when the first record asks for an engine.
    let selection = select(class, options.ask.goal(), options.preference).ok()?;
    (!selection.kind.info().is_timed()).then_some(selection)
}
