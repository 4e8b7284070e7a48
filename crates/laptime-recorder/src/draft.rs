//! A file that takes its name when it is whole: what had the name stays until then.
//!
//! Until then it has no name at all, where the file system knows such files: whoever is killed meanwhile leaves nothing.
//! Elsewhere it is called `.NAME-XXXXXXXX`, beside the name that it takes.

use std::ffi::{CString, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::clock;

/// Tries for a name that nobody else takes at the same moment.
const MAX_TRIES: u64 = 1_000;

/// A file that is written; gone unless it takes its name.
#[derive(Debug)]
pub struct Draft {
    file: File,
    target: PathBuf,
    /// The name that it has until then, if it has any.
    name: Option<PathBuf>,
}

impl Draft {
    /// Begins a file that is to take a name, with a mode of which the user's mask is taken off.
    ///
    /// **Errors** with the system's reason, as where the file were made under that name.
    pub fn of(target: &Path, mode: u32) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(mode);
        let nameless = options
            .clone()
            .custom_flags(libc::O_TMPFILE)
            .open(folder(target));
        if let Ok(file) = nameless
            && by_number(&file).exists()
        {
            let target = target.to_owned();
            return Ok(Self {
                file,
                target,
                name: None,
            });
        }
        let (name, file) = named(target, |name| options.clone().create_new(true).open(name))?;
        Ok(Self {
            file,
            target: target.to_owned(),
            name: Some(name),
        })
    }

    /// What is written to.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Takes its name, from whatever has it.
    pub fn finish(mut self) -> io::Result<()> {
        if self.name.is_none() {
            let number = by_number(&self.file);
            match link(&number, &self.target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                other => return other,
            }
            let (name, ()) = named(&self.target, |name| link(&number, name))?;
            self.name = Some(name);
        }
        if let Some(name) = &self.name {
            fs::rename(name, &self.target)?;
        }
        self.name = None;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            let _ = fs::remove_file(name);
        }
    }
}

fn folder(target: &Path) -> &Path {
    let folder = target.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Makes something under a name that nobody has.
fn named<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let nonce = clock::monotonic_ns() ^ u64::from(std::process::id()) << 40;
    for number in nonce..nonce + MAX_TRIES {
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(format!("-{:08x}", number as u32));
        let name = folder(target).join(name);
        match make(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|it| (name, it)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn by_number(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives the file that a link of the system leads to a name.
fn link(number: &Path, name: &Path) -> io::Result<()> {
    let path = |path: &Path| CString::new(path.as_os_str().as_bytes());
    let (from, to) = (path(number)?, path(name)?);
    let here = libc::AT_FDCWD;
    // SAFETY: both are texts that end with a zero.
    let done = unsafe {
        libc::linkat(
            here,
            from.as_ptr(),
            here,
            to.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(place: &tempfile::TempDir) -> Vec<OsString> {
        let entries = fs::read_dir(place.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect()
    }

    /// A draft with a name, as file systems want that know no nameless ones.
    fn with_a_name(target: &Path) -> Draft {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let (name, file) = named(target, |name| options.open(name)).unwrap();
        let target = target.to_owned();
        Draft {
            file,
            target,
            name: Some(name),
        }
    }

    #[test]
    fn what_had_the_name_stays_until_the_draft_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a.lap");
        for (number, make) in [
            |target: &Path| Draft::of(target, 0o600).unwrap(),
            with_a_name,
        ]
        .into_iter()
        .cycle()
        .take(4)
        .enumerate()
        {
            let draft = make(&target);
            write!(draft.file(), "{number}").unwrap();
            let before = fs::read_to_string(&target).ok();
            assert_eq!(
                before,
                number.checked_sub(1).map(|number| number.to_string())
            );
            draft.finish().unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), number.to_string());
            assert_eq!(names(&place), ["a.lap"]);
        }
    }

    #[test]
    fn a_draft_that_is_not_finished_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("a.lap");
        drop(Draft::of(&target, 0o600).unwrap());
        drop(with_a_name(&target));
        assert!(names(&place).is_empty());
    }

    #[test]
    fn a_folder_that_is_not_there_is_told_by_its_reason() {
        let place = tempfile::tempdir().unwrap();
        let error = Draft::of(&place.path().join("no/a.lap"), 0o600).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOENT));
    }
}
