//! Packing problems: placing polyominoes in a shape, or polycubes in a box.

use std::collections::BTreeSet;

use super::polyforms::{Cell, Motions, Region, least_images, normal};
use super::{primaries, with_options};
use quadrille_model::{CoverBuilder, CoverProblem, Error, Result, usage};

/// A piece that must be used exactly once.
#[derive(Debug)]
struct Piece {
    name: String,
    cells: Vec<Cell>,
}

/// The pentominoes, named by Golomb's letters. Each cell is given as its row and its column.
const PENTOMINOES: [(&str, [&str; 5]); 12] = [
    ("F", ["00", "01", "11", "12", "21"]),
    ("I", ["00", "01", "02", "03", "04"]),
    ("L", ["00", "10", "20", "30", "31"]),
    ("P", ["00", "01", "10", "11", "20"]),
    ("N", ["00", "10", "11", "21", "31"]),
    ("T", ["00", "01", "02", "11", "21"]),
    ("U", ["00", "02", "10", "11", "12"]),
    ("V", ["00", "10", "20", "21", "22"]),
    ("W", ["00", "10", "11", "21", "22"]),
    ("X", ["01", "10", "11", "12", "21"]),
    ("Y", ["01", "10", "11", "21", "31"]),
    ("Z", ["00", "01", "11", "21", "22"]),
];

/// The pieces of the Soma cube, in the format of [`polycubes`].
const SOMA: &str = "box 3x3x3\nV 000 001 010\nL 000 001 002 010\nT 000 001 002 011\nZ 000 001 011 012\n\
                    A 000 001 010 101\nB 000 001 010 110\nC 000 001 010 100\n";

/// Creates the problem of placing each pentomino once. Pentominoes may be turned over.
pub(super) fn pentominoes(region: &Region, distinct: bool) -> Result<CoverProblem> {
    let pieces = PENTOMINOES.map(|(name, cells)| Piece {
        name: name.to_owned(),
        cells: cells.iter().filter_map(|text| cell(text)).collect(),
    });
    packing(&pieces, region, Motions::Plane, distinct)
}

/// Creates the problem of the Soma cube.
pub(super) fn soma(distinct: bool) -> Result<CoverProblem> {
    polycubes(SOMA, distinct)
}

/// Reads a packing problem from text. Each piece must be used once.
///
/// A line `box AxBxC`, or lines such as `cells 000 001`, define the region to fill. Each other line has the
/// name of a piece, followed by its cubes. A cube is written as its layer, row and column (`012`, or
/// `0,1,12`). Lines that begin with # are comments.
pub(super) fn polycubes(text: &str, distinct: bool) -> Result<CoverProblem> {
    let mut region = Vec::new();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut names = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |what: String| usage!("line {number}: {what}");
        let mut words = line.split_whitespace();
        let Some(name) = words.next().filter(|name| !name.starts_with('#')) else { continue };
        if name == "box" {
            let sides: Option<Vec<usize>> =
                words.next().unwrap_or_default().split('x').map(|side| side.parse().ok()).collect();
            let Some([layers, rows, columns]) = sides.as_deref() else {
                return Err(wrong("a box needs three sides, as in box 3x3x3".to_owned()));
            };
            region.extend(Region::of_box(*layers, *rows, *columns)?.cells);
            continue;
        }
        let cells: Result<Vec<Cell>> = words
            .map(|word| cell(word).ok_or_else(|| wrong(format!("{word} is not a cube such as 012"))))
            .collect();
        let cells = cells?;
        match name {
            _ if cells.is_empty() => return Err(wrong(format!("{name} has no cubes"))),
            "cells" => region.extend(cells),
            _ if !names.insert(name) => return Err(wrong(format!("two pieces have the name {name}"))),
            _ => pieces.push(Piece { name: name.to_owned(), cells: normal(cells) }),
        }
    }
    packing(&pieces, &Region::new(region)?, Motions::Space, distinct)
}

/// Parses a cell, or returns `None` if the text is malformed.
///
/// The text has layer, row and column, or only row and column. These are single digits, or numbers separated
/// by commas.
fn cell(text: &str) -> Option<Cell> {
    let numbers: Option<Vec<i32>> = if text.contains(',') {
        text.split(',')
            .map(|number| number.parse().ok().filter(|number| (0..1000).contains(number)))
            .collect()
    } else {
        text.chars().map(|digit| digit.to_digit(10).map(|digit| digit as i32)).collect()
    };
    match *numbers?.as_slice() {
        [layer, row, column] => Some([layer, row, column]),
        [row, column] => Some([0, row, column]),
        _ => None,
    }
}

/// Creates the problem of filling every cell of a region by using each piece once.
fn packing(pieces: &[Piece], region: &Region, motions: Motions, distinct: bool) -> Result<CoverProblem> {
    let mut places: Vec<Vec<Vec<u32>>> =
        pieces.iter().map(|piece| region.places(&piece.cells, motions)).collect();
    if distinct {
        keep_distinct(&mut places, &region.symmetries(motions))?;
    }
    let mut builder = CoverBuilder::new();
    primaries(&mut builder, pieces.iter().map(|piece| piece.name.clone()).chain(region.names(motions)))?;
    let first_cell = pieces.len() as u32;
    let options = (0..).zip(&places).flat_map(|(piece, places)| {
        places.iter().map(move |place| {
            let cells = place.iter().map(|&cell| first_cell + cell);
            std::iter::once(piece).chain(cells).collect::<Vec<_>>()
        })
    });
    with_options(builder, options)
}

/// Keeps one solution of each group of symmetric solutions, by restricting the positions of one piece.
///
/// Solutions are symmetric if a symmetry of the region turns one into the other. The function chooses a piece
/// whose position changes under every symmetry. If symmetries turn some positions of this piece into each
/// other, only one of these positions is kept.
fn keep_distinct(places: &mut [Vec<Vec<u32>>], symmetries: &[Vec<u32>]) -> Result<()> {
    for piece in places.iter_mut() {
        if let Some(least) = least_images(piece, symmetries) {
            *piece = least;
            return Ok(());
        }
    }
    Err(Error::usage(
        "distinct cannot be used: each piece has a place that a rotation or mirror image of the shape does not change",
    ))
}

/// Creates the problem of tiling a region with polyominoes of `size` cells.
///
/// All polyominoes of this size are allowed, each any number of times.
pub(super) fn polyominoes(size: usize, region: &Region) -> Result<CoverProblem> {
    let mut shapes: BTreeSet<Vec<Cell>> = [vec![[0, 0, 0]]].into();
    for _ in 1..size {
        shapes = shapes.iter().flat_map(|shape| grown(shape)).collect();
    }
    let mut builder = CoverBuilder::new();
    primaries(&mut builder, region.names(Motions::Plane))?;
    let mut done = BTreeSet::new();
    shapes.retain(|shape| {
        let positions = Motions::Plane.all().into_iter().map(|motion| motion.apply(shape));
        done.insert(positions.min())
    });
    with_options(builder, shapes.iter().flat_map(|shape| region.places(shape, Motions::Plane)))
}

/// Returns all shapes that consist of the given shape and one more cell.
fn grown(shape: &[Cell]) -> Vec<Vec<Cell>> {
    let mut all = Vec::new();
    for &[layer, row, column] in shape {
        for cell in [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)] {
            let cell = [layer, cell.0, cell.1];
            if !shape.contains(&cell) {
                all.push(normal(shape.iter().copied().chain([cell]).collect()));
            }
        }
    }
    all
}
