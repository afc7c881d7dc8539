//! Histograms and densities.

use super::axis::{Axis, named_axis, upright_axis};
use crate::report::bins::{Histogrammed, position};
use crate::report::page::Unit;
use crate::report::scene::{CHARACTER, END, MIDDLE, START, Scene, Shape, WIDTH};

const LEFT: f64 = 46.0;
const RIGHT: f64 = WIDTH - 8.0;
/// Number of rows for labels above a histogram. Quantiles may be close together, so their labels may need
/// different rows.
const NAMES: usize = 3;
const TOP: f64 = 8.0 + 11.0 * NAMES as f64;
const BOTTOM: f64 = TOP + 138.0;
const HEIGHT: f64 = BOTTOM + 36.0;

/// The axis of counts is logarithmic if the largest count is more than this many times the median count.
const SKEWED: u64 = 60;

/// Returns the labels for the axis below a histogram, with their positions.
///
/// If there is room, each value gets a label. Otherwise, only round values or powers of ten get labels.
fn slot_ticks(edges: &[u64], unit: Unit, left: f64, right: f64) -> Vec<(f64, String)> {
    let bins = edges.len().saturating_sub(1);
    if bins == 0 {
        return Vec::new();
    }
    let width = (right - left) / bins as f64;
    let is_single = edges.windows(2).all(|pair| pair[1] - pair[0] == 1);
    if is_single {
        let every = (34.0 / width).ceil().max(1.0) as usize;
        let every = [1, 2, 5, 10, 20].into_iter().find(|step| *step >= every).unwrap_or(every);
        let named =
            edges[..bins].iter().enumerate().filter(|(_, edge)| bins <= 5 || **edge % every as u64 == 0);
        return named
            .map(|(bin, edge)| (left + (bin as f64 + 0.5) * width, unit.short(*edge as f64)))
            .collect();
    }
    let (first, last) = (edges[0], edges[bins]);
    let place = |value: u64| left + position(edges, value as f64) * width;
    let is_even = edges.windows(2).all(|pair| pair[1] - pair[0] == edges[1] - edges[0]);
    if is_even {
        let steps = Axis::linear((last - first) as f64, 0.0, 1.0).ticks();
        let step = steps.get(1).copied().unwrap_or(1.0).max(1.0) as u64;
        let start = first.div_ceil(step).saturating_mul(step);
        return (0..8)
            .map(|number| start.saturating_add(number * step))
            .filter(|value| *value <= last)
            .map(|value| (place(value), unit.short(value as f64)))
            .collect();
    }
    let powers =
        (0..20).map(|power| 10u64.saturating_pow(power)).filter(|value| (first..=last).contains(value));
    let mut values: Vec<u64> = (first == 0).then_some(0).into_iter().chain(powers).collect();
    if values.len() < 3 {
        values = edges.iter().copied().step_by((bins / 5).max(1)).collect();
    }
    // If the values begin with 0, each of the values 0 to 3 has its own bin. Their labels are centred below
    // the bins.
    let at = |value: u64| if value < 4 && first == 0 { place(value) + width / 2.0 } else { place(value) };
    values.into_iter().map(|value| (at(value), unit.short(value as f64))).collect()
}

/// Draws a histogram on which quantiles are marked.
pub(crate) fn histogram(of: &Histogrammed) -> Scene {
    let mut scene = Scene::new(WIDTH, HEIGHT);
    let bins = of.counts.len().max(1);
    let most = of.counts.iter().copied().max().unwrap_or(0);
    let mut held: Vec<u64> = of.counts.iter().copied().filter(|count| *count > 0).collect();
    held.sort_unstable();
    let middle = held.get(held.len() / 2).copied().unwrap_or(0);
    let is_log = held.len() > 2 && most / middle.max(1) > SKEWED;
    let axis =
        if is_log { Axis::log(most as f64, BOTTOM, TOP) } else { Axis::counts(most as f64, BOTTOM, TOP) };
    upright_axis(&mut scene, &axis, Unit::Count, LEFT, RIGHT);
    let width = (RIGHT - LEFT) / bins as f64;
    for (bin, &count) in of.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let x = LEFT + bin as f64 * width;
        let y = axis.place(count as f64).min(BOTTOM - 1.0);
        let gap = if width > 4.0 { 1.0 } else { 0.0 };
        let (from, to) = (of.edges[bin], of.edges[bin + 1]);
        let range = if to - from == 1 && of.unit == Unit::Count {
            from.to_string()
        } else {
            format!("{} to {}", of.unit.short(from as f64), of.unit.short(to as f64))
        };
        // A single bin would fill the whole plot, so its bar is drawn narrow.
        let (x, bar) = if bins == 1 { (x + width * 0.35, width * 0.3) } else { (x, width - gap) };
        scene.rect([x, y, bar, BOTTOM - y], "c0", format!("{range}: {count}"));
    }
    scene.line([LEFT, BOTTOM, RIGHT, BOTTOM], "axis");
    marks(&mut scene, of, width);
    let name = if is_log { "height: records, log" } else { "height: records" };
    scene.text([LEFT - 40.0, HEIGHT - 6.0], START, "small", name);
    let name = if of.edges.windows(2).any(|pair| pair[1] - pair[0] != of.edges[1] - of.edges[0]) {
        "log"
    } else {
        ""
    };
    named_axis(&mut scene, BOTTOM, &slot_ticks(&of.edges, of.unit, LEFT, RIGHT), name, RIGHT);
    scene
}

/// Draws quantiles as lines. Quantiles at the same position share a label.
fn marks(scene: &mut Scene, of: &Histogrammed, width: f64) {
    let mut places: Vec<(f64, String)> = Vec::new();
    for (name, value) in &of.marks {
        let bin = position(&of.edges, *value as f64);
        let is_single = of.edges.get(bin as usize + 1).is_some_and(|next| next - of.edges[bin as usize] == 1);
        let x = LEFT + (if is_single { bin.floor() + 0.5 } else { bin }) * width;
        match places.last_mut().filter(|(last, _)| x - *last < 1.0) {
            Some((_, names)) => *names = format!("{names} {name}"),
            None => places.push((x, (*name).to_owned())),
        }
    }
    let mut free = [f64::MIN; NAMES];
    for (x, names) in places {
        scene.line([x, TOP - 4.0, x, BOTTOM], "mark");
        let half = names.chars().count() as f64 * CHARACTER / 2.0;
        let at = x.clamp(LEFT + half, WIDTH - half);
        if let Some(row) = (0..NAMES).find(|row| at - half > free[*row]) {
            scene.text([at, TOP - 7.0 - 11.0 * row as f64], MIDDLE, "small", names);
            free[row] = at + half + 3.0;
        }
    }
}

/// Draws a small histogram without axes, for the row of a table.
pub(crate) fn spark(counts: &[u64]) -> Scene {
    let mut scene = Scene::new(120.0, 26.0);
    let bins = counts.len().max(1) as f64;
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let width = 120.0 / bins;
    let mut d = String::new();
    for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let height = (count as f64 / most * 25.0).max(1.0);
        d += &format!("M{:.1} 26h{:.1}v-{:.1}h-{:.1}z", bin as f64 * width, width, height, width);
    }
    scene.shapes.push(Shape::Path { d, class: "c0".to_owned() });
    scene.line([0.0, 25.7, 120.0, 25.7], "axis");
    scene
}

/// A quantity whose values are divided into bins.
pub(crate) struct Scale {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    /// Start of each bin in ascending order, followed by the end of the last bin.
    pub(crate) edges: Vec<u64>,
}

impl Scale {
    fn bins(&self) -> f64 {
        self.edges.len().saturating_sub(1).max(1) as f64
    }

    /// Returns the name of the scale with the first value of a bin.
    fn named(&self, bin: usize) -> String {
        format!("{} from {}", self.name, self.unit.short(self.edges[bin] as f64))
    }
}

/// Draws how often each pair of values occurs, as shaded cells.
///
/// Each cell has the indices of its horizontal and vertical bins, and its number of records.
pub(crate) fn density(x_scale: &Scale, y_scale: &Scale, cells: &[(usize, usize, u64)]) -> Scene {
    let (top, bottom) = (30.0, 220.0);
    let left = LEFT + 8.0;
    let mut scene = Scene::new(WIDTH, bottom + 36.0);
    let (width, height) = ((RIGHT - left) / x_scale.bins(), (bottom - top) / y_scale.bins());
    let most = cells.iter().map(|(_, _, count)| *count).max().unwrap_or(1).max(1) as f64;
    for &(x, y, count) in cells {
        let share = ((count as f64).ln() + 1.0) / (most.ln() + 1.0);
        let place = [left + x as f64 * width, bottom - (y as f64 + 1.0) * height, width, height];
        scene.shade(place, share, format!("{}, {}: {count}", x_scale.named(x), y_scale.named(y)));
    }
    scene.line([left, bottom, RIGHT, bottom], "axis");
    scene.line([left, top, left, bottom], "axis");
    for (place, text) in slot_ticks(&y_scale.edges, y_scale.unit, 0.0, bottom - top) {
        scene.line([left - 4.0, bottom - place, left, bottom - place], "axis");
        scene.text([left - 6.0, bottom - place + 4.0], END, "small", text);
    }
    scene.text([0.0, 14.0], START, "small", format!("{}, log", y_scale.name));
    let ticks = slot_ticks(&x_scale.edges, x_scale.unit, left, RIGHT);
    let is_log = x_scale.edges.windows(2).any(|pair| pair[1] - pair[0] != 1);
    let name = if is_log { format!("{}, log", x_scale.name) } else { x_scale.name.to_owned() };
    named_axis(&mut scene, bottom, &ticks, &name, RIGHT);
    scene
}
