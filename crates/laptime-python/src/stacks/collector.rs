//! Whether the interpreter collects garbage, read from outside.
//!
//! It notes that in a number beside its lists `gc.garbage` and `gc.callbacks`. The headers say where; that these lists
//! stand right behind it shows that it is there in this interpreter too. Where they don't, nothing is told.

use std::sync::OnceLock;

use pyo3::prelude::*;

use super::layout;
use super::peek::{half_at, peek, word_at};

/// The number with its padding, and the addresses of both lists.
const LEN: usize = 24;

/// Addresses of the interpreter's lists of garbage and of callbacks.
static LISTS: OnceLock<[u64; 2]> = OnceLock::new();

/// Takes the addresses of both lists, the first time: later the program may have given their names to others. A program
/// that hasn't imported `gc` finds it not imported.
pub fn learn(python: Python<'_>) {
    let lists = || {
        let modules = python.import("sys").ok()?.getattr("modules").ok()?;
        let is_known = modules.contains("gc").ok()?;
        let module = python.import("gc").ok()?;
        if !is_known {
            modules.del_item("gc").ok()?;
        }
        let address = |name| Some(module.getattr(name).ok()?.as_ptr().addr() as u64);
        Some([address("garbage")?, address("callbacks")?])
    };
    if let Some(lists) = lists() {
        LISTS.get_or_init(|| lists);
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
        let Some(lists) = LISTS.get() else {
            return false;
        };
        let mut bytes = [0; LEN];
        let is_read = peek(self.at, &mut bytes);
        let is_there = is_read && *lists == [word_at(&bytes, 8), word_at(&bytes, 16)];
        is_there && half_at(&bytes, 0) == 1
    }
}
