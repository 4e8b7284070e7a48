//! A stream whose queue is full: the thread that records there waits, and nobody else does.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use laptime_fakes::Fake;
use laptime_recorder::device::cuda::Cuda;
use laptime_recorder::device::driver::Stream;
use laptime_recorder::device::enqueue::Enqueuer;
use laptime_recorder::device::wishes;

const MS: u64 = 1_000_000;

/// How often others were let on.
static LET_ON: AtomicUsize = AtomicUsize::new(0);

fn let_others_on(wait: &mut dyn FnMut()) {
    LET_ON.fetch_add(1, SeqCst);
    wait();
}

/// One test, as who lets others on is one for the process.
#[test]
fn one_thread_waits_for_a_full_queue_and_spans_on_other_streams_go_on() {
    let fake = Fake::new();
    fake.use_device(0);
    let (full, free) = (Stream(fake.stream()), Stream(fake.stream()));
    let cuda = Cuda::join(fake.path().as_os_str()).unwrap();
    let spans = Enqueuer::new(cuda);
    let span = |stream: Stream| {
        let token = spans.begin(stream, 0);
        spans.end(token, 0, false, |_| ());
    };
    span(full);
    fake.work(full.0, 5 * MS);
    fake.fill_queues(true);
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            fake.use_device(0);
            span(full);
        });
        while fake.waiting_threads() == 0 {
            thread::yield_now();
        }
        span(free);
        let is_waiting = !waits.is_finished();
        let read = spans.with(|pairs| pairs.take().count());
        // Before anything may fail: the thread would wait for ever.
        fake.advance(5 * MS);
        assert!(is_waiting);
        assert_eq!(read, 2, "the one before, and the free one");
    });
    fake.fill_queues(false);

    // With nobody to let on nothing was asked; from now on others run while a stream is behind, and only then.
    fake.take_log();
    wishes::wait_by(let_others_on);
    span(free);
    assert_eq!(LET_ON.load(SeqCst), 0, "an idle stream takes what comes");
    assert!(fake.take_log().iter().any(|call| call == "cuStreamQuery"));
    fake.work(free.0, MS);
    span(free);
    assert_eq!(LET_ON.load(SeqCst), 2, "its start and its end");
}
