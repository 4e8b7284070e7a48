//! The thread that reads devices. What it read waits for the collector, which writes it.
//!
//! It ends with the recording, and before the drivers are torn down at exit. Whoever ends it waits only so
//! long: a driver whose device is gone may take minutes to answer, and the program must not.

use std::ffi::{OsStr, OsString};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use laptime_core::DeviceSample;
use nvml_wrapper::Nvml;

use super::book::Told;
use super::meter::Meter;
use super::pace::Pace;
use super::{ASKED_BY, LOST, UNAVAILABLE, is_forked};
use crate::clock;
use crate::device::nvml;
use crate::device::reason::Absent;
use crate::device::used::{self, Used};
use crate::guard::guard;
use crate::memory::Quiet;
use crate::platform;
use crate::wiped;
use crate::worker::Worker;

/// Between two looks for the program's first device.
const LOOK_NS: u64 = 100_000_000;
/// One reading in so many looks for further devices.
const LOOK_EVERY: u64 = 10;
/// How long is waited for the thread to end.
const PATIENCE: Duration = Duration::from_secs(1);
/// What may wait to be written: ten seconds of eight devices, and more. Beyond, the newest is dropped.
const MOST_WAITING: usize = 4_096;

/// What the thread and its owner share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stop: bool,
    is_over: bool,
    /// It was waited for, and didn't end in time.
    is_given_up: bool,
    told: Vec<Told>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is to stop or the time is over; whether it is to stop.
    fn wait(&self, ns: u64) -> bool {
        let (timeout, state) = (Duration::from_nanos(ns), self.state());
        let waited = self
            .changed
            .wait_timeout_while(state, timeout, |state| !state.stop);
        waited.unwrap_or_else(PoisonError::into_inner).0.stop
    }

    /// Has the thread end, and waits for that; whether it did in time.
    fn end(&self) -> bool {
        let mut state = self.state();
        state.stop = true;
        self.changed.notify_all();
        let is_awaited = |state: &mut State| !state.is_over && !state.is_given_up;
        let waited = self.changed.wait_timeout_while(state, PATIENCE, is_awaited);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.is_given_up = !state.is_over;
        state.is_over
    }

    fn tell(&self, told: Told) {
        let mut state = self.state();
        if state.told.len() < MOST_WAITING {
            state.told.push(told);
        }
    }

    fn tell_absent(&self, why: &Absent) {
        self.tell(Told::Note {
            code: UNAVAILABLE,
            message: format!("devices were not sampled: {why}"),
        });
    }
}

/// The thread, and what it read.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Option<Worker>,
}

impl Sampler {
    /// Starts the thread for the driver that the program has loaded; `None` where the system has none to give.
    pub fn start(driver: OsString) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        let thread = Worker::start(c"laptime-devices", move || {
            guard((), || run(&of_thread, &driver));
            of_thread.state().is_over = true;
            of_thread.changed.notify_all();
        })?;
        Some(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// What was read since it was asked last.
    pub fn take(&self) -> Vec<Told> {
        std::mem::take(&mut self.shared.state().told)
    }

    /// Ends the thread, after one more reading. What it read can still be taken.
    ///
    /// **Cost** at most a reading; a second where the driver doesn't answer.
    pub fn stop(&mut self) {
        if let Some(thread) = self.thread.take()
            && self.shared.end()
        {
            thread.join();
        }
    }
}

fn run(shared: &Arc<Shared>, driver: &OsStr) {
    platform::block_signals();
    Quiet::for_ever();
    let used = loop {
        match used::devices(driver) {
            Ok(used) => break used,
            Err(why) if !why.may_change() => return shared.tell_absent(&why),
            Err(_) => {}
        }
        if shared.wait(LOOK_NS) {
            return;
        }
    };
    ASKED_BY.store(std::process::id(), Ordering::Relaxed);
    let library = nvml::LIBRARY.as_ref();
    let nvml = match nvml::open(library) {
        Ok(nvml) => nvml,
        Err(why) => return shared.tell_absent(&why),
    };
    end_before_the_drivers(shared);
    read_again_and_again(shared, &nvml, driver, &used);
    nvml::close(nvml);
}

/// Handlers of exit run in reverse order: the drivers' are there by now, so this one comes before them.
///
/// What was read is written later, as the recording closes.
fn end_before_the_drivers(shared: &Arc<Shared>) {
    extern "C" fn at_exit() {
        guard((), || {
            // In a forked child the thread is not there.
            if wiped::is_unknown_child() || is_forked() {
                return;
            }
            let latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(shared) = latest.upgrade() {
                shared.end();
            }
        });
    }
    static LATEST: Mutex<Weak<Shared>> = Mutex::new(Weak::new());
    static ONCE: Once = Once::new();
    *LATEST.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(shared);
    ONCE.call_once(|| {
        // SAFETY: a plain function, which touches only what lives as long as the process.
        unsafe { libc::atexit(at_exit) };
    });
}

fn read_again_and_again(shared: &Shared, nvml: &Nvml, driver: &OsStr, used: &[Used]) {
    let mut meters = Vec::new();
    let mut refused = Vec::new();
    add(shared, nvml, used, &mut meters, &mut refused);
    let mut pace = Pace::default();
    let mut spent_ns = clock::thread_ns();
    for look in 1.. {
        let is_last = shared.state().stop;
        for meter in &mut meters {
            read(shared, meter);
        }
        if is_last {
            return;
        }
        if look % LOOK_EVERY == 0
            && let Ok(used) = used::devices(driver)
        {
            add(shared, nvml, &used, &mut meters, &mut refused);
        }
        let now_ns = clock::thread_ns();
        pace.spent(now_ns.saturating_sub(spent_ns));
        spent_ns = now_ns;
        shared.wait(pace.wait_ns());
    }
}

/// Begins to read devices that aren't read yet.
fn add<'nvml>(
    shared: &Shared,
    nvml: &'nvml Nvml,
    used: &[Used],
    meters: &mut Vec<Meter<'nvml>>,
    refused: &mut Vec<u32>,
) {
    for one in used {
        let is_known = meters.iter().any(|meter| meter.index == one.index);
        if is_known || refused.contains(&one.index) {
            continue;
        }
        match Meter::open(nvml, one) {
            Ok(meter) => {
                shared.tell(Told::Device {
                    index: meter.index,
                    uuid: meter.uuid.clone(),
                    name: meter.name.clone(),
                });
                meters.push(meter);
            }
            Err(error) => {
                refused.push(one.index);
                shared.tell(Told::Note {
                    code: UNAVAILABLE,
                    message: format!("device {} was not sampled: {error}", one.index),
                });
            }
        }
    }
}

fn read(shared: &Shared, meter: &mut Meter<'_>) {
    if meter.lost.is_some() {
        return;
    }
    let mut lacks = Vec::new();
    let ticks = clock::now();
    let readings = meter.read(&mut lacks);
    let index = meter.index;
    for (reading, why) in lacks {
        shared.tell(Told::Lacks {
            index,
            reading: reading as u64,
            why,
        });
    }
    if !readings.is_empty() {
        shared.tell(Told::Sample(DeviceSample {
            ticks,
            device: index,
            readings,
        }));
    }
    if let Some(why) = &meter.lost {
        shared.tell(Told::Note {
            code: LOST,
            message: format!("device {index} was not sampled to the end: {why}"),
        });
    }
}
