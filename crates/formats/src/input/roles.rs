//! Decides which columns of a table, or members of objects, make up a record.
//!
//! The names of the columns decide first, and then their values. All sources with columns use this module:
//! CSV, JSON objects, Parquet, Arrow and tables in memory. If there are several columns, a column of finished
//! grids becomes the puzzle column only if the caller names it.

use std::sync::Arc;

use super::InputOptions;
use super::cells::has_clues;
use super::columns::{
    Column, ColumnRef, Columns, Places, Role, doubled, is_name_of, is_puzzle_name, last_added,
};
use super::inner_grid::value_cells;
use super::lines::trim;
use super::shapes::{self, TextShape, says_rules};

/// The columns of a source, to which roles such as puzzle, solution and id are assigned.
pub(super) struct Offer<'a> {
    /// Names of the columns, or their numbers if they have no names.
    pub(super) names: Vec<String>,
    /// True if the source gives names to its columns.
    pub(super) has_names: bool,
    /// The word for a column in sources of this kind, such as `column` or `member`.
    pub(super) noun: &'static str,
    pub(super) options: &'a InputOptions,
}

/// The columns with their chosen roles, and messages about the choice.
pub(super) type Chosen = (Columns, Vec<String>);

impl Offer<'_> {
    /// Returns the columns whose roles follow from the caller's options or from the names of the columns.
    ///
    /// # Errors
    /// Returns the reason if a column that the caller named does not exist. Also returns a reason if two
    /// columns hold rules or two columns hold regions, because only one of the two would be used.
    pub(super) fn named(&self) -> Result<Places, String> {
        let options = self.options;
        let find = |is: &dyn Fn(&str) -> bool| {
            if self.has_names { self.names.iter().position(|name| is(name)) } else { None }
        };
        let place_of = |column: &Option<ColumnRef>| match column {
            // A later object may have members that the first object does not have.
            Some(ColumnRef::Name(_)) if self.noun == MEMBER => {
                Ok(column.as_ref().and_then(|of| of.place_in(&self.names).ok()))
            }
            column => column.as_ref().map(|column| column.place_in(&self.names)).transpose(),
        };
        let puzzle = place_of(&options.column)?
            .or_else(|| if options.column.is_some() { None } else { find(&is_puzzle_name) });
        let solution = place_of(&options.solution_column)?.or_else(|| match options.solution_column {
            Some(_) => None,
            None => find(&|name| is_name_of(Role::Solution, name, false)),
        });
        let rules = find(&|name| is_name_of(Role::Rules, name, false));
        if let Some(reason) = doubled(self.names.iter().map(String::as_str)).filter(|_| self.has_names) {
            return Err(reason);
        }
        let id = last_added(self.names.iter().map(String::as_str), options.id_names);
        Ok(Places([
            puzzle,
            solution.filter(|_| solution != puzzle),
            id.filter(|_| self.has_names),
            rules.filter(|_| !options.no_rules),
            find(&|name| is_name_of(Role::Regions, name, false)),
        ]))
    }

    /// Returns the columns. The names and the first of `rows` decide, or otherwise all of `rows`.
    ///
    /// Each row has one value per name. Returns `None` if the names do not decide and `rows` are not `complete`.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`by_values`](Self::by_values).
    pub(super) fn choose<V: AsRef<[u8]>>(
        &self,
        rows: impl Iterator<Item = Vec<V>>,
        complete: bool,
    ) -> Result<Option<Chosen>, String> {
        let mut rows = rows.peekable();
        match self.by_names(rows.peek().map_or(&[][..], |row| &row[..]))? {
            None if complete => self.by_values(&rows.collect::<Vec<_>>()).map(Some),
            chosen => Ok(chosen),
        }
    }

    /// Returns the columns if their names decide the roles and the first row confirms this.
    ///
    /// Returns `None` if more rows are needed.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`named`](Self::named).
    fn by_names(&self, first: &[impl AsRef<[u8]>]) -> Result<Option<Chosen>, String> {
        let places = self.named()?;
        let shapes: Vec<TextShape> =
            first.iter().enumerate().map(|(column, value)| self.shape(column, value.as_ref())).collect();
        let [puzzle, solution, _, rules, regions] = places.0;
        let is_grid =
            puzzle.and_then(|place| shapes.get(place)).is_some_and(|shape| shape.grid_side().is_some());
        let has = |is: fn(&TextShape) -> bool| {
            (0..).zip(&shapes).any(|(place, shape)| places.role(place) == Role::Other && is(shape))
        };
        let is_decided = self.has_names
            && is_grid
            && (regions.is_some() || !has(|shape| matches!(shape, TextShape::Layout(_))))
            && (solution.is_some() || !has(|shape| matches!(shape, TextShape::Full(_))))
            && rules
                .is_none_or(|rules| first.get(rules).is_some_and(|value| says_rules(trim(value.as_ref()))));
        Ok(is_decided.then(|| (self.with(places), Vec::new())))
    }

    /// Returns the columns. Their roles are decided by the column names and by the values in `rows`.
    ///
    /// Each row has one value per name. Several columns may contain grids with empty cells. A column is then
    /// preferred if another column contains solutions of the same size. After that, the column with the
    /// largest grids is preferred, because keys and ids are shorter than the puzzles next to them.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`named`](Self::named). Also returns the reason if several
    /// columns are equally likely.
    pub(super) fn by_values(&self, rows: &[Vec<impl AsRef<[u8]>>]) -> Result<Chosen, String> {
        let (mut places, mut notes) = (self.named()?, Vec::new());
        let values = |column: usize| rows.iter().map(move |row| row[column].as_ref());
        if let Some(rules) = places[Role::Rules].filter(|&rules| is_prose(values(rules))) {
            places[Role::Rules] = None;
            notes.push(format!("{} {} is text, not rules, and is left out", self.noun, self.names[rules]));
        }
        let kinds: Vec<TextShape> = (0..self.names.len())
            .map(|column| kind_of(values(column).map(|value| self.shape(column, value))))
            .collect();
        // A name alone does not make a column the puzzle column: at least one of the column's values must be
        // a grid.
        let is_confirmed = |&column: &usize| {
            self.options.column.is_some()
                || values(column).any(|value| self.shape(column, value).grid_side().is_some())
        };
        let of_values = match (places[Role::Puzzle].filter(is_confirmed), &self.options.column) {
            (None, None) => self.likeliest_puzzle(rows, &kinds, places)?,
            _ => None,
        };
        if let Some(column) = of_values {
            places[Role::Puzzle] = Some(column);
            places[Role::Solution] = places[Role::Solution].filter(|&solution| solution != column);
            if self.names.len() > 1 && !self.is_likely(Role::Puzzle, column) {
                notes
                    .push(format!("{} is read as the puzzle (--column chooses another)", self.shown(column)));
            }
        }
        let side = places[Role::Puzzle].and_then(|column| kinds[column].grid_side());
        let of_kind = |kind: TextShape, places: Places| -> Vec<usize> {
            (0..kinds.len())
                .filter(|&column| places.role(column) == Role::Other && kinds[column] == kind)
                .collect()
        };
        if let (Some(puzzle), Some(side), None) = (places[Role::Puzzle], side, places[Role::Solution]) {
            let full = of_kind(TextShape::Full(side), places);
            places[Role::Solution] = self.likeliest_solution(rows, puzzle, &full, &mut notes);
        }
        if let (Some(side), None) = (side, places[Role::Regions])
            && let Some(&column) = of_kind(TextShape::Layout(side), places).first()
        {
            places[Role::Regions] = Some(column);
            notes.push(format!("{} is a layout of regions, which replace the boxes", self.shown(column)));
        }
        Ok((self.with(places), notes))
    }

    /// Returns the column whose values are most likely puzzles. Returns `None` if the values do not decide,
    /// so that the column names must decide.
    fn likeliest_puzzle(
        &self,
        rows: &[Vec<impl AsRef<[u8]>>],
        kinds: &[TextShape],
        places: Places,
    ) -> Result<Option<usize>, String> {
        let may_be = |column: &usize| {
            places[Role::Solution] != Some(*column) || self.options.solution_column.is_none()
        };
        let solution_of = |side| kinds.iter().position(|&kind| kind == TextShape::Full(side));
        // A column of grids without clues may really contain rulers such as `-----`. So a column with clues
        // is preferred.
        let rank = |column: usize| {
            let TextShape::Open(side) = kinds[column] else { return None };
            let has_clues = rows.iter().any(|row| has_clues(row[column].as_ref()));
            Some((has_clues, solution_of(side).is_some(), side))
        };
        let Some(best) = (0..kinds.len()).filter(may_be).filter_map(rank).max() else {
            return Ok(match kinds {
                [TextShape::Full(_)] => Some(0),
                _ if places[Role::Puzzle].is_some() => None,
                _ => (0..kinds.len()).find(|&column| {
                    let lost =
                        rows.iter().filter(|row| lost_zeros(trim(row[column].as_ref())).is_some()).count();
                    lost > 0 && 2 * lost >= rows.len()
                }),
            });
        };
        let likely: Vec<usize> =
            (0..kinds.len()).filter(may_be).filter(|&column| rank(column) == Some(best)).collect();
        let score = |&column: &usize| {
            let solution = solution_of(best.2);
            let agreeing = rows
                .iter()
                .filter(|row| agree(row[column].as_ref(), solution.map(|solution| row[solution].as_ref())));
            (agreeing.count(), self.is_likely(Role::Puzzle, column))
        };
        let most = likely.iter().map(score).max();
        let likely: Vec<usize> = likely.into_iter().filter(|column| Some(score(column)) == most).collect();
        match likely[..] {
            [column] => Ok(Some(column)),
            _ if places[Role::Puzzle].is_some() => Ok(None),
            _ => {
                let names: Vec<&str> = likely.into_iter().map(|column| &*self.names[column]).collect();
                let (noun, names) = (self.noun, names.join(", "));
                Err(format!("puzzles may be in several {noun}s, choose one with --column: {names}"))
            }
        }
    }

    /// Returns the column of finished grids that solve the puzzles in most rows.
    ///
    /// Returns `None` if no column has such grids, or if several columns are equally good.
    fn likeliest_solution(
        &self,
        rows: &[Vec<impl AsRef<[u8]>>],
        puzzle: usize,
        full: &[usize],
        notes: &mut Vec<String>,
    ) -> Option<usize> {
        let score = |column: usize| {
            let agreeing = rows.iter().filter(|row| agree(row[puzzle].as_ref(), Some(row[column].as_ref())));
            (agreeing.count(), self.is_likely(Role::Solution, column))
        };
        let values_of =
            |column: usize| rows.iter().filter(|row| !trim(row[column].as_ref()).is_empty()).count();
        let most = full.iter().map(|&column| score(column)).max()?;
        let best: Vec<usize> = full.iter().copied().filter(|&column| score(column) == most).collect();
        match best[..] {
            [column] if 2 * most.0 >= values_of(column).max(1) => {
                if !self.is_likely(Role::Solution, column) {
                    let shown = self.shown(column);
                    notes
                        .push(format!("{shown} is read as the solution (--solution-column chooses another)"));
                }
                Some(column)
            }
            _ => {
                let shown: Vec<String> = best.into_iter().map(|column| self.shown(column)).collect();
                let what = "no solution is read, although there are finished grids";
                notes.push(format!("{what} (--solution-column chooses): {}", shown.join(", ")));
                None
            }
        }
    }

    /// Returns the shape of a value.
    ///
    /// If the column probably holds grids, the value may be a longer text that contains a grid. In any other
    /// column, the whole value must be the grid. Otherwise ordinary text with commas could be mistaken for a
    /// grid.
    fn shape(&self, column: usize, value: &[u8]) -> TextShape {
        let is_likely = [Role::Puzzle, Role::Solution].iter().any(|&role| self.is_likely(role, column));
        match self.noun == MEMBER || self.options.column.is_some() || is_likely {
            true => shape_of(value, self.options.blank),
            false => shapes::shape_of(value, self.options.blank),
        }
    }

    /// Returns true if the name of a column shows that it may have this role.
    fn is_likely(&self, role: Role, column: usize) -> bool {
        self.has_names && is_name_of(role, &self.names[column], true)
    }

    fn shown(&self, column: usize) -> String {
        format!("{} {}", self.noun, self.names[column])
    }

    fn with(&self, places: Places) -> Columns {
        let id_names = self.options.id_names;
        let mut columns = Columns { id_names, ..Columns::new(self.names.clone(), places) };
        let asked = [(Role::Puzzle, &self.options.column), (Role::Solution, &self.options.solution_column)];
        for (role, asked) in asked {
            if let Some(ColumnRef::Name(name)) = asked
                && columns.places[role].is_none()
            {
                columns.places[role] = Some(columns.list.len());
                Arc::make_mut(&mut columns.list).push(Column::new(name, role));
            }
        }
        columns
    }
}

/// The word for a column in sources of objects.
pub(super) const MEMBER: &str = "member";

/// Returns the reason to refuse a source or an object in which no column holds puzzles.
pub(super) fn no_puzzle<'n>(noun: &str, names: impl Iterator<Item = &'n str>) -> String {
    format!("no {noun} with a puzzle (name it with --column): {}", names.collect::<Vec<_>>().join(", "))
}

/// Returns a reason if a text may be a puzzle that lost its leading zeros, or `None` otherwise.
///
/// Such a text is a number that lacks at most as many digits as the first row has cells.
pub(super) fn lost_zeros(text: &[u8]) -> Option<&'static str> {
    let side = text.len().isqrt() + 1;
    let is_digit = |byte: &u8| byte.is_ascii_digit() && usize::from(byte - b'0') <= side;
    let is_lost = matches!(side, 4 | 6 | 9)
        && text.len() + side >= side * side
        && text.contains(&b'0')
        && text.iter().all(is_digit);
    is_lost.then_some("leading zeros were lost because the column was read as a number")
}

/// Returns the shape of a value, which may be a longer text around a grid.
pub(super) fn shape_of(value: &[u8], blank: Option<u8>) -> TextShape {
    shapes::shape_of(&value_cells(trim(value), None).unwrap_or_default(), blank)
}

/// Returns the shape that at least half of a column's non-empty values have.
///
/// Puzzles and solutions of the same size are counted together. If together they are at least half of the
/// values, the more frequent of the two shapes is returned.
fn kind_of(shapes: impl Iterator<Item = TextShape>) -> TextShape {
    let shapes: Vec<TextShape> = shapes.filter(|&shape| shape != TextShape::Empty).collect();
    let count = |is: &dyn Fn(TextShape) -> bool| shapes.iter().filter(|&&shape| is(shape)).count();
    let most = shapes
        .iter()
        .filter(|shape| shape.grid_side().is_some())
        .max_by_key(|&&shape| count(&|other| other.grid_side() == shape.grid_side()));
    let is_most = |count: usize| count > 0 && 2 * count >= shapes.len();
    if let Some(side) = most.and_then(|shape| shape.grid_side()) {
        let (open, full) =
            (count(&|shape| shape == TextShape::Open(side)), count(&|shape| shape == TextShape::Full(side)));
        if is_most(open + full) {
            return if open >= full { TextShape::Open(side) } else { TextShape::Full(side) };
        }
    }
    let layout = shapes.iter().copied().find(|shape| matches!(shape, TextShape::Layout(_)));
    layout.filter(|&layout| is_most(count(&|shape| shape == layout))).unwrap_or(TextShape::Other)
}

/// Returns true if a column named `rules` has some values, and none of them can be read as rules.
fn is_prose<'v>(values: impl Iterator<Item = &'v [u8]>) -> bool {
    let mut values = values.map(trim).filter(|value| !value.is_empty() && *value != b"null").peekable();
    values.peek().is_some() && !values.any(says_rules)
}

/// Returns true if a solution agrees with all clues of a puzzle.
fn agree(puzzle: &[u8], solution: Option<&[u8]>) -> bool {
    let cells = |text| value_cells(trim(text), None).unwrap_or_default();
    let (puzzle, solution) = (cells(puzzle), cells(solution.unwrap_or_default()));
    let is_clue = |byte: u8| byte.is_ascii_alphanumeric() && byte != b'0';
    puzzle.len() == solution.len()
        && puzzle.iter().zip(&*solution).all(|(clue, digit)| !is_clue(*clue) || clue == digit)
}

#[cfg(test)]
mod tests {
    use super::super::examples::{DONE, EASY, LAYOUT};
    use super::*;

    type Found = Result<(Option<usize>, Option<usize>, Option<usize>), String>;

    fn chosen(names: &[&str], rows: &[&[&str]]) -> Found {
        let rows: Vec<Vec<&[u8]>> =
            rows.iter().map(|row| row.iter().map(|value| value.as_bytes()).collect()).collect();
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let offer = Offer { names, has_names: true, noun: "column", options: &InputOptions::default() };
        let (columns, _) = offer.by_values(&rows)?;
        Ok((columns.places[Role::Puzzle], columns.places[Role::Solution], columns.places[Role::Regions]))
    }

    #[test]
    fn the_column_is_chosen_by_all_rows_and_the_other_columns() {
        let (key, uuid) = ("0000000000000012", "550e1400-e24b-41d4-a216-446655440000");
        let three = ["a", "b", "c"];
        assert_eq!(chosen(&three, &[&[key, EASY, DONE], &[key, EASY, DONE]]), Ok((Some(1), Some(2), None)));
        assert_eq!(chosen(&three[..2], &[&[uuid, EASY]]), Ok((Some(1), None, None)));
        assert_eq!(chosen(&three, &[&[EASY, LAYOUT, key]]), Ok((Some(0), None, Some(1))));
        // A single damaged row does not prevent a decision.
        let rows: [&[&str]; 4] = [&["x", EASY], &[EASY, EASY], &["y", EASY], &["z", "?"]];
        assert_eq!(chosen(&three[..2], &rows), Ok((Some(1), None, None)));
        // Two columns may hold the puzzle, but the clues of only one of them agree with the solution.
        let other = &EASY.replace('5', "4");
        assert_eq!(chosen(&three, &[&[other, EASY, DONE]]), Ok((Some(1), Some(2), None)));
        let several = "puzzles may be in several columns, choose one with --column: a, b";
        assert_eq!(chosen(&three[..2], &[&[other, EASY]]), Err(several.to_owned()));
        assert_eq!(chosen(&["a", "board"], &[&[other, EASY]]), Ok((Some(1), None, None)));
        assert_eq!(chosen(&three[..2], &[&["x", "y"]]), Ok((None, None, None)));
    }

    #[test]
    fn finished_grids_are_the_puzzle_only_if_there_is_nothing_else() {
        assert_eq!(chosen(&["a", "b"], &[&["x", DONE]]), Ok((None, None, None)));
        assert_eq!(chosen(&["puzzle", "b"], &[&["x", DONE]]), Ok((Some(0), None, None)));
        assert_eq!(chosen(&["a"], &[&[DONE]]), Ok((Some(0), None, None)));
        // A number that lost its leading zeros counts as a puzzle, and so does a grid inside prose.
        assert_eq!(
            chosen(&["a", "b"], &[&["312003020003000", "4312123421433421"]]),
            Ok((Some(0), None, None))
        );
        let prose = format!(
            "Solve:\n{}Thanks.",
            EASY.as_bytes()
                .chunks(9)
                .map(|row| format!("{}\n", String::from_utf8_lossy(row)))
                .collect::<String>()
        );
        assert_eq!(chosen(&["prompt", "b"], &[&[&prose, DONE]]), Ok((Some(0), Some(1), None)));
        assert_eq!(chosen(&["a", "b"], &[&[&prose, DONE]]), Ok((None, None, None)));
        // If two columns contain finished grids, the column whose grids solve the puzzles is the solution. If
        // the grids of both columns solve the puzzles, the column with a likely name is the solution.
        let other = &DONE.replace('1', "x").replace('2', "1").replace('x', "2");
        assert_eq!(chosen(&["a", "b", "c"], &[&[EASY, other, DONE]]), Ok((Some(0), Some(2), None)));
        assert_eq!(chosen(&["a", "b", "target"], &[&[EASY, DONE, DONE]]), Ok((Some(0), Some(2), None)));
        assert_eq!(chosen(&["a", "b", "c"], &[&[EASY, DONE, DONE]]), Ok((Some(0), None, None)));
    }
}
