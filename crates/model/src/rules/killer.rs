//! Converts killer sudokus in two common exchange formats to items.
//!
//! One format has 81 characters, some of them arrows. The other is the long form of SumoCue.

use super::sums::MAX_NUMBER;
use super::text::name_of;

/// Side length of every grid in these formats.
const SIDE: usize = 9;
const CELLS: usize = SIDE * SIDE;

/// Returns the items of a killer at the start of a line, or `None` if it is in neither format.
///
/// - 81 characters: `<`, `>`, `^` and `v` point to the next cell on the way to the cell that has the sum of
///   the cage. `` ` ``, `'`, `,` and `.` point above left, above right, below left and below right. The sum
///   is a digit, `A` for 10, or `a` for 36. A killer has at least one of `<`, `>` and `^`, which a grid does
///   not have.
/// - `3x3::k:` and 81 numbers separated by colons: the sum times 256, plus a number for the cage. `3x3:d:k:`
///   adds the diagonals. A sum of 0 means any sum; the number 0 is a cell without a cage.
///
/// # Errors
/// Returns a message if the killer is invalid: arrows out of the grid or in a circle, a cage of more than
/// nine cells, or a sum of more than a million.
///
/// ```
/// use quadrille::rules::killer;
/// let line = format!("3<{}", "0".repeat(79));
/// assert!(killer(line.as_bytes()).unwrap()?.starts_with(".Cage~3~R1C1~R1C2.Cage~0~R1C3"));
/// assert!(killer(b"53..7....").is_none());
/// # Ok::<(), String>(())
/// ```
pub fn killer(line: &[u8]) -> Option<Result<String, String>> {
    if line.starts_with(b"3x3:") {
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        return Some(long(std::str::from_utf8(word).ok()?));
    }
    let cells = line.get(..CELLS)?;
    let is_of_killer = |byte: &u8| matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'j' | b'<' | b'>' | b'^' | b'v' | b'`' | b'\'' | b',' | b'.');
    let has_arrow = cells.iter().any(|byte| matches!(byte, b'<' | b'>' | b'^'));
    let ends = line.get(CELLS).is_none_or(u8::is_ascii_whitespace);
    (has_arrow && ends && cells.iter().all(is_of_killer)).then(|| arrows(cells))
}

/// Returns the direction of an arrow, or `None` for any other character.
///
/// The direction is the number of rows down and the number of columns to the right.
fn arrow(byte: u8) -> Option<(isize, isize)> {
    Some(match byte {
        b'<' => (0, -1),
        b'>' => (0, 1),
        b'^' => (-1, 0),
        b'v' => (1, 0),
        b'`' => (-1, -1),
        b'\'' => (-1, 1),
        b',' => (1, -1),
        b'.' => (1, 1),
        _ => return None,
    })
}

fn arrows(cells: &[u8]) -> Result<String, String> {
    let mut members = vec![Vec::new(); CELLS];
    for start in 0..CELLS {
        let mut at = start;
        for step in 0.. {
            let Some((down, right)) = arrow(cells[at]) else { break };
            let (row, column) = ((at / SIDE) as isize + down, (at % SIDE) as isize + right);
            let name = name_of(at, SIDE);
            if step == CELLS {
                return Err(format!("killer: the arrow at {name} leads in a circle"));
            }
            let within = 0..SIDE as isize;
            if !within.contains(&row) || !within.contains(&column) {
                return Err(format!("killer: the arrow at {name} leads out of the grid"));
            }
            at = row as usize * SIDE + column as usize;
        }
        members[at].push(start);
    }
    let sum = |byte: u8| match byte {
        b'0'..=b'9' => byte - b'0',
        b'A'..=b'Z' => byte - b'A' + 10,
        _ => byte - b'a' + 36,
    };
    let cages = members.iter().enumerate().filter(|(_, members)| !members.is_empty());
    cages.map(|(root, members)| cage(sum(cells[root]).into(), members)).collect()
}

/// Returns the text of a cage item. `members`, the cells of the cage, must not be empty.
fn cage(sum: u32, members: &[usize]) -> Result<String, String> {
    let (first, number) = (name_of(members[0], SIDE), members.len());
    if number > SIDE {
        return Err(format!(
            "killer: the cage at {first} has {number} cells, but only {SIDE} different digits to fill them"
        ));
    }
    if sum > MAX_NUMBER as u32 {
        return Err(format!("killer: the cage at {first} has the sum {sum} (maximum: {MAX_NUMBER})"));
    }
    let names: String = members.iter().map(|&cell| format!("~{}", name_of(cell, SIDE))).collect();
    Ok(format!(".Cage~{sum}{names}"))
}

fn long(text: &str) -> Result<String, String> {
    let parts: Vec<&str> = text.trim_end_matches(':').split(':').collect();
    let [_, kind, "k", numbers @ ..] = &parts[..] else {
        return Err("killer: expected `3x3::k:` or `3x3:d:k:` and 81 numbers".to_owned());
    };
    if !matches!(*kind, "" | "d") {
        return Err(format!("killer: expected nothing or `d` instead of `{kind}`"));
    }
    if numbers.len() != CELLS {
        return Err(format!("killer: {} numbers for {CELLS} cells", numbers.len()));
    }
    let mut cages: Vec<(u32, u32, Vec<usize>)> = Vec::new();
    for (cell, number) in numbers.iter().enumerate() {
        let number: u32 = number.parse().map_err(|_| format!("killer: `{number}` is not a number"))?;
        let (sum, name) = (number / 256, number % 256);
        match cages.iter_mut().find(|(known, ..)| *known == name) {
            // Only the number 0 is a cell without a cage. A cage with the sum 0 is still a cage, so its
            // digits must differ.
            _ if number == 0 => {}
            Some((_, known, _)) if *known != sum => {
                return Err(format!("killer: cage {name} has two sums: {known} and {sum}"));
            }
            Some((_, _, members)) => members.push(cell),
            None => cages.push((name, sum, vec![cell])),
        }
    }
    let diagonals = if *kind == "d" { ".Diagonal~1.Diagonal~-1" } else { "" };
    let cages = cages.iter().map(|(_, sum, members)| cage(*sum, members)).collect::<Result<String, _>>()?;
    // The shape comes first, so that a killer without cages also has an item.
    Ok(format!(".Shape~9x9{diagonals}{cages}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<Result<String, String>> {
        killer(line.as_bytes())
    }

    #[test]
    fn arrows_lead_to_the_sum_of_a_cage() {
        let rest = "0".repeat(72);
        let items = told(&format!("A<<^00000{}", &rest)).unwrap();
        assert_eq!(items, Err("killer: the arrow at R1C4 leads out of the grid".to_owned()));
        let items = told(&format!("A<<v00000{}", "0".repeat(72))).unwrap().unwrap();
        assert!(items.starts_with(".Cage~10~R1C1~R1C2~R1C3.Cage~0~R1C5"), "{items}");
        assert!(items.contains(".Cage~0~R1C4~R2C4"), "{items}");
        let circle = told(&format!("><0000000{}", "0".repeat(72))).unwrap();
        assert!(circle.unwrap_err().ends_with("leads in a circle"));
        assert_eq!(told(&"v".repeat(81)), None);
        assert_eq!(told(&format!("A<{}x", "0".repeat(79))), None);
    }

    #[test]
    fn cages_that_no_digits_fill_are_named() {
        let eleven = format!("0{}^^{}", "<".repeat(8), "0".repeat(70));
        let reason = "killer: the cage at R1C1 has 11 cells, but only 9 different digits to fill them";
        assert_eq!(told(&eleven).unwrap(), Err(reason.to_owned()));
        let numbers = |number: u32, count: usize| {
            let list: Vec<String> =
                (0..81).map(|cell| if cell < count { number } else { 0 }.to_string()).collect();
            format!("3x3::k:{}", list.join(":"))
        };
        let reason = "killer: the cage at R1C1 has 12 cells, but only 9 different digits to fill them";
        assert_eq!(told(&numbers(256 * 7, 12)).unwrap(), Err(reason.to_owned()));
        let reason = "killer: the cage at R1C1 has the sum 16777215 (maximum: 1000000)";
        assert_eq!(told(&numbers(u32::MAX, 2)).unwrap(), Err(reason.to_owned()));
    }

    #[test]
    fn long_killers_have_sums_and_numbers() {
        let mut numbers = vec![0; 81];
        (numbers[0], numbers[1], numbers[9]) = (3 * 256 + 1, 3 * 256 + 1, 5 * 256 + 2);
        let line = |kind: &str| {
            let numbers: Vec<String> = numbers.iter().map(|number| number.to_string()).collect();
            format!("3x3:{kind}:k:{}:", numbers.join(":"))
        };
        assert_eq!(told(&line("")).unwrap().unwrap(), ".Shape~9x9.Cage~3~R1C1~R1C2.Cage~5~R2C1");
        assert!(told(&line("d")).unwrap().unwrap().contains(".Diagonal~-1"));
        assert_eq!(told(&(line("") + "\teasy")), told(&line("")));
        assert!(told(&line("x")).unwrap().is_err());
        let mixed = line("").replacen(":769:769:", ":769:1:", 1);
        assert_eq!(told(&mixed).unwrap(), Err("killer: cage 1 has two sums: 3 and 0".to_owned()));
        assert!(told("3x3::k:1:2").unwrap().is_err());
    }
}
