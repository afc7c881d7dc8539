//! End-to-end tests of the real binary: its output, the files it writes, its exit status.
//!
//! Every test starts the program with [`Run`] in the root of the repository, so that paths such as
//! `data/random-1000.txt` are those of the documentation.

mod around_grids;
mod augment;
mod bench;
#[cfg(unix)]
mod bench_programs;
mod best;
mod certificates;
mod check;
mod clue_maps;
mod compare;
mod convert;
mod count;
mod cover;
mod cover_limits;
mod cubes;
mod damaged_grids;
mod determinism;
#[cfg(target_os = "linux")]
mod docs;
mod edge_cases;
mod endings;
mod engines;
#[cfg(feature = "faults")]
mod faults;
mod files;
mod fingerprint;
mod first_use;
#[cfg(feature = "parquet")]
mod foreign_tables;
mod forms;
mod generate;
mod input;
mod interrupted;
mod io_errors;
mod judge_samples;
mod limits;
mod line_ends;
mod lists;
mod memory;
mod mistakes;
mod needs;
mod neighbours;
mod not_grids;
mod notations;
mod output;
#[cfg(unix)]
mod path_aliases;
mod plain_rows;
mod possible;
mod rate;
mod reading;
mod rejects;
mod report;
mod resume;
#[cfg(unix)]
#[path = "../common/roles.rs"]
mod roles;
mod rules;
mod samples;
mod schema;
mod solve;
mod sources;
mod stats;
#[cfg(unix)]
mod streams;
mod tables;
#[cfg(unix)]
mod terminal;
mod variant_runs;

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The empty 9x9 grid as one line, with its line feed.
const EMPTY_9X9: &str = ".................................................................................\n";

/// The puzzle of POJ 2676, which has one solution, as one line of 81 characters.
const POJ: &str = "103000509002109400000704000300502006060000050700803004000401000009205800804000107";

/// The solution of [`POJ`].
const POJ_SOLVED: &str = "143628579572139468986754231391542786468917352725863914237481695619275843854396127";

/// One run of the program, not started yet.
struct Run {
    command: Command,
    stdin: Vec<u8>,
}

/// Exit status and output of a finished run.
#[derive(Debug, PartialEq, Eq)]
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Creates a run of the program with the blank-separated arguments in `words`.
fn quadrille(words: &str) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("QUADRILLE_THREADS");
    command.args(words.split_whitespace());
    Run { command, stdin: Vec::new() }
}

impl Run {
    /// Adds one argument, which may contain blanks.
    fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments separated by blanks.
    fn args(mut self, words: &str) -> Self {
        self.command.args(words.split_whitespace());
        self
    }

    /// Sets the bytes of standard input; empty by default.
    fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Starts the program with pipes for all three streams. The caller feeds standard input.
    fn starts(&mut self) -> Child {
        let piped = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        piped.spawn().expect("the program starts")
    }

    /// Runs the program to its end, with any exit status.
    fn ends(mut self) -> Ended {
        let mut child = self.starts();
        let mut pipe = child.stdin.take().expect("it is piped");
        let bytes = std::mem::take(&mut self.stdin);
        // A program that refuses its arguments closes the pipe before everything is written.
        let feeding = std::thread::spawn(move || pipe.write_all(&bytes).is_ok());
        let output = child.wait_with_output().expect("the program ends");
        feeding.join().expect("writing does not panic");
        output.into()
    }

    /// Runs the program and requires this exit status.
    fn ends_with(self, code: i32) -> Ended {
        let ended = self.ends();
        assert_eq!(ended.code, Some(code), "it said {}", ended.err);
        ended
    }

    /// Runs the program, requires success and an empty standard error, and returns its output.
    fn prints(self) -> String {
        let ended = self.ends();
        assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "it printed {}", ended.out);
        ended.out
    }

    /// Runs the program, requires this exit status and an empty output, and returns its messages.
    fn fails(self, code: i32) -> String {
        let ended = self.ends();
        assert_eq!((ended.code, ended.out.as_str()), (Some(code), ""), "it said {}", ended.err);
        ended.err
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Ended {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).expect("text"),
            err: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

/// Polls until `is_so` returns true; panics after five minutes, since the machine may be busy.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(300), "{what} never comes");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the peak memory of a running program in bytes, or `None` if the system does not report it.
fn peak_memory(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

/// Returns the text of a file in `data/`.
fn data(name: &str) -> String {
    let path = format!("{}/data/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("it is in the repository")
}

/// Parses JSON values, one per line.
fn objects(jsonl: &str) -> Vec<serde_json::Value> {
    jsonl.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

#[test]
fn every_verb_and_option_has_help() {
    let help = quadrille("--help").prints();
    let commands =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let verbs: Vec<&str> = commands
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let (last, verbs) = verbs.split_last().expect("there are commands");
    assert_eq!((verbs.len(), *last), (22, "help"), "{help}");
    for verb in verbs {
        assert!(quadrille(verb).arg("--help").prints().contains("Example"), "{verb}");
    }
    assert!(quadrille("solve --help").prints().contains("solution_index"), "fields are listed");
    assert!(quadrille("--version").prints().starts_with("quadrille "));
}

#[test]
fn the_long_version_says_how_the_program_was_built() {
    let text = quadrille("--version --verbose").prints();
    assert_eq!(quadrille("--verbose -V").prints(), text);
    let value = |name: &str| {
        let lines = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert!(text.starts_with(&format!("quadrille {}\n", env!("CARGO_PKG_VERSION"))), "{text}");
    let commit = value("commit");
    let is_hash = commit.len() >= 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_hash || commit == "unknown", "{text}");
    assert!(value("built for").contains(std::env::consts::ARCH), "{text}");
    assert_eq!(value("features").contains("parquet"), cfg!(feature = "parquet"), "{text}");
    let available: Vec<&str> = quadrille::engine::Isa::available().map(|isa| isa.name()).collect();
    assert_eq!(value("instruction sets"), available.join(", "));
    assert_eq!(value("instruction set in use"), quadrille::engine::Isa::best().name());
    let rated = quadrille("rate --scale guesses --fields scale").stdin(POJ).prints();
    assert!(value("rating scale").contains(rated.trim()) && value("rating scale").contains("ser/"), "{text}");
    // Only both options together, without a verb, print the long version.
    assert_eq!(quadrille("--version").prints().lines().count(), 1);
    assert!(quadrille("--verbose").fails(2).contains("--verbose"));
    assert!(quadrille("solve --version --verbose").fails(2).contains("--version"));
}

#[test]
fn invalid_arguments_are_usage_errors() {
    let cases = [
        ("solve --engine nope", "[possible values: auto, dlx, bitmask"),
        ("solve --from nope", "[possible values: "),
        ("solve --to nope", "[possible values: text, csv, jsonl, grid, framed, contest, parquet, arrow]"),
        ("solve --fields nope", "[possible values: index, line"),
        ("solve --only nope", "[possible values: solved, "),
        ("solve --fail-on nope", "[possible values: solved, "),
        ("solve --unique --all", "cannot be used with"),
        ("solve --limit 0", "0"),
        ("count --node-limit 5 --no-node-limit", "cannot be used with"),
        ("count --time-limit soon", "'soon' for '--time-limit <TIME>': expected a time, such as 500ms"),
        ("count --memory much", "expected a size, such as 500k"),
        ("solve -j 1025", "expected a whole number from 0 to 1,024"),
        ("estimate -j 4294967296", "expected a whole number from 0 to 1,024"),
        ("generate grids -j 18446744073709551615", "expected a whole number from 0 to 1,024"),
        ("solve --index-offset 18446744073709551615", "4,611,686,018,427,387,904"),
        ("count --audit 2/3", "expected 1/N, such as 1/1000"),
        ("solve --box 1x9", "1x9"),
        ("solve --box 2x3 --side 9", "boxes of 2x3 do not make a side of 9"),
        ("dissolve", "dissolve"),
    ];
    for (words, said) in cases {
        let error = quadrille(words).fails(2);
        assert!(error.contains(said), "{words}: {error}");
    }
}

#[test]
fn a_misspelt_word_gets_a_tip() {
    let cases = [
        ("solve --engine lane", "lanes"),
        ("solve --isa portabel", "portable"),
        ("bench --engine dlx,bitmsk", "bitmask"),
        ("solve --from lines", "line"),
        ("solve --to json", "jsonl"),
        ("solve --fields status,solutoin", "solution"),
        ("solve --only solved,invlaid", "invalid"),
        ("solve --on-error skp", "skip"),
        ("generate quens 8", "queens"),
    ];
    for (words, meant) in cases {
        let error = quadrille(words).fails(2);
        assert!(error.contains(&format!("tip: a similar value exists: '{meant}'")), "{words}: {error}");
    }
    // A baseline may be a program too, so all names are listed.
    let error = quadrille("bench --program mine=cat --baseline lane:portable").fails(2);
    assert!(error.contains("lanes, ") && error.contains(", mine]"), "{error}");
}

#[test]
fn shells_complete_values() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    quadrille("generate-docs").arg(directory.path()).prints();
    let bash = std::fs::read_to_string(directory.path().join("quadrille.bash")).expect("written");
    for values in ["auto dlx bitmask", "auto portable neon", "index line byte", "solved unique multiple"] {
        assert!(bash.contains(values), "{values}");
    }
}
