//! The process's own timing of devices: joined late, handed to a child, and gone at exit.
//!
//! Each test is a process of its own, as the timing is one per process: the test starts this program
//! again with the name of what to do.

use std::process::Command;
use std::time::Duration;

use laptime_fakes::Fake;
use laptime_recorder::device::{
    self, Absent, Stream, Untimed, begin, end, flush, is_on, reason, take, turn_off,
};
use laptime_recorder::time_on_devices_with as turn_on_with;

const MS: u64 = 1_000_000;

/// Runs one of these tests' inner parts in a process of its own.
fn in_a_process(part: &str) {
    let left = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", part])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&left.stdout);
    let errors = String::from_utf8_lossy(&left.stderr);
    assert!(left.status.success(), "{text}\n{errors}");
    assert!(text.contains("1 passed"), "{text}");
    assert!(!errors.contains("laptime"), "{errors}");
}

#[test]
fn off_there_is_no_token_and_no_driver() {
    in_a_process("inner_off");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_off() {
    let fake = Fake::new();
    fake.use_device(0);
    assert!(!is_on());
    assert!(begin(Stream(0)).is_none());
    assert!(take().is_empty());
    assert!(reason().is_none());
    assert!(fake.take_log().is_empty());
}

#[test]
fn a_device_is_timed_from_its_first_use_on() {
    in_a_process("inner_first_use");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_first_use() {
    let fake = Fake::new();
    turn_on_with(fake.path().as_os_str());
    assert!(is_on());
    assert!(begin(Stream(0)).is_none());
    assert_eq!(reason(), Some(Absent::NotInitialized));
    fake.initialize();
    assert!(begin(Stream(0)).is_none());
    assert_eq!(reason(), Some(Absent::NoContext));
    fake.use_device(0);
    let token = begin(Stream(0)).unwrap();
    assert_eq!(reason(), None);
    fake.work(0, 3 * MS);
    end(token);
    assert!(take().is_empty());
    fake.advance(3 * MS);
    let outcomes = take();
    assert_eq!(outcomes[0].0, token);
    assert_eq!(outcomes[0].1.as_ref().unwrap().duration_ns, 3 * MS);
    turn_off();
    assert!(begin(Stream(0)).is_none());
}

#[test]
fn without_a_driver_the_answer_stays_and_nothing_is_asked_again() {
    in_a_process("inner_absent");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_absent() {
    let fake = Fake::new();
    fake.use_device(0);
    fake.set_devices(0);
    turn_on_with(fake.path().as_os_str());
    assert!(begin(Stream(0)).is_none());
    assert_eq!(reason(), Some(Absent::NoDevice));
    assert!(!is_on());
    fake.take_log();
    turn_on_with(fake.path().as_os_str());
    assert!(begin(Stream(0)).is_none());
    assert!(fake.take_log().is_empty());
}

#[test]
fn only_a_flush_waits_and_no_longer_than_told() {
    in_a_process("inner_flush");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_flush() {
    let fake = Fake::new();
    fake.use_device(0);
    turn_on_with(fake.path().as_os_str());
    let done = begin(Stream(0)).unwrap();
    fake.work(0, MS);
    end(done);
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| flush(Duration::from_mins(10)));
        // The device's clock stands still until the test lets it go on.
        fake.advance(MS);
        let outcomes = waits.join().unwrap();
        assert_eq!(outcomes[0].1.as_ref().unwrap().duration_ns, MS);
    });
    let late = begin(Stream(0)).unwrap();
    fake.work(0, MS);
    end(late);
    assert_eq!(flush(Duration::ZERO), [(late, Err(Untimed::StillRunning))]);
    let log = fake.take_log();
    assert!(!log.iter().any(|call| call.contains("Synchronize")));
}

#[test]
fn a_forked_child_never_touches_the_driver() {
    in_a_process("inner_fork");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_fork() {
    let fake = Fake::new();
    fake.use_device(0);
    turn_on_with(fake.path().as_os_str());
    let open = begin(Stream(0)).unwrap();
    let pending = begin(Stream(0)).unwrap();
    end(pending);
    fake.take_log();
    // SAFETY: the child runs what follows and leaves at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let new = begin(Stream(0));
        end(open);
        device::forget(pending);
        turn_on_with(fake.path().as_os_str());
        let is_quiet = new.is_none()
            && begin(Stream(0)).is_none()
            && take().is_empty()
            && flush(Duration::from_mins(10)).is_empty()
            && reason() == Some(Absent::Forked)
            && fake.take_log().is_empty();
        // SAFETY: leaves without handlers, which are the parent's.
        unsafe { libc::_exit(i32::from(!is_quiet)) };
    }
    let mut status = 0;
    // SAFETY: a place to write to.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!((waited, status), (child, 0));
    // The parent goes on as if nothing had been.
    fake.work(0, MS);
    end(open);
    fake.advance(MS);
    let outcomes = take();
    assert_eq!(outcomes.len(), 2);
    assert_eq!(outcomes[1].1.as_ref().unwrap().duration_ns, MS);
}

#[test]
fn a_child_forked_before_the_device_was_used_has_its_own_timing() {
    in_a_process("inner_early_fork");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_early_fork() {
    let fake = Fake::new();
    turn_on_with(fake.path().as_os_str());
    assert!(begin(Stream(0)).is_none());
    // SAFETY: the child runs what follows and leaves at once.
    let child = unsafe { libc::fork() };
    if child == 0 {
        fake.use_device(0);
        let is_timed = begin(Stream(0)).is_some() && reason().is_none();
        // SAFETY: as above.
        unsafe { libc::_exit(i32::from(!is_timed)) };
    }
    let mut status = 0;
    // SAFETY: a place to write to.
    let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!((waited, status), (child, 0));
}

#[test]
fn a_driver_that_shut_down_at_exit_is_quiet() {
    in_a_process("inner_exit");
}

#[test]
#[ignore = "in a process of its own"]
fn inner_exit() {
    let fake = Fake::new();
    fake.use_device(0);
    turn_on_with(fake.path().as_os_str());
    let pending = begin(Stream(0)).unwrap();
    fake.work(0, MS);
    end(pending);
    let open = begin(Stream(0)).unwrap();
    fake.fail_from_now(4);
    end(open);
    assert!(!is_on());
    assert!(begin(Stream(0)).is_none());
    assert_eq!(reason(), Some(Absent::Ended));
    fake.take_log();
    let outcomes = flush(Duration::from_mins(10));
    let ended = Err(Untimed::Absent(Absent::Ended));
    assert_eq!(outcomes, [(open, ended.clone()), (pending, ended)]);
    assert!(fake.take_log().is_empty());
}
