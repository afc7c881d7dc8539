//! Names of output files: for every verb and option the name decides format and compression, or is refused
//! before any work starts.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Ended, POJ, POJ_SOLVED, quadrille};

/// An output: the words of the command, the option that names the file, and the endings it supports.
struct Output {
    words: &'static str,
    option: &'static str,
    endings: &'static [&'static str],
}

const TEXT: &[&str] = &["txt", "csv", "tsv", "jsonl", "ndjson"];
const ROWS: &[&str] = &["txt", "sdm", "csv", "tsv", "jsonl", "ndjson", "parquet", "arrow"];
const PAGES: &[&str] = &["html", "htm", "md", "markdown", "csv", "json"];

/// All outputs of all verbs. `IN` is replaced by the folder of inputs.
const OUTPUTS: &[Output] = &[
    Output { words: "solve IN/in.txt", option: "-o", endings: ROWS },
    Output { words: "count IN/in.txt", option: "-o", endings: ROWS },
    Output { words: "best --weights target IN/in.txt", option: "-o", endings: ROWS },
    Output { words: "check IN/in.csv", option: "-o", endings: ROWS },
    Output { words: "canon IN/in.txt", option: "-o", endings: ROWS },
    Output { words: "rate IN/in.txt", option: "-o", endings: ROWS },
    Output { words: "dedup IN/in.txt", option: "-o", endings: ROWS },
    Output { words: "dedup IN/in.csv", option: "-o", endings: ROWS },
    Output { words: "overlap IN/in.txt IN/in.csv", option: "-o", endings: ROWS },
    Output { words: "split-corpus --parts a=1 IN/in.txt", option: "-o", endings: TEXT },
    Output {
        words: "convert IN/in.txt",
        option: "-o",
        endings: &[
            "txt", "sdm", "csv", "tsv", "jsonl", "ndjson", "sdk", "ss", "iss", "html", "htm", "svg",
            "parquet", "arrow",
        ],
    },
    Output { words: "generate sparse --count 3", option: "-o", endings: TEXT },
    Output { words: "generate queens 4", option: "-o", endings: &["dlx", "txt"] },
    Output {
        words: "generate sparse -o IN/made.txt --weights 1..9",
        option: "--weights-out",
        endings: &["txt"],
    },
    Output { words: "split-problem --target 2 -q IN/in.dlx", option: "-o", endings: &["txt"] },
    Output { words: "combine IN/counts.txt --cubes IN/cubes.txt", option: "--missing", endings: &["txt"] },
    Output { words: "encode IN/in.txt", option: "-o", endings: &["dlx", "txt"] },
    Output { words: "bench --rounds 1 --time 1ms -q IN/in.txt", option: "-o", endings: &["json"] },
    Output { words: "bench --rounds 1 --time 1ms -q IN/in.txt", option: "--report", endings: PAGES },
    Output { words: "stats IN/run.json", option: "--out", endings: &["json"] },
    Output { words: "report IN/run.json", option: "-o", endings: PAGES },
    Output { words: "solve IN/in.txt", option: "--rejects", endings: &["txt", "tsv"] },
    Output { words: "convert IN/in.txt", option: "--rejects", endings: &["txt", "tsv"] },
    Output { words: "solve IN/in.txt", option: "--stats-out", endings: &["json"] },
    Output { words: "solve IN/in.txt", option: "--report", endings: PAGES },
    Output { words: "solve IN/in.txt", option: "--outcomes-out", endings: &["outcomes"] },
];

/// All endings that have a meaning.
const KNOWN: &[&str] = &[
    "txt", "sdm", "csv", "tsv", "jsonl", "ndjson", "json", "parquet", "pq", "arrow", "arrows", "feather",
    "ipc", "html", "htm", "md", "markdown", "sdk", "ss", "iss", "dlx", "outcomes", "pdf", "svg", "png",
    "jpg", "xls", "xlsx", "ods", "docx", "xml", "yaml", "yml", "toml", "tex", "db", "sqlite", "avro", "orc",
    "npy", "npz", "pkl", "csv.xz", "csv.bz2", "tar", "zip", "json.lz4", "tgz",
];

fn is_table(ending: &str) -> bool {
    ["parquet", "pq", "arrow", "arrows", "feather", "ipc"].contains(&ending)
}

/// Creates a folder with inputs for all verbs.
fn inputs() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("in.txt"), format!("{POJ}\nnonsense\n")).unwrap();
    fs::write(path("in.csv"), format!("id,puzzle\n7,{POJ}\n")).unwrap();
    fs::write(path("in.dlx"), "a b c\na\nb\nc\na b\nb c\n").unwrap();
    let run = |words: &str| {
        let words = words.replace("IN", folder.path().to_str().expect("a plain name"));
        quadrille(&words).ends_with(0)
    };
    run("split-problem --target 2 -q IN/in.dlx -o IN/cubes.txt");
    fs::write(path("counts.txt"), "").unwrap();
    run("solve IN/in.csv -o IN/out.txt --stats-out IN/run.json -q");
    folder
}

/// Runs a command that writes a file with this name in a new folder; returns the folder and the path too.
fn writes(output: &Output, inputs: &TempDir, name: &str) -> (Ended, TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let is_split = output.words.starts_with("split-corpus");
    let given = folder.path().join(if is_split { format!("{{}}-{name}") } else { name.to_owned() });
    let written = folder.path().join(if is_split { format!("a-{name}") } else { name.to_owned() });
    let words = output.words.replace("IN", inputs.path().to_str().expect("a plain name"));
    let mut run = quadrille(&words).arg(output.option).arg(given);
    run.command.env("QUADRILLE_THREADS", "1");
    (run.ends(), folder, written)
}

/// Returns the bytes of a file, decompressed according to its name.
fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let mut text = Vec::new();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => drop(flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut text).expect("gzip")),
        Some("zst") => text = zstd::decode_all(&*bytes).expect("zstd"),
        _ => text = bytes,
    }
    text
}

/// Requires that a file has the format of this ending.
fn require_format(bytes: &[u8], ending: &str, about: &str) {
    match ending {
        "parquet" | "pq" => return assert!(bytes.starts_with(b"PAR1"), "{about}"),
        "arrow" => return assert!(bytes.starts_with(b"ARROW1"), "{about}"),
        "outcomes" => return assert!(bytes.starts_with(b"quadrille outcomes"), "{about}"),
        _ => {}
    }
    let text = std::str::from_utf8(bytes).expect("text");
    let first = text.lines().next().unwrap_or_default();
    let is_json =
        |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok_and(|json| json.is_object());
    let is_right = match ending {
        "csv" => first.contains(',') || first == "puzzle",
        "tsv" => first.contains('\t') || first == "puzzle",
        "jsonl" | "ndjson" => !text.is_empty() && text.lines().all(is_json),
        "json" => is_json(text),
        "html" | "htm" => first.to_lowercase().starts_with("<!doctype html"),
        "md" | "markdown" => first.starts_with('#'),
        "sdk" => first.starts_with('['),
        "svg" => first.starts_with("<svg"),
        _ => !text.is_empty() && !first.starts_with(['{', '<']),
    };
    assert!(is_right, "{about}: {text}");
}

#[test]
fn every_output_has_the_format_of_its_name() {
    let inputs = inputs();
    for output in OUTPUTS {
        let Output { words, option, endings } = output;
        for ending in *endings {
            let about = format!("{words} {option} x.{ending}");
            let (ended, _folder, written) = writes(output, &inputs, &format!("x.{ending}"));
            if is_table(ending) && !cfg!(feature = "parquet") {
                assert_eq!(ended.code, Some(2), "{about}: {}", ended.err);
                assert!(ended.err.contains("this build cannot write"), "{about}: {}", ended.err);
                continue;
            }
            assert!(matches!(ended.code, Some(0 | 3)), "{about}: {} {}", ended.err, ended.out);
            require_format(&unpacked(&written), ending, &about);
        }
        // Names with a compression ending, with and without a format.
        for name in [format!("x.{}.gz", endings[0]), format!("X.{}.zst", endings[0]), "x.gz".to_owned()] {
            let about = format!("{words} {option} {name}");
            let (ended, _folder, written) = writes(output, &inputs, &name);
            assert!(matches!(ended.code, Some(0 | 3)), "{about}: {}", ended.err);
            let magic = if name.ends_with("gz") { &[0x1f, 0x8b][..] } else { &[0x28, 0xb5, 0x2f, 0xfd] };
            assert!(fs::read(&written).unwrap().starts_with(magic), "{about}");
            require_format(&unpacked(&written), endings[0], &about);
        }
        // An unknown ending means the default format.
        let (ended, _folder, written) = writes(output, &inputs, "x.out");
        assert!(matches!(ended.code, Some(0 | 3)), "{words} {option} x.out: {}", ended.err);
        require_format(&unpacked(&written), endings[0], words);
    }
}

#[test]
fn names_of_formats_that_cannot_be_written_are_refused_before_any_work() {
    let inputs = inputs();
    for (place, output) in OUTPUTS.iter().enumerate() {
        let Output { words, option, endings } = output;
        let can =
            |ending: &str| endings.contains(&ending) || endings.contains(&"parquet") && is_table(ending);
        // The first output is tried with all endings, the others with some.
        let sample: &[&str] =
            if place == 0 { KNOWN } else { &["pdf", "json", "parquet", "html", "dlx", "csv.xz"] };
        for ending in sample.iter().filter(|ending| !can(ending)) {
            let about = format!("{words} {option} x.{ending}");
            let (ended, folder, _) = writes(output, &inputs, &format!("x.{ending}"));
            assert_eq!((ended.code, &*ended.out), (Some(2), ""), "{about}: {}", ended.err);
            let is_told = if ending.contains('.') || ["tar", "zip", "tgz"].contains(ending) {
                ended.err.contains("cannot write .")
            } else {
                ended.err.contains(&format!("as .{ending}: use .{}", endings[0]))
            };
            assert!(is_told, "{about}: {}", ended.err);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{about}");
        }
    }
}

#[test]
fn a_named_format_wins_over_the_name() {
    let inputs = inputs();
    let input = inputs.path().join("in.txt");
    let file = |words: &str, name: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let ended = quadrille(words).arg(&input).arg("-o").arg(&path).arg("-q").ends();
        (ended, if path.exists() { unpacked(&path) } else { Vec::new() })
    };
    for (words, name, like) in [
        ("solve --to jsonl", "x.csv", "jsonl"),
        ("solve --to csv", "x.html", "csv"),
        ("solve --to csv", "x.tsv", "tsv"),
        ("solve --to csv", "x.json.gz", "csv"),
        ("solve --to text", "x.csv", "txt"),
        ("dedup --to jsonl", "x.csv", "jsonl"),
        ("convert --to csv", "x.txt", "csv"),
        ("convert --to line", "x.parquet", "txt"),
    ] {
        let (ended, bytes) = file(words, name);
        assert!(matches!(ended.code, Some(0 | 3)), "{words} {name}: {}", ended.err);
        require_format(&bytes, like, &format!("{words} -o {name}"));
    }
    let run = inputs.path().join("run.json");
    let page = inputs.path().join("page.json");
    quadrille("report --to markdown -o").arg(&page).arg(&run).ends_with(0);
    require_format(&fs::read(page).unwrap(), "md", "report --to markdown -o page.json");
    // Compression is refused for formats that compress themselves.
    for (words, name, reason) in [
        ("solve", "x.parquet.gz", "is always compressed"),
        ("solve --to arrow", "x.zst", "is always compressed"),
        ("convert", "x.arrow.gz", "is always compressed"),
        ("solve --compression-level 0", "x.txt.gz", "a whole number from 1 to 9"),
        ("solve --compression-level 10", "x.zst", "a whole number from 1 to 9"),
        ("solve --checkpoint c.gz", "x.txt", "cannot be compressed"),
        ("solve --checkpoint c.csv", "x.txt", "cannot write checkpoints as .csv"),
        ("split-corpus --parts a=1", "x.txt", "has no {}"),
        ("split-corpus --parts a.csv=1", "x-{}", "has the suffix of another format"),
    ] {
        let (ended, bytes) = file(words, name);
        assert_eq!((ended.code, &*bytes), (Some(2), &b""[..]), "{words} {name}: {}", ended.err);
        if !(cfg!(not(feature = "parquet")) && ended.err.contains("this build")) {
            assert!(ended.err.contains(reason), "{words} {name}: {}", ended.err);
        }
    }
}

#[test]
fn compressed_outputs_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| {
        let words = words.replace("IN", folder.path().to_str().expect("a plain name"));
        quadrille(&words).ends_with(0)
    };
    run("generate sparse --count 20 -o IN/p.csv.zst --weights 1..9 --weights-out IN/w.txt.gz");
    run("solve IN/p.csv.zst -o IN/s.csv.gz --stats-out IN/s.json.gz --outcomes-out IN/a.outcomes.zst -q");
    run("solve IN/p.csv.zst -o IN/t.csv.zst --stats-out IN/t.json.zst --outcomes-out IN/b.outcomes -q");
    let [one, other] = ["s.csv.gz", "t.csv.zst"].map(|name| unpacked(&folder.path().join(name)));
    assert_eq!(one, other);
    assert_eq!(one.iter().filter(|byte| **byte == b'\n').count(), 21);
    run("stats IN/s.json.gz IN/t.json.zst --out IN/sum.json.gz");
    run(
        "report IN/s.json.gz IN/t.json.zst --outcomes IN/a.outcomes.zst --outcomes IN/b.outcomes -o IN/r.html.gz",
    );
    run("best --weights IN/w.txt.gz IN/p.csv.zst -o IN/b.txt");
}

/// Returns the number of gzip members in a file.
fn members(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while !bytes.is_empty() {
        let mut member = flate2::bufread::GzDecoder::new(bytes);
        std::io::copy(&mut member, &mut std::io::sink()).expect("a whole member");
        bytes = member.into_inner();
        count += 1;
    }
    count
}

#[test]
fn compressed_bytes_depend_on_rows_and_level_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.csv.gz");
    let packed = |words: &str| {
        quadrille("solve --to csv -q data/random-1000.txt data/random-1000.txt data/random-1000.txt -o")
            .arg(&path)
            .args(words)
            .ends_with(0);
        fs::read(&path).unwrap()
    };
    let usual = packed("-j1");
    // Three blocks of 256 KiB, however small the chunks are.
    assert_eq!(members(&usual), unpacked(&path).len().div_ceil(256 << 10));
    for words in ["-j2 --chunk-bytes 200", "-j4 --chunk-bytes 5k", "-j3 --memory 40M", "-j1 --window 1"] {
        assert!(packed(words) == usual, "{words}");
    }
    let small = packed("-j2 --compression-level 9");
    assert!(small.len() < usual.len());
    let rows = unpacked(&path);
    assert!(members(&packed("--line-buffered --chunk-bytes 5k")) > 20);
    assert_eq!(unpacked(&path), rows);
    // A single short run has one member.
    quadrille("solve --to csv -q - -o").arg(&path).stdin(format!("{POJ}\n")).ends_with(0);
    assert_eq!(members(&fs::read(&path).unwrap()), 1);
}

#[cfg(unix)]
#[test]
fn streams_and_pipes_keep_working() {
    let folder = tempfile::tempdir().unwrap();
    for words in ["solve -o -", "solve --to csv -o /dev/stdout", "solve -o /dev/null"] {
        let ended = quadrille(words).arg("-q").arg("-").stdin(format!("{POJ}\n")).ends_with(0);
        assert_eq!(ended.out.is_empty(), words.ends_with("null"), "{words}");
    }
    // The name of a pipe decides its compression too.
    let pipe = folder.path().join("pipe.csv.gz");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    quadrille("solve -q - -o").arg(&pipe).stdin(format!("{POJ}\n")).ends_with(0);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&*reader.join().unwrap()).read_to_string(&mut text).unwrap();
    assert!(text.starts_with("index,puzzle,"), "{text}");
}

#[test]
fn output_of_an_early_end_can_be_decompressed() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.csv.gz", "x.zst"] {
        let path = folder.path().join(name);
        let run = quadrille("solve --on-error fail -q - -o").arg(&path);
        let ended = run.stdin(format!("{POJ}\n{POJ}\nnonsense\n{POJ}\n")).ends_with(3);
        assert!(ended.err.contains("is left in"), "{}", ended.err);
        let partial = folder.path().join(format!("{name}.partial"));
        let unnamed = folder.path().join(format!("left.{}", name.rsplit('.').next().expect("an ending")));
        fs::rename(partial, &unnamed).unwrap();
        let text = String::from_utf8(unpacked(&unnamed)).unwrap();
        assert_eq!(text.matches(POJ_SOLVED).count(), 2, "{text}");
        // A run that fails before its first row leaves no file.
        quadrille("solve -q no-such-input -o").arg(&path).ends_with(1);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_file(unnamed).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_no_empty_partial_file() {
    for words in [
        "bench -q --report x.html -o x.json -",
        "encode -o x.dlx -",
        "split-problem -q -o x.txt -",
        "combine - --cubes - --missing x",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut run = quadrille(words);
        run.command.current_dir(folder.path());
        let mut child = run.starts();
        let input = child.stdin.take();
        let files = || fs::read_dir(folder.path()).unwrap().count();
        super::wait_for("the output", || files() > 0);
        let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.expect("kill is there").success());
        assert_eq!(child.wait().unwrap().code(), Some(130), "{words}");
        drop(input);
        assert_eq!(files(), 0, "{words}");
    }
}

#[test]
fn kept_rows_are_written_in_the_format_of_the_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let csv = format!("id,note,puzzle\n7,\"a,b\",{POJ}\n");
    fs::write(path("in.csv"), &csv).unwrap();
    fs::write(path("in.txt"), format!("{POJ} # seven\n")).unwrap();
    fs::write(path("in.jsonl"), format!("{{\"puzzle\": \"{POJ}\", \"n\": [1, 2]}}\n")).unwrap();
    let made = |words: &str, from: &str, to: &str| {
        quadrille(words).arg("-q").arg(path(from)).arg("-o").arg(path(to)).ends_with(0);
        fs::read_to_string(path(to)).unwrap()
    };
    for to in ["same.csv", "same.txt", "same"] {
        assert_eq!(made("dedup", "in.csv", to), csv);
    }
    assert_eq!(made("dedup", "in.csv", "tabs.tsv"), format!("id\tnote\tpuzzle\n7\ta,b\t{POJ}\n"));
    assert_eq!(made("dedup", "tabs.tsv", "commas.csv"), csv);
    let counted = made("count --fields count", "tabs.tsv", "counted.csv");
    assert_eq!(counted, format!("id,note,puzzle,q_count\n7,\"a,b\",{POJ},1\n"));
    assert_eq!(made("dedup", "in.txt", "lines.csv"), format!("puzzle,id\n{POJ},seven\n"));
    let with_class = format!("puzzle,id,q_class,q_first,q_size\n{POJ},seven,1,1,1\n");
    assert_eq!(made("dedup --all", "in.txt", "all.csv").replace("q_", ""), with_class.replace("q_", ""));
    assert_eq!(made("dedup", "in.jsonl", "objects.csv"), format!("puzzle,n\n{POJ},\"[1, 2]\"\n"));
    let objects = fs::read_to_string(path("in.jsonl")).unwrap();
    assert_eq!(made("dedup", "in.jsonl", "same.jsonl"), objects);
    let object = made("dedup", "in.csv", "new.jsonl");
    let object: serde_json::Value = serde_json::from_str(&object).unwrap();
    assert_eq!(object["puzzle"], POJ);
}

#[test]
fn generated_rules_have_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let make = |name: &str| {
        let path = folder.path().join(name);
        quadrille("generate sparse --side 4 --rules x --fields index,puzzle,clues -o")
            .arg(&path)
            .ends_with(0);
        (fs::read_to_string(&path).unwrap(), path)
    };
    let (csv, path) = make("x.csv");
    assert!(csv.starts_with("index,puzzle,clues,rules\n1,"), "{csv}");
    let from_csv = quadrille("count").arg(path).prints();
    let (jsonl, path) = make("x.jsonl");
    let object: serde_json::Value = serde_json::from_str(&jsonl).unwrap();
    assert!(object["index"] == 1 && object["clues"].is_u64(), "{jsonl}");
    let (_, lines) = make("x.txt");
    assert_eq!(from_csv, quadrille("count").arg(path).prints());
    assert_eq!(from_csv, quadrille("count --column 2").arg(lines).ends().out, "the same records");
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_before_the_work() {
    let inputs = inputs();
    // `overlap` is left out: it reads its corpus first, whose content goes into the checkpoint.
    for output in OUTPUTS.iter().filter(|output| !output.words.starts_with("overlap")) {
        let words = output.words.replace("IN", inputs.path().to_str().expect("a plain name"));
        // The input does not exist either, so the error shows which was checked first.
        let words = ["in.txt", "in.csv", "in.dlx", "run.json", "counts.txt"]
            .iter()
            .fold(words, |words, name| words.replace(name, &format!("no-such-{name}")));
        let given = if words.starts_with("split-corpus") { "no/folder/{}" } else { "no/folder/x" };
        let ended = quadrille(&words).arg(output.option).arg(given).ends();
        assert_eq!(ended.code, Some(1), "{words} {}: {}", output.option, ended.err);
        assert!(ended.err.contains("no/folder"), "{words} {}: {}", output.option, ended.err);
    }
}
