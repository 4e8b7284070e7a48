//! Whether another process is stopped, asked of `/proc` where nothing but system calls is allowed: in a signal handler,
//! in a forked child.

/// The letter of a process's state (`T`: stopped); `None` where nobody tells. Leaves `errno` as it was.
pub fn of(pid: libc::pid_t) -> Option<u8> {
    let mut path = *b"/proc/##########/stat\0";
    let digits = digits(pid);
    let length = digits.iter().take_while(|digit| **digit != 0).count();
    path[6..6 + length].copy_from_slice(&digits[..length]);
    path[6 + length..6 + length + 6].copy_from_slice(b"/stat\0");
    let mut text = [0_u8; 128];
    // SAFETY: system calls on values of this function, all of them safe in a handler.
    let read = unsafe {
        let error = *libc::__errno_location();
        let file = libc::open(path.as_ptr().cast(), libc::O_RDONLY | libc::O_CLOEXEC);
        let read = if file < 0 {
            -1
        } else {
            let read = libc::read(file, text.as_mut_ptr().cast(), text.len());
            libc::close(file);
            read
        };
        *libc::__errno_location() = error;
        read
    };
    let text = &text[..usize::try_from(read).ok()?];
    // The name before it stands in parentheses, is 15 bytes at most (64 of a kernel's thread), and may hold anything.
    let name_ends = text.iter().rposition(|byte| *byte == b')')?;
    text.get(name_ends + 2).copied()
}

/// Decimal digits, then zeros.
fn digits(pid: libc::pid_t) -> [u8; 10] {
    let mut digits = [0; 10];
    let mut rest = pid.unsigned_abs();
    let mut count = 0;
    let mut reversed = [0; 10];
    while rest > 0 || count == 0 {
        reversed[count] = b'0' + (rest % 10) as u8;
        rest /= 10;
        count += 1;
    }
    for (to, from) in digits.iter_mut().zip(reversed[..count].iter().rev()) {
        *to = *from;
    }
    digits
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    #[test]
    fn a_process_that_runs_is_not_stopped_and_one_that_is_stopped_is() {
        let own = std::process::id().cast_signed();
        assert!(of(own).is_some_and(|state| state != b'T'));
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = child.id().cast_signed();
        kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
        while of(pid) != Some(b'T') {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(of(pid), None);
    }

    #[test]
    fn digits_of_a_process_id_are_those_that_everybody_writes() {
        for pid in [0, 7, 10, 4_194_304, i32::MAX] {
            let shown: Vec<u8> = digits(pid)
                .into_iter()
                .take_while(|byte| *byte != 0)
                .collect();
            assert_eq!(String::from_utf8(shown).unwrap(), pid.to_string());
        }
    }
}
