//! A stream whose queue is full: the thread that records there waits, and nobody else does.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::thread;

use laptime_fakes::Fake;
use laptime_recorder::device::cuda::Cuda;
use laptime_recorder::device::driver::Stream;
use laptime_recorder::device::enqueue::{Begun, Enqueuer};
use laptime_recorder::device::pair::Times;
use laptime_recorder::device::pairs::Pairs;
use laptime_recorder::device::reason::Untimed;
use laptime_recorder::device::wishes;

use crate::own_process;

const MS: u64 = 1_000_000;

/// How often others were let on.
static LET_ON: AtomicUsize = AtomicUsize::new(0);

/// How long others run before it is a thread's turn again.
static TURN_NS: AtomicU64 = AtomicU64::new(0);
static FAKE: OnceLock<Fake> = OnceLock::new();

fn let_others_on(wait: &mut dyn FnMut()) {
    LET_ON.fetch_add(1, SeqCst);
    wait();
    if let Some(fake) = FAKE.get() {
        fake.advance(TURN_NS.load(SeqCst));
    }
}

/// What was learnt since the last time.
fn taken(pairs: &mut Pairs<Cuda, ()>) -> Vec<Result<Times, Untimed>> {
    let mut all = Vec::new();
    pairs.take(|(), times| all.push(times.clone()));
    all
}

/// One test, as who lets others on is one for the process.
#[test]
fn one_thread_waits_for_a_full_queue_and_spans_on_other_streams_go_on() {
    own_process::run(|| {
        let fake = FAKE.get_or_init(Fake::new);
        fake.use_device(0);
        let (full, free) = (Stream(fake.stream()), Stream(fake.stream()));
        let cuda = Cuda::join(fake.path().as_os_str()).unwrap();
        let spans = Enqueuer::<Cuda, ()>::new(cuda);
        let open = |stream: Stream| spans.begin(stream, || fake.now());
        let end_at = |begun: Begun<()>, all_streams: bool| {
            let over = spans.end(begun, || fake.now(), all_streams);
            spans.closed((), over);
        };
        let span = |stream: Stream| end_at(open(stream), false);
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
            let read = spans.with(|pairs| {
                pairs.drain(fake.now());
                taken(pairs).len()
            });
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
        // A stream that was idle just now can't be full yet: it isn't asked again at the next start.
        span(free);
        let asked = fake.take_log();
        let asked = asked.iter().filter(|call| *call == "cuStreamQuery").count();
        assert_eq!(asked, 1, "at its end alone");
        // But where events are made others run meanwhile, so it is.
        let many: Vec<_> = (0..8)
            .map(|_| {
                span(free);
                fake.take_log();
                let begun = open(free);
                let log = fake.take_log();
                let makes = log.iter().any(|call| call == "cuEventCreate");
                let asks = log.iter().any(|call| call == "cuStreamQuery");
                assert_eq!(makes, asks, "{log:?}");
                (begun, makes)
            })
            .collect();
        assert!(many.iter().any(|(_, makes)| *makes));
        for (begun, _) in many {
            end_at(begun, false);
        }
        fake.advance(MS);
        // Events that are free again need not be made.
        spans.with(|pairs| pairs.drain(fake.now()));
        LET_ON.store(0, SeqCst);
        fake.work(free.0, MS);
        span(free);
        assert_eq!(LET_ON.load(SeqCst), 2, "its start and its end");

        // A turn of others is in no span's time, nor in how late the device began it.
        spans.with(taken);
        fake.work(free.0, MS);
        TURN_NS.store(6 * MS, SeqCst);
        let began_ns = fake.now();
        let begun = open(free);
        TURN_NS.store(0, SeqCst);
        fake.work(free.0, MS);
        end_at(begun, false);
        fake.advance(MS);
        let now = fake.now();
        let outcomes = spans.with(|pairs| {
            pairs.drain(now);
            taken(pairs)
        });
        let times = outcomes.into_iter().next_back().unwrap().unwrap();
        assert_eq!(times.duration_ns, MS);
        let place = times.place.unwrap();
        assert!(place.started_ns >= began_ns, "{place:?}");
        assert_eq!(place.lag_ns, 0, "{place:?}");

        // Spans that end at all streams let others on while one of these is behind, and only then.
        spans.see(full);
        let ends_at_all = || end_at(open(free), true);
        let before = LET_ON.load(SeqCst);
        ends_at_all();
        let idle = LET_ON.load(SeqCst);
        fake.work(full.0, MS);
        ends_at_all();
        assert!(LET_ON.load(SeqCst) > idle, "the other stream is behind");
        fake.advance(MS);
        let made = idle - before;
        assert!(made <= 1, "events are made apart, once");
    });
}
