//! All engines give the same answers.

use super::{data, quadrille};

const ENGINES: [&str; 4] = ["dlx", "bitmask", "naive", "lanes"];

/// Returns the names of the instruction sets that this machine supports.
fn isas() -> Vec<&'static str> {
    quadrille::engine::Isa::available().map(quadrille::engine::Isa::name).collect()
}

#[test]
fn engines_agree_on_9x9() {
    let lines: Vec<String> = data("random-1000.txt").lines().take(60).map(str::to_owned).collect();
    let input = lines.join("\n");
    let expected = quadrille("solve --unique").stdin(input.clone()).prints();
    assert_eq!(expected.lines().filter(|line| line.len() == 81).count(), 60);
    for engine in ENGINES {
        let run = quadrille("solve --unique --engine").arg(engine).stdin(input.clone());
        assert_eq!(run.prints(), expected, "{engine}");
    }
}

#[test]
fn engines_agree_on_the_published_puzzles() {
    let expected = quadrille("solve --unique data/published.txt").prints();
    for engine in ["dlx", "bitmask", "lanes"] {
        assert_eq!(
            quadrille("solve --unique data/published.txt --engine").arg(engine).prints(),
            expected,
            "{engine}"
        );
    }
}

#[test]
fn engines_agree_on_other_sides() {
    for file in ["4x4.txt", "6x6.txt", "12x12.txt", "16x16.txt"] {
        let file = format!("data/{file}");
        let expected = quadrille("solve --unique").arg(&file).prints();
        for engine in ["dlx", "bitmask"] {
            assert_eq!(
                quadrille("solve --unique --engine").arg(engine).arg(&file).prints(),
                expected,
                "{engine}"
            );
        }
    }
}

#[test]
fn engines_have_the_same_counts() {
    // Each minimal puzzle without two of its clues has a few to a few thousand solutions.
    let input: String = data("random-1000.txt")
        .lines()
        .take(25)
        .map(|line| {
            let mut clues = 0;
            let keep = |cell: char| {
                clues += usize::from(cell != '.');
                if clues <= 2 { '.' } else { cell }
            };
            line.chars().map(keep).collect::<String>() + "\n"
        })
        .collect();
    let expected = quadrille("count").stdin(input.clone()).prints();
    assert!(expected.lines().all(|line| line.parse::<u64>().is_ok_and(|count| count > 1)), "{expected}");
    for engine in ["dlx", "bitmask", "lanes"] {
        assert_eq!(
            quadrille("count --engine").arg(engine).stdin(input.clone()).prints(),
            expected,
            "{engine}"
        );
    }
}

#[test]
fn bitmask_finds_the_first_solutions_of_dancing_links() {
    let input = ".".repeat(16);
    let all = |engine: &str| {
        let mut rows: Vec<String> = quadrille("solve --all --engine")
            .arg(engine)
            .stdin(input.clone())
            .prints()
            .lines()
            .map(str::to_owned)
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(all("dlx"), all("bitmask"));
}

#[test]
fn an_audit_by_a_second_engine_changes_nothing() {
    for verb in ["solve --unique", "count --limit 5", "check"] {
        let run = || quadrille(verb).arg("data/random-1000.txt");
        assert_eq!(run().args("--audit 1/1").prints(), run().prints(), "{verb}");
    }
}

#[test]
fn a_named_engine_that_does_not_support_a_record_ends_the_run() {
    for (words, said) in [
        ("solve --engine best-grid data/published.txt", "engine best-grid cannot solve 9x9 grids"),
        ("count --engine lanes data/16x16.txt", "engine lanes cannot"),
        ("solve --engine lanes --timings data/published.txt", "cannot measure the time"),
    ] {
        let ended = quadrille(words).ends();
        assert_eq!(ended.code, Some(2), "{words}");
        assert!(ended.err.contains(said), "{words}: {}", ended.err);
    }
}

#[test]
fn timings_ask_for_an_engine_that_measures() {
    let text = quadrille("solve --timings data/published.txt --fields engine,time_us").prints();
    for line in text.lines() {
        let (engine, time) = line.split_once('\t').expect("two fields");
        assert_ne!(engine, "lanes");
        assert!(time.parse::<u64>().is_ok(), "{line}");
    }
}

#[test]
fn dancing_links_covers_each_item_once_if_it_never_backtracks() {
    let text = quadrille("solve --engine dlx data/kaggle-1000.csv --fields guesses,covers").prints();
    let straight = text.lines().filter(|line| line.starts_with("0\t")).collect::<Vec<_>>();
    assert!(straight.len() > 500, "{}", straight.len());
    assert!(straight.iter().all(|line| *line == "0\t324"));
}

#[test]
fn instruction_sets_give_the_same_bytes() {
    assert!(isas().contains(&"portable"));
    for verb in [
        "solve --unique --fields status,solution,guesses,nodes",
        "solve --limit 3",
        "count --limit 9",
        "check",
    ] {
        let run = || quadrille(verb).arg("data/random-1000.txt").arg("data/published.txt");
        let expected = run().args("-j1").prints();
        for isa in isas() {
            for threads in ["-j1", "-j2"] {
                let text = run().args("--isa").arg(isa).arg(threads).prints();
                assert!(text == expected, "{verb} on {isa} with {threads}");
            }
        }
    }
}

#[test]
fn engines_without_instruction_sets_ignore_the_option() {
    for file in ["data/random-1000.txt", "data/16x16.txt"] {
        let run = || quadrille("solve --engine bitmask --fields engine,solution").arg(file);
        assert_eq!(run().args("--isa portable").prints(), run().prints(), "{file}");
    }
    // The instruction set does not change the choice of the engine either.
    let run = || quadrille("solve --timings --fields engine data/published.txt data/16x16.txt");
    assert_eq!(run().args("--isa portable").prints(), run().prints());
}

#[test]
fn a_missing_instruction_set_is_refused_before_the_run() {
    let error = quadrille("solve --isa sse9 data/published.txt").fails(2);
    assert!(error.contains("[possible values: auto, portable, neon, avx2, avx512]"), "{error}");
    let available = isas();
    let lacking =
        quadrille::engine::Isa::ALL.iter().find(|isa| !isa.is_available()).expect("no machine has all");
    for file in ["data/published.txt", "data/16x16.txt", "/dev/null"] {
        let error = quadrille("solve --engine auto").args("--isa").arg(lacking.name()).arg(file).fails(2);
        let said = format!("this processor lacks {lacking}; it has {}", available.join(", "));
        assert!(error.contains(&said), "{error}");
    }
}

#[test]
fn statistics_and_help_list_instruction_sets() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("stats.json");
    quadrille("solve --isa portable data/published.txt --stats-out").arg(&file).prints();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"--isa\"") && text.contains("\"portable\""), "{text}");
    let help = quadrille("solve --help --all").prints();
    for isa in quadrille::engine::Isa::ALL {
        let listed = |line: &&str| line.trim_start().starts_with(&format!("- {isa}:"));
        let line = help.lines().find(listed).expect("it is listed");
        assert_eq!(line.contains("not on this machine"), !isa.is_available(), "{line}");
    }
}
