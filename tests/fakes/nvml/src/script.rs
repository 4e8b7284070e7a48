//! What the devices are to tell, call by call, and what is to go wrong.
//!
//! The n-th call of a function of a device tells the n-th number of its series, and the last one again when
//! the series is over. The energy counter has no series: each of its calls is another 100 ms later, in which
//! the device drew what the series of its power says.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Code, INVALID_ARGUMENT, LOST, UNINITIALIZED};

/// Numbers that a device tells; the codes are those of Laptime's format.
pub const UTILIZATION: u32 = 0;
pub const MEMORY_UTILIZATION: u32 = 1;
pub const MEMORY: u32 = 2;
pub const PROCESS_MEMORY: u32 = 3;
pub const POWER: u32 = 4;
pub const ENERGY: u32 = 5;
pub const CLOCK: u32 = 6;
pub const MEMORY_CLOCK: u32 = 7;
pub const TEMPERATURE: u32 = 8;
pub const CLOCK_LIMITS: u32 = 9;

/// What a device tells that nobody wrote a series for.
const USUAL: [u64; 10] = [80, 40, 8 << 30, 6 << 30, 300_000, 0, 1_700, 2_600, 60, 0];
/// How many updates of the energy counter make a second.
const UPDATES_PER_S: u64 = 10;
/// Where the counter stands at its first call, in millijoules.
const FIRST_ENERGY_MJ: u64 = 1_000_000;

/// Everything.
#[derive(Debug, Default)]
pub struct Script {
    /// By device and number.
    pub series: HashMap<(usize, u32), Vec<u64>>,
    /// Calls so far, by device and number.
    made: HashMap<(usize, u32), usize>,
    /// Numbers whose calls fail, by device.
    pub failing: HashMap<(usize, u32), Code>,
    /// Devices that are gone.
    pub lost: Vec<usize>,
    /// Devices that have an instance of MIG.
    pub split: Vec<usize>,
    /// Each n-th call fails.
    pub every: Option<(u64, Code)>,
    /// Whether processes are listed by numbers of another namespace.
    pub is_contained: bool,
    /// Whether calls never return.
    pub is_stuck: bool,
    pub calls: u64,
    pub starts: u64,
    pub ends: u64,
}

static SCRIPT: Mutex<Option<Script>> = Mutex::new(None);

/// The script, alone.
pub fn with<T>(work: impl FnOnce(&mut Script) -> T) -> T {
    let mut held: MutexGuard<'_, Option<Script>> =
        SCRIPT.lock().unwrap_or_else(PoisonError::into_inner);
    work(held.get_or_insert_with(Script::default))
}

impl Script {
    /// Notes a call, and says whether it is to fail.
    pub fn call(&mut self, name: &'static str) -> Result<(), Code> {
        self.calls += 1;
        if self.starts == self.ends && !name.starts_with("nvmlInit") {
            return Err(UNINITIALIZED);
        }
        match self.every {
            Some((n, code)) if self.calls.is_multiple_of(n) => Err(code),
            _ => Ok(()),
        }
    }

    /// What a device tells at this call.
    pub fn tell(&mut self, device: usize, reading: u32) -> Result<u64, Code> {
        if self.lost.contains(&device) {
            return Err(LOST);
        }
        if let Some(code) = self.failing.get(&(device, reading)) {
            return Err(*code);
        }
        let made = self.made.entry((device, reading)).or_default();
        let at = *made;
        *made += 1;
        if reading == ENERGY {
            let drawn: u64 = (0..at).map(|at| self.at(device, POWER, at)).sum();
            return Ok(FIRST_ENERGY_MJ + drawn / UPDATES_PER_S);
        }
        Ok(self.at(device, reading, at))
    }

    /// How often a device was asked for a number.
    pub fn made(&self, device: usize, reading: u32) -> usize {
        self.made.get(&(device, reading)).copied().unwrap_or(0)
    }

    fn at(&self, device: usize, reading: u32, at: usize) -> u64 {
        let series = self.series.get(&(device, reading));
        let value = series.and_then(|series| series.get(at).or_else(|| series.last()));
        value.copied().unwrap_or(USUAL[reading as usize])
    }

    /// The device of a handle: its number in the fake driver, and whether it is an instance.
    pub fn device(&self, handle: usize) -> Result<(usize, bool), Code> {
        let number = crate::devices::number(handle).ok_or(INVALID_ARGUMENT)?;
        if self.lost.contains(&number.0) {
            return Err(LOST);
        }
        Ok(number)
    }
}
