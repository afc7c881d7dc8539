//! Printable sheets: pages of puzzles, followed by pages of their solutions.
//!
//! Lengths are in millimetres. The pages fit on both A4 and US letter paper.

use askama::Template;
use quadrille_batch::stats::Drawing;
use quadrille_model::shown;

use super::scene::{Scene, Shape};
use super::svg;

/// Width of the printed area: the width of A4 (the narrower of the two paper sizes) without margins.
const WIDTH: f64 = 184.0;
/// Height of the printed area: the height of US letter (the shorter of the two paper sizes) without margins.
const HEIGHT: f64 = 238.0;
/// Space to the right of each drawing and below it.
const GAP: f64 = 6.0;
/// Space above a drawing for its caption.
const CAPTION: f64 = 7.0;
/// Space for the heading above the solutions on their first page.
const HEADING: f64 = 12.0;
/// Maximum number of solutions on a page, if the grids are small.
const SOLUTIONS_A_PAGE: usize = 20;
/// Largest side length of a grid for which solutions are printed smaller than puzzles.
const SMALL_SIDE: usize = 9;

/// The formats of a sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SheetFormat {
    Html,
    Svg,
}

/// A puzzle of a sheet.
pub(crate) struct SheetPuzzle {
    pub(crate) side: usize,
    pub(crate) caption: String,
    pub(crate) puzzle: Drawing,
    /// Drawing of the solution, or `None` if there is no solution or there are several.
    pub(crate) solved: Option<Drawing>,
}

/// A page on which all drawings have the same size.
struct SheetPage {
    /// Heading of the page. It may be empty.
    heading: &'static str,
    columns: usize,
    /// Width of a drawing.
    size: f64,
    drawings: Vec<CaptionedDrawing>,
}

struct CaptionedDrawing {
    caption: String,
    scene: Scene,
}

#[derive(Template)]
#[template(path = "sheet.html")]
struct SheetHtml<'a> {
    title: &'a str,
    pages: Vec<SheetPage>,
}

#[derive(Template)]
#[template(path = "sheet.svg")]
struct SheetSvg<'a> {
    title: &'a str,
    width: f64,
    height: f64,
    /// Headings of the sheet, each with the vertical position of its baseline.
    headings: Vec<(f64, &'static str)>,
    drawings: Vec<PlacedDrawing>,
}

/// A drawing, with its position in the one picture that contains all pages.
struct PlacedDrawing {
    x: f64,
    y: f64,
    /// Length of one drawing unit in millimetres.
    scale: f64,
    drawing: CaptionedDrawing,
}

/// Returns a sheet with up to `per_page` puzzles per page.
///
/// # Errors
/// Returns an error only if memory runs out.
pub(crate) fn sheet(
    format: SheetFormat,
    title: &str,
    puzzles: &[SheetPuzzle],
    per_page: usize,
) -> Result<String, askama::Error> {
    let pages = pages(puzzles, per_page);
    let text = match format {
        SheetFormat::Html => SheetHtml { title, pages }.render()?,
        SheetFormat::Svg => on_one_picture(title, pages).render()?,
    };
    // Captions come from the input and may contain control characters, which are escaped here.
    Ok(shown::text(&text).into_owned())
}

fn pages(puzzles: &[SheetPuzzle], per_page: usize) -> Vec<SheetPage> {
    let drawing = |of: &Drawing, caption: &str| CaptionedDrawing {
        caption: caption.to_owned(),
        scene: svg::drawing(of),
    };
    let mut pages = Vec::new();
    for page in puzzles.chunks(per_page) {
        let drawings = page.iter().map(|puzzle| drawing(&puzzle.puzzle, &puzzle.caption)).collect();
        pages.push(SheetPage::new("", per_page.min(puzzles.len()), drawings));
    }
    let solved: Vec<(&str, &Drawing)> = puzzles
        .iter()
        .filter_map(|puzzle| Some((puzzle.caption.as_str(), puzzle.solved.as_ref()?)))
        .collect();
    let are_small = puzzles.iter().all(|puzzle| puzzle.side <= SMALL_SIDE);
    let at_once = if are_small { SOLUTIONS_A_PAGE.max(per_page) } else { per_page };
    for (number, page) in solved.chunks(at_once).enumerate() {
        let drawings = page.iter().map(|(caption, solved)| drawing(solved, caption)).collect();
        pages.push(SheetPage::new(if number == 0 { "Solutions" } else { "" }, at_once, drawings));
    }
    pages
}

impl SheetPage {
    /// Creates a page. The drawings get the largest size at which `room` drawings fit on a page.
    fn new(heading: &'static str, room: usize, drawings: Vec<CaptionedDrawing>) -> Self {
        let size = |columns: usize| {
            let rows = room.div_ceil(columns) as f64;
            (WIDTH / columns as f64 - GAP).min((HEIGHT - HEADING) / rows - GAP - CAPTION)
        };
        let columns = (1..=room).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(1);
        SheetPage { heading, columns, size: size(columns).max(1.0), drawings }
    }
}

/// Returns one picture that contains all pages, one below the other.
fn on_one_picture(title: &str, pages: Vec<SheetPage>) -> SheetSvg<'_> {
    // The picture is as wide as the widest page, including the margin of that page.
    let width = |page: &SheetPage| page.columns.min(page.drawings.len()) as f64 * (page.size + GAP) + GAP;
    let width = pages.iter().map(width).fold(0.0, f64::max);
    let mut sheet = SheetSvg { title, width, height: GAP, headings: Vec::new(), drawings: Vec::new() };
    for SheetPage { heading, columns, size, drawings } in pages {
        if !heading.is_empty() {
            sheet.height += HEADING;
            sheet.headings.push((sheet.height - GAP, heading));
        }
        let row = size + CAPTION + GAP;
        let rows = drawings.len().div_ceil(columns);
        for (place, drawing) in drawings.into_iter().enumerate() {
            let x = GAP + (place % columns) as f64 * (size + GAP);
            let y = sheet.height + (place / columns) as f64 * row + CAPTION;
            sheet.drawings.push(PlacedDrawing { x, y, scale: size / drawing.scene.width, drawing });
        }
        sheet.height += rows as f64 * row;
    }
    sheet
}

/// Returns a coordinate as short text. The template for drawings also calls this function.
fn at(place: &f64) -> String {
    super::html::at(place)
}
