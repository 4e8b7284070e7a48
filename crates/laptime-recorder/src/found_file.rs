//! A file of Laptime's that is found by a fixed name: `run.json`, what was measured on a machine.
//!
//! Anybody may have put something in its place. What is read is a regular file of this user's or of
//! root's, and not too long; opening it never waits.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Longest file that is read; real ones are below 100 kB.
const MOST_BYTES: u64 = 16 << 20;

/// Reads it.
///
/// **Errors** with the system's reason, and for what is no such file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    // SAFETY: a plain call.
    let user = unsafe { libc::geteuid() };
    let is_own = user == 0 || found.uid() == user || found.uid() == 0;
    if !found.is_file() || !is_own {
        let why = "not a regular file of this user's";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;
    use std::fs;

    #[test]
    fn what_anybody_may_have_put_there_is_not_read() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("run.json");
        let name = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: a string that ends in zero.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        assert!(read(&path).is_err());
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
        assert!(read(&path).is_err());
        fs::remove_file(&path).unwrap();
        let holes = fs::File::create(&path).unwrap();
        holes.set_len(1 << 40).unwrap();
        assert!(read(&path).is_err());
        fs::write(&path, "{}").unwrap();
        assert_eq!(read(&path).unwrap(), b"{}");
    }
}
