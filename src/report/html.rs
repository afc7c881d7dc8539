//! Writes a page as a single HTML file.

use askama::Template;

use super::page::{Cell, Figure, Page, Picture, Value};
use super::svg::{Scene, Shape, scene};
use quadrille_model::shown;

/// Maximum number of rows for which a table next to a picture is shown unfolded. A longer table is folded.
const OPEN_ROWS: usize = 40;

#[derive(Template)]
#[template(path = "report.html")]
struct Html<'a> {
    page: &'a Page,
    version: &'static str,
}

#[derive(Template)]
#[template(path = "table.html")]
struct TableHtml<'a> {
    figure: &'a Figure,
}

#[derive(Template)]
#[template(path = "picture.html")]
struct PictureHtml<'a> {
    title: &'a str,
    scene: Scene,
    /// CSS class for the size of the picture.
    size: &'static str,
}

/// Returns a page as HTML.
///
/// # Errors
/// Returns an error only if memory runs out.
pub(crate) fn html(page: &Page) -> Result<String, askama::Error> {
    // File names and commands come from the user and may contain control characters, which are escaped here.
    let html = Html { page, version: env!("CARGO_PKG_VERSION") }.render()?;
    Ok(shown::text(&html).into_owned())
}

fn picture_html(picture: &Picture) -> Result<String, askama::Error> {
    let scene = scene(picture);
    PictureHtml { title: &picture.title, size: size_of(scene.width), scene }.render()
}

/// Returns the CSS class for the size of a picture with the given width.
fn size_of(width: f64) -> &'static str {
    match width {
        ..150.0 => "spark",
        ..300.0 => "drawn",
        ..500.0 => "plot",
        _ => "long",
    }
}

impl Picture {
    /// Returns true if the picture is wider than a small screen and must scroll there.
    fn is_long(&self) -> bool {
        size_of(scene(self).width) == "long"
    }
}

impl Figure {
    /// Returns true if the page shows the table unfolded.
    ///
    /// A table is unfolded if its figure has no pictures. A short table is also unfolded if it has more
    /// information than the pictures.
    fn is_open(&self) -> bool {
        self.pictures.is_empty()
            || (self.table.columns.len() > 2 && self.table.rows.len() <= OPEN_ROWS && self.is_first_hand())
    }

    /// Returns true if the figure occupies the whole width of the page.
    fn is_wide(&self) -> bool {
        self.pictures.len() > 1 || !self.table.has_head() || self.is_open() && self.table.columns.len() > 3
    }

    /// Returns true if the table has more information than its pictures.
    fn is_first_hand(&self) -> bool {
        let names = |row: &Vec<Cell>| matches!(row.first(), Some(Cell { value: Value::Text(_), .. }));
        self.table.columns.len() > 3 && self.table.rows.iter().all(names)
            || self
                .table
                .rows
                .iter()
                .flatten()
                .any(|cell| matches!(cell.value, Value::Code(_) | Value::Link { .. }))
            || self
                .table
                .rows
                .iter()
                .any(|row| row.iter().filter(|cell| matches!(cell.value, Value::Text(_))).count() > 1)
    }

    fn table_html(&self) -> Result<String, askama::Error> {
        TableHtml { figure: self }.render()
    }
}

impl Cell {
    fn picture_html(&self) -> Result<String, askama::Error> {
        self.picture.as_deref().map_or_else(|| Ok(String::new()), picture_html)
    }

    /// Returns the CSS classes of the cell's HTML element.
    fn classes(&self) -> String {
        let mut classes = Vec::new();
        if self.value.is_number() || self.value == Value::Missing {
            classes.push("n".to_owned());
        }
        if let Some(heat) = self.heat {
            classes.push(format!("h{}", (heat * 9.0).round()));
            if heat == 1.0 {
                classes.push("best".to_owned());
            }
        }
        classes.join(" ")
    }

    fn link(&self) -> Option<&str> {
        match &self.value {
            Value::Link { href, .. } => Some(href),
            _ => None,
        }
    }

    fn is_code(&self) -> bool {
        matches!(self.value, Value::Code(_))
    }
}

/// Writes a coordinate in few characters by rounding it.
pub(super) fn at(place: &f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
