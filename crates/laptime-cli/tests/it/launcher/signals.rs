//! Signals reach the program once, whoever they were meant for, and the launcher outlives them.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::kill;
use crate::place::{Left, Place};
use crate::terminal::terminal;

#[test]
fn a_signal_sent_to_the_launcher_reaches_the_program() {
    let place = Place::new();
    let script = "trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
    let mut launcher = place
        .command()
        .args(["run", "sh", "-c", script])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(launcher.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    kill(launcher.id() as i32, libc::SIGTERM);
    out.read_to_string(&mut line).unwrap();
    assert_eq!(line, "ready\nasked\n");
    assert_eq!(launcher.wait().unwrap().code(), Some(7));
    assert_eq!(
        place.run_info(".laptime/runs/sh-1.lap").end.unwrap().code,
        Some(7)
    );
}

#[test]
fn a_signal_sent_to_the_whole_group_reaches_the_program_once() {
    let place = Place::new();
    // Each signal is a byte in a pipe, written where it arrives: Python's own handlers would put
    // several into one.
    place.file(
        "counts.py",
        "import os, signal, time
ours, its = os.pipe2(os.O_NONBLOCK)
signal.set_wakeup_fd(its)
signal.signal(signal.SIGTERM, lambda *_: None)
os.write(1, b'ready\\n')
seen = b''
until = time.monotonic() + 60
while time.monotonic() < until:  # awake, so that it takes each as it comes
    try:
        seen += os.read(ours, 100)
        until = min(until, time.monotonic() + 0.3)
    except BlockingIOError:
        pass
print(len(seen))
",
    );
    for _ in 0..4 {
        let mut launcher = place
            .command()
            .args(["run", "python3", "counts.py"])
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(launcher.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        // Until the launcher waits for the program's end.
        let stat = format!("/proc/{}/stat", launcher.id());
        while !std::fs::read_to_string(&stat).unwrap().contains(") S ") {
            std::thread::yield_now();
        }
        kill(-(launcher.id() as i32), libc::SIGTERM);
        out.read_to_string(&mut line).unwrap();
        assert_eq!(line, "ready\n1\n");
        assert_eq!(launcher.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn a_program_that_stopped_itself_goes_on_when_the_launcher_is_continued() {
    let place = Place::new();
    let mut launcher = place
        .command()
        .args(["run", "sh", "-c", "kill -STOP $$; echo went on"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut out = launcher.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).unwrap();
        text
    });
    let deadline = Instant::now() + Duration::from_mins(1);
    let end = loop {
        // When it has stopped is not known: asked until it is.
        std::thread::sleep(Duration::from_millis(20));
        kill(launcher.id() as i32, libc::SIGCONT);
        if let Some(end) = launcher.try_wait().unwrap() {
            break end;
        }
        assert!(Instant::now() < deadline, "the program is still stopped");
    };
    assert_eq!(end.code(), Some(0));
    assert_eq!(reader.join().unwrap(), "went on\n");
}

#[test]
fn control_c_interrupts_the_program_once_and_the_summary_still_comes() {
    let place = Place::new();
    place.file(
        "asks.py",
        "import os, signal, time
interrupts = 0
def count(*_):
    global interrupts
    interrupts += 1
    os.write(1, b'interrupt %d\\n' % interrupts)
signal.signal(signal.SIGINT, count)
os.write(1, b'ready\\n')
while not interrupts:  # not by input: a signal just before its read would wait with it
    time.sleep(0.01)
input()
",
    );
    let (mut ours, theirs) = terminal();
    let mut command = place.command();
    command
        .args(["run", "python3", "asks.py"])
        .stdin(Stdio::from(theirs.try_clone().unwrap()))
        .stdout(Stdio::from(theirs.try_clone().unwrap()))
        .stderr(Stdio::from(theirs));
    // SAFETY: both calls are allowed between fork and exec.
    unsafe {
        command.pre_exec(|| {
            // A session of its own, with this terminal as the one that controls it.
            if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
    let mut launcher = command.spawn().unwrap();
    drop(command);
    let mut seen = String::new();
    let mut bytes = [0; 4_096];
    let mut typed = [("ready", "\x03"), ("interrupt 1", "\n")]
        .into_iter()
        .peekable();
    while let Ok(count @ 1..) = ours.read(&mut bytes) {
        seen += &String::from_utf8_lossy(&bytes[..count]);
        if typed
            .peek()
            .is_some_and(|(prompt, _)| seen.contains(prompt))
        {
            let (_, keys) = typed.next().unwrap();
            ours.write_all(keys.as_bytes()).unwrap();
        }
    }
    assert_eq!(launcher.wait().unwrap().code(), Some(0), "{seen}");
    assert!(!seen.contains("interrupt 2"), "{seen}");
    assert!(
        seen.contains("recording: .laptime/runs/python3-1.lap"),
        "{seen}"
    );
}

#[test]
fn a_signal_that_was_ignored_stays_ignored_for_the_program() {
    let place = Place::new();
    let mut command = place.command();
    command.args([
        "run",
        "sh",
        "-c",
        "kill -HUP $$; kill -HUP $PPID; echo went on",
    ]);
    // SAFETY: allowed between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGHUP, libc::SIG_IGN);
            Ok(())
        });
    }
    let left: Left = command.output().unwrap().into();
    assert_eq!(
        (left.code, left.out.as_str()),
        (0, "went on\n"),
        "{}",
        left.err
    );
}
