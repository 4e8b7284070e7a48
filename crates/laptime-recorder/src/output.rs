//! A file that something is written to, by whichever door: whole, or as it was before.
//!
//! It is written beside, and takes its name with the mode that the one before it had. What a link leads to is replaced,
//! not the link. A device or a pipe is written into, and so is a file that can't be replaced: one in a folder of somebody
//! else's, or one that was mounted by itself.
//!
//! Writing into a pipe waits until somebody reads from it, for ever if nobody comes: such a pipe is
//! refused. What a shell passes by `>(gzip)` is a pipe with a reader.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Seek, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::draft::Draft;

/// Links that lead to each other are followed so far, as by the system.
const MOST_LINKS: usize = 40;

/// A file that is written. Dropped before it is [finished](Self::finish), it leaves what was there.
#[derive(Debug)]
pub struct Output(To);

#[derive(Debug)]
enum To {
    /// Written into.
    Itself(File),
    /// Written beside, and where that may not take the name, copied.
    Beside(Draft, PathBuf),
}

impl Output {
    /// Begins to write to a path.
    ///
    /// **Errors** with the system's reason: a folder, one that may not be written, a pipe that nobody reads.
    pub fn to(path: &Path) -> io::Result<Self> {
        let Some(target) = target(path)? else {
            return into(path).map(|file| Self(To::Itself(file)));
        };
        let before = match fs::metadata(&target) {
            Ok(before) => Some(before),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if before.is_some() {
            // Whoever protects a file wants it to stay, though its folder lets others take its name.
            OpenOptions::new().write(true).open(&target)?;
        }
        let draft = match beside(&target, before.as_ref()) {
            Ok(draft) => draft,
            Err(error) if before.is_some() && only_itself(&error) => {
                return into(&target).map(|file| Self(To::Itself(file)));
            }
            Err(error) => return Err(error),
        };
        Ok(Self(To::Beside(draft, target)))
    }

    /// What is written to.
    pub fn file(&self) -> &File {
        match &self.0 {
            To::Itself(file) => file,
            To::Beside(draft, _) => draft.file(),
        }
    }

    /// The file is whole.
    ///
    /// **Cost** waits for the disk.
    pub fn finish(self) -> io::Result<()> {
        let To::Beside(draft, target) = self.0 else {
            return Ok(());
        };
        draft.file().sync_all()?;
        let mut whole = draft.file().try_clone()?;
        match draft.finish() {
            Err(error) if only_itself(&error) => {
                whole.rewind()?;
                io::copy(&mut whole, &mut File::create(&target)?).map(|_| ())
            }
            other => other,
        }
    }
}

/// Writes a file as a whole.
///
/// **Errors** as [`Output::to`], and where the system takes no more.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let output = Output::to(path)?;
    output.file().write_all(bytes.as_ref())?;
    output.finish()
}

/// Whether a file to write is what is read, or lies in the folder of it.
pub fn is_inside(file: &Path, read: &Path) -> bool {
    let (Ok(file), Ok(read)) = (whole(file), fs::canonicalize(read)) else {
        return false;
    };
    file.starts_with(read)
}

/// A path without links, of a file that need not be there.
fn whole(file: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(file).or_else(|_| {
        let folder = file.parent().filter(|folder| *folder != Path::new(""));
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
        Ok(folder.join(file.file_name().unwrap_or_default()))
    })
}

/// The file behind a path's links, there or not; `None` for what is only written into.
///
/// A name of an open file, such as `/dev/stdout`, is that file, which others may hold, too.
fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&at) {
            Ok(found) if found.is_symlink() => {
                if ["/dev", "/proc"].iter().any(|held| at.starts_with(held)) {
                    return Ok(None);
                }
                let folder = at.parent().unwrap_or(Path::new("/"));
                at = folder.join(fs::read_link(&at)?);
            }
            Ok(found) => return Ok(found.is_file().then_some(at)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Some(at)),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from_raw_os_error(libc::ELOOP))
}

/// Whether a file can't be replaced, and perhaps be written into.
fn only_itself(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};

    [PermissionDenied, ReadOnlyFilesystem, ResourceBusy].contains(&error.kind())
}

/// A draft with the mode and the owner of the file before it.
fn beside(target: &Path, before: Option<&Metadata>) -> io::Result<Draft> {
    use std::os::unix::fs::{MetadataExt, fchown};

    let draft = Draft::of(target, 0o666)?;
    if let Some(before) = before {
        let is_other = |own: &Metadata| (own.uid(), own.gid()) != (before.uid(), before.gid());
        if is_other(&draft.file().metadata()?) {
            fchown(draft.file(), Some(before.uid()), Some(before.gid()))?;
        }
        let mode = before.permissions().mode() & 0o7777;
        draft.file().set_permissions(Permissions::from_mode(mode))?;
    }
    Ok(draft)
}

/// Opens a file to write into, made anew or emptied.
fn into(path: &Path) -> io::Result<File> {
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

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
