//! Exact cover problems with known numbers of solutions.

use std::collections::BTreeSet;
use std::sync::Arc;

use quadrille::{CoverBuilder, CoverProblem};

/// Creates a problem from item names and options, each option a list of names.
fn build<S: AsRef<str>>(primary: &[S], secondary: &[S], options: &[Vec<S>]) -> Arc<CoverProblem> {
    let mut builder = CoverBuilder::new();
    for name in primary {
        builder.primary(name.as_ref()).unwrap();
    }
    for name in secondary {
        builder.secondary(name.as_ref()).unwrap();
    }
    for option in options {
        builder.option(&option.iter().map(AsRef::as_ref).collect::<Vec<_>>()).unwrap();
    }
    Arc::new(builder.build().unwrap())
}

/// Creates the n-queens problem.
///
/// Rows and columns are sorted by their distance from the middle; diagonals are secondary items.
pub(crate) fn queens(side: usize) -> Arc<CoverProblem> {
    let mut lines: Vec<usize> = (0..side).collect();
    lines.sort_by_key(|line| (2 * line + 1).abs_diff(side));
    let primary: Vec<String> =
        lines.iter().flat_map(|line| [format!("r{line}"), format!("c{line}")]).collect();
    let secondary: Vec<String> =
        (0..2 * side - 1).flat_map(|line| [format!("a{line}"), format!("b{line}")]).collect();
    let squares = (0..side).flat_map(|row| (0..side).map(move |column| (row, column)));
    let options: Vec<Vec<String>> = squares
        .map(|(r, c)| {
            vec![format!("r{r}"), format!("c{c}"), format!("a{}", r + c), format!("b{}", r + side - 1 - c)]
        })
        .collect();
    build(&primary, &secondary, &options)
}

/// Creates the problem of Langford pairs of `1..=n`; every arrangement also counts reversed.
pub(crate) fn langford(n: usize) -> Arc<CoverProblem> {
    let primary: Vec<String> =
        (1..=n).map(|k| format!("{k}")).chain((1..=2 * n).map(|place| format!("s{place}"))).collect();
    let options: Vec<Vec<String>> = (1..=n)
        .flat_map(|k| {
            (1..2 * n - k).map(move |at| vec![format!("{k}"), format!("s{at}"), format!("s{}", at + k + 1)])
        })
        .collect();
    build(&primary, &[], &options)
}

/// Creates the problem of Latin squares of a side.
pub(crate) fn latin(side: usize) -> Arc<CoverProblem> {
    let pairs = || (0..side).flat_map(|a| (0..side).map(move |b| (a, b)));
    let primary: Vec<String> =
        ["p", "r", "c"].iter().flat_map(|kind| pairs().map(move |(a, b)| format!("{kind}{a},{b}"))).collect();
    let options: Vec<Vec<String>> = pairs()
        .flat_map(|(r, c)| {
            (0..side).map(move |d| vec![format!("p{r},{c}"), format!("r{r},{d}"), format!("c{c},{d}")])
        })
        .collect();
    build(&primary, &[], &options)
}

/// Creates the problem of perfect matchings of a complete graph.
pub(crate) fn matchings(vertices: usize) -> Arc<CoverProblem> {
    let primary: Vec<String> = (0..vertices).map(|vertex| vertex.to_string()).collect();
    let options: Vec<Vec<String>> = (0..vertices)
        .flat_map(|a| (a + 1..vertices).map(move |b| vec![a.to_string(), b.to_string()]))
        .collect();
    build(&primary, &[], &options)
}

/// Creates the problem of partitions of a set of `size` elements.
pub(crate) fn partitions(size: usize) -> Arc<CoverProblem> {
    let primary: Vec<String> = (0..size).map(|element| element.to_string()).collect();
    let options: Vec<Vec<String>> = (1..1usize << size)
        .map(|set| {
            (0..size).filter(|element| set >> element & 1 != 0).map(|element| element.to_string()).collect()
        })
        .collect();
    build(&primary, &[], &options)
}

type Cube = [i32; 3];

/// Returns all placements of a polycube within `cells`, in all orientations that `turns` generates.
fn places(piece: &[Cube], cells: &BTreeSet<Cube>, turns: &[fn(Cube) -> Cube]) -> BTreeSet<Vec<Cube>> {
    let normal = |mut cubes: Vec<Cube>| {
        let least: Cube = std::array::from_fn(|axis| cubes.iter().map(|cube| cube[axis]).min().unwrap());
        cubes.iter_mut().for_each(|cube| *cube = std::array::from_fn(|axis| cube[axis] - least[axis]));
        cubes.sort_unstable();
        cubes
    };
    let mut shapes = BTreeSet::from([normal(piece.to_vec())]);
    loop {
        let turned = |shape: &Vec<Cube>| {
            turns
                .iter()
                .map(|turn| normal(shape.iter().map(|&cube| turn(cube)).collect()))
                .collect::<Vec<_>>()
        };
        let more: BTreeSet<Vec<Cube>> = shapes.iter().flat_map(turned).collect();
        let before = shapes.len();
        shapes.extend(more);
        if shapes.len() == before {
            break;
        }
    }
    let at = |shape: &[Cube], to: &Cube| -> Vec<Cube> {
        shape.iter().map(|cube| std::array::from_fn(|axis| cube[axis] + to[axis])).collect()
    };
    let anchors = cells.iter().map(|cell| [cell[0] - 4, cell[1] - 4, cell[2] - 4]);
    let wide: Vec<Cube> = anchors
        .flat_map(|a| {
            (0..5).flat_map(move |x| {
                (0..5).flat_map(move |y| (0..5).map(move |z| [a[0] + x, a[1] + y, a[2] + z]))
            })
        })
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    shapes
        .iter()
        .flat_map(|shape| wide.iter().map(|to| at(shape, to)))
        .filter(|place| place.iter().all(|cube| cells.contains(cube)))
        .collect()
}

/// Creates the problem of placing every piece once so that every cell is filled.
fn packing(
    pieces: &[(char, Vec<Cube>)],
    cells: &BTreeSet<Cube>,
    turns: &[fn(Cube) -> Cube],
    keep: impl Fn(char, &[Cube]) -> bool,
) -> Arc<CoverProblem> {
    let cell_name = |cube: &Cube| format!("{},{},{}", cube[0], cube[1], cube[2]);
    let primary: Vec<String> =
        pieces.iter().map(|(name, _)| name.to_string()).chain(cells.iter().map(cell_name)).collect();
    let mut options = Vec::new();
    for (name, piece) in pieces {
        for place in places(piece, cells, turns).iter().filter(|place| keep(*name, place)) {
            options.push(std::iter::once(name.to_string()).chain(place.iter().map(cell_name)).collect());
        }
    }
    build(&primary, &[], &options)
}

/// Returns the cells marked `#` in rows separated by blanks.
fn drawing(text: &str) -> Vec<Cube> {
    let rows = text.split(' ').enumerate();
    rows.flat_map(|(row, line)| {
        let cells = line.char_indices().filter(|(_, mark)| *mark == '#');
        cells.map(move |(column, _)| [row as i32, column as i32, 0])
    })
    .collect()
}

/// Creates the problem of the twelve pentominoes in a shape; `keep` limits where the X may be.
pub(crate) fn pentominoes(
    shape: impl Iterator<Item = (i32, i32)>,
    keep: impl Fn(i32, i32) -> bool,
) -> Arc<CoverProblem> {
    let pieces: Vec<(char, Vec<Cube>)> = [
        ('F', ".## ##. .#."),
        ('I', "#####"),
        ('L', "#### #..."),
        ('N', "##.. .###"),
        ('P', "## ## #."),
        ('T', "### .#. .#."),
        ('U', "#.# ###"),
        ('V', "#.. #.. ###"),
        ('W', "#.. ##. .##"),
        ('X', ".#. ### .#."),
        ('Y', ".#.. ####"),
        ('Z', "##. .#. .##"),
    ]
    .map(|(name, text)| (name, drawing(text)))
    .to_vec();
    let cells = shape.map(|(row, column)| [row, column, 0]).collect();
    // The centre of the X is its third cell in order.
    packing(&pieces, &cells, &[|[x, y, z]| [y, -x, z], |[x, y, z]| [x, -y, z]], |name, place| {
        name != 'X' || keep(place[2][0], place[2][1])
    })
}

/// Creates the Soma cube problem, which counts rotations and mirror images of the cube separately.
pub(crate) fn soma() -> Arc<CoverProblem> {
    let flat = |text: &str| drawing(text);
    let with = |text: &str, cube: Cube| drawing(text).into_iter().chain([cube]).collect::<Vec<_>>();
    let pieces = [
        ('V', flat("## #.")),
        ('L', flat("### #..")),
        ('T', flat("### .#.")),
        ('Z', flat("##. .##")),
        ('A', with("## #.", [0, 1, 1])),
        ('B', with("## #.", [1, 0, 1])),
        ('P', with("## #.", [0, 0, 1])),
    ];
    let cells = (0..27).map(|cell| [cell / 9, cell / 3 % 3, cell % 3]).collect();
    packing(&pieces, &cells, &[|[x, y, z]| [y, -x, z], |[x, y, z]| [x, z, -y]], |_, _| true)
}

/// Creates the problem of domino tilings of a board.
pub(crate) fn dominoes(rows: usize, columns: usize) -> Arc<CoverProblem> {
    let cells = || (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let name = |(row, column): (usize, usize)| format!("{row},{column}");
    let primary: Vec<String> = cells().map(name).collect();
    let options: Vec<Vec<String>> = cells()
        .flat_map(|(row, column)| [((row, column), (row, column + 1)), ((row, column), (row + 1, column))])
        .filter(|(_, (row, column))| *row < rows && *column < columns)
        .map(|(first, second)| vec![name(first), name(second)])
        .collect();
    build(&primary, &[], &options)
}
