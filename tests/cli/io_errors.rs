//! Failing systems: full disks, deleted directories, failing reads, readers that exit.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::resume::{Case, Way, corpus};
use super::{EMPTY_9X9, POJ, POJ_SOLVED, data, limits, quadrille, wait_for};

#[test]
fn a_full_device_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    for words in
        ["solve data/random-1000.txt -o /dev/full", "solve data/4x4.txt --stats-out /dev/full -o /dev/null"]
    {
        let error = quadrille(words).fails(1);
        assert!(error.contains("writing"), "{words}: {error}");
    }
    for (words, expected) in [
        ("solve data/random-1000.txt", "writing the output: No space"),
        ("generate grids -n 2", "writing standard output: No space"),
        ("estimate data/cover/toy.dlx", "writing standard output: No space"),
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("it can be opened");
        let mut run = quadrille(words);
        let output =
            run.command.stdin(Stdio::null()).stdout(full).stderr(Stdio::piped()).output().expect("it starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(expected), "{words}: {error}");
    }
}

#[test]
fn a_full_disk_leaves_a_prefix_that_can_be_resumed() {
    leaves_a_prefix(&Case::new(Way::File, "solve --unique", corpus(2)), "out.partial");
}

#[test]
fn a_full_disk_leaves_a_compressed_prefix_that_can_be_resumed() {
    for ending in [".gz", ".zst"] {
        let case = Case::compressed(Way::File, "solve --unique", corpus(20), ending);
        leaves_a_prefix(&case, &format!("out{ending}.partial"));
    }
}

/// Requires that a run on a full disk is an error that names `partial`, and can be resumed.
fn leaves_a_prefix(case: &Case, partial: &str) {
    // Files may not exceed about 64 KiB, as on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 128; exec \"$0\" \"$@\"";
    // Checkpoints are written between the records, or only at the start.
    for every in ["5ms", "1h"] {
        case.clear();
        let output = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_quadrille")])
            .args(case.resumed().replace("5ms", every).split_whitespace())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("writing the output") && error.contains(partial), "{error}");
        case.has_a_prefix();
        assert!(!case.path("out").exists());
        case.goes_on();
    }
}

/// Mounts a disk of 96 KiB at `$2`, fills it with a run of `$1`, then makes room and resumes the run.
///
/// Both times the files on the disk are copied to `$3`.
const SMALL_DISK: &str = r#"
    mount -t tmpfs -o size=96k none "$2" || exit 99
    run() { "$1" solve --unique data/random-1000.txt data/random-1000.txt data/random-1000.txt -j2 -o "$2/out" \
        --checkpoint "$3/checkpoint" --checkpoint-every 1ms --resume; }
    run "$@"
    echo "exit $?"
    cp "$2/out.partial" "$3/prefix"
    mount -o remount,size=4m "$2" && run "$@" && cp "$2/out" "$3/whole"
"#;

#[test]
#[ignore = "mounts a small disk in a namespace of its own, which not every system allows"]
fn a_run_resumes_when_a_full_disk_has_room_again() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let disk = directory.path().join("disk");
    fs::create_dir(&disk).expect("created");
    let output = Command::new("unshare")
        .args(["-rm", "sh", "-c", SMALL_DISK, "sh", env!("CARGO_BIN_EXE_quadrille")])
        .args([&disk, directory.path()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "exit 1\n", "{error}");
    assert!(error.contains("writing the output") && error.contains("No space left on device"), "{error}");
    let [prefix, whole] =
        ["prefix", "whole"].map(|name| fs::read(directory.path().join(name)).expect("copied"));
    let rows = quadrille("solve --unique data/random-1000.txt").prints().repeat(3);
    assert!(prefix.len() >= 64 << 10 && rows.as_bytes().starts_with(&prefix), "{} bytes", prefix.len());
    assert!(whole == rows.as_bytes(), "what was gone on with differs");
}

#[test]
fn a_run_without_answers_leaves_no_checkpoint() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let [out, checkpoint, good] = ["out", "checkpoint", "good"].map(|name| directory.path().join(name));
    fs::write(&good, format!("puzzle\n{POJ}\n")).expect("written");
    let run = |input: &Path| {
        let run = quadrille("solve --from csv --to csv --discard-partial -q -o").arg(&out);
        run.arg("--checkpoint").arg(&checkpoint).arg(input)
    };
    run(&directory.path().join("nothing")).fails(1);
    assert!(!checkpoint.exists(), "the head of a table is no answer");
    run(&good).ends_with(0);
}

#[test]
fn a_directory_that_vanishes_is_an_error() {
    for checkpoint in [false, true] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let inner = directory.path().join("inner");
        fs::create_dir(&inner).expect("created");
        let mut run = quadrille("solve --from line -o").arg(inner.join("out"));
        if checkpoint {
            run = run.arg("--checkpoint").arg(inner.join("checkpoint")).args("--checkpoint-every 1ms");
        }
        let mut child =
            run.command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
        let mut to = child.stdin.take().expect("it is piped");
        writeln!(to, "{POJ}").expect("the program reads");
        let partial = inner.join("out.partial");
        wait_for("output", || fs::metadata(&partial).is_ok_and(|about| about.len() > 0));
        // Moved in one step: a checkpoint written in between would keep a directory from being removed.
        fs::rename(&inner, directory.path().join("elsewhere")).expect("moved");
        // The program may have noticed already.
        let _ = writeln!(to, "{POJ}");
        drop(to);
        let output = child.wait_with_output().expect("the program ends");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("inner"), "{error}");
    }
}

#[test]
fn a_source_that_cannot_be_read_is_an_error_and_the_others_are_answered() {
    let rows = quadrille("solve data/4x4.txt").prints();
    let mut bad = vec!["data", "nowhere.txt"];
    if std::path::Path::new("/proc/self/mem").exists() {
        bad.push("/proc/self/mem");
    }
    for bad in bad {
        let ended = quadrille(&format!("solve data/4x4.txt {bad} data/4x4.txt")).ends();
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        assert_eq!(ended.out, rows.repeat(2), "{bad}");
        assert!(ended.err.contains(bad), "{}", ended.err);
    }
}

#[test]
fn a_truncated_stream_is_an_error_after_its_records() {
    let ended = quadrille("solve data/malformed/truncated.txt.gz").ends();
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("truncated.txt.gz"), "{}", ended.err);
    assert!(ended.out.is_empty() || ended.out.ends_with('\n'));
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("short.zst");
    let whole = zstd::encode_all(data("random-1000.txt").as_bytes(), 1).expect("compresses");
    fs::write(&file, &whole[..whole.len() - 5]).expect("written");
    let ended = quadrille("solve -j2").arg(&file).ends();
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    let good = quadrille("solve data/random-1000.txt").prints();
    assert!(good.starts_with(&ended.out), "every row is one of the whole");
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = quadrille("solve --all --no-node-limit").starts();
    child.stdin.take().expect("it is piped").write_all(EMPTY_9X9.as_bytes()).expect("the program reads");
    let mut from = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut row = String::new();
    from.read_line(&mut row).expect("the program writes");
    assert_eq!(row.trim_end().len(), 81);
    drop(from);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
}

#[test]
fn a_reader_of_compressed_rows_may_leave() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for name in ["pipe.gz", "pipe.zst", "pipe.txt"] {
        let pipe = directory.path().join(name);
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        let mut child = quadrille("solve --all --no-node-limit - -o").arg(&pipe).starts();
        child.stdin.take().expect("it is piped").write_all(EMPTY_9X9.as_bytes()).expect("the program reads");
        let mut begin = [0; 4];
        fs::File::open(&pipe).and_then(|mut from| from.read_exact(&mut begin)).expect("the program writes");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{name}");
    }
}

#[test]
fn a_signal_leaves_compressed_rows_that_are_whole() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for name in ["x.gz", "x.zst"] {
        let mut child =
            quadrille("solve --all --no-node-limit -j2 - -o").arg(directory.path().join(name)).starts();
        child.stdin.take().expect("it is piped").write_all(EMPTY_9X9.as_bytes()).expect("the program reads");
        let partial = directory.path().join(format!("{name}.partial"));
        wait_for("a member", || fs::metadata(&partial).is_ok_and(|about| about.len() > 200_000));
        limits::signal(&child, "INT");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
        let (bytes, mut text) = (fs::read(&partial).expect("it is left"), String::new());
        match name {
            "x.gz" => flate2::read::MultiGzDecoder::new(&*bytes).read_to_string(&mut text).map(|_| ()),
            _ => zstd::Decoder::new(&*bytes).and_then(|mut all| all.read_to_string(&mut text).map(|_| ())),
        }
        .expect("members are whole");
        let rows: Vec<&str> = text.lines().collect();
        // The last row may say that the search was ended.
        assert!(rows.len() > 2000 && rows[..rows.len() - 1].iter().all(|row| row.len() == 81), "{name}");
        assert!(text.ends_with('\n'), "{name}");
    }
}

#[test]
fn the_second_signal_ends_a_run_that_cannot_write() {
    let mut child = quadrille("solve --all --no-node-limit").starts();
    child.stdin.take().expect("it is piped").write_all(EMPTY_9X9.as_bytes()).expect("the program reads");
    let mut from = BufReader::new(child.stdout.take().expect("it is piped"));
    from.read_line(&mut String::new()).expect("the program writes");
    // Nothing reads the output: the pipe fills up, and the first signal is handled only after the write.
    wait_for("a full pipe", || {
        rustix::io::ioctl_fionread(from.get_ref()).expect("a pipe knows what it holds") > 15 << 12
    });
    limits::signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().expect("it is ours").is_none(), "it waits to write what is known");
    limits::signal(&child, "INT");
    assert_eq!(child.wait().expect("the program ends").code(), Some(130));
}

#[test]
fn records_that_arrived_are_answered_while_the_input_stalls() {
    // A first record that is a 9x9 on one line needs no `--from`.
    let cases = [("--from line", ""), ("--from line -j2", ""), ("-j2", ""), ("-j2", "# mine\n\n")];
    for (options, before) in cases {
        let mut child = quadrille(&format!("solve {options}")).starts();
        let mut to = child.stdin.take().expect("it is piped");
        let mut from = BufReader::new(child.stdout.take().expect("it is piped"));
        to.write_all(before.as_bytes()).expect("the program reads");
        for _ in 0..3 {
            writeln!(to, "{POJ}").expect("the program reads");
            let mut row = String::new();
            from.read_line(&mut row).expect("the program writes");
            assert_eq!(row.trim_end(), POJ_SOLVED, "{options} {before:?}");
        }
        drop(to);
        assert!(child.wait().expect("the program ends").success());
    }
}

#[test]
fn unordered_rows_do_not_wait_for_an_endless_record() {
    let easy = data("random-1000.txt");
    let input = format!("{easy}1{}\n{easy}", ".".repeat(624));
    for threads in ["-j1", "-j2"] {
        let mut child = quadrille("count --side any --unordered --no-node-limit").args(threads).starts();
        let mut to = child.stdin.take().expect("it is piped");
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        // The input stays open; once all these rows have arrived, only one record is unfinished.
        to.write_all(input.as_bytes()).expect("the program reads");
        // The reader stays open until the last row: without a reader the run would stop as if it were
        // complete.
        let mut rows = from.lines();
        let mut numbers: Vec<usize> = rows
            .by_ref()
            .take(2000)
            .map(|row| {
                row.expect("text").split_once('\t').expect("record and count").0.parse().expect("a number")
            })
            .collect();
        numbers.sort_unstable();
        assert!(numbers == (1..=2001).filter(|&number| number != 1001).collect::<Vec<_>>(), "{threads}");
        limits::signal(&child, "INT");
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{threads}");
        drop(to);
    }
}

#[test]
fn a_pathological_record_does_not_block_the_others() {
    // A nearly empty 25x25 among easy 9x9: a limit stops it, and its neighbours are answered as usual.
    let easy = data("random-1000.txt");
    let hard = format!("1{}\n", ".".repeat(624));
    let input = format!("{easy}{hard}{easy}");
    let answers = quadrille("count data/random-1000.txt").prints();
    for words in [
        "count --node-limit 20000 -j1",
        "count --node-limit 20000 -j2",
        "count --node-limit 20000 -j4",
        "count --node-limit 20000 -j2 --window 1k",
        "count --time-limit 300ms -j2",
    ] {
        let ended = quadrille(words).args("--side any --stats").stdin(input.clone()).ends();
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let rows: Vec<&str> = ended.out.split_inclusive('\n').collect();
        assert_eq!(rows.len(), 2001);
        assert_eq!(
            (rows[..1000].concat(), rows[1001..].concat()),
            (answers.clone(), answers.clone()),
            "{words}"
        );
        assert!(rows[1000].ends_with("\tnodes\n") || rows[1000].ends_with("\ttime\n"), "{}", rows[1000]);
        assert!(ended.err.contains("1001"), "the record is named: {}", ended.err);
    }
}
