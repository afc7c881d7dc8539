//! Checkpoints: all that a run needs to go on after it was killed at any moment.
//!
//! A checkpoint is a small file with the place up to which the input was answered ([`Position`]), the lengths of the
//! output and the rejects then, hashes of what stood in them, and all of the statistics. It is written when these are
//! on the disk, never before:
//!
//! ```text
//! write rows -> flush -> sync output and rejects -> write FILE.new -> sync it -> rename to FILE -> sync directory
//! ```
//!
//! So at every moment there is a whole checkpoint, and the output holds at least what it covers. A longer tail is what
//! a kill leaves behind; it is cut off. The first checkpoint is written before the output is created.
//!
//! The file is two lines of JSON: one with the schema and a checksum over the other, one with the rest.
//!
//! Whoever goes by a checkpoint holds the lock of its file, and passes it on to the next one by renaming a file that is
//! locked already. The first one is made under the lock of FILE.new, and only where there is no FILE.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind as IoKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use crate::compare::RowFilter;
use crate::options::{BatchOptions, Concerns};
use crate::stats::{Statistics, nanoseconds_since, processor_ns};
use quadrille_formats::input::Position;
use quadrille_model::faults;
use quadrille_model::locked::{LockedFile, beside};
use quadrille_model::shown;
use quadrille_model::{Error, Result};

/// The version of the file's layout.
const SCHEMA: u32 = 3;

#[derive(Serialize, Deserialize)]
struct Head {
    quadrille_checkpoint: u32,
    checksum: String,
}

impl Head {
    /// The first line of a checkpoint, without its end.
    fn to_line(&self) -> String {
        serde_json::to_string(self).expect("a number and a string can always be written")
    }
}

#[derive(Serialize, Deserialize)]
struct Body {
    identity: Identity,
    #[serde(flatten)]
    moment: Moment<serde_json::Value>,
}

/// A moment between two chunks to which a run can come back. In the file its statistics are JSON, which is made where one
/// is written: most are not; and read behind the identity, so that another version is not taken for damage.
#[derive(Serialize, Deserialize)]
pub(crate) struct Moment<S = Statistics> {
    input: Position,
    headed: bool,
    output: Mark,
    rejects: Option<Mark>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    journal: Option<Mark>,
    statistics: S,
}

/// The length of the part of a file that belongs to a checkpoint, in bytes, and its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    bytes: u64,
    hash: String,
}

/// The facts that must be the same for a run to go on with another's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    version: String,
    #[serde(flatten)]
    files: RunFiles,
    asked: String,
    /// Options that are not the default.
    options: BTreeMap<String, String>,
}

/// The names of the files of a run, as they were given.
///
/// A part of a file that a checkpoint covers is known by its hash. Of one that it covers nothing of yet, the name alone says
/// that what stands there may be written over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFiles {
    /// The sources, in their order.
    pub inputs: Vec<String>,
    /// The rows.
    pub output: String,
    /// The rejects, where they are written.
    pub rejects: Option<String>,
}

impl Identity {
    fn new(files: RunFiles, options: &BatchOptions) -> Self {
        let given = options.describe().into_iter().filter(|setting| setting.concerns != Concerns::Statistics);
        Identity {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files,
            asked: options.ask.words().join(" "),
            options: given.map(|setting| (setting.name.to_owned(), setting.value)).collect(),
        }
    }

    /// Returns the differences in words; empty if there are none.
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
        compare("what is asked", &self.asked, &now.asked);
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

/// A file that is written along with checkpoints, and the hash of what was written to it.
struct Tracked {
    file: File,
    hash: Xxh3Default,
    bytes: u64,
}

impl Tracked {
    fn mark(&self) -> Mark {
        Mark { bytes: self.bytes, hash: format!("{:032x}", self.hash.digest128()) }
    }

    fn pass(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

/// A checkpoint file, and what it takes to write the next one.
///
/// The order of calls: [`open`](Self::open), then [`take_output`](Self::take_output) and
/// [`take_rejects`](Self::take_rejects), then the run it is given to as part of [`Outputs`](crate::Outputs), which
/// gives it back in its [`Report`](crate::Report), and [`remove`](Self::remove) when all is done.
pub struct Checkpoint {
    path: PathBuf,
    /// The file as it is now; `None` only while it is opened.
    file: Option<LockedFile>,
    every: Duration,
    identity: Identity,
    started: Instant,
    saved: Instant,
    /// The position in the input behind the last chunk that is written: at first, where the run begins.
    pub(crate) position: Position,
    /// Records that the file covers.
    pub(crate) kept: u64,
    /// True if the output's head is written.
    pub(crate) headed: bool,
    /// True once answers to records were written, or some of their bytes.
    pub(crate) has_written: bool,
    begun: Option<Begun>,
    /// Statistics of what was written before this run.
    pub(crate) statistics: Statistics,
    output: Option<Tracked>,
    rejects: Option<Tracked>,
    /// What brings a filter of rows back to its state, and the file that it is in.
    journal: Option<(Tracked, LockedFile)>,
    /// Makes the rows so far complete, where they are in no file whose length says how far they are.
    seal: Option<Seal>,
    /// The first error of writing the journal, or of making rows complete.
    failed: Option<Error>,
}

/// Makes all rows that were written complete on the disk.
pub type Seal = Box<dyn FnMut() -> Result<()> + Send>;

/// The parts of the files that the checkpoint covers with which a run began.
struct Begun {
    output: Mark,
    rejects: Option<Mark>,
    journal: Option<Mark>,
}

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("path", &self.path)
            .field("records", &self.kept)
            .finish_non_exhaustive()
    }
}

impl Checkpoint {
    /// Begins or goes on: writes the first checkpoint, or reads the one that is there.
    ///
    /// `every` is how often a checkpoint is written.
    ///
    /// # Errors
    /// A usage error where there is a checkpoint and it is not to be resumed, or where files, options or version
    /// are not those of the checkpoint, or where its name is that of something else than a file, or where another run goes by it; a damaged checkpoint; files that cannot be
    /// read or written.
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
            seal: None,
            failed: None,
        };
        if path.metadata().is_ok_and(|about| !about.is_file()) {
            return Err(Error::usage(format!("a checkpoint is a file, which {} is not", shown::path(path))));
        }
        // Locked before it is known whether there is a checkpoint: nobody else can make one meanwhile.
        let first = Checkpoint::next(path)?;
        if path.symlink_metadata().is_err() {
            let empty = Mark { bytes: 0, hash: format!("{:032x}", xxh3_128(&[])) };
            let begin = Moment {
                rejects: has_rejects.then(|| empty.clone()),
                output: empty,
                ..checkpoint.moment(&Statistics::new(options.top))
            };
            checkpoint.write(first, begin)?;
            return Ok(checkpoint);
        }
        first.remove().map_err(|cause| Error::io("removing", Checkpoint::new_beside(path), 0, cause))?;
        if !resume {
            return Err(Error::usage(format!(
                "there is a checkpoint {}: say --resume to go on from it, or remove it to start afresh",
                shown::path(path)
            )));
        }
        let file = LockedFile::open(path)?;
        let mut bytes = Vec::new();
        let read = file.file().read_to_end(&mut bytes);
        read.map_err(|cause| Error::io("reading", file.path(), 0, cause))?;
        checkpoint.read(&bytes)?;
        checkpoint.file = Some(file);
        Ok(checkpoint)
    }

    /// Returns the name under which the next checkpoint of a path is written first.
    pub fn new_beside(path: &Path) -> PathBuf {
        beside(path, ".new")
    }

    /// Makes and locks the file that the next checkpoint of a path is written in; one that a run left when it was killed
    /// is removed.
    ///
    /// # Errors
    /// A file that is none of a checkpoint, which stays as it is; as for [`LockedFile::open`].
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
            return Err(Error::usage(format!(
                "{name} is no checkpoint and would be overwritten: move it away"
            )));
        }
        // It may be the checkpoint itself under a second name, where the run was killed between two steps of a rename.
        next.remove().map_err(|cause| Error::io("removing", &name, 0, cause))?;
        LockedFile::open(&name)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<()> {
        let damaged = |what: &str| {
            let path = shown::path(&self.path);
            Error::usage(format!("the checkpoint {path} is damaged: {what}; remove it to start afresh"))
        };
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let (head, body) = text.split_once('\n').ok_or_else(|| damaged("it ends in its first line"))?;
        let foreign = || damaged("its first line is not its own");
        let line = head;
        let head: Head = serde_json::from_str(line).map_err(|_| foreign())?;
        if head.quadrille_checkpoint != SCHEMA {
            let (path, schema) = (shown::path(&self.path), head.quadrille_checkpoint);
            return Err(Error::usage(format!(
                "the checkpoint {path} was written by another version (schema {schema}, this one reads {SCHEMA})"
            )));
        }
        if head.checksum != checksum(body) {
            return Err(damaged("its checksum is wrong"));
        }
        // No checksum is over the first line, and JSON may be written in many ways: this one is ours.
        if line != head.to_line() {
            return Err(foreign());
        }
        let body: Body = serde_json::from_str(body).map_err(|error| damaged(&error.to_string()))?;
        let differences = body.identity.differences(&self.identity);
        if !differences.is_empty() {
            let path = shown::path(&self.path);
            return Err(Error::usage(format!(
                "the checkpoint {path} is of another run: {}",
                differences.join("; ")
            )));
        }
        let Moment { input, headed, output, rejects, journal, statistics } = body.moment;
        let name = self.path.display().to_string();
        self.statistics = Statistics::from_json(&name, &statistics.to_string())?;
        (self.position, self.kept, self.headed) = (input, input.records(), headed);
        self.begun = Some(Begun { output, rejects, journal });
        Ok(())
    }

    /// Returns the bytes of output that the checkpoint that is resumed covers; `None` for a new one.
    pub fn output_bytes(&self) -> Option<u64> {
        self.begun.as_ref().map(|begun| begun.output.bytes)
    }

    /// As [`output_bytes`](Self::output_bytes) for the rejects.
    pub fn rejects_bytes(&self) -> Option<u64> {
        self.begun.as_ref()?.rejects.as_ref().map(|mark| mark.bytes)
    }

    /// Takes the output file, open for reading and writing: makes sure that it begins as the checkpoint has it, cuts
    /// off what stands behind that, and leaves it at its end.
    ///
    /// # Errors
    /// Another beginning, or a file that cannot be read or cut.
    pub fn take_output(&mut self, path: &Path, file: &File) -> Result<()> {
        let mark = self.begun.as_ref().map(|begun| begun.output.clone());
        self.output = Some(taken(path, file, mark.as_ref(), &mut |_| Ok(()))?);
        Ok(())
    }

    /// As [`take_output`](Self::take_output) for the rejects.
    ///
    /// # Errors
    /// As for the output.
    pub fn take_rejects(&mut self, path: &Path, file: &File) -> Result<()> {
        let mark = self.begun.as_ref().and_then(|begun| begun.rejects.clone());
        self.rejects = Some(taken(path, file, mark.as_ref(), &mut |_| Ok(()))?);
        Ok(())
    }

    /// Makes the file beside the checkpoint in which the journal of a filter is kept, and brings the filter to the state of
    /// the checkpoint.
    ///
    /// # Errors
    /// As for the output; a file of that name that is no journal, or that another run has locked; what the filter says of the bytes.
    pub fn take_journal(&mut self, filter: &mut dyn RowFilter) -> Result<()> {
        let path = Checkpoint::journal_beside(&self.path);
        let file = LockedFile::open(&path)?;
        let failed = |cause| Error::io("reading", &path, 0, cause);
        let mut begin = Vec::new();
        file.file().take(JOURNAL.len() as u64).read_to_end(&mut begin).map_err(failed)?;
        if !JOURNAL.starts_with(&begin) || file.has_second_name().map_err(failed)? {
            let name = shown::path(&path);
            return Err(Error::usage(format!(
                "{name} is of no checkpoint and would be overwritten: move it away"
            )));
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
        if tracked.bytes == 0 {
            tracked.file.write_all(JOURNAL).map_err(|cause| Error::io("writing", &path, 0, cause))?;
            tracked.pass(JOURNAL);
        }
        self.journal = Some((tracked, file));
        Ok(())
    }

    /// Returns the name of the file beside a checkpoint in which the journal of a filter is kept.
    pub fn journal_beside(path: &Path) -> PathBuf {
        beside(path, ".keys")
    }

    /// Takes the journal of what is written.
    pub(crate) fn pass_journal(&mut self, bytes: &[u8]) {
        let Some((journal, file)) = &mut self.journal else { return };
        let written = journal.file.write_all(bytes);
        journal.pass(bytes);
        if let Err(cause) = written {
            self.failed.get_or_insert(Error::io("writing", file.path(), 0, cause));
        }
    }

    /// Takes what makes rows complete: rows then go to [files of their own](quadrille_formats::output), and none is
    /// [taken](Self::take_output).
    pub fn take_seal(&mut self, seal: Seal) {
        self.seal = Some(seal);
    }

    /// True if rows are made complete for it.
    pub(crate) fn has_seal(&self) -> bool {
        self.seal.is_some()
    }

    /// Makes the rows so far complete, for a moment that is saved.
    pub(crate) fn seal(&mut self) {
        if let Some(Err(error)) = self.seal.as_mut().map(|seal| seal()) {
            self.failed.get_or_insert(error);
        }
    }

    /// Rows that an earlier run wrote, which the checkpoint covers; `None` for a new one.
    pub fn rows_written(&self) -> Option<u64> {
        self.begun.as_ref().map(|_| self.statistics.rows_out)
    }

    /// Number of the record, from 1, with which the run begins.
    pub fn next_record(&self) -> u64 {
        self.position.records() + 1
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the run has written answers to records, or some of their bytes, though no checkpoint may cover them yet.
    pub fn has_written(&self) -> bool {
        self.has_written
    }

    /// True for one that goes on from no other.
    pub fn is_new(&self) -> bool {
        self.begun.is_none()
    }

    /// Returns the number of records that the file covers.
    pub fn records(&self) -> u64 {
        self.kept
    }

    /// Bytes of output that are written, those of earlier runs included.
    pub(crate) fn written_bytes(&self) -> u64 {
        self.output.as_ref().map_or(0, |output| output.bytes)
    }

    /// Takes note of rows that are written.
    pub(crate) fn pass_rows(&mut self, bytes: &[u8]) {
        if let Some(output) = &mut self.output {
            output.pass(bytes);
        }
    }

    /// Takes note of rejects that are written.
    pub(crate) fn pass_rejects(&mut self, bytes: &[u8]) {
        if let Some(rejects) = &mut self.rejects {
            rejects.pass(bytes);
        }
    }

    /// True if it is time for the next one.
    pub(crate) fn is_due(&self) -> bool {
        self.saved.elapsed() >= self.every
    }

    /// The present moment, which is one between two chunks.
    pub(crate) fn moment(&self, statistics: &Statistics) -> Moment {
        let mut statistics = statistics.clone();
        let elapsed = nanoseconds_since(self.started);
        statistics.clock.wall_ns = statistics.clock.wall_ns.saturating_add(elapsed);
        statistics.clock.cpu_ns = statistics.clock.cpu_ns.saturating_add(processor_ns());
        let nothing = || Mark { bytes: 0, hash: String::new() };
        Moment {
            input: self.position,
            headed: self.headed,
            output: self.output.as_ref().map_or_else(nothing, Tracked::mark),
            rejects: self.rejects.as_ref().map(Tracked::mark),
            journal: self.journal.as_ref().map(|(journal, _)| journal.mark()),
            statistics,
        }
    }

    /// Writes a checkpoint of a moment whose rows have been handed to the system.
    ///
    /// # Errors
    /// An error of writing or synchronising; the checkpoint before it stays.
    pub(crate) fn save(&mut self, moment: Moment) -> Result<()> {
        faults::reach("flushed");
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let journal = self.journal.as_ref().map(|(journal, _)| journal);
        for tracked in self.output.iter().chain(&self.rejects).chain(journal) {
            tracked.file.sync_data().map_err(|cause| Error::io("synchronising", "the output", 0, cause))?;
        }
        faults::reach("synchronised");
        let next = Checkpoint::next(&self.path)?;
        let records = moment.input.records();
        self.write(next, moment)?;
        faults::reach("saved");
        self.kept = records;
        self.saved = Instant::now();
        Ok(())
    }

    /// Writes to a new file, which takes the place of the one before.
    fn write(&mut self, mut next: LockedFile, moment: Moment) -> Result<()> {
        let Moment { input, headed, output, rejects, journal, statistics } = moment;
        let statistics = serde_json::from_str(&statistics.to_json()).expect("statistics are JSON");
        let moment = Moment { input, headed, output, rejects, journal, statistics };
        let body = Body { identity: self.identity.clone(), moment };
        let body =
            serde_json::to_string(&body).expect("numbers, strings and maps can always be written") + "\n";
        let head = Head { quadrille_checkpoint: SCHEMA, checksum: checksum(&body) };
        let head = head.to_line() + "\n";
        let put = || -> io::Result<()> {
            let mut file = next.file();
            file.set_len(0)?;
            file.write_all(head.as_bytes())?;
            faults::reach("half-written");
            file.write_all(body.as_bytes())?;
            faults::reach("written");
            file.sync_all()?;
            faults::reach("before-rename");
            Ok(())
        };
        let failed = |cause| Error::io("writing the checkpoint", &self.path, 0, cause);
        put().map_err(failed)?;
        if self.file.as_ref().is_some_and(|file| !file.is_in_place()) {
            return Err(failed(io::Error::other("it was removed, or another file has taken its place")));
        }
        let is_first = self.file.is_none();
        next.rename(&self.path, is_first)?;
        faults::reach("renamed");
        sync_directory_of(&self.path).map_err(failed)?;
        self.file = Some(next);
        Ok(())
    }

    /// Removes the file: nothing is left to be resumed.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub fn remove(self) -> Result<()> {
        // Behind the checkpoint: one without its journal could not be resumed.
        let journal = self.journal.map(|(_, file)| file);
        let removed = self.file.into_iter().chain(journal).try_for_each(LockedFile::remove);
        removed.map_err(|cause| Error::io("removing the checkpoint", &self.path, 0, cause))
    }
}

/// The first bytes of every journal.
const JOURNAL: &[u8] = b"quadrille journal 1\n";
/// The first bytes of every checkpoint.
const OWN: &[u8] = b"{\"quadrille_checkpoint\":";

fn checksum(body: &str) -> String {
    format!("{:032x}", xxh3_128(body.as_bytes()))
}

/// Makes renames in a file's directory last.
///
/// # Errors
/// The system's own error.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
        File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
    }
    // Elsewhere directories cannot be opened, nor need to be.
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(())
    }
}

/// A file whose first bytes are known, cut to them; one that is new where nothing is known. The bytes go by `each`, before it
/// is known whether they are the right ones.
fn taken(
    path: &Path,
    file: &File,
    mark: Option<&Mark>,
    each: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<Tracked> {
    let failed = |action| move |cause| Error::io(action, path, 0, cause);
    let file = file.try_clone().map_err(failed("opening"))?;
    let mut tracked = Tracked { file, hash: Xxh3Default::new(), bytes: 0 };
    if let Some(mark) = mark {
        tracked.file.seek(SeekFrom::Start(0)).map_err(failed("reading"))?;
        let mut reader = BufReader::with_capacity(1 << 20, &tracked.file).take(mark.bytes);
        let mut block = vec![0; 256 << 10];
        loop {
            match reader.read(&mut block) {
                Ok(0) => break,
                Ok(bytes) => {
                    tracked.hash.update(&block[..bytes]);
                    tracked.bytes += bytes as u64;
                    each(&block[..bytes])?;
                }
                Err(cause) if cause.kind() == IoKind::Interrupted => {}
                Err(cause) => return Err(Error::io("reading", path, tracked.bytes, cause)),
            }
        }
        if tracked.bytes < mark.bytes {
            let (path, is, was) = (shown::path(path), tracked.bytes, mark.bytes);
            return Err(Error::usage(format!(
                "{path} has changed since the checkpoint: it has {is} bytes, at least {was} were written"
            )));
        }
        if tracked.mark() != *mark {
            let (path, bytes) = (shown::path(path), mark.bytes);
            return Err(Error::usage(format!(
                "{path} has changed since the checkpoint: its first {bytes} bytes are not what was written"
            )));
        }
    }
    tracked.file.set_len(tracked.bytes).map_err(failed("cutting"))?;
    tracked.file.seek(SeekFrom::Start(tracked.bytes)).map_err(failed("writing"))?;
    Ok(tracked)
}
