//! The cost of a span's time on a device, on a driver that does nothing: what a span takes more than one
//! without a device, less what the same calls of the driver take alone.
//!
//! From Python the end of a span asks the driver whether its stream is idle, rather than whether the start is
//! complete: `calls_from_python_ns`.
//!
//! The argument is the fake driver of the tests, built for release. Blocks take turns, as in the other
//! bench. Prints one JSON object.

use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use std::hint::black_box;
use std::time::Instant;

use laptime_recorder::device::Stream;
use laptime_recorder::device::here::{self, Place};
use laptime_recorder::device::pairs::READ_TOGETHER;
use laptime_recorder::{LazySite, enter, exit, leave_devices, time_on_devices_with};
use libloading::Library;

/// Spans in a block.
const BLOCK: u32 = 500;
const ROUNDS: usize = 400;
/// A kernel in a span. Time passes after each, so that the device keeps up with the host.
const KERNEL_NS: u64 = 1_000;
/// The capture mode in which a thread's calls break no capture.
const RELAXED: c_int = 2;

static SPAN: LazySite = LazySite::new("span");

/// As many as are in use until they are read.
struct Events {
    pairs: [[usize; 2]; READ_TOGETHER],
    anchor: usize,
}

/// What Laptime calls for a span, in this order, on a device that has nothing else to do.
struct Driver {
    context: extern "C" fn(usize, *mut usize) -> c_int,
    is_capturing: extern "C" fn(usize, *mut c_int) -> c_int,
    exchange: extern "C" fn(*mut c_int) -> c_int,
    create: extern "C" fn(*mut usize, c_uint) -> c_int,
    record: extern "C" fn(usize, usize) -> c_int,
    query: extern "C" fn(usize) -> c_int,
    is_idle: extern "C" fn(usize) -> c_int,
    elapsed: extern "C" fn(*mut f32, usize, usize) -> c_int,
    work: extern "C" fn(usize, u64),
    advance: extern "C" fn(u64),
    /// Spans that were not read yet.
    ended: Cell<usize>,
}

impl Driver {
    fn event(&self, stream: usize) -> usize {
        let mut event = 0;
        (self.create)(&raw mut event, 0);
        (self.record)(event, stream);
        event
    }

    fn span(&self, stream: usize, events: &Events, ask: impl FnOnce(usize) -> c_int) {
        let (mut number, mut handle) = (0, 0);
        let [start, end] = events.pairs[self.ended.get()];
        (self.is_capturing)(stream, &raw mut number);
        (self.context)(stream, &raw mut handle);
        (self.record)(start, stream);
        self.kernel(stream);
        (self.is_capturing)(stream, &raw mut number);
        self.aside(|| ask(start));
        (self.record)(end, stream);
        let ended = self.ended.get() + 1;
        self.ended.set(ended % READ_TOGETHER);
        if ended == READ_TOGETHER {
            self.aside(|| {
                for pair in &events.pairs {
                    self.read(events.anchor, *pair);
                }
                0
            });
        }
        black_box((number, handle));
    }

    fn read(&self, anchor: usize, [start, end]: [usize; 2]) {
        let mut ms = 0.0;
        (self.elapsed)(&raw mut ms, start, end);
        (self.elapsed)(&raw mut ms, anchor, end);
        black_box(ms);
    }

    fn aside(&self, ask: impl FnOnce() -> c_int) {
        let mut mode = RELAXED;
        (self.exchange)(&raw mut mode);
        black_box(ask());
        (self.exchange)(&raw mut mode);
    }

    fn kernel(&self, stream: usize) {
        (self.work)(stream, KERNEL_NS);
        (self.advance)(KERNEL_NS);
    }
}

fn main() {
    let path = std::env::args_os().nth(1).expect("the fake driver's path");
    // SAFETY: a library of ours, which runs nothing when it is opened, with functions of these types.
    let (driver, stream) = unsafe {
        let library: &'static Library =
            Box::leak(Box::new(Library::new(&path).expect("a library")));
        macro_rules! function {
            ($name:literal) => {
                *library.get($name).expect("a function of the fake")
            };
        }
        let quiet: extern "C" fn() = function!(b"fake_log_nothing");
        let use_device: extern "C" fn(c_int) = function!(b"fake_use_device");
        let stream: extern "C" fn() -> usize = function!(b"fake_stream");
        quiet();
        use_device(0);
        let driver = Driver {
            context: function!(b"cuStreamGetCtx"),
            is_capturing: function!(b"cuStreamIsCapturing"),
            exchange: function!(b"cuThreadExchangeStreamCaptureMode"),
            create: function!(b"cuEventCreate"),
            record: function!(b"cuEventRecord"),
            query: function!(b"cuEventQuery"),
            is_idle: function!(b"cuStreamQuery"),
            elapsed: function!(b"cuEventElapsedTime"),
            work: function!(b"fake_work"),
            advance: function!(b"fake_advance"),
            ended: Cell::new(0),
        };
        (driver, stream())
    };
    let events = Events {
        pairs: [(); READ_TOGETHER].map(|()| [driver.event(stream), driver.event(stream)]),
        anchor: driver.event(stream),
    };
    let place = Place {
        device: 0,
        stream: Stream(stream),
    };
    // SAFETY: a stream of the fake, which never ends.
    let _on = unsafe { here::on(place) };
    laptime_recorder::enable();
    let mut samples = [const { Vec::new() }; 5];
    for _ in 0..ROUNDS {
        samples[0].push(block(|| driver.kernel(stream)));
        samples[1].push(block(|| span(|| driver.kernel(stream))));
        samples[2].push(block(|| {
            driver.span(stream, &events, |start| (driver.query)(start));
        }));
        samples[4].push(block(|| {
            driver.span(stream, &events, |_| (driver.is_idle)(stream));
        }));
        time_on_devices_with(path.as_os_str());
        samples[3].push(block(|| span(|| driver.kernel(stream))));
        leave_devices();
    }
    let [kernel, host, calls, timed, from_python] = samples.map(median);
    println!(
        r#"{{"host_ns": {:.1}, "calls_ns": {:.1}, "calls_from_python_ns": {:.1}, "timed_ns": {:.1}, "above_ns": {:.1}}}"#,
        host - kernel,
        calls - kernel,
        from_python - kernel,
        timed - kernel,
        timed - calls - (host - kernel),
    );
}

fn span(work: impl FnOnce()) {
    let open = enter(SPAN.get());
    work();
    if let Some(open) = open {
        exit(open);
    }
}

/// Nanoseconds of each.
fn block(one: impl Fn()) -> f64 {
    let start = Instant::now();
    for _ in 0..BLOCK {
        one();
    }
    start.elapsed().as_nanos() as f64 / f64::from(BLOCK)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
