//! Pictures as lists of shapes with coordinates. A picture is 340 units wide, or 720 if it has names next to
//! its plot.
//!
//! Colours are CSS classes. The page's style sheet defines them for light screens, dark screens and print.
//! The classes `c0` to `c5` distinguish categories, also for colour-blind readers (Okabe and Ito 2008). The
//! classes `ink`, `axis` and `grid` are for text and lines.

mod axis;
mod bars;
mod drawing;
mod histogram;
mod step;
mod time;

use super::page::{Picture, PictureKind};

/// Width of a picture.
const WIDTH: f64 = 340.0;
/// Number of different colours for categories.
const COLOURS: usize = 6;

/// A picture as shapes.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) shapes: Vec<Shape>,
}

#[derive(Debug)]
pub(super) enum Shape {
    Rect { x: f64, y: f64, width: f64, height: f64, class: String, opacity: Option<f64>, title: String },
    Line { x1: f64, y1: f64, x2: f64, y2: f64, class: &'static str },
    Text { x: f64, y: f64, anchor: &'static str, class: &'static str, text: String },
    Path { d: String, class: String },
    Circle { x: f64, y: f64, r: f64, class: &'static str },
}

/// Alignment of a text that starts at its position.
const START: &str = "start";
const MIDDLE: &str = "middle";
const END: &str = "end";

/// Approximate width of a character. It decides where a text that is too wide is cut off.
const CHARACTER: f64 = 7.2;

impl Scene {
    fn new(width: f64, height: f64) -> Self {
        Scene { width, height, shapes: Vec::new() }
    }

    fn rect(&mut self, [x, y, width, height]: [f64; 4], class: impl Into<String>, title: String) {
        let class = class.into();
        self.shapes.push(Shape::Rect {
            x,
            y,
            width: width.max(0.0),
            height: height.max(0.0),
            class,
            opacity: None,
            title,
        });
    }

    /// Draws a rectangle in the first colour. The rectangle is more opaque if `share` is larger.
    fn shade(&mut self, [x, y, width, height]: [f64; 4], share: f64, title: String) {
        let class = "c0".to_owned();
        let opacity = Some(0.08 + 0.92 * share.clamp(0.0, 1.0));
        self.shapes.push(Shape::Rect { x, y, width, height, class, opacity, title });
    }

    fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], class: &'static str) {
        self.shapes.push(Shape::Line { x1, y1, x2, y2, class });
    }

    fn text(&mut self, [x, y]: [f64; 2], anchor: &'static str, class: &'static str, text: impl Into<String>) {
        self.shapes.push(Shape::Text { x, y, anchor, class, text: text.into() });
    }
}

/// Cuts off the end of a text if its width exceeds `room`.
fn cut(text: &str, room: f64) -> String {
    let most = (room / CHARACTER).max(1.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// Draws a picture as shapes.
pub(super) fn scene(picture: &Picture) -> Scene {
    match &picture.kind {
        PictureKind::Bars(bars) => bars::bars(bars),
        PictureKind::Parts(parts) => bars::parts(parts),
        PictureKind::Histogram(histogrammed) => histogram::histogram(histogrammed),
        PictureKind::Spark(histogrammed) => histogram::spark(histogrammed),
        PictureKind::Density(density) => histogram::density(density),
        PictureKind::Steps(steps) => time::steps(steps),
        PictureKind::Rows(rows) => time::rows(rows),
        PictureKind::Ratios(dots) => bars::ratios(dots),
        PictureKind::Drawing(drawing) => drawing::drawing(drawing),
        PictureKind::Step(of) => step::step(of),
    }
}
