//! Classic exact cover problems, of any size, in the forms of Knuth's section 7.2.2.1.
//!
//! [`CLASSICS`] lists them with their parameters. Known numbers of solutions (sequences of the On-Line
//! Encyclopedia of Integer Sequences by their A-numbers):
//!
//! | problem | solutions |
//! |---|---|
//! | `queens N` | A000170: 8: 92, 12: 14,200, 13: 73,712 |
//! | `domination N M` | 8 5: 4,860 |
//! | `langford N` | twice A014552: 7: 52, 8: 300, 11: 35,584, 12: 216,288 |
//! | `latin N` | A002860: 4: 576, 5: 161,280, 6: 812,851,200 |
//! | `sudoku RxC` | A107739: 2x2: 288, 2x3: 28,200,960 |
//! | `matchings N` | A001147: 8: 105, 16: 2,027,025, 24: 316,234,143,225 |
//! | `partitions N` | A000110: 6: 203, 12: 4,213,597 |
//! | `dominoes AxB` | A099390: 8x8: 12,988,816, 12x12: 53,060,477,521,960,000 |
//! | `triominoes AxB` | 9x9: 928,789,262,080 |
//! | `pentominoes AxB distinct` | 3x20: 2, 4x15: 368, 5x12: 1,010, 6x10: 2,339 (Haselgrove 1960); 8x8-2x2: 65 (Scott 1958) |
//! | `soma` | 11,520 (240 up to turns and mirror images: Conway and Guy 1961) |
//! | `macmahon 4x6 distinct` | 26,656 |
//! | `squares N` | A045846: 3: 6, 4: 40, 5: 472 |
//! | `squares N M` | 7 9: 28, 8 16: 3,701, 9 12: 176 |
//! | `partridge N` | 2 to 7: 0 (none is smaller than 8) |
//! | `assignment N` | N! |
//!
//! ```
//! use std::sync::Arc;
//!
//! use quadrille::engine::Solver;
//! use quadrille::internals::cover::classic;
//! use quadrille::{Goal, Limits, ProblemRef};
//!
//! let queens = Arc::new(classic("queens", &["6"])?);
//! let answer =
//!     Solver::default().answer(ProblemRef::Cover(&queens), Goal::Count { limit: None }, Limits::default())?;
//! assert_eq!(answer.count.unwrap().to_u64(), Some(4));
//! # Ok::<(), quadrille::Error>(())
//! ```

mod boards;
mod macmahon;
mod pieces;
mod polyforms;
mod sequences;
mod squares;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::Path;

use quadrille_files::text_file::{RULES_BYTES, read_text};
use quadrille_model::encode::write_dlx;
use quadrille_model::random::Random;
use quadrille_model::{CoverBuilder, CoverProblem, Entry, Error, NO_COLOUR, Result, usage};

/// A problem in the table of classic exact cover problems.
#[derive(Debug)]
pub struct Classic {
    /// Name on the command line.
    pub name: &'static str,
    /// Parameters, optional ones in brackets.
    pub parameters: &'static str,
    /// Description in a few words.
    pub about: &'static str,
    make: Make,
}

/// Creates a problem from its parameters.
type Make = fn(&mut Parameters<'_>) -> Result<CoverProblem>;

const fn problem(name: &'static str, parameters: &'static str, about: &'static str, make: Make) -> Classic {
    Classic { name, parameters, about, make }
}

/// All problems.
pub static CLASSICS: &[Classic] = &[
    problem("queens", "N", "N queens on an NxN board that do not attack each other", |given| {
        boards::queens(given.number(1, 1000)?)
    }),
    problem(
        "domination",
        "N M",
        "M queens that attack or hold every cell of an NxN board (multiplicities)",
        |given| boards::domination(given.number(1, 100)?, given.number(1, 10_000)?),
    ),
    problem(
        "langford",
        "N",
        "Langford pairs: k cells between the two k, for each k up to N, in both directions",
        |given| sequences::langford(given.number(1, 1000)?),
    ),
    problem("latin", "N", "Latin squares of side N", |given| boards::latin(given.number(1, 200)?)),
    problem("sudoku", "RxC", "sudoku grids with boxes of R rows and C columns", |given| {
        given.pair().and_then(|(rows, columns)| boards::grids(rows, columns))
    }),
    problem("matchings", "N", "perfect matchings of N points", |given| {
        sequences::matchings(given.number(1, 2000)?)
    }),
    problem(
        "assignment",
        "N",
        "assigns each of N jobs to one of N workers; with --costs the assignment problem",
        |given| sequences::assignment(given.number(1, 2000)?),
    ),
    problem("partitions", "N", "partitions of a set of N", |given| {
        sequences::partitions(given.number(1, 20)?)
    }),
    problem("dominoes", "SHAPE", "domino tilings", |given| pieces::polyominoes(2, &given.shape()?)),
    problem("triominoes", "SHAPE", "tilings by straight and L triominoes", |given| {
        pieces::polyominoes(3, &given.shape()?)
    }),
    problem("polyominoes", "K SHAPE", "tilings by any polyominoes of K cells", |given| {
        pieces::polyominoes(given.number(1, 8)?, &given.shape()?)
    }),
    problem(
        "pentominoes",
        "SHAPE [distinct]",
        "the twelve pentominoes, each used once; distinct: one tiling per set of mirror images and rotations",
        |given| pieces::pentominoes(&given.shape()?, given.word("distinct")),
    ),
    problem(
        "soma",
        "[distinct]",
        "the seven pieces of the Soma cube; distinct: one solution per set of rotations",
        |given| pieces::soma(given.word("distinct")),
    ),
    problem(
        "polycubes",
        "FILE [distinct]",
        "pieces and the box or cells that they fill, from a file",
        |given| pieces::polycubes(&given.file()?, given.word("distinct")),
    ),
    problem(
        "macmahon",
        "AxB [distinct]",
        "MacMahon's 24 squares of three colours, with one colour along the border (colours)",
        |given| {
            let (rows, columns) = given.pair()?;
            macmahon::macmahon(rows, columns, given.word("distinct"))
        },
    ),
    problem(
        "squares",
        "N [M]",
        "a square of side N cut into squares, exactly M of them (multiplicities)",
        |given| {
            let side = given.number(1, 100)?;
            let number = if given.is_empty() { None } else { Some(given.number(1, 10_000)?) };
            squares::squares(side, number)
        },
    ),
    problem(
        "partridge",
        "N",
        "one square of side 1, two of side 2, up to N of side N in one square (multiplicities)",
        |given| squares::partridge(given.number(1, 30)?),
    ),
];

impl Classic {
    /// Creates the exact cover problem from the given parameters.
    ///
    /// A `SHAPE` parameter is `AxB`, `AxB-CxD` (with a hole in its middle), or the name of a file that draws
    /// the shape. A drawing has one character per cell. The characters `.` and blank are not part of the
    /// shape.
    ///
    /// # Errors
    /// Returns `ErrorKind::Usage` if parameters are missing, superfluous or invalid, or an error if a file
    /// cannot be read.
    pub fn make<S: AsRef<str>>(&self, parameters: &[S]) -> Result<CoverProblem> {
        let list: Vec<&str> = parameters.iter().map(AsRef::as_ref).collect();
        let mut given = Parameters { classic: self, rest: &list };
        let cover = (self.make)(&mut given)?;
        match given.rest.first() {
            None => Ok(cover),
            Some(word) => Err(given.wrong(format!("unexpected parameter {word}"))),
        }
    }
}

/// Creates the problem with the given name.
///
/// # Errors
/// Returns the errors of [`Classic::make`], or an error if the name is not in the table.
pub fn classic<S: AsRef<str>>(name: &str, parameters: &[S]) -> Result<CoverProblem> {
    let classic = CLASSICS.iter().find(|classic| classic.name == name);
    classic.ok_or_else(|| usage!("unknown problem {name}"))?.make(parameters)
}

/// Draws a random cost for every option of a problem, in order.
///
/// The costs come from [`Random::within`], so the same seed gives the same costs.
pub fn draw_costs(cover: &mut CoverProblem, range: RangeInclusive<i64>, seed: u64) {
    let mut random = Random::new(seed, 0, 0);
    let costs = (0..cover.options()).map(|_| random.within(&range));
    cover.set_costs(costs.collect());
}

/// Writes a problem in Knuth's format. The first line is a comment with the problem's name and parameters.
///
/// # Errors
/// Returns the errors of the writer.
pub fn write(name: &str, parameters: &[String], cover: &CoverProblem, out: &mut dyn Write) -> io::Result<()> {
    let words: String = parameters.iter().map(|word| format!(" {word}")).collect();
    writeln!(out, "| {name}{}", words.replace(['\n', '\r'], " "))?;
    write_dlx(cover, out)
}

/// Parameters of a problem that are not read yet.
struct Parameters<'a> {
    classic: &'a Classic,
    rest: &'a [&'a str],
}

impl<'a> Parameters<'a> {
    fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    fn next(&mut self) -> Result<&'a str> {
        let (first, rest) =
            self.rest.split_first().ok_or_else(|| self.wrong("a parameter is missing".to_owned()))?;
        self.rest = rest;
        Ok(first)
    }

    /// Consumes the next parameter if it equals `word`. Returns true if it did.
    fn word(&mut self, word: &str) -> bool {
        let is_there = self.rest.first() == Some(&word);
        if is_there {
            self.rest = &self.rest[1..];
        }
        is_there
    }

    fn number(&mut self, least: usize, most: usize) -> Result<usize> {
        let text = self.next()?;
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| self.wrong(format!("{text} is not a number from {least} to {most}")))
    }

    fn pair(&mut self) -> Result<(usize, usize)> {
        let text = self.next()?;
        sides(text).ok_or_else(|| self.wrong(format!("{text} is not a size such as 2x3")))
    }

    fn shape(&mut self) -> Result<polyforms::Region> {
        let text = self.next()?;
        if let Some(region) = polyforms::Region::named(text) {
            return region;
        }
        if !Path::new(text).exists() {
            return Err(self.wrong(format!("{text} is neither a size from 1x1 to 1000x1000 nor a file")));
        }
        polyforms::Region::drawn(&read(text)?)
    }

    fn file(&mut self) -> Result<String> {
        read(self.next()?)
    }

    fn wrong(&self, what: String) -> Error {
        let Classic { name, parameters, .. } = self.classic;
        usage!("{name} takes {parameters}: {what}")
    }
}

fn read(path: &str) -> Result<String> {
    read_text(Path::new(path), RULES_BYTES)
}

/// Parses two numbers separated by `x`, each from 1 to 1000, or returns `None` for other text.
fn sides(text: &str) -> Option<(usize, usize)> {
    let (first, second) = text.split_once('x')?;
    let number = |text: &str| text.parse().ok().filter(|number| (1..=1000).contains(number));
    Some((number(first)?, number(second)?))
}

/// Adds an option for each list of items, and builds the problem. The items have no colours.
fn with_options<O: AsRef<[u32]>>(
    mut builder: CoverBuilder,
    options: impl IntoIterator<Item = O>,
) -> Result<CoverProblem> {
    for items in options {
        items.as_ref().iter().try_for_each(|&item| builder.entry(Entry { item, colour: NO_COLOUR }))?;
        builder.end_option(0, None)?;
    }
    builder.build()
}

/// Returns a name that encodes `numbers`, all of them less than `bound`.
///
/// If `bound` is small enough, the name has one character per number. Otherwise, it has decimal numbers
/// separated by dots.
fn code(numbers: &[usize], bound: usize) -> String {
    const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if bound <= DIGITS.len() {
        return numbers.iter().map(|&number| char::from(DIGITS[number])).collect();
    }
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(".")
}

/// Adds primary items with the given names. Each must be covered exactly once.
fn primaries(builder: &mut CoverBuilder, names: impl IntoIterator<Item = String>) -> Result<Vec<u32>> {
    names.into_iter().map(|name| builder.primary(&name)).collect()
}

/// Adds secondary items with the given names. Each may be covered at most once.
fn secondaries(builder: &mut CoverBuilder, names: impl IntoIterator<Item = String>) -> Result<Vec<u32>> {
    names.into_iter().map(|name| builder.secondary(&name)).collect()
}

/// Returns the row and column of each cell of a board, row by row.
fn cells(rows: usize, columns: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..rows * columns).map(move |cell| [cell / columns, cell % columns])
}

/// Returns names for the cells of a board, row by row.
fn board(rows: usize, columns: usize) -> impl Iterator<Item = String> {
    cells(rows, columns).map(move |cell| code(&cell, rows.max(columns)))
}
