//! `split-problem`, `--cubes` and `combine`: solving a problem in parts gives the same answer as solving it whole.

use std::fs;

use tempfile::TempDir;

use super::resume::{Case, Way, survives_behind_checkpoints};
use super::{EMPTY_9X9, Run, quadrille};

/// A directory with a problem, and the text of its cubes.
struct Parts {
    directory: TempDir,
    cubes: String,
}

impl Parts {
    fn of(problem: &str, words: &str) -> Parts {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("problem");
        fs::write(&path, problem).expect("written");
        let cubes = quadrille(&format!("split-problem {words}")).arg(&path).prints();
        Parts { directory, cubes }
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.directory.path().join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    /// Creates a run that answers some of the cubes.
    fn run(&self, words: &str, cubes: &str) -> Run {
        let problem = self.directory.path().join("problem");
        quadrille(&format!("{words} --cubes -")).arg(problem).stdin(cubes)
    }

    /// Returns the answers of some of the cubes.
    fn answers(&self, words: &str, cubes: &str) -> String {
        self.run(words, cubes).prints()
    }

    fn combined(&self, answers: &str) -> String {
        quadrille("combine -").stdin(answers).prints()
    }
}

fn langford(n: u32) -> String {
    quadrille(&format!("generate langford {n}")).prints()
}

#[test]
fn counts_of_cubes_add_up_to_the_count() {
    for (problem, input) in [
        (langford(7), ""),
        (quadrille("generate queens 8").prints(), ""),
        (quadrille("generate domination 5 3").prints(), ""),
        (format!("{}\n", ".".repeat(16)), ""),
        (format!("{}\n", ".".repeat(36)), "--side 6"),
        ("a..e..a.........\n".to_owned(), ""),
    ] {
        let parts = Parts::of(&problem, &format!("--target 30 {input}"));
        assert!(parts.cubes.lines().count() >= 30, "{}", parts.cubes);
        let answers = parts.answers(&format!("count {input}"), &parts.cubes);
        assert_eq!(answers.lines().count(), parts.cubes.lines().count());
        let whole = quadrille(&format!("count {input}")).stdin(problem).prints();
        assert_eq!(parts.combined(&answers), whole);
    }
}

#[test]
fn the_best_of_the_cubes_is_the_best() {
    // The published sample has three solutions; with its first row of clues emptied it has many.
    let grid =
        format!("{}\n{}", ["0"; 9].join(" "), super::data("p1074-1.txt").split_once('\n').expect("rows").1);
    for direction in ["--maximize", "--minimize"] {
        let parts = Parts::of(&grid, &format!("--target 20 {direction}"));
        let answers = parts.answers(&format!("best {direction}"), &parts.cubes);
        let total = parts.combined(&answers);
        let whole = quadrille(&format!("best {direction}")).stdin(grid.clone()).prints();
        assert_eq!(total.split('\t').next(), whole.split('\t').next());
        let other = if direction == "--maximize" { "--minimize" } else { "--maximize" };
        let wrong = parts.run(&format!("best {other}"), &parts.cubes).ends_with(6).out;
        assert!(wrong.lines().all(|line| line.contains("invalid\ta cube that was cut for")), "{wrong}");
    }
}

fn sorted(lines: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn solutions_of_cubes_are_all_solutions() {
    for (problem, input) in [
        (langford(7), ""),
        (quadrille("generate queens 8").prints(), ""),
        (format!("{}\n", ".".repeat(16)), ""),
        ("a..e..a.........\n".to_owned(), ""),
        // A problem without solutions.
        (quadrille("generate queens 3").prints(), ""),
    ] {
        let parts = Parts::of(&problem, &format!("--all --target 20 --quiet {input}"));
        let whole = quadrille(&format!("solve --all {input}")).stdin(problem).prints();
        for order in ["", "--unordered", "-j1"] {
            let answers = parts.answers(&format!("solve --all {order} {input}"), &parts.cubes);
            let combined = parts.combined(&answers);
            if whole.starts_with("none") {
                assert_eq!(combined, "none\n");
            } else {
                assert_eq!(sorted(&combined), sorted(&whole), "{order} {answers}");
            }
        }
        let wrong = parts.run(&format!("count {input}"), &parts.cubes).ends_with(6).out;
        assert!(
            wrong.lines().all(|line| line.contains("a cube that was cut for all, not for count")),
            "{wrong}"
        );
    }
}

#[test]
fn a_listing_without_its_end_is_not_taken_for_all_solutions() {
    let problem = langford(7);
    let whole = quadrille("solve --all").stdin(problem.clone()).prints();
    let parts = Parts::of(&problem, "--all --target 12");
    let answers = parts.answers("solve --all", &parts.cubes);
    let lines: Vec<&str> = answers.split_inclusive('\n').collect();
    let is_end = |line: &str| line.split('\t').count() == 3;
    let first = lines.iter().position(|line| is_end(line)).expect("a cube has solutions");
    let name = lines[first].split('\t').next().expect("a name");
    let number = name.rsplit(' ').next().and_then(|of| of.split('/').next()).expect("a number");
    // The run was killed before the end of that cube, so the cube is missing although it listed solutions.
    let begun = lines[..first].concat();
    let (begun, cubes) = (parts.file("begun", &begun), parts.file("cubes", &parts.cubes));
    let todo = parts.directory.path().join("todo").display().to_string();
    quadrille(&format!("combine {begun} --cubes {cubes} --missing {todo}")).prints();
    let todo = fs::read_to_string(todo).expect("written");
    assert!(todo.lines().any(|line| line.starts_with(name)), "{todo}");
    // After that cube is run again, every solution is listed once.
    let rest = parts.file("rest", &parts.answers("solve --all", &todo));
    let combined = quadrille(&format!("combine {begun} {rest}")).prints();
    assert_eq!(sorted(&combined), sorted(&whole));
    // A cube stopped by a limit is treated in the same way; a listing that lost a line is refused.
    let limited = format!("{}{name}\tsolved\ttime\n", lines[..first].concat());
    let limited = parts.file("limited", &limited);
    assert_eq!(sorted(&quadrille(&format!("combine {limited} {rest}")).prints()), sorted(&whole));
    let lost = [&lines[..first - 1], &lines[first..]].concat().concat();
    let said = quadrille("combine -").stdin(lost).fails(1);
    assert!(said.contains(&format!("cube {number}/")) && said.contains("are in the input"), "{said}");
    let twice = format!("{answers}{answers}");
    assert!(quadrille("combine -").stdin(twice).fails(1).contains("two answers of cube"));
}

#[test]
fn cubes_of_a_plain_9x9_are_pencilmark_puzzles() {
    let parts = Parts::of(super::POJ, "--target 1");
    let puzzle: String = parts.cubes.lines().filter_map(|line| line.split('\t').nth(1)).collect();
    assert_eq!(puzzle.len(), 729);
    assert_eq!(quadrille("solve").stdin(puzzle).prints().trim_end(), super::POJ_SOLVED);
    let empty = Parts::of(EMPTY_9X9, "--target 500 --probes 1");
    assert!(empty.cubes.lines().count() >= 500);
    assert_eq!(quadrille("split-problem --target 500 --probes 1").stdin(EMPTY_9X9).prints(), empty.cubes);
}

#[test]
fn missing_cubes_are_reported_and_can_be_solved_again() {
    let problem = langford(7);
    let parts = Parts::of(&problem, "--target 12");
    let answers = parts.answers("count", &parts.cubes);
    let lines: Vec<&str> = answers.lines().collect();
    // The program was killed: one answer is cut in the middle, the others are missing.
    let begun = format!("{}\n{}\n{}", lines[3], lines[0], &lines[1][..lines[1].len() - 1]);
    let said = quadrille("combine -").stdin(begun.clone()).fails(1);
    let missing = lines.len() - 2;
    assert!(
        said.contains(&format!("{missing} of {} cubes have no finished answer: 2, 3, 5", lines.len())),
        "{said}"
    );

    let (cubes, begun) = (parts.file("cubes", &parts.cubes), parts.file("begun", &begun));
    let todo = parts.directory.path().join("todo").display().to_string();
    quadrille(&format!("combine {begun} --cubes {cubes} --missing {todo}")).prints();
    let todo = fs::read_to_string(todo).expect("written");
    assert_eq!(todo.lines().count(), missing);
    let rest = parts.file("rest", &parts.answers("count", &todo));
    let whole = quadrille("count").stdin(problem).prints();
    assert_eq!(quadrille(&format!("combine {begun} {rest}")).prints(), whole);
    let doubled = parts.file("doubled", &format!("{}\n{}\n", lines[4], lines[0]));
    let said = quadrille(&format!("combine {begun} {doubled}")).fails(1);
    assert!(said.contains("doubled:2") && said.contains("two answers of cube 1/"), "{said}");
}

#[test]
fn answers_in_any_order_are_combined() {
    let problem = quadrille("generate assignment 8 --costs 1..99 --seed 7").prints();
    for (split, verb) in [("", "count"), ("--minimize", "best --minimize")] {
        let parts = Parts::of(&problem, &format!("--target 5 {split}"));
        let ordered = parts.answers(verb, &parts.cubes);
        let unordered = parts.answers(&format!("{verb} --unordered"), &parts.cubes);
        assert!(unordered.lines().all(|line| line.starts_with(|first: char| first.is_ascii_digit())));
        assert_eq!(parts.combined(&unordered), parts.combined(&ordered));
        // A single number, or three, are not the name of a cube.
        for wrong in ["7\n", "7\t8\t9\n"] {
            quadrille("combine -").stdin(wrong).fails(1);
        }
    }
}

#[test]
fn a_cube_whose_line_was_cut_is_missing() {
    let problem = quadrille("generate queens 8").prints();
    let parts = Parts::of(&problem, "--target 20");
    let all = parts.cubes.lines().count();
    let (name, decisions) =
        parts.cubes.lines().last().and_then(|line| line.split_once('\t')).expect("a cube");
    assert!(decisions.len() > 2, "what is left of it is a cube: {decisions}");
    for cut in 1..=decisions.len() {
        let answers = parts.answers("count -q", &parts.cubes[..parts.cubes.len() - cut]);
        let last = answers.lines().last().expect("rows");
        assert_eq!(last, format!("{name}\tinvalid\tthe line has no line end: it may be cut off"));
        let said = quadrille("combine -").stdin(answers).fails(1);
        assert!(said.contains(&format!("1 of {all} cubes have no finished answer: {all}")), "{said}");
    }
}

#[test]
fn cubes_without_an_answer_count_as_missing() {
    let parts = Parts::of(&langford(7), "--target 12");
    let answers = parts.answers("count", &parts.cubes);
    let lines = |text: &str, number: usize| -> String {
        text.lines().take(number).flat_map(|line| [line, "\n"]).collect()
    };
    let todo = parts.directory.path().join("todo").display().to_string();
    let combine = |answers: &str, cubes: &str| {
        let answers = parts.file("answers", answers);
        quadrille(&format!("combine {answers} --cubes - --missing {todo}")).stdin(cubes)
    };
    let said = combine(&lines(&answers, 9), &lines(&parts.cubes, 9)).fails(1);
    assert!(said.contains("are not in - either: 10, 11, 12"), "{said}");
    let said = combine("", &lines(&parts.cubes, 1)).fails(1);
    assert!(said.contains("2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ..."), "{said}");
    let said = combine(&lines(&answers, 9), parts.cubes.trim_end()).fails(1);
    assert!(said.contains("not in - either: ") && !said.contains("10"), "only the one that was cut: {said}");
    assert!(combine("", "").fails(1).contains("- has no cubes"));
    assert!(!std::path::Path::new(&todo).exists());
    // The cubes may come through a pipe; a cube listed twice is done once.
    combine(&lines(&answers, 9), &parts.cubes.repeat(2)).prints();
    let open: String = parts.cubes.split_inclusive('\n').skip(9).collect();
    assert_eq!(fs::read_to_string(&todo).expect("written"), open);
}

#[test]
fn answers_may_be_compressed_and_too_long_lines_are_refused() {
    let parts = Parts::of(&langford(7), "--target 5");
    let answers = parts.answers("count", &parts.cubes);
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed = std::io::Write::write_all(&mut packer, answers.as_bytes()).and_then(|()| packer.finish());
    let packed = packed.expect("memory");
    assert_eq!(quadrille("combine -").stdin(&packed[..]).prints(), "52\n");
    assert!(quadrille("combine -").stdin(&packed[..packed.len() - 9]).fails(1).contains("reading -"));
    let endless = answers + &" ".repeat(65 << 20);
    assert!(quadrille("combine -").stdin(endless).fails(1).contains("the line is too long for an answer"));
}

#[test]
fn a_problem_that_cannot_be_cut_is_one_cube() {
    let ended = quadrille("split-problem --from dlx --target 4").stdin("a b\na b\n").ends_with(0);
    assert_eq!(ended.err, "quadrille: made only 1 cube: the problem cannot be cut further\n");
}

#[test]
fn cubes_and_answers_of_different_problems_are_refused() {
    let seven = Parts::of(&langford(7), "--target 5");
    let eight = Parts::of(&langford(8), "--target 5");
    let foreign = eight.run("count -q", &seven.cubes).ends_with(6);
    let cubes = seven.cubes.lines().count();
    assert_eq!(foreign.err, format!("quadrille: none of {cubes} records could be read\n"));
    let foreign = foreign.out;
    assert!(foreign.lines().all(|line| line.ends_with("\tinvalid\ta cube of another problem")), "{foreign}");
    let both = seven.answers("count", &seven.cubes) + &eight.answers("count", &eight.cubes);
    assert!(quadrille("combine -").stdin(both).fails(1).contains("a cube of another problem than the first"));
    let other_cut = Parts::of(&langford(7), "--target 20");
    let both = seven.answers("count", &seven.cubes) + &other_cut.answers("count", &other_cut.cubes);
    assert!(quadrille("combine -").stdin(both).fails(1).contains("another cut of the same problem"));
    let ended = seven.answers("count --node-limit 1", &seven.cubes);
    assert!(quadrille("combine -").stdin(ended).fails(1).contains("have no finished answer"));
    assert!(quadrille("combine -").stdin("12\n").fails(1).contains("-:1 "));
    assert!(quadrille("combine -").fails(1).contains("no answers"));
    assert!(quadrille("count --cubes -").fails(2).contains("cannot both be standard input"));
    assert!(quadrille("split-problem").stdin(EMPTY_9X9.repeat(2)).fails(2).contains("one problem"));
    assert!(quadrille("split-problem").stdin("1234x\n").fails(1).contains("no grid has this many cells"));
    let queendom = quadrille("generate domination 5 3").prints();
    for purpose in ["--minimize", "--all"] {
        let said = quadrille(&format!("split-problem {purpose}")).stdin(queendom.clone()).fails(2);
        assert!(said.contains("for counting only"), "{said}");
    }
}

#[test]
fn a_long_count_survives_kills_as_cubes() {
    let problem = langford(11);
    let parts = Parts::of(&problem, "--target 60 --probes 2");
    let path = parts.directory.path().join("problem");
    let words = format!("count {} --engine dlx --chunk-bytes 300 --cubes", path.display());
    let case = Case::new(Way::File, &words, parts.cubes.clone());
    let kills = survives_behind_checkpoints(&case, 6);
    assert!(kills > 1, "{kills} kills");
    let answers = fs::read_to_string(case.path("out")).expect("written");
    assert_eq!(parts.combined(&answers), quadrille("count").stdin(problem).prints());
}

#[test]
fn cutting_ends_at_its_deadline() {
    let error = quadrille("split-problem --side 9 --deadline 0.001s").stdin(super::EMPTY_9X9).fails(4);
    assert!(error.contains("stopped (deadline)"), "{error}");
}
