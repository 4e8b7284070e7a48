//! What timing asks of a driver: a handful of calls.
//!
//! [`Driver::synchronize`] waits for a device, for those who want it. [`Driver::record`] and [`Driver::create`]
//! may, where a stream has as much to do as the driver takes: no lock may be held meanwhile that a program
//! needs to go on.
//!
//! [`Driver`] has two implementers, the CUDA driver and a scripted one in tests. Its handles are
//! numbers that only the driver understands.

use super::reason::{Fault, Untimed};

/// A stream's handle, as frameworks give it; 0 is the default stream of the context in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stream(pub usize);

/// A context's handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Context(pub usize);

/// An event's handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Event(pub usize);

/// Handles below this one are not streams but names of default streams, whose meaning depends on the
/// context that is current, and on the thread.
const FIRST_OWN_STREAM: usize = 3;

impl Stream {
    /// Whether the handle means a default stream.
    pub fn is_default(self) -> bool {
        self.0 < FIRST_OWN_STREAM
    }
}

/// A driver whose devices can be timed.
pub trait Driver {
    /// The context that a stream belongs to.
    fn context(&self, stream: Stream) -> Result<Context, Fault>;

    /// Whether what is enqueued now becomes part of a graph instead of running.
    fn is_capturing(&self, stream: Stream) -> Result<bool, Fault>;

    /// Runs calls that would break a capture of another thread, such that they don't.
    fn beside_captures<T>(&self, work: impl FnOnce() -> Result<T, Untimed>) -> Result<T, Untimed>;

    /// Whether a stream has done all that was enqueued on it. Doesn't wait.
    fn is_idle(&self, stream: Stream) -> Result<bool, Fault>;

    /// Makes an event. May wait for another thread that waits in [`Driver::record`].
    fn create(&self, context: Context) -> Result<Event, Fault>;

    /// Enqueues an event: it completes when the stream gets there. Waits while the stream's queue is full.
    fn record(&self, event: Event, stream: Stream) -> Result<(), Fault>;

    /// Whether the stream got to an event. Doesn't wait.
    fn is_complete(&self, event: Event) -> Result<bool, Fault>;

    /// From one event to another; `None` while one of them is not complete. Doesn't wait.
    ///
    /// **Units** milliseconds, in steps of half a microsecond, less precise the longer it is.
    fn elapsed_ms(&self, from: Event, to: Event) -> Result<Option<f32>, Fault>;

    /// Waits until a stream has done all that was enqueued on it.
    fn synchronize(&self, stream: Stream) -> Result<(), Fault>;

    /// Whether an error means that the driver has shut down.
    fn is_end(&self, fault: &Fault) -> bool;

    /// Whether an error means that an event is of a context that is gone.
    fn is_stale(&self, fault: &Fault) -> bool;
}
