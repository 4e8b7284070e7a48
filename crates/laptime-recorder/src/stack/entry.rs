//! One open span, and what is marked on it.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use laptime_core::PathId;

use crate::site::Site;

/// Set in [`Entry::site`] of spans that close together with their parent.
pub const AUTOMATIC: u32 = 1 << 31;

/// Set in [`Entry::site`] of spans that carry work, or that were written in part: no site is equal to it, so
/// such spans close the general way.
pub const CARRIES: u32 = 1 << 30;

/// Set in [`Entry::site`] of spans without a path of their own, of `<overflow>`: what is around them may have their time.
const OVERFLOWS: u32 = 1 << 29;

/// Spans with any of these close the general way.
pub const GENERAL: u32 = CARRIES | OVERFLOWS;

/// What of [`Entry::site`] is no site.
const FLAGS: u32 = AUTOMATIC | GENERAL;

/// One open span.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Entry {
    pub path: u32,
    /// Its site's index, and flags.
    pub site: u32,
    pub start: u64,
}

/// The place of an entry in a slot. Its thread alone writes it; another one may read it meanwhile, when the black box
/// is written out or the process forks, and then finds parts of two entries at worst.
#[repr(C)]
#[derive(Debug)]
pub struct AtomicEntry {
    path: AtomicU32,
    site: AtomicU32,
    start: AtomicU64,
}

const _: () = assert!(size_of::<AtomicEntry>() == size_of::<Entry>());

impl AtomicEntry {
    /// What stands there.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the hot path of every span
    pub fn get(&self) -> Entry {
        Entry {
            path: self.path.load(Relaxed),
            site: self.site.load(Relaxed),
            start: self.start.load(Relaxed),
        }
    }

    /// The path of what stands there; the rest isn't loaded.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the hot path of every span
    pub fn path(&self) -> u32 {
        self.path.load(Relaxed)
    }

    /// Puts another there.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the hot path of every span
    pub fn set(&self, entry: Entry) {
        self.path.store(entry.path, Relaxed);
        self.site.store(entry.site, Relaxed);
        self.start.store(entry.start, Relaxed);
    }
}

impl Entry {
    /// A span that opens.
    #[inline]
    pub fn new(path: PathId, site: &Site, flags: u32, start: u64) -> Self {
        let site = site.index() | flags;
        Self {
            path: 0,
            site,
            start,
        }
        .moved(path)
    }

    /// The same span under another path.
    #[inline]
    pub fn moved(self, path: PathId) -> Self {
        let overflows = if path == PathId::OVERFLOW {
            OVERFLOWS
        } else {
            0
        };
        Self {
            path: path.0,
            site: self.site & !OVERFLOWS | overflows,
            ..self
        }
    }

    /// The same span, which closes the general way.
    pub fn carrying(self) -> Self {
        Self {
            site: self.site | CARRIES,
            ..self
        }
    }

    /// Whether it was opened at a site.
    pub fn is_of(self, site: u32) -> bool {
        self.site & !FLAGS == site
    }

    /// Whether it closes together with its parent.
    pub fn is_automatic(self) -> bool {
        self.site & AUTOMATIC != 0
    }

    /// Whether it may carry anything.
    #[inline]
    pub fn carries(self) -> bool {
        self.site & CARRIES != 0
    }

    /// Whether it has no path of its own.
    pub fn is_overflow(self) -> bool {
        self.path == PathId::OVERFLOW.0
    }
}
