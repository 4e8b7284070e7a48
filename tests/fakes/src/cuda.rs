//! A copy of the fake CUDA driver, and what a test does to it.

use std::ffi::c_int;
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::build::built;

/// Modes of a capture, as the driver numbers them.
pub const GLOBAL: c_int = 0;
/// See [`GLOBAL`].
pub const THREAD_LOCAL: c_int = 1;
/// See [`GLOBAL`].
pub const RELAXED: c_int = 2;

/// Bytes at a library's start that have the names for the linker.
const NAMES_WITHIN: usize = 64 << 10;

/// A fake driver of a test's own.
#[derive(Debug)]
pub struct Fake {
    path: PathBuf,
    /// Opened when it is first steered; never closed, as code under test may hold its functions.
    library: Option<&'static Library>,
    _folder: tempfile::TempDir,
}

impl Default for Fake {
    fn default() -> Self {
        Self::new()
    }
}

impl Fake {
    /// A whole one, opened already, as it is in a program that uses a device.
    pub fn new() -> Self {
        let mut fake = Self::changed(|_| {});
        // SAFETY: a library of ours, which runs nothing when it is opened.
        let library = unsafe { Library::new(&fake.path) }.expect("the fake opens");
        fake.library = Some(Box::leak(Box::new(library)));
        fake
    }

    /// One that lacks a function.
    pub fn without(function: &str) -> Self {
        Self::changed(|bytes| take_out(bytes, function))
    }

    /// One of another architecture: its head says 32 bits.
    pub fn of_another_architecture() -> Self {
        Self::changed(|bytes| bytes[4] = 1)
    }

    /// The one that `LD_LIBRARY_PATH` has, loaded as programs do.
    ///
    /// **Panics** where there is none.
    pub fn loaded() -> Self {
        // SAFETY: a library of ours, which runs nothing when it is opened.
        let library = unsafe { Library::new("libcuda.so.1") }.expect("the fake is found");
        Self {
            path: PathBuf::from("libcuda.so.1"),
            library: Some(Box::leak(Box::new(library))),
            _folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn changed(change: impl FnOnce(&mut [u8])) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the fake");
        let path = folder.path().join("libcuda.so.1");
        let mut bytes = std::fs::read(built("laptime_fake_cuda")).expect("the fake is there");
        change(&mut bytes);
        std::fs::write(&path, bytes).expect("a place to write to");
        Self {
            path,
            library: None,
            _folder: folder,
        }
    }

    /// The library.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn call<F: Copy>(&self, name: &str) -> F {
        let library = self.library.expect("a whole fake");
        // SAFETY: the callers below know the functions of the fake.
        *unsafe { library.get::<F>(name.as_bytes()) }.expect("a function of the fake")
    }

    /// Lets the device's time pass.
    pub fn advance(&self, ns: u64) {
        self.call::<extern "C" fn(u64)>("fake_advance")(ns);
    }

    /// How many devices there are.
    pub fn set_devices(&self, count: i32) {
        self.call::<extern "C" fn(c_int)>("fake_set_devices")(count);
    }

    /// The program initialises the driver and uses no device.
    pub fn initialize(&self) {
        self.call::<extern "C" fn()>("fake_initialize")();
    }

    /// The program uses a device: its primary context is current on this thread.
    pub fn use_device(&self, device: i32) {
        self.call::<extern "C" fn(c_int)>("fake_use_device")(device);
    }

    /// A stream of the current context.
    pub fn stream(&self) -> usize {
        self.call::<extern "C" fn() -> usize>("fake_stream")()
    }

    /// The program destroys a stream.
    pub fn destroy_stream(&self, stream: usize) {
        self.call::<extern "C" fn(usize)>("fake_destroy_stream")(stream);
    }

    /// The device's time.
    pub fn now(&self) -> u64 {
        self.call::<extern "C" fn() -> u64>("fake_now")()
    }

    /// Enqueues a kernel that runs so long.
    pub fn work(&self, stream: usize, ns: u64) {
        self.call::<extern "C" fn(usize, u64)>("fake_work")(stream, ns);
    }

    /// Queues of streams that are busy are full from now on, or have room again: recording waits there.
    pub fn fill_queues(&self, is_full: bool) {
        self.call::<extern "C" fn(bool)>("fake_fill_queues")(is_full);
    }

    /// Threads that wait for room in a queue.
    pub fn waiting_threads(&self) -> usize {
        self.call::<extern "C" fn() -> usize>("fake_waiting_threads")()
    }

    /// Begins to capture a stream.
    pub fn begin_capture(&self, stream: usize, mode: c_int) {
        let begin = self.call::<extern "C" fn(usize, c_int) -> c_int>("fake_begin_capture");
        assert_eq!(begin(stream, mode), 0);
    }

    /// Ends the capture; whether it survived.
    pub fn end_capture(&self, stream: usize) -> bool {
        self.call::<extern "C" fn(usize) -> c_int>("fake_end_capture")(stream) == 0
    }

    /// The n-th call of the driver from now on fails; 0 for none.
    pub fn fail_once(&self, n: u64, code: i32) {
        self.call::<extern "C" fn(u64, c_int)>("fake_fail_once")(n, code);
    }

    /// Every n-th call of the driver fails from now on.
    pub fn fail_every(&self, n: u64, code: i32) {
        self.call::<extern "C" fn(u64, c_int)>("fake_fail_every")(n, code);
    }

    /// All calls of the driver fail from now on.
    pub fn fail_from_now(&self, code: i32) {
        self.call::<extern "C" fn(c_int)>("fake_fail_from_now")(code);
    }

    /// The driver shuts down when the program exits.
    pub fn shut_down_at_exit(&self) {
        self.call::<extern "C" fn()>("fake_shut_down_at_exit")();
    }

    /// All events are gone, as after a reset of the device.
    pub fn reset_device(&self) {
        self.call::<extern "C" fn()>("fake_reset_device")();
    }

    /// Most events that there ever were at once.
    pub fn most_events(&self) -> usize {
        self.call::<extern "C" fn() -> usize>("fake_most_events")()
    }

    /// Names of the calls of the driver since the last time.
    pub fn take_log(&self) -> Vec<String> {
        let take = self.call::<extern "C" fn(*mut u8, usize) -> usize>("fake_take_log");
        let mut place = vec![0; 16 << 20];
        let length = take(place.as_mut_ptr(), place.len());
        place.truncate(length);
        let text = String::from_utf8(place).expect("names are text");
        text.lines().map(str::to_owned).collect()
    }

    /// Asks an event of the driver as a thread does that knows nothing of captures; the answer's code.
    pub fn naive_query(&self, event: usize) -> i32 {
        self.call::<extern "C" fn(usize) -> c_int>("cuEventQuery")(event)
    }

    /// An event of the program's own, recorded on a stream.
    pub fn event(&self, stream: usize) -> usize {
        let mut event = 0;
        let create = self.call::<extern "C" fn(*mut usize, u32) -> c_int>("cuEventCreate");
        assert_eq!(create(&raw mut event, 0), 0);
        let record = self.call::<extern "C" fn(usize, usize) -> c_int>("cuEventRecord");
        assert_eq!(record(event, stream), 0);
        event
    }
}

/// Overwrites a function's name where the linker looks for it.
pub fn take_out(bytes: &mut [u8], function: &str) {
    let wanted = [b"\0", function.as_bytes(), b"\0"].concat();
    let places: Vec<usize> = bytes[..NAMES_WITHIN]
        .windows(wanted.len())
        .enumerate()
        .filter_map(|(at, found)| (found == wanted).then_some(at))
        .collect();
    assert!(!places.is_empty(), "the fake has no {function}");
    for at in places {
        bytes[at + 1] = b'_';
    }
}
