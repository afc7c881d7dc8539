//! The standard streams of the process. This module checks whether a stream can be used, and makes reads and
//! writes wait if necessary.
//!
//! If a stream was closed when the program began, the standard library opens `/dev/null` in its place. The
//! standard library treats an unreadable input as empty and an unwritable output as successful. Some parent
//! processes pass a stream to the program in non-blocking mode. With the standard library, reading from such
//! a stream fails as soon as it is empty, and writing to it fails as soon as it is full.
//!
//! In this module a closed stream and an unusable stream are errors with their own messages. Reads and writes
//! of a stream in non-blocking mode wait.

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

/// The standard streams that were closed when the program began. Bit `n` is for the stream with descriptor
/// `n`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClosedStreams(u8);

/// The closed streams of this process, as recorded by [`ClosedStreams::note`].
static CLOSED: AtomicU8 = AtomicU8::new(0);

impl ClosedStreams {
    /// Returns the standard streams that are closed now.
    ///
    /// Must be called before `main`. After that it is too late, because the standard library opens
    /// `/dev/null` in place of closed streams. So this function uses nothing of the standard library.
    #[cfg(unix)]
    pub fn look() -> Self {
        let is_closed = |stream| rustix::io::fcntl_getfd(stream).is_err();
        let input = u8::from(is_closed(rustix::stdio::stdin()));
        let output = u8::from(is_closed(rustix::stdio::stdout()));
        ClosedStreams(input << Stream::Input as u8 | output << Stream::Output as u8)
    }

    /// Returns the set of closed streams as a number that [`from_bits`](Self::from_bits) accepts.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Converts a number from [`bits`](Self::bits) back to the set of streams.
    pub fn from_bits(bits: u8) -> Self {
        ClosedStreams(bits)
    }

    /// Records this set as the streams that were closed when the process began.
    pub fn note(self) {
        CLOSED.store(self.0, Ordering::Relaxed);
    }
}

impl Stream {
    /// Checks that a path does not lead to this stream if the stream was closed when the program began.
    ///
    /// The standard library opens another file in place of a closed stream. A path such as `/dev/stdin` then
    /// leads to that file.
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

    /// Checks that the stream was not closed and is open for its purpose (reading or writing).
    ///
    /// # Errors
    /// Returns an error if the stream was closed, or if it is open only for the opposite purpose.
    pub fn require_usable(self) -> io::Result<()> {
        if self.was_closed() {
            return Err(self.closed());
        }
        #[cfg(unix)]
        {
            use rustix::fs::OFlags;
            let (descriptor, other, way) = match self {
                Stream::Input => (rustix::stdio::stdin(), OFlags::WRONLY, "writing"),
                Stream::Output => (rustix::stdio::stdout(), OFlags::RDONLY, "reading"),
            };
            match rustix::fs::fcntl_getfl(descriptor) {
                Err(rustix::io::Errno::BADF) => return Err(self.closed()),
                Ok(flags) if flags & OFlags::RWMODE == other => {
                    let advice = self.advice();
                    return Err(io::Error::other(format!("it is open for {way} only; {advice}")));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// An open file descriptor to which a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Descriptor {
    /// A descriptor of this process, with its number.
    Own(u32),
    /// A descriptor of another process, or a stream without a descriptor number.
    Other,
}

/// Maximum number of links that are followed to find out where a name leads.
const MAX_LINKS: usize = 8;

/// Returns the open descriptor to which a name leads, or `None` for the name of an ordinary file.
///
/// For example, `/dev/stdout` leads to a descriptor.
pub fn descriptor_of(path: &Path) -> Option<Descriptor> {
    // The names of standard streams are links to paths such as `/proc/self/fd/1`. In turn, `/proc/self` is a
    // link to the folder of this process.
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

/// Returns the canonical path of the directory that contains a file, or `None` if there is none.
fn directory_of(name: &Path) -> Option<PathBuf> {
    let directory = name.parent().filter(|directory| !directory.as_os_str().is_empty());
    fs::canonicalize(directory.unwrap_or(Path::new("."))).ok()
}

/// Sleeps until a stream in non-blocking mode can be read or written, or has an error.
#[cfg(unix)]
fn wait(stream: std::os::fd::BorrowedFd<'_>, until: rustix::event::PollFlags) {
    // If a signal interrupts the wait, the caller tries to read or write again anyway.
    let _ = rustix::event::poll(&mut [rustix::event::PollFd::new(&stream, until)], None);
}

/// Standard input. It shares its buffer with [`io::stdin`], so that bytes read earlier are not lost.
#[derive(Debug)]
pub struct StandardInput(());

impl StandardInput {
    /// Opens standard input.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Stream::require_usable`].
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
    /// Returns an error in the same cases as [`Stream::require_usable`].
    pub fn output() -> io::Result<Self> {
        Stream::Output.require_usable().map(|()| StandardWriter { is_error: false })
    }

    /// Opens standard error, even if it cannot be used.
    pub fn error() -> Self {
        StandardWriter { is_error: true }
    }

    #[cfg(unix)]
    fn write_some(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Do not use the standard library here: it reports success even if the stream cannot be written.
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
