//! Checkpoint files with any content, and outputs that do not match their checkpoint.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quadrille::Result;
use quadrille::batch::{self, BatchOptions, Checkpoint, Outputs, Progress, Query, RunFiles};
use quadrille::engine::Control;
use quadrille::input::{Format, Source};
use xxhash_rust::xxh3::xxh3_128;

use super::bytes::Bytes;

/// Input of all runs: solvable, contradictory, unreadable and empty records, of similar lengths.
const INPUT: &str = "\
1...\n.3.1\n\n1.4.\n..2.\n\
..34.4.1.1..4...\n11..............\n2...............\n1234341221434321\n\
4...............\n.2.............3\n1...2.....3....4\nno puzzle\n";

/// Number of whole input lines covered by the checkpoint.
const FIRST_LINES: usize = 9;

/// A directory for files, deleted on drop.
struct Place {
    checkpoint: PathBuf,
    output: PathBuf,
}

/// The files of an interrupted run, and the complete output.
struct ResumedFrom {
    checkpoint: Vec<u8>,
    partial: Vec<u8>,
    whole: Vec<u8>,
}

fn options() -> BatchOptions {
    let mut options = BatchOptions::new(Query::Unique);
    (options.threads, options.chunk_bytes) = (1, 16);
    // The format is named, since the end of the input affects where grids in rows end.
    options.input.format = Some(Format::Line);
    options
}

fn open(path: &Path, resume: bool) -> Result<Checkpoint> {
    let files =
        RunFiles { inputs: vec!["fuzz".to_owned()], output: "output".to_owned(), ..RunFiles::default() };
    Checkpoint::open(path, resume, Duration::from_secs(3600), files, &options())
}

/// Resumes a run as the program does, and returns the run's error.
fn go_on(place: &Place, mut checkpoint: Checkpoint, text: &[u8]) -> Result<()> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&place.output);
    let file = file.expect("a temporary file can be opened");
    let rows = checkpoint.take_output(&place.output, &file)?;
    let outputs = Outputs { checkpoint: Some(checkpoint), ..Outputs::new(Box::new(rows)) };
    let source = Source::Bytes { name: "fuzz".to_owned(), bytes: text.to_vec() };
    let progress = Progress::new(1);
    let report = batch::run(vec![source], &options(), outputs, &Arc::new(Control::new()), &progress)?;
    report.error.map_or(Ok(()), Err)
}

impl Place {
    fn new() -> Self {
        let thread = std::thread::current().id();
        let name = format!("quadrille-fuzz-{}-{thread:?}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).expect("a temporary directory");
        Place { checkpoint: directory.join("checkpoint"), output: directory.join("output") }
    }

    fn write(&self, checkpoint: &[u8], output: &[u8]) {
        let put = |path: &Path, bytes| File::create(path).and_then(|mut file| file.write_all(bytes));
        put(&self.checkpoint, checkpoint).expect("a temporary file can be written");
        put(&self.output, output).expect("a temporary file can be written");
    }

    fn begun(&self) -> ResumedFrom {
        let lines: usize = INPUT.split_inclusive('\n').take(FIRST_LINES).map(str::len).sum();
        let run = |text: &str| {
            for file in [&self.checkpoint, &self.output] {
                let _ = fs::remove_file(file);
            }
            let checkpoint = open(&self.checkpoint, false).expect("a new checkpoint can be written");
            go_on(self, checkpoint, text.as_bytes()).expect("nothing goes wrong in the run");
            let read = |path| fs::read(path).expect("what was written can be read");
            (read(&self.checkpoint), read(&self.output))
        };
        let (checkpoint, partial) = run(&INPUT[..lines]);
        let (_, whole) = run(INPUT);
        assert!(whole.starts_with(&partial) && whole.len() > partial.len() && !partial.is_empty());
        ResumedFrom { checkpoint, partial, whole }
    }

    /// Resumes with these files and returns the resulting output.
    fn resume(&self, checkpoint: &[u8], output: &[u8]) -> Result<Vec<u8>> {
        self.write(checkpoint, output);
        go_on(self, open(&self.checkpoint, true)?, INPUT.as_bytes())?;
        Ok(fs::read(&self.output).expect("what was written can be read"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A directory that cannot be deleted is not a failure.
        let _ = self.output.parent().map(fs::remove_dir_all);
    }
}

/// Returns a checkpoint of `body` whose header has the right checksum.
fn with_head(checkpoint: &[u8], body: &[u8]) -> Vec<u8> {
    const BEFORE: &[u8] = b"\"checksum\":\"";
    let at = checkpoint.windows(BEFORE.len()).position(|window| window == BEFORE).expect("a head");
    let checksum = xxh3_128(body);
    let mut file = checkpoint[..at + BEFORE.len()].to_vec();
    file.extend_from_slice(format!("{checksum:032x}\"}}\n").as_bytes());
    file.extend_from_slice(body);
    file
}

/// Cuts, overwrites and inserts bytes.
fn edited(mut file: Vec<u8>, mut bytes: Bytes<'_>) -> Vec<u8> {
    while !bytes.is_empty() && !file.is_empty() {
        let (what, place) = (bytes.below(4), bytes.byte() as usize * 256 + bytes.byte() as usize);
        let place = place % file.len();
        match what {
            0 => file[place] = bytes.byte(),
            1 => file.truncate(place),
            2 => file.insert(place, bytes.byte()),
            _ => drop(file.remove(place)),
        }
    }
    file
}

/// Resumes a run with an altered checkpoint or an altered output.
///
/// Such a run must be refused, unless its files are equivalent to the original files. If the checksum is right, the
/// run may succeed or return an error, whatever the content.
///
/// # Panics
/// Panics if altered files are accepted, or the original files are refused.
pub fn checkpoints_are_refused_or_resumed(data: &[u8]) {
    static BEGUN: OnceLock<ResumedFrom> = OnceLock::new();
    thread_local!(static PLACE: Place = Place::new());
    PLACE.with(|place| {
        let begun = BEGUN.get_or_init(|| place.begun());
        let mut bytes = Bytes(data);
        let body = || {
            let head = begun.checkpoint.iter().position(|&byte| byte == b'\n').expect("two lines");
            begun.checkpoint[head + 1..].to_vec()
        };
        let identity = || {
            let file = &begun.checkpoint;
            let at = |text: &[u8]| file.windows(text.len()).position(|window| window == text);
            &file[at(b"{\"identity").expect("a body")..at(b"\"input\":").expect("behind the identity")]
        };
        match bytes.below(5) {
            // Any bytes, or a damaged checkpoint.
            kind @ 0..=1 => {
                let rest = bytes.rest();
                let file =
                    if kind == 0 { rest.to_vec() } else { edited(begun.checkpoint.clone(), Bytes(rest)) };
                let resumed = place.resume(&file, &begun.partial);
                assert_eq!(resumed.ok().as_ref(), (file == begun.checkpoint).then_some(&begun.whole));
            }
            // A random body for this run with the right checksum.
            kind @ 2..=3 => {
                let rest = bytes.rest();
                let body = if kind == 2 { [identity(), rest].concat() } else { edited(body(), Bytes(rest)) };
                if let Err(error) = place.resume(&with_head(&begun.checkpoint, &body), &begun.partial) {
                    assert!(!error.to_string().is_empty());
                }
            }
            // An altered output.
            _ => {
                let tail = bytes.below(3);
                let mut output = edited(begun.partial.clone(), Bytes(bytes.rest()));
                output.extend_from_slice(&b"..."[..tail]);
                let resumed = place.resume(&begun.checkpoint, &output);
                let is_same = output.starts_with(&begun.partial);
                assert_eq!(resumed.ok().as_ref(), is_same.then_some(&begun.whole));
            }
        }
    });
}
