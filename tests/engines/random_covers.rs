//! Random exact cover problems for property tests.

use std::sync::Arc;

use proptest::prelude::*;
use quadrille::{Bounds, CoverBuilder, CoverProblem};

/// Creates random covers: options of (item, colour), some items secondary, colours only if `coloured`.
pub(crate) fn covers(coloured: bool) -> impl Strategy<Value = Arc<CoverProblem>> {
    covers_within(9, coloured, Just(vec![Bounds::ONCE; 9]), 22)
}

/// Creates random covers like [`covers`] in which some items have bounds.
///
/// The covers have few options, since such problems have many solutions.
pub(crate) fn bounded_covers(
    items: usize,
    options: usize,
    coloured: bool,
) -> impl Strategy<Value = Arc<CoverProblem>> {
    let some = (0..4u32, 1..5u32).prop_map(|(low, high)| Bounds { low: low.min(high), high });
    let bounds = prop_oneof![2 => Just(Bounds::ONCE), 3 => some];
    covers_within(items, coloured, proptest::collection::vec(bounds, items), options)
}

/// Creates random covers whose primary items have these bounds.
fn covers_within(
    items: usize,
    coloured: bool,
    bounds: impl Strategy<Value = Vec<Bounds>>,
    options: usize,
) -> impl Strategy<Value = Arc<CoverProblem>> {
    let entries = proptest::collection::btree_map(0..items, 0..3u32, 1..5);
    let options = proptest::collection::vec(entries, 0..options);
    (1..items - 2, bounds, options).prop_map(move |(primary, bounds, options)| {
        let mut builder = CoverBuilder::new();
        for (item, &bounds) in bounds.iter().enumerate() {
            let name = format!("i{item}");
            if item < primary { builder.primary_within(&name, bounds) } else { builder.secondary(&name) }
                .unwrap();
        }
        for option in options {
            let words: Vec<String> = option
                .iter()
                .map(|(&item, &colour)| {
                    if coloured && colour > 0 && item >= primary {
                        format!("i{item}:{colour}")
                    } else {
                        format!("i{item}")
                    }
                })
                .collect();
            builder.option(&words.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        }
        Arc::new(builder.build().unwrap())
    })
}
