//! Running a program and measuring it, on Unix.
//!
//! ```text
//! reader of standard output --+
//! reader of standard error  --+--> events --> the calling thread, which sleeps until an event or the time limit
//! waiter for the meter      --+
//!
//! meter: this program as a small process of its own --> the program --> a file with what it used
//! ```
//!
//! * The system counts the peak memory of the process that starts a program as the program's own. So the meter,
//!   which has no corpus in memory, starts the program.
//! * Meter and program have a process group of their own, which is killed when the meter ends, however it ends. The
//!   meter kills the group if the process that started the meter is gone. Processes that leave the group are not
//!   followed: this is not a sandbox.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getppid, kill_current_process_group, kill_process_group, waitid,
};
use serde::{Deserialize, Serialize};
use wait4::Wait4;

use super::super::own_command;
use super::{End, Finished, METER, RunLimits};
use quadrille_batch::stats::peak_bytes;

/// Maximum number of bytes that are kept from the end of standard error.
const KEPT_ERRORS: usize = 8 << 10;
/// Time in which pipes must be closed after the program and its group have ended.
const LEFTOVER: Duration = Duration::from_secs(1);

/// Interval at which a meter checks that the process that started it is still there.
const PARENT_WATCH: Duration = Duration::from_millis(250);

/// The process group of the program that runs now.
static RUNNING: Mutex<Option<Pid>> = Mutex::new(None);

enum Event {
    Ended,
    OutputFull,
    Closed,
}

/// A process group, killed when dropped.
struct Group(Pid);

impl Group {
    fn kill(&self) {
        // Fails if no process of the group is left.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        *locked(&RUNNING) = None;
    }
}

/// Kills the program that runs now, and keeps others from being started. Called when this process is about to exit.
pub(in super::super) fn end_running() {
    let running = locked(&RUNNING);
    if let Some(group) = *running {
        let _ = kill_process_group(group, Signal::KILL);
    }
    // The lock is kept until this process is gone.
    std::mem::forget(running);
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a program to its end. `input` becomes its standard input. The meter writes to a file in `folder`.
///
/// # Errors
/// Returns an error if the program cannot be started.
pub(in super::super) fn run(
    words: &[OsString],
    input: Option<&File>,
    limits: RunLimits,
    folder: &Path,
) -> io::Result<Finished> {
    let used = tempfile::NamedTempFile::new_in(folder)?;
    let (file, module) = own_command()?;
    let mut command = Command::new(file);
    command.args(module).arg(METER).arg(used.path()).arg("--").args(words);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(match input {
        Some(file) => Stdio::from(file.try_clone()?),
        None => Stdio::null(),
    });
    // A limit that the clock cannot represent counts as no limit.
    let due = Instant::now().checked_add(limits.time);
    let (mut child, group) = start(&mut command)?;
    let (send, events) = unbounded();
    let output = Arc::new(Mutex::new(Vec::new()));
    let errors = Arc::new(Mutex::new(Vec::new()));
    if let Some(pipe) = child.stdout.take() {
        let keep = move |bytes: &mut Vec<u8>| bytes.len() <= limits.output_bytes;
        read_pipe(pipe, Arc::clone(&output), keep, send.clone())?;
    }
    if let Some(pipe) = child.stderr.take() {
        let keep = |bytes: &mut Vec<u8>| {
            bytes.drain(..bytes.len().saturating_sub(KEPT_ERRORS));
            true
        };
        read_pipe(pipe, Arc::clone(&errors), keep, send.clone())?;
    }
    let pid = group.0;
    thread::Builder::new().spawn(move || {
        // The wait does not reap the process, so the system cannot give the id of the process or of its group to
        // another process.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _ = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), options));
        let _ = send.send(Event::Ended);
    })?;
    let (mut cut, closed) = supervise(&events, &group, due);
    drop(group);
    child.wait()?;
    if !all_closed(&events, closed) {
        cut = cut.or(Some(End::OutputHeld));
    }
    let text = std::fs::read_to_string(used.path())?;
    let used = match serde_json::from_str(&text) {
        Ok(used) => used,
        // If a limit ended the run, the meter was killed and wrote nothing. Otherwise it wrote why the program could
        // not be started.
        Err(_) if cut.is_none() => return Err(io::Error::other(text)),
        Err(_) => Metered::default(),
    };
    let status = ExitStatus::from_raw(used.status);
    let by_itself = || status.code().map_or_else(|| End::Signal(status.signal().unwrap_or(0)), End::Exit);
    Ok(Finished {
        end: cut.unwrap_or_else(by_itself),
        wall: Duration::from_nanos(used.wall_ns),
        processor: Duration::from_nanos(used.processor_ns),
        peak_bytes: Some(used.peak_bytes).filter(|&peak| peak > used.own_peak_bytes),
        output: std::mem::take(&mut *locked(&output)),
        errors: std::mem::take(&mut *locked(&errors)),
        input_read: input.and_then(|mut file| file.stream_position().ok()),
    })
}

/// Runs a program with the streams of this process, and writes to a file which time and memory the program used: the
/// work of a meter.
///
/// # Errors
/// Returns an error if the file cannot be written. If the program cannot be run, the file has the reason.
pub(crate) fn meter(file: &Path, words: &[OsString]) -> io::Result<()> {
    let parent = getppid();
    thread::Builder::new().spawn(move || {
        while getppid() == parent {
            thread::sleep(PARENT_WATCH);
        }
        let _ = kill_current_process_group(Signal::KILL);
    })?;
    let own_peak_bytes = peak_bytes().unwrap_or(0);
    let begin = Instant::now();
    let run = || {
        let mut child = Command::new(&words[0]).args(&words[1..]).spawn()?;
        let used = child.wait4()?;
        Ok::<_, io::Error>((begin.elapsed(), used))
    };
    let text = match run() {
        Ok((wall, used)) => serde_json::to_string(&Metered {
            status: used.status.into_raw(),
            wall_ns: wall.as_nanos() as u64,
            processor_ns: (used.rusage.utime + used.rusage.stime).as_nanos() as u64,
            peak_bytes: used.rusage.maxrss,
            own_peak_bytes,
        })?,
        Err(error) => error.to_string(),
    };
    std::fs::write(file, text)
}

/// The numbers that a meter writes to its file.
#[derive(Default, Serialize, Deserialize)]
struct Metered {
    status: i32,
    wall_ns: u64,
    processor_ns: u64,
    peak_bytes: u64,
    /// Peak memory of the meter, below which the memory of a program cannot be measured.
    own_peak_bytes: u64,
}

/// Starts a program, unless this process is about to exit.
fn start(command: &mut Command) -> io::Result<(Child, Group)> {
    let mut running = locked(&RUNNING);
    let child = command.spawn()?;
    let group = Group(Pid::from_child(&child));
    *running = Some(group.0);
    Ok((child, group))
}

/// Sleeps until the process has ended. Kills its group at `due`, if there is a limit, or if it writes too much.
///
/// Returns the limit that ended the process, and the number of pipes closed until then.
fn supervise(events: &Receiver<Event>, group: &Group, due: Option<Instant>) -> (Option<End>, usize) {
    let (mut cut, mut closed) = (None, 0);
    loop {
        let event = match due.filter(|_| cut.is_none()) {
            Some(due) => events.recv_deadline(due),
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match event {
            Ok(Event::Ended) => return (cut, closed),
            Ok(Event::Closed) => closed += 1,
            Ok(Event::OutputFull) => cut = Some(End::OutputLimit),
            Err(_) => cut = Some(End::TimeLimit),
        }
        if cut.is_some() {
            group.kill();
        }
    }
}

/// Waits until both pipes are closed; returns false if one is still open after [`LEFTOVER`].
fn all_closed(events: &Receiver<Event>, mut closed: usize) -> bool {
    let due = Instant::now() + LEFTOVER;
    while closed < 2 {
        match events.recv_deadline(due) {
            Ok(Event::Closed) => closed += 1,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    true
}

/// Reads a pipe on a separate thread until it is closed, or until `keep` returns false.
fn read_pipe(
    mut pipe: impl Read + Send + 'static,
    kept: Arc<Mutex<Vec<u8>>>,
    keep: impl Fn(&mut Vec<u8>) -> bool + Send + 'static,
    events: Sender<Event>,
) -> io::Result<()> {
    let read = move || {
        let mut buffer = vec![0; 64 << 10];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(bytes) => {
                    let mut kept = locked(&kept);
                    kept.extend_from_slice(&buffer[..bytes]);
                    if !keep(&mut kept) {
                        let _ = events.send(Event::OutputFull);
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let _ = events.send(Event::Closed);
    };
    thread::Builder::new().spawn(read).map(drop)
}
