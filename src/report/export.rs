//! Writes the tables of a page as text, for other tools and for terminals.

use serde_json::{Map, json};

use super::page::{Cell, Figure, Page, Value};
use quadrille_model::{Error, ErrorKind, Result, shown, usage};

/// Maximum width of a bar in a terminal, in characters.
const BAR: usize = 24;
/// Maximum number of rows of a table that are shown in a terminal. The middle rows of a longer table are left
/// out.
const TERMINAL_ROWS: usize = 24;
/// Maximum number of rows of a table with bars that are shown in a terminal. A table of step ratings has
/// fewer rows than this, so it is always shown whole.
const TERMINAL_BARS: usize = 128;
/// Minimum width of a wrapped column of text, in characters.
const NARROW: usize = 16;

/// The formats of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// The whole page.
    Html,
    /// Text with tables for people.
    Markdown,
    /// One table that the user names, or all tables in one list with one line per value.
    Csv,
    /// All tables as JSON. Numeric values are written as JSON numbers and not as text.
    Json,
}

/// Returns all tables of a page. Each comes with the title of its section.
fn tables(page: &Page) -> impl Iterator<Item = (&str, &Figure)> {
    page.sections.iter().flat_map(|section| section.figures.iter().map(|figure| (&*section.title, figure)))
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
        for table in &section.figures {
            out += &format!("\n### {}\n\n", words(&table.caption));
            if !table.text.is_empty() {
                out += &format!("{}\n\n", words(&table.text));
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

fn is_number_column(table: &Figure, column: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.get(column)).peekable();
    cells.peek().is_some() && cells.all(|cell| cell.value.is_number() || cell.value == Value::Missing)
}

fn in_markdown(value: &Value) -> String {
    match value {
        Value::Link { text, href } => format!("[{}](<{href}>)", words(text)),
        // A `|` would end the table cell, even within code.
        Value::Code(text) if !text.contains(['`', '|', '\n']) => format!("`{}`", shown::text(text)),
        value => words(&value.shown()),
    }
}

/// Escapes characters that have a meaning in Markdown.
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

/// Writes one table as CSV, or all tables as one list with one line per value.
///
/// The list has the columns `table`, `row`, `column` and `value`.
///
/// # Errors
/// Returns an error if the page has no table with the given name.
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
/// Numeric values are JSON numbers, times are in nanoseconds, and shares are from 0 to 1. If a value was read
/// from an input file, its position in that file is included.
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
        Value::Whole(number, _) => (*number).into(),
        Value::Real(number, _) => (*number).into(),
        value => value.raw().into(),
    }
}

/// Writes the tables for a terminal with `columns` columns. Counts are followed by bars made of text
/// characters.
///
/// If lines are too long, the widest columns are wrapped. Columns that still do not fit are left out.
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

/// Number of spaces before each line of a table and between columns.
const GAP: usize = 2;

fn write_table(table: &Figure, columns: usize, out: &mut String) {
    let bars = bar_column(table);
    let most = if bars.is_some() { TERMINAL_BARS } else { TERMINAL_ROWS };
    let left_out = table.rows.len().saturating_sub(most);
    let (head, tail) = match left_out {
        0 => (&table.rows[..], &[][..]),
        _ => (&table.rows[..most / 2], &table.rows[most / 2 + left_out..]),
    };
    let names: Vec<String> = table.columns.iter().map(|name| shown::name(name).into_owned()).collect();
    let text = |cell: &Cell| shown::name(&cell.shown()).into_owned();
    let lines: Vec<Vec<String>> = head.iter().chain(tail).map(|row| row.iter().map(text).collect()).collect();
    let are_numbers: Vec<bool> = (0..names.len()).map(|column| is_number_column(table, column)).collect();
    let widths = widths(&names, &lines, &are_numbers, columns);
    // Keeps only columns that fit. The first column is always kept.
    let mut end = 0;
    let fits = |width: &&usize| {
        end += GAP + **width;
        end <= columns
    };
    let kept = widths.iter().take_while(fits).count().max(1).min(widths.len());
    let used: usize = widths[..kept].iter().map(|width| GAP + width).sum();
    let bar = BAR.min(columns.saturating_sub(used + GAP));
    let bars = bars.filter(|(column, _)| *column < kept && bar > 1);
    let written = |line: &[String], drawn: &str| {
        let mut lines = String::new();
        let cells: Vec<Vec<String>> =
            line.iter().zip(&widths[..kept]).map(|(cell, &width)| wrapped(cell, width)).collect();
        for part in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut text = String::new();
            for ((cell, &width), &is_number) in cells.iter().zip(&widths).zip(&are_numbers) {
                let cell = cell.get(part).map_or("", String::as_str);
                text += &if is_number { format!("  {cell:>width$}") } else { format!("  {cell:<width$}") };
            }
            let drawn = if part == 0 { drawn } else { "" };
            lines.push_str(format!("{text}  {drawn}").trim_end());
            lines.push('\n');
        }
        lines
    };
    if table.has_head() {
        out.push_str(&written(&names, ""));
    }
    for (place, (row, line)) in head.iter().chain(tail).zip(&lines).enumerate() {
        if place == head.len() {
            out.push_str(&format!("  ({left_out} more rows)\n"));
        }
        let drawn = bars.map_or_else(String::new, |(column, most)| {
            let value = row.get(column).and_then(|cell| cell.value.number()).unwrap_or(0.0);
            let length = (value / most * bar as f64).round() as usize;
            "#".repeat(length.max(usize::from(value > 0.0)))
        });
        out.push_str(&written(line, &drawn));
    }
    if kept < names.len() {
        out.push_str(&format!("  too wide for this terminal: {}\n", names[kept..].join(", ")));
    }
}

/// Returns the widths of a table's columns. The widest columns are narrowed until the lines fit.
///
/// A number is never wrapped, and neither is a single word of a column name.
fn widths(names: &[String], lines: &[Vec<String>], are_numbers: &[bool], columns: usize) -> Vec<usize> {
    let length = |text: &str| text.chars().count();
    let of = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        let longest = cells.map(|cell| length(cell)).max().unwrap_or(0);
        let word = names[column].split(' ').map(length).max().unwrap_or(0);
        let least = if are_numbers[column] { longest } else { longest.min(NARROW) };
        (longest.max(length(&names[column])), least.max(word))
    };
    let (mut widths, least): (Vec<usize>, Vec<usize>) = (0..names.len()).map(of).unzip();
    while widths.iter().map(|width| GAP + width).sum::<usize>() > columns {
        let can_shrink = (0..widths.len()).filter(|&column| widths[column] > least[column]);
        let Some(widest) = can_shrink.max_by_key(|&column| widths[column]) else { break };
        widths[widest] -= 1;
    }
    widths
}

/// Breaks a text into lines of at most `width` characters. Breaks at spaces if possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        if used > 0 && used + word.trim_end().chars().count() > width {
            lines.push(String::new());
            used = 0;
        }
        for character in word.chars() {
            if used >= width && character != ' ' {
                lines.push(String::new());
                used = 0;
            }
            lines.last_mut().expect("there is a line").push(character);
            used += 1;
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

/// Returns the index of the column whose values are drawn as bars, and its largest value.
///
/// Returns `None` if the table has no column of counts or shares to draw.
fn bar_column(table: &Figure) -> Option<(usize, f64)> {
    let column = table
        .columns
        .iter()
        .position(|name| matches!(&**name, "records" | "solutions" | "classes" | "share busy" | "share"))?;
    let most = table.rows.iter().filter_map(|row| row.get(column)?.value.number()).fold(0.0, f64::max);
    (most > 0.0 && table.rows.len() > 1).then_some((column, most))
}
