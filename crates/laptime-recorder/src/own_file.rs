//! A file of ours, behind a number that the program may close, or close and use again.
//!
//! Daemons close every descriptor they don't know. A file of the program's that got the number since
//! must never be written or closed from here.

use std::fs::File;
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::AsRawFd;

use crate::platform::{self, FileIdentity};

/// An open file that is used and closed only while it is still ours.
#[derive(Debug)]
pub struct OwnFile {
    file: ManuallyDrop<File>,
    identity: Option<FileIdentity>,
}

impl OwnFile {
    /// Keeps a file that was just opened, away from the numbers that the program's next files get,
    /// and from those of the standard streams: a program that closed one of those would print
    /// into it.
    pub fn new(file: File) -> io::Result<Self> {
        let file = match platform::duplicate_high(file.as_raw_fd()) {
            Ok(high) => high.into(),
            Err(_) if file.as_raw_fd() <= libc::STDERR_FILENO => file.try_clone()?,
            Err(_) => file,
        };
        Ok(Self {
            identity: platform::identity(file.as_raw_fd()),
            file: ManuallyDrop::new(file),
        })
    }

    /// The file, unless the program has closed it.
    pub fn get(&self) -> io::Result<&File> {
        if self.identity.is_some() && platform::identity(self.file.as_raw_fd()) == self.identity {
            Ok(&self.file)
        } else {
            Err(io::Error::from_raw_os_error(libc::EBADF))
        }
    }
}

impl Drop for OwnFile {
    fn drop(&mut self) {
        if self.get().is_ok() {
            // SAFETY: dropped once, here.
            unsafe { ManuallyDrop::drop(&mut self.file) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_numbers_are_left_to_the_program() {
        let ours: Vec<_> = (0..20)
            .map(|_| OwnFile::new(tempfile::tempfile().unwrap()).unwrap())
            .collect();
        let mut theirs = tempfile::tempfile().unwrap();
        for ours in &ours {
            assert!(ours.get().unwrap().as_raw_fd() > theirs.as_raw_fd());
        }
        // Ours is a number of its own, not a second name of a file that is kept.
        drop(ours);
        std::io::Write::write_all(&mut theirs, b"x").unwrap();
    }

    #[test]
    fn a_number_that_became_another_files_is_left_alone() {
        let ours = OwnFile::new(tempfile::tempfile().unwrap()).unwrap();
        let theirs = tempfile::tempfile().unwrap();
        let number = ours.get().unwrap().as_raw_fd();
        // SAFETY: both are open; the number is looked at only here.
        assert!(unsafe { libc::dup2(theirs.as_raw_fd(), number) } >= 0);
        assert!(ours.get().is_err());
        drop(ours);
        assert_eq!(
            platform::identity(number),
            platform::identity(theirs.as_raw_fd())
        );
        // SAFETY: opened by `dup2` above.
        unsafe { libc::close(number) };
    }
}
