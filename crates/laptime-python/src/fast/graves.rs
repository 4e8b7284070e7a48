//! Stacks of tasks that are over while another thread still holds on to them.
//!
//! A context may be freed on another thread than the one that ran it last, whose recorder then
//! still points at the task's stack. Such a stack is kept here until that thread turns to
//! another one; a thread holds at most one.

use std::sync::Mutex;

use laptime_recorder::TaskStack;

static GRAVES: Mutex<Vec<(usize, Box<TaskStack>)>> = Mutex::new(Vec::new());

/// Keeps a stack for the thread with this number.
pub fn keep(thread: usize, stack: Box<TaskStack>) {
    if let Ok(mut graves) = GRAVES.lock() {
        graves.push((thread, stack));
    }
}

/// Frees what was kept for a thread that has turned away from it.
pub fn bury_those_left(thread: usize) {
    let mut left = Vec::new();
    if let Ok(mut graves) = GRAVES.lock() {
        let mut at = 0;
        while at < graves.len() {
            if graves[at].0 == thread {
                left.push(graves.swap_remove(at));
            } else {
                at += 1;
            }
        }
    }
    // Freed without the lock: closing what is open on them writes records.
    drop(left);
}
