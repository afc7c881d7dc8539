//! Rules for grids as they are read: those of the whole run and a record's own, compiled once a text.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Body, InputOptions, Records};
use quadrille_model::rules::{RuleError, Rules, RunRules, Shape, candidates_alone, compile, without_blanks};
use quadrille_model::{DigitSet, Geometry, Reason};

/// Sets of rules that a reader keeps for records with the same text, and bytes of these. Records hold theirs as long as they live.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 4 << 20;

/// A record's own rules, as they stand in the input; empty for none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OwnRules<'a> {
    /// Items, or short names with commas between.
    pub(super) items: &'a [u8],
    /// A layout of regions, a character a cell.
    pub(super) regions: &'a [u8],
}

impl OwnRules<'_> {
    pub(super) fn is_empty(self) -> bool {
        self.items.is_empty() && self.regions.is_empty()
    }
}

/// Makes rules of texts.
#[derive(Default)]
pub(super) struct RuleReader {
    known: HashMap<Vec<u8>, Result<Arc<Rules>, RuleError>>,
    /// Bytes of the keys.
    held: usize,
    /// Scratch: shape and text.
    key: Vec<u8>,
}

impl RuleReader {
    /// The rules of a run with a record's own behind them.
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

    /// The rules of a run for plain lines of 9x9, where they are [common](Rules::is_common), leave all candidates and say
    /// more than rows, columns and boxes.
    pub(super) fn of_plain_lines(&mut self, options: &InputOptions) -> Option<Arc<Rules>> {
        let shape = Shape { box_rows: 3, box_columns: 3 };
        if options.rules.is_empty() || options.box_shape.is_some_and(|shape| shape != (3, 3)) {
            return None;
        }
        let rules = self.read(&options.rules, OwnRules::default(), shape).ok()?;
        Some(rules).filter(|rules| rules.is_common() && rules.masks().is_empty() && !rules.are_candidates())
    }

    /// Gives a grid that was just read its rules; what it is then. `body` is the last grid of `records`.
    pub(super) fn add(
        &mut self,
        options: &InputOptions,
        own: OwnRules<'_>,
        body: Body,
        geometry: &Arc<Geometry>,
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
                    // Givens alone: a grid like any other, with all that is there for those.
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

/// Takes the grid read last back, whose rules are refused.
fn refused(error: RuleError, body: &Body, records: &mut Records) -> Body {
    records.drop_last(body);
    let reason = Box::new(Reason::Text(error.to_string()));
    match error {
        RuleError::Unsupported { .. } => Body::Unsupported(reason),
        RuleError::Invalid { .. } | RuleError::NoItem(_) | RuleError::Misplaced(_) => Body::Invalid(reason),
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
    Ok(Arc::new(if own.is_empty() { rules.of_a_run() } else { rules }))
}
