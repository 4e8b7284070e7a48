//! The state of the driver: streams, events, contexts and the clock.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::capture::Capture;
use crate::visible::{self, Visible};

/// A result of the driver.
pub type Code = i32;

pub const SUCCESS: Code = 0;
pub const INVALID_VALUE: Code = 1;
pub const NOT_INITIALIZED: Code = 3;
pub const DEINITIALIZED: Code = 4;
pub const NO_DEVICE: Code = 100;
pub const INVALID_CONTEXT: Code = 201;
pub const INVALID_HANDLE: Code = 400;
pub const NOT_READY: Code = 600;

/// Nanoseconds of the clock that events are stamped with.
pub const QUANTUM_NS: u64 = 500;

/// The first context's handle; those of the other devices follow.
pub const FIRST_CONTEXT: usize = 0xC000;

/// A stream: when it will have done all that was enqueued, and its capture.
#[derive(Debug, Default)]
pub struct Stream {
    pub context: usize,
    pub ready_at_ns: u64,
    pub capture: Option<Capture>,
}

/// An event: when its last recording completes.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub context: usize,
    pub at_ns: Option<u64>,
    pub is_captured: bool,
}

/// What the test asked to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    None,
    /// The n-th call from now on.
    Once(u64, Code),
    /// All calls from now on.
    From(Code),
    /// Each n-th call; so many were made since the last one.
    Every(u64, u64, Code),
}

/// Everything.
#[derive(Debug)]
pub struct Machine {
    pub now_ns: u64,
    pub devices: i32,
    pub version: i32,
    pub is_initialized: bool,
    /// What `CUDA_VISIBLE_DEVICES` said then.
    pub said: Option<String>,
    /// Bit per device.
    pub active: u32,
    pub streams: HashMap<usize, Stream>,
    pub events: HashMap<usize, Event>,
    pub most_events: usize,
    /// Questions whether the device got to an event.
    pub queries: u64,
    pub next_handle: usize,
    pub log: Vec<&'static str>,
    /// Calls are not logged: for benchmarks, which make millions.
    pub is_silent: bool,
    pub failure: Failure,
}

static MACHINE: Mutex<Option<Machine>> = Mutex::new(None);

impl Machine {
    fn new() -> Self {
        Self {
            now_ns: 1_000_000,
            devices: 2,
            version: 12_080,
            is_initialized: false,
            said: None,
            active: 0,
            streams: HashMap::new(),
            events: HashMap::new(),
            most_events: 0,
            queries: 0,
            next_handle: 0x1000,
            log: Vec::new(),
            is_silent: false,
            failure: Failure::None,
        }
    }

    /// The program initialises the driver, which reads the environment then.
    pub fn initialize(&mut self) {
        if !std::mem::replace(&mut self.is_initialized, true) {
            self.said = std::env::var("CUDA_VISIBLE_DEVICES").ok();
        }
    }

    /// The devices that it shows.
    pub fn visible(&self) -> Vec<Visible> {
        visible::of(self.said.as_deref(), self.devices as usize)
    }

    pub fn handle(&mut self) -> usize {
        self.next_handle += 16;
        self.next_handle
    }

    /// The stream of a handle; that of 0 is the default stream of the context in use.
    pub fn stream(&mut self, handle: usize, current: usize) -> Result<&mut Stream, Code> {
        if handle != 0 {
            return self.streams.get_mut(&handle).ok_or(INVALID_HANDLE);
        }
        if current == 0 {
            return Err(INVALID_CONTEXT);
        }
        // A context's handle is never that of a stream: it stands for its default stream.
        Ok(self.streams.entry(current).or_insert_with(|| Stream {
            context: current,
            ..Stream::default()
        }))
    }

    /// Notes a call, and says whether it is to fail.
    pub fn call(&mut self, name: &'static str) -> Result<(), Code> {
        if !self.is_silent {
            self.log.push(name);
        }
        match self.failure {
            Failure::None => Ok(()),
            Failure::Once(1, code) => {
                self.failure = Failure::None;
                Err(code)
            }
            Failure::Once(left, code) => {
                self.failure = Failure::Once(left - 1, code);
                Ok(())
            }
            Failure::From(code) => Err(code),
            Failure::Every(n, made, code) => {
                let fails = made + 1 == n;
                self.failure = Failure::Every(n, if fails { 0 } else { made + 1 }, code);
                if fails { Err(code) } else { Ok(()) }
            }
        }
    }
}

/// The state, alone.
pub fn machine() -> Held {
    let mut held = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    held.get_or_insert_with(Machine::new);
    Held(held)
}

/// The state while it is held.
pub struct Held(MutexGuard<'static, Option<Machine>>);

impl std::ops::Deref for Held {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        self.0.as_ref().expect("made by `machine`")
    }
}

impl std::ops::DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Machine {
        self.0.as_mut().expect("made by `machine`")
    }
}
