//! A terminal of one's own, as `script` and `ssh` make them.

use std::fs::File;
use std::os::fd::{FromRawFd, OwnedFd};

/// Both ends of a new terminal of 80 by 24: ours, and the program's.
///
/// No program that another test starts just then inherits one: a terminal ends when its last holder does.
pub fn terminal() -> (File, OwnedFd) {
    let how = libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC;
    let size = libc::winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: the pointers are valid for the calls; on success both descriptors are new and nobody else's.
    unsafe {
        let ours = libc::posix_openpt(how);
        assert!(ours >= 0);
        assert_eq!((libc::grantpt(ours), libc::unlockpt(ours)), (0, 0));
        let theirs = libc::ioctl(ours, libc::TIOCGPTPEER, how);
        assert!(theirs >= 0);
        assert_eq!(libc::ioctl(theirs, libc::TIOCSWINSZ, &raw const size), 0);
        // Ctrl-C would throw away what is being printed at that moment.
        let mut modes: libc::termios = std::mem::zeroed();
        libc::tcgetattr(theirs, &raw mut modes);
        modes.c_lflag |= libc::NOFLSH;
        libc::tcsetattr(theirs, libc::TCSANOW, &raw const modes);
        (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
    }
}
