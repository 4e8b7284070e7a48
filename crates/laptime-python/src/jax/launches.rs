//! Whether what a lap launched was still being computed when it ended.
//!
//! JAX returns before its work is done, so a lap that doesn't wait lacks it. Of some laps the arrays
//! are [asked](super::question): which are alive before the lap begins, and whether those made since are
//! ready once it has ended. Both happen outside of the lap, and whose [turn](super::turns) it is
//! depends on what it costs. Programs without JAX have nothing of this on their way.

use std::cell::RefCell;
use std::mem::take;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use pyo3::prelude::*;

use laptime_core::SpanFlags;
use laptime_recorder::memory::Quiet;
use laptime_recorder::{self as recorder, Open, Site, clock};

use super::question::{Alive, imported};
use super::turns::Turns;
use crate::fast::{Locked, span, thread};
use crate::interned::intern;
use crate::rate;

/// Laps that are open at once on a thread, of which it is known what was alive before.
const MOST_OPEN: usize = 16;

static IS_ON: AtomicBool = AtomicBool::new(false);
/// The process whose clients may be asked: a child that was forked has only their looks.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static TURNS: Locked<Option<Turns>> = Locked::new(None);

/// What was seen before a lap began.
pub struct Look {
    kind: (u32, u32),
    alive: Alive,
    cost: u64,
    /// The thread's context then: tasks take turns in between where it changes.
    moment: u64,
}

thread_local! {
    static LOOKED: RefCell<Vec<(Open, Look)>> = const { RefCell::new(Vec::new()) };
}

/// Whether the program has JAX.
#[inline]
pub fn is_on() -> bool {
    IS_ON.load(Relaxed)
}

/// Looks at laps from now on; whether that is new.
pub fn begin() -> bool {
    let is_new = !IS_ON.swap(true, Relaxed);
    if is_new {
        PROCESS.store(std::process::id(), Relaxed);
    }
    is_new
}

/// Whether the program has imported it and laps are not looked at yet: asked at each new name of a
/// lap's.
#[cold]
pub fn is_due(python: Python<'_>) -> bool {
    !is_on() && imported(intern!(python, "jax")).is_some()
}

/// Looks at what is alive before a lap opens, if it is its turn.
pub fn look(site: &Site) -> Option<Look> {
    if recorder::is_off() {
        return None;
    }
    let kind = (span::at(recorder::current_path).0, site.index());
    let begun = clock::now();
    let is_due = turns(|turns| turns.is_due(kind, begun));
    if !is_due || PROCESS.load(Relaxed) != std::process::id() {
        return None;
    }
    turns(|turns| turns.begin(kind, begun));
    let _quiet = Quiet::begin();
    // SAFETY: called by functions of the extension module, which hold the lock.
    let alive = Alive::now(unsafe { Python::assume_attached() });
    Some(Look {
        kind,
        alive: alive.ok()?,
        cost: clock::now().saturating_sub(begun),
        moment: thread::moment(),
    })
}

/// The lap that was looked at has opened.
pub fn opened(look: Option<Look>, open: Option<Open>) {
    if let (Some(look), Some(open)) = (look, open) {
        on_this_thread(|looked| {
            looked.truncate(MOST_OPEN - 1);
            looked.push((open, look));
        });
    }
}

/// Opens a lap of a `with`.
pub fn open(site: &Site) -> Option<Open> {
    let look = look(site);
    // SAFETY: called by functions of the extension module, which hold the lock.
    let open = unsafe { span::open(site) };
    opened(look, open);
    open
}

/// Closes the innermost lap of a site, of a `with`.
pub fn close(site: &'static Site) -> Option<u64> {
    let has_looked = on_this_thread(|looked| !looked.is_empty()).unwrap_or(false);
    let innermost = || span::at(|| recorder::innermost_of(site));
    let known = has_looked.then(innermost).flatten();
    let ended = known.and_then(ended);
    // SAFETY: called by functions of the extension module, which hold the lock.
    unsafe {
        match (known, ended) {
            (Some(open), Some((end, flags))) => span::close_known(site, open, end, flags),
            _ => span::close(site),
        }
    }
}

/// When a lap that was looked at ends, which is now, and what is known of it then.
pub fn ended(open: Open) -> Option<(u64, SpanFlags)> {
    let end = clock::now();
    Some((end, looked_at(open)?.flags()))
}

fn looked_at(open: Open) -> Option<Look> {
    on_this_thread(|looked| {
        let index = looked.iter().rposition(|(known, _)| *known == open)?;
        // What was opened later and never closed is forgotten.
        looked.drain(index..).next().map(|(_, look)| look)
    })
    .flatten()
}

/// The laps that are looked at here; `None` once the thread has ended.
fn on_this_thread<R>(body: impl FnOnce(&mut Vec<(Open, Look)>) -> R) -> Option<R> {
    LOOKED
        .try_with(|looked| {
            let mut looked = looked.try_borrow_mut().ok()?;
            Some(body(&mut looked))
        })
        .ok()
        .flatten()
}

impl Look {
    /// What is known of its launches.
    fn flags(mut self) -> SpanFlags {
        let is_forked = PROCESS.load(Relaxed) != std::process::id();
        if is_forked || thread::moment() != self.moment {
            return SpanFlags::NONE;
        }
        let begun = clock::now();
        let _quiet = Quiet::begin();
        // SAFETY: called by functions of the extension module, which hold the lock.
        let python = unsafe { Python::assume_attached() };
        let ready = take(&mut self.alive).later_are_ready(python);
        let now = clock::now();
        let cost = self.cost.saturating_add(now.saturating_sub(begun));
        let ns_per_tick = rate::ns_per_tick(now);
        turns(|turns| turns.pay(self.kind, now, cost, ns_per_tick));
        match ready {
            Ok(Some(true)) => SpanFlags::WAITED,
            Ok(Some(false)) => SpanFlags::IN_FLIGHT,
            Ok(None) | Err(_) => SpanFlags::NONE,
        }
    }
}

fn turns<R>(body: impl FnOnce(&mut Turns) -> R) -> R {
    // SAFETY: called by functions of the extension module, which hold the lock; nothing that is
    // done with it runs Python code.
    body(unsafe { TURNS.get() }.get_or_insert_default())
}
