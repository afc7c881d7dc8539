//! The tables of a page as text for other tools and for terminals.

use std::fmt::Write;

use serde_json::{Map, Number, json};

use super::page::{Cell, Page, Table, Value};
use quadrille_model::{Error, ErrorKind, Result, shown, usage};

/// Maximum width of a bar in a terminal, in characters.
const BAR: usize = 24;
/// Maximum number of rows of a table in a terminal.
const TERMINAL_ROWS: usize = 24;
/// Maximum number of characters of a cell in a terminal.
const TERMINAL_CELL: usize = 44;

/// The formats of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// The whole page.
    Html,
    /// Text with tables for people.
    Markdown,
    /// One table, or all of them in a long form.
    Csv,
    /// All tables, with values as numbers.
    Json,
}

/// Returns all tables of a page, each with the title of its section.
fn tables(page: &Page) -> impl Iterator<Item = (&str, &Table)> {
    page.sections
        .iter()
        .flat_map(|section| section.figures.iter().map(|figure| (&*section.title, &figure.table)))
}

/// Writes a page as Markdown.
pub(crate) fn markdown(page: &Page) -> String {
    let mut out = format!("# {}\n\n{}\n", words(&page.title), words(&page.sentence));
    for alarm in &page.alarms {
        out += &format!("\n> **{}**\n", words(alarm));
    }
    for section in &page.sections {
        out += &format!("\n## {}\n", words(&section.title));
        if !section.text.is_empty() {
            out += &format!("\n{}\n", words(&section.text));
        }
        for figure in &section.figures {
            let table = &figure.table;
            out += &format!("\n### {}\n\n", words(&table.caption));
            if !figure.text.is_empty() {
                out += &format!("{}\n\n", words(&figure.text));
            }
            let names: Vec<String> = table.columns.iter().map(|name| words(name)).collect();
            out += &format!("| {} |\n|", names.join(" | "));
            for column in 0..table.columns.len() {
                let is_number = is_number_column(table, column);
                out.push_str(if is_number { "---:|" } else { "---|" });
            }
            out.push('\n');
            for row in &table.rows {
                let cells: Vec<String> = row.iter().map(|cell| in_markdown(&cell.value)).collect();
                out += &format!("| {} |\n", cells.join(" | "));
            }
        }
    }
    out
}

fn is_number_column(table: &Table, column: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.get(column)).peekable();
    cells.peek().is_some() && cells.all(|cell| cell.value.is_number() || cell.value == Value::Missing)
}

fn in_markdown(value: &Value) -> String {
    match value {
        Value::Link { text, href } => format!("[{}](<{href}>)", words(text)),
        // A vertical bar ends a cell even within code.
        Value::Code(text) if !text.contains(['`', '|', '\n']) => format!("`{}`", shown::text(text)),
        value => words(&value.shown()),
    }
}

/// Escapes text so that Markdown shows it unchanged.
fn words(text: &str) -> String {
    let text = shown::text(text);
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push(' '),
            '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' | '#' | '~' => out.extend(['\\', character]),
            _ => out.push(character),
        }
    }
    out
}

/// Writes one table as CSV, or all tables with one line per value: table, row, column, value.
///
/// # Errors
/// Returns an error if the page does not have the table.
pub(crate) fn csv(page: &Page, table: Option<&str>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed =
        |cause: csv::Error| Error::from(ErrorKind::Internal(format!("cannot write a table: {cause}")));
    match table {
        Some(id) => {
            let Some((_, table)) = tables(page).find(|(_, table)| table.id == id) else {
                let known: Vec<&str> = tables(page).map(|(_, table)| &*table.id).collect();
                return Err(usage!("no table '{id}' in this report: expected {}", known.join(", ")));
            };
            writer.write_record(&table.columns).map_err(failed)?;
            for row in &table.rows {
                writer.write_record(row.iter().map(|cell| cell.value.raw())).map_err(failed)?;
            }
        }
        None => {
            writer.write_record(["table", "row", "column", "value"]).map_err(failed)?;
            for (_, table) in tables(page) {
                for (number, row) in (1..).zip(&table.rows) {
                    let number = format!("{number}");
                    for (name, cell) in table.columns.iter().zip(row) {
                        writer
                            .write_record([&*table.id, &number, name, &cell.value.raw()])
                            .map_err(failed)?;
                    }
                }
            }
        }
    }
    let bytes = writer.into_inner().unwrap_or_default();
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes all tables as JSON.
///
/// Numbers are numbers, times are in nanoseconds, shares are from 0 to 1. A value read from a file has its place there.
pub(crate) fn json(page: &Page) -> String {
    let list: Vec<serde_json::Value> = tables(page)
        .map(|(section, table)| {
            let rows: Vec<Vec<serde_json::Value>> =
                table.rows.iter().map(|row| row.iter().map(|cell| in_json(&cell.value)).collect()).collect();
            let mut keys = Map::new();
            for (number, row) in table.rows.iter().enumerate() {
                for (column, cell) in row.iter().enumerate() {
                    if let Some(key) = &cell.key {
                        keys.insert(format!("{number},{column}"), key.as_str().into());
                    }
                }
            }
            json!({
                "table": table.id,
                "section": section,
                "caption": table.caption,
                "columns": table.columns,
                "rows": rows,
                "read_at": keys,
            })
        })
        .collect();
    let page = json!({
        "kind": "quadrille report",
        "schema": 1,
        "title": page.title,
        "sentence": page.sentence,
        "alarms": page.alarms,
        "tables": list,
    });
    let mut text =
        serde_json::to_string_pretty(&page).expect("numbers, strings and lists can always be written");
    text.push('\n');
    text
}

fn in_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Missing => serde_json::Value::Null,
        Value::Count(number) | Value::Time(number) | Value::Bytes(number) => (*number).into(),
        Value::Share(number) | Value::Rate(number) | Value::Number(number) | Value::MeanTime(number) => {
            Number::from_f64(*number).map_or(serde_json::Value::Null, serde_json::Value::Number)
        }
        value => value.raw().into(),
    }
}

/// Writes the tables for a terminal with `columns` columns, with text bars after counts.
///
/// Columns that do not fit on the line are left out.
pub(crate) fn terminal(page: &Page, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(usize::MAX);
    let mut out = String::new();
    for (_, table) in tables(page) {
        if !out.is_empty() {
            out.push('\n');
        }
        out += &format!("{}\n", shown::name(&table.caption));
        write_table(table, columns, &mut out);
    }
    out
}

/// Number of blanks before each line of a table and between two columns.
const GAP: usize = 2;

fn write_table(table: &Table, columns: usize, out: &mut String) {
    let shown = &table.rows[..table.rows.len().min(TERMINAL_ROWS)];
    let text = |cell: &Cell| {
        let text = shown::name(&cell.value.shown()).into_owned();
        match text.chars().count() > TERMINAL_CELL && !matches!(cell.value, Value::Code(_)) {
            true => text.chars().take(TERMINAL_CELL - 1).chain(['…']).collect(),
            false => text,
        }
    };
    let lines: Vec<Vec<String>> = shown.iter().map(|row| row.iter().map(text).collect()).collect();
    let has_head = table.columns.iter().any(|name| !name.is_empty());
    let head: Vec<String> = table.columns.iter().map(|name| shown::name(name).into_owned()).collect();
    let all = || lines.iter().chain(has_head.then_some(&head));
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            all().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    // The first column is always kept.
    let mut end = 0;
    let fits = |width: &&usize| {
        end += GAP + **width;
        end <= columns
    };
    let kept = widths.iter().take_while(fits).count().max(1).min(widths.len());
    let used: usize = widths[..kept].iter().map(|width| GAP + width).sum();
    let bar = BAR.min(columns.saturating_sub(used + GAP));
    let bars = bar_column(table, shown).filter(|(column, _)| *column < kept && bar > 1);
    let align = |line: &[String]| {
        let cells = line.iter().zip(&widths[..kept]).enumerate().map(|(column, (cell, &width))| {
            if is_number_column(table, column) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        cells.collect::<Vec<String>>().join("  ")
    };
    if has_head {
        writeln!(out, "  {}", align(&head).trim_end()).expect("writing to memory does not fail");
    }
    for (number, line) in lines.iter().enumerate() {
        let drawn = bars.as_ref().map_or_else(String::new, |(column, most)| {
            let value = shown[number][*column].value.number().unwrap_or(0.0);
            let length = (value / most * bar as f64).round() as usize;
            "#".repeat(length.max(usize::from(value > 0.0)))
        });
        writeln!(out, "  {}", format!("{}  {drawn}", align(line)).trim_end())
            .expect("writing to memory does not fail");
    }
    if table.rows.len() > shown.len() {
        writeln!(out, "  and {} more rows", table.rows.len() - shown.len())
            .expect("writing to memory does not fail");
    }
    if kept < head.len() {
        let left_out: Vec<&str> = head[kept..].iter().map(String::as_str).collect();
        writeln!(out, "  too wide for this terminal: {}", left_out.join(", "))
            .expect("writing to memory does not fail");
    }
}

/// Returns the column of counts to be shown as bars and its largest value, or `None`.
///
/// Only tables of names or values with their counts have such a column.
fn bar_column(table: &Table, shown: &[Vec<Cell>]) -> Option<(usize, f64)> {
    let column = table
        .columns
        .iter()
        .position(|name| matches!(&**name, "records" | "solutions" | "classes" | "share busy" | "share"))?;
    let most = shown.iter().filter_map(|row| row.get(column)?.value.number()).fold(0.0, f64::max);
    (most > 0.0 && shown.len() > 1).then_some((column, most))
}
