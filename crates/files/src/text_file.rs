//! Text files that are read as a whole.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use quadrille_model::{Error, Result, usage};

/// Maximum size of a file of rules, weights or drawings, in bytes.
///
/// The size is enough for thousands of houses on the largest grid.
pub const RULES_BYTES: u64 = 16 << 20;
/// Maximum size of a file that an earlier execution of the program or a benchmark has written, in bytes.
pub const REPORT_BYTES: u64 = 256 << 20;

/// Reads a text file of at most `most` bytes. The path may also lead to a device that never ends.
///
/// # Errors
/// Returns an error if the file cannot be read, if the text is not UTF-8, or if the file is longer than
/// `most` bytes.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    let failed = |cause| Error::io("reading", path, 0, cause);
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(most + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > most {
        return Err(usage!("{} has more than {most} bytes", path.display()));
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
