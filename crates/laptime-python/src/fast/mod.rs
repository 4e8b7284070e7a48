//! The lap's hot path: what runs at every `with lt.lap("x")`.
//!
//! Raw FFI and `unsafe`, and the interpreter lock is kept: a span costs less than letting
//! go of it. [`lap`] has the objects whose `__enter__` and `__exit__` a `with` calls, [`timer`] starts
//! and stops segments; [`thread`] keeps the recorder's stack that of the running task or greenlet, [`name`]
//! turns any `str` into a name. Everything here relies on the lock: mutable state is reached from one
//! thread at a time.

pub mod graves;
mod greenlets;
pub mod lap;
mod locked;
mod methods;
pub mod name;
pub mod span;
pub mod task;
pub mod thread;
mod thread_object;
pub mod timer;

pub use locked::{Locked, none};
