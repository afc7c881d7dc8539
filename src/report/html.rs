//! Writes a page as a single HTML file.

use askama::Template;

use super::page::{Cell, Figure, Page, Picture, Value};
use super::scene::Shape;
use quadrille_model::shown;

/// Maximum number of rows for which a table next to a picture is shown unfolded. A longer table is folded.
const OPEN_ROWS: usize = 40;

#[derive(Template)]
#[template(path = "report.html")]
struct Html<'a> {
    page: &'a Page,
    version: &'static str,
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

impl Picture {
    /// Returns the CSS class for the size of the picture.
    fn size(&self) -> &'static str {
        match self.scene.width {
            ..150.0 => "spark",
            ..300.0 => "drawn",
            ..500.0 => "plot",
            _ => "long",
        }
    }

    /// Returns true if the picture is wider than a small screen and must scroll there.
    fn is_long(&self) -> bool {
        self.size() == "long"
    }
}

impl Figure {
    /// Returns true if the page shows the table unfolded.
    ///
    /// A table is unfolded if its figure has no pictures. A short table is also unfolded if it has more
    /// information than the pictures.
    fn is_open(&self) -> bool {
        self.pictures.is_empty()
            || (self.columns.len() > 2 && self.rows.len() <= OPEN_ROWS && self.is_first_hand())
    }

    /// Returns true if the figure occupies the whole width of the page.
    fn is_wide(&self) -> bool {
        self.pictures.len() > 1 || !self.has_head() || self.is_open() && self.columns.len() > 3
    }

    /// Returns true if the table has more information than its pictures.
    fn is_first_hand(&self) -> bool {
        let is_text = |cell: &&Cell| matches!(cell.value, Value::Text(_));
        let is_to_use = |cell: &Cell| matches!(cell.value, Value::Code(_) | Value::Link { .. });
        self.columns.len() > 3 && self.rows.iter().all(|row| row.first().is_some_and(|cell| is_text(&cell)))
            || self.rows.iter().flatten().any(is_to_use)
            || self.rows.iter().any(|row| row.iter().filter(is_text).count() > 1)
    }
}

impl Cell {
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
