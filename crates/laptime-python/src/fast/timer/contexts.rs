//! The contexts of a timer: the main one, and those that were asked for by name.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use pyo3::prelude::*;

use super::context::Context;
use super::gauge::Gauge;
use super::settings::Settings;

/// Name of a timer's main context.
pub const MAIN: &str = "main";

/// All contexts of a timer.
pub struct Contexts {
    /// The one that a call without a context means.
    pub main: Arc<Context>,
    /// Contexts besides the main one, in the order of their first use.
    others: RefCell<Vec<Arc<Context>>>,
    /// Names of contexts that are off, whether there are such contexts or not.
    off: RefCell<Vec<String>>,
    is_on: Arc<AtomicBool>,
}

// SAFETY: every access holds the interpreter lock.
unsafe impl Send for Contexts {}
// SAFETY: as above.
unsafe impl Sync for Contexts {}

impl Contexts {
    /// Only the main one.
    pub fn new(settings: Settings, gauge: Gauge) -> Self {
        let is_on = Arc::new(AtomicBool::new(true));
        let main = Context::new(MAIN.to_owned(), settings, Arc::new(gauge), is_on.clone());
        Self {
            main: Arc::new(main),
            others: RefCell::default(),
            off: RefCell::default(),
            is_on,
        }
    }

    /// Whether the timer measures.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Relaxed)
    }

    /// Has the timer measure from now on, or not.
    pub fn switch(&self, is_on: bool) {
        self.is_on.store(is_on, Relaxed);
    }

    /// Has one context measure from now on, or not, even if it is made later.
    pub fn switch_one(&self, name: &str, is_on: bool) {
        if let Some(context) = self.find(name) {
            context.is_on.set(is_on);
        }
        let mut off = self.off.borrow_mut();
        off.retain(|one| one != name);
        if !is_on {
            off.push(name.to_owned());
        }
    }

    /// Names of the contexts that were switched off by name.
    pub fn off(&self) -> Vec<String> {
        self.off.borrow().clone()
    }

    /// All contexts, the main one first.
    pub fn all(&self) -> Vec<Arc<Context>> {
        let mut all = vec![self.main.clone()];
        all.extend(self.others.borrow().iter().cloned());
        all
    }

    /// Contexts that are on.
    pub fn enabled(&self) -> Vec<Arc<Context>> {
        let mut all = self.all();
        all.retain(|context| context.is_on.get());
        all
    }

    /// The context of that name.
    pub fn find(&self, name: &str) -> Option<Arc<Context>> {
        if name == MAIN {
            return Some(self.main.clone());
        }
        let others = self.others.borrow();
        others.iter().find(|one| one.name == name).cloned()
    }

    /// The context of that name; made when there is none.
    pub fn find_or_make(&self, name: &str) -> Arc<Context> {
        self.find(name).unwrap_or_else(|| {
            let (settings, gauge) = (self.main.settings, self.main.gauge());
            let made = Context::new(name.to_owned(), settings, gauge, self.is_on.clone());
            made.is_on
                .set(!self.off.borrow().iter().any(|off| off == name));
            let made = Arc::new(made);
            self.others.borrow_mut().push(made.clone());
            made
        })
    }

    /// What all contexts measure from now on beside the clock.
    pub fn measure(&self, gauge: Gauge) {
        let gauge = Arc::new(gauge);
        for context in self.all() {
            context.measure(gauge.clone());
        }
    }

    /// Fills in every duration that a device still owes, and waits for it.
    pub fn settle(&self, python: Python<'_>) -> PyResult<()> {
        let mut all = self.all().into_iter();
        all.try_for_each(|context| context.settle(python))
    }

    /// Forgets all segments.
    pub fn forget(&self) {
        for context in self.all() {
            context.forget(None);
        }
    }

    /// Forgets all segments, and all contexts but the main one.
    pub fn clear(&self) {
        self.forget();
        let gone = std::mem::take(&mut *self.others.borrow_mut());
        drop(gone);
    }
}
