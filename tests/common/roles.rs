//! Files of any name in every role of a command: what a run may do to them, for tests and fuzzers.
//!
//! A directory holds inputs, an old file, links, second names, a directory, and up to three more entries with
//! the names of partial files. Bytes select a command, the roles that are given, and a name for each. Then:
//!
//! * Only the files that output names lead to may change, and their partial files.
//! * No input changes, and nothing is written through a partial name that is a link or a pipe.
//! * A refused run (exit status 2) changes nothing, except that an empty partial file may disappear.
//! * A successful run writes to each output what the same command writes with all names distinct, and leaves
//!   no other files.
//! * A run with distinct names is not refused.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use quadrille::stats::Statistics;

/// Runs the program with these arguments and returns its exit status, or `None` if it had none.
pub(crate) type Runner<'a> = dyn FnMut(&[String]) -> Option<i32> + 'a;

/// Role of a file in a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Input,
    /// Rows or rejects, which must not be pipes if there is a checkpoint.
    Rows,
    /// Any other output.
    Output,
    Statistics,
    Checkpoint,
}

/// A word of a command: literal, or an option with the usual name of its file, given always or sometimes.
enum Word {
    Is(&'static str),
    Always(Role, &'static str, &'static str),
    Maybe(Role, &'static str, &'static str),
}

use Word::{Always, Is, Maybe};

/// Options at the end of all commands that answer records.
macro_rules! run {
    ($($word:expr),*) => {
        &[
            $($word,)*
            Is("-q"), Is("-j1"),
            Always(Role::Rows, "-o", "out"),
            Maybe(Role::Rows, "--rejects", "bad"),
            Maybe(Role::Statistics, "--stats-out", "counts"),
            Maybe(Role::Checkpoint, "--checkpoint", "kept"),
        ]
    };
}

const COMMANDS: [&[Word]; 11] = [
    run![Is("solve"), Always(Role::Input, "", "records")],
    run![Is("solve"), Is("--unique"), Always(Role::Input, "", "records"), Maybe(Role::Input, "", "records")],
    run![Is("count"), Always(Role::Input, "", "records")],
    run![Is("check"), Always(Role::Input, "", "records")],
    run![
        Is("convert"),
        Is("--to=csv"),
        Is("--on-error=skip"),
        Always(Role::Input, "", "records"),
        Maybe(Role::Input, "", "records")
    ],
    run![Is("best"), Always(Role::Input, "", "records"), Always(Role::Input, "--weights", "weights")],
    run![
        Is("count"),
        Is("--from=dlx"),
        Always(Role::Input, "", "cover"),
        Always(Role::Input, "--cubes", "cubes")
    ],
    &[
        Is("split-problem"),
        Is("-j1"),
        Is("--from=dlx"),
        Always(Role::Input, "", "cover"),
        Always(Role::Output, "-o", "out"),
    ],
    &[
        Is("combine"),
        Always(Role::Input, "", "answers"),
        Always(Role::Input, "--cubes", "cubes"),
        Always(Role::Output, "--missing", "out"),
    ],
    &[Is("encode"), Always(Role::Input, "", "records"), Always(Role::Output, "-o", "out")],
    &[
        Is("generate"),
        Is("grids"),
        Is("-n2"),
        Is("-j1"),
        Is("--side=4"),
        Is("--seed=1"),
        Is("--progress=never"),
        Is("--weights=1..9"),
        Always(Role::Output, "--weights-out", "counts"),
        Always(Role::Output, "-o", "out"),
    ],
];

/// Names that a role may get in addition to its usual name.
const NAMES: [&str; 25] = [
    "out",
    "bad",
    "counts",
    "kept",
    "old",
    "records",
    "weights",
    "cover",
    "cubes",
    "answers",
    "to-records",
    "to-old",
    "second-records",
    "second-old",
    "lost",
    "sub",
    "sub/inner",
    "nowhere/out",
    "out.partial",
    "old.partial",
    "records.partial",
    "kept.new",
    "bad.partial",
    "counts.partial",
    "old/out",
];

/// Names of the additional entries.
const MORE: [&str; 11] = [
    "out.partial",
    "old.partial",
    "records.partial",
    "bad.partial",
    "counts.partial",
    "second-old.partial",
    "sub/inner.partial",
    "kept.new",
    "kept",
    "out",
    "counts",
];

/// Prefixes that spell a name differently.
const SPELLED: [&str; 5] = ["", "./", "sub/../", "to-sub/../", ".//"];

const RECORDS: &str = "1...............\n12..............\nno puzzle\n11..............\n";
const COVER: &str = "a b c\na\nb\na b\nc\nb c\n";

/// A directory entry.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    /// A file with its inode number and its content as text.
    File(u64, String),
    Link(PathBuf),
    Directory,
    Other,
}

fn entry(path: &Path) -> Option<Entry> {
    let about = fs::symlink_metadata(path).ok()?;
    Some(match about.file_type() {
        kind if kind.is_file() => {
            let bytes = fs::read(path).expect("it can be read");
            Entry::File(about.ino(), String::from_utf8_lossy(&bytes).into_owned())
        }
        kind if kind.is_symlink() => Entry::Link(fs::read_link(path).expect("it leads somewhere")),
        kind if kind.is_dir() => Entry::Directory,
        _ => Entry::Other,
    })
}

/// Returns all entries below a directory.
fn entries(directory: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut all = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for path in
            fs::read_dir(directory).expect("it is there").map(|entry| entry.expect("it can be read").path())
        {
            let entry = entry(&path).expect("it is there");
            if entry == Entry::Directory {
                open.push(path.clone());
            }
            all.insert(path, entry);
        }
    }
    all
}

/// Returns the path to which a write to `path` goes: a file's real directory, or the target of a link to a file.
fn led_to(path: &Path) -> PathBuf {
    match fs::metadata(path) {
        Ok(about) if about.is_file() => fs::canonicalize(path).expect("it is there"),
        _ => match (path.parent().map(fs::canonicalize), path.file_name()) {
            (Some(Ok(directory)), Some(name)) => directory.join(name),
            _ => path.to_owned(),
        },
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn is_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
}

/// Draws numbers from bytes; zeros after the last byte.
struct Chooser<'a>(&'a [u8]);

impl Chooser<'_> {
    fn below(&mut self, end: usize) -> usize {
        let (first, rest) = self.0.split_first().map_or((0, &[][..]), |(&first, rest)| (first, rest));
        self.0 = rest;
        usize::from(first) % end
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// A file given to a command.
struct Given {
    role: Role,
    option: &'static str,
    path: PathBuf,
}

/// A command with the files given to it.
struct Call {
    words: Vec<&'static str>,
    files: Vec<Given>,
    flags: Vec<&'static str>,
}

impl Call {
    fn arguments(&self, path: impl Fn(usize, &Given) -> PathBuf) -> Vec<String> {
        let words = ["quadrille"].iter().chain(&self.words).chain(&self.flags).map(|word| (*word).to_owned());
        let files = self.files.iter().enumerate().flat_map(|(place, file)| {
            let path = path(place, file).to_str().expect("it is text").to_owned();
            [file.option.to_owned(), path].into_iter().filter(|word| !word.is_empty())
        });
        words.chain(files).collect()
    }

    fn outputs(&self) -> impl Iterator<Item = (usize, &Given)> {
        let is_output = |(_, file): &(usize, &Given)| !matches!(file.role, Role::Input | Role::Checkpoint);
        self.files.iter().enumerate().filter(is_output)
    }
}

/// A command without file names, and the content of its inputs.
type Asked = (Vec<String>, Vec<Option<Vec<u8>>>);

/// Exit status and outputs of a command if all its names are distinct.
type Apart = (Option<i32>, Vec<Option<Vec<u8>>>);

/// Results of previous runs.
#[derive(Default)]
pub(crate) struct Known {
    cubes: Option<(Vec<u8>, Vec<u8>)>,
    apart: HashMap<Asked, Apart>,
}

/// How a case ended, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// Nothing was run, because the run would wait for a pipe.
    Waits,
    Refused,
    Failed,
    Done,
}

impl Known {
    /// Runs the case that `data` selects in a new directory and checks the result.
    ///
    /// # Panics
    /// Panics if the result breaks a promise.
    pub(crate) fn try_roles(&mut self, data: &[u8], run: &mut Runner<'_>) -> Case {
        let place = tempfile::tempdir().expect("a temporary directory");
        let top = fs::canonicalize(place.path()).expect("it is there");
        let (directory, apart) = (top.join("all"), top.join("apart"));
        fs::create_dir(&directory).expect("made");
        self.fill(&directory, run);
        let mut bytes = Chooser(data);
        let (call, is_usual) = choose(&directory, &mut bytes);
        let more = bytes.below(4);
        for _ in 0..more {
            add(&directory, &mut bytes);
        }
        let has_checkpoint = call.files.iter().any(|file| file.role == Role::Checkpoint);
        let waits = |file: &Given| match file.role {
            Role::Input | Role::Output | Role::Statistics => is_pipe(&file.path),
            Role::Rows => is_pipe(&file.path) && !has_checkpoint,
            Role::Checkpoint => false,
        };
        if call.files.iter().any(waits) {
            return Case::Waits;
        }
        let before = entries(&directory);
        let allowed = allowed(&call);
        let arguments = call.arguments(|_, file| file.path.clone());
        let told = || format!("{arguments:?} on {before:#?}");

        let inputs: Vec<_> = call
            .files
            .iter()
            .map(|file| (file.role == Role::Input).then(|| fs::read(&file.path).ok()).flatten())
            .collect();
        let code = run(&arguments);
        let after = entries(&directory);

        assert!(matches!(code, Some(0 | 1 | 2 | 6)), "{code:?}: {}", told());
        for (file, was) in call.files.iter().zip(&inputs) {
            if let Some(was) = was {
                assert!(
                    fs::read(&file.path).is_ok_and(|is| is == *was),
                    "{:?} changed: {}",
                    file.path,
                    told()
                );
            }
        }
        for path in before.keys().chain(after.keys()) {
            let (was, is) = (before.get(path), after.get(path));
            // An empty file with a partial name counts as no file.
            let is_nothing = matches!(was, Some(Entry::File(_, text)) if text.is_empty()) && is.is_none();
            if is_nothing && allowed.contains(path) {
                continue;
            }
            let is_file = |entry: Option<&Entry>| matches!(entry, None | Some(Entry::File(..)));
            let may_change = allowed.contains(path) && code != Some(2) && is_file(was) && is_file(is);
            assert!(was == is || may_change, "{path:?} was {was:?}, is {is:?}, {code:?}: {}", told());
        }
        if let Some(1 | 2) = code {
            assert!(!is_usual || more > 0, "names that are apart are refused: {code:?}: {}", told());
            return if code == Some(2) { Case::Refused } else { Case::Failed };
        }
        let key = (call.arguments(|place, _| place.to_string().into()), inputs.clone());
        let (apart_code, written) =
            self.apart.entry(key).or_insert_with(|| apart_run(&call, &inputs, &apart, run));
        assert_eq!(code, *apart_code, "the exit status where names are apart: {}", told());
        for ((_, file), written) in call.outputs().zip(written) {
            let own = fs::read(&file.path).ok();
            let is_same = match file.role {
                Role::Statistics => records(own.as_ref()) == records(written.as_ref()),
                _ => own == *written,
            };
            assert!(is_same, "{:?} has {own:?}, not {written:?}: {}", file.path, told());
        }
        let finals: Vec<PathBuf> = call.outputs().map(|(_, file)| led_to(&file.path)).collect();
        for path in allowed.iter().filter(|path| !finals.contains(path)) {
            assert!(!after.contains_key(path), "{path:?} is left: {}", told());
        }
        Case::Done
    }

    /// Creates the entries that every directory has.
    fn fill(&mut self, directory: &Path, run: &mut Runner<'_>) {
        let at = |name: &str| directory.join(name);
        let write = |name: &str, bytes: &[u8]| fs::write(at(name), bytes).expect("written");
        write("records", RECORDS.as_bytes());
        write("weights", "1 ".repeat(16).as_bytes());
        write("cover", COVER.as_bytes());
        let (cubes, answers) = self.cubes.get_or_insert_with(|| {
            let mut done = |words: &[&str], file: &str| {
                let words = words.iter().map(|word| match at(word) {
                    path if path.exists() || *word == file => path.to_str().expect("text").to_owned(),
                    _ => (*word).to_owned(),
                });
                assert_eq!(run(&words.collect::<Vec<_>>()), Some(0));
                fs::read(at(file)).expect("written")
            };
            let cubes =
                done(&["quadrille", "split-problem", "-j1", "--from=dlx", "cover", "-o", "cubes"], "cubes");
            let words =
                ["quadrille", "count", "-q", "--from=dlx", "cover", "--cubes", "cubes", "-o", "answers"];
            (cubes, done(&words, "answers"))
        });
        write("cubes", cubes);
        // One answer is missing.
        let end = answers.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| {
            answers[..last].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)
        });
        write("answers", &answers[..end]);
        write("old", b"old\n");
        fs::create_dir(at("sub")).expect("made");
        write("sub/inner", b"inner\n");
        for (target, link) in
            [("records", "to-records"), ("old", "to-old"), ("sub", "to-sub"), ("nowhere/file", "lost")]
        {
            symlink(at(target), at(link)).expect("made");
        }
        for (file, name) in [("records", "second-records"), ("old", "second-old")] {
            fs::hard_link(at(file), at(name)).expect("made");
        }
    }
}

/// Chooses a command with its files. The flag is true if each file has its usual name.
fn choose(directory: &Path, bytes: &mut Chooser<'_>) -> (Call, bool) {
    let mut call = Call { words: Vec::new(), files: Vec::new(), flags: Vec::new() };
    let mut is_usual = true;
    for word in COMMANDS[bytes.below(COMMANDS.len())] {
        let (role, option, usual) = match *word {
            Is(word) => {
                call.words.push(word);
                continue;
            }
            Maybe(..) if bytes.below(2) == 0 => continue,
            Maybe(role, option, usual) | Always(role, option, usual) => (role, option, usual),
        };
        let name = match bytes.below(3) {
            0 => {
                is_usual = false;
                bytes.one_of(&NAMES)
            }
            _ => usual,
        };
        let path = format!("{}/{}{name}", directory.display(), bytes.one_of(&SPELLED));
        call.files.push(Given { role, option, path: path.into() });
    }
    let flags = bytes.below(8);
    if flags & 1 != 0 {
        call.flags.push("--discard-partial");
    }
    if flags & 2 != 0 {
        is_usual = false;
        call.flags.push("--no-clobber");
    }
    if flags & 4 != 0 && call.files.iter().any(|file| file.role == Role::Checkpoint) {
        call.flags.push("--resume");
    }
    (call, is_usual)
}

/// Adds one entry to the directory unless its name is taken.
fn add(directory: &Path, bytes: &mut Chooser<'_>) {
    let path = directory.join(bytes.one_of(&MORE));
    let kind = bytes.below(7);
    if path.symlink_metadata().is_ok() {
        return;
    }
    let made = match kind {
        0 => fs::write(&path, ""),
        1 => fs::write(&path, "the work of a night\n"),
        2 => symlink(directory.join("records"), &path),
        3 => fs::hard_link(directory.join("records"), &path),
        4 => Command::new("mkfifo").arg(&path).status().map(|_| ()),
        5 => fs::create_dir(&path),
        _ => symlink(directory.join("nowhere/file"), &path),
    };
    made.expect("made");
}

/// Returns the paths that the run may write: targets of outputs, and their partial files.
fn allowed(call: &Call) -> Vec<PathBuf> {
    let paths = call.files.iter().filter(|file| file.role != Role::Input).flat_map(|file| {
        let (path, suffix) = match file.role {
            Role::Checkpoint => {
                let directory = file.path.parent().map(fs::canonicalize).and_then(Result::ok);
                (directory.unwrap_or_default().join(file.path.file_name().expect("a name")), ".new")
            }
            _ => (led_to(&file.path), ".partial"),
        };
        [with_suffix(&path, suffix), path]
    });
    paths.collect()
}

/// Runs the same command with all names distinct.
fn apart_run(call: &Call, inputs: &[Option<Vec<u8>>], directory: &Path, run: &mut Runner<'_>) -> Apart {
    fs::create_dir(directory).expect("made");
    let path = |place: usize| directory.join(format!("file-{place}"));
    for (place, bytes) in inputs.iter().enumerate() {
        if let Some(bytes) = bytes {
            fs::write(path(place), bytes).expect("written");
        }
    }
    let code = run(&call.arguments(|place, _| path(place)));
    (code, call.outputs().map(|(place, _)| fs::read(path(place)).ok()).collect())
}

/// Returns the record counts of a statistics file; its times and names vary.
fn records(file: Option<&Vec<u8>>) -> Option<(u64, u64, u64)> {
    let text = String::from_utf8(file?.clone()).expect("statistics are text");
    let statistics = Statistics::from_json("statistics", &text).expect("it was written here");
    Some((statistics.totals.records_in, statistics.answered(), statistics.rejected()))
}
