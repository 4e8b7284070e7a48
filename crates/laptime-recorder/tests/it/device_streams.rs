//! Spans that end at the last of all streams, on a fake driver with a virtual clock.

use laptime_fakes::{Fake, GLOBAL};
use laptime_recorder::device::cuda::Cuda;
use laptime_recorder::device::driver::Stream;
use laptime_recorder::device::enqueue::{self, Enqueuer};
use laptime_recorder::device::pair::Times;
use laptime_recorder::device::pairs::Pairs;
use laptime_recorder::device::pool;
use laptime_recorder::device::reason::Untimed;

type Begun = enqueue::Begun<()>;

const MS: u64 = 1_000_000;

/// A program that uses two streams that never end, and is at one of them.
struct Program {
    fake: Fake,
    pairs: Enqueuer<Cuda, ()>,
    own: usize,
    other: usize,
    now: u64,
}

impl Program {
    /// Reads what is complete.
    fn drain(&self) {
        self.pairs.with(|pairs| pairs.drain(self.now));
    }

    fn new() -> Self {
        let fake = Fake::new();
        fake.use_device(0);
        let cuda = Cuda::join(fake.path().as_os_str()).unwrap();
        let pairs = Enqueuer::new(cuda);
        let (own, other) = (fake.stream(), fake.stream());
        pairs.see(Stream(own));
        pairs.see(Stream(other));
        fake.take_log();
        Self {
            fake,
            pairs,
            own,
            other,
            now: 77_000 * MS,
        }
    }

    fn begin(&self) -> Begun {
        self.pairs.begin(Stream(self.own), || self.now)
    }

    fn end(&self, begun: Begun, all_streams: bool) {
        let over = self.pairs.end(begun, || self.now, all_streams);
        self.pairs.closed((), over);
    }

    fn pass(&mut self, ns: u64) {
        self.fake.advance(ns);
        self.now += ns;
    }

    /// A span that enqueues work on its own stream, and on the other.
    fn span(&mut self, own_ns: u64, other_ns: u64) {
        let begun = self.begin();
        self.fake.work(self.own, own_ns);
        self.fake.work(self.other, other_ns);
        self.end(begun, true);
    }

    fn only(&mut self) -> Result<Times, Untimed> {
        self.drain();
        let mut outcomes: Vec<_> = self.pairs.with(taken);
        assert_eq!(outcomes.len(), 1, "{outcomes:?}");
        outcomes.remove(0)
    }
}

/// What was learnt since the last time.
fn taken(pairs: &mut Pairs<Cuda, ()>) -> Vec<Result<Times, Untimed>> {
    let mut all = Vec::new();
    pairs.take(|(), times| all.push(times.clone()));
    all
}

#[test]
fn a_span_ends_when_the_last_of_its_streams_is_done() {
    let mut program = Program::new();
    program.span(2 * MS, 7 * MS);
    program.pass(7 * MS - 1);
    program.drain();
    assert_eq!(
        program.pairs.with(|pairs| pairs.pending()),
        1,
        "the other stream still works"
    );
    program.pass(1);
    let times = program.only().unwrap();
    assert_eq!(times.duration_ns, 7 * MS);
    let place = times.place.unwrap();
    assert_eq!((place.lag_ns, place.tail.most_ns), (0, 7 * MS));
}

#[test]
fn a_stream_that_is_done_earlier_changes_nothing() {
    let mut program = Program::new();
    program.fake.work(program.own, 50 * MS);
    program.span(2 * MS, 0);
    program.pass(52 * MS);
    assert_eq!(program.only().unwrap().duration_ns, 2 * MS);
}

#[test]
fn no_stream_is_made_to_wait_for_another() {
    let mut program = Program::new();
    program.span(2 * MS, 7 * MS);
    let log = program.fake.take_log();
    assert!(!log.iter().any(|call| call.contains("Wait")), "{log:?}");
    let records = log.iter().filter(|call| *call == "cuEventRecord");
    // Begin, an anchor, an end, and one on the other stream.
    assert_eq!(records.count(), 4);
}

#[test]
fn spans_that_end_at_their_own_stream_do_not_see_the_others() {
    let mut program = Program::new();
    let begun = program.begin();
    program.fake.work(program.other, 9 * MS);
    program.end(begun, false);
    program.pass(MS);
    assert_eq!(program.only().unwrap().duration_ns, 0);
}

#[test]
fn a_stream_that_the_driver_refuses_is_forgotten_and_its_event_used_again() {
    let mut program = Program::new();
    program.fake.destroy_stream(program.other);
    for _ in 0..3 {
        program.span(2 * MS, 0);
        program.pass(2 * MS);
        assert_eq!(program.only().unwrap().duration_ns, 2 * MS);
    }
    program.fake.take_log();
    program.span(2 * MS, 0);
    let log = program.fake.take_log();
    let records = log.iter().filter(|call| *call == "cuEventRecord");
    assert_eq!(records.count(), 2, "nothing is recorded there any more");
    assert!(
        program.pairs.with(|pairs| pairs.events()) <= 4,
        "{}",
        program.pairs.with(|pairs| pairs.events())
    );
}

#[test]
fn a_stream_that_is_captured_is_left_out_and_its_capture_stays_whole() {
    let mut program = Program::new();
    program.fake.begin_capture(program.other, GLOBAL);
    program.span(2 * MS, 9 * MS);
    assert!(program.fake.end_capture(program.other));
    program.pass(2 * MS);
    assert_eq!(program.only().unwrap().duration_ns, 2 * MS);
}

#[test]
fn streams_of_another_device_are_left_out() {
    let mut program = Program::new();
    program.fake.use_device(1);
    let far = program.fake.stream();
    program.pairs.see(Stream(far));
    program.fake.work(far, 90 * MS);
    program.fake.use_device(0);
    program.span(2 * MS, 3 * MS);
    program.pass(3 * MS);
    assert_eq!(program.only().unwrap().duration_ns, 3 * MS);
}

#[test]
fn spans_that_wait_stay_within_the_bound_of_the_pool_and_none_is_lost() {
    let mut program = Program::new();
    for _ in 0..8_000 {
        program.span(1_000, 1_000);
    }
    assert_eq!(program.fake.most_events(), pool::MOST);
    program.pass(100 * MS);
    program.drain();
    let outcomes: Vec<_> = program.pairs.with(taken);
    assert_eq!(outcomes.len(), 8_000);
    let timed = outcomes.iter().filter(|times| times.is_ok());
    assert_eq!(timed.count(), (pool::MOST - 1) / 3);
    program.span(MS, MS);
    program.pass(MS);
    assert!(program.only().is_ok(), "there is room again");
}
