//! Pictures of the solving steps that a rating uses. Each picture shows the grid just before the step. Marks
//! show which candidates the step depends on, which it removes and which it places.

use super::page::{Figure, Section, Unit};
use super::svg::{Grid, StepMark, step as draw};
use quadrille_batch::stats::{Drawing, Hard, Statistics, grouped};
use quadrille_model::canonical::Cells;
use quadrille_model::geometry_9x9;
use quadrille_rating::{Candidate, Rater, Step, Tenths};

/// Maximum number of puzzles for which the steps are drawn.
const PUZZLES: usize = 5;

/// Returns one section for each of the hardest puzzles of a run. `max_rating` limits which solving steps are
/// used.
pub(crate) fn step_sections(statistics: &Statistics, max_rating: Tenths) -> Vec<Section> {
    let mut rater = Rater::new(max_rating);
    let drawn = statistics.hardest().iter().filter_map(|hard| section(hard, &mut rater));
    drawn.take(PUZZLES).collect()
}

/// Returns the section about the solving steps of a puzzle, or `None` if the puzzle cannot be rated.
fn section(hard: &Hard, rater: &mut Rater) -> Option<Section> {
    let Some(Drawing::Grid { clues, solution: Some(solution), .. }) = &hard.drawing else { return None };
    let digits = |text: &str| text.chars().map(|digit| digit.to_digit(10).unwrap_or(0) as u8).collect();
    let (clues, solution): (Vec<u8>, Vec<u8>) = (digits(clues), digits(solution));
    let mut steps = Vec::new();
    let cells = (Cells::new(&clues).ok()?, Cells::new(&solution).ok()?);
    let rating = rater.explain(&cells.0, &cells.1, &mut |step| steps.push(step.clone())).ok()?;
    let mut grid = Grid::new(&clues);
    let columns = ["step", "rating", "technique", "reason and effect"];
    let mut figure = Figure::new(format!("steps-{}", hard.index), "The steps", columns);
    for (number, step) in (1u64..).zip(&steps) {
        let text = step.to_string();
        let reason = text
            .split_once(step.technique.name())
            .map_or("", |(_, rest)| rest.trim_start_matches([':', ';', ' ']));
        figure.row([
            Unit::Count.whole(number),
            step.rating.to_string().into(),
            step.technique.name().into(),
            reason.into(),
        ]);
        let scene = draw(&grid, &marks(&grid, step));
        figure = figure.with_picture(format!("{number}. {text}"), scene);
        grid.take(step);
    }
    let text = "Each picture shows the grid before its step: the candidates that the step rests on are blue, those of a chain \
                that hold green and those that fail yellow, removed candidates are crossed out, and a placed digit is framed.";
    let title = format!("Record {}: rated {}", grouped(hard.index), rating.er);
    Some(Section::new(format!("steps-of-{}", hard.index), title, [figure.with_text(text)]))
}

impl Grid {
    fn new(clues: &[u8]) -> Self {
        let mut grid = Grid { digits: [0; 81], is_clue: [false; 81], candidates: [0x3fe; 81] };
        for (cell, &digit) in clues.iter().enumerate().take(81).filter(|(_, digit)| **digit > 0) {
            grid.is_clue[cell] = true;
            grid.place(cell, digit);
        }
        grid
    }

    fn place(&mut self, cell: usize, digit: u8) {
        self.digits[cell] = digit;
        self.candidates[cell] = 0;
        let geometry = geometry_9x9();
        for &house in geometry.houses_of(cell) {
            for &peer in &geometry.houses()[usize::from(house)].cells {
                self.candidates[usize::from(peer)] &= !(1 << digit);
            }
        }
    }

    fn take(&mut self, step: &Step) {
        for Candidate { cell, digit } in &step.removed {
            self.candidates[usize::from(*cell)] &= !(1 << digit);
        }
        if let Some(Candidate { cell, digit }) = step.placed {
            self.place(usize::from(cell), digit);
        }
    }
}

/// Returns the candidates that have a role in a step, each with its role.
fn marks(grid: &Grid, step: &Step) -> Vec<(Candidate, StepMark)> {
    let mut marks: Vec<(Candidate, StepMark)> = Vec::new();
    for &cell in &step.cells {
        let held = |digit: &&u8| grid.candidates[usize::from(cell)] >> **digit & 1 != 0;
        let of_cell = step.digits.iter().filter(held).map(|&digit| Candidate { cell, digit });
        marks.extend(of_cell.map(|candidate| (candidate, StepMark::Basis)));
    }
    for link in step.chains.iter().flatten() {
        marks.push((link.candidate, if link.is_on { StepMark::On } else { StepMark::Off }));
    }
    marks.extend(step.removed.iter().map(|&removed| (removed, StepMark::Removed)));
    marks.extend(step.placed.map(|placed| (placed, StepMark::Placed)));
    marks
}
