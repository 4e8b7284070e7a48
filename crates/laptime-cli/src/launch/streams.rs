//! The open files that the launcher and the program share.
//!
//! Who reads what the program writes sees the end when the program closes it, and who writes to a program that reads no
//! more is told so, only if the launcher keeps no copy. Its messages go to standard error, which stays.

use std::fs;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the files of this process are the launcher's to close.
static ARE_OURS: AtomicBool = AtomicBool::new(false);

/// This process is the command line's alone.
pub fn are_ours() {
    ARE_OURS.store(true, Ordering::Relaxed);
}

/// Lets go of all that the program has inherited, but standard error.
pub fn leave_to_program() {
    if !ARE_OURS.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: these are system calls on numbers; nothing here reads or writes these files any more.
    unsafe {
        if let Ok(nothing) = fs::File::options().read(true).write(true).open("/dev/null") {
            libc::dup2(nothing.as_raw_fd(), libc::STDIN_FILENO);
            libc::dup2(nothing.as_raw_fd(), libc::STDOUT_FILENO);
        }
        for number in open_files() {
            // What this process opened itself is closed where another program begins.
            if libc::fcntl(number, libc::F_GETFD) & libc::FD_CLOEXEC == 0 {
                libc::close(number);
            }
        }
    }
}

/// The numbers of open files beyond the three streams.
fn open_files() -> Vec<libc::c_int> {
    let Ok(entries) = fs::read_dir("/proc/self/fd") else {
        return Vec::new();
    };
    let numbers = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|number| *number > libc::STDERR_FILENO)
        .collect()
}
