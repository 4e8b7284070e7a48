//! The devices that are followed: what was read of each, and the laps that are open on it.
//!
//! All threads share them, behind one lock that is never held while the program's framework is asked.

use laptime_core::{DeviceMemory, MemoryOnDevice};

use super::counter::Mode;
use super::frames::{Frames, Reading};
use crate::lock::Lock;
use crate::state::{self, More};

/// Looks at the devices of the program: hands what it reads to [`read`], and tells whether it could. It is
/// told whether a lap is open already. It must not open or close spans.
pub type Look = fn(is_inside: bool) -> bool;

static DEVICES: Lock<Devices> = Lock::new(Devices::none());

#[derive(Debug)]
struct Devices {
    mode: Mode,
    look: Option<Look>,
    /// Number of the next lap.
    next: u64,
    /// By index; those that were ever read.
    known: Vec<(u32, Frames)>,
    /// Laps that opened before any device was in use: nothing was allocated then.
    unused: Frames,
}

/// A lap's number among all that were ever followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token(u64);

impl Devices {
    const fn none() -> Self {
        Self {
            mode: Mode::Bounds,
            look: None,
            next: 0,
            known: Vec::new(),
            unused: Frames::new(),
        }
    }

    fn of(&mut self, device: u32) -> &mut Frames {
        let place = self.known.iter().position(|(index, _)| *index == device);
        let place = place.unwrap_or_else(|| {
            self.known.push((device, self.unused.clone()));
            self.known.len() - 1
        });
        &mut self.known[place].1
    }

    fn open(&mut self) -> Token {
        self.next += 1;
        let lap = self.next;
        if self.known.is_empty() {
            self.unused.open(lap);
        }
        for (_, frames) in &mut self.known {
            frames.open(lap);
        }
        Token(lap)
    }

    /// What each device has to say of a lap.
    fn close(&mut self, token: Token) -> Vec<(u32, DeviceMemory)> {
        self.unused.close(token.0);
        let known = self.known.iter_mut();
        known
            .filter_map(|(device, frames)| Some((*device, frames.close(token.0)?)))
            .collect()
    }

    fn is_inside(&self) -> bool {
        self.known.iter().any(|(_, frames)| !frames.is_empty())
    }
}

/// Follows the memory of spans from now on; whether this call began it.
pub fn turn_on(mode: Mode, look: Look) -> bool {
    let mut devices = DEVICES.lock();
    if state::carries(More::DeviceMemory) {
        return false;
    }
    // Numbers go on: a lap that was open in an earlier time is open no more.
    *devices = Devices {
        mode,
        look: Some(look),
        next: devices.next,
        ..Devices::none()
    };
    drop(devices);
    state::set(More::DeviceMemory, true);
    true
}

/// Follows it no more.
pub fn turn_off() {
    let mut devices = DEVICES.lock();
    state::set(More::DeviceMemory, false);
    let next = devices.next;
    *devices = Devices {
        next,
        ..Devices::none()
    };
}

/// Whether the memory of spans on devices is followed.
///
/// **Cost** the load of a byte.
#[inline]
pub fn is_on() -> bool {
    state::carries(More::DeviceMemory)
}

/// Takes in what a device's allocator tells now. With [`Mode::Fold`] its peak began anew after the last
/// time, or was what is allocated.
pub fn read(device: u32, reading: Reading) {
    let mut devices = DEVICES.lock();
    if is_on() {
        let mode = devices.mode;
        devices.of(device).look(reading, mode);
    }
}

/// A device's peaks were reset, at once after it was [`read`].
pub fn was_reset(device: u32) {
    let mut devices = DEVICES.lock();
    if is_on() && devices.known.iter().any(|(index, _)| *index == device) {
        devices.of(device).was_reset();
    }
}

/// Whether any device was read since it was turned on.
pub fn has_read() -> bool {
    !DEVICES.lock().known.is_empty()
}

pub(crate) fn look() -> bool {
    let (look, is_inside) = {
        let devices = DEVICES.lock();
        (devices.look, devices.is_inside())
    };
    // Without the lock: it calls the program's framework.
    look.is_some_and(|look| look(is_inside))
}

/// A span opens. `None` while it is off.
///
/// **Cost** what reading the allocator costs; the span's host time should begin after it.
#[inline]
pub(crate) fn open() -> Option<Token> {
    if !is_on() {
        return None;
    }
    open_slowly()
}

#[cold]
#[inline(never)]
fn open_slowly() -> Option<Token> {
    let looked = look();
    let mut devices = DEVICES.lock();
    (looked && is_on()).then(|| devices.open())
}

/// What each device has to say of a lap that closes, as of the last look.
pub(crate) fn close(token: Token) -> Vec<(u32, DeviceMemory)> {
    DEVICES.lock().close(token)
}

/// A lap will never close, or not be recorded.
pub(crate) fn forget(token: Token) {
    DEVICES.lock().close(token);
}

/// A piece of a span ended, which is written later: its memory on the device that it used most. Never
/// inside of `Thread::with`.
pub(crate) fn end(token: Token) -> Option<MemoryOnDevice> {
    let looked = look();
    let told = DEVICES.lock().close(token);
    let each = told.into_iter().filter(|_| looked);
    // Of equal ones the first.
    let most = each.rev().max_by_key(|(_, memory)| memory.peak_most_bytes);
    most.map(|(device, memory)| MemoryOnDevice { device, memory })
}

/// Locks over a fork.
pub(crate) fn lock_for_fork() {
    DEVICES.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub(crate) unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { DEVICES.release() };
}

/// In a forked child: devices can't be used there if the parent used them.
pub(crate) fn start_over_after_fork() {
    if is_on() {
        turn_off();
    }
}
