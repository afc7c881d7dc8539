//! Draws bars with names, a bar that is divided into parts, and ratios with their low and high ends.

use super::axis::{Labels, trimmed};
use crate::report::ratio::Ratio;
use crate::report::scene::{CHARACTER, COLOURS, END, START, Scene, Shape, WIDTH, cut};

/// A named amount.
pub(crate) struct Bar {
    pub(crate) name: String,
    pub(crate) amount: f64,
    /// The amount as readable text.
    pub(crate) shown: String,
}

/// Draws one bar per name. The name is above the left end of the bar, and the amount is above the right end
/// of the picture.
pub(crate) fn bars(bars: &[Bar]) -> Scene {
    let line = 34.0;
    let mut scene = Scene::new(WIDTH, line * bars.len() as f64 + 4.0);
    let most = bars.iter().map(|bar| bar.amount).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    for (number, bar) in bars.iter().enumerate() {
        let y = line * number as f64;
        let room = WIDTH - bar.shown.chars().count() as f64 * CHARACTER - 12.0;
        scene.text([0.0, y + 13.0], START, "ink", cut(&bar.name, room));
        scene.text([WIDTH, y + 13.0], END, "ink", &bar.shown);
        scene.rect([0.0, y + 18.0, WIDTH, 10.0], "ground", String::new());
        let width = (bar.amount / most * WIDTH).max(if bar.amount > 0.0 { 1.5 } else { 0.0 });
        scene.rect([0.0, y + 18.0, width, 10.0], "c0", format!("{}: {}", bar.name, bar.shown));
    }
    scene
}

/// Draws one bar that is divided into parts, and one line of text per part.
pub(crate) fn parts(parts: &[Bar]) -> Scene {
    let line = 18.0;
    let mut scene = Scene::new(WIDTH, 40.0 + line * parts.len() as f64);
    let total: f64 = parts.iter().map(|part| part.amount).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut x = 0.0;
    for (number, part) in parts.iter().enumerate() {
        let width = part.amount / total * WIDTH;
        let class = format!("c{}", number % COLOURS);
        let title = format!("{}: {}", part.name, part.shown);
        scene.rect([x, 2.0, (width - 1.0).max(0.6), 22.0], &*class, title);
        x += width;
        let y = 40.0 + line * number as f64;
        scene.rect([0.0, y - 2.0, 11.0, 11.0], class, String::new());
        scene.text([18.0, y + 8.0], START, "ink", &part.name);
        scene.text([WIDTH, y + 8.0], END, "ink", &part.shown);
    }
    scene
}

/// Width of a picture that has names to the left of its plot.
const LONG: f64 = 720.0;
/// Maximum width of the names.
const NAMES: f64 = 330.0;

/// Draws each ratio as a point on a line that shows its range. A vertical line marks the ratio 1.
///
/// The names are to the left of the plot, so that no line crosses them.
pub(crate) fn ratios(dots: &[(String, Ratio)]) -> Scene {
    let line = 24.0;
    let height = line * dots.len() as f64;
    let mut scene = Scene::new(LONG, height + 34.0);
    let ends = dots.iter().flat_map(|(_, ratio)| [ratio.low, ratio.high, ratio.value]);
    let ends = ends.filter(|end| end.is_finite() && *end > 0.0).map(f64::log10);
    // The axis always includes 1, and extends a little beyond it on both sides.
    let (least, most) = ends.fold((-0.02, 0.02), |(least, most), end| (end.min(least), end.max(most)));
    let longest = dots.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let names = (longest as f64 * CHARACTER).min(NAMES);
    // Leaves space for half a label at both ends of the axis.
    let (from, to) = (names + 40.0, LONG - 30.0);
    let place = |ratio: f64| {
        let log = if ratio > 0.0 { ratio.log10() } else { least };
        from + ((log - least) / (most - least)).clamp(0.0, 1.0) * (to - from)
    };
    let mut labels = Labels::new(height + 20.0, 0.0, f64::MAX);
    for tick in ratio_ticks(least, most) {
        let x = place(tick);
        scene.line([x, 0.0, x, height + 6.0], if tick == 1.0 { "axis" } else { "grid" });
        labels.draw(&mut scene, x, format!("x {}", trimmed(tick)));
    }
    for (number, (name, ratio)) in dots.iter().enumerate() {
        let y = line * (number as f64 + 0.5);
        let class = if ratio.is_clear() { "clear" } else { "open" };
        scene.text([0.0, y + 4.0], START, "ink", cut(name, names));
        scene.line([place(ratio.low), y, place(ratio.high), y], "range");
        scene.shapes.push(Shape::Circle { x: place(ratio.value), y, r: 4.5, class });
    }
    scene
}

/// Returns the round ratios that get a label, including 1. `least` and `most` are the ends of the axis, as
/// logarithms to base ten.
fn ratio_ticks(least: f64, most: f64) -> Vec<f64> {
    let steps: &[f64] = match most - least {
        ..0.12 => &[0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2],
        ..0.5 => &[0.4, 0.6, 0.8, 1.0, 1.25, 1.6, 2.0, 2.5],
        ..1.5 => &[0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0],
        _ => &[],
    };
    let range = least..=most;
    if !steps.is_empty() {
        return steps.iter().copied().filter(|step| range.contains(&step.log10())).collect();
    }
    let every = ((most - least) / 5.0).ceil().max(1.0) as i32;
    let powers = (least.ceil() as i32..=most.floor() as i32).filter(|power| power % every == 0);
    powers.map(|power| if power == 0 { 1.0 } else { 10f64.powi(power) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot(name: &str, value: f64) -> (String, Ratio) {
        (name.to_owned(), Ratio { value, low: value * 0.9, high: value * 1.1 })
    }

    #[test]
    fn ratios_use_the_chart_and_no_line_crosses_a_name() {
        let long = "a class with a name that is far too long for its picture: an engine, faster";
        for dots in [
            vec![dot("lanes: 1.2 M a second", 40.0), dot("bitmask: 300 k a second", 9.0)],
            vec![dot("dlx: 3 k a second", 0.01)],
            vec![dot("short", 1.0), dot(long, 1.05), dot("zero", 0.0)],
            vec![dot("a", 1e-7), dot("b", 1e9)],
        ] {
            let scene = ratios(&dots);
            let (mut names_end, mut names, mut circles) = (0f64, Vec::new(), Vec::new());
            let (mut least, mut most) = (f64::MAX, f64::MIN);
            for shape in &scene.shapes {
                match shape {
                    Shape::Text { x, y, class: "ink", text, .. } => {
                        names_end = names_end.max(x + text.chars().count() as f64 * CHARACTER);
                        names.push(*y);
                    }
                    Shape::Text { x, y, text, .. } => {
                        let half = text.chars().count() as f64 * CHARACTER / 2.0;
                        assert!(x - half >= 0.0 && x + half <= scene.width && *y <= scene.height, "{text}");
                    }
                    Shape::Line { x1, x2, y1, y2, .. } => {
                        (least, most) = (least.min(x1.min(*x2)), most.max(x1.max(*x2)));
                        assert!(y1.max(*y2) < scene.height);
                    }
                    Shape::Circle { x, y, .. } => {
                        (least, most) = (least.min(*x), most.max(*x));
                        circles.push(*y);
                    }
                    _ => {}
                }
            }
            assert!(names_end < least, "{names_end} {least}");
            assert!(most <= scene.width && most - least > scene.width * 0.4, "{least} {most}");
            // Each name must be next to its point, and must not cover another name.
            assert_eq!(names.len(), dots.len());
            assert!(names.iter().zip(&circles).all(|(name, circle)| (name - circle).abs() < 6.0));
            assert!(names.windows(2).all(|pair| pair[1] - pair[0] >= 14.0));
        }
    }
}
