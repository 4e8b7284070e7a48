//! One process's file: a stretch of a file on disk, read piece by piece.
//!
//! In a folder the stretch is the whole file; in a packed recording it lies between two
//! headers. The length is the one found when it was opened: a recording that still grows
//! is read as it was then.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use laptime_core::format::process::{PREFIX_LEN, window_offset};
use laptime_core::format::window::WINDOW_LEN;

use super::SourceError;

/// A process file of an opened recording.
#[derive(Debug, Clone)]
pub struct ProcessFile {
    /// Its name within the recording, `<pid>-<nonce>.proc`.
    pub name: String,
    /// Bytes it holds.
    pub length: u64,
    file: Arc<File>,
    path: PathBuf,
    start: u64,
}

impl ProcessFile {
    /// A file of its own.
    ///
    /// **Errors** when it cannot be opened.
    pub fn whole(path: &Path) -> Result<Self, SourceError> {
        let failed = |source| SourceError::Read {
            path: path.to_owned(),
            offset: 0,
            source,
        };
        let file = open_regular(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let name = path.file_name().unwrap_or_default();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            length,
            file: Arc::new(file),
            path: path.to_owned(),
            start: 0,
        })
    }

    /// `length` bytes from `start` of a packed recording.
    pub fn within(packed: &Path, file: &Arc<File>, name: String, start: u64, length: u64) -> Self {
        Self {
            path: packed.join(&name),
            name,
            length,
            file: Arc::clone(file),
            start,
        }
    }

    /// Where it is, for messages; inside a packed recording, as if that were a folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header and the black box, or as much of them as there is.
    pub fn prefix(&self) -> Result<Vec<u8>, SourceError> {
        let mut bytes = vec![0; PREFIX_LEN];
        let length = self.read(0, &mut bytes)?;
        bytes.truncate(length);
        Ok(bytes)
    }

    /// Offsets of the windows' slots, in order.
    pub fn slots(&self) -> impl Iterator<Item = u64> {
        let length = self.length;
        (0..)
            .map(window_offset)
            .take_while(move |offset| *offset < length)
    }

    /// Calls `visit` with the bytes and the offset of every window's slot, in order.
    ///
    /// **Errors** when reading fails, or what `visit` returns.
    pub fn windows<E: From<SourceError>>(
        &self,
        mut visit: impl FnMut(&[u8], u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut slot = vec![0; WINDOW_LEN];
        for offset in self.slots() {
            let length = self.read(offset, &mut slot)?;
            if length == 0 {
                break;
            }
            visit(&slot[..length], offset)?;
        }
        Ok(())
    }

    /// Fills `bytes` from `offset` and returns how many bytes there were.
    pub fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<usize, SourceError> {
        let left = self.length.saturating_sub(offset);
        let wanted = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let mut filled = 0;
        while filled < wanted {
            let at = offset + filled as u64;
            match self
                .file
                .read_at(&mut bytes[filled..wanted], self.start + at)
            {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(SourceError::Read {
                        path: self.path.clone(),
                        offset: at,
                        source,
                    });
                }
            }
        }
        Ok(filled)
    }
}

/// Opens a file, but no pipe or device, which could keep us waiting for ever.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if path.metadata()?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::other("not a regular file"))
    }
}
