//! Text files that are read whole.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::{Error, Result};

/// Bytes of a file of rules, weights or drawings at most: those of thousands of houses on the largest grid.
pub const RULES_BYTES: u64 = 16 << 20;
/// Bytes of a file that a run or a measurement has written at most.
pub const REPORT_BYTES: u64 = 256 << 20;

/// Reads a text file of `most` bytes at most, which may be a device that never ends.
///
/// # Errors
/// What the system says, text that is no UTF-8 among it; a longer file.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    let failed = |cause| Error::io("reading", path, 0, cause);
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(Error::usage(format!("{} has more than {most} bytes", path.display())));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_files_are_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "12345").unwrap();
        assert_eq!(read_text(file.path(), 5).unwrap(), "12345");
        assert!(read_text(file.path(), 4).unwrap_err().to_string().ends_with(" has more than 4 bytes"));
        #[cfg(unix)]
        assert!(read_text(Path::new("/dev/zero"), 1 << 10).is_err());
    }
}
