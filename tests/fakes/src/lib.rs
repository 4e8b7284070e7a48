//! Builds the fake drivers, opens them, and steers them from tests.
//!
//! [`Fake::new`] gives a copy of the fake CUDA driver with a state of its own. What a driver may lack
//! is taken out of the copy: a function's name is overwritten where the linker looks for it, or the
//! file's head made that of another architecture. [`FakeNvml`] does the same with the management library. No product crate depends on this one.

mod build;
mod cuda;
mod nvml;

pub use build::{built, with_drivers};
pub use cuda::{Fake, GLOBAL, RELAXED, THREAD_LOCAL};
pub use nvml::{FakeNvml, LoadedNvml};
