//! One process's file: a stretch of a file on disk, read piece by piece.
//!
//! In a folder the stretch is the whole file; in a packed recording it lies between two
//! headers. A file is open only while it is read, so a recording may have any number of
//! processes. The length is the one found first: a recording that still grows is read as it
//! was then.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use laptime_core::format::process::PREFIX_LEN;
use laptime_core::format::window::WINDOW_LEN;
use rustix::fs::SeekFrom;

use crate::ReadError;
use crate::named_file;

/// A process's file in a recording; closed.
#[derive(Debug, Clone)]
pub struct ProcessFile {
    /// The file's name within the recording, `<pid>-<nonce>.proc`.
    pub name: String,
    /// Bytes it holds.
    pub length: u64,
    /// The file on disk.
    disk: PathBuf,
    /// Where the stretch starts in it.
    start: u64,
    /// Where it is, for messages.
    path: PathBuf,
}

impl ProcessFile {
    /// A file of its own.
    ///
    /// **Errors** when it cannot be opened, or is no regular file.
    pub fn whole(path: &Path) -> Result<Self, ReadError> {
        let file = named_file::open(path).map_err(|source| cannot_read(path, 0, source))?;
        let length = file
            .metadata()
            .map_err(|source| cannot_read(path, 0, source))?
            .len();
        let name = path.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            length,
            disk: path.to_owned(),
            start: 0,
            path: path.to_owned(),
        })
    }

    /// `length` bytes from `start` of a packed recording.
    pub(crate) fn within(packed: &Path, name: String, start: u64, length: u64) -> Self {
        Self {
            path: packed.join(&name),
            name,
            length,
            disk: packed.to_owned(),
            start,
        }
    }

    /// Where it is, for messages; inside a packed recording, as if that were a folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it for reading.
    pub fn open(&self) -> Result<OpenFile<'_>, ReadError> {
        let file =
            named_file::open(&self.disk).map_err(|source| cannot_read(&self.path, 0, source))?;
        Ok(OpenFile { of: self, file })
    }
}

/// A process's file while it is read.
#[derive(Debug)]
pub struct OpenFile<'f> {
    of: &'f ProcessFile,
    file: File,
}

impl OpenFile<'_> {
    /// The header and the black box, or as much of them as there is.
    pub fn prefix(&self) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![0; PREFIX_LEN];
        let length = self.read(0, &mut bytes)?;
        bytes.truncate(length);
        Ok(bytes)
    }

    /// The first slot of a window at or after `offset`, itself the start of a slot, that holds data.
    ///
    /// Holes between slots that were set aside take no time, however large they are.
    pub fn next_slot(&self, offset: u64) -> Option<u64> {
        if offset >= self.of.length {
            return None;
        }
        let skipped = (self.data_from(offset) - offset) / WINDOW_LEN as u64;
        let slot = offset + skipped * WINDOW_LEN as u64;
        (slot < self.of.length).then_some(slot)
    }

    /// The first offset at or after `offset` that is in no hole of the file; as far as the system tells.
    pub fn data_from(&self, offset: u64) -> u64 {
        let data = rustix::fs::seek(&self.file, SeekFrom::Data(self.of.start + offset));
        self.within(data, offset)
    }

    /// The first offset at or after `offset` that is in a hole of the file, or its length.
    pub fn hole_from(&self, offset: u64) -> u64 {
        let hole = rustix::fs::seek(&self.file, SeekFrom::Hole(self.of.start + offset));
        self.within(hole, self.of.length)
    }

    /// An offset that the system found, `unknown` where it can't.
    fn within(&self, found: rustix::io::Result<u64>, unknown: u64) -> u64 {
        match found {
            Ok(at) => at.saturating_sub(self.of.start).min(self.of.length),
            Err(rustix::io::Errno::NXIO) => self.of.length,
            Err(_) => unknown,
        }
    }

    /// Fills `bytes` from `offset` and returns how many bytes there were.
    ///
    /// **Errors** when the system refuses.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<usize, ReadError> {
        let left = self.of.length.saturating_sub(offset);
        let wanted = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut filled = 0;
        while filled < wanted {
            let at = offset + filled as u64;
            let into = &mut bytes[filled..wanted];
            match self.file.read_at(into, self.of.start + at) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(cannot_read(&self.of.path, at, source)),
            }
        }
        Ok(filled)
    }
}

/// The process id in the name of a process's file.
pub fn process_id(name: &str) -> Option<u32> {
    name.split('-').next()?.parse().ok()
}

pub(crate) fn cannot_read(path: &Path, offset: u64, source: io::Error) -> ReadError {
    let path = path.to_owned();
    if source.kind() == io::ErrorKind::NotFound {
        return ReadError::Missing { path };
    }
    ReadError::Read {
        path,
        offset,
        source,
    }
}
