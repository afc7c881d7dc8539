//! Reads one-line puzzles in special notations: HoDoKu's library, and games of Simon Tatham's Solo.
//!
//! These notations do not have one character per cell.

use std::fmt::Write as _;

use memchr::memchr;

use super::super::cells::{EMPTY, write_numbers};
use super::super::lines::{number_in, trim, words};
use super::super::shapes::shape_of;
use quadrille_model::{MAX_SIDE, Reason};

/// A puzzle in HoDoKu's or Solo's notation.
pub(super) struct Notation<'l> {
    pub(super) puzzle: &'l [u8],
    /// The characters of its cells.
    pub(super) cells: Vec<u8>,
    pub(super) id: &'l [u8],
    /// Rules that exclude the removed candidates, or empty if there are none.
    pub(super) rules: String,
    /// Numbers of rows and columns of a box, if the notation states them.
    pub(super) box_shape: Option<(usize, usize)>,
}

/// Reads a line in HoDoKu's or Solo's notation, or returns `None` if the line is in neither of them.
///
/// # Errors
/// Returns the reason if the line cannot be read.
pub(super) fn notation(line: &[u8]) -> Option<Result<Notation<'_>, Reason>> {
    // Nearly all lines have no `+` and do not begin with `:`, so nearly all lines are rejected quickly.
    let is_library = line.first() == Some(&b':') || memchr(b'+', line).is_some();
    if is_library { library(line) } else { game(line) }
}

/// Reads a line of HoDoKu's library. Also reads a line that begins with a puzzle and marks placed digits with
/// `+`.
///
/// A library line has the form `:technique:candidates:puzzle:removed candidates:...`.
fn library(line: &[u8]) -> Option<Result<Notation<'_>, Reason>> {
    let is_library = line.starts_with(b":");
    let mut fields = line.split(|&byte| byte == b':');
    let technique = fields.clone().nth(1).filter(|_| is_library).unwrap_or_default();
    loop {
        let puzzle = fields.next()?;
        let cells: Vec<u8> = puzzle.iter().copied().filter(|&byte| byte != b'+').collect();
        if !is_library && cells.len() == puzzle.len() {
            return None;
        }
        if cells.len() > MAX_SIDE && shape_of(&cells, None).grid_side().is_some() {
            let removed = if is_library { fields.next().unwrap_or_default() } else { b"" };
            let without = |rules| Notation { puzzle, cells, id: technique, rules, box_shape: None };
            return Some(without_candidates(removed).map(without));
        }
        if !is_library {
            return None;
        }
    }
}

/// Returns rules that remove candidates. Each word of `removed` is a digit, a row and a column, as in `826
/// 135`.
fn without_candidates(removed: &[u8]) -> Result<String, Reason> {
    let mut rules = String::new();
    for word in words(removed) {
        let [digit @ b'1'..=b'9', row @ b'1'..=b'9', column @ b'1'..=b'9'] = *word else {
            let word = String::from_utf8_lossy(&word[..word.len().min(20)]);
            return Err(format!(
                "'{word}' in place of a removed candidate: expected digit, row and column, as in 826"
            )
            .into());
        };
        // Writing to a string cannot fail.
        let _ = write!(rules, ".~R{}C{}", char::from(row), char::from(column));
        rules
            .extend((b'1'..=b'9').filter(|&other| other != digit).flat_map(|other| ['_', char::from(other)]));
    }
    Ok(rules)
}

/// Reads the id of a Solo game. It consists of `3x3:`, letters that mean 1 to 26 empty cells, and digits
/// separated by `_`.
fn game(line: &[u8]) -> Option<Result<Notation<'_>, Reason>> {
    line.first().filter(|byte| byte.is_ascii_digit())?;
    let puzzle = line.split(u8::is_ascii_whitespace).next()?;
    let at = puzzle.iter().position(|byte| matches!(byte, b':' | b'#'))?;
    let (kind, cells) = (&puzzle[..at], &puzzle[at + 1..]);
    let letters = kind.iter().position(u8::is_ascii_lowercase).map(|x| x + 1)?;
    let letters = letters + kind[letters..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (shape, letters) = kind.split_at(letters);
    let (columns, rows) = shape.split_at(memchr(b'x', shape)?);
    let (box_rows, box_columns) = (number_in(columns)? as usize, number_in(&rows[1..])? as usize);
    let is_of_game = |&byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_,".contains(&byte);
    if cells.is_empty() || !cells.iter().all(is_of_game) {
        return None;
    }
    let refused = |what: &str| {
        Some(Err(format!("a game of Solo {what}, which is not read (write its cells on a line)").into()))
    };
    if puzzle[at] == b'#' {
        return refused("as the seed of its random numbers");
    }
    for (letter, what) in [(b'k', "with cages"), (b'j', "with a layout of regions"), (b'x', "with diagonals")]
    {
        if letters.contains(&letter) {
            return refused(what);
        }
    }
    let mut numbers = Vec::new();
    for run in cells.chunk_by(|one, other| one.is_ascii_digit() && other.is_ascii_digit()) {
        match run[0] {
            letter @ b'a'..=b'z' => {
                numbers.extend(std::iter::repeat_n(EMPTY, usize::from(letter - b'a') + 1))
            }
            b'_' => {}
            _ => numbers.push(i128::from(number_in(run)?)),
        }
        if numbers.len() > MAX_SIDE * MAX_SIDE {
            break;
        }
    }
    let (side, mut cells) = (box_rows.saturating_mul(box_columns), Vec::new());
    if numbers.len() != side.saturating_mul(side) {
        let shape = String::from_utf8_lossy(shape);
        return Some(Err(format!(
            "a game of Solo with {} cells, but {shape} has another number",
            numbers.len()
        )
        .into()));
    }
    let read = write_numbers(&numbers, &mut cells).map_err(Reason::from);
    let box_shape = Some((box_rows, box_columns));
    Some(read.map(|()| Notation { puzzle: trim(puzzle), cells, id: b"", rules: String::new(), box_shape }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Option<Result<String, String>> {
        notation(line.as_bytes()).map(|read| match read {
            Ok(read) => Ok(String::from_utf8(read.cells).unwrap() + &read.rules),
            Err(reason) => Err(reason.to_string()),
        })
    }

    #[test]
    fn games_of_solo_are_read() {
        assert_eq!(cells("2x2:a3_1_2b3a2c3c"), Some(Ok(".312..3.2...3...".to_owned())));
        assert!(
            cells("4x4:_16z10z1z1z1z1z1z1z1zs").is_some_and(|read| read.unwrap_err().contains("262 cells"))
        );
        let large = cells("4x4:_16z10z1z1z1z1z1z1z1zm").unwrap().unwrap();
        assert!(large.starts_with("G....") && large.len() == 256);
        for (line, reason) in [
            ("3x3k:a5,b2", "with cages"),
            ("3x3x:a5", "with diagonals"),
            ("9x1j:a5", "with a layout of regions"),
            ("3x3#12345", "the seed of its random numbers"),
            ("2x2:a5", "a game of Solo with 2 cells, but 2x2 has another number"),
        ] {
            assert!(cells(line).is_some_and(|read| read.clone().unwrap_err().contains(reason)), "{line}");
        }
        for other in ["3x3::k:1:2", "3x3:d:k:1", "2x3: easy", "12:30", "3x3", "1..4:x", "", ":", "5x:a"] {
            assert_eq!(cells(other), None, "{other}");
        }
    }

    #[test]
    fn removed_candidates_are_rules() {
        let puzzle = format!("1...........+2{}3", ".".repeat(67));
        let line = |removed: &str| cells(&format!(":0000:x:{puzzle}:{removed}::"));
        assert_eq!(line(""), Some(Ok(puzzle.replace('+', ""))));
        assert_eq!(line("826").unwrap().unwrap()[81..], *".~R2C6_1_2_3_4_5_6_7_9");
        assert_eq!(line("126 911").unwrap().unwrap().matches(".~").count(), 2);
        for bad in ["8260", "0", "82x"] {
            assert!(line(bad).unwrap().unwrap_err().starts_with(&format!("'{bad}' in place of")), "{bad}");
        }
    }
}
