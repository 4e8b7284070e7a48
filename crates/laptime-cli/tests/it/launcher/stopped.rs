//! The launcher stops as its program stops, and goes on with it: a shell sees what it would see alone.

use std::os::unix::process::CommandExt;
use std::process::Stdio;

use rustix::process::{Pid, WaitOptions, waitpid};

use super::{Launched, kill, until_is};
use crate::place::Place;
use crate::terminal::terminal;

/// Waits until a child stops or ends: by which signal, or with which code.
fn change(pid: i32) -> Result<i32, i32> {
    let (_, status) = waitpid(Pid::from_raw(pid), WaitOptions::UNTRACED)
        .unwrap()
        .unwrap();
    match status.stopping_signal() {
        Some(signal) => Err(signal),
        None => Ok(status.exit_status().unwrap()),
    }
}

/// A program in a group of its own that says its process id, then waits for a line.
fn waits(place: &Place) -> (Launched, i32) {
    let mut command = place.command();
    let script = "echo ready; echo $$; read line; exit 7";
    command
        .args(["run", "sh", "-c", script])
        .stdin(Stdio::piped())
        .process_group(0);
    let mut launched = Launched::of(&mut command);
    let program = launched.line().parse().unwrap();
    (launched, program)
}

#[test]
fn a_launcher_that_is_sent_a_stop_stops_with_its_program_and_goes_on_with_it() {
    let place = Place::new();
    for (signal, to_group) in [
        (libc::SIGTSTP, false),
        (libc::SIGTSTP, true),
        (libc::SIGTTIN, false),
        (libc::SIGTTOU, true),
    ] {
        let (mut launched, program) = waits(&place);
        let pid = launched.pid();
        let whom = if to_group { -pid } else { pid };
        kill(whom, signal);
        assert_eq!(change(pid), Err(signal));
        until_is(program, "T");
        kill(whom, libc::SIGCONT);
        until_is(program, "RS");
        drop(launched.launcher.stdin.take());
        assert_eq!(change(pid), Ok(7));
    }
}

#[test]
fn a_launcher_goes_on_when_somebody_continues_the_program_alone() {
    let place = Place::new();
    for signal in [libc::SIGTSTP, libc::SIGSTOP] {
        let (mut launched, program) = waits(&place);
        kill(program, signal);
        assert_eq!(change(launched.pid()), Err(signal));
        kill(program, libc::SIGCONT);
        drop(launched.launcher.stdin.take());
        assert_eq!(change(launched.pid()), Ok(7));
    }
}

#[test]
fn a_program_in_the_background_of_a_terminal_stops_only_where_it_stops_alone() {
    let place = Place::new();
    // The leader of a session that lets nobody in the background write, as `stty tostop` does. It starts its words in
    // the background, tells how they stop or end, and continues them in the foreground when they have stopped.
    place.file(
        "shell.py",
        "
import fcntl, os, signal, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
modes = termios.tcgetattr(0)
modes[3] |= termios.TOSTOP
termios.tcsetattr(0, termios.TCSANOW, modes)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
pid = os.fork()
if not pid:
    os.setpgid(0, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    _, status = os.waitpid(pid, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        break
    print('stopped', os.WSTOPSIG(status), flush=True)
    os.tcsetpgrp(0, pid)
    os.killpg(pid, signal.SIGCONT)
os.tcsetpgrp(0, os.getpid())
print('ended', os.WEXITSTATUS(status), flush=True)
",
    );
    let laptime = env!("CARGO_BIN_EXE_laptime");
    for (script, told) in [
        ("exit 3", "ended 3\n".to_owned()),
        // It reads, and is stopped for it.
        (
            "read line; exit 4",
            format!("stopped {}\nended 4\n", libc::SIGTTIN),
        ),
        // It writes, and is stopped for it.
        (
            "echo written >&2; exit 5",
            format!("stopped {}\nended 5\n", libc::SIGTTOU),
        ),
    ] {
        let (mut ours, theirs) = terminal();
        std::io::Write::write_all(&mut ours, b"\n").unwrap();
        let end = || Stdio::from(theirs.try_clone().unwrap());
        for launcher in [&[][..], &[laptime, "run"]] {
            let output = std::process::Command::new("python3")
                .arg("shell.py")
                .args(launcher)
                .args(["sh", "-c", script])
                .current_dir(place.path())
                .stdin(end())
                .stderr(end())
                .output()
                .unwrap();
            assert_eq!(
                String::from_utf8_lossy(&output.stdout),
                told,
                "{launcher:?} {script}"
            );
            std::io::Write::write_all(&mut ours, b"\n").unwrap();
        }
    }
}
