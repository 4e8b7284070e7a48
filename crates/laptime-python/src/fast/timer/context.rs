//! A context of a timer: its segments, found by their names.
//!
//! Names that stand in source code are always the same object, so a small table keyed by the
//! object's address answers first.

use std::cell::{Cell, RefCell, RefMut};
use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_analysis::timer::SegmentRuns;
use laptime_recorder::Site;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::gauge::Gauge;
use super::segment::{Key, Segment};
use super::settings::Settings;
use crate::entry::raised;
use crate::fast::name;

/// Entries of a context's cache by the name object's address.
const CACHED: usize = 16;

/// A named set of segments.
pub struct Context {
    /// The context's name.
    pub name: String,
    /// How its timer measures.
    pub settings: Settings,
    /// Whether the context measures at all.
    pub is_on: Cell<bool>,
    /// Whether the timer of the context measures at all.
    timer_is_on: Arc<AtomicBool>,
    /// The context's segments, in order of their first start.
    pub segments: RefCell<Vec<Segment>>,
    gauge: RefCell<Arc<Gauge>>,
    /// Whether there is nothing but the clock to read.
    pub is_plain: Cell<bool>,
    by_key: RefCell<HashMap<Key, usize>>,
    /// Address of a name, which is kept alive, and its segment.
    cache: RefCell<[(*mut ffi::PyObject, usize); CACHED]>,
}

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    /// An empty context.
    pub fn new(
        name: String,
        settings: Settings,
        gauge: Arc<Gauge>,
        timer_is_on: Arc<AtomicBool>,
    ) -> Self {
        Self {
            name,
            settings,
            is_on: Cell::new(true),
            timer_is_on,
            segments: RefCell::default(),
            is_plain: Cell::new(matches!(*gauge, Gauge::Clock)),
            gauge: RefCell::new(gauge),
            by_key: RefCell::default(),
            cache: RefCell::new([(null_mut(), 0); CACHED]),
        }
    }

    /// What is measured from now on beside the clock.
    pub fn measure(&self, gauge: Arc<Gauge>) {
        self.is_plain.set(matches!(*gauge, Gauge::Clock));
        let before = self.gauge.replace(gauge);
        drop(before);
    }

    /// What is measured beside the clock.
    pub fn gauge(&self) -> Arc<Gauge> {
        self.gauge.borrow().clone()
    }

    /// Whether the context and its timer are on.
    #[inline]
    pub fn measures(&self) -> bool {
        self.is_on.get() && self.timer_is_on.load(Relaxed)
    }

    /// Forgets one segment, or all, running ones included.
    pub fn forget(&self, key: Option<Key>) -> bool {
        let mut segments = self.segments.borrow_mut();
        let before = segments.len();
        let (kept, gone): (Vec<_>, Vec<_>) = segments
            .drain(..)
            .partition(|segment| key.is_some_and(|key| segment.key() != key));
        *segments = kept;
        let by_key = segments.iter().enumerate();
        *self.by_key.borrow_mut() = by_key.map(|(at, one)| (one.key(), at)).collect();
        for entry in self.cache.borrow_mut().iter_mut() {
            // SAFETY: the cache holds a reference to each name in it; a `str` runs no code when freed.
            unsafe { ffi::Py_XDECREF(std::mem::replace(&mut entry.0, null_mut())) };
        }
        let is_less = before > segments.len();
        drop(segments);
        // Only now: what they hold may run code when it goes.
        drop(gone);
        is_less
    }

    /// A name's site and key; an error when it is no name.
    pub fn key_of(&self, given: &Bound<'_, PyAny>) -> PyResult<(&'static Site, Key)> {
        let (shown, is_text) = match given.cast::<PyString>() {
            Ok(text) => (text.clone(), true),
            Err(_) if self.settings.profiling => (given.repr()?, false),
            Err(_) => return Err(name::refused("a segment's name is a str", given)),
        };
        // SAFETY: a `str`, with the lock held.
        let site = unsafe { name::site(shown.as_ptr()) };
        let site = site.ok_or_else(|| raised(given.py()))?;
        Ok((site, (site.index(), is_text)))
    }

    /// Reads the finished runs of a segment, once the device has told all of them; `None` where
    /// there is no such segment.
    pub fn runs<R>(
        &self,
        python: Python<'_>,
        key: Key,
        read: impl FnOnce(&SegmentRuns) -> R,
    ) -> PyResult<Option<R>> {
        self.settle(python)?;
        let segments = self.segments.borrow();
        let found = segments.iter().find(|one| one.key() == key);
        Ok(found.map(|segment| read(&segment.runs)))
    }

    /// Where the segment of that name stands, made at its first use; `None` with a Python error set
    /// when it is no name.
    #[inline]
    pub fn find(&self, given: *mut ffi::PyObject) -> Option<usize> {
        let (known, at) = self.cache.borrow()[(given.addr() >> 4) % CACHED];
        if known == given {
            return Some(at);
        }
        self.find_slowly(given)
    }

    #[cold]
    #[inline(never)]
    fn find_slowly(&self, given: *mut ffi::PyObject) -> Option<usize> {
        // SAFETY: the lock is held, and the object is the caller's argument.
        let given = unsafe { Bound::from_borrowed_ptr(Python::assume_attached(), given) };
        let named = self.key_of(&given);
        let (site, (_, is_text)) = named.map_err(|error| error.restore(given.py())).ok()?;
        let at = self.add(Segment::new(site, is_text, SegmentRuns::default()));
        if given.is_exact_instance_of::<PyString>() {
            let place = (given.as_ptr().addr() >> 4) % CACHED;
            let new = (given.into_ptr(), at);
            let old = std::mem::replace(&mut self.cache.borrow_mut()[place], new);
            // SAFETY: null or a name that the table kept alive; a `str` runs no code when freed.
            unsafe { ffi::Py_XDECREF(old.0) };
        }
        Some(at)
    }

    /// The segment with that identity, if it is still there.
    pub fn by_id(&self, id: u64) -> Option<RefMut<'_, Segment>> {
        let segments = self.segments.borrow_mut();
        let at = segments.iter().position(|one| one.id == id)?;
        Some(RefMut::map(segments, |segments| &mut segments[at]))
    }

    /// Where the segment of that key stands; added when there is none.
    pub fn add(&self, segment: Segment) -> usize {
        let mut by_key = self.by_key.borrow_mut();
        *by_key.entry(segment.key()).or_insert_with(|| {
            let mut segments = self.segments.borrow_mut();
            segments.push(segment);
            segments.len() - 1
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // The names in the cache are released; dropped by Python objects only, so the lock is held.
        self.forget(None);
    }
}
