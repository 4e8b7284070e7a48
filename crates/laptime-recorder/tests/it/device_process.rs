//! The process's own timing of devices: joined late, handed to a child, and gone at exit.
//!
//! Each test is in a process of its own, as the timing is one per process.

use std::time::Duration;

use laptime_core::{NoDeviceTime, PathId, Span};
use laptime_fakes::Fake;
use laptime_recorder::clock::monotonic_ns;
use laptime_recorder::device::here::Place;
use laptime_recorder::device::{
    self, Absent, Begun, Closed, Known, Stream, Subject, flush, is_on, reason, take, turn_off,
};
use laptime_recorder::time_on_devices_with as turn_on_with;

use crate::own_process;

const MS: u64 = 1_000_000;

const DEFAULT: Place = Place {
    device: 0,
    stream: Stream(0),
};

fn begin() -> Option<Begun> {
    device::begin(DEFAULT.stream)
}

/// The span closes, and has this path. What was learnt of others by then, if it was time to look.
fn end(begun: Begun, path: u32) -> Known {
    let mut learnt = Known::default();
    if let Some(over) = device::end(begun, monotonic_ns, |known| learnt = known) {
        let span = Span::plain(PathId(path), 0, 0, 0);
        device::closed(Subject::Span(Closed::new(DEFAULT, &span)), over);
    }
    learnt
}

/// Paths and nanoseconds, or why there are none.
fn told(known: &Known) -> Vec<(u32, Result<u64, NoDeviceTime>)> {
    let spans = known.spans.iter();
    spans
        .map(|span| (span.path.0, span.times.map(|times| times.duration_ns)))
        .collect()
}

#[test]
fn off_nothing_begins_and_no_driver_is_called() {
    own_process::run(|| {
        let fake = Fake::new();
        fake.use_device(0);
        assert!(!is_on());
        assert!(begin().is_none());
        assert!(take().is_empty());
        assert!(reason().is_none());
        assert!(fake.take_log().is_empty());
    });
}

#[test]
fn a_device_is_timed_from_its_first_use_on() {
    own_process::run(|| {
        let fake = Fake::new();
        turn_on_with(fake.path().as_os_str());
        assert!(is_on());
        assert!(begin().is_none());
        assert_eq!(reason(), Some(Absent::NotInitialized));
        fake.initialize();
        assert!(begin().is_none());
        assert_eq!(reason(), Some(Absent::NoContext));
        fake.use_device(0);
        let begun = begin().unwrap();
        assert_eq!(reason(), None);
        fake.work(0, 3 * MS);
        end(begun, 1);
        assert!(take().is_empty());
        fake.advance(3 * MS);
        assert_eq!(told(&take()), [(1, Ok(3 * MS))]);
        turn_off();
        assert!(begin().is_none());
    });
}

#[test]
fn without_a_driver_the_answer_stays_and_nothing_is_asked_again() {
    own_process::run(|| {
        let fake = Fake::new();
        fake.use_device(0);
        fake.set_devices(0);
        turn_on_with(fake.path().as_os_str());
        assert!(begin().is_none());
        assert_eq!(reason(), Some(Absent::NoDevice));
        assert!(!is_on());
        fake.take_log();
        turn_on_with(fake.path().as_os_str());
        assert!(begin().is_none());
        assert!(fake.take_log().is_empty());
    });
}

#[test]
fn only_a_flush_waits_and_no_longer_than_told() {
    own_process::run(|| {
        let fake = Fake::new();
        fake.use_device(0);
        turn_on_with(fake.path().as_os_str());
        let done = begin().unwrap();
        fake.work(0, MS);
        end(done, 1);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| flush(Duration::from_mins(10)));
            // The device's clock stands still until the test lets it go on.
            fake.advance(MS);
            assert_eq!(told(&waits.join().unwrap()), [(1, Ok(MS))]);
        });
        let late = begin().unwrap();
        fake.work(0, MS);
        end(late, 2);
        let still_runs = [(2, Err(NoDeviceTime::StillRunning))];
        assert_eq!(told(&flush(Duration::ZERO)), still_runs);
        let log = fake.take_log();
        assert!(!log.iter().any(|call| call.contains("Synchronize")));
    });
}

#[test]
fn a_forked_child_never_touches_the_driver() {
    own_process::run(|| {
        let fake = Fake::new();
        fake.use_device(0);
        turn_on_with(fake.path().as_os_str());
        let open = begin().unwrap();
        let pending = begin().unwrap();
        end(pending, 1);
        fake.take_log();
        // SAFETY: the child runs what follows and leaves at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let new = begin();
            end(open, 2);
            turn_on_with(fake.path().as_os_str());
            let is_quiet = new.is_none()
                && begin().is_none()
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
        let mut all = told(&end(open, 2));
        fake.advance(MS);
        all.extend(told(&take()));
        assert_eq!(all, [(1, Ok(0)), (2, Ok(MS))]);
    });
}

#[test]
fn a_child_forked_before_the_device_was_used_has_its_own_timing() {
    own_process::run(|| {
        let fake = Fake::new();
        turn_on_with(fake.path().as_os_str());
        assert!(begin().is_none());
        // SAFETY: the child runs what follows and leaves at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            fake.use_device(0);
            let is_timed = begin().is_some() && reason().is_none();
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(!is_timed)) };
        }
        let mut status = 0;
        // SAFETY: a place to write to.
        let waited = unsafe { libc::waitpid(child, &raw mut status, 0) };
        assert_eq!((waited, status), (child, 0));
    });
}

#[test]
fn a_driver_that_shut_down_at_exit_is_quiet() {
    own_process::run(|| {
        let fake = Fake::new();
        fake.use_device(0);
        turn_on_with(fake.path().as_os_str());
        let pending = begin().unwrap();
        fake.work(0, MS);
        end(pending, 1);
        let open = begin().unwrap();
        fake.fail_from_now(4);
        // The first span is told here already where it was time to look.
        let mut all = told(&end(open, 2));
        assert!(!is_on());
        assert!(begin().is_none());
        assert_eq!(reason(), Some(Absent::Ended));
        fake.take_log();
        all.extend(told(&flush(Duration::from_mins(10))));
        all.sort_by_key(|&(path, _)| path);
        let gone = Err(NoDeviceTime::Gone);
        assert_eq!(all, [(1, gone), (2, gone)]);
        assert!(fake.take_log().is_empty());
    });
}
