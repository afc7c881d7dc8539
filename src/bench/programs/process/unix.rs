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
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getppid, kill_current_process_group, kill_process_group, waitid,
};
use serde::{Deserialize, Serialize};
use wait4::Wait4;

use super::super::folder::locked;
use super::super::own_command;
use super::{End, Finished, METER, RunLimits, Used};
use quadrille_batch::stats::peak_bytes;

/// Maximum number of bytes of standard error that are kept. If there are more, only the last bytes are kept.
const KEPT_ERRORS: usize = 8 << 10;
/// Maximum time to wait for open pipes to close after the program and its process group have ended.
const LEFTOVER: Duration = Duration::from_secs(1);

/// Interval at which a meter checks that its parent process still exists.
const PARENT_WATCH: Duration = Duration::from_millis(250);

/// Process group of the program that is running now.
static RUNNING: Mutex<Option<Pid>> = Mutex::new(None);

enum Event {
    Ended,
    OutputFull,
    Closed,
}

/// A process group that is killed when this value is dropped.
struct Group(Pid);

impl Group {
    fn kill(&self) {
        // The call fails if the group has no processes left, which is fine.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        *locked(&RUNNING) = None;
    }
}

/// Kills the program that is running now, and prevents further starts.
///
/// Must be called when this process is about to exit.
pub(in super::super) fn end_running() {
    let running = locked(&RUNNING);
    if let Some(group) = *running {
        let _ = kill_process_group(group, Signal::KILL);
    }
    // The lock is kept until the process ends, which prevents further starts.
    std::mem::forget(running);
}

/// Runs a program to its end, with `input` as its standard input.
///
/// A separate process, the meter, starts the program and writes the measurements to a file in `folder`.
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
    // If the clock cannot represent the end of the time limit, no time limit applies.
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
        // This call waits without reaping the process. So the system cannot give the process id, which is
        // also the group id, to another process.
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
    let Metered { status, mut used, own_peak_bytes } = match serde_json::from_str(&text) {
        Ok(metered) => metered,
        // If a limit ended the program, the meter was killed before it wrote anything. Otherwise the meter's
        // file contains the reason why the program could not be started.
        Err(_) if cut.is_none() => return Err(io::Error::other(text)),
        Err(_) => Metered::default(),
    };
    used.peak_bytes = used.peak_bytes.filter(|&peak| peak > own_peak_bytes);
    let status = ExitStatus::from_raw(status);
    let by_itself = || status.code().map_or_else(|| End::Signal(status.signal().unwrap_or(0)), End::Exit);
    Ok(Finished {
        end: cut.unwrap_or_else(by_itself),
        used,
        output: std::mem::take(&mut *locked(&output)),
        errors: std::mem::take(&mut *locked(&errors)),
        input_read: input.and_then(|mut file| file.stream_position().ok()),
    })
}

/// Runs a program and measures its time and memory. Writes the measurements to `file`. This function is
/// called in the meter process.
///
/// The program inherits the standard streams of this process.
///
/// # Errors
/// Returns an error if the file cannot be written. If the program cannot be run, the reason is written to the
/// file.
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
            used: Used {
                wall,
                processor: used.rusage.utime + used.rusage.stime,
                peak_bytes: Some(used.rusage.maxrss),
                own: None,
            },
            own_peak_bytes,
        })?,
        Err(error) => error.to_string(),
    };
    std::fs::write(file, text)
}

/// Measurements that a meter writes to its file.
#[derive(Default, Serialize, Deserialize)]
struct Metered {
    status: i32,
    used: Used,
    /// Peak memory of the meter itself. If a program needs less memory, its peak cannot be measured.
    own_peak_bytes: u64,
}

/// Starts a program. Blocks if this process is about to exit.
fn start(command: &mut Command) -> io::Result<(Child, Group)> {
    let mut running = locked(&RUNNING);
    let child = command.spawn()?;
    let group = Group(Pid::from_child(&child));
    *running = Some(group.0);
    Ok((child, group))
}

/// Waits until the process has ended.
///
/// Kills the process group at `due` (never if `due` is `None`) or when the output gets too large. Returns the
/// limit that ended the process, if any, and the number of pipes that are closed already.
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

/// Waits until both pipes (standard output and standard error) are closed. Returns false if a pipe is still
/// open after [`LEFTOVER`].
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

/// Starts a thread that reads a pipe until the pipe is closed or `keep` returns false.
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
