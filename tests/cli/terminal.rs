//! Terminals during a run: the progress line, and rows on the same terminal.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use super::{POJ, POJ_SOLVED, quadrille};

/// A pseudo terminal with 80 columns.
pub(super) struct Terminal {
    master: File,
    name: std::ffi::CString,
}

impl Terminal {
    pub(super) fn new() -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("it is ours");
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&master, size).expect("it has a size");
        let name = ptsname(&master, Vec::new()).expect("it has a name");
        Terminal { master: File::from(master), name }
    }

    /// Opens the terminal as a program in it would.
    pub(super) fn open(&self) -> File {
        let path = std::ffi::OsStr::from_bytes(self.name.as_bytes());
        fs::OpenOptions::new().read(true).write(true).open(path).expect("it opens")
    }

    /// Types text into the terminal.
    pub(super) fn types(&mut self, text: &str) {
        self.master.write_all(text.as_bytes()).expect("it takes what is typed");
    }

    /// Reads the terminal on a thread until all programs have closed it.
    pub(super) fn read(mut self) -> JoinHandle<String> {
        std::thread::spawn(move || {
            let mut shown = Vec::new();
            // Linux reports the end of a terminal as an error.
            let _ = self.master.read_to_end(&mut shown);
            String::from_utf8_lossy(&shown).into_owned()
        })
    }
}

/// Starts a command with output and messages on one terminal and a piped input.
fn starts(mut command: Command) -> (Child, JoinHandle<String>) {
    let terminal = Terminal::new();
    let (out, err) = (terminal.open(), terminal.open());
    let child = command.stdin(Stdio::piped()).stdout(out).stderr(err).spawn().expect("it starts");
    // Dropping the command closes this process's copies of the terminal.
    drop(command);
    (child, terminal.read())
}

/// Returns the lines that a terminal would show after printing this text.
///
/// Understands the control codes that are used here: carriage return, line feed, cursor up, erase line,
/// colours.
fn screen(printed: &str) -> Vec<String> {
    let (mut lines, mut row, mut column) = (vec![Vec::new()], 0, 0);
    let mut letters = printed.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => column = 0,
            '\n' => row += 1,
            '\u{1b}' => {
                let mut sequence = String::new();
                for next in letters.by_ref() {
                    sequence.push(next);
                    if next.is_ascii_alphabetic() {
                        break;
                    }
                }
                let number = sequence.trim_matches(|letter: char| !letter.is_ascii_digit()).parse();
                match sequence.chars().next_back() {
                    Some('K') => lines[row].clear(),
                    Some('A') => row = row.saturating_sub(number.unwrap_or(1)),
                    // Colours.
                    _ => {}
                }
            }
            letter => {
                let line: &mut Vec<char> = &mut lines[row];
                line.resize(line.len().max(column + 1), ' ');
                line[column] = letter;
                column += 1;
            }
        }
        lines.resize(lines.len().max(row + 1), Vec::new());
    }
    let lines = lines.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_progress_line_is_erased_before_rows_are_printed() {
    let (mut child, shown) = starts(quadrille("solve --from line -").command);
    let mut pipe = child.stdin.take().expect("it is piped");
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(400));
        writeln!(pipe, "{POJ}").expect("it reads");
    }
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
    let shown = shown.join().expect("it is read");
    assert!(shown.contains(" read  "), "nothing was drawn: {shown:?}");
    let screen = screen(&shown);
    assert_eq!(screen[..3], [POJ_SOLVED; 3], "{shown:?}");
    let rest: Vec<&str> = screen[3..].iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(rest, ["records", "answers", "checksum"], "{shown:?}");
}

#[test]
fn text_for_people_fits_a_terminal_of_80_columns() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("run.json");
    let out = directory.path().join("solutions");
    let mut run = quadrille("solve data/kaggle-1000.csv --unique --stats --discard-partial -o").arg(&out);
    run.command.arg("--stats-out").arg(&file);
    let mut commands = vec![run.command, quadrille("stats").arg(&file).command];
    commands.push(
        quadrille("bench data/random-1000.txt --engine lanes,bitmask --rounds 1 --time 20ms -q").command,
    );
    for words in [
        "",
        "help",
        "--help",
        "solve --help",
        "solve --help --all",
        "generate --help --all",
        "augment --help --all",
        "help fingerprint",
        "help bench",
        "solve --rules list",
        "--version --verbose",
    ] {
        commands.push(quadrille(words).command);
    }
    for command in commands {
        let words = format!("{command:?}");
        let (mut child, shown) = starts(command);
        child.wait().expect("it ends");
        let lines = screen(&shown.join().expect("it is read"));
        assert!(lines.len() > 5, "{words}: {lines:?}");
        for line in lines {
            // One word is longer: the example of a 9x9 layout.
            assert!(line.chars().count() <= 80 || line.starts_with("  .Jigsaw~"), "{words}: {line}");
        }
    }
    // Outside a terminal, all columns and full lines are printed.
    let text = quadrille("stats").arg(&file).prints();
    assert!(text.contains("command to print it") && !text.contains("too wide"), "{text}");
}

#[test]
fn statistics_at_80_columns_lose_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("run.json");
    let words = "rate data/random-1000.txt -q --where clues=17..81,guesses=0..999 --only unique --fields \
                 index,line,byte,source,id,puzzle,status,er,ep,ed,technique --stats-out";
    let out = directory.path().join("rows");
    quadrille(words).arg(&file).arg("-o").arg(&out).prints();
    let shown = |mut run: super::Run| {
        let terminal = Terminal::new();
        let child = run.command.stdin(Stdio::null()).stdout(terminal.open()).spawn();
        drop(run);
        let lines = terminal.read();
        assert!(child.expect("it starts").wait().expect("it ends").success());
        screen(&lines.join().expect("it is read"))
    };
    let lines = shown(quadrille("stats").arg(&file));
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{lines:#?}");
    // A long value goes on below, in its column.
    let at = lines.iter().position(|line| line.starts_with("  command  ")).expect("a command");
    let value: Vec<&str> = lines[at..]
        .iter()
        .take_while(|line| !line.starts_with("  version"))
        .map(|line| line[11..].trim())
        .collect();
    let value = value.join(" ").replace(' ', "");
    assert!(value.starts_with("quadrilleratequadrille") || value.starts_with("quadrillerate"), "{value}");
    for word in ["--whereclues=17..81,guesses=0..999", "ep,ed,technique", "data/random-1000.txt"] {
        assert!(value.contains(word), "{word} in {value}");
    }
    // All ratings are there, up to the highest.
    let table = lines.iter().skip_while(|line| *line != "Records of each rating").collect::<Vec<_>>();
    for rating in ["1.2", "2.6", "7.2", "9.0"] {
        assert!(
            table.iter().any(|line| line.trim().starts_with(&format!("{rating}  "))),
            "{rating}: {table:#?}"
        );
    }
    assert!(!lines.iter().any(|line| line.contains("more rows") && line.contains("rating")), "{lines:#?}");
    // For programs the same command prints the statistics file.
    let json = quadrille("stats --json").arg(&file).prints();
    assert_eq!(json, fs::read_to_string(&file).expect("written"));
}

/// A grid with so many solutions that counting them takes an optimised build many seconds.
const LONG_COUNT: &str = "..........89254...........8.589..2.......1..3...74....3..........................";

/// Starts a run that prints progress as lines on standard error and returns these lines.
fn lines_of(command: &mut Command) -> (Child, impl Iterator<Item = String>) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    (child, lines.map_while(Result::ok))
}

#[test]
fn a_long_record_shows_its_time_left() {
    // One digit more makes the count short enough that a share of it is done when the record is first shown.
    let grid = format!("{}7", &LONG_COUNT[..80]);
    let mut run =
        quadrille("count --engine bitmask --no-node-limit -j1 --progress always --deadline 10m").arg(grid);
    let (mut child, mut lines) = lines_of(&mut run.command);
    let line = lines.find(|line| line.contains(" left")).expect("it is known before the end");
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    assert!(line.starts_with("quadrille: 0% done, 0 records, record 1 for "), "{line}");
    assert!(line.contains("% of its search, ") && !line.contains("/s"), "{line}");
}

#[test]
fn a_resumed_run_counts_the_records_before_it() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let at = |words: &str| {
        let mut run = quadrille(words);
        run.command.current_dir(directory.path());
        run
    };
    fs::write(directory.path().join("corpus"), format!("{POJ}\n").repeat(20) + LONG_COUNT)
        .expect("it is written");
    let words = "count --no-node-limit --engine bitmask -j1 corpus -o out --checkpoint kept --resume";
    // On a busy machine, this time may not be enough.
    let mut runs = (0..100).map(|_| at(words).args("--deadline 300ms -q").ends());
    let is_past = |ended: &super::Ended| {
        ended.err.contains("kept holds the first 20 records; --resume answers the others")
    };
    assert!(runs.any(|ended| is_past(&ended)), "it comes to the last record");
    let mut run = at(words).args("--progress always --deadline 10m");
    let (mut child, mut lines) = lines_of(&mut run.command);
    let line = lines.find(|line| line.contains("record 21 for ")).expect("it takes long");
    child.kill().expect("it is ours");
    child.wait().expect("it ends");
    // No record was answered meanwhile, so there is no rate and no remaining time.
    assert!(line.starts_with("quadrille: 95% done, 20 records, record 21 for "), "{line}");
}

#[test]
fn a_stopped_run_and_its_checkpoint_agree() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let easy = format!("{POJ}\n");
    let long = format!("{LONG_COUNT}\n");
    for (corpus, said, covered) in [
        (
            long.clone(),
            "after 0 records and during the search of 1 more",
            "holds no records yet; --resume answers all",
        ),
        (format!("{easy}{long}"), "after 1 record and during the search of 1 more", "holds "),
    ] {
        let path = directory.path().join("corpus");
        fs::write(&path, corpus).expect("it is written");
        let words = "count --no-node-limit --engine bitmask -j1 --discard-partial -o out --checkpoint kept";
        // On a busy machine, a short run does not come to the long record.
        let mut runs = (0..9).map(|times| {
            let _ = fs::remove_file(directory.path().join("kept"));
            let mut run = quadrille(words).args(&format!("--deadline {}ms", 300 << times)).arg(&path);
            run.command.current_dir(directory.path());
            run.ends()
        });
        let ended = runs.find(|ended| ended.err.contains(said)).expect("it comes to the long record");
        assert_eq!(ended.code, Some(4), "{}", ended.err);
        assert!(ended.err.contains(&format!("quadrille: stopped (deadline) {said}\n")), "{}", ended.err);
        assert!(ended.err.contains(&format!("quadrille: kept {covered}")), "{}", ended.err);
        assert!(!ended.err.contains("1 records") && !ended.err.contains("first 0"), "{}", ended.err);
        fs::remove_file(directory.path().join("kept")).expect("it is there");
    }
}

#[test]
fn two_signals_at_once_are_one() {
    let mut child = quadrille("solve --from line -").starts();
    let mut pipe = child.stdin.take().expect("it is piped");
    writeln!(pipe, "{POJ}").expect("it reads");
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    out.read_line(&mut String::new()).expect("it writes");
    // GNU `timeout` does the same.
    let kill = format!("kill -INT {0}; kill -TERM {0}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    drop(pipe);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(130 | 143)), "{said}");
    assert_eq!(said, "quadrille: stopped (cancel) after 1 record\n");
}

#[test]
fn colours_are_for_terminals_unless_asked_for() {
    let escapes = |text: &str| text.contains('\u{1b}');
    let with = |words: &str, pairs: &[(&str, &str)]| {
        let mut run = quadrille(words);
        // If `CI` is set, anstream prints colours whatever `TERM` is.
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            run.command.env_remove(name);
        }
        run.command.env("TERM", "xterm").envs(pairs.iter().copied());
        run
    };
    for words in ["--help", "solve --help --all", "solve --nonsense", "solve nowhere.txt"] {
        let printed = |pairs: &[(&str, &str)]| {
            let ended = with(words, pairs).ends();
            ended.out + &ended.err
        };
        let is_of_arguments = !words.contains("nowhere");
        let plain = printed(&[]);
        assert!(!escapes(&plain) && !plain.is_empty(), "{words}");
        assert_eq!(escapes(&printed(&[("CLICOLOR_FORCE", "1")])), is_of_arguments, "{words}");
        for pairs in [&[("CLICOLOR_FORCE", "0")][..], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]] {
            assert_eq!(printed(pairs), plain, "{words} {pairs:?}");
        }
        let on_terminal = |pairs: &[(&str, &str)]| {
            let (mut child, shown) = starts(with(words, pairs).command);
            child.wait().expect("it ends");
            shown.join().expect("it is read")
        };
        assert_eq!(escapes(&on_terminal(&[])), is_of_arguments, "{words}");
        for pairs in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
            assert!(!escapes(&on_terminal(&[pairs])), "{words} {pairs:?}");
        }
    }
    // Typed arguments may contain control codes: then nothing is coloured.
    let typed = |pairs: &[(&str, &str)]| with("solve", pairs).arg("--\u{1b}[2J");
    assert!(!escapes(&typed(&[("CLICOLOR_FORCE", "1")]).ends().err));
    let (mut child, shown) = starts(typed(&[]).command);
    child.wait().expect("it ends");
    let shown = shown.join().expect("it is read");
    assert!(!escapes(&shown) && shown.contains("unexpected argument"), "{shown}");
}

#[test]
fn an_interrupt_leaves_no_progress_line() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("corpus");
    fs::write(&path, format!("{POJ}\n{LONG_COUNT}\n")).expect("it is written");
    let mut run = quadrille("count --no-node-limit --engine bitmask -o").arg(directory.path().join("out"));
    run.command.arg(&path);
    let mut terminal = Terminal::new();
    let (input, errors) = (terminal.open(), terminal.open());
    let mut child = run.command.stdin(input).stderr(errors).stdout(Stdio::null()).spawn().expect("it starts");
    drop(run);
    let mut seen = Vec::new();
    let mut block = [0; 1024];
    while !String::from_utf8_lossy(&seen).contains("% done  ") {
        let read = terminal.master.read(&mut block).expect("it draws");
        seen.extend_from_slice(&block[..read]);
    }
    // The terminal echoes the key, and the signal follows.
    terminal.types("^C");
    std::thread::sleep(Duration::from_millis(100));
    super::limits::signal(&child, "INT");
    let rest = terminal.read();
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let shown = String::from_utf8_lossy(&seen).into_owned() + &rest.join().expect("it is read");
    let lines = screen(&shown);
    assert!(lines.iter().all(|line| !line.contains("% done") && !line.contains("^C")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("during the search of 1 more")), "{lines:?}");
}

/// Runs a command whose messages go to a terminal, and returns what it shows in the end. `step` is called with the terminal's text
/// from time to time, until it returns true.
fn shown_by(mut command: Command, out: Stdio, mut step: impl FnMut(&str, &Child) -> bool) -> (Child, String) {
    let mut terminal = Terminal::new();
    let (input, errors) = (terminal.open(), terminal.open());
    let child = command.stdin(input).stderr(errors).stdout(out).spawn().expect("it starts");
    drop(command);
    let mut seen = Vec::new();
    let mut block = [0; 1024];
    while !step(&String::from_utf8_lossy(&seen), &child) {
        let read = terminal.master.read(&mut block).expect("it draws");
        seen.extend_from_slice(&block[..read]);
    }
    let rest = terminal.read().join().expect("it is read");
    (child, String::from_utf8_lossy(&seen).into_owned() + &rest)
}

#[test]
fn an_interrupt_leaves_no_progress_bar_of_bench() {
    let mut run = quadrille("bench data/random-1000.txt --engine dlx --rounds 1000 --time 0");
    run.command.env("TERM", "xterm");
    let mut is_ended = false;
    let (mut child, shown) = shown_by(run.command, Stdio::null(), |shown, child| {
        is_ended = shown.contains("%  ");
        if is_ended {
            super::limits::signal(child, "INT");
        }
        is_ended
    });
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(shown.contains("[-") && screen(&shown).is_empty(), "{shown:?}");
}

#[test]
fn no_progress_is_drawn_while_rows_go_to_a_pipe() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("corpus");
    fs::write(&path, format!("{POJ}\n{LONG_COUNT}\n")).expect("it is written");
    let out = directory.path().join("out");
    for (words, to_file, is_drawn) in [
        ("count --no-node-limit --engine bitmask", false, false),
        ("count --no-node-limit --engine bitmask --progress always", false, true),
        ("count --no-node-limit --engine bitmask", true, true),
        ("generate minimal -n 100000000", false, false),
        ("generate minimal -n 100000000 --discard-partial", true, true),
    ] {
        // A line would be drawn after 0.3 seconds. If one is expected, the test waits for it.
        let mut run = quadrille(words).args("-j1 --deadline").arg(if is_drawn { "10m" } else { "900ms" });
        run.command.env("TERM", "xterm");
        if words.starts_with("count") {
            run.command.arg(&path);
        }
        if to_file {
            run.command.arg("-o").arg(&out);
        }
        // The rows go to a program that counts lines.
        let mut reader =
            Command::new("wc").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        let rows = reader.stdin.take().expect("it is piped");
        let has_progress = |shown: &str| shown.contains("% done  ") || shown.contains("%  ");
        let (mut child, shown) = shown_by(run.command, rows.into(), |shown, child| {
            let is_over = !is_drawn || has_progress(shown);
            if is_drawn && is_over {
                super::limits::signal(child, "INT");
            }
            is_over
        });
        let status = child.wait().expect("it ends");
        assert!(reader.wait().is_ok_and(|status| status.success()));
        assert_eq!(status.code(), Some(if is_drawn { 130 } else { 4 }), "{words}: {shown:?}");
        assert_eq!(has_progress(&shown), is_drawn, "{words}: {shown:?}");
    }
}
