//! Which stream the calling thread's work goes to.
//!
//! A Rust program says so around its work ([`on`]). For other languages a function is asked
//! ([`ask`]), such as one that reads the framework's current stream.

use std::cell::Cell;
use std::sync::OnceLock;

use super::driver::Stream;

/// A device's index, and one of its streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The device's index.
    pub device: u32,
    /// The stream.
    pub stream: Stream,
}

/// Tells the place of the calling thread's work; none where it uses no device.
pub type Ask = fn() -> Option<Place>;

static ASK: OnceLock<Ask> = OnceLock::new();

thread_local! {
    static SAID: Cell<Option<Place>> = const { Cell::new(None) };
}

/// Has a function asked where nothing was said. The first one stays.
///
/// It must not open or close spans.
pub fn ask(ask: Ask) {
    // A second one would be the same, of the same module loaded twice.
    let _ = ASK.set(ask);
}

/// What the calling thread enqueues goes to this place, as long as the value lives.
#[must_use = "dropping it ends what it says"]
#[derive(Debug)]
pub struct On {
    before: Option<Place>,
    /// Good for the thread that made it.
    not_send: std::marker::PhantomData<*const ()>,
}

/// Says where the calling thread's work goes: spans that open meanwhile are timed there.
///
/// # Safety
/// The stream is one of the driver's, and lives until the spans that open meanwhile have closed.
pub unsafe fn on(place: Place) -> On {
    On {
        before: SAID.replace(Some(place)),
        not_send: std::marker::PhantomData,
    }
}

impl Drop for On {
    fn drop(&mut self) {
        SAID.set(self.before);
    }
}

/// Where the calling thread's work goes.
pub(crate) fn here() -> Option<Place> {
    SAID.get().or_else(|| ASK.get()?())
}
