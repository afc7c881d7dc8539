//! A page as a single HTML file.

use askama::Template;

use super::page::{Cell, Figure, Page, Picture, Value};
use super::svg::{Scene, Shape, scene};
use quadrille_model::shown;

/// Maximum number of rows of a table that is shown unfolded next to a picture.
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
    /// The CSS class for the size of the picture.
    size: &'static str,
}

/// Writes a page as HTML.
///
/// # Errors
/// Returns an error only if there is no memory.
pub(crate) fn html(page: &Page) -> Result<String, askama::Error> {
    // Names of files and commands come from outside, so control characters are escaped.
    let html = Html { page, version: env!("CARGO_PKG_VERSION") }.render()?;
    Ok(shown::text(&html).into_owned())
}

fn picture_html(picture: &Picture) -> Result<String, askama::Error> {
    let scene = scene(picture);
    PictureHtml { title: &picture.title, size: size_of(scene.width), scene }.render()
}

/// Returns the CSS class for the size of a picture of this width.
fn size_of(width: f64) -> &'static str {
    match width {
        ..150.0 => "spark",
        ..300.0 => "drawn",
        ..500.0 => "plot",
        _ => "long",
    }
}

impl Picture {
    /// Returns true if the picture is wider than a small screen, where it scrolls.
    fn is_long(&self) -> bool {
        size_of(scene(self).width) == "long"
    }
}

impl Figure {
    /// Returns true if the table is not folded away: it has no picture, or it is short and says more than its pictures.
    fn is_open(&self) -> bool {
        self.pictures.is_empty()
            || (self.table.columns.len() > 2 && self.table.rows.len() <= OPEN_ROWS && self.is_first_hand())
    }

    /// Returns true if the figure takes the whole width.
    fn is_wide(&self) -> bool {
        self.pictures.len() > 1 || !self.table.has_head() || self.is_open() && self.table.columns.len() > 3
    }

    /// Returns true if the table says more than its pictures.
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

    /// Returns the CSS classes of the cell's element.
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

/// Returns a coordinate in few characters.
pub(super) fn at(place: &f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
