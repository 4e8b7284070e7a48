//! Whether the interpreter collects garbage, read from outside.
//!
//! It notes that in a number beside its lists `gc.garbage` and `gc.callbacks`. The headers say where; that these lists
//! stand right behind it shows that it is there in this interpreter too. Where they don't, nothing is told.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use pyo3::prelude::*;

use super::layout;
use super::peek::{half_at, peek, word_at};

/// The number with its padding, and the addresses of both lists.
const LEN: usize = 24;

/// Addresses of the interpreter's lists of garbage and of callbacks; 0 where they aren't known.
static LISTS: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

/// Takes the addresses of both lists, before the program can give their names to others.
pub fn learn(python: Python<'_>) {
    let lists = || {
        let module = python.import("gc").ok()?;
        let address = |name| Some(module.getattr(name).ok()?.as_ptr().addr() as u64);
        Some([address("garbage")?, address("callbacks")?])
    };
    for (list, address) in LISTS.iter().zip(lists().unwrap_or_default()) {
        list.store(address, Relaxed);
    }
}

/// Reads whether the interpreter collects garbage.
pub struct Collector {
    /// Where it notes that.
    at: u64,
}

impl Collector {
    /// Finds it in the interpreter that is at this address.
    pub fn of_interpreter(interpreter: u64) -> Self {
        Self {
            at: interpreter.wrapping_add(layout::collecting()),
        }
    }

    /// Whether a collection goes on; false where that isn't known.
    pub fn is_collecting(&self) -> bool {
        let lists = LISTS.each_ref().map(|list| list.load(Relaxed));
        let mut bytes = [0; LEN];
        let is_read = lists[0] != 0 && peek(self.at, &mut bytes);
        let is_there = is_read && lists == [word_at(&bytes, 8), word_at(&bytes, 16)];
        is_there && half_at(&bytes, 0) == 1
    }
}
