//! The engines that a run's records need.

use std::sync::Arc;

use crate::chunk::plain::PlainChunk;
use crate::options::{Ask, BatchOptions};
use crate::shared::Shared;
use quadrille_engine::{Selection, select};
use quadrille_formats::output::PlainOutput;
use quadrille_model::rules::Rules;
use quadrille_model::{Error, Packed, ProblemClass, ProblemRef, Puzzle, Reason};

/// The engines chosen so far.
pub(super) struct Engines {
    /// The last class of problems, and the engine for it.
    selection: Option<(ProblemClass, Result<Selection, Reason>)>,
    /// The engine for packed grids where it holds many of them and no given solution has to be looked at first.
    pub(super) packed: Option<Selection>,
    /// An engine that holds many of them, and the part of its answers that is written, where chunks can be plain.
    pub(super) plain: Option<(Selection, PlainOutput)>,
}

impl Engines {
    /// Chooses the engines for packed grids, under the rules of the run if it has any.
    pub(super) fn new(shared: &Shared, rules: Option<&Arc<Rules>>) -> Self {
        let options = &shared.options;
        let series = series_selection(options, rules);
        let is_searched = options.ask.is_searched() && !matches!(options.ask, Ask::Check { .. });
        Engines {
            selection: None,
            packed: series.filter(|_| is_searched && options.input.rules.is_empty()),
            plain: series.zip(PlainChunk::shown(options, shared.formatter.as_ref())),
        }
    }

    /// Returns the engine for plain lines with these rules, those of the run or of their source.
    pub(super) fn for_rules(&self, options: &BatchOptions, rules: Option<&Arc<Rules>>) -> Option<Selection> {
        match rules {
            Some(rules) if options.input.rules.is_empty() => series_selection(options, Some(rules)),
            _ => self.plain.map(|(selection, _)| selection),
        }
    }

    /// Returns the engine for a class, remembered for the next record, or the reason why there is none. `fail` is called if
    /// that ends the run: a named engine that cannot do the job is never silently replaced.
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

/// The engine for lines of 9x9, under the rules of the run if there are any, where it holds many of them.
fn series_selection(options: &BatchOptions, rules: Option<&Arc<Rules>>) -> Option<Selection> {
    let class = match rules {
        None if options.input.rules.is_empty() => ProblemRef::Packed(&Packed::FULL).class(),
        None => return None,
        Some(rules) => {
            let mut puzzle = Puzzle::from(Packed::FULL);
            puzzle.set_rules(rules);
            ProblemRef::Puzzle(&puzzle).class()
        }
    };
    // What cannot be selected is reported where the first record asks for it.
    let selection = select(class, options.ask.goal(), options.preference).ok()?;
    (!selection.kind.info().is_timed()).then_some(selection)
}
