//! The rules that can be shown in a drawing of a grid.
//!
//! They are read from the text, because the compiled tables do not say which cells form a cage.

use super::text::{Item, cell_of, items};
use super::{Rules, Shape};

/// Regions, cages and marks of a grid, to be drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawing {
    /// For each cell, the 0-based index of its region.
    ///
    /// The regions are those of the last layout in the text. Without a layout they are the boxes. Without
    /// boxes all indices are 0.
    pub regions: Vec<u16>,
    /// Cages, in the order of the text. For each cage, the sum as written in the text (empty if there is
    /// none) and the cells in ascending order.
    pub cages: Vec<(String, Vec<usize>)>,
    /// Marks between neighbouring cells. The lower cell of a pair comes first.
    ///
    /// The mark is `o` for a white dot, `*` for a black dot, or the letter `X` or `V`. The marks `<`, `>`,
    /// `^` and `v` point to the smaller digit.
    pub marks: Vec<(usize, usize, char)>,
    /// True if the text has a layout of regions.
    has_layout: bool,
}

impl Drawing {
    /// Returns true if the drawing shows anything besides boxes.
    pub fn shows_rules(&self) -> bool {
        self.has_layout || !self.cages.is_empty() || !self.marks.is_empty()
    }
}

impl Rules {
    /// Returns the parts of the rules that a drawing of a grid shows.
    ///
    /// ```
    /// use quadrille::rules::{Shape, compile};
    /// let rules = compile(".Cage~5~R1C2~R1C1.X~R2C1~R2C2", Shape { box_rows: 2, box_columns: 2 })?;
    /// let drawing = rules.drawing();
    /// assert_eq!((drawing.regions[2], &drawing.marks[..]), (1, &[(4, 5, 'X')][..]));
    /// assert_eq!(drawing.cages, [("5".to_owned(), vec![0, 1])]);
    /// # Ok::<(), quadrille::rules::RuleError>(())
    /// ```
    pub fn drawing(&self) -> Drawing {
        let shape = self.shape();
        let items = items(self.text()).unwrap_or_default();
        let has_boxes = shape.has_boxes() && !items.iter().any(|item| item.name == "NoBoxes");
        let region = |cell| if has_boxes { shape.box_of(cell) as u16 } else { 0 };
        let mut drawing = Drawing { regions: (0..shape.cells()).map(region).collect(), ..Drawing::default() };
        items.iter().for_each(|item| drawing.add(item, shape));
        drawing
    }
}

impl Drawing {
    fn add(&mut self, item: &Item<'_>, shape: Shape) {
        let side = shape.side();
        let cells =
            |words: &[&str]| -> Vec<usize> { words.iter().filter_map(|word| cell_of(word, side)).collect() };
        let sign = match item.name {
            "Jigsaw" => {
                self.has_layout = true;
                let layout: Vec<char> = item.arguments.last().map_or("", |word| word).chars().collect();
                let first =
                    |letter: &char| layout.iter().position(|other| other == letter).unwrap_or(0) as u16;
                self.regions = layout.iter().map(first).collect();
                return;
            }
            "Cage" => {
                let Some((sum, words)) = item.arguments.split_first() else { return };
                let mut cells = cells(words);
                cells.sort_unstable();
                // A cage with the sum 0 allows any sum.
                let sum = sum.parse::<u32>().ok().filter(|sum| *sum != 0);
                self.cages.push((sum.map_or(String::new(), |sum| sum.to_string()), cells));
                return;
            }
            "WhiteDot" => 'o',
            "BlackDot" => '*',
            "X" => 'X',
            "V" => 'V',
            "GreaterThan" => '>',
            _ => return,
        };
        let cells = cells(&item.arguments);
        for (at, &a) in cells.iter().enumerate() {
            for &b in &cells[at + 1..] {
                let (low, high) = (a.min(b), a.max(b));
                let is_beside = high == low + 1 && high % side != 0;
                let sign = match (sign, is_beside, a < b) {
                    _ if !is_beside && high != low + side => continue,
                    ('>', true, true) => '>',
                    ('>', true, false) => '<',
                    ('>', false, true) => 'v',
                    ('>', false, false) => '^',
                    (sign, ..) => sign,
                };
                self.marks.push((low, high, sign));
            }
        }
    }
}
