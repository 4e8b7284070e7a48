//! Time per module: the hot paths of `laptime.integrations._modules`.
//!
//! [`call`] splits calls and backwards, [`laps`] knows whose forward is running on a thread
//! and tags the nodes that modules make, [`backward`] follows the engine along those tags,
//! [`called_module`] is a module at one place of the tree of calls. [`structure`] tells whether a module
//! is still what it was. Names, and whatever happens once, are
//! Python's: methods of the class that derives from [`laps::ModuleLaps`]. Raw FFI where a call of a
//! module passes, as in [`crate::fast`], and with the same rule: the interpreter lock is held.

mod backward;
pub mod call;
pub mod called_module;
pub mod laps;
pub mod structure;
