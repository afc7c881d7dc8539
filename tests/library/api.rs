//! The library as a program uses it: reading, writing and answering problems in memory.

use quadrille::{
    CoverBuilder, CoverProblem, CoverQuestions, DigitSet, Direction, FromText, Geometry, GridQuestions,
    Packed9x9, Puzzle, Weights,
};

const EASY: &str = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

fn error(text: &str) -> String {
    Puzzle::from_text(text).unwrap_err().to_string()
}

#[test]
fn every_puzzle_is_written_as_it_was_read() {
    let sixteen = format!("G.1{}", ".".repeat(253));
    let pencilmarks = format!("12.......{}", "123456789".repeat(80));
    let lines = [
        EASY.to_owned(),
        ".".repeat(81),
        "1..............4".to_owned(),
        ".".repeat(36 * 25).chars().take(36).collect(),
        sixteen,
        pencilmarks,
        format!("e.oa.b.a.{}b{}", ".".repeat(9), ".".repeat(62)),
    ];
    for line in lines {
        let puzzle = Puzzle::from_text(&line).unwrap();
        assert_eq!(puzzle.to_string(), line);
        assert_eq!(Puzzle::from_text(&line).unwrap(), puzzle);
        if puzzle
            .candidates()
            .iter()
            .all(|set| set.len() == 1 || set.len() as usize == puzzle.geometry().side())
        {
            let drawn = format!("{puzzle:#}");
            assert_eq!(Puzzle::from_text(&drawn).unwrap(), puzzle, "{drawn}");
        }
    }
    let huge = Puzzle::new(&Geometry::of_side(36).unwrap());
    assert_eq!(Puzzle::from_text(&huge.to_string()).unwrap(), huge);
    let packed = Packed9x9::from_text(EASY).unwrap();
    assert_eq!((packed.to_string().as_str(), Puzzle::from(packed).to_packed()), (EASY, Some(packed)));
    let drawn = format!("{packed:#}");
    assert!(drawn.starts_with("5 3 . | . 7 . | . . .\n6 . ."), "{drawn}");
    assert_eq!((drawn.lines().count(), drawn.lines().nth(3)), (11, Some("------+-------+------")));
    assert_eq!(Packed9x9::from_text(&drawn).unwrap(), packed);
    let mut odd = Puzzle::new(&Geometry::of_side(16).unwrap());
    odd.restrict(0, DigitSet(0b1000_0000_0000_0011));
    assert!(odd.to_string().starts_with("{12G}.."));
}

#[test]
fn one_puzzle_is_read_in_any_format() {
    let puzzle = Puzzle::from_text(EASY).unwrap();
    let rows: Vec<&str> = (0..9).map(|row| &EASY[9 * row..9 * row + 9]).collect();
    let integers: String = EASY.replace('.', "0").chars().flat_map(|digit| [digit, ' ']).collect();
    for text in [rows.join("\n"), integers, format!("# one\n{EASY} 6.3 hard\n"), format!("  {EASY}\r\n")] {
        assert_eq!(Puzzle::from_text(&text).unwrap(), puzzle, "{text}");
    }
}

#[test]
fn errors_have_cause_and_position() {
    let wrong = EASY.replacen("6..1", "6..X", 1);
    assert_eq!(error(&wrong), "text:1 (byte 0): character 'X' in column 13 is not a digit of a 9x9");
    assert_eq!(error(&EASY[1..]), "text:1 (byte 0): 80 characters: no grid has this many cells");
    assert_eq!(
        error(&format!("# two\n{EASY}\n{EASY}")),
        "text:3 (byte 88): the text has more than one problem"
    );
    assert_eq!(
        (error(""), error("\n# none\n")),
        ("the text has no puzzle".into(), "the text has no puzzle".into())
    );
    assert!(
        Packed9x9::from_text("1..............4").is_err() && CoverProblem::from_text("a a\na\n").is_err()
    );
    assert!(error("a b | c\na c\nb\n").contains("exact cover"));
}

#[test]
fn grids_have_methods_that_solve_and_count() {
    let (puzzle, packed): (Puzzle, Packed9x9) =
        (Puzzle::from_text(EASY).unwrap(), Packed9x9::from_text(EASY).unwrap());
    assert_eq!(puzzle.solve().unwrap().to_string(), SOLVED);
    assert_eq!(packed.solve(), puzzle.solve());
    assert!(puzzle.is_unique() && packed.is_unique());
    assert!(format!("{:#}", packed.solve().unwrap()).starts_with("5 3 4 | 6 7 8 | 9 1 2\n6 7 2"));
    let none = Packed9x9::from_text(&EASY.replacen("53.", "555", 1)).unwrap();
    assert_eq!((none.solve(), none.count(5), none.is_unique()), (None, 0, false));
    let empty = Puzzle::from_text(&".".repeat(16)).unwrap();
    assert_eq!((empty.count(0), empty.count(10), empty.count(1000)), (0, 10, 288));
    assert_eq!(empty.count_all().to_string(), "288");
    assert_eq!(Packed9x9::FULL.count_all().to_string(), "6670903752021072936960");
    let all: Vec<_> = empty.solutions().map(quadrille::Grid::into_digits).collect();
    assert_eq!((all.len(), all.iter().all(|digits| digits.len() == 16)), (288, true));
    assert_eq!(empty.solve().unwrap().digits(), all[0]);
}

#[test]
fn the_best_grid_is_found_with_its_score() {
    let mut puzzle = Puzzle::from_text(&".".repeat(16)).unwrap();
    assert_eq!(puzzle.best(Direction::Maximize).unwrap().1, 0);
    let values: Vec<i64> = (0..16).collect();
    puzzle.set_weights(Some(Weights::per_cell(puzzle.geometry(), &values).unwrap().into()));
    let score = |grid: &quadrille::Grid| -> i64 {
        grid.digits().iter().zip(&values).map(|(&digit, value)| (i64::from(digit) + 1) * value).sum()
    };
    let (grid, best) = puzzle.best(Direction::Maximize).unwrap();
    assert_eq!((score(&grid), puzzle.solutions().map(|grid| score(&grid)).max()), (best, Some(best)));
}

#[test]
fn covers_are_built_from_slices_and_have_methods_that_solve_and_count() {
    // Pairs of four items.
    let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    let cover = CoverProblem::from_options(4, &pairs).unwrap();
    assert_eq!(cover.solve().unwrap(), Some(vec![0, 5]));
    assert_eq!(
        (cover.count(2).unwrap(), cover.count_all().unwrap(), cover.is_unique().unwrap()),
        (2, 3.into(), false)
    );
    let all = cover.solutions().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(all, [[0, 5], [1, 4], [2, 3]]);
    assert_eq!(CoverProblem::from_options(5, &pairs).unwrap().solve().unwrap(), None);
    assert_eq!(CoverProblem::from_text(&cover.to_string()).unwrap().count_all().unwrap(), 3.into());
    for wrong in [vec![0, 4], vec![1, 1], vec![usize::MAX]] {
        assert!(CoverProblem::from_options(4, &[wrong]).is_err());
    }
    assert!(CoverProblem::from_options(0, &[[0usize; 0]; 0]).is_err());
    let mut builder = CoverBuilder::new();
    builder.primary("a").unwrap();
    builder.option(&["a"]).unwrap();
    builder.option(&["a"]).unwrap();
    let mut costly = builder.build().unwrap();
    costly.set_costs(vec![7, -2]);
    assert_eq!(costly.best(Direction::Minimize).unwrap(), Some((vec![1], -2)));
}

#[test]
fn solutions_arrive_during_the_search_which_ends_with_the_iterator() {
    // 2^60 solutions.
    let options: Vec<[usize; 1]> = (0..60).flat_map(|item| [[item], [item]]).collect();
    let cover = CoverProblem::from_options(60, &options).unwrap();
    let some: Vec<_> = cover.solutions().take(1000).map(Result::unwrap).collect();
    assert!(some.iter().all(|solution| solution.len() == 60));
    // Many iterators in a row: unless their threads end, this test does not.
    for _ in 0..200 {
        assert!(cover.solutions().next().is_some());
    }
}
