//! What is asked of device times besides: that laps wait for their device, and that they end at all streams.
//!
//! Recordings ask for it while they are on, and may overlap; the environment asks for good. So those who
//! ask are counted. A thread that waits may have to let others on meanwhile: [`wait_by`].

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Something that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Laps wait for their device where they begin and end, so that their time on the host is the device's.
    Sync,
    /// Laps end at the last of the streams that are known ([`super::see`]).
    AllStreams,
}

static ASKING: [AtomicU32; 2] = [const { AtomicU32::new(0) }; 2];

/// Runs a function that waits, such that nobody else has to wait for the calling thread meanwhile.
pub type WaitBy = fn(&mut dyn FnMut());

static WAIT_BY: OnceLock<WaitBy> = OnceLock::new();

/// Asks for something, until [`release`].
pub fn hold(wish: Wish) {
    ASKING[wish as usize].fetch_add(1, Relaxed);
}

/// Asks no more.
pub fn release(wish: Wish) {
    let one_less = |asking: u32| asking.checked_sub(1);
    let _ = ASKING[wish as usize].fetch_update(Relaxed, Relaxed, one_less);
}

/// Whether anybody asks for it.
///
/// **Cost** the load of an integer.
#[inline]
pub fn is_held(wish: Wish) -> bool {
    ASKING[wish as usize].load(Relaxed) != 0
}

/// Has threads wait by a function, such as one that releases an interpreter's lock. The first one stays.
pub fn wait_by(wait: WaitBy) {
    let _ = WAIT_BY.set(wait);
}

/// Whether others can be let on while the calling thread waits.
///
/// **Cost** one load.
pub(super) fn gives_way() -> bool {
    WAIT_BY.get().is_some()
}

/// Runs what may wait, while others are let on.
pub(crate) fn wait(mut work: impl FnMut()) {
    match WAIT_BY.get() {
        Some(wait) => wait(&mut work),
        None => work(),
    }
}
