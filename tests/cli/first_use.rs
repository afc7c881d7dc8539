//! First contact: what a new user meets.

use std::fs;
use std::process::Command;

use super::{POJ, POJ_SOLVED, data, quadrille};

#[cfg(unix)]
mod at_a_terminal {
    use std::process::{Command, Stdio};

    use super::super::terminal::Terminal;
    use super::*;

    /// Runs a command with a terminal as standard input and error, and types `text` and the end of input.
    ///
    /// Returns the standard output and the text on the terminal.
    fn typed(mut command: Command, text: &str) -> (String, String) {
        let mut terminal = Terminal::new();
        let (input, errors) = (terminal.open(), terminal.open());
        let child = command.stdin(input).stderr(errors).stdout(Stdio::piped()).spawn().expect("it starts");
        // Dropping the command closes this process's copies of the terminal.
        drop(command);
        terminal.types(&format!("{text}\u{4}"));
        let shown = terminal.read();
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0));
        let shown = shown.join().expect("it is read");
        (String::from_utf8_lossy(&output.stdout).into_owned(), shown)
    }

    #[test]
    fn typed_puzzles_are_read() {
        for words in ["solve", "solve -", "count"] {
            let (out, shown) = typed(quadrille(words).command, &format!("{POJ}\n"));
            assert!(shown.contains("reading from the terminal, end with "), "{words}: {shown}");
            let expected = if words == "count" { "1" } else { POJ_SOLVED };
            assert_eq!(out, format!("{expected}\n"), "{words}: {shown}");
            assert!(!shown.contains("checksum") && !shown.contains("records"), "{words}: {shown}");
        }
    }

    #[test]
    fn a_grid_can_be_pasted() {
        let rows: Vec<String> =
            POJ.as_bytes().chunks(9).map(|row| String::from_utf8_lossy(row).into_owned()).collect();
        let (out, shown) = typed(quadrille("solve").command, &format!("{}\n", rows.join("\n")));
        assert_eq!(out, format!("{POJ_SOLVED}\n"), "{shown}");
    }

    #[test]
    fn one_puzzle_has_no_summary() {
        let (_, shown) = typed(quadrille("solve data/poj2676.txt").command, "");
        assert!(!shown.contains("checksum"), "{shown}");
        let (_, shown) = typed(quadrille("solve data/random-1000.txt").command, "");
        assert!(shown.contains("checksum"), "{shown}");
    }

    #[test]
    fn a_short_run_ends_with_three_lines_and_no_progress() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let few = directory.path().join("few.txt");
        fs::write(&few, format!("{POJ}\n{POJ}\n")).expect("it is written");
        let (_, shown) = typed(quadrille("solve --threads 1").arg(&few).command, "");
        let lines: Vec<&str> = shown.lines().filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(lines, ["records", "answers", "checksum"], "{shown}");
        let (_, shown) = typed(quadrille("solve data/random-1000.txt --stats").command, "");
        assert!(shown.contains("engine") && shown.contains("hardest"), "{shown}");
    }

    #[test]
    fn generate_ends_with_a_line_of_what_it_made() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let to = |words: &str| quadrille(words).arg("-o").arg(directory.path().join("x.txt")).command;
        let (_, shown) = typed(to("generate minimal -n 40"), "");
        let last = shown.trim().lines().last().expect("a line");
        assert!(
            last.starts_with("quadrille: 40 records of minimal in ") && last.ends_with(" clues"),
            "{shown}"
        );
        assert_eq!(typed(to("generate minimal -n 40 -q"), "").1, "");
    }

    #[test]
    fn pages_and_json_are_not_poured_on_a_terminal() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let run = directory.path().join("run.json");
        quadrille("solve data/poj2676.txt -q --stats-out").arg(&run).ends_with(0);
        let shows = |words: &str, file: &std::path::Path| {
            let terminal = Terminal::new();
            let (out, errors) = (terminal.open(), terminal.open());
            let mut command = quadrille(words).arg(file).command;
            let mut child =
                command.stdin(Stdio::null()).stdout(out).stderr(errors).spawn().expect("it starts");
            drop(command);
            let shown = terminal.read();
            let code = child.wait().expect("it ends").code();
            (code, shown.join().expect("it is read"))
        };
        let (code, shown) = shows("report", &run);
        assert!(code == Some(0) && shown.contains("the page is in ") && !shown.contains("<html"), "{shown}");
        let page = fs::read_to_string(run.with_extension("html")).expect("written");
        assert!(page.starts_with("<!DOCTYPE html>"));
        let (code, shown) = shows("report", &run);
        assert!(
            code == Some(2) && shown.contains("(name the page with -o)"),
            "nothing is overwritten: {shown}"
        );
        let file = std::path::Path::new("data/random-1000.txt");
        let (code, shown) = shows("fingerprint", file);
        assert!(code == Some(0) && !shown.contains('{') && shown.contains("1000 puzzles"), "{shown}");
        assert!(quadrille("fingerprint").arg(file).prints().starts_with('{'));
    }

    #[test]
    fn a_run_whose_reader_closed_the_pipe_has_no_summary() {
        let mut command = quadrille("solve data/minimal-5000.txt").command;
        command.stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stdout.take());
        let ended = child.wait_with_output().expect("it ends");
        assert!(!String::from_utf8_lossy(&ended.stderr).contains("checksum"));
    }
}

#[test]
fn a_puzzle_may_be_an_argument() {
    assert_eq!(quadrille("solve").arg(POJ).prints(), format!("{POJ_SOLVED}\n"));
    assert_eq!(quadrille("count").arg(POJ.replace('0', ".")).prints(), "1\n");
    assert_eq!(quadrille("count 1............... 12..............").prints(), "72\n24\n");
    let encoded = quadrille("encode").arg(POJ).prints();
    assert!(encoded.contains("r1c1") || encoded.lines().count() > 100, "{encoded}");
    let grid: String =
        POJ.as_bytes().chunks(9).flat_map(|row| [row, b"\n"].concat()).map(char::from).collect();
    assert_eq!(quadrille("solve").arg(grid).prints(), format!("{POJ_SOLVED}\n"));
    for text in ["53..7....", "1234567890123456", &POJ[1..]] {
        let error = quadrille("solve").arg(text).fails(2);
        assert!(error.contains("is neither a file nor a puzzle: "), "{text}: {error}");
    }
    for name in ["my_file_name.txt", "puzzles-20240101", "nowhere", "2024-01-01.txt"] {
        let error = quadrille("solve").arg(name).ends();
        assert!(error.code == Some(1) && error.err.contains("No such file"), "{name}: {}", error.err);
    }
}

#[test]
fn a_link_may_be_an_argument() {
    for link in
        ["https://www.sudokuwiki.org/sudoku.htm?bd=", "www.sudokuwiki.org/sudoku.htm?bd=", "?bd=", "bd="]
    {
        assert_eq!(
            quadrille("solve").arg(format!("{link}{POJ}")).prints(),
            format!("{POJ_SOLVED}\n"),
            "{link}"
        );
        assert_eq!(
            quadrille("").arg(format!("{link}{POJ}")).args("-q").prints(),
            format!("{POJ_SOLVED}\n"),
            "{link}"
        );
    }
    assert!(quadrille("solve").arg("?bd=123").fails(2).contains("is neither a file nor a puzzle: "));
}

#[test]
fn formats_have_one_set_of_names() {
    // A solution is drawn as `convert` draws it.
    let several = data("4x4.txt") + &data("16x16.txt");
    for input in [format!("{POJ}\n"), several, "..........................2.........\n".to_owned()] {
        let solved = quadrille("solve --side any").stdin(&*input).prints();
        for format in ["grid", "framed"] {
            let drawn = quadrille(&format!("solve --side any --to {format}")).stdin(&*input).prints();
            let converted = quadrille(&format!("convert --side any --to {format}")).stdin(&*solved).prints();
            assert_eq!(drawn, converted, "{format}");
        }
    }
    let framed = quadrille("solve --to framed").arg(POJ).prints();
    assert!(framed.starts_with("+-------+-------+-------+\n| 1 4 3 | 6 2 8 |"), "{framed}");
    assert_eq!(
        quadrille("solve --to line").arg(POJ).prints(),
        quadrille("solve --to text").arg(POJ).prints()
    );
    assert_eq!(
        quadrille("convert --to text").arg(POJ).prints(),
        quadrille("convert --to line").arg(POJ).prints()
    );
    for (words, said) in [
        ("solve --to sdk", "tip: convert can write sdk"),
        ("convert --to contest", "tip: solve and other verbs that answer can write contest"),
        ("solve --to dlx", "tip: dlx can only be read (--from dlx); encode writes dlx"),
        ("solve --from html", "tip: html can only be written (--to html)"),
        ("solve --from framed", "tip: framed can only be written (--to framed); most input is recognised"),
    ] {
        assert!(quadrille(words).arg(POJ).fails(2).contains(said), "{words}");
    }
    for verb in ["solve", "convert"] {
        let help = quadrille(verb).args("--help --all").prints();
        assert!(help.contains("- framed:") && help.contains("- parquet:"), "{help}");
    }
}

/// Returns all verbs with the whole help of each.
fn verbs_with_help() -> Vec<(String, String)> {
    let help = quadrille("--help").prints();
    let (_, list) = help.split_once("Commands:\n").expect("commands");
    let names = list.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    names.map(|name| (name.to_owned(), quadrille(name).args("--help --all").prints())).collect()
}

#[test]
fn the_whole_help_lists_all_verbs_with_their_options() {
    let mut whole = quadrille("--help --all");
    whole.command.env("COLUMNS", "80");
    let whole = whole.prints();
    let (_, list) = whole.split_once("Options of each verb:\n").expect("a list");
    assert!(whole.lines().all(|line| line.chars().count() <= 80), "{whole}");
    for (verb, help) in verbs_with_help() {
        let after = list.split_once(&format!("\n  {verb} ")).map_or(list, |(_, after)| after);
        let own: String = after
            .lines()
            .enumerate()
            .take_while(|(place, line)| *place == 0 || line.starts_with("    "))
            .map(|(_, line)| format!("{line} "))
            .collect();
        for line in help.lines().filter(|line| line.starts_with("  -") || line.starts_with("      --")) {
            let option =
                line.split([' ', ',', '[']).find(|word| word.starts_with("--")).expect("a long name");
            let option = option.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
            assert!(option == "--help" || own.contains(&format!("{option} ")), "{verb} {option}: {own}");
        }
    }
    assert!(whole.contains("Exit status:"), "{whole}");
}

#[test]
fn every_verb_takes_quiet() {
    for (verb, help) in verbs_with_help() {
        assert!(help.contains("-q, --quiet"), "{verb}");
    }
    let several = data("4x4.txt");
    assert!(quadrille("encode -q").stdin(&*several).prints().len() > 100);
    assert!(quadrille("fingerprint -q").stdin(several + "bad\n").prints().starts_with('{'));
}

#[test]
fn numbers_out_of_range_name_the_range() {
    let mut seen = 0;
    for (verb, help) in verbs_with_help() {
        for line in help.lines().filter(|line| line.trim_start().starts_with('-')) {
            let Some((option, rest)) =
                line.split_once("--").and_then(|(_, rest)| rest.split_once([' ', '[', '=']))
            else {
                continue;
            };
            let value = rest.trim_start_matches(['<', '[', '=']);
            let is_number = ["N>", "K>", "SEED>", "COST>", "N|any>", "N|auto>", "RATING>"]
                .iter()
                .any(|kind| value.starts_with(kind));
            if !is_number {
                continue;
            }
            seen += 1;
            for number in ["-1", "99999999999999999999", "many"] {
                if option == "cost-each" && number == "-1" {
                    continue;
                }
                let error = quadrille(&verb).arg(format!("--{option}")).arg(number).ends();
                assert_eq!(error.code, Some(2), "{verb} --{option} {number}: {}", error.err);
                let names = error.err.contains(" from ") && error.err.contains(" to ")
                    || error.err.contains("rating");
                assert!(names, "{verb} --{option} {number}: {}", error.err);
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn a_puzzle_without_a_verb_is_solved() {
    let ended = quadrille("").arg(POJ).ends();
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), format!("{POJ_SOLVED}\n").as_str()));
    assert_eq!(ended.err, "quadrille: no verb given: running quadrille solve\n");
    assert_eq!(quadrille("").arg(POJ).args("--unique --fields status -q").prints(), "unique\n");
    let error = quadrille("53..7....").fails(2);
    assert!(error.contains("53..7.... is neither a file nor a puzzle: 9 characters: no grid has"), "{error}");
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("1..............."), format!("{POJ}\n")).expect("written");
    let output =
        quadrille("1...............").command.current_dir(directory.path()).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{POJ_SOLVED}\n"));
    let error = quadrille("data/poj2676.txt").fails(2);
    assert!(error.contains("tip: the verb comes first, such as 'solve data/poj2676.txt'"), "{error}");
    for word in ["solv", "8.26100E+80", "2024-01-01.txt"] {
        assert!(quadrille(word).fails(2).contains("unrecognized subcommand"), "{word}");
    }
}

#[test]
fn a_file_with_the_name_of_a_puzzle_is_read() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    fs::write(directory.path().join("1..............."), format!("{POJ}\n")).expect("written");
    let mut command = quadrille("solve 1...............").command;
    let output = command.current_dir(directory.path()).output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{POJ_SOLVED}\n"));
}

#[test]
fn a_file_for_output_gets_a_tip() {
    for name in ["out.txt", "there/out"] {
        let error = quadrille("solve --to").arg(name).fails(2);
        assert!(error.contains(&format!("-o {name}")), "{error}");
    }
    assert!(!quadrille("solve --to txt").fails(2).contains("-o txt"));
}

#[test]
fn completions_and_man_pages_are_verbs() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(quadrille("completions").arg(shell).prints().contains("solution-column"), "{shell}");
    }
    assert!(quadrille("man").prints().contains(".TH quadrille 1"));
    assert!(quadrille("man solve").prints().contains("\\-\\-unique"));
    assert!(quadrille("man nothing").fails(2).contains("invalid value 'nothing'"));
}

/// Returns the shell's completions of the last word in `line`, using the script that the program generates.
fn completed(shell: &str, script: &std::path::Path, line: &str) -> Vec<String> {
    let driver = match shell {
        "bash" => {
            r#"source "$1"; COMP_WORDS=($2); last=$((${#COMP_WORDS[@]} - 1)); COMP_CWORD=$last
            _quadrille quadrille "${COMP_WORDS[last]}" "${COMP_WORDS[last-1]}"; printf '%s\n' "${COMPREPLY[@]}""#
        }
        _ => "source $argv[2]; complete -C $argv[3]",
    };
    let mut command = Command::new(shell);
    command.args(["-c", driver, "name"]).arg(script).arg(line);
    let output = command.output().unwrap_or_else(|error| panic!("{shell} does not start: {error}"));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

/// Asserts the words to which a shell completes a command.
fn completes(shell: &str) {
    let dir = tempfile::tempdir().expect("a directory");
    let script = dir.path().join(shell);
    std::fs::write(&script, quadrille("completions").arg(shell).prints()).expect("a file");
    for (line, expected) in [
        ("quadrille rate --fields er,pu", &["er,puzzle"][..]),
        ("quadrille rate -F technique,te", &["technique,techniques"]),
        ("quadrille check --fields puzzle,pu", &[]),
        ("quadrille count --fields can", &[]),
        ("quadrille canon --fields can", &["canon"]),
        ("quadrille overlap a.txt b.txt --only new,cop", &["new,copy"]),
        ("quadrille overlap a.txt b.txt --fields id,rel", &["id,relation"]),
        ("quadrille solve --rules x,wind", &["x,windoku"]),
        ("quadrille generate minimal --fields puzzle,so", &["puzzle,solution"]),
        ("quadrille rate --scale ser-", &["ser-canonical"]),
        ("quadrille man split", &["split-corpus", "split-problem"]),
        ("quadrille gen", &["generate"]),
    ] {
        let mut found = completed(shell, &script, line);
        found.retain(|word| !word.is_empty());
        found.sort_unstable();
        assert_eq!(found, expected, "{shell}: {line}");
    }
}

#[test]
fn completion_scripts_have_lists_and_nothing_hidden() {
    // Completion in zsh needs a terminal, so only the script is tested for zsh.
    for shell in ["bash", "fish", "zsh"] {
        let text = quadrille("completions").arg(shell).prints();
        assert!(!text.contains("generate-docs"), "{shell}");
        // Options for lists of fields are completed by the function for lists, never as a choice of one word.
        let (list, single) = match shell {
            "bash" => ("_quadrille_list \"${cur}\" index line", "-W \"index"),
            "fish" => ("(__fish_quadrille_list index line", "-a \"index"),
            _ => ("_values -s , word index line", "(index"),
        };
        assert!(text.matches(list).count() >= 9 && !text.contains(single), "{shell}");
    }
}

#[test]
fn bash_completes_lists_verbs_and_nothing_hidden() {
    completes("bash");
}

#[test]
#[ignore = "needs fish, which not every system has"]
fn fish_completes_lists_verbs_and_nothing_hidden() {
    completes("fish");
}

#[test]
fn each_verb_has_fields_of_its_own() {
    let known = |verb: &str| {
        let error = quadrille(verb).args("--fields nothing").fails(2);
        let (_, list) = error.split_once("[possible values: ").expect("a list");
        let (list, _) = list.split_once(']').expect("its end");
        list.split(", ").map(str::to_owned).collect::<Vec<_>>()
    };
    for (verb, with, without) in [
        ("solve", "solution solution_index er", "score canon rating_error relation"),
        ("count", "count min_count", "solution er canon relation"),
        ("best", "score bound solution", "er canon relation"),
        ("check", "er status solution", "solution_index score canon rating_error"),
        ("canon", "canon transform band", "er score relation"),
        ("rate", "er rating_error canon", "score bound relation"),
        ("dedup", "class first size puzzle", "relation er canon solution_index"),
        ("overlap", "relation first puzzle", "class size er canon"),
        ("split-corpus --parts a=1", "puzzle status", "relation class er"),
    ] {
        let known = known(verb);
        let has = |name: &str| known.iter().any(|known| known == name);
        assert!(with.split(' ').all(has), "{verb}: {known:?}");
        assert!(!without.split(' ').any(has), "{verb}: {known:?}");
        let mut help = quadrille(verb.split(' ').next().expect("a verb"));
        help.command.env("COLUMNS", "200");
        let help = help.args("--help --all").prints();
        let (_, of_fields) = help.split_once("--fields <NAME,...>").expect("the option");
        let (of_fields, _) = of_fields.split_once("\n      --").expect("the next option");
        let listed =
            |name: &str| of_fields.lines().any(|line| line.trim().starts_with(&format!("- {name}:")));
        assert!(with.split(' ').all(listed), "{verb}: {of_fields}");
        assert!(!without.split(' ').any(listed), "{verb}: {of_fields}");
    }
    let error = quadrille("count --fields canon").fails(2);
    assert!(error.contains("canon is a field of canon, rate"), "{error}");
    assert!(quadrille("solve --unique --fields rating_error").fails(2).contains("is a field of rate"));
    assert!(
        quadrille("dedup --fields class")
            .stdin("")
            .fails(2)
            .contains("the field class is only for dedup --all")
    );
}

#[test]
fn help_fits_two_screens() {
    let help = |words: &str| {
        let mut run = quadrille(words);
        run.command.env("COLUMNS", "80");
        run.prints()
    };
    for verb in [
        "solve",
        "count",
        "best",
        "check",
        "convert",
        "estimate",
        "split-problem",
        "combine",
        "encode",
        "generate",
        "bench",
    ] {
        let short = help(&format!("{verb} --help"));
        assert!(short.lines().count() <= 80, "{verb}: {} lines", short.lines().count());
        assert_eq!(short, help(&format!("{verb} -h")));
        let whole = help(&format!("{verb} --help --all"));
        assert!(whole.lines().count() >= short.lines().count(), "{verb}");
    }
    assert!(!help("solve --help").contains("--audit") && help("solve --all --help").contains("--audit"));
}

#[test]
fn a_summary_reports_only_news() {
    let summary = |words: &str| quadrille(words).ends().err;
    let solved = summary("solve data/random-1000.txt --stats");
    assert!(solved.contains("checksum") && !solved.contains("ended by  limit"), "{solved}");
    let counted = summary("count --limit 1 data/random-1000.txt --stats");
    assert!(counted.contains("limit 1,000"), "{counted}");
    let lost = summary("solve nowhere --stats");
    assert!(lost.contains("No such file") && !lost.contains("checksum"), "{lost}");
}

#[test]
fn several_sources_have_a_table() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let json = directory.path().join("s.json");
    let words =
        "solve --unique data/random-1000.txt data/multiple-3000.txt --stats --chunk-bytes 4k -j2 --stats-out";
    let ended = quadrille(words).arg(&json).ends();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let line = |name: &str| {
        let found = ended.err.lines().find(|line| line.starts_with("source") && line.contains(name));
        found.expect("it is listed").to_owned()
    };
    assert!(line("random-1000.txt: 1,000 records in ").ends_with(": unique 1,000"), "{}", ended.err);
    assert!(line("multiple-3000.txt: 3,000 records in ").ends_with(": multiple 3,000"), "{}", ended.err);
    let read = || -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(&json).expect("there")).expect("it is JSON")
    };
    let before = read();
    assert_eq!(before["sources"]["data/random-1000.txt"]["unique"], 1000);
    assert!(before["clock"]["sources_ns"]["data/multiple-3000.txt"].as_u64() > Some(0));
    let twice = directory.path().join("t.json");
    quadrille("stats").arg(&json).arg(&json).arg("--out").arg(&twice).prints();
    let sum = fs::read_to_string(twice).expect("there");
    assert!(sum.contains("\"unique\": 2000"), "{sum}");
    assert!(!quadrille("solve data/poj2676.txt --stats").ends().err.contains("source"));
}

#[test]
fn verbs_warn_if_they_ignore_records_or_take_long() {
    let ended = quadrille("encode data/4x4.txt").ends();
    assert!(ended.code == Some(0) && ended.err.contains("encoding only the first record"), "{}", ended.err);
    assert_eq!(quadrille("encode data/poj2676.txt").ends().err, "");
    let ended = quadrille("generate minimal --side 25 --deadline 100ms").ends();
    assert!(ended.code == Some(4) && ended.err.contains("may take minutes"), "{}", ended.err);
    let ended = quadrille("generate grids --side 25 --deadline 100ms").ends();
    assert!(!ended.err.contains("may take minutes"), "{}", ended.err);
}
