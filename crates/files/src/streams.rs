//! The standard streams of the process: whether they can be used, and reading and writing that wait.
//!
//! If a stream was closed when the program began, the standard library opens `/dev/null` in its place. It treats an
//! unreadable input as empty and an unwritable output as successful. A stream in non-blocking mode, which some parents
//! hand over, fails there as soon as it is empty or full. Here the first two cases are errors with their own messages,
//! and the last one waits.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

/// A standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
}

/// The standard streams that were closed when the program began, one bit per stream by its number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClosedStreams(u8);

/// The closed streams of this process, once [`ClosedStreams::note`] has recorded them.
static CLOSED: AtomicU8 = AtomicU8::new(0);

impl ClosedStreams {
    /// Returns the streams that are closed now.
    ///
    /// Uses nothing of the standard library, so that it can be called before `main`. Later no stream is closed, because the
    /// standard library opens `/dev/null` in their places.
    #[cfg(unix)]
    pub fn look() -> Self {
        let is_closed = |stream| rustix::io::fcntl_getfd(stream).is_err();
        let input = u8::from(is_closed(rustix::stdio::stdin()));
        let output = u8::from(is_closed(rustix::stdio::stdout()));
        ClosedStreams(input << Stream::Input as u8 | output << Stream::Output as u8)
    }

    /// Returns the set as a number for [`from_bits`](Self::from_bits).
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Returns the set for a number from [`bits`](Self::bits).
    pub fn from_bits(bits: u8) -> Self {
        ClosedStreams(bits)
    }

    /// Records this set as the closed streams of the process.
    pub fn note(self) {
        CLOSED.store(self.0, Ordering::Relaxed);
    }
}

impl Stream {
    /// Checks that a path such as `/dev/stdin` does not lead to this stream if it was closed.
    ///
    /// Such a path then leads to the file that the standard library opened in place of the stream.
    ///
    /// # Errors
    /// Returns an error if the stream was closed when the program began and the path leads to it.
    pub fn require_open_as(self, path: &Path) -> io::Result<()> {
        match self.was_closed() && descriptor_of(path) == Some(Descriptor::Own(self as u32)) {
            true => Err(self.closed()),
            false => Ok(()),
        }
    }

    fn was_closed(self) -> bool {
        CLOSED.load(Ordering::Relaxed) >> self as u8 & 1 == 1
    }

    fn closed(self) -> io::Error {
        let advice = self.advice();
        io::Error::other(format!("it was closed before the program began; {advice}"))
    }

    fn advice(self) -> &'static str {
        match self {
            Stream::Input => "name a file",
            Stream::Output => "use -o FILE",
        }
    }

    /// Checks that the stream is there and open for its purpose.
    ///
    /// # Errors
    /// Returns an error if the stream was closed, or was opened only for the other direction.
    pub fn require_usable(self) -> io::Result<()> {
        if self.was_closed() {
            return Err(self.closed());
        }
        match self.mode() {
            None => Ok(()),
            Some(Mode::None) => Err(self.closed()),
            Some(Mode::OtherWay) => {
                let way = if self == Stream::Input { "writing" } else { "reading" };
                Err(io::Error::other(format!("it is open for {way} only; {}", self.advice())))
            }
        }
    }

    /// Returns why the stream cannot be used, or `None` if it can or the system does not report it.
    #[cfg(unix)]
    fn mode(self) -> Option<Mode> {
        use rustix::fs::OFlags;
        let other = match self {
            Stream::Input => OFlags::WRONLY,
            Stream::Output => OFlags::RDONLY,
        };
        match rustix::fs::fcntl_getfl(self.descriptor()) {
            Err(rustix::io::Errno::BADF) => Some(Mode::None),
            Ok(flags) if flags & OFlags::RWMODE == other => Some(Mode::OtherWay),
            _ => None,
        }
    }

    #[cfg(not(unix))]
    fn mode(self) -> Option<Mode> {
        None
    }

    #[cfg(unix)]
    fn descriptor(self) -> std::os::fd::BorrowedFd<'static> {
        match self {
            Stream::Input => rustix::stdio::stdin(),
            Stream::Output => rustix::stdio::stdout(),
        }
    }
}

/// The way in which an unusable stream is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    None,
    OtherWay,
}

/// A file descriptor that is open in a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descriptor {
    /// A descriptor of this process, with its number.
    Own(u32),
    /// A descriptor of another process, or a stream without a descriptor number.
    Other,
}

/// Maximum number of links followed from a name.
const MAX_LINKS: usize = 8;

/// Returns the open descriptor to which a name leads, or `None` for the name of a file.
///
/// `/dev/stdout` is a name that leads to a descriptor.
pub fn descriptor_of(path: &Path) -> Option<Descriptor> {
    // Names of standard streams are links to /proc/self/fd/1 or the like, and from there to the folder of a process.
    let own = fs::canonicalize("/proc/self/fd").ok()?;
    let mut name = path.to_owned();
    for _ in 0..MAX_LINKS {
        let directory = directory_of(&name)?;
        if directory.starts_with("/proc") && directory.ends_with("fd") {
            let number = name.file_name()?.to_str()?.parse().ok().filter(|_| directory == own);
            return Some(number.map_or(Descriptor::Other, Descriptor::Own));
        }
        name = directory.join(fs::read_link(&name).ok()?);
    }
    None
}

/// Returns the canonical path of a file's directory, or `None` if there is none.
fn directory_of(name: &Path) -> Option<PathBuf> {
    let directory = name.parent().filter(|directory| !directory.as_os_str().is_empty());
    fs::canonicalize(directory.unwrap_or(Path::new("."))).ok()
}

/// Sleeps until a stream in non-blocking mode can be read or written, or has an error.
#[cfg(unix)]
fn wait(stream: std::os::fd::BorrowedFd<'_>, until: rustix::event::PollFlags) {
    // Interrupted or not, the caller tries again.
    let _ = rustix::event::poll(&mut [rustix::event::PollFd::new(&stream, until)], None);
}

/// Standard input. Shares its buffer with [`io::stdin`], so that nothing read earlier is lost.
#[derive(Debug)]
pub struct StandardInput(());

impl StandardInput {
    /// Opens standard input.
    ///
    /// # Errors
    /// Returns an error as [`Stream::require_usable`] does.
    pub fn open() -> io::Result<Self> {
        Stream::Input.require_usable().map(|()| StandardInput(()))
    }
}

impl Read for StandardInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match io::stdin().read(buffer) {
                #[cfg(unix)]
                Err(cause) if cause.kind() == ErrorKind::WouldBlock => {
                    wait(rustix::stdio::stdin(), rustix::event::PollFlags::IN);
                }
                read => return read,
            }
        }
    }
}

/// Standard output or standard error, without a buffer.
#[derive(Debug)]
pub struct StandardWriter {
    is_error: bool,
}

impl StandardWriter {
    /// Opens standard output.
    ///
    /// # Errors
    /// Returns an error as [`Stream::require_usable`] does.
    pub fn output() -> io::Result<Self> {
        Stream::Output.require_usable().map(|()| StandardWriter { is_error: false })
    }

    /// Opens standard error, whether or not it can be used.
    pub fn error() -> Self {
        StandardWriter { is_error: true }
    }

    #[cfg(unix)]
    fn write_some(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Bypasses the standard library, which takes a failure for success if the stream cannot be written.
        let stream = if self.is_error { rustix::stdio::stderr() } else { rustix::stdio::stdout() };
        loop {
            match rustix::io::write(stream, bytes) {
                Err(rustix::io::Errno::AGAIN) => wait(stream, rustix::event::PollFlags::OUT),
                written => return Ok(written?),
            }
        }
    }

    #[cfg(not(unix))]
    fn write_some(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.is_error { io::stderr().write(bytes) } else { io::stdout().write(bytes) };
        self.flush()?;
        written
    }
}

impl Write for StandardWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_some(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        #[cfg(not(unix))]
        io::stdout().flush()?;
        Ok(())
    }
}
