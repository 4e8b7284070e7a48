//! Who runs on a thread, by its context: the thread itself, or a task and the lap that it is in.
//!
//! A task's context holds a pair under one variable: the state of the task that set it, and the path
//! that is open there. The state is the task's own if it refers to this context, else it was
//! inherited with the path. What is looked up here is what `PyContextVar_Get` would find; contexts
//! are trees of nodes that never change ([PEP 567](https://peps.python.org/pep-0567/)).

use laptime_core::{PathId, PathTable, Runner};

use super::layout::{self, Layout, NOWHERE};
use super::peek::{half, half_at, peek, word, word_at};
use crate::fast::task;

/// Bits of a hash that choose among a node's branches, and the levels that use up all of them.
const BITS: u32 = 5;
const LEVELS: u32 = 7;
/// What tells the kinds of nodes apart: their types' names.
const BITMAP_NODE: &[u8] = b"hamt_bitmap_node\0";
const ARRAY_NODE: &[u8] = b"hamt_array_node\0";

/// Who runs in a context; `None` where it can't be read.
pub fn runner(context: u64) -> Option<Runner> {
    let layout = layout::layout();
    if context == 0 {
        return Some(Runner::Thread);
    }
    let mut copy = [0; 64];
    let copy = copy.get_mut(..layout.context_len as usize)?;
    if !peek(context, copy) {
        return None;
    }
    // Nobody enters the context that a thread begins with.
    if half_at(copy, layout.context_entered) == 0 {
        return Some(Runner::Thread);
    }
    let pair = pair(word_at(copy, layout.context_vars), layout)?;
    if pair == 0 {
        // The context that `threading` has all of a thread run in: none was entered before it.
        if layout.context_previous != NOWHERE && word_at(copy, layout.context_previous) == 0 {
            return Some(Runner::Thread);
        }
        let (track, path) = (0, PathId::ROOT);
        return Some(Runner::Task { track, path });
    }
    let state = word(pair, layout.tuple_items)?;
    let number = word(pair, layout.tuple_items + 8)?;
    let path = PathId(half(number, layout.digit)?);
    // What is no path's number was read while it changed.
    if path.index() >= PathTable::LIMIT {
        return None;
    }
    let known = task::peek(state)?;
    let is_own = word(known.reference, layout.referent)? == context;
    Some(Runner::Task {
        track: if is_own { known.track } else { 0 },
        path,
    })
}

/// The value of the variable in a context's tree; 0 if it has none, and `None` where it can't be read.
fn pair(tree: u64, layout: &Layout) -> Option<u64> {
    let Some((variable, hash)) = task::variable_place() else {
        return Some(0);
    };
    let mut node = word(tree, layout.root)?;
    for level in 0..LEVELS {
        let branch = hash >> (level * BITS) & 31;
        let mut name = [0; BITMAP_NODE.len()];
        let kind = word(node, layout.type_of)?;
        if !peek(word(kind, layout.type_name)?, &mut name) {
            return None;
        }
        if name == BITMAP_NODE {
            let bits = word(node, layout.bitmap)? as u32;
            if bits & 1 << branch == 0 {
                return Some(0);
            }
            let before = (bits & ((1 << branch) - 1)).count_ones();
            let item = layout.bitmap_items + u64::from(before) * 16;
            let (key, value) = (word(node, item)?, word(node, item + 8)?);
            match key {
                0 => node = value,
                key => return Some(if key == variable { value } else { 0 }),
            }
        } else if name.starts_with(ARRAY_NODE) {
            match word(node, layout.array_items + u64::from(branch) * 8)? {
                0 => return Some(0),
                child => node = child,
            }
        } else {
            // Variables of the same hash, which are none of a program's.
            return None;
        }
    }
    None
}
