//! Signals that come two at once, that a kernel sends to one process alone, and that come behind the end.

use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{Launched, kill};
use crate::place::Place;
use crate::terminal::terminal;

/// Counts TERM, takes its time with the first one, and prints how many came.
const COUNTS: &str = "import signal, time
came = 0
def count(*_):
    global came
    came += 1
    time.sleep(0.05)
signal.signal(signal.SIGTERM, count)
print('ready', flush=True)
while not came:
    time.sleep(0.001)
time.sleep(0.1)
print(came, flush=True)
";

#[test]
fn a_signal_to_the_launcher_and_to_its_group_at_once_is_one() {
    let place = Place::new();
    place.file("counts.py", COUNTS);
    for _ in 0..6 {
        let mut command = place.command();
        command
            .args(["run", "python3", "counts.py"])
            .process_group(0);
        let mut launched = Launched::of(&mut command);
        // As `timeout` does, so that one who left the group has it, too.
        kill(launched.pid(), libc::SIGTERM);
        kill(-launched.pid(), libc::SIGTERM);
        assert_eq!(launched.line(), "1");
        assert_eq!(launched.launcher.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_terminal_that_goes_away_hangs_up_on_the_program() {
    let place = Place::new();
    let (ours, theirs) = terminal();
    let mut command = place.command();
    let script = "trap 'echo hung up > said; exit 3' HUP; echo ready; while :; do sleep 0.01; done";
    command
        .args(["run", "sh", "-c", script])
        .stdin(theirs.try_clone().unwrap());
    // SAFETY: both may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            libc::ioctl(0, libc::TIOCSCTTY, 0);
            Ok(())
        });
    }
    let mut launched = Launched::of(&mut command);
    drop((ours, theirs));
    assert_eq!(launched.launcher.wait().unwrap().code(), Some(3));
    let said = std::fs::read_to_string(place.path().join("said")).unwrap();
    assert_eq!(said, "hung up\n");
}

#[test]
fn a_signal_behind_the_programs_end_leaves_its_exit_code() {
    let place = Place::new();
    // A summary that waits: nobody reads what it writes.
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGUSR1] {
        let (read, write) = std::io::pipe().unwrap();
        // SAFETY: sets the size of a pipe of this test's.
        unsafe {
            use std::os::fd::AsRawFd;
            libc::fcntl(write.as_raw_fd(), libc::F_SETPIPE_SZ, 4_096);
            let fill = [b'x'; 4_096];
            assert_eq!(
                libc::write(write.as_raw_fd(), fill.as_ptr().cast(), 4_096),
                4_096
            );
        }
        let mut launcher = place
            .command()
            .args(["run", "sh", "-c", "exit 5"])
            .stdout(Stdio::null())
            .stderr(write)
            .spawn()
            .unwrap();
        // Until it waits for its reader; some kernels don't say so.
        let end = Instant::now() + Duration::from_secs(5);
        let waits = format!("/proc/{}/wchan", launcher.id());
        while Instant::now() < end && !std::fs::read_to_string(&waits).unwrap().contains("pipe") {
            std::thread::sleep(Duration::from_millis(1));
        }
        kill(launcher.id().cast_signed(), signal);
        assert_eq!(launcher.wait().unwrap().code(), Some(5), "signal {signal}");
        drop(read);
    }
}
