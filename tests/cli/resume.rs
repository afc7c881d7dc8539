//! Checkpoints: a killed run can be resumed, and the result does not show it.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::{Run, data, quadrille, wait_for};

/// How the input reaches the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    File,
    Gzip,
    Zstd,
    /// Standard input: a pipe that is fed from the start each time.
    Pipe,
}

/// A corpus, and the result of an uninterrupted run over it.
pub(super) struct Case {
    directory: TempDir,
    way: Way,
    /// Ending of the outputs, which compresses them.
    ending: &'static str,
    words: String,
    input: PathBuf,
    corpus: Vec<u8>,
    expected: [Vec<u8>; 2],
    statistics: Value,
    /// Duration of the uninterrupted run.
    pub(super) time: Duration,
}

/// Returns valid and invalid records, comments, and puzzles with many solutions.
pub(super) fn corpus(times: usize) -> String {
    let puzzles = data("random-1000.txt");
    let mut text = String::new();
    for round in 0..times {
        for (number, line) in puzzles.lines().enumerate() {
            text.push_str(line);
            text.push('\n');
            match (number + round) % 100 {
                3 => text.push_str("# a comment\n\n"),
                7 => text.push_str(&format!("too short in round {round}\n")),
                19 => text.push_str(&format!("{}\n", line.replacen(|cell: char| cell != '.', ".", 3))),
                23 => text.push_str("1234............\n"),
                _ => {}
            }
        }
    }
    text
}

impl Case {
    pub(super) fn new(way: Way, words: &str, corpus: String) -> Case {
        Case::compressed(way, words, corpus, "")
    }

    /// Creates a case whose outputs have an ending: .gz, .zst or none.
    pub(super) fn compressed(way: Way, words: &str, corpus: String, ending: &'static str) -> Case {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let input = directory.path().join("input");
        let corpus = corpus.into_bytes();
        // Two members or frames, cut in the middle of a line.
        let halves = corpus.split_at(corpus.len() / 2);
        let stored = match way {
            Way::File | Way::Pipe => corpus.clone(),
            Way::Gzip => [gzip(halves.0), gzip(halves.1)].concat(),
            Way::Zstd => {
                [halves.0, halves.1].map(|half| zstd::encode_all(half, 1).expect("compresses")).concat()
            }
        };
        fs::write(&input, stored).expect("written");
        let mut case = Case {
            directory,
            way,
            ending,
            words: words.to_owned(),
            input,
            corpus,
            expected: Default::default(),
            statistics: Value::Null,
            time: Duration::ZERO,
        };
        let begin = Instant::now();
        let mut child = case.start(&case.run());
        assert!(child.wait().is_ok_and(|status| status.success()));
        case.time = begin.elapsed();
        case.expected = ["out", "rejects"].map(|name| case.content(name).expect("complete"));
        case.statistics = without_clock(&case.path("stats"));
        case
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        let (stem, rest) = name.split_at(name.find('.').unwrap_or(name.len()));
        let ending = if ["out", "rejects"].contains(&stem) { self.ending } else { "" };
        self.directory.path().join(format!("{stem}{ending}{rest}"))
    }

    /// Returns the decompressed content of a file, or what can be read of it if it does not end with a member.
    fn content(&self, name: &str) -> Result<Vec<u8>, Vec<u8>> {
        let bytes = fs::read(self.path(name)).map_err(|_| Vec::new())?;
        let mut text = Vec::new();
        let read = match self.ending {
            ".gz" => flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut text),
            ".zst" => zstd::stream::copy_decode(&*bytes, &mut text).map(|()| 0),
            _ => return Ok(bytes),
        };
        if read.is_ok() { Ok(text) } else { Err(text) }
    }

    /// Returns the words of the run without checkpoints.
    pub(super) fn run(&self) -> String {
        let path = |name: &str| self.path(name).display().to_string();
        let input = if self.way == Way::Pipe { String::new() } else { self.input.display().to_string() };
        let words = &self.words;
        format!(
            "{words} {input} -q -o {} --rejects {} --stats-out {}",
            path("out"),
            path("rejects"),
            path("stats")
        )
    }

    /// Returns the words of a run that resumes from its checkpoint, if there is one.
    pub(super) fn resumed(&self) -> String {
        format!(
            "{} --checkpoint {} --checkpoint-every 5ms --resume",
            self.run(),
            self.path("checkpoint").display()
        )
    }

    /// Starts a run and feeds its input.
    pub(super) fn start(&self, words: &str) -> Child {
        self.start_with(quadrille(words))
    }

    pub(super) fn start_with(&self, mut run: Run) -> Child {
        let stdin = if self.way == Way::Pipe { Stdio::piped() } else { Stdio::null() };
        let mut child = run.command.stdin(stdin).stderr(Stdio::piped()).spawn().expect("the program starts");
        if let Some(mut pipe) = child.stdin.take() {
            let corpus = self.corpus.clone();
            // A killed program closes the pipe before everything is written.
            std::thread::spawn(move || pipe.write_all(&corpus).is_ok());
        }
        child
    }

    /// Requires that a failed run left only prefixes of its output files.
    pub(super) fn has_a_prefix(&self) {
        for (name, expected) in ["out.partial", "rejects.partial"].iter().zip(&self.expected) {
            let (Ok(partial) | Err(partial)) = self.content(name);
            assert!(expected.starts_with(&partial), "{name} is no prefix");
        }
    }

    /// Requires the files of the uninterrupted run, and no others.
    pub(super) fn is_complete(&self) {
        for (name, expected) in ["out", "rejects"].iter().zip(&self.expected) {
            let found = self.content(name).expect("complete");
            assert!(found == *expected, "{name}: {} bytes, not {}", found.len(), expected.len());
            assert!(!self.path(&format!("{name}.partial")).exists());
        }
        assert_eq!(without_clock(&self.path("stats")), self.statistics);
        assert!(!self.path("checkpoint").exists(), "there is nothing left to resume");
        assert!(!self.path("checkpoint.keys").exists(), "nor what was compared");
    }

    /// Deletes the files of all runs.
    pub(super) fn clear(&self) {
        for name in [
            "out",
            "rejects",
            "stats",
            "checkpoint",
            "checkpoint.new",
            "checkpoint.keys",
            "out.partial",
            "rejects.partial",
        ] {
            // Most of these files do not exist.
            let _ = fs::remove_file(self.path(name));
        }
    }

    /// Resumes once and requires that the run completes.
    pub(super) fn goes_on(&self) {
        let child = self.start(&self.resumed());
        let output = child.wait_with_output().expect("the program ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        self.is_complete();
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory takes everything");
    encoder.finish().expect("memory takes everything")
}

fn without_clock(path: &Path) -> Value {
    let mut file: Value = serde_json::from_str(&fs::read_to_string(path).expect("written")).expect("JSON");
    file.as_object_mut().expect("an object").remove("clock");
    file
}

/// Resumes a run and kills it at a random moment. Returns false if the run completed first.
fn is_killed(case: &Case, random: &mut u64) -> bool {
    let mut child = case.start(&case.resumed());
    // Marsaglia's xorshift: moments in the first third of a run.
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    std::thread::sleep(case.time.mul_f64(f64::from(*random as u32) / f64::from(u32::MAX) / 3.0));
    let has_ended = child.try_wait().expect("it is ours").is_some();
    child.kill().expect("it is ours");
    let output = child.wait_with_output().expect("it ends");
    if has_ended {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    } else {
        case.has_a_prefix();
    }
    !has_ended
}

/// Kills and resumes runs until there were `kills` kills, over as many whole runs as that takes.
///
/// The last run is then resumed to its end. If starting takes longer than the random moments, each run gets
/// only a little further.
fn survives(case: &Case, kills: u32) {
    let mut random = 88_172_645_463_325_252;
    let (mut killed, mut whole) = (0, 0);
    while killed < kills {
        case.clear();
        let mut has_ended = false;
        while killed < kills && !has_ended {
            has_ended = !is_killed(case, &mut random);
            killed += u32::from(!has_ended);
        }
        if has_ended {
            case.is_complete();
        } else {
            case.goes_on();
        }
        whole += 1;
    }
    println!("{:?}: {killed} kills, {whole} whole runs", case.way);
}

/// Kills a run whenever its checkpoint has advanced, at most `most` times, then resumes it to its end.
///
/// Returns the number of kills. Each kill leaves less to do, so this ends however slow the program is.
pub(super) fn survives_behind_checkpoints(case: &Case, most: u32) -> u32 {
    case.clear();
    for killed in 0..most {
        let before = position(case);
        let mut child = case.start(&case.resumed());
        let mut has_ended = || child.try_wait().expect("it is ours").is_some();
        while !has_ended() && position(case).unwrap_or(0) <= before.unwrap_or(0) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let done = has_ended();
        child.kill().expect("it is ours");
        let output = child.wait_with_output().expect("it ends");
        if done {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            case.is_complete();
            return killed;
        }
        case.has_a_prefix();
    }
    case.goes_on();
    most
}

#[test]
fn a_run_survives_kills_at_random_moments() {
    survives(&Case::new(Way::File, "solve --unique --to csv", corpus(40)), 30);
}

#[test]
fn compressed_input_survives_kills() {
    survives(&Case::new(Way::Gzip, "solve --limit 3", corpus(30)), 12);
    survives(&Case::new(Way::Zstd, "count --limit 50 --to jsonl -j1", corpus(30)), 12);
}

#[test]
fn compressed_output_survives_kills() {
    survives(&Case::compressed(Way::File, "solve --unique --to csv", corpus(40), ".gz"), 12);
    survives(&Case::compressed(Way::Gzip, "count --limit 50 --to jsonl", corpus(30), ".zst"), 12);
    survives(&Case::compressed(Way::File, "dedup --to csv", corpus(30), ".gz"), 8);
}

#[test]
#[ignore = "kills 200 runs"]
fn compressed_output_survives_many_kills() {
    survives(&Case::compressed(Way::File, "solve --unique --to csv", corpus(40), ".gz"), 100);
    survives(&Case::compressed(Way::File, "solve --limit 3 -j4", corpus(40), ".zst"), 100);
}

#[test]
fn a_resumed_run_reads_standard_input_again() {
    survives(&Case::new(Way::Pipe, "check --keep-lines --engine dlx -j4", corpus(20)), 12);
}

#[test]
fn comparisons_survive_kills() {
    survives(&Case::new(Way::File, "dedup --to csv", corpus(30)), 12);
    // A run whose memory is exhausted resumes from the point at which the memory was full.
    survives_behind_checkpoints(
        &Case::new(Way::Gzip, "dedup --by text --memory 8M -j1", different(300_000)),
        3,
    );
    survives(&Case::new(Way::Pipe, "overlap data/random-1000.txt", corpus(30)), 12);
}

#[test]
fn ratings_survive_kills() {
    let words = "rate --scale guesses-mean --permutations 3 --to csv";
    survives(&Case::new(Way::File, words, corpus(20)), 12);
}

/// Returns `count` different puzzles, made by emptying some cells of a solved grid.
fn different(count: u64) -> String {
    let solved = super::POJ_SOLVED.as_bytes();
    let line = |number: u64| {
        let cell = |(place, &digit): (usize, &u8)| {
            if place < 20 && number >> place & 1 == 1 { b'.' } else { digit }
        };
        String::from_utf8(solved.iter().enumerate().map(cell).collect()).expect("digits") + "\n"
    };
    (0..count).map(line).collect()
}

#[test]
fn checkpoints_do_not_change_the_output() {
    let case = Case::new(Way::File, "solve", corpus(3));
    case.clear();
    case.goes_on();
    case.clear();
    let fresh = case.resumed().replace("--resume", "");
    assert!(case.start(&fresh).wait().expect("it ends").success());
    case.is_complete();
}

/// Creates a case whose run was killed with a checkpoint after some of its records.
fn interrupted() -> Case {
    let case = Case::new(Way::File, "solve --unique", corpus(40));
    // A run that ends before it has such a checkpoint is repeated.
    loop {
        case.clear();
        let mut child = case.start(&case.resumed());
        while position(&case).is_none_or(|bytes| bytes == 0)
            && child.try_wait().expect("it is ours").is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        if position(&case).is_some_and(|bytes| bytes > 0) {
            return case;
        }
    }
}

/// Returns the output bytes that the checkpoint covers, or `None` without a checkpoint.
pub(super) fn position(case: &Case) -> Option<u64> {
    let text = fs::read_to_string(case.path("checkpoint")).ok()?;
    let body: Value = serde_json::from_str(text.lines().nth(1).expect("two lines")).expect("JSON");
    Some(body["output"]["bytes"].as_u64().expect("a number"))
}

#[test]
fn different_options_are_refused_and_named() {
    let case = interrupted();
    let words = case.resumed();
    let other = case.path("other");
    fs::write(&other, "x").expect("written");
    let (input, rejects) = (case.input.display().to_string(), case.path("rejects").display().to_string());
    let rejects_gone = format!("--rejects was {rejects}, now it is not given");
    for (changed, said) in [
        (
            words.replace("--unique", "--limit 2"),
            "the question was solve --unique, now it is solve --limit 2",
        ),
        (format!("{words} --engine dlx"), "--engine was not given, now it is dlx"),
        (
            format!("{words} --to csv --on-error skip"),
            "--on-error was not given, now it is skip; --to was not given, now it is csv",
        ),
        // The default limit on nodes, and one given by the user.
        (format!("{words} --node-limit 1000000000"), "--node-limit was not given, now it is 1000000000"),
        (format!("{words} --no-node-limit"), "--no-node-limit was not given, now it is given"),
        (words.replace(&input, &other.display().to_string()), "the input was "),
        (format!("{words} {}", other.display()), "the input was "),
        (words.replace(&format!("--rejects {rejects}"), ""), &rejects_gone),
        (words.replace("--resume", ""), "use --resume to continue from it"),
    ] {
        let error = quadrille(&changed).fails(2);
        assert!(error.contains(said), "{error}");
    }
    // Threads, instruction sets, chunk sizes and the deadline change no answers, so they may differ.
    let begun = position(&case).expect("there is one");
    assert!(
        case.start(&format!("{words} -j1 --isa portable --chunk-bytes 5000 --deadline 10m"))
            .wait()
            .expect("ends")
            .success()
    );
    assert!(begun > 0);
    let mut statistics = without_clock(&case.path("stats"));
    statistics["runs"] = case.statistics["runs"].clone();
    assert_eq!(statistics, case.statistics);
    assert!(fs::read(case.path("out")).expect("written") == case.expected[0]);
}

#[test]
fn another_input_is_refused() {
    let case = interrupted();
    let text = fs::read(&case.input).expect("written");
    let mut changed = text.clone();
    changed[100] = if changed[100] == b'.' { b'1' } else { b'.' };
    for (bytes, said) in [(&changed[..], "its beginning differs"), (&text[..1000], "it is shorter")] {
        fs::write(&case.input, bytes).expect("written");
        let error = quadrille(&case.resumed()).fails(2);
        assert!(
            error.contains("the input has changed since the checkpoint") && error.contains(said),
            "{error}"
        );
    }
    fs::write(&case.input, &text).expect("written");
    case.goes_on();
}

#[test]
fn a_changed_output_is_refused() {
    for name in ["out.partial", "rejects.partial"] {
        let case = interrupted();
        let text = fs::read(case.path(name)).expect("written");
        let mut changed = text.clone();
        changed[10] ^= 1;
        for (bytes, said) in [(&changed[..], "bytes differ"), (&text[..20], "it has 20 bytes")] {
            fs::write(case.path(name), bytes).expect("written");
            let error = quadrille(&case.resumed()).fails(2);
            assert!(error.contains("has changed since the checkpoint") && error.contains(said), "{error}");
        }
        fs::remove_file(case.path(name)).expect("there");
        assert!(quadrille(&case.resumed()).fails(1).contains(name));
        // A kill leaves bytes after those that the checkpoint covers; they are cut off.
        fs::write(case.path(name), [&text, &b"torn"[..]].concat()).expect("written");
        case.goes_on();
    }
}

#[test]
fn a_damaged_checkpoint_is_refused() {
    let case = interrupted();
    let file = case.path("checkpoint");
    let text = fs::read_to_string(&file).expect("there is one");
    let refused = |text: &[u8], said: &str| {
        fs::write(&file, text).expect("written");
        let error = quadrille(&case.resumed()).fails(2);
        assert!(error.contains("checkpoint") && error.contains(said), "{error}");
    };
    for cut in [0, 1, 40, text.len() / 2, text.len() - 1] {
        refused(&text.as_bytes()[..cut], "damaged");
    }
    for place in (0..text.len()).step_by(97) {
        let mut bytes = text.clone().into_bytes();
        bytes[place] ^= 4;
        refused(&bytes, "");
    }
    refused(&[0xff; 100], "damaged");
    // Equal JSON, written differently.
    refused(format!("\r{text}").as_bytes(), "damaged");
    refused(text.replacen(':', ": ", 1).as_bytes(), "damaged");
    refused(
        text.replacen("\"quadrille_checkpoint\":3", "\"quadrille_checkpoint\":9", 1).as_bytes(),
        "schema 9",
    );
    fs::write(&file, &text).expect("written");
    case.goes_on();
}

#[test]
fn checkpoints_need_files_and_ordered_rows() {
    for (words, said) in [
        ("solve --checkpoint c", "--out"),
        ("solve --resume", "--checkpoint"),
        ("solve -o o --checkpoint c --unordered", "cannot be used with"),
        ("solve -o /dev/null --checkpoint /tmp/quadrille-no-checkpoint", "is a device or a pipe"),
        ("solve -o o --checkpoint o", "which would be overwritten"),
        ("solve -o o --checkpoint c --checkpoint-every often", "expected a time"),
        ("solve -o o --checkpoint nowhere/c", "nowhere/c"),
    ] {
        let ended = quadrille(words).ends();
        assert!(ended.code != Some(0) && ended.err.contains(said), "{words}: {}", ended.err);
    }
    assert!(!Path::new("/tmp/quadrille-no-checkpoint").exists(), "nothing is left that stands in the way");
}

#[test]
fn two_runs_cannot_write_one_output() {
    let case = interrupted();
    let first = quadrille(&case.resumed().replace("5ms", "1h")).command.stderr(Stdio::null()).spawn();
    let mut first = first.expect("the program starts");
    let ended = quadrille(&case.resumed()).ends();
    first.kill().expect("it is ours");
    first.wait().expect("it ends");
    // The first run writes. The other run is refused, unless it began after the first had ended.
    assert!(ended.code == Some(0) || ended.err.contains(" is writing "), "{}", ended.err);
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_a_checkpoint_and_says_so() {
    for (name, code) in [("INT", 130), ("TERM", 143)] {
        let case = Case::new(Way::Pipe, "solve", corpus(2));
        case.clear();
        // The input stalls after a part of the corpus.
        let words = case.resumed().replace("5ms", "1h") + " --from line";
        let mut child = quadrille(&words).starts();
        let mut pipe = child.stdin.take().expect("it is piped");
        pipe.write_all(&case.corpus[..100_000]).expect("the program reads");
        wait_for("output", || {
            fs::metadata(case.path("out.partial")).is_ok_and(|about| about.len() >= 10_000)
        });
        std::thread::sleep(Duration::from_millis(100));
        super::limits::signal(&child, name);
        let output = child.wait_with_output().expect("the program ends");
        drop(pipe);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains("checkpoint") && error.contains("--resume answers the others"), "{error}");
        assert_eq!(
            position(&case).expect("there is one"),
            fs::metadata(case.path("out.partial")).expect("there").len()
        );
        case.has_a_prefix();
        let child = case.start(&(case.resumed() + " --from line"));
        assert!(child.wait_with_output().expect("it ends").status.success());
        assert!(fs::read(case.path("out")).expect("written") == case.expected[0]);
    }
}

#[test]
fn records_that_the_deadline_ended_are_not_in_the_checkpoint() {
    // The empty grid has too many solutions to count: the deadline stops it with those found so far.
    let text = corpus(1) + super::EMPTY_9X9 + &corpus(1);
    let case = Case::new(Way::File, "count --node-limit 1000000", text);
    case.clear();
    let stopped = case.resumed() + " --deadline 100ms";
    let first = quadrille(&stopped).ends();
    if first.code == Some(4) {
        assert!(first.err.contains("--resume answers"), "{}", first.err);
        let end = position(&case).expect("there is one") as usize;
        let partial = fs::read(case.path("out.partial")).expect("there");
        assert!(partial.len() >= end && partial[..end] == case.expected[0][..end]);
    }
    case.goes_on();
}
