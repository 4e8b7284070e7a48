//! Who listens, and what happens when a step ends.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use laptime_core::{News, PathId, Tallies};
use laptime_recorder::{self as recorder, Open};
use pyo3::prelude::*;

use super::listener::StepListener;
use crate::fast::{Locked, span};
use crate::handler;

static IS_ON: AtomicBool = AtomicBool::new(false);
/// Whether a window waits for who listens to it.
static IS_DUE: AtomicBool = AtomicBool::new(false);
static LISTENERS: Locked<Vec<Py<StepListener>>> = Locked::new(Vec::new());

/// Everything but metrics since somebody listens, for those who come later.
static PAST: Locked<News> = Locked::new(EMPTY);
const EMPTY: News = News {
    paths: Vec::new(),
    tallies: Tallies::new(),
    ran: BTreeMap::new(),
    stretches: Vec::new(),
    metrics: Vec::new(),
    notes: Vec::new(),
};

/// What paths are, by their numbers.
static KNOWN: Locked<Vec<Known>> = Locked::new(Vec::new());

#[derive(Clone)]
enum Known {
    Unknown,
    Other,
    Step(Arc<str>),
}

thread_local! {
    /// Who listens is being called: the steps in it are no training's.
    static IS_DELIVERING: Cell<bool> = const { Cell::new(false) };
}

/// What switches the functions that a `with` ends in; set with the module.
static SWITCH: Locked<Option<fn()>> = Locked::new(None);

/// Says what is to be switched when somebody listens, or nobody any more.
pub fn on_switch(switch: fn()) {
    // SAFETY: called with the lock held.
    *unsafe { SWITCH.get() } = Some(switch);
}

fn switch() {
    // SAFETY: called with the lock held.
    if let Some(switch) = *unsafe { SWITCH.get() } {
        switch();
    }
}

/// Whether anybody listens.
#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Bound, so that they are let go of at once: other references wait for `PyO3`'s own entries.
fn all(python: Python<'_>) -> Vec<Bound<'_, StepListener>> {
    // SAFETY: the lock is held, and counting references runs no Python code.
    let listeners = unsafe { LISTENERS.get() };
    listeners
        .iter()
        .map(|one| one.bind(python).clone())
        .collect()
}

/// Adds a listener, and tells it what others know already.
pub fn add(python: Python<'_>, listener: &Bound<'_, StepListener>) {
    remove(python, listener);
    recorder::follow();
    take_in(python);
    // SAFETY: the lock is held, and nothing here runs Python code.
    listener.get().take_in(unsafe { PAST.get() });
    // SAFETY: the lock is held, and nothing here runs Python code.
    unsafe { LISTENERS.get() }.push(listener.clone().unbind());
    forget_paths();
    IS_ON.store(true, Relaxed);
    switch();
}

/// Removes a listener; the last one switches everything off.
pub fn remove(python: Python<'_>, listener: &Bound<'_, StepListener>) {
    // SAFETY: the lock is held; what is removed is dropped below.
    let listeners = unsafe { LISTENERS.get() };
    let gone: Vec<_> = listeners.extract_if(.., |one| one.is(listener)).collect();
    let is_last = listeners.is_empty();
    forget_paths();
    if is_last && is_on() {
        IS_ON.store(false, Relaxed);
        switch();
        recorder::unfollow();
        // SAFETY: as above.
        *unsafe { PAST.get() } = EMPTY;
    }
    for one in gone {
        one.drop_ref(python);
    }
}

/// Others listen from now on.
fn forget_paths() {
    // SAFETY: called with the lock held; nothing here runs Python code.
    unsafe { KNOWN.get() }.clear();
}

/// Gives every listener what was recorded since the last time.
pub fn take_in(python: Python<'_>) {
    let news = recorder::news();
    for listener in all(python) {
        listener.get().take_in(&news);
    }
    // SAFETY: called with the lock held; nothing here runs Python code.
    let past = unsafe { PAST.get() };
    past.paths.extend(news.paths);
    past.stretches.extend(news.stretches);
    past.notes.extend(news.notes);
    past.tallies.append(news.tallies);
}

/// Whether a span that is about to close is a step that somebody listens to: its name.
///
/// **Cost** some 20 ns for what is none.
pub fn closing(open: Open) -> Option<Arc<str>> {
    if IS_DELIVERING.get() {
        return None;
    }
    let path = span::at(|| recorder::path_of(open))?;
    // SAFETY: called by functions of the extension module, which hold the lock; nothing here runs
    // Python code.
    let known = unsafe { KNOWN.get() };
    if known.len() <= path.index() {
        known.resize(path.index() + 1, Known::Unknown);
    }
    if let Known::Unknown = known[path.index()] {
        known[path.index()] = step_of(path).map_or(Known::Other, Known::Step);
    }
    match &known[path.index()] {
        Known::Step(name) => Some(name.clone()),
        _ => None,
    }
}

/// The step that a path is to who listens.
fn step_of(path: PathId) -> Option<Arc<str>> {
    // SAFETY: as in `closing`.
    let python = unsafe { Python::assume_attached() };
    let mut names = recorder::path_names(path);
    let name = names.pop()?;
    let is_listened_to = all(python).iter().any(|one| one.get().hears(&name));
    (is_listened_to && !names.contains(&name)).then(|| name.into())
}

/// A step has ended, one that Laptime found by itself or a lap of the program's. Runs no Python code.
pub fn ended(name: &str, is_automatic: bool) {
    // SAFETY: as in `closing`.
    let python = unsafe { Python::assume_attached() };
    let listeners = all(python);
    let due: Vec<_> = listeners
        .iter()
        .filter(|one| one.get().count(name, is_automatic))
        .collect();
    if due.is_empty() {
        return;
    }
    take_in(python);
    for one in due {
        one.get().keep_window();
    }
    IS_DUE.store(true, Relaxed);
}

/// Calls who listens with the windows that wait.
///
/// **Errors** with what a handler of a signal raised meanwhile, which is the program's.
pub fn deliver(python: Python<'_>) -> PyResult<()> {
    if !IS_DUE.load(Relaxed) || IS_DELIVERING.get() {
        return Ok(());
    }
    IS_DUE.store(false, Relaxed);
    IS_DELIVERING.set(true);
    let mut result = Ok(());
    for listener in all(python) {
        let called = StepListener::call(&listener);
        if let Err(error) = called
            && handler::raised_amid(python, &error)
        {
            result = result.and(Err(error));
        }
    }
    IS_DELIVERING.set(false);
    result
}
