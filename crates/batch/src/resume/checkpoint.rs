//! Checkpoints: everything a run needs to continue after it was killed at any moment.
//!
//! A checkpoint is a small file. It holds the position up to which the input was answered ([`Position`]), the lengths
//! of the output and the rejects at that point, hashes of their contents, and all statistics. It is written only once
//! that output is on disk:
//!
//! ```text
//! write rows -> flush -> sync output and rejects -> write FILE.new -> sync it -> rename to FILE -> sync directory
//! ```
//!
//! So there is a complete checkpoint at every moment, and the output holds at least the rows that it covers. A killed
//! run may leave further rows, which are cut off on resuming. The first checkpoint is written before the output is
//! created.
//!
//! The file consists of two lines of JSON: the schema with a checksum of the second line, and everything else.
//!
//! A run holds the lock of its checkpoint file. It passes the lock on to the next checkpoint by renaming a file that it
//! has already locked. The first checkpoint is made under the lock of FILE.new, and only if FILE does not exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind as IoKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use crate::compare::RowFilter;
use crate::locks::lock;
use crate::options::{BatchOptions, Concerns};
use crate::stats::{Statistics, nanoseconds_since, processor_ns};
use quadrille_files::fault_injection;
use quadrille_files::locked_file::{LockedFile, beside};
use quadrille_formats::input::Position;
use quadrille_model::{Error, Result, shown, usage};

/// Version of the file's layout.
const SCHEMA: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Head {
    quadrille_checkpoint: u32,
    checksum: String,
}

impl Head {
    /// Returns the first line of a checkpoint, without its line break.
    fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a number and a string can always be written")
    }
}

#[derive(Serialize, Deserialize)]
struct Body {
    identity: Identity,
    #[serde(flatten)]
    moment: Snapshot<serde_json::Value>,
}

/// State of a run between two chunks, from which the run can be resumed.
///
/// In a checkpoint file, the statistics are JSON. In memory, they are [`Statistics`], because most snapshots
/// are never saved. A reader of the file first checks the identity of the run, and then parses the
/// statistics. Otherwise, a checkpoint of another program version would be reported as damaged.
#[derive(Serialize, Deserialize)]
pub(crate) struct Snapshot<S = Statistics> {
    input: Position,
    headed: bool,
    #[serde(flatten)]
    files: CoveredFiles,
    statistics: S,
}

/// Beginnings of the files that a checkpoint covers.
#[derive(Serialize, Deserialize)]
struct CoveredFiles {
    output: FilePrefix,
    rejects: Option<FilePrefix>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    journal: Option<FilePrefix>,
}

/// Length in bytes and hash of the beginning of a file. A checkpoint covers the file up to that length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FilePrefix {
    bytes: u64,
    hash: String,
}

/// Properties of a run. A run can only resume an earlier run if these properties are the same in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    version: String,
    #[serde(flatten)]
    files: RunFiles,
    asked: String,
    /// Options by name. Options are omitted if they have the default value for the run's command.
    options: BTreeMap<String, String>,
}

/// Names of the files of a run, as the caller gave them.
///
/// A resumed run recognises a file by a hash of the content that the checkpoint covers. If the checkpoint
/// covers no content of the file yet, only the name shows that the run may overwrite the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFiles {
    /// Names of the sources, in order.
    pub inputs: Vec<String>,
    /// Name of the file to which rows are written.
    pub output: String,
    /// Name of the file to which rejects are written, or `None` if they are not written.
    pub rejects: Option<String>,
    /// Reserved for new fields. Use `..` to create values, as in `RunFiles { inputs, ..RunFiles::default()
    /// }`.
    #[doc(hidden)]
    #[serde(skip)]
    pub _more: (),
}

/// Maximum length of an option's value, in bytes. For a longer value, the checkpoint stores the beginning and
/// a hash.
const KEPT_OF_VALUE: usize = 80;

fn short(value: String) -> String {
    if value.len() <= KEPT_OF_VALUE {
        return value;
    }
    let start: String = value.chars().take(KEPT_OF_VALUE / 2).collect();
    format!("{start}... ({:032x})", xxh3_128(value.as_bytes()))
}

impl Identity {
    fn new(files: RunFiles, options: &BatchOptions) -> Self {
        let given = options.describe(Concerns::Statistics);
        Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files,
            asked: options.ask.words().join(" "),
            options: given.map(|(name, value)| (name.to_owned(), short(value))).collect(),
        }
    }

    /// Returns a message for each property that differs between the earlier run and the run `now`.
    fn differences(&self, now: &Identity) -> Vec<String> {
        let mut all = Vec::new();
        let mut compare = |what: &str, then: &str, now: &str| {
            if then != now {
                all.push(format!("{what} was {then}, now it is {now}"));
            }
        };
        compare("the version", &self.version, &now.version);
        let (old, new) = (&self.files, &now.files);
        compare("the input", &old.inputs.join(" "), &new.inputs.join(" "));
        compare("the output", &old.output, &new.output);
        let said = |has: bool| if has { "given" } else { "not given" };
        let [then, is] = [old, new].map(|files| files.rejects.as_deref().unwrap_or(said(false)));
        compare("--rejects", then, is);
        compare("the question", &self.asked, &now.asked);
        for name in self.options.keys().chain(now.options.keys()).collect::<BTreeSet<_>>() {
            let [then, now] =
                [self, now].map(|identity| match identity.options.get(name).map(String::as_str) {
                    None => said(false),
                    Some("") => said(true),
                    Some(value) => value,
                });
            compare(name, then, now);
        }
        all
    }
}

/// A file that is covered by checkpoints. It is unbuffered, and it computes a hash of all bytes written to
/// it.
///
/// Clones write to the same file.
#[derive(Clone)]
pub struct TrackedFile(Arc<Tracked>);

struct Tracked {
    file: File,
    content: Mutex<Content>,
}

/// Length and hash of the whole content of a file.
struct Content {
    bytes: u64,
    hash: Xxh3Default,
}

impl Content {
    fn pass(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }

    fn mark(&self) -> FilePrefix {
        FilePrefix { bytes: self.bytes, hash: format!("{:032x}", self.hash.digest128()) }
    }
}

impl TrackedFile {
    /// Returns the number of bytes in the file.
    pub fn bytes(&self) -> u64 {
        lock(&self.0.content).bytes
    }

    fn mark(&self) -> FilePrefix {
        lock(&self.0.content).mark()
    }
}

impl Write for TrackedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = (&self.0.file).write(bytes)?;
        lock(&self.0.content).pass(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A checkpoint file, and the data for writing the next checkpoint.
///
/// First call [`open`](Self::open), then [`take_output`](Self::take_output) and
/// [`take_rejects`](Self::take_rejects). Pass the checkpoint to the run in [`Outputs`](crate::Outputs). After
/// the run, the [`Report`](crate::Report) contains the checkpoint. Call [`remove`](Self::remove) when the run
/// is complete.
pub struct Checkpoint {
    path: PathBuf,
    /// Current checkpoint file, which this run has locked. `None` only while [`open`](Self::open) is still
    /// running.
    file: Option<LockedFile>,
    every: Duration,
    identity: Identity,
    started: Instant,
    saved: Instant,
    /// Input position after the last written chunk. Before the first chunk is written, the position at which
    /// the run begins.
    pub(crate) position: Position,
    /// Number of records that the checkpoint file covers.
    pub(crate) kept: u64,
    /// True if the text at the beginning of the output was written.
    pub(crate) headed: bool,
    /// True if this run has written any answers, or parts of answers.
    pub(crate) has_written: bool,
    /// Files of the resumed checkpoint, or `None` if the checkpoint is new.
    begun: Option<CoveredFiles>,
    /// Statistics of everything that was written before the run was resumed.
    pub(crate) statistics: Statistics,
    output: Option<TrackedFile>,
    rejects: Option<TrackedFile>,
    /// Journal file from which a row filter can be restored. The second value is a lock on this file.
    journal: Option<(TrackedFile, LockedFile)>,
    /// Functions that complete the rows written so far, so that the files are valid. Only tables and
    /// compressed output have such functions.
    seals: Vec<CommitRows>,
    /// First error that occurred while writing the journal or completing rows.
    failed: Option<Error>,
}

/// A function that completes the rows written so far, so that the file on disk is valid.
pub type CommitRows = Box<dyn FnMut() -> Result<()> + Send>;

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("path", &self.path)
            .field("records", &self.kept)
            .finish_non_exhaustive()
    }
}

impl Checkpoint {
    /// Opens a checkpoint file. Creates a first checkpoint, or reads an existing one to resume its run.
    ///
    /// `every` is the time from one checkpoint to the next.
    ///
    /// # Errors
    /// Returns a usage error if
    /// - there is a checkpoint and `resume` is false;
    /// - files, options or version differ from those in the checkpoint;
    /// - the path does not name a regular file;
    /// - another run holds the lock of the checkpoint.
    ///
    /// Returns an error if the checkpoint is damaged, or if a file cannot be read or written.
    pub fn open(
        path: &Path,
        resume: bool,
        every: Duration,
        files: RunFiles,
        options: &BatchOptions,
    ) -> Result<Self> {
        let has_rejects = files.rejects.is_some();
        let identity = Identity::new(files, options);
        let now = Instant::now();
        let mut checkpoint = Checkpoint {
            path: path.to_owned(),
            file: None,
            every,
            identity,
            started: now,
            saved: now,
            position: Position::default(),
            kept: 0,
            headed: false,
            has_written: false,
            begun: None,
            statistics: Statistics::new(options.top),
            output: None,
            rejects: None,
            journal: None,
            seals: Vec::new(),
            failed: None,
        };
        if path.metadata().is_ok_and(|about| !about.is_file()) {
            return Err(usage!("{}: not a regular file, which a checkpoint must be", shown::path(path)));
        }
        // Lock the new file before checking whether a checkpoint exists. Otherwise another run could create
        // one between the check and the lock.
        let first = Checkpoint::next(path)?;
        if path.symlink_metadata().is_err() {
            let empty = FilePrefix { bytes: 0, hash: format!("{:032x}", xxh3_128(&[])) };
            let mut begin = checkpoint.moment(&Statistics::new(options.top));
            begin.files.rejects = has_rejects.then(|| empty.clone());
            begin.files.output = empty;
            checkpoint.write(first, begin)?;
            return Ok(checkpoint);
        }
        first.remove().map_err(|cause| Error::io("removing", Checkpoint::new_beside(path), 0, cause))?;
        if !resume {
            return Err(usage!(
                "the checkpoint {} exists: use --resume to continue from it, or remove it to start again",
                shown::path(path)
            ));
        }
        let file = LockedFile::open(path)?;
        let mut bytes = Vec::new();
        let read = file.file().read_to_end(&mut bytes);
        read.map_err(|cause| Error::io("reading", file.path(), 0, cause))?;
        checkpoint.read(&bytes)?;
        checkpoint.file = Some(file);
        Ok(checkpoint)
    }

    /// Returns the temporary name under which the next version of the checkpoint `path` is written.
    pub fn new_beside(path: &Path) -> PathBuf {
        beside(path, ".new")
    }

    /// Creates and locks the file for the next version of the checkpoint `path`.
    ///
    /// If a killed run left such a file, replaces it.
    ///
    /// # Errors
    /// Returns an error if the file exists but is not a checkpoint. The file then stays unchanged. Also
    /// returns the errors of [`LockedFile::open`].
    fn next(path: &Path) -> Result<LockedFile> {
        let name = Checkpoint::new_beside(path);
        let next = LockedFile::open(&name)?;
        let failed = |cause| Error::io("reading", &name, 0, cause);
        let mut begin = Vec::new();
        next.file().take(OWN.len() as u64).read_to_end(&mut begin).map_err(failed)?;
        if begin.is_empty() && !next.has_second_name().map_err(failed)? {
            return Ok(next);
        }
        if !OWN.starts_with(&begin) {
            let name = shown::path(&name);
            return Err(usage!("{name} is not a checkpoint and would be overwritten: move it away"));
        }
        // If a run was killed while it renamed the file, this name may be a second name of the checkpoint
        // itself.
        next.remove().map_err(|cause| Error::io("removing", &name, 0, cause))?;
        LockedFile::open(&name)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        let damaged = |what: &str| {
            let path = shown::path(&self.path);
            usage!("the checkpoint {path} is damaged: {what}; remove it to start again")
        };
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not UTF-8 text"))?;
        let (head, body) = text.split_once('\n').ok_or_else(|| damaged("it ends within its first line"))?;
        let foreign = || damaged("its first line is invalid");
        let line = head;
        let head: Head = serde_json::from_str(line).map_err(|_| foreign())?;
        if head.quadrille_checkpoint != SCHEMA {
            let (path, schema) = (shown::path(&self.path), head.quadrille_checkpoint);
            return Err(usage!(
                "the checkpoint {path} was written by another version (schema {schema}, this version reads {SCHEMA})"
            ));
        }
        if head.checksum != checksum(body) {
            return Err(damaged("its checksum is wrong"));
        }
        // The checksum does not cover the first line, and the same JSON can be written in many ways. So
        // accept the first line only if it is exactly as this program writes it.
        if line != head.to_line() {
            return Err(foreign());
        }
        let body: Body = serde_json::from_str(body).map_err(|error| damaged(&error.to_string()))?;
        let differences = body.identity.differences(&self.identity);
        if !differences.is_empty() {
            let path = shown::path(&self.path);
            return Err(usage!("the checkpoint {path} belongs to another run: {}", differences.join("; ")));
        }
        let Snapshot { input, headed, files, statistics } = body.moment;
        let name = self.path.display().to_string();
        self.statistics = Statistics::from_json(&name, &statistics.to_string())?;
        (self.position, self.kept, self.headed) = (input, input.records(), headed);
        self.begun = Some(files);
        Ok(())
    }

    /// Returns the number of output bytes that the checkpoint covers, or `None` for a new checkpoint.
    pub fn output_bytes(&self) -> Option<u64> {
        self.begun.as_ref().map(|begun| begun.output.bytes)
    }

    /// Returns the length in bytes of the rejects that the checkpoint covers.
    ///
    /// Returns `None` for a new checkpoint or if rejects are not written.
    pub fn rejects_bytes(&self) -> Option<u64> {
        self.begun.as_ref()?.rejects.as_ref().map(|mark| mark.bytes)
    }

    /// Prepares the output file, which must be open for reading and writing.
    ///
    /// Verifies that the file begins with the content that the checkpoint covers, and truncates the file
    /// after this content. All further output must be written through the returned file, which appends it.
    ///
    /// # Errors
    /// Returns an error if the beginning of the file differs, or if the file cannot be read or truncated.
    pub fn take_output(&mut self, path: &Path, file: &File) -> Result<TrackedFile> {
        let mark = self.begun.as_ref().map(|begun| begun.output.clone());
        Ok(self.output.insert(taken(path, file, mark.as_ref(), &mut |_| Ok(()))?).clone())
    }

    /// Prepares the file of rejects in the same way as [`take_output`](Self::take_output) prepares the output
    /// file.
    ///
    /// # Errors
    /// Returns an error if the beginning of the file differs, or if the file cannot be read or truncated.
    pub fn take_rejects(&mut self, path: &Path, file: &File) -> Result<TrackedFile> {
        let mark = self.begun.as_ref().and_then(|begun| begun.rejects.clone());
        Ok(self.rejects.insert(taken(path, file, mark.as_ref(), &mut |_| Ok(()))?).clone())
    }

    /// Opens the journal file next to the checkpoint, and restores the state of `filter` from the journal.
    ///
    /// # Errors
    /// Returns an error if
    /// - the file cannot be read, written or truncated, or its beginning differs from what the checkpoint covers;
    /// - there is a file of this name that is not a journal, or another run has locked the file;
    /// - the filter rejects the journal.
    pub fn take_journal(&mut self, filter: &mut dyn RowFilter) -> Result<()> {
        let path = Checkpoint::journal_beside(&self.path);
        let file = LockedFile::open(&path)?;
        let failed = |cause| Error::io("reading", &path, 0, cause);
        let mut begin = Vec::new();
        file.file().take(JOURNAL.len() as u64).read_to_end(&mut begin).map_err(failed)?;
        if !JOURNAL.starts_with(&begin) || file.has_second_name().map_err(failed)? {
            let name = shown::path(&path);
            return Err(usage!(
                "{name} is not the journal of a checkpoint and would be overwritten: move it away"
            ));
        }
        let mark = self.begun.as_ref().and_then(|begun| begun.journal.clone());
        let (entry, mut skip, mut rest) = (filter.journal_entry(), JOURNAL.len(), Vec::new());
        let mut tracked = taken(&path, file.file(), mark.as_ref(), &mut |bytes| {
            let head = skip.min(bytes.len());
            skip -= head;
            rest.extend_from_slice(&bytes[head..]);
            let whole = rest.len() / entry * entry;
            filter.restore(&rest[..whole])?;
            rest.drain(..whole);
            Ok(())
        })?;
        if tracked.bytes() == 0 {
            tracked.write_all(JOURNAL).map_err(|cause| Error::io("writing", &path, 0, cause))?;
        }
        self.journal = Some((tracked, file));
        Ok(())
    }

    /// Returns the name of the journal file that belongs to the checkpoint `path`.
    pub fn journal_beside(path: &Path) -> PathBuf {
        beside(path, ".keys")
    }

    /// Appends to the filter's journal.
    pub(crate) fn pass_journal(&mut self, bytes: &[u8]) {
        let Some((journal, file)) = &mut self.journal else { return };
        if let Err(cause) = journal.write_all(bytes) {
            self.failed.get_or_insert(Error::io("writing", file.path(), 0, cause));
        }
    }

    /// Adds a function that completes the rows written so far.
    ///
    /// Compressed output needs such a function. Tables need one too, because their rows go to [separate
    /// files](quadrille_formats::output), for which [`take_output`](Self::take_output) is not called.
    pub fn add_seal(&mut self, seal: CommitRows) {
        self.seals.push(seal);
    }

    /// Returns true if rows can still be removed after they were completed, by truncating the output file.
    pub(crate) fn can_cut(&self) -> bool {
        self.output.is_some()
    }

    /// Completes the rows written so far. Must be called before each snapshot that will be saved.
    ///
    /// An error is not returned here, but by the next call of [`save`](Self::save).
    pub(crate) fn seal(&mut self) {
        if let Err(error) = self.seals.iter_mut().try_for_each(|seal| seal()) {
            self.failed.get_or_insert(error);
        }
    }

    /// Returns the number of rows that were written before the run was resumed and are covered by the
    /// checkpoint. Returns `None` for a new checkpoint.
    pub fn rows_written(&self) -> Option<u64> {
        self.begun.as_ref().map(|_| self.statistics.totals.rows_out)
    }

    /// Returns the 1-based number of the first record that this run answers.
    pub fn next_record(&self) -> u64 {
        self.position.records() + 1
    }

    /// Returns the path of the checkpoint file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if the run has written any answers, or parts of answers.
    ///
    /// The last checkpoint does not necessarily cover these answers.
    pub fn has_written(&self) -> bool {
        self.has_written
    }

    /// Returns true if the checkpoint is new, and false if its run is being resumed.
    pub fn is_new(&self) -> bool {
        self.begun.is_none()
    }

    /// Returns the number of records that the checkpoint file covers.
    pub fn records(&self) -> u64 {
        self.kept
    }

    /// Returns true if enough time has passed to write the next checkpoint.
    pub(crate) fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.every
    }

    /// Returns a snapshot of the current state. May only be called between two chunks.
    pub(crate) fn moment(&self, statistics: &Statistics) -> Snapshot {
        let mut statistics = statistics.clone();
        let elapsed = nanoseconds_since(self.started);
        statistics.clock.wall_ns = statistics.clock.wall_ns.saturating_add(elapsed);
        statistics.clock.cpu_ns = statistics.clock.cpu_ns.saturating_add(processor_ns());
        let nothing = || FilePrefix { bytes: 0, hash: String::new() };
        Snapshot {
            input: self.position,
            headed: self.headed,
            files: CoveredFiles {
                output: self.output.as_ref().map_or_else(nothing, TrackedFile::mark),
                rejects: self.rejects.as_ref().map(TrackedFile::mark),
                journal: self.journal.as_ref().map(|(journal, _)| journal.mark()),
            },
            statistics,
        }
    }

    /// Saves a snapshot as the new checkpoint. All rows that the snapshot covers must have been flushed.
    ///
    /// # Errors
    /// Returns an error if writing or synchronising fails. The previous checkpoint then stays.
    pub(crate) fn save(&mut self, moment: Snapshot) -> Result<()> {
        fault_injection::reach("flushed");
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let journal = self.journal.as_ref().map(|(journal, _)| journal);
        for tracked in self.output.iter().chain(&self.rejects).chain(journal) {
            tracked.0.file.sync_data().map_err(|cause| Error::io("synchronising", "the output", 0, cause))?;
        }
        fault_injection::reach("synchronised");
        let next = Checkpoint::next(&self.path)?;
        let records = moment.input.records();
        self.write(next, moment)?;
        fault_injection::reach("saved");
        self.kept = records;
        self.saved = Instant::now();
        Ok(())
    }

    /// Writes a checkpoint to the file `next`, and then renames `next` so that it replaces the current
    /// checkpoint.
    fn write(&mut self, mut next: LockedFile, moment: Snapshot) -> Result<()> {
        let Snapshot { input, headed, files, statistics } = moment;
        let moment = Snapshot { input, headed, files, statistics: statistics.to_value() };
        let body = Body { identity: self.identity.clone(), moment };
        let body =
            serde_json::to_string(&body).expect("numbers, strings and maps can always be written") + "\n";
        let head = Head { quadrille_checkpoint: SCHEMA, checksum: checksum(&body) };
        let head = head.to_line() + "\n";
        let put = || -> io::Result<()> {
            let mut file = next.file();
            file.set_len(0)?;
            file.write_all(head.as_bytes())?;
            fault_injection::reach("half-written");
            file.write_all(body.as_bytes())?;
            fault_injection::reach("written");
            file.sync_all()?;
            fault_injection::reach("before-rename");
            Ok(())
        };
        let failed = |cause| Error::io("writing the checkpoint", &self.path, 0, cause);
        put().map_err(failed)?;
        if self.file.as_ref().is_some_and(|file| !file.is_in_place()) {
            return Err(failed(io::Error::other("it was removed or replaced")));
        }
        let is_first = self.file.is_none();
        next.rename(&self.path, is_first)?;
        fault_injection::reach("renamed");
        sync_directory_of(&self.path).map_err(failed)?;
        self.file = Some(next);
        Ok(())
    }

    /// Removes the checkpoint and its journal. The run cannot be resumed afterwards.
    ///
    /// # Errors
    /// Returns an error if a file cannot be removed.
    pub fn remove(self) -> Result<()> {
        // Remove the checkpoint before the journal, because a checkpoint without its journal could not be
        // resumed.
        let journal = self.journal.map(|(_, file)| file);
        let removed = self.file.into_iter().chain(journal).try_for_each(LockedFile::remove);
        removed.map_err(|cause| Error::io("removing the checkpoint", &self.path, 0, cause))
    }
}

/// First bytes of every journal.
const JOURNAL: &[u8] = b"quadrille journal 1\n";
/// First bytes of every checkpoint.
const OWN: &[u8] = b"{\"quadrille_checkpoint\":";

fn checksum(body: &str) -> String {
    format!("{:032x}", xxh3_128(body.as_bytes()))
}

/// Synchronises the directory of `path` to disk, so that renamed files keep their new names after a crash.
///
/// # Errors
/// Returns the error of the system.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    }
    // On systems other than Unix, directories cannot be opened and do not need to be synchronised.
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(())
    }
}

/// Verifies that a file begins with the content described by `mark`, and truncates the file after this
/// content.
///
/// If `mark` is `None`, empties the file. Calls `each` with every block of the content before the content is
/// verified.
fn taken(
    path: &Path,
    file: &File,
    mark: Option<&FilePrefix>,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<TrackedFile> {
    let failed = |action| move |cause| Error::io(action, path, 0, cause);
    let mut file = file.try_clone().map_err(failed("opening"))?;
    let mut content = Content { bytes: 0, hash: Xxh3Default::new() };
    if let Some(mark) = mark {
        file.seek(SeekFrom::Start(0)).map_err(failed("reading"))?;
        let mut reader = BufReader::with_capacity(1 << 20, &file).take(mark.bytes);
        let mut block = vec![0; 256 << 10];
        loop {
            match reader.read(&mut block) {
                Ok(0) => break,
                Ok(bytes) => {
                    content.pass(&block[..bytes]);
                    each(&block[..bytes])?;
                }
                Err(cause) if cause.kind() == IoKind::Interrupted => {}
                Err(cause) => return Err(Error::io("reading", path, content.bytes, cause)),
            }
        }
        if content.bytes < mark.bytes {
            let (path, is, was) = (shown::path(path), content.bytes, mark.bytes);
            return Err(usage!(
                "{path} has changed since the checkpoint: it has {is} bytes, but at least {was} were written"
            ));
        }
        if content.mark() != *mark {
            let (path, bytes) = (shown::path(path), mark.bytes);
            return Err(usage!("{path} has changed since the checkpoint: its first {bytes} bytes differ"));
        }
    }
    file.set_len(content.bytes).map_err(failed("cutting"))?;
    file.seek(SeekFrom::Start(content.bytes)).map_err(failed("writing"))?;
    Ok(TrackedFile(Arc::new(Tracked { file, content: Mutex::new(content) })))
}
