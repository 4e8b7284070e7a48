//! What the process remembers of its own spans.
//!
//! The first windows are kept whole, so that a report can tell warm-up from steady state
//! afterwards; later ones are folded into tallies. Marks and metrics are always kept, up
//! to a bound.

use std::collections::BTreeMap;

use laptime_core::anchor::Rate;
use laptime_core::format::reader::Visit;
use laptime_core::format::record::{Cursor, Record, encode};
use laptime_core::format::window::{COMMITTED_OFFSET, HEADER_LEN, WINDOW_LEN, Window};
use laptime_core::{
    Anchor, DeviceMemoryTally, DeviceSpan, DeviceTally, PathId, SpanFlags, Tallies,
};

use crate::clock;
use crate::follow;
use crate::lock::Lock;

/// Windows kept whole: 1 MiB, about 150,000 spans.
const HEAD_WINDOWS: usize = 16;
/// Windows of marks and metrics kept after those: 1 MiB, about 60,000 of them.
const EVENT_WINDOWS: usize = 16;

static RECOLLECTION: Lock<Recollection> = Lock::new(Recollection::new());

/// The spans of this process so far, without those in open windows.
#[derive(Debug, Clone)]
pub struct Recollection {
    pub head: Vec<Vec<u8>>,
    pub events: Vec<Vec<u8>>,
    pub tail: Option<Tallies>,
    /// Spans of `<overflow>` in the tail whose time is that of what they ran inside of.
    pub overflowed_spans: u64,
    /// When the first span of the tail began, in ticks.
    pub tail_since: u64,
    /// How often each stretch ran whose operations are known.
    pub ran: BTreeMap<u32, u64>,
    /// What devices told of the spans of the tail.
    pub on_devices: BTreeMap<PathId, DeviceTally>,
    /// What devices' allocators told of them.
    pub device_memory: BTreeMap<PathId, DeviceMemoryTally>,
    /// Windows up to this number were opened before the last reset.
    forgotten: u32,
}

impl Recollection {
    const fn new() -> Self {
        Self {
            head: Vec::new(),
            events: Vec::new(),
            tail: None,
            overflowed_spans: 0,
            tail_since: u64::MAX,
            ran: BTreeMap::new(),
            on_devices: BTreeMap::new(),
            device_memory: BTreeMap::new(),
            forgotten: 0,
        }
    }

    /// Windows up to this number were opened before the last reset.
    pub fn forgotten(&self) -> u32 {
        self.forgotten
    }

    /// Takes in a window's committed bytes, unless they are from before a reset.
    pub fn take(&mut self, bytes: Vec<u8>, rate: Rate) {
        let Ok(Some(window)) = Window::parse(&bytes, 0) else {
            return;
        };
        if window.header.stream <= self.forgotten {
            return;
        }
        if self.head.len() < HEAD_WINDOWS {
            self.head.push(bytes);
            return;
        }
        let mut folding = Folding {
            tail: self.tail.get_or_insert_default(),
            overflowed: 0,
            since: self.tail_since,
            ran: &mut self.ran,
            on_devices: &mut self.on_devices,
            device_memory: &mut self.device_memory,
            rate,
            events: Vec::new(),
            cursor: window.header.cursor(),
        };
        // The bytes come from this process; if they were damaged, the rest of the window is lost.
        let _ = window.visit(&mut folding);
        self.tail_since = folding.since;
        self.overflowed_spans += folding.overflowed;
        let events = folding.events;
        if !events.is_empty() {
            self.keep_events(&bytes[..HEADER_LEN], &events);
        }
    }

    fn keep_events(&mut self, header: &[u8], events: &[u8]) {
        if self.events.len() >= EVENT_WINDOWS || events.len() > WINDOW_LEN - HEADER_LEN {
            return;
        }
        let mut window = header.to_vec();
        window[COMMITTED_OFFSET..][..4].copy_from_slice(&(events.len() as u32).to_le_bytes());
        window.extend_from_slice(events);
        self.events.push(window);
    }
}

/// Folds one window.
struct Folding<'t> {
    tail: &'t mut Tallies,
    overflowed: u64,
    since: u64,
    ran: &'t mut BTreeMap<u32, u64>,
    on_devices: &'t mut BTreeMap<PathId, DeviceTally>,
    device_memory: &'t mut BTreeMap<PathId, DeviceMemoryTally>,
    rate: Rate,
    /// Marks, metrics, modules and counted operations, encoded again.
    events: Vec<u8>,
    cursor: Cursor,
}

impl<'a> Visit<'a> for Folding<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, _track: u32) {
        self.since = self.since.min(start);
        self.tail.fold_plain(path, self.rate.nanoseconds(duration));
    }

    fn device_span(&mut self, span: DeviceSpan) {
        self.on_devices.entry(span.path).or_default().add(&span);
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) if span.flags.has(SpanFlags::INSIDE) => {
                self.overflowed += u64::from(span.path == PathId::OVERFLOW);
            }
            Record::Span(span) => {
                self.since = self.since.min(span.start);
                self.tail.fold(&span, self.rate);
            }
            Record::Ran { stretch, .. } => *self.ran.entry(stretch).or_default() += 1,
            Record::DeviceSpan(span) => self.device_span(span),
            Record::DeviceMemory(span) => {
                let told = self.device_memory.entry(span.path).or_default();
                told.add(&span.memory);
            }
            Record::Mark { .. }
            | Record::Metric { .. }
            | Record::Module { .. }
            | Record::Operations(_) => {
                encode(&mut self.events, &mut self.cursor, &record);
            }
            _ => {}
        }
    }
}

/// Nanoseconds a tick, from the first anchor to now.
pub fn rate_since(first: Anchor) -> Rate {
    let now = clock::anchor();
    let (ticks, ns) = (
        now.ticks.saturating_sub(first.ticks),
        now.monotonic_ns.saturating_sub(first.monotonic_ns),
    );
    if ns < laptime_core::ClockMap::MIN_SPACING_NS || ticks == 0 {
        return Rate::new(clock::nominal_ns_per_tick());
    }
    Rate::new(ns as f64 / ticks as f64)
}

/// How many spans a window's bytes hold.
pub fn spans_in(bytes: &[u8]) -> u64 {
    let mut count = 0;
    if let Ok(Some(window)) = Window::parse(bytes, 0) {
        let _ = window.for_each(|record| count += u64::from(matches!(record, Record::Span(_))));
    }
    count
}

/// Takes in a window that is full.
pub fn fold(bytes: Vec<u8>, first: Anchor) {
    let rate = rate_since(first);
    follow::folded(&bytes, rate);
    RECOLLECTION.lock().take(bytes, rate);
}

/// What is remembered so far.
pub fn recollection() -> Recollection {
    RECOLLECTION.lock().clone()
}

/// Forgets everything: for a fork's child.
pub fn forget() {
    *RECOLLECTION.lock() = Recollection::new();
    follow::forget();
}

/// Forgets everything, and windows up to this number when they come.
pub fn reset(opened: u32) {
    *RECOLLECTION.lock() = Recollection {
        forgotten: opened,
        ..Recollection::new()
    };
    follow::reset(opened);
}

/// Locks over a fork.
pub fn lock_for_fork() {
    RECOLLECTION.hold();
    follow::lock_for_fork();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe {
        follow::unlock_after_fork();
        RECOLLECTION.release();
    }
}
