//! Somebody who listens to steps: every so many of them, or when he asks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use laptime_analysis::StepWindows;
use laptime_core::{News, PhaseName};
use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use super::listening;
use super::window::StepWindow;
use crate::entry::measuring;
use crate::fast::Locked;

/// Metrics of different names that are kept at most.
const MOST_METRICS: usize = 64;

/// Listens to the steps of a name, between `start` and `stop`.
#[pyclass(frozen, module = "laptime._core")]
pub struct StepListener {
    name: String,
    /// A window has so many steps; 0: it is asked for.
    every: u64,
    told: Option<Py<PyAny>>,
    /// Is called when a step has ended, one that was counted or profiled too: how many have, and whether
    /// Laptime found it by itself.
    ends: Option<Py<PyAny>>,
    counted: AtomicU64,
    /// How many `ends` was called about.
    ends_told: AtomicU64,
    is_automatic: AtomicBool,
    state: Locked<State>,
    /// The process that listens: a child that was forked from it doesn't.
    process: u32,
}

struct State {
    windows: StepWindows,
    waiting: Vec<StepWindow>,
    /// The last value of each metric inside of such a lap, in the order of their first ones.
    metrics: Vec<(String, f64)>,
}

#[guarded]
#[pymethods]
impl StepListener {
    #[new]
    #[pyo3(signature = (name, every=0, told=None, ends=None))]
    fn new(name: String, every: u64, told: Option<Py<PyAny>>, ends: Option<Py<PyAny>>) -> Self {
        let state = State {
            windows: StepWindows::new(&name),
            waiting: Vec::new(),
            metrics: Vec::new(),
        };
        Self {
            name,
            every,
            told,
            ends,
            counted: AtomicU64::new(0),
            ends_told: AtomicU64::new(0),
            is_automatic: AtomicBool::new(false),
            state: Locked::new(state),
            process: std::process::id(),
        }
    }

    /// Listens from now on: steps that ended before count for the number of a step, and are in no window.
    fn start(this: &Bound<'_, Self>) {
        let start = || {
            listening::add(this.py(), this);
            this.get().with(|state| {
                state.windows.skip();
                state.metrics.clear();
            });
        };
        measuring(|| (), start);
    }

    /// Listens no more.
    fn stop(this: &Bound<'_, Self>) {
        measuring(|| (), || listening::remove(this.py(), this));
    }

    /// Names and last values of the metrics that were recorded inside of such laps since the last call.
    fn take_metrics(&self) -> Vec<(String, f64)> {
        let take = || self.with(|state| std::mem::take(&mut state.metrics));
        measuring(Vec::new, take)
    }

    /// The steps since the last window; None when there was none. A step that goes on is in the next.
    fn take(&self, python: Python<'_>) -> Option<StepWindow> {
        let take = || {
            if self.every > 0 {
                listening::take_in(python); // those of no full window
            }
            self.with(|state| state.windows.take())
        };
        Some(StepWindow::new(&self.name, measuring(|| None, take)?))
    }

    /// Names of laps that came more than once, where none of this name did since the last window.
    fn others(&self, python: Python<'_>) -> Vec<String> {
        let others = || {
            listening::take_in(python);
            self.with(|state| state.windows.others())
        };
        measuring(Vec::new, others)
    }

    // Who is told holds this: the collector finds the two together, once nobody listens.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.told)?;
        visit.call(&self.ends)
    }
}

impl StepListener {
    /// Whether it listens to steps of a name.
    pub fn hears(&self, name: &str) -> bool {
        let plain = || PhaseName::of_counted(name).map(PhaseName::text);
        self.name == name || (self.ends.is_some() && plain() == Some(&self.name))
    }

    fn with<R>(&self, body: impl FnOnce(&mut State) -> R) -> R {
        // SAFETY: called with the lock held; nothing that is done with it runs Python code.
        body(unsafe { self.state.get() })
    }

    /// Takes in what is new.
    pub fn take_in(&self, news: &News) {
        self.with(|state| {
            let State {
                windows, metrics, ..
            } = state;
            windows.take_in(news);
            for (path, value) in &news.metrics {
                let Some(name) = windows.metric_inside(*path) else {
                    continue;
                };
                let is_full = metrics.len() >= MOST_METRICS;
                match metrics.iter_mut().find(|(known, _)| known == name) {
                    Some((_, last)) => *last = *value,
                    None if is_full => {}
                    None => metrics.push((name.to_owned(), *value)),
                }
            }
        });
    }

    /// Counts a step of a name; whether it is to be taken in now.
    pub fn count(&self, name: &str, is_automatic: bool) -> bool {
        if !self.hears(name) || self.process != std::process::id() {
            return false;
        }
        self.is_automatic.store(is_automatic, Relaxed);
        let counted = self.counted.fetch_add(1, Relaxed) + 1;
        self.every == 0 || counted.is_multiple_of(self.every)
    }

    /// Ends a window that is full.
    pub fn keep_window(&self) {
        if self.every == 0 {
            return; // whoever asks for it ends it
        }
        self.with(|state| {
            let window = state.windows.take();
            let window = window.map(|window| StepWindow::new(&self.name, window));
            state.waiting.extend(window);
        });
    }

    /// Calls who listens with each window that waits.
    pub fn call(this: &Bound<'_, Self>) -> PyResult<()> {
        let waiting = this.get().with(|state| std::mem::take(&mut state.waiting));
        let counted = this.get().counted.load(Relaxed);
        if let Some(ends) = &this.get().ends
            && this.get().ends_told.swap(counted, Relaxed) < counted
        {
            let is_automatic = this.get().is_automatic.load(Relaxed);
            ends.call1(this.py(), (counted, is_automatic))?;
        }
        if let Some(told) = &this.get().told {
            for window in waiting {
                told.call1(this.py(), (window,))?;
            }
        }
        Ok(())
    }
}
