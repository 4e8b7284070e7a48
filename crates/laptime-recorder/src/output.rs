//! A file that a report is written to, by whichever door.
//!
//! Writing into a pipe waits until somebody reads from it, for ever if nobody comes: such a pipe is
//! refused. What a shell passes by `>(gzip)` is a pipe with a reader.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a file for writing, made anew or emptied.
///
/// **Errors** with the system's reason, or for a pipe that nobody reads.
pub fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path).is_ok_and(|known| known.file_type().is_fifo()) {
        return File::create(path);
    }
    let open = |flags| {
        OpenOptions::new()
            .write(true)
            .custom_flags(flags)
            .open(path)
    };
    // Opened without waiting, which fails where there is no reader; and then as any file, while the reader stays.
    let probe = open(libc::O_NONBLOCK).map_err(|error| match error.raw_os_error() {
        Some(libc::ENXIO) => io::Error::other(
            "it is a pipe that nobody reads: start its reader first, or name another file",
        ),
        _ => error,
    })?;
    let file = open(0);
    drop(probe);
    file
}

/// Writes a file as a whole.
///
/// **Errors** as [`open`], and where the system takes no more.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    open(path)?.write_all(bytes.as_ref())
}
