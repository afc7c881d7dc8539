//! The whole program on altered files of `data/`.
//!
//! A seed chooses a file, changes to it, a question and an output format. Then:
//!
//! * The run ends with an exit status that its rows explain, and no row has the reason `internal`.
//! * Every record is accounted for, and so is every row if each record has a row.
//! * An input without a readable record does not end with status 0.
//! * Two threads with small chunks write the same bytes and end with the same status.
//! * If one line that is a record is changed, all other records are answered as before.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use flate2::Compression;
use flate2::write::GzEncoder;
use quadrille::Status;
use quadrille::cli::ClosedStreams;
use quadrille::internals::Random;
use quadrille::stats::Statistics;

/// Maximum number of bytes of a sample; a longer sample is cut after a line.
const MAX_BYTES: usize = 6000;

/// Texts inserted into samples.
const SNIPPETS: [&[u8]; 28] = [
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\x00",
    b"\r\n",
    b"\r",
    b"\n",
    b"\n\n",
    b"\x1a",
    b"\"",
    b"\"\"",
    b",",
    b";",
    b"|",
    b"\t",
    b" ",
    b"{\"puzzle\":\"",
    b"PAR1",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"(\xb5/\xfd",
    b"%PDF",
    b"12345678\n",
    b"2\n",
    b"99999999999999999999\n",
    b"-------------------------\n",
    b"[Puzzle]\n",
    b"#",
    b"| a b\n",
];

/// Words of runs that answer records, and true if each record has one row.
const QUESTIONS: [(&str, bool); 18] = [
    ("solve", true),
    ("solve --unique", true),
    ("solve --unique --to csv", false),
    ("solve --limit 3", false),
    ("solve --all", false),
    ("solve --to grid", false),
    ("solve --to jsonl", true),
    ("solve --keep-lines", false),
    ("solve --fields line,byte,status,clues", true),
    ("count", true),
    ("count --limit 3", true),
    ("count --to contest", false),
    ("count --from line", true),
    ("count --from grid", true),
    ("check", true),
    ("check --minimal", true),
    ("best --weights target", true),
    ("best --minimize --weights target --to jsonl", true),
];

/// Words at the end of all runs.
const LIMITS: &str = "--node-limit 2000 --memory 64M --max-record-bytes 100000 -q";

/// A file of `data/`.
#[derive(Clone)]
struct Sample {
    name: String,
    bytes: Vec<u8>,
}

impl Sample {
    /// Returns true if every line may be a record.
    fn may_be_records(&self) -> bool {
        let lines = self.bytes.iter().filter(|&&byte| byte == b'\n').count();
        lines > 5 && !["malformed", ".gz", "-cr.", "cover"].iter().any(|part| self.name.contains(part))
    }
}

/// Counts of the cases so far.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) cases: u64,
    pub(crate) records: u64,
    pub(crate) unreadable: u64,
    /// Number of cases in which a line that is a record was changed.
    pub(crate) lines: u64,
    /// Runs with exit status 0, 1, 2 and 6.
    pub(crate) ended: [u64; 4],
}

/// The samples and a directory for files.
pub(crate) struct Program {
    samples: Vec<Sample>,
    place: tempfile::TempDir,
    pub(crate) seen: Seen,
}

/// Result of one run.
#[derive(PartialEq, Eq)]
struct Ended {
    status: usize,
    rows: Vec<u8>,
    /// Numbers of all records, and of answered, rejected and unreadable records.
    records: Option<[u64; 4]>,
}

fn below(random: &mut Random, end: usize) -> usize {
    random.below(end as u32) as usize
}

fn pick<'a, T>(random: &mut Random, of: &'a [T]) -> &'a T {
    random.pick(of).expect("there are some")
}

fn files_of(directory: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).expect("data is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            all.extend(files_of(&path));
        } else {
            all.push(path);
        }
    }
    all.sort();
    all
}

impl Program {
    pub(crate) fn new() -> Self {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let samples = files_of(&directory).into_iter().map(|path| {
            let mut bytes = fs::read(&path).expect("it can be read");
            if bytes.len() > MAX_BYTES && path.extension().is_none_or(|ending| ending != "gz") {
                let end = bytes[..MAX_BYTES].iter().rposition(|&byte| byte == b'\n');
                bytes.truncate(end.map_or(MAX_BYTES, |end| end + 1));
            }
            Sample { name: path.display().to_string(), bytes }
        });
        let samples = samples.collect();
        Program { samples, place: tempfile::tempdir().expect("a temporary directory"), seen: Seen::default() }
    }

    /// Runs the case of a seed.
    ///
    /// # Panics
    /// Panics if a promise is broken.
    pub(crate) fn try_seed(&mut self, seed: u64) {
        let random = &mut Random::new(seed, 2, 0);
        let sample = below(random, self.samples.len());
        self.seen.cases += 1;
        if random.below(3) == 0 && self.samples[sample].may_be_records() {
            self.change_a_line(sample, random);
            return;
        }
        let text = self.changed(sample, random);
        let (words, has_one_row) = *pick(random, &QUESTIONS);
        if random.below(20) == 0 {
            let ended = self.run(&text, "encode", "", false);
            assert!(!contains(&ended.rows, b"internal"));
            return;
        }
        let one = self.run(&text, words, "-j1", true);
        let chunks = format!("-j2 --chunk-bytes {}", pick(random, &[1, 64, 300, 4096]));
        let two = self.run(&text, words, &chunks, true);
        let name = &self.samples[sample].name;
        let told = || format!("{name} with {words}:\n{}", String::from_utf8_lossy(&text));
        assert!(one.status != 2 || one.records.is_none(), "a run that read records is refused: {}", told());
        assert_eq!(one.status, two.status, "{}", told());
        assert!(
            one.rows == two.rows,
            "{}\none thread:\n{}\ntwo:\n{}",
            told(),
            String::from_utf8_lossy(&one.rows),
            String::from_utf8_lossy(&two.rows)
        );
        assert_eq!(one.records, two.records, "{}", told());
        assert!(!contains(&one.rows, b"internal"), "{}", told());
        let Some([records, answered, rejected, unreadable]) = one.records else { return };
        assert_eq!(records, answered + rejected, "{}", told());
        if one.status != 1 {
            let is_silent = one.status == 0 && unreadable == records && records > 1;
            assert!(!is_silent, "nothing is readable, and nothing is said: {}", told());
            let rows = one.rows.iter().filter(|&&byte| byte == b'\n').count() as u64;
            assert!(!has_one_row || rows == records, "{rows} rows of {records} records: {}", told());
        }
        self.seen.records += records;
        self.seen.unreadable += unreadable;
    }

    /// Changes one line in the later half of a file of records; the half that decides the format is
    /// unchanged.
    fn change_a_line(&mut self, sample: usize, random: &mut Random) {
        let Sample { name, bytes } = self.samples[sample].clone();
        let lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let at = lines.len() / 2 + below(random, lines.len() / 2);
        let line = lines[at];
        let with: Vec<Vec<u8>> = match random.below(5) {
            0 => vec![],
            1 => vec![line.to_vec(), line.to_vec()],
            2 => vec![[&line[..below(random, line.len())], b"\n"].concat()],
            3 => vec![b"hello world\n".to_vec(), line.to_vec()],
            _ => {
                let mut line = line.to_vec();
                let place = below(random, line.len().max(2) - 1);
                line[place] = *pick(random, b"123456789.0xA,| \t");
                vec![line]
            }
        };
        let text = [lines[..at].concat(), with.concat(), lines[at + 1..].concat()].concat();
        let (words, _) = QUESTIONS.iter().find(|(words, _)| *words == "solve --unique").expect("it is there");
        let before = self.run(&bytes, words, "-j1", true);
        let after = self.run(&text, words, "-j1", true);
        let rows = |ended: &Ended| -> Vec<Vec<u8>> {
            ended.rows.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
        };
        let (before, after) = (rows(&before), rows(&after));
        // One of the lines may be a header.
        let heads = lines.len() - before.len().min(lines.len());
        if heads > 1 || before.is_empty() {
            return;
        }
        let (front, behind) = (&before[..at - heads], &before[at - heads + 1..]);
        let is_same = after.starts_with(front) && after.ends_with(behind);
        let told = || format!("line {at} of {name} is {:?}", String::from_utf8_lossy(&with.concat()));
        assert!(
            is_same,
            "{}:\n{:#?}",
            told(),
            after.iter().map(|row| String::from_utf8_lossy(row)).collect::<Vec<_>>()
        );
        self.seen.lines += 1;
    }

    /// Returns a sample with some changes.
    fn changed(&self, sample: usize, random: &mut Random) -> Vec<u8> {
        let mut text = self.samples[sample].bytes.clone();
        for _ in 0..*pick(random, &[1, 1, 1, 2, 4]) {
            let at = below(random, text.len() + 1);
            match random.below(8) {
                0 => drop(text.splice(at..at, pick(random, &SNIPPETS).iter().copied())),
                1 => {
                    let end = text.len().min(at + *pick(random, &[1, 2, 9, 81, 1000]));
                    text.drain(at..end);
                }
                2 if at < text.len() => text[at] = random.below(256) as u8,
                3 | 4 => {
                    let mut lines: Vec<Vec<u8>> =
                        text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                    if !lines.is_empty() {
                        let line = lines.remove(below(random, lines.len()));
                        if random.below(2) == 0 {
                            let at = below(random, lines.len() + 1);
                            lines.splice(at..at, [line.clone(), line]);
                        }
                    }
                    text = lines.concat();
                }
                5 => {
                    let other = &pick(random, &self.samples).bytes;
                    let from = below(random, other.len() + 1);
                    let end = other.len().min(from + *pick(random, &[10, 100, 2000]));
                    text.splice(at..at, other[from..end].iter().copied());
                }
                6 => {
                    let digits = vec![*pick(random, b"019.,\n"); *pick(random, &[7, 81, 200])];
                    text.splice(at..at, digits);
                }
                _ => text.truncate(at),
            }
        }
        if random.below(20) == 0 {
            let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
            packer.write_all(&text).expect("memory takes it");
            text = packer.finish().expect("memory takes it");
            let lost = *pick(random, &[0, 0, 3, 40]);
            text.truncate(text.len() - lost.min(text.len()));
        }
        text
    }

    /// Runs the program's entry point on a text.
    fn run(&mut self, text: &[u8], words: &str, more: &str, is_answered: bool) -> Ended {
        let at = |name: &str| self.place.path().join(name).display().to_string();
        let (input, rows, counts) = (at("input"), at("rows"), at("counts"));
        fs::write(&input, text).expect("written");
        for file in [&rows, &counts] {
            // The file may not exist.
            let _ = fs::remove_file(file);
            let _ = fs::remove_file(format!("{file}.partial"));
        }
        let mut arguments: Vec<&str> = vec!["quadrille"];
        arguments.extend(words.split(' '));
        arguments.extend(more.split_whitespace());
        if is_answered {
            arguments.extend(LIMITS.split(' '));
            arguments.extend(["--stats-out", &counts]);
        }
        arguments.extend(["-o", &rows, &input]);
        let code = quadrille::cli::run(arguments.iter().map(Into::into), ClosedStreams::default());
        let status = (0..=255).find(|&status| ExitCode::from(status) == code).expect("a status has a number");
        assert!(matches!(status, 0 | 1 | 2 | 6), "{words} {more}: status {status}");
        let statistics = fs::read_to_string(&counts).ok().map(|text| {
            let statistics = Statistics::from_json("statistics", &text).expect("they were written here");
            let unreadable = statistics.status(Status::Invalid);
            [statistics.totals.records_in, statistics.answered(), statistics.rejected(), unreadable]
        });
        let read = |name: &str| fs::read(name).ok();
        let rows = read(&rows).or_else(|| read(&format!("{rows}.partial"))).unwrap_or_default();
        if let Some(of) = [0, 1, 2, 6].iter().position(|of| *of == status) {
            self.seen.ended[of] += 1;
        }
        Ended { status: status.into(), rows, records: statistics }
    }
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}
