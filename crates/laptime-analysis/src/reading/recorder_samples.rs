//! Readings that the recorder took while the program ran: how long a thread was kept from its CPU, how much
//! memory was allocated, and how much was resident.
//!
//! Two counts that only grow: how long a thread was ready to run and others ran, and, over all
//! processors of a virtual machine, what its host took of their time. Two readings within a
//! stretch tell a share of it; between readings nothing is assumed.

use laptime_core::PrivateMemory;
use laptime_core::format::record::Record;

use crate::reading::feature::{Context, Feature};
use crate::reading::marks::Thinned;

/// Most threads whose readings are stored; a recorder writes those of one.
const MOST_THREADS: usize = 16;
/// Part of a stretch that its readings must span to tell about it.
const TELLING_RATIO: f64 = 0.5;

/// The readings of one process.
#[derive(Debug, Default)]
pub struct RecorderSamples {
    delays: Vec<(u64, Thinned<u64>)>,
    processors: Thinned<(u64, u64)>,
    levels: Thinned<i64>,
    resident: Thinned<ResidentLevel>,
}

/// Resident memory of a process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResidentLevel {
    /// All of it.
    pub bytes: u64,
    /// The part of it that the process allocated.
    pub private: PrivateMemory,
}

/// The parts of a stretch of time in which a thread had no CPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CpuWait {
    /// The part in which the thread was ready to run and others of the machine ran.
    pub delayed_ratio: f64,
    /// The part of the processors' work that the host of a virtual machine took; `None` where it isn't known.
    pub stolen_ratio: Option<f64>,
}

impl CpuWait {
    /// Returns the part in which the thread was ready and had no CPU, whoever took it.
    pub fn ratio(self) -> f64 {
        1.0 - (1.0 - self.delayed_ratio) * (1.0 - self.stolen_ratio.unwrap_or(0.0))
    }
}

impl Feature for RecorderSamples {
    fn take_record(&mut self, record: &Record<'_>, _: Context<'_>) {
        self.take(record);
    }
}

impl RecorderSamples {
    /// Takes in a record that is a reading.
    pub fn take(&mut self, record: &Record<'_>) {
        match *record {
            Record::Delay {
                ticks,
                thread,
                delayed_ns,
            } => {
                let known = self.delays.iter_mut().find(|(known, _)| *known == thread);
                if let Some((_, readings)) = known {
                    readings.push(ticks, delayed_ns);
                } else if self.delays.len() < MOST_THREADS {
                    let mut readings = Thinned::default();
                    readings.push(ticks, delayed_ns);
                    self.delays.push((thread, readings));
                }
            }
            Record::Processors {
                ticks,
                busy_ns,
                stolen_ns,
            } => self.processors.push(ticks, (busy_ns, stolen_ns)),
            Record::Memory { ticks, memory } => self.levels.push(ticks, memory.bytes),
            Record::Sample {
                ticks,
                resident_bytes: bytes,
                private: Some(private),
            } => self.resident.push(ticks, ResidentLevel { bytes, private }),
            _ => {}
        }
    }

    /// Returns how much memory the process had allocated and not freed at each reading, with its moment in
    /// ticks.
    pub fn levels(&self) -> impl Iterator<Item = (u64, i64)> + '_ {
        self.levels.iter()
    }

    /// Returns the resident memory of the process at each reading, with its moment in ticks; none of older files, which
    /// don't tell what of it the process allocated.
    pub fn resident(&self) -> impl Iterator<Item = (u64, ResidentLevel)> + '_ {
        self.resident.iter()
    }

    /// Returns how long a thread was kept from its CPU between two ticks; `None` where the recording doesn't
    /// tell.
    pub fn cpu_wait(&self, thread: u64, from: u64, to: u64, ns_per_tick: f64) -> Option<CpuWait> {
        let (_, readings) = self.delays.iter().find(|(known, _)| *known == thread)?;
        let (first, last) = within(readings, from, to)?;
        let wall_ns = (last.0 - first.0) as f64 * ns_per_tick;
        let delayed_ns = last.1.saturating_sub(first.1) as f64;
        let stolen_ratio = within(&self.processors, from, to).map(|(first, last)| {
            let busy_ns = last.1.0.saturating_sub(first.1.0) as f64;
            let stolen_ns = last.1.1.saturating_sub(first.1.1) as f64;
            stolen_ns / (busy_ns + stolen_ns).max(1.0)
        });
        Some(CpuWait {
            delayed_ratio: (delayed_ns / wall_ns).min(1.0),
            stolen_ratio,
        })
    }

    /// Returns the thread that was noted first: the one that the process began with.
    pub fn first_thread(&self) -> Option<u64> {
        self.delays.first().map(|(thread, _)| *thread)
    }

    /// Returns how long the thread that was noted first was kept from its CPU, from its first reading to its
    /// last.
    pub fn first_cpu_wait(&self, ns_per_tick: f64) -> Option<CpuWait> {
        let (thread, readings) = self.delays.first()?;
        let ticks = || readings.iter().map(|(at, _)| at);
        self.cpu_wait(*thread, ticks().min()?, ticks().max()?, ns_per_tick)
    }
}

/// Returns the first and the last reading within a stretch, if they tell about it.
fn within<T: Copy>(readings: &Thinned<T>, from: u64, to: u64) -> Option<((u64, T), (u64, T))> {
    let inside = || readings.iter().filter(|(at, _)| (from..=to).contains(at));
    let first = inside().min_by_key(|(at, _)| *at)?;
    let last = inside().max_by_key(|(at, _)| *at)?;
    let is_telling = (last.0 - first.0) as f64 >= TELLING_RATIO * (to - from) as f64;
    (last.0 > first.0 && is_telling).then_some((first, last))
}

#[cfg(test)]
#[path = "tests/recorder_samples.rs"]
mod tests;
