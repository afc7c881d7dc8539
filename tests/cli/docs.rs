//! Documents: their examples print what they show, and the files they name exist.
//!
//! An example is an indented line that begins with `$ `, continued by lines that begin with `> `, followed by
//! its output up to an empty line. All examples of a document run in one shell, in order, in a folder that
//! contains only `data/`. They may therefore use files of earlier examples. A line `...` stands in for any
//! lines, such as times. Indented lines without `$` need files that only readers have; they are not run.

use std::collections::HashSet;
use std::fmt::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Programs that may be missing; examples that call a missing one are skipped.
const OPTIONAL: [&str; 1] = ["unzip"];

struct Example {
    /// Line number of the command, 1-based.
    line: usize,
    command: String,
    printed: Vec<String>,
}

fn examples(text: &str) -> Vec<Example> {
    let mut all: Vec<Example> = Vec::new();
    let mut indent = None;
    for (number, line) in (1..).zip(text.lines()) {
        let width = line.len() - line.trim_start().len();
        if let Some(command) = line.trim_start().strip_prefix("$ ").filter(|_| width >= 4) {
            indent = Some(width);
            all.push(Example { line: number, command: command.to_owned(), printed: Vec::new() });
            continue;
        }
        let Some((example, rest)) = all.last_mut().zip(indent.and_then(|indent| line.get(indent..))) else {
            indent = None;
            continue;
        };
        match rest.strip_prefix("> ") {
            _ if line.is_empty() => indent = None,
            Some(more) if example.printed.is_empty() => write!(example.command, "\n{more}").unwrap(),
            _ => example.printed.push(rest.to_owned()),
        }
    }
    all
}

/// Compares lines, ignoring blanks at their ends, which editors remove.
fn fits(expected: &[String], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (Some((any, expected)), _) if any == "..." => {
            (0..=printed.len()).any(|skipped| fits(expected, &printed[skipped..]))
        }
        (Some((line, expected)), Some((shown, printed))) => {
            line.trim_end() == shown.trim_end() && fits(expected, printed)
        }
        (None, None) => true,
        _ => false,
    }
}

fn is_there(program: &str) -> bool {
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("command -v {program}")]).stdout(Stdio::null());
    shell.status().is_ok_and(|status| status.success())
}

/// Returns what a command prints in a folder with `data/`.
fn printed_by(command: &str, folder: &Path) -> String {
    let data = folder.join("data");
    if !data.exists() {
        symlink(Path::new(ROOT).join("data"), data).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_quadrille")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{{ {command}\n}} 2>&1")).env("PATH", &path).current_dir(folder);
    let output = shell.stdin(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn check(document: &str, least: usize) {
    let text = std::fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
    let examples = examples(&text);
    assert!(examples.len() >= least, "only {} examples were found in {document}", examples.len());
    let folder = tempfile::tempdir().unwrap();
    let missing: Vec<&str> = OPTIONAL.into_iter().filter(|program| !is_there(program)).collect();
    let mut wrong = String::new();
    for Example { line, command, printed } in examples {
        if missing.iter().any(|program| command.contains(program)) {
            continue;
        }
        let shown = printed_by(&command, folder.path());
        if !fits(&printed, &shown.lines().collect::<Vec<_>>()) {
            let expected = printed.join("\n");
            write!(wrong, "\n{document}:{line}: $ {command}\nstands there\n{expected}\nprinted\n{shown}")
                .unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_readme_shows_the_real_output() {
    check("README.md", 3);
}

/// `scripts/draw-terminal` makes the picture.
#[test]
fn the_picture_of_a_terminal_shows_the_real_output() {
    let picture = std::fs::read_to_string(Path::new(ROOT).join("docs/terminal.svg")).unwrap();
    let texts = picture.lines().filter_map(|line| line.strip_prefix("<text ")?.strip_suffix("</text>"));
    let unescaped = |text: &str| text.replace("&#x27;", "'").replace("&lt;", "<").replace("&gt;", ">");
    let lines: Vec<String> =
        texts.map(|text| unescaped(text.split_once('>').expect("a tag ends").1)).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut shown = Vec::new();
    for command in lines.iter().filter_map(|line| line.strip_prefix("$ ")) {
        shown.push(format!("$ {command}"));
        let printed = printed_by(command, folder.path());
        // The picture has a blank for a tab.
        shown.extend(printed.lines().filter(|line| !line.is_empty()).map(|line| line.replace('\t', " ")));
    }
    assert!(lines.len() > 15);
    assert_eq!(lines, shown);
}

#[test]
fn the_guide_shows_the_real_output() {
    check("docs/GUIDE.md", 50);
}

#[test]
fn the_description_of_formats_shows_the_real_output() {
    check("docs/FORMATS.md", 10);
}

#[test]
fn files_that_documents_name_exist() {
    let mut missing = Vec::new();
    // Notes in docs/lab name files as they were at the time of a measurement.
    for document in [
        "README.md",
        "CONTRIBUTING.md",
        "docs/BENCHMARKS.md",
        "docs/CLUSTER.md",
        "docs/DESIGN.md",
        "docs/ENGINES.md",
        "docs/FORMATS.md",
        "docs/GUIDE.md",
        "docs/RELIABILITY.md",
        "docs/RESULTS.md",
    ] {
        let text = std::fs::read_to_string(Path::new(ROOT).join(document)).unwrap();
        let is_of_name = |one: char| one.is_ascii_alphanumeric() || "_-/.".contains(one);
        for word in text.split(|one| !is_of_name(one)) {
            let name = word.trim_start_matches("../").trim_end_matches('.');
            let is_ours = ["src/", "crates/", "tests/", "scripts/", "docs/", "benches/"]
                .iter()
                .any(|folder| name.starts_with(folder));
            // NAME is a placeholder for the reader.
            if is_ours && !name.contains("NAME") && !Path::new(ROOT).join(name).exists() {
                missing.push(format!("{document}: {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "not there any more: {missing:?}");
}

/// Adds the text of all sources below `folder` to `text`.
fn read_sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_sources(&path, text);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "py") {
            text.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn tests_that_the_promises_name_exist() {
    let mut sources = String::new();
    for folder in ["src", "crates", "tests", "python/tests"] {
        read_sources(&Path::new(ROOT).join(folder), &mut sources);
    }
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/RELIABILITY.md")).unwrap();
    // Words in backticks that look like the path or the name of a test.
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let is_name = |name: &&str| {
        let letters = name.chars().all(|one| one.is_ascii_alphanumeric() || "_:*".contains(one));
        letters && (name.contains("::") || name.matches('_').count() >= 3)
    };
    let names: Vec<&str> = quoted.into_iter().filter(is_name).collect();
    assert!(names.len() > 150, "only {} names of tests were found", names.len());
    let words: Vec<&str> = sources.split(|one: char| !one.is_ascii_alphanumeric() && one != '_').collect();
    let declared: HashSet<&str> =
        words.windows(2).filter(|pair| ["fn", "def", "mod"].contains(&pair[0])).map(|pair| pair[1]).collect();
    let mut missing = Vec::new();
    for name in names {
        let last = name.trim_end_matches("::*").rsplit("::").next().unwrap();
        // A whole test program has the name of its file.
        let is_file = Path::new(ROOT).join(format!("tests/{last}.rs")).exists();
        if !is_file && !declared.contains(last) {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "no such tests: {missing:?}");
}

#[test]
fn examples_are_found_and_compared() {
    let text = "    $ a\n    1\n    ...\n    3\n\n    no\n      $ b '\n      > c'\n      x\ntext\n    $ d\n    $ e\n";
    let found: Vec<_> = examples(text)
        .into_iter()
        .map(|found| (found.line, found.command, found.printed.join("|")))
        .collect();
    let expected = [(1, "a", "1|...|3"), (7, "b '\nc'", "x"), (11, "d", ""), (12, "e", "")];
    assert_eq!(
        found,
        expected.map(|(line, command, printed)| (line, command.to_owned(), printed.to_owned()))
    );
    let lines = ["1".to_owned(), "...".to_owned(), "3".to_owned()];
    assert!(fits(&lines, &["1", "3"]) && fits(&lines, &["1 ", "2", "2", "3"]));
    assert!(
        !fits(&lines, &["1", "2"])
            && !fits(&lines, &["3"])
            && !fits(&lines, &["1", "3", "4"])
            && fits(&[], &[])
    );
}
