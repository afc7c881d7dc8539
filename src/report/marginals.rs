//! The page about marginals. A marginal is the number of solutions that contain an option. A board shows the
//! most frequent option of each cell.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::page::{Cell, Figure, Page, Section};
use quadrille_batch::stats::percent;
use quadrille_formats::output::cells_named;
use quadrille_model::{Result, usage};

/// Maximum number of rows and columns of a board.
const MAX_SIDE: u32 = 100;

/// A row of the file that `count --marginals --to jsonl` writes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Marginal {
    item: String,
    option: serde_json::Value,
    count: serde_json::Value,
}

impl Marginal {
    fn option(&self) -> String {
        self.option.as_str().map_or_else(|| self.option.to_string(), str::to_owned)
    }

    fn count(&self) -> f64 {
        self.count.as_str().map_or_else(|| self.count.as_f64(), |count| count.parse().ok()).unwrap_or(0.0)
    }

    /// Returns the option's items without a colour. Every solution covers each of these items at most once.
    ///
    /// Items with a colour are left out, because they may be in several options of one solution.
    fn items(&self) -> impl Iterator<Item = &str> {
        self.item.split(' ').filter(|item| !item.contains(':'))
    }
}

/// Returns true if the first line of a text is a row of marginals.
pub(crate) fn are_marginals(text: &str) -> bool {
    text.lines().next().is_some_and(|line| serde_json::from_str::<Marginal>(line).is_ok())
}

/// Returns the page about a file of marginals. Boards must have a single layer.
///
/// # Errors
/// Returns a usage error if a line is not a marginal, or if the items are not the cells of a board.
pub(crate) fn marginals_page(source: &str, text: &str) -> Result<Page> {
    let mut marginals: Vec<Marginal> = Vec::new();
    for (line, row) in text.lines().enumerate() {
        let row = serde_json::from_str(row);
        marginals.push(row.map_err(|error| usage!("{source}:{}: not a marginal: {error}", line + 1))?);
    }
    // If every solution covers an item, the counts of all options with this item add up to the number of
    // solutions.
    let mut sums: HashMap<&str, f64> = HashMap::new();
    for marginal in &marginals {
        marginal.items().for_each(|item| *sums.entry(item).or_default() += marginal.count());
    }
    let mut cells: BTreeMap<[u32; 2], (f64, String)> = BTreeMap::new();
    for marginal in &marginals {
        let all = marginal.items().map(|item| sums[item]).fold(0.0, f64::max);
        let share = if all > 0.0 { marginal.count() / all } else { 0.0 };
        for [_, row, column] in cells_named(&marginal.item) {
            let best = cells.entry([row, column]).or_default();
            if share > best.0 {
                *best = (share, marginal.option());
            }
        }
    }
    let [rows, columns] = [0, 1].map(|axis| cells.keys().map(|cell| cell[axis]).max());
    let (Some(rows), Some(columns)) = (rows, columns) else {
        return Err(usage!("{source}: no board can be drawn: items are not cells, such as r1c1, 00 or 1,1"));
    };
    if rows.max(columns) > MAX_SIDE {
        return Err(usage!("{source}: a board of more than {MAX_SIDE} rows or columns cannot be drawn"));
    }
    let first = [0, 1].map(|axis| cells.keys().map(|cell| cell[axis]).min().unwrap_or(0));
    let names = (first[1]..=columns).map(|column| column.to_string());
    let cell = |place| match cells.get(&place) {
        Some((share, option)) if *share > 0.0 => {
            Cell::from(format!("{option} ({})", percent(*share))).heated(*share)
        }
        _ => "".into(),
    };
    let rows = (first[0]..=rows).map(|row| {
        [row.to_string().into()]
            .into_iter()
            .chain((first[1]..=columns).map(move |column| cell([row, column])))
    });
    let names = [String::new()].into_iter().chain(names);
    let figure = Figure::new("marginals", "Option and share of solutions", names).with_rows(rows);
    let text = "A digit, or the number of an option, with its share of the solutions. Darker cells are more certain.";
    let section = Section::new("marginals", "The likeliest option of each cell", [figure]).with_text(text);
    let sentence = format!("{} cells", cells.len());
    Ok(Page { title: format!("marginals: {source}"), sentence, alarms: Vec::new(), sections: vec![section] })
}
