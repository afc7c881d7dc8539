//! Axes of plots. An axis determines the positions of values, and which values get a label.

use crate::report::page::Unit;
use crate::report::scene::{CHARACTER, END, MIDDLE, Scene, WIDTH};

/// A mapping from values to coordinates in the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// Largest value on the axis. The smallest value is 0, or slightly below 1 on a logarithmic axis.
    most: f64,
    is_log: bool,
    /// True if only whole numbers get a label.
    is_whole: bool,
    /// Position of the least value.
    from: f64,
    /// Position of the greatest value.
    to: f64,
}

impl Axis {
    /// Creates a linear axis from 0 to at least `most`.
    pub(super) fn linear(most: f64, from: f64, to: f64) -> Self {
        let step = step(most);
        let most = if most > 0.0 { (most / step).ceil() * step } else { 1.0 };
        Axis { most, is_log: false, is_whole: false, from, to }
    }

    /// Creates an axis for counts. Its labels are whole numbers.
    pub(super) fn counts(most: f64, from: f64, to: f64) -> Self {
        let most = if most > 4.0 { most } else { most.ceil().max(1.0) };
        if most > 4.0 {
            Axis::linear(most, from, to)
        } else {
            Axis { most, is_log: false, is_whole: true, from, to }
        }
    }

    /// Creates a logarithmic axis from slightly below 1 to at least `most`. Powers of ten get labels.
    pub(super) fn log(most: f64, from: f64, to: f64) -> Self {
        Axis { most: most.max(10.0), is_log: true, is_whole: false, from, to }
    }

    /// Creates an axis for time. It ends exactly at `most`, the end of the run, without rounding up.
    pub(super) fn exact(most: f64, from: f64, to: f64) -> Self {
        Axis { most: if most > 0.0 { most } else { 1.0 }, is_log: false, is_whole: false, from, to }
    }

    /// Returns the coordinate of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        let share = if self.is_log {
            // The axis starts half a power of ten below 1. So the bar of a single record has a visible
            // height.
            (value.max(0.3).log10() + 0.5) / (self.most.log10() + 0.5)
        } else {
            value / self.most
        };
        self.from + (self.to - self.from) * share.clamp(0.0, 1.0)
    }

    /// Returns the values to label, in ascending order.
    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.is_log {
            let powers = self.most.log10().floor() as i32;
            let every = (powers / 4).max(1);
            return (0..=powers).filter(|power| power % every == 0).map(|power| 10f64.powi(power)).collect();
        }
        let step = if self.is_whole { 1.0 } else { step(self.most) };
        (0..=6)
            .map(|number| f64::from(number) * step)
            .take_while(|tick| *tick <= self.most * 1.000_001)
            .collect()
    }
}

/// Returns a round distance between two labels. Three to five of these distances cover the range from 0 to
/// `most`.
fn step(most: f64) -> f64 {
    if most <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf((most / 4.0).log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .iter()
        .map(|factor| factor * power)
        .find(|step| most / step <= 5.0)
        .unwrap_or(power * 10.0)
}

/// A row of labels below a plot. Labels do not overlap.
pub(super) struct Labels {
    /// Position of the baseline.
    y: f64,
    /// Ends of the space for labels.
    from: f64,
    to: f64,
    /// End of the last label.
    free: f64,
}

impl Labels {
    pub(super) fn new(y: f64, from: f64, to: f64) -> Self {
        Labels { y, from, to, free: f64::MIN }
    }

    /// Draws a label centred at `x`, unless it would overlap the previous label.
    pub(super) fn draw(&mut self, scene: &mut Scene, x: f64, text: impl Into<String>) {
        let text = text.into();
        let half = text.chars().count() as f64 * CHARACTER / 2.0;
        let x = x.clamp(self.from + half, self.to - half);
        if x - half > self.free {
            self.free = x + half + 4.0;
            scene.text([x, self.y], MIDDLE, "small", text);
        }
    }
}

/// Returns a number as text without trailing zeros.
pub(super) fn trimmed(number: f64) -> String {
    match number {
        1000.0.. => Unit::Count.short(number),
        0.001.. => format!("{number:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => format!("{number:.0e}"),
    }
}

/// Draws the labels of a plot's horizontal axis, and the name of the axis.
pub(super) fn named_axis(scene: &mut Scene, y: f64, ticks: &[(f64, String)], name: &str, right: f64) {
    let mut labels = Labels::new(y + 16.0, 0.0, WIDTH);
    for (x, text) in ticks {
        scene.line([*x, y, *x, y + 4.0], "axis");
        labels.draw(scene, *x, text);
    }
    scene.text([right, y + 30.0], END, "small", name);
}

/// Draws the vertical axis of a plot, with grid lines.
pub(super) fn upright_axis(scene: &mut Scene, axis: &Axis, unit: Unit, left: f64, right: f64) {
    for tick in axis.ticks() {
        let y = axis.place(tick);
        scene.line([left, y, right, y], "grid");
        scene.text([left - 5.0, y + 4.0], END, "small", unit.short(tick));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_and_within() {
        for most in [0.0, 0.3, 1.0, 7.0, 99.0, 1234.0, 5e9, 1e18] {
            for axis in [
                Axis::linear(most, 0.0, 100.0),
                Axis::counts(most, 0.0, 100.0),
                Axis::log(most, 0.0, 100.0),
                Axis::exact(most, 0.0, 100.0),
            ] {
                let ticks = axis.ticks();
                assert!((2..=7).contains(&ticks.len()), "{most} {axis:?}: {ticks:?}");
                assert!(ticks.iter().all(|tick| (0.0..=100.01).contains(&axis.place(*tick))));
            }
            assert!(Axis::linear(most, 0.0, 100.0).place(most) <= 100.0);
        }
    }
}
