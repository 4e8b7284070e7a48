//! Pairs of events on a fake driver with a virtual clock: exact times, and nothing that waits.

use laptime_fakes::{Fake, GLOBAL, THREAD_LOCAL};
use laptime_recorder::device::cuda::Cuda;
use laptime_recorder::device::driver::Stream;
use laptime_recorder::device::enqueue::{self, Enqueuer};
use laptime_recorder::device::pair::Times;
use laptime_recorder::device::pairs::{self, Pairs};
use laptime_recorder::device::pool;
use laptime_recorder::device::reason::{Absent, Untimed};
use laptime_recorder::device::timeline::Tail;

/// A span's name here.
type Name = &'static str;
type Outcome = (Name, Result<Times, Untimed>);
type Begun = enqueue::Begun<Name>;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// A program that uses device 0, and what times it. Host and device have a clock each.
struct Program {
    fake: Fake,
    pairs: Enqueuer<Cuda, Name>,
    stream: usize,
    now: u64,
}

impl Program {
    fn new() -> Self {
        let fake = Fake::new();
        fake.use_device(0);
        let cuda = Cuda::join(fake.path().as_os_str()).unwrap();
        let stream = fake.stream();
        fake.take_log();
        Self {
            fake,
            pairs: Enqueuer::new(cuda),
            stream,
            // Not the device's.
            now: 77 * SECOND,
        }
    }

    /// Reads what is complete.
    fn drain(&self) {
        self.pairs.with(|pairs| pairs.drain(self.now));
    }

    /// Time passes, for both.
    fn pass(&mut self, ns: u64) {
        self.fake.advance(ns);
        self.now += ns;
    }

    /// A span that enqueues a kernel and closes at once.
    fn span(&mut self, kernel_ns: u64) {
        let begun = self.begin(self.stream);
        self.fake.work(self.stream, kernel_ns);
        self.end(begun, "span");
    }

    fn begin(&self, stream: usize) -> Begun {
        self.pairs.begin(Stream(stream), || self.now)
    }

    fn end(&self, begun: Begun, name: Name) {
        let over = self.pairs.end(begun, || self.now, false);
        self.pairs.closed(name, over);
    }

    fn read(&self) -> Vec<Outcome> {
        self.drain();
        self.pairs.with(taken)
    }

    fn only(&mut self) -> Result<Times, Untimed> {
        let mut outcomes = self.read();
        assert_eq!(outcomes.len(), 1, "{outcomes:?}");
        outcomes.remove(0).1
    }
}

fn taken(pairs: &mut Pairs<Cuda, Name>) -> Vec<Outcome> {
    let mut all = Vec::new();
    pairs.take(|name, times| all.push((*name, times.clone())));
    all
}

#[test]
fn a_span_takes_what_its_kernels_take_and_is_read_when_they_are_done() {
    let mut program = Program::new();
    program.span(5 * MS);
    assert!(program.read().is_empty());
    program.pass(5 * MS - 1);
    assert!(program.read().is_empty());
    program.pass(1);
    let times = program.only().unwrap();
    assert_eq!(times.duration_ns, 5 * MS);
    assert!(times.launch_bound);
}

#[test]
fn what_is_known_is_read_where_spans_are_over_whether_they_are_timed_or_not() {
    let mut program = Program::new();
    let read = |program: &Program, begun: Begun| {
        let over = program.pairs.end(begun, || program.now, false);
        let read = program.pairs.read_if_due(&over, || program.now, taken);
        program.pairs.closed("read", over);
        read
    };
    assert!(read(&program, program.begin(program.stream)).is_none());
    for _ in 1..pairs::READ_TOGETHER {
        program.span(US);
        program.pass(US);
    }
    // Before any that is refused.
    program.fake.begin_capture(program.stream, GLOBAL);
    let known = read(&program, program.begin(program.stream)).unwrap();
    assert_eq!(known.len(), pairs::READ_TOGETHER);
    // Why a span has no time is known at once, and told with the next one.
    let known = read(&program, program.begin(program.stream)).unwrap();
    assert_eq!(known, [("read", Err(Untimed::Captured))]);
    assert!(program.fake.end_capture(program.stream));
    program.span(US);
    program.pass(6 * MS);
    assert_eq!(program.read().len(), 2);
}

#[test]
fn nothing_waits_and_no_context_is_made_between_the_begin_and_the_end_of_anything() {
    let mut program = Program::new();
    for _ in 0..20 {
        program.span(MS);
        program.pass(MS / 2);
        program.read();
    }
    program.pass(20 * MS);
    program.read();
    let log = program.fake.take_log();
    assert!(log.iter().any(|call| call == "cuEventRecord"));
    for call in &log {
        let is_bad = ["Synchronize", "Retain", "CtxCreate", "cuInit"];
        assert!(!is_bad.iter().any(|bad| call.contains(bad)), "{call}");
    }
}

#[test]
fn nested_spans_have_their_own_times() {
    let mut program = Program::new();
    let outer = program.begin(program.stream);
    program.fake.work(program.stream, 2 * MS);
    let inner = program.begin(program.stream);
    program.fake.work(program.stream, 3 * MS);
    program.end(inner, "inner");
    program.fake.work(program.stream, 4 * MS);
    program.end(outer, "outer");
    program.pass(9 * MS);
    let times: Vec<_> = program
        .read()
        .into_iter()
        .map(|(name, times)| (name, times.unwrap().duration_ns))
        .collect();
    assert_eq!(times, [("inner", 3 * MS), ("outer", 9 * MS)]);
}

#[test]
fn streams_do_not_wait_for_each_other() {
    let mut program = Program::new();
    let quick = program.fake.stream();
    program.span(100 * MS);
    let begun = program.begin(quick);
    program.fake.work(quick, MS);
    program.end(begun, "quick");
    program.pass(MS);
    let outcomes = program.read();
    assert_eq!(outcomes.len(), 1);
    assert_eq!(outcomes[0].0, "quick");
    assert_eq!(outcomes[0].1.as_ref().unwrap().duration_ns, MS);
    assert_eq!(program.pairs.with(|pairs| pairs.pending()), 1);
}

#[test]
fn launch_bound_is_a_device_that_waits_for_the_host_and_not_one_with_a_backlog() {
    let mut program = Program::new();
    program.fake.work(program.stream, 50 * MS);
    program.span(MS);
    program.pass(51 * MS);
    assert!(!program.only().unwrap().launch_bound);
    program.span(MS);
    program.pass(MS);
    assert!(program.only().unwrap().launch_bound);
}

#[test]
fn the_tail_is_how_far_the_host_ran_ahead() {
    let mut program = Program::new();
    // An idle device ties the clocks together.
    program.span(MS);
    program.pass(MS);
    let place = program.only().unwrap().place.unwrap();
    assert_eq!((place.tail.least_ns, place.tail.most_ns), (MS, MS));
    program.fake.work(program.stream, 30 * MS);
    program.span(10 * MS);
    let began = program.now;
    program.pass(100 * MS);
    let place = program.only().unwrap().place.unwrap();
    let exact = Tail {
        least_ns: 40 * MS,
        most_ns: 40 * MS,
    };
    assert_eq!(place.tail, exact);
    assert_eq!(place.started_ns, began + 30 * MS);
}

#[test]
fn ten_microseconds_are_ten_microseconds_an_hour_after_the_first_anchor() {
    let mut program = Program::new();
    for _ in 0..3_600 {
        program.span(10 * US);
        program.pass(SECOND);
        let times = program.only().unwrap();
        assert_eq!(times.duration_ns, 10 * US);
    }
    // An idle device ties the clocks together again, and then there is a backlog.
    program.span(10 * US);
    program.pass(MS);
    program.only().unwrap();
    let began = program.now;
    program.fake.work(program.stream, 130 * US);
    program.span(10 * US);
    program.pass(MS);
    let place = program.only().unwrap().place.unwrap();
    // Told to the rounding of an anchor that is a second old, where an hour would round to 250 µs.
    assert!(
        place.started_ns.abs_diff(began + 130 * US) <= 200,
        "{place:?}"
    );
    // Two events of a pair, and anchors of one stream, used again and again.
    assert!(
        program.fake.most_events() <= 4,
        "{}",
        program.fake.most_events()
    );
}

#[test]
fn after_a_long_pause_a_new_line_begins_and_places_are_right_again() {
    let mut program = Program::new();
    program.span(MS);
    program.pass(3_600 * SECOND);
    program.only().unwrap();
    let began = program.now;
    program.span(MS);
    program.pass(MS);
    let place = program.only().unwrap().place.unwrap();
    assert_eq!(place.started_ns, began);
    assert_eq!(place.tail.least_ns, MS);
}

#[test]
fn ten_thousand_spans_that_wait_stay_within_the_bound_of_the_pool() {
    let mut program = Program::new();
    for _ in 0..10_000 {
        program.span(US);
    }
    // Pairs and one anchor: no half of a pair is made.
    assert_eq!(program.pairs.with(|pairs| pairs.events()), pool::MOST - 1);
    assert_eq!(program.fake.most_events(), pool::MOST - 1);
    program.pass(SECOND);
    let outcomes = program.read();
    assert_eq!(outcomes.len(), 10_000);
    let (timed, untimed): (Vec<_>, Vec<_>) =
        outcomes.into_iter().partition(|(_, times)| times.is_ok());
    assert_eq!(timed.len(), pool::MOST / 2 - 1);
    for (_, times) in timed {
        assert_eq!(times.unwrap().duration_ns, US);
    }
    let most = pool::MOST;
    for (_, times) in untimed {
        assert_eq!(times, Err(Untimed::TooManyPending { most }));
    }
    // There is room again.
    program.span(US);
    program.pass(US);
    assert!(program.only().is_ok());
}

#[test]
fn a_capture_survives_spans_on_every_stream_and_a_naive_query_kills_it() {
    let mut program = Program::new();
    let captured = program.fake.stream();
    for mode in [GLOBAL, THREAD_LOCAL] {
        program.span(MS);
        program.fake.begin_capture(captured, mode);
        let inside = program.begin(captured);
        program.end(inside, "inside");
        // Another stream goes on, events are made, and what is complete is read.
        program.pass(MS);
        for _ in 0..10 {
            program.span(MS);
        }
        program.pass(10 * MS);
        let outcomes = program.read();
        assert!(program.fake.end_capture(captured), "broken in mode {mode}");
        let untimed: Vec<_> = outcomes.iter().filter(|(_, one)| one.is_err()).collect();
        assert_eq!(untimed, [&("inside", Err(Untimed::Captured))]);
        assert_eq!(outcomes.len(), 12);
    }
    let event = program.fake.event(program.stream);
    program.fake.begin_capture(captured, GLOBAL);
    std::thread::scope(|scope| {
        let query = scope.spawn(|| program.fake.naive_query(event));
        assert_eq!(query.join().unwrap(), 900);
    });
    assert!(!program.fake.end_capture(captured));
}

#[test]
fn another_threads_reading_leaves_a_capture_of_global_mode_whole() {
    let mut program = Program::new();
    program.span(MS);
    program.pass(MS);
    program.fake.begin_capture(program.stream, GLOBAL);
    std::thread::scope(|scope| {
        let read = scope.spawn(|| program.read());
        assert_eq!(read.join().unwrap().len(), 1);
    });
    assert!(program.fake.end_capture(program.stream));
}

#[test]
fn a_span_that_a_capture_begins_or_ends_in_is_marked() {
    let mut program = Program::new();
    let before = program.begin(program.stream);
    program.fake.begin_capture(program.stream, GLOBAL);
    program.end(before, "before");
    assert_eq!(program.only(), Err(Untimed::Captured));
    let inside = program.begin(program.stream);
    assert!(program.fake.end_capture(program.stream));
    program.end(inside, "inside");
    assert_eq!(program.only(), Err(Untimed::Captured));
    // The default stream can't be asked while another one is captured.
    program.fake.begin_capture(program.stream, GLOBAL);
    let default = program.begin(0);
    program.end(default, "default");
    assert_eq!(program.only(), Err(Untimed::Captured));
    assert!(program.fake.end_capture(program.stream));
}

/// Three spans, read as they complete.
fn three_spans(program: &mut Program) -> Vec<Outcome> {
    for _ in 0..3 {
        program.span(2 * MS);
        program.pass(3 * MS);
        program.drain();
    }
    program.pairs.with(taken)
}

/// Whether something of a span is absent; what is there is exact.
fn lacks_something((_, times): &Outcome) -> bool {
    match times {
        Ok(times) => {
            assert_eq!(times.duration_ns, 2 * MS);
            times.place.is_none()
        }
        Err(Untimed::Failed(fault)) => {
            assert_eq!(fault.name, "CUDA_ERROR_LAUNCH_FAILED");
            true
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn whichever_call_fails_the_span_has_a_reason_or_its_exact_time() {
    let mut program = Program::new();
    three_spans(&mut program);
    let calls = program.fake.take_log();
    let exchange = "cuThreadExchangeStreamCaptureMode";
    for (at, call) in calls.iter().enumerate() {
        let mut program = Program::new();
        program.fake.fail_once(at as u64 + 1, 719);
        let outcomes = three_spans(&mut program);
        assert_eq!(outcomes.len(), 3, "{call}: {outcomes:?}");
        let has_failed = outcomes.iter().any(lacks_something);
        // The mode that is put back is nobody's time.
        assert!(has_failed || call == exchange, "call {at}, {call}");
        assert!(
            program.pairs.with(|pairs| pairs.events()) <= 3,
            "call {at}, {call}"
        );
    }
}

#[test]
fn a_driver_whose_every_nth_call_fails_leads_to_reasons_and_exact_times_only() {
    for n in [1, 2, 3, 5, 7, 11, 13, 29, 101] {
        let mut program = Program::new();
        program.fake.fail_every(n, 719);
        for _ in 0..50 {
            for outcome in three_spans(&mut program) {
                lacks_something(&outcome);
            }
        }
        program.fake.fail_once(0, 0);
        program.pass(SECOND);
        program.read();
        assert_eq!(
            program.pairs.with(|pairs| pairs.pending()),
            0,
            "every {n}th"
        );
        assert!(
            program.pairs.with(|pairs| pairs.events()) <= 8,
            "every {n}th"
        );
        program.span(2 * MS);
        program.pass(2 * MS);
        assert_eq!(program.only().unwrap().duration_ns, 2 * MS);
    }
}

#[test]
fn a_driver_that_has_shut_down_is_told_once_and_not_called_again() {
    let mut program = Program::new();
    program.span(MS);
    let open = program.begin(program.stream);
    program.fake.fail_from_now(4);
    program.end(open, "open");
    assert!(program.pairs.is_ended());
    program.fake.take_log();
    program.span(MS);
    let outcomes = program.read();
    assert_eq!(outcomes.len(), 3);
    for (_, times) in outcomes {
        assert_eq!(times, Err(Untimed::Absent(Absent::Ended)));
    }
    assert_eq!(program.fake.take_log(), [""; 0]);
}

#[test]
fn events_of_a_device_that_was_reset_are_replaced() {
    let mut program = Program::new();
    program.span(MS);
    program.pass(MS);
    program.only().unwrap();
    program.fake.reset_device();
    let mut reasons = 0;
    for _ in 0..4 {
        program.span(MS);
        program.pass(2 * SECOND);
        match program.only() {
            Ok(times) => assert_eq!(times.duration_ns, MS),
            Err(Untimed::Failed(fault)) => {
                assert_eq!(fault.code, 400);
                reasons += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(reasons <= 2, "{reasons} spans were lost");
    program.span(MS);
    program.pass(MS);
    let times = program.only().unwrap();
    assert_eq!(times.duration_ns, MS);
    assert!(times.place.is_some());
}

#[test]
fn a_default_stream_that_means_another_device_at_the_end_is_not_timed() {
    let mut program = Program::new();
    let begun = program.begin(0);
    program.fake.use_device(1);
    program.end(begun, "span");
    assert_eq!(program.only(), Err(Untimed::OtherContext));
}

#[test]
fn a_stream_of_another_device_gets_events_of_its_own_context() {
    let mut program = Program::new();
    program.fake.use_device(1);
    let other = program.fake.stream();
    program.fake.use_device(0);
    let begun = program.begin(other);
    program.fake.work(other, MS);
    program.end(begun, "span");
    program.pass(MS);
    assert_eq!(program.only().unwrap().duration_ns, MS);
    // And the program's own context is current again.
    program.span(MS);
    program.pass(MS);
    assert!(program.only().is_ok());
}

#[test]
fn what_is_not_waited_for_any_longer_is_still_running() {
    let mut program = Program::new();
    program.span(SECOND);
    program.pairs.with(Pairs::give_up);
    assert_eq!(program.only(), Err(Untimed::StillRunning));
    assert_eq!(program.pairs.with(|pairs| pairs.pending()), 0);
}

#[test]
fn a_span_that_is_forgotten_frees_its_events_and_tells_nothing() {
    let mut program = Program::new();
    let begun = program.begin(program.stream);
    program.pairs.forget(begun);
    let begun = program.begin(program.stream);
    program
        .pairs
        .forget_over(program.pairs.end(begun, || program.now, false));
    assert!(program.read().is_empty());
    program.span(MS);
    assert_eq!(program.pairs.with(|pairs| pairs.events()), 3);
}
