//! JSON documents that are one table by columns, as pandas writes them, or one grid with an object per cell.
//!
//! The values of a record are far apart, so the whole document must be in the head.

use super::super::columns::{Columns, Places};
use super::super::cutter::{CutRecords, Cutter, Unread};
use super::super::head::Head;
use super::super::roles::{Chosen, MEMBER, Offer, shape_of};
use super::json_members::{RawMembers, raw_members, value_text};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Number of cells of the smallest grid.
const CELLS_AT_LEAST: usize = 16;

/// Rows of a document: the values of each, with the names of their columns.
type Rows<'a> = Vec<RawMembers<'a>>;

/// Returns the items of an array as written, or the values of an object.
fn items_of(raw: &str) -> Option<Vec<&str>> {
    match raw.as_bytes().first()? {
        b'[' => serde_json::from_str::<Vec<&RawValue>>(raw)
            .ok()
            .map(|all| all.iter().map(|item| item.get()).collect()),
        b'{' => raw_members(raw.as_bytes()).ok().map(|all| all.into_iter().map(|(_, raw)| raw).collect()),
        _ => None,
    }
}

/// Returns the rows of a document, or `None` if it is not a table by columns nor a list of the cells of a grid.
pub(super) fn rows_of(text: &[u8]) -> Option<Rows<'_>> {
    let text = std::str::from_utf8(text).ok()?.trim_ascii();
    if text.starts_with('[') {
        // A small document with the fields of cells may be anything.
        let has_cells = text.matches('{').nth(CELLS_AT_LEAST - 1).is_some();
        return has_cells.then(|| vec![vec![(Cow::Borrowed("puzzle"), text)]]);
    }
    let all = raw_members(text.as_bytes()).ok()?;
    let member = |wanted: &str| all.iter().find(|(name, _)| name == wanted).map(|(_, raw)| *raw);
    if let (Some(names), Some(data)) = (member("columns"), member("data")) {
        let names: Vec<String> = serde_json::from_str(names).ok()?;
        let mut rows = Rows::new();
        for row in items_of(data)? {
            let values = items_of(row).filter(|values| values.len() == names.len())?;
            rows.push(names.iter().map(|name| Cow::Owned(name.clone())).zip(values).collect());
        }
        return Some(rows);
    }
    let columns: Vec<(Cow<'_, str>, Vec<&str>)> =
        all.into_iter().filter_map(|(name, raw)| Some((name, items_of(raw)?))).collect();
    let count = columns.first()?.1.len();
    let is_table = count > 0 && columns.iter().all(|(_, items)| items.len() == count);
    let row = |at: usize| columns.iter().map(|(name, items)| (name.clone(), items[at])).collect();
    is_table.then(|| (0..count).map(row).collect())
}

/// Returns the columns of a head that is such a document, otherwise `None`.
///
/// # Errors
/// Returns the reason if several columns are equally likely.
pub(super) fn choose(head: &Head<'_>) -> Result<Option<Chosen>, String> {
    let Some(rows) = rows_of(head.bytes).filter(|_| head.whole) else { return Ok(None) };
    let text = |raw: &str| value_text(raw).unwrap_or_default().into_owned();
    let texts: Vec<Vec<Vec<u8>>> =
        rows.iter().map(|row| row.iter().map(|(_, raw)| text(raw)).collect()).collect();
    let values: Vec<Vec<&[u8]>> = texts.iter().map(|row| row.iter().map(Vec::as_slice).collect()).collect();
    let names: Vec<String> =
        rows.first().into_iter().flatten().map(|(name, _)| name.clone().into_owned()).collect();
    let offer = Offer { names, has_names: true, noun: MEMBER, options: head.options };
    let chosen = offer.by_values(&values)?;
    let is_grid =
        |row: &Vec<&[u8]>, place: usize| shape_of(row[place], head.options.blank).grid_side().is_some();
    let has_grid = |columns: &Columns| matches!(columns.places, Places { puzzle: Some(place), .. } if values.iter().any(|row| is_grid(row, place)));
    Ok(Some(chosen).filter(|(columns, _)| has_grid(columns)))
}

/// Hands out the whole source at its end.
pub(super) struct WholeCutter;

impl Cutter for WholeCutter {
    fn cut(&mut self, unread: &Unread<'_>, found: &mut CutRecords) -> bool {
        found.scanned = unread.bytes.len();
        if !unread.end || unread.bytes.is_empty() {
            return unread.end;
        }
        found.records = rows_of(unread.bytes).map_or(1, |rows| rows.len() as u64);
        found.lines = memchr::memchr_iter(b'\n', unread.bytes).count() as u64
            + u64::from(!unread.bytes.ends_with(b"\n"));
        found.len = unread.bytes.len();
        true
    }
}
