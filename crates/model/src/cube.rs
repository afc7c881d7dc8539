//! Cubes: the parts of a problem that was cut, so that each can be solved separately, on any machine.
//!
//! The cubes of a cut share no solution, and together they have all solutions. A cube is a line of text,
//!
//! ```text
//! count:00c0ffee00c0ffee-0123456789abcdef 3/100<tab>+12 +40 -7
//! ```
//!
//! with its name and its *decisions*. The name holds the purpose of the cut, a hash of the problem, a hash of all
//! decisions of the cut, the number of this cube and the number of cubes. Decisions on an exact cover are 1-based
//! option numbers, taken (`+`) or excluded (`-`). Decisions on a 9x9 are the remaining candidates as 729 characters of
//! pencilmarks; on another grid the cells with fewer candidates than in the problem, `r1c2=3,7`. `.` means no decision.
//! On a grid with rules, a tab and the rules follow the decisions: without them the pencilmarks would be another
//! problem.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{
    Constraint, CoverProblem, DigitSet, Direction, NO_COLOUR, Problem, ProblemRef, Puzzle, Reduced,
    Reduction, Symbols,
};
use crate::{Error, Result};

/// Goal for which a problem is divided into cubes, which are parts that can be solved separately.
///
/// The purpose decides how the answers of the cubes are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// To count the solutions.
    Count,
    /// To list all solutions.
    Every,
    /// To find the solution with the largest or smallest value.
    Best(Direction),
}

impl Purpose {
    const ALL: [Purpose; 4] = [
        Purpose::Count,
        Purpose::Every,
        Purpose::Best(Direction::Maximize),
        Purpose::Best(Direction::Minimize),
    ];

    /// Returns the word that represents this purpose in names of cubes.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Count => "count",
            Purpose::Every => "all",
            Purpose::Best(Direction::Maximize) => "max",
            Purpose::Best(Direction::Minimize) => "min",
        }
    }
}

/// Identifies a cut, which is a division of a problem into cubes. Contains the purpose of the cut, and hashes
/// that identify the problem and the cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    /// The goal for which the problem was divided into cubes.
    pub purpose: Purpose,
    /// A hash of the problem.
    pub problem: u64,
    /// Hash of all cubes into which the problem was divided.
    pub cut: u64,
}

/// The name of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CubeName {
    /// Identifies the problem, and the division into cubes to which this cube belongs.
    pub of: Fingerprint,
    /// Number of the cube, 1-based.
    pub number: u64,
    /// Total number of cubes into which the problem was divided.
    pub count: u64,
}

impl fmt::Display for CubeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fingerprint { purpose, problem, cut } = self.of;
        write!(f, "{}:{problem:016x}-{cut:016x} {}/{}", purpose.word(), self.number, self.count)
    }
}

impl FromStr for CubeName {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let read = || {
            let (fingerprint, numbers) = text.split_once(' ')?;
            let (word, hashes) = fingerprint.split_once(':')?;
            let purpose = Purpose::ALL.into_iter().find(|purpose| purpose.word() == word)?;
            let (problem, cut) = hashes.split_once('-')?;
            let hash = |text: &str| {
                let is_plain = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
                is_plain.then(|| u64::from_str_radix(text, 16).ok()).flatten()
            };
            let of = Fingerprint { purpose, problem: hash(problem)?, cut: hash(cut)? };
            let (number, count) = numbers.split_once('/')?;
            let (number, count) = (number.parse().ok()?, count.parse().ok()?);
            (1 <= number && number <= count).then_some(CubeName { of, number, count })
        };
        read().ok_or_else(|| {
            "invalid name of a cube: expected a name such as count:0123456789abcdef-0123456789abcdef 3/100"
                .into()
        })
    }
}

/// The decisions of a cube.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Decisions {
    /// Options that the cube requires, for an exact cover problem.
    pub forced: Vec<u32>,
    /// Options that the cube excludes, for an exact cover problem.
    pub excluded: Vec<u32>,
    /// Cells and their remaining candidates, for a grid.
    pub cells: Vec<(u16, DigitSet)>,
}

/// A problem to divide into cubes, which are parts that can be solved separately.
#[derive(Clone, PartialEq, Eq)]
pub struct CutProblem {
    problem: Problem,
    symbols: Symbols,
    purpose: Purpose,
    hash: u64,
}

/// Shows only the purpose and the hash, because the problem may be large.
impl fmt::Debug for CutProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:016x}", self.purpose.word(), self.hash)
    }
}

impl CutProblem {
    /// Prepares a problem to be divided into cubes for a purpose.
    ///
    /// `symbols` are the characters for the problem's digits.
    ///
    /// # Errors
    /// Returns an error for an exact cover problem with multiplicities, unless the purpose is to count. With
    /// multiplicities, the solutions of a cube do not contain the options that the cube requires.
    pub fn new(problem: ProblemRef<'_>, symbols: Symbols, purpose: Purpose) -> Result<Self> {
        let problem = match problem {
            // All grids become the same kind of problem. So the hash does not depend on how a grid was read.
            ProblemRef::Packed(packed) => Problem::Puzzle((*packed).into()),
            other => other.to_owned(),
        };
        if let (Problem::Cover(cover), Purpose::Best(_) | Purpose::Every) = (&problem, purpose)
            && cover.has_multiplicities()
        {
            return Err(Error::usage("an exact cover with multiplicities can be cut for counting only"));
        }
        let mut hasher = Xxh3::new();
        match &problem {
            Problem::Cover(cover) => hash_cover(cover, &mut hasher),
            Problem::Puzzle(puzzle) => hash_puzzle(puzzle, &mut hasher),
            Problem::Packed(packed) => packed.0.iter().for_each(|word| hasher.update(&word.to_le_bytes())),
        }
        Ok(CutProblem { problem, symbols, purpose, hash: hasher.digest() })
    }

    /// Returns the problem. If it is a grid, it is always a [`Problem::Puzzle`].
    pub fn problem(&self) -> ProblemRef<'_> {
        self.problem.as_ref()
    }

    /// Returns the characters for the digits.
    pub fn symbols(&self) -> Symbols {
        self.symbols
    }

    /// Returns the goal for which the problem is divided into cubes.
    pub fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Returns a name for each cube, in order. Each cube is given by its decisions.
    pub fn names(&self, cubes: &[Decisions]) -> impl Iterator<Item = CubeName> {
        let (mut hasher, mut text) = (Xxh3::new(), Vec::new());
        for cube in cubes {
            text.clear();
            self.write(cube, &mut text);
            text.push(b'\n');
            hasher.update(&text);
        }
        let of = Fingerprint { purpose: self.purpose, problem: self.hash, cut: hasher.digest() };
        let count = cubes.len() as u64;
        (1..=count).map(move |number| CubeName { of, number, count })
    }

    /// Checks that the named cube belongs to this problem and this purpose.
    ///
    /// # Errors
    /// Returns a sentence that describes the mismatch.
    pub fn check(&self, name: &CubeName) -> std::result::Result<(), String> {
        if name.of.purpose != self.purpose {
            let (theirs, ours) = (name.of.purpose.word(), self.purpose.word());
            return Err(format!("a cube that was cut for {theirs}, not for {ours}"));
        }
        if name.of.problem != self.hash {
            return Err("a cube of another problem".into());
        }
        Ok(())
    }

    /// Returns the text of the grid's rules, or `None` if the problem has no rules.
    fn rules(&self) -> Option<&str> {
        match &self.problem {
            Problem::Puzzle(puzzle) => puzzle.rules().map(|rules| rules.text()),
            Problem::Packed(_) | Problem::Cover(_) => None,
        }
    }

    /// Appends the text of decisions to `out`.
    pub fn write(&self, decisions: &Decisions, out: &mut Vec<u8>) {
        let start = out.len();
        match &self.problem {
            Problem::Puzzle(puzzle) if puzzle.geometry().is_9x9() => {
                write_pencilmarks(puzzle, decisions, out)
            }
            Problem::Puzzle(puzzle) => {
                for &(cell, set) in &decisions.cells {
                    let digits: Vec<String> = set.iter().map(|digit| (digit + 1).to_string()).collect();
                    let side = puzzle.geometry().side();
                    let (row, column) = (cell as usize / side + 1, cell as usize % side + 1);
                    let word = format!("r{row}c{column}={}", digits.join(","));
                    append_word(&word, start, out);
                }
            }
            Problem::Packed(_) | Problem::Cover(_) => {
                let signed = [("+", &decisions.forced), ("-", &decisions.excluded)];
                for (sign, options) in signed {
                    for option in options {
                        append_word(&format!("{sign}{}", u64::from(*option) + 1), start, out);
                    }
                }
            }
        }
        if out.len() == start {
            out.push(b'.');
        }
        if let Some(rules) = self.rules() {
            out.push(b'\t');
            out.extend_from_slice(rules.as_bytes());
        }
    }

    /// Reads decisions from their text.
    ///
    /// # Errors
    /// Returns a sentence about the first word that is not a valid decision for this problem.
    pub fn read(&self, text: &str) -> std::result::Result<Decisions, String> {
        let mut decisions = Decisions::default();
        let text = match (self.rules(), text.split_once('\t')) {
            (None, None) => text,
            (Some(rules), Some((text, theirs))) if rules == theirs => text,
            (Some(_), None) => {
                return Err("the cube lacks the rules of its grid, which must follow the decisions".into());
            }
            (_, Some(_)) => return Err("a cube with other rules than the problem's".into()),
        };
        if text == "." {
            return Ok(decisions);
        }
        let wrong = |word: &str| {
            let short: String = word.chars().take(40).collect();
            format!("'{short}' is not a decision on this problem")
        };
        match &self.problem {
            Problem::Puzzle(puzzle) if puzzle.geometry().is_9x9() => {
                decisions.cells = read_pencilmarks(text).ok_or_else(|| wrong(text))?;
            }
            Problem::Puzzle(puzzle) => {
                let side = puzzle.geometry().side();
                for word in text.split(' ') {
                    decisions.cells.push(read_cell(word, side).ok_or_else(|| wrong(word))?);
                }
            }
            Problem::Packed(_) => return Err(wrong(text)),
            Problem::Cover(cover) => {
                for word in text.split(' ') {
                    let (list, number) = match word.as_bytes().first() {
                        Some(b'+') => (&mut decisions.forced, &word[1..]),
                        Some(b'-') => (&mut decisions.excluded, &word[1..]),
                        _ => return Err(wrong(word)),
                    };
                    let number = number.parse::<u32>().ok().filter(|_| number.as_bytes()[0].is_ascii_digit());
                    let option = number.and_then(|number| number.checked_sub(1));
                    let option = option.filter(|&option| (option as usize) < cover.options());
                    list.push(option.ok_or_else(|| wrong(word))?);
                }
            }
        }
        Ok(decisions)
    }

    /// Returns the part of the problem that satisfies the given decisions.
    ///
    /// The solutions of the part are all solutions of the problem that agree with the decisions. The part has
    /// the same cells and option numbers as the problem. With multiplicities, its solutions do not contain
    /// the options that the decisions require.
    ///
    /// # Errors
    /// Returns an error if there is not enough memory.
    pub fn part(&self, decisions: &Decisions) -> Result<Problem> {
        match &self.problem {
            Problem::Packed(packed) => Ok(Problem::Packed(*packed)),
            Problem::Puzzle(whole) => {
                let mut puzzle = whole.clone();
                for &(cell, set) in &decisions.cells {
                    puzzle.restrict(cell.into(), set);
                }
                let packed = puzzle.to_packed().filter(|_| puzzle.weights().is_none());
                Ok(packed.map_or(Problem::Puzzle(puzzle), Problem::Packed))
            }
            Problem::Cover(cover) => {
                let left = Reduction::reduce(cover, &decisions.forced, &decisions.excluded)?;
                Ok(Problem::Cover(match left {
                    Reduced::Contradiction(_) => Arc::new(cover.keeping(&[])?),
                    Reduced::Residual(rest) if cover.has_multiplicities() => Arc::clone(rest.cover()),
                    Reduced::Residual(rest) => {
                        let mut kept = [rest.forced(), rest.originals()].concat();
                        kept.sort_unstable();
                        Arc::new(cover.keeping(&kept)?)
                    }
                }))
            }
        }
    }
}

fn append_word(word: &str, start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b' ');
    }
    out.extend_from_slice(word.as_bytes());
}

fn write_pencilmarks(puzzle: &Puzzle, decisions: &Decisions, out: &mut Vec<u8>) {
    let mut sets = puzzle.candidates().to_vec();
    for &(cell, set) in &decisions.cells {
        sets[cell as usize] = sets[cell as usize].and(set);
    }
    for set in sets {
        out.extend((0..9).map(|digit| if set.contains(digit) { b'1' + digit as u8 } else { b'.' }));
    }
}

fn read_pencilmarks(text: &str) -> Option<Vec<(u16, DigitSet)>> {
    if text.len() != 9 * 81 {
        return None;
    }
    let set = |marks: &[u8]| {
        marks.iter().enumerate().try_fold(DigitSet(0), |set, (digit, &mark)| match mark {
            b'.' => Some(set),
            mark if mark == b'1' + digit as u8 => Some(DigitSet(set.0 | DigitSet::only(digit).0)),
            _ => None,
        })
    };
    let cells = text.as_bytes().chunks(9).zip(0..);
    cells.map(|(marks, cell)| set(marks).map(|set| (cell, set))).collect()
}

/// Parses a cell with its candidates, such as `r1c2=3,7`, or returns `None` for any other word.
fn read_cell(word: &str, side: usize) -> Option<(u16, DigitSet)> {
    let (place, digits) = word.strip_prefix('r')?.split_once('=')?;
    let (row, column) = place.split_once('c')?;
    let number = |text: &str| text.parse::<usize>().ok().filter(|number| (1..=side).contains(number));
    let cell = (number(row)? - 1) * side + number(column)? - 1;
    let add = |set: DigitSet, text| Some(DigitSet(set.0 | DigitSet::only(number(text)? - 1).0));
    Some((cell as u16, digits.split(',').try_fold(DigitSet(0), add)?))
}

fn hash_number(number: u64, hasher: &mut Xxh3) {
    hasher.update(&number.to_le_bytes());
}

fn hash_text(text: &str, hasher: &mut Xxh3) {
    hash_number(text.len() as u64, hasher);
    hasher.update(text.as_bytes());
}

/// Hashes everything that affects the solutions or how they are written.
fn hash_cover(cover: &CoverProblem, hasher: &mut Xxh3) {
    for number in [cover.items(), cover.primary(), cover.options()] {
        hash_number(number as u64, hasher);
    }
    for item in 0..cover.items() {
        hash_text(cover.name(item), hasher);
        let bounds = cover.bounds(item);
        hash_number(u64::from(bounds.low) << 32 | u64::from(bounds.high), hasher);
    }
    for option in 0..cover.options() {
        let entries = cover.option(option);
        hash_number(entries.len() as u64, hasher);
        hash_number(cover.cost(option) as u64, hasher);
        for entry in entries {
            hash_number(entry.item.into(), hasher);
            if entry.colour != NO_COLOUR {
                hash_text(cover.colour_name(entry.colour).unwrap_or_default(), hasher);
            }
        }
    }
}

fn hash_puzzle(puzzle: &Puzzle, hasher: &mut Xxh3) {
    let geometry = puzzle.geometry();
    for number in [geometry.side(), geometry.box_rows(), geometry.box_columns()] {
        hash_number(number as u64, hasher);
    }
    puzzle.candidates().iter().for_each(|set| hash_number(set.0, hasher));
    for Constraint::SameDigit { cells, .. } in puzzle.constraints() {
        hash_number(cells.len() as u64, hasher);
        cells.iter().for_each(|&cell| hash_number(cell.into(), hasher));
    }
    if let Some(rules) = puzzle.rules() {
        hash_text(rules.text(), hasher);
    }
    if let Some(weights) = puzzle.weights() {
        for cell in 0..geometry.cells() {
            (0..geometry.side()).for_each(|digit| hash_number(weights.value(cell, digit) as u64, hasher));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CoverBuilder, Geometry, Packed9x9};

    fn cover() -> CutProblem {
        let mut builder = CoverBuilder::new();
        for name in ["a", "b", "c"] {
            builder.primary(name).unwrap();
        }
        for option in [&["a", "b"][..], &["a"], &["b"], &["c"], &["b", "c"]] {
            builder.option(option).unwrap();
        }
        let cover = Arc::new(builder.build().unwrap());
        CutProblem::new(ProblemRef::Cover(&cover), Symbols::DEFAULT, Purpose::Count).unwrap()
    }

    fn written(whole: &CutProblem, decisions: &Decisions) -> String {
        let mut out = Vec::new();
        whole.write(decisions, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_survive_being_written() {
        let whole = cover();
        let cubes = [Decisions::default(), Decisions { forced: vec![1], ..Decisions::default() }];
        let names: Vec<CubeName> = whole.names(&cubes).collect();
        assert_eq!(names[1].to_string().parse(), Ok(names[1]));
        assert_eq!((names[1].number, names[1].count), (2, 2));
        assert!(whole.check(&names[0]).is_ok());
        assert_ne!(whole.names(&cubes[..1]).next().map(|name| name.of), Some(names[0].of), "another cut");
        for wrong in [
            "",
            "count:0-0 1/1",
            "count:0123456789abcdef-0123456789abcdef 2/1",
            "sum:0123456789abcdef-0123456789abcdef 1/1",
        ] {
            assert!(wrong.parse::<CubeName>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn decisions_on_covers_keep_the_numbers_of_options() {
        let whole = cover();
        let decisions = Decisions { forced: vec![1], excluded: vec![3], ..Decisions::default() };
        assert_eq!(written(&whole, &decisions), "+2 -4");
        assert_eq!(whole.read("+2 -4"), Ok(decisions.clone()));
        assert_eq!(written(&whole, &Decisions::default()), ".");
        assert_eq!(whole.read("."), Ok(Decisions::default()));
        for wrong in ["", "2", "+0", "+6", "+-1", "++1", "+2  -4", "r1c1=1"] {
            assert!(whole.read(wrong).is_err(), "{wrong}");
        }
        let Problem::Cover(part) = whole.part(&decisions).unwrap() else { panic!("a cover stays one") };
        let lengths: Vec<usize> = (0..part.options()).map(|option| part.option(option).len()).collect();
        assert_eq!(lengths, [0, 1, 1, 0, 2]);
    }

    #[test]
    fn decisions_on_grids_are_candidates() {
        let nine = Puzzle::new(&Geometry::of_side(9).unwrap());
        let whole = CutProblem::new(ProblemRef::Puzzle(&nine), Symbols::DEFAULT, Purpose::Count).unwrap();
        let same =
            CutProblem::new(ProblemRef::Packed(&Packed9x9::FULL), Symbols::DEFAULT, Purpose::Count).unwrap();
        assert_eq!(whole, same);
        let decisions = Decisions { cells: vec![(1, DigitSet::only(4))], ..Decisions::default() };
        let text = written(&whole, &decisions);
        assert_eq!((text.len(), &text[..18]), (729, "123456789....5...."));
        let Problem::Packed(part) = whole.part(&whole.read(&text).unwrap()).unwrap() else { panic!("plain") };
        assert_eq!((part.clues(), part.allows(1, 4), part.allows(1, 3)), (1, true, false));
        assert!(whole.read(&text[1..]).is_err() && whole.read(&text.replace('5', "4")).is_err());

        let four = Puzzle::new(&Geometry::of_side(4).unwrap());
        let whole = CutProblem::new(ProblemRef::Puzzle(&four), Symbols::DEFAULT, Purpose::Count).unwrap();
        let decisions = Decisions { cells: vec![(6, DigitSet(0b1001))], ..Decisions::default() };
        assert_eq!(written(&whole, &decisions), "r2c3=1,4");
        assert_eq!(whole.read("r2c3=1,4"), Ok(decisions));
        for wrong in ["r2c3", "r5c1=1", "r0c1=1", "r1c1=5", "r1c1=", "c1r1=1", "r1c1=1 "] {
            assert!(whole.read(wrong).is_err(), "{wrong}");
        }
    }
}
