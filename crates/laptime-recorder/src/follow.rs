//! Reads what this process records while it runs, each record once: what step windows are made from.
//!
//! A follower remembers how far it has read each window that threads write to. `news` reads on
//! from there, so it costs what there is of new records; what is in a window when that is full is read
//! before it is folded. Nothing of this is on the way of a span.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{RecordReader, Visit};
use laptime_core::format::record::{Cursor, Record};
use laptime_core::format::window::{HEADER_LEN, Window as Bytes};
use laptime_core::{Anchor, CountedStretch, News, PathId, SpanFlags, Tallies};

use crate::fold::{self, Recollection};
use crate::lock::Lock;
use crate::window::Window;

pub static IS_FOLLOWED: AtomicBool = AtomicBool::new(false);
/// Locked after the registry and what is remembered.
pub static FOLLOWER: Lock<Follower> = Lock::new(Follower::new());

/// What was read and not asked for yet, and how far.
pub struct Follower {
    pub news: News,
    /// By the window's number.
    read: BTreeMap<u32, Place>,
    pub paths: usize,
    pub notes: usize,
    /// Windows up to this number were opened before the last reset.
    forgotten: u32,
}

/// How far a window was read.
#[derive(Clone, Copy)]
struct Place {
    position: usize,
    cursor: Cursor,
}

/// Ends it.
pub fn unfollow() {
    IS_FOLLOWED.store(false, Relaxed);
    *FOLLOWER.lock() = Follower::new();
}

/// A window is full and waits for the collector.
pub fn retired(window: &Window, first: Anchor) {
    if IS_FOLLOWED.load(Relaxed) {
        let rate = fold::rate_since(first);
        FOLLOWER.lock().read_on(window, rate);
    }
}

/// A window's bytes are folded, and will not be seen again.
pub fn folded(bytes: &[u8], rate: Rate) {
    if IS_FOLLOWED.load(Relaxed) {
        FOLLOWER.lock().read_off(bytes, rate);
    }
}

/// Forgets what was read in windows up to this number.
pub fn reset(opened: u32) {
    let mut follower = FOLLOWER.lock();
    follower.forgotten = opened;
    follower.read.clear();
    let paths = std::mem::take(&mut follower.news.paths);
    follower.news = News {
        paths,
        ..News::default()
    };
}

/// Ends it for a fork's child: who follows is the parent.
pub fn forget() {
    unfollow();
}

impl Follower {
    const fn new() -> Self {
        Self {
            news: News {
                paths: Vec::new(),
                tallies: Tallies::new(),
                ran: BTreeMap::new(),
                stretches: Vec::new(),
                metrics: Vec::new(),
                notes: Vec::new(),
            },
            read: BTreeMap::new(),
            paths: 0,
            notes: 0,
            forgotten: 0,
        }
    }

    pub fn begin(&mut self, past: Recollection, rate: Rate) {
        *self = Self::new();
        self.forgotten = past.forgotten();
        for bytes in &past.head {
            self.read_off(bytes, rate);
        }
        if let Some(tail) = past.tail {
            self.news.tallies.append(tail);
        }
        for bytes in &past.events {
            self.read_off(bytes, rate);
        }
        for (stretch, times) in past.ran {
            *self.news.ran.entry(stretch).or_default() += times;
        }
    }

    /// Reads what was added to a window that is written to.
    pub fn read_on(&mut self, window: &Window, rate: Rate) {
        let stream = window.stream();
        if stream <= self.forgotten {
            return;
        }
        let place = self.read.get(&stream).copied().unwrap_or(Place {
            position: 0,
            cursor: window.start(),
        });
        let bytes = window.copy_since(place.position);
        let place = self.visit(&bytes, place, rate);
        self.read.insert(stream, place);
    }

    /// Reads the rest of a window that is written to no more.
    fn read_off(&mut self, bytes: &[u8], rate: Rate) {
        let Ok(Some(window)) = Bytes::parse(bytes, 0) else {
            return;
        };
        let stream = window.header.stream;
        if stream <= self.forgotten {
            return;
        }
        let place = self.read.remove(&stream).unwrap_or(Place {
            position: 0,
            cursor: window.header.cursor(),
        });
        let records = &bytes[HEADER_LEN..][..window.len()];
        self.visit(
            records.get(place.position..).unwrap_or_default(),
            place,
            rate,
        );
    }

    fn visit(&mut self, bytes: &[u8], place: Place, rate: Rate) -> Place {
        let mut reader = RecordReader::new(bytes, 0, place.cursor);
        let mut reading = Reading {
            news: &mut self.news,
            rate,
        };
        // Written by this process; were they damaged, the rest of the window would be lost.
        let _ = reader.visit_rest(&mut reading);
        Place {
            position: place.position + reader.position(),
            cursor: reader.cursor(),
        }
    }
}

struct Reading<'n> {
    news: &'n mut News,
    rate: Rate,
}

impl<'a> Visit<'a> for Reading<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, _start: u64, duration: u64, _track: u32) {
        let duration_ns = self.rate.nanoseconds(duration);
        self.news.tallies.fold_plain(path, duration_ns);
    }

    fn other(&mut self, record: Record<'a>) {
        match record {
            Record::Span(span) if span.flags.has(SpanFlags::INSIDE) => {}
            Record::Span(span) => self.news.tallies.fold(&span, self.rate),
            Record::Ran { stretch, .. } => *self.news.ran.entry(stretch).or_default() += 1,
            Record::Operations(operations) => {
                self.news.stretches.push(CountedStretch::new(&operations));
            }
            Record::Metric { path, value, .. } => self.news.metrics.push((path, value)),
            _ => {}
        }
    }
}

/// Locks over a fork.
pub fn lock_for_fork() {
    FOLLOWER.hold();
}

/// Undoes [`lock_for_fork`].
///
/// # Safety
/// The calling thread holds the lock.
pub unsafe fn unlock_after_fork() {
    // SAFETY: the caller's promise.
    unsafe { FOLLOWER.release() };
}
