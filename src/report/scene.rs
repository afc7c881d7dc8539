//! Pictures as lists of shapes with coordinates. A picture is 340 units wide, or 720 if it has names next to
//! its plot.
//!
//! Colours are CSS classes. The page's style sheet defines them for light screens, dark screens and print.
//! The classes `c0` to `c5` distinguish categories, also for colour-blind readers (Okabe and Ito 2008). The
//! classes `ink`, `axis` and `grid` are for text and lines.

/// Width of a picture.
pub(super) const WIDTH: f64 = 340.0;
/// Number of different colours for categories.
pub(super) const COLOURS: usize = 6;

/// A picture as shapes.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) shapes: Vec<Shape>,
}

#[derive(Debug, Clone)]
pub(crate) enum Shape {
    Rect { x: f64, y: f64, width: f64, height: f64, class: String, opacity: Option<f64>, title: String },
    Line { x1: f64, y1: f64, x2: f64, y2: f64, class: &'static str },
    Text { x: f64, y: f64, anchor: &'static str, class: &'static str, text: String },
    Path { d: String, class: String },
    Circle { x: f64, y: f64, r: f64, class: &'static str },
}

/// Alignment of a text that starts at its position.
pub(super) const START: &str = "start";
pub(super) const MIDDLE: &str = "middle";
pub(super) const END: &str = "end";

/// Approximate width of a character. It decides where a text that is too wide is cut off.
pub(super) const CHARACTER: f64 = 7.2;

impl Scene {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Scene { width, height, shapes: Vec::new() }
    }

    pub(super) fn rect(&mut self, [x, y, width, height]: [f64; 4], class: impl Into<String>, title: String) {
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
    pub(super) fn shade(&mut self, [x, y, width, height]: [f64; 4], share: f64, title: String) {
        let class = "c0".to_owned();
        let opacity = Some(0.08 + 0.92 * share.clamp(0.0, 1.0));
        self.shapes.push(Shape::Rect { x, y, width, height, class, opacity, title });
    }

    pub(super) fn line(&mut self, [x1, y1, x2, y2]: [f64; 4], class: &'static str) {
        self.shapes.push(Shape::Line { x1, y1, x2, y2, class });
    }

    pub(super) fn text(
        &mut self,
        [x, y]: [f64; 2],
        anchor: &'static str,
        class: &'static str,
        text: impl Into<String>,
    ) {
        self.shapes.push(Shape::Text { x, y, anchor, class, text: text.into() });
    }
}

/// Cuts off the end of a text if its width exceeds `room`.
pub(super) fn cut(text: &str, room: f64) -> String {
    let most = (room / CHARACTER).max(1.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
