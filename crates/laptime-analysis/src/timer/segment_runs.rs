//! The finished runs of a timer's segment, oldest first, as columns.
//!
//! **Cost** 8 bytes a run, 8 more with its start, 24 more with its memory, 16 more with CPU times;
//! while a column grows, up to twice that.

use laptime_core::Total;

/// Placeholder in the column of durations for one that the device still owes.
const OWED: u64 = u64::MAX;

/// Memory over one run, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentMemory {
    /// Allocated at the start.
    pub before: i64,
    /// Allocated at the end.
    pub after: i64,
    /// The most that was allocated in between.
    pub most: i64,
}

impl SegmentMemory {
    /// Placeholder in the column of memory for a run whose memory nobody read.
    pub const NOT_READ: Self = Self {
        before: i64::MIN,
        after: i64::MIN,
        most: i64::MIN,
    };

    /// Returns the bytes that the run left allocated; below zero when it freed.
    pub fn net_bytes(self) -> i64 {
        self.after - self.before
    }

    /// Returns the most bytes that were allocated meanwhile, over those at the start.
    pub fn peak_bytes(self) -> i64 {
        self.most - self.before
    }
}

/// One finished run, as it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SegmentRun {
    /// Moment when it began, in ticks, where that is kept.
    pub started: Option<u64>,
    /// Duration of the segment by the timer's clock.
    pub elapsed_ns: u64,
    /// CPU time of the process and of the thread meanwhile, where they are asked for.
    pub cpu_ns: Option<(u64, u64)>,
    /// Time that the thread was ready and others ran, where that is asked for and known.
    pub delayed_ns: Option<u64>,
    /// Memory of the segment, where that was read.
    pub memory: Option<SegmentMemory>,
}

/// The moment that times are told from.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    /// The moment itself.
    pub ticks: u64,
    /// Nanoseconds of a tick.
    pub ns_per_tick: f64,
}

impl Origin {
    /// Returns how far a moment is from the origin; below zero before it.
    pub fn ns_at(self, ticks: u64) -> i64 {
        let ticks = i128::from(ticks) - i128::from(self.ticks);
        (ticks as f64 * self.ns_per_tick).round() as i64
    }

    /// Returns the moment that is so far from the origin.
    pub fn ticks_at(self, ns: i64) -> u64 {
        let ticks = (ns as f64 / self.ns_per_tick).round() as i64;
        self.ticks.saturating_add_signed(ticks)
    }
}

/// One finished run, at its moment since an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentRecord {
    /// Moment when it began, since the [`Origin`]; below zero before it.
    pub start_ns: i64,
    /// Duration of the run.
    pub elapsed_ns: u64,
    /// Memory of the run, where that was read.
    pub memory: Option<SegmentMemory>,
}

/// All finished runs of one segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentRuns {
    /// Durations in nanoseconds of the timer's clock.
    pub elapsed_ns: Vec<u64>,
    /// Starts in ticks, where they are kept.
    pub started: Vec<u64>,
    /// Memory of each run; empty when nobody ever looked.
    pub memory: Vec<SegmentMemory>,
    /// CPU times of process and thread, where they are asked for.
    pub cpu_ns: Vec<(u64, u64)>,
    /// Sum of the times that the thread was ready and others ran.
    pub delayed_ns: Option<u64>,
    /// Number of durations that the device measures.
    pub on_device: u64,
    /// Sum of the durations that the device has told.
    pub device_ns: u64,
}

impl SegmentRuns {
    /// Adds a run.
    #[inline]
    pub fn push(&mut self, run: SegmentRun) {
        self.started.extend(run.started);
        self.cpu_ns.extend(run.cpu_ns);
        if let Some(delayed_ns) = run.delayed_ns {
            self.delayed_ns = Some(self.delayed_ns.unwrap_or(0) + delayed_ns);
        }
        if !self.memory.is_empty() || run.memory.is_some() {
            let count = self.elapsed_ns.len();
            self.memory.resize(count, SegmentMemory::NOT_READ);
            self.memory
                .push(run.memory.unwrap_or(SegmentMemory::NOT_READ));
        }
        self.elapsed_ns.push(run.elapsed_ns);
    }

    /// Leaves the duration of the last run to the device, and returns its place for [`SegmentRuns::settle`].
    pub fn owe_last(&mut self) -> Option<usize> {
        *self.elapsed_ns.last_mut()? = OWED;
        self.on_device += 1;
        Some(self.elapsed_ns.len() - 1)
    }

    /// Fills in a duration that the device owed, and the start by its clock.
    pub fn settle(&mut self, place: usize, ns: u64, started: u64) {
        self.elapsed_ns[place] = ns;
        self.device_ns += ns;
        if let Some(start) = self.started.get_mut(place) {
            *start = started;
        }
    }

    /// Iterates over the runs whose start was kept.
    pub fn records(&self, origin: Origin) -> impl Iterator<Item = SegmentRecord> {
        let runs = self.elapsed_ns.iter().zip(&self.started).enumerate();
        runs.map(move |(at, (elapsed_ns, started))| SegmentRecord {
            start_ns: origin.ns_at(*started),
            elapsed_ns: *elapsed_ns,
            memory: self.memory.get(at).and_then(read),
        })
    }

    /// Returns the sum of the durations.
    pub fn total_ns(&self) -> u64 {
        self.elapsed_ns.iter().total()
    }

    /// Returns the fewest and the most bytes that a run left allocated; `None` when memory was not read for any.
    pub fn net_bytes(&self) -> Option<(i64, i64)> {
        self.bounds(SegmentMemory::net_bytes)
    }

    /// Returns the smallest and the largest peak of a run.
    pub fn peak_bytes(&self) -> Option<(i64, i64)> {
        self.bounds(SegmentMemory::peak_bytes)
    }

    fn bounds(&self, number: fn(SegmentMemory) -> i64) -> Option<(i64, i64)> {
        let numbers = || self.memory.iter().filter_map(read).map(number);
        Some((numbers().min()?, numbers().max()?))
    }
}

fn read(memory: &SegmentMemory) -> Option<SegmentMemory> {
    (*memory != SegmentMemory::NOT_READ).then_some(*memory)
}

#[cfg(test)]
#[path = "tests/segment_runs.rs"]
mod tests;
