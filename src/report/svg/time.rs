//! Steps and rows over time.

use super::axis::{Axis, named_axis, upright_axis};
use crate::report::page::Unit;
use crate::report::scene::{COLOURS, END, START, Scene, Shape, WIDTH};

const LEFT: f64 = 56.0;
const RIGHT: f64 = WIDTH - 8.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 140.0;

/// Time from the start to the end of a run, divided into steps. The last step may be shorter than the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeSteps {
    pub(crate) step_ns: u64,
    pub(crate) end_ns: u64,
}

impl TimeSteps {
    /// Returns the length of a step in nanoseconds, at least 1. `number` is the 0-based index of the step.
    pub(crate) fn width(self, number: usize) -> f64 {
        self.end_ns.saturating_sub(number as u64 * self.step_ns).clamp(1, self.step_ns) as f64
    }

    /// Returns the positions of the start and the end of a step on the time axis.
    fn ends(self, axis: &Axis, steps: std::ops::Range<usize>) -> (f64, f64) {
        let at =
            |number: usize| axis.place((number as u64).saturating_mul(self.step_ns).min(self.end_ns) as f64);
        (at(steps.start), at(steps.end))
    }

    /// Draws a time axis with its labels, and returns the axis.
    fn axis(self, scene: &mut Scene, bottom: f64) -> Axis {
        let axis = Axis::exact(self.end_ns as f64, LEFT, RIGHT);
        // Labels are round numbers of a suitable unit.
        let unit = Unit::of_time(self.end_ns);
        let ticks = Axis::exact(self.end_ns as f64 / unit, 0.0, 1.0).ticks();
        let ticks = ticks.into_iter().map(|tick| {
            let text = if tick == 0.0 { "0".to_owned() } else { Unit::Nanoseconds.short(tick * unit) };
            (axis.place(tick * unit), text)
        });
        let ticks: Vec<(f64, String)> = ticks.collect();
        scene.line([LEFT, bottom, RIGHT, bottom], "axis");
        named_axis(scene, bottom, &ticks, "", RIGHT);
        axis
    }
}

/// Draws amounts over time as stacked layers. Each layer has a name and one amount per time step.
pub(crate) fn steps(time: TimeSteps, unit: Unit, layers: &[(String, Vec<f64>)]) -> Scene {
    let legend = if layers.len() > 1 { layers.len().div_ceil(3) as f64 * 16.0 + 6.0 } else { 0.0 };
    let mut scene = Scene::new(WIDTH, BOTTOM + 24.0 + legend);
    let length = layers.iter().map(|(_, amounts)| amounts.len()).max().unwrap_or(0);
    let sum =
        |number: usize| layers.iter().map(|(_, amounts)| amounts.get(number).unwrap_or(&0.0)).sum::<f64>();
    let axis = Axis::linear((0..length).map(sum).fold(0.0, f64::max), BOTTOM, TOP);
    upright_axis(&mut scene, &axis, unit, LEFT, RIGHT);
    let time_axis = time.axis(&mut scene, BOTTOM);
    let mut floor = vec![0.0; length];
    for (layer, (name, amounts)) in layers.iter().enumerate() {
        // The outline follows the top of this layer from left to right. It returns from right to left along
        // the top of the layer below.
        let mut d = String::new();
        let ends = |number: usize| time.ends(&time_axis, number..number + 1);
        let top = |number: usize| axis.place(floor[number] + amounts.get(number).unwrap_or(&0.0));
        for number in 0..length {
            let (from, to) = ends(number);
            d += &format!("{}{from:.1} {:.1}H{to:.1}", if number == 0 { "M" } else { "L" }, top(number));
        }
        for number in (0..length).rev() {
            let (from, to) = ends(number);
            d += &format!("L{to:.1} {:.1}H{from:.1}", axis.place(floor[number]));
        }
        if !d.is_empty() {
            scene.shapes.push(Shape::Path { d: d + "z", class: format!("c{}", layer % COLOURS) });
        }
        floor.iter_mut().zip(amounts).for_each(|(floor, amount)| *floor += amount);
        if layers.len() > 1 {
            let (x, y) = ((layer % 3) as f64 * 112.0, BOTTOM + 30.0 + (layer / 3) as f64 * 16.0);
            scene.rect([x, y, 10.0, 10.0], format!("c{}", layer % COLOURS), String::new());
            scene.text([x + 15.0, y + 9.0], START, "small", name);
        }
    }
    scene
}

/// Draws one row of shaded cells per thread. Each row has a share from 0 to 1 for each time step.
pub(crate) fn rows(time: TimeSteps, threads: &[Vec<f64>]) -> Scene {
    let height = if threads.len() > 24 { 7.0 } else { 14.0 };
    let bottom = TOP + height * threads.len() as f64;
    let mut scene = Scene::new(WIDTH, bottom + 24.0);
    let axis = time.axis(&mut scene, bottom);
    let every = if height < 10.0 { 4 } else { 1 };
    for (number, shares) in threads.iter().enumerate() {
        let name = number + 1;
        let y = TOP + height * number as f64;
        if number % every == 0 {
            scene.text([LEFT - 6.0, y + height.min(11.0)], END, "small", format!("thread {name}"));
        }
        scene.rect([LEFT, y, RIGHT - LEFT, height - 1.0], "ground", String::new());
        // Adjacent cells with the same shade are merged into one rectangle.
        let shade = |share: f64| (share * 20.0).round() as u32;
        let mut begin = 0;
        for end in 1..=shares.len() {
            if end < shares.len() && shade(shares[end]) == shade(shares[begin]) {
                continue;
            }
            let share = f64::from(shade(shares[begin])) / 20.0;
            let (from, to) = time.ends(&axis, begin..end);
            if share > 0.0 {
                scene.shade(
                    [from, y, to - from, height - 1.0],
                    share,
                    format!("thread {name}: {:.0} %", share * 100.0),
                );
            }
            begin = end;
        }
    }
    scene
}
