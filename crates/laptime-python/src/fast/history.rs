//! What a timer keeps of its finished segments: columns, and durations that a device still owes.
//!
//! **Cost** 8 bytes a segment, 8 more with its start, 24 more with its memory, 16 more with CPU
//! times; while a vector grows, up to twice that.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use laptime_recorder::Site;
use pyo3::prelude::*;

use super::gauge::Memory;
use super::timer::{Context, Running, Settings};

/// Stands for a duration that the device still owes.
const OWED: u64 = u64::MAX;
/// Durations owed before it is looked which are there already.
const MANY_OWED: usize = 64;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// A finished segment's figures.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// When it began, in ticks.
    pub started: u64,
    /// Its duration by the timer's clock.
    pub elapsed_ns: u64,
    /// CPU time of the process meanwhile.
    pub process_ns: u64,
    /// CPU time of the thread meanwhile.
    pub thread_ns: u64,
    /// Time that the thread was ready and others ran, where it was asked for and is known.
    pub delayed_ns: Option<u64>,
}

/// Name and durations; CPU times and delay; memory; how many were measured by a device, and their sum.
pub type Parts = (
    (String, Vec<u64>),
    (Vec<(u64, u64)>, Option<u64>),
    Vec<(i64, i64, i64)>,
    (u64, u64),
);

/// A segment's history.
pub struct Segment {
    /// Its name, as recorded.
    pub site: &'static Site,
    /// Whether the name was a string rather than another object's representation.
    pub is_text: bool,
    /// Of this object alone.
    pub id: u64,
    /// Those that run, the innermost last.
    pub running: Vec<Running>,
    /// Durations in nanoseconds of the timer's clock.
    pub elapsed_ns: Vec<u64>,
    /// Starts in ticks, where they are kept.
    pub started: Vec<u64>,
    /// Memory; empty when nobody ever looked.
    pub memory: Vec<Memory>,
    /// CPU times of process and thread, where they are asked for.
    pub cpu_ns: Vec<(u64, u64)>,
    /// Sum of the times that the thread was ready and others ran.
    pub delayed_ns: Option<u64>,
    /// How many durations were measured by the device.
    pub on_device: u64,
    /// Their sum, of those that are known.
    device_ns: u64,
    owed: Vec<(usize, Py<PyAny>)>,
    next_look: usize,
}

impl Segment {
    /// Without history.
    pub fn new(site: &'static Site, is_text: bool) -> Self {
        Self {
            site,
            is_text,
            id: NEXT_ID.fetch_add(1, Relaxed),
            running: Vec::new(),
            elapsed_ns: Vec::new(),
            started: Vec::new(),
            memory: Vec::new(),
            cpu_ns: Vec::new(),
            delayed_ns: None,
            on_device: 0,
            device_ns: 0,
            owed: Vec::new(),
            next_look: MANY_OWED,
        }
    }

    /// What tells it from the others of its context.
    pub fn key(&self) -> (u32, bool) {
        (self.site.index(), self.is_text)
    }

    /// Its finished runs, to be copied.
    pub fn parts(&self) -> Parts {
        let memory = self.memory.iter();
        (
            (self.site.name().to_owned(), self.elapsed_ns.clone()),
            (self.cpu_ns.clone(), self.delayed_ns),
            memory
                .map(|one| (one.before, one.after, one.most))
                .collect(),
            (self.on_device, self.device_ns),
        )
    }

    /// Takes what [`Segment::parts`] gave.
    pub fn from_parts(parts: Parts) -> Self {
        let ((name, elapsed_ns), (cpu_ns, delayed_ns), memory, on_device) = parts;
        let memory = memory.into_iter();
        let memory = memory.map(|(before, after, most)| Memory {
            before,
            after,
            most,
        });
        Self {
            elapsed_ns,
            cpu_ns,
            delayed_ns,
            memory: memory.collect(),
            on_device: on_device.0,
            device_ns: on_device.1,
            ..Self::new(Site::intern(&name), true)
        }
    }

    /// Adds a finished segment.
    #[inline]
    pub fn keep(&mut self, kept: Kept, settings: Settings, memory: Memory) {
        if settings.profiling {
            self.started.push(kept.started);
        }
        if settings.cpu {
            self.cpu_ns.push((kept.process_ns, kept.thread_ns));
            if let Some(delayed_ns) = kept.delayed_ns {
                self.delayed_ns = Some(self.delayed_ns.unwrap_or(0) + delayed_ns);
            }
        }
        if !self.memory.is_empty() || memory != Memory::NOT_READ {
            self.memory.resize(self.elapsed_ns.len(), Memory::NOT_READ);
            self.memory.push(memory);
        }
        self.elapsed_ns.push(kept.elapsed_ns);
    }

    /// The last duration is one that the device will know.
    pub fn keep_for_later(&mut self, elapsed: Py<PyAny>) {
        if let Some(last) = self.elapsed_ns.last_mut() {
            *last = OWED;
            self.on_device += 1;
            self.owed.push((self.elapsed_ns.len() - 1, elapsed));
        }
    }

    /// Time on the device, of the durations that it measured and that were asked for.
    pub fn device_ns(&self) -> u64 {
        self.device_ns
    }

    /// Memory over a finished segment.
    pub fn memory(&self, at: usize) -> Option<Memory> {
        self.memory.get(at).and_then(|memory| memory.read())
    }
}

impl Context {
    /// Fills in every duration that the device still owes, and waits for it.
    pub fn settle(&self, python: Python<'_>) -> PyResult<()> {
        let ids: Vec<u64> = self.segments.borrow().iter().map(|one| one.id).collect();
        ids.into_iter()
            .try_for_each(|id| self.settle_one(python, id, true))
    }

    /// Fills in what is there already, when much is owed: what waits is bounded by what runs.
    pub fn settle_some(&self, python: Python<'_>) {
        let many = |one: &&Segment| one.owed.len() >= one.next_look;
        let id = self.segments.borrow().iter().find(many).map(|one| one.id);
        if let Some(Err(error)) = id.map(|id| self.settle_one(python, id, false)) {
            error.write_unraisable(python, None);
        }
    }

    /// `elapsed.settle(wait)` is `None`, or nanoseconds and the start in ticks.
    fn settle_one(&self, python: Python<'_>, id: u64, wait: bool) -> PyResult<()> {
        let with = |change: &mut dyn FnMut(&mut Segment)| {
            let mut segments = self.segments.borrow_mut();
            if let Some(segment) = segments.iter_mut().find(|one| one.id == id) {
                change(segment);
            }
        };
        let mut owed = Vec::new();
        with(&mut |segment| owed = std::mem::take(&mut segment.owed));
        if owed.is_empty() {
            return Ok(());
        }
        let mut left = Vec::new();
        let mut known = Vec::new();
        for (at, elapsed) in owed {
            let name = pyo3::intern!(python, "settle");
            let settled: Option<(u64, u64)> = elapsed
                .call_method1(python, name, (wait,))?
                .extract(python)?;
            match settled {
                Some((ns, started)) => known.push((at, ns, started)),
                None => left.push((at, elapsed)),
            }
        }
        with(&mut |segment| {
            for (at, ns, started) in &known {
                segment.elapsed_ns[*at] = *ns;
                segment.device_ns += *ns;
                if let Some(place) = segment.started.get_mut(*at) {
                    *place = *started;
                }
            }
            // Others may have been added while Python code ran.
            left.append(&mut segment.owed);
            segment.owed = std::mem::take(&mut left);
            segment.next_look = (2 * segment.owed.len()).max(MANY_OWED);
        });
        Ok(())
    }
}
