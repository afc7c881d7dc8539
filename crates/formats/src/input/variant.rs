//! Compiles the rules of grids. Each text of rules is compiled only once.
//!
//! A grid has the rules that the options set for all grids, and also the rules of its own record.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Body, InputOptions, Records};
use quadrille_model::rules::{RuleError, Rules, RunRules, Shape, candidates_alone, compile, without_blanks};
use quadrille_model::{DigitSet, Geometry, Reason};

/// Maximum number of compiled rule sets in the cache. A record holds its own reference to its rules, so the
/// cache may drop them.
const KEPT: usize = 64;
/// Maximum total length in bytes of the texts of cached rule sets.
const KEPT_BYTES: usize = 4 << 20;

/// Rules of a single record as written in the input. The texts are empty if the record has no rules.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OwnRules<'a> {
    /// Rule items, or short names of rules separated by commas.
    pub(super) items: &'a [u8],
    /// Layout of regions, one character per cell.
    pub(super) regions: &'a [u8],
}

impl OwnRules<'_> {
    pub(super) fn is_empty(self) -> bool {
        self.items.is_empty() && self.regions.is_empty()
    }
}

/// Compiles rule texts, and caches recent results.
#[derive(Default)]
pub(super) struct RuleReader {
    known: HashMap<Vec<u8>, Result<Arc<Rules>, RuleError>>,
    /// Total bytes of the keys.
    held: usize,
    /// Buffer for a cache key, which consists of a shape and rule texts.
    key: Vec<u8>,
}

impl RuleReader {
    /// Returns the compiled rules. The rules in `run`, which apply to all grids, come first, and the record's
    /// own rules follow.
    fn read(&mut self, run: &RunRules, own: OwnRules<'_>, shape: Shape) -> Result<Arc<Rules>, RuleError> {
        self.key.clear();
        self.key.extend([shape.box_rows as u8, shape.box_columns as u8]);
        self.key.extend_from_slice(own.items);
        self.key.push(b'\n');
        self.key.extend_from_slice(own.regions);
        if let Some(known) = self.known.get(&self.key) {
            return known.clone();
        }
        let rules = make(run, own, shape);
        if self.known.len() == KEPT || self.held + self.key.len() > KEPT_BYTES {
            self.known.clear();
            self.held = 0;
        }
        self.held += self.key.len();
        self.known.insert(self.key.clone(), rules.clone());
        rules
    }

    /// Returns the rules that the options set for all grids, if plain lines can be read in bulk with them.
    ///
    /// Returns `None` unless three conditions hold:
    /// - The rules are [simple and shared by all grids](Rules::is_run_wide).
    /// - The rules do not restrict the candidates of single cells.
    /// - The rules add something to the classic rules for rows, columns and boxes.
    pub(super) fn of_plain_lines(&mut self, options: &InputOptions) -> Option<Arc<Rules>> {
        let shape = Shape { box_rows: 3, box_columns: 3 };
        if options.rules.is_empty() || options.box_shape.is_some_and(|shape| shape != (3, 3)) {
            return None;
        }
        let rules = self.read(&options.rules, OwnRules::default(), shape).ok()?;
        Some(rules).filter(|rules| rules.is_run_wide() && rules.masks().is_empty() && !rules.are_candidates())
    }

    /// Applies rules to the grid that was read last: the options' rules for all grids, and the record's own
    /// rules.
    ///
    /// Returns the new body of the grid. `body` must refer to the last grid of `records`.
    pub(super) fn add(
        &mut self,
        options: &InputOptions,
        own: OwnRules<'_>,
        (body, geometry): (Body, &Arc<Geometry>),
        records: &mut Records,
    ) -> Body {
        let shape = Shape { box_rows: geometry.box_rows(), box_columns: geometry.box_columns() };
        if options.rules.is_empty()
            && own.regions.is_empty()
            && let Ok(text) = std::str::from_utf8(own.items)
            && let Some(alone) = candidates_alone(&without_blanks(text), shape)
        {
            let masks = match alone {
                Ok(masks) => masks,
                Err(error) => return refused(error, &body, records),
            };
            let Some((body, puzzle)) = records.last_as_puzzle(&body, geometry) else { return body };
            for (cell, mask) in masks {
                puzzle.restrict(cell.into(), DigitSet(mask));
            }
            return records.packed_again(body);
        }
        match self.read(&options.rules, own, shape) {
            Ok(rules) => {
                let Some((body, puzzle)) = records.last_as_puzzle(&body, geometry) else { return body };
                if rules.are_candidates() {
                    // The rules do nothing but restrict candidates. So the result is a classic grid, which
                    // all engines can solve.
                    puzzle.narrow(&rules);
                    return records.packed_again(body);
                }
                puzzle.set_rules(&rules);
                body
            }
            Err(error) => refused(error, &body, records),
        }
    }
}

/// Removes the grid that was read last, because its rules are invalid. Returns an invalid body with the
/// reason.
fn refused(error: RuleError, body: &Body, records: &mut Records) -> Body {
    records.drop_last(body);
    let reason = Box::new(Reason::Text(error.to_string()));
    match error {
        RuleError::Unsupported { .. } => Body::Unsupported(reason),
        _ => Body::Invalid(reason),
    }
}

fn make(run: &RunRules, own: OwnRules<'_>, shape: Shape) -> Result<Arc<Rules>, RuleError> {
    run.fit(shape.side())?;
    let mut all = run.clone();
    all.add(&String::from_utf8_lossy(own.items))?;
    if !own.regions.is_empty() {
        all.add_regions(&String::from_utf8_lossy(own.regions))?;
    }
    let rules = compile(all.text(), shape)?;
    Ok(Arc::new(if own.is_empty() { rules.into_run_wide() } else { rules }))
}
