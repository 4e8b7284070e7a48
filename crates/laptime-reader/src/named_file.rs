//! A file that somebody named and that may be anything: a pipe, a device, a folder, without an end.
//!
//! It is opened without waiting, and read only where it is a regular file and not too long.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens a regular file, or one that a link leads to.
///
/// **Errors** with the system's reason, and for what is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // A pipe is opened at once then, and nothing else is: a device may act on being opened.
    regular(&path.metadata()?)?;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    // It may have become another one since it was asked.
    regular(&file.metadata()?)?;
    Ok(file)
}

fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_dir() {
        Err(rustix::io::Errno::ISDIR.into())
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// Reads a regular file of at most so many bytes.
///
/// **Errors** as [`open`], and where there are more: a file may grow while it is read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("longer than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes what is read")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [&*pipe, &*link, Path::new("/dev/null")] {
            let error = read(path, 10).unwrap_err();
            assert_eq!(error.to_string(), "not a regular file", "{path:?}");
        }
        let folder = read(place.path(), 10).unwrap_err();
        assert_eq!(folder.kind(), io::ErrorKind::IsADirectory);
        let missing = read(&place.path().join("none"), 10).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("file");
        fs::write(&path, "1234567890").unwrap();
        assert_eq!(read(&path, 10).unwrap(), b"1234567890");
        assert!(read(&path, 9).is_err());
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(read(&link, 10).unwrap().len(), 10);
        let holes = fs::File::create(&path).unwrap();
        holes.set_len(1 << 40).unwrap();
        assert!(read(&path, 1 << 20).is_err());
    }
}
