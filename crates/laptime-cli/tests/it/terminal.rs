//! A terminal of one's own, as `script` and `ssh` make them.

use std::fs::File;
use std::os::fd::{FromRawFd, OwnedFd};

/// Both ends of a new terminal of 80 by 24: ours, and the program's.
pub fn terminal() -> (File, OwnedFd) {
    let (mut ours, mut theirs) = (0, 0);
    let size = libc::winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    // SAFETY: the pointers are valid for the calls, or null where that is allowed; on success both
    // descriptors are new and nobody else's.
    unsafe {
        let result = libc::openpty(
            &raw mut ours,
            &raw mut theirs,
            std::ptr::null_mut(),
            std::ptr::null(),
            &raw const size,
        );
        assert_eq!(result, 0);
        for end in [ours, theirs] {
            libc::fcntl(end, libc::F_SETFD, libc::FD_CLOEXEC);
        }
        // Ctrl-C would throw away what is being printed at that moment.
        let mut modes: libc::termios = std::mem::zeroed();
        libc::tcgetattr(theirs, &raw mut modes);
        modes.c_lflag |= libc::NOFLSH;
        libc::tcsetattr(theirs, libc::TCSANOW, &raw const modes);
        (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
    }
}
