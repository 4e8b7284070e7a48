//! The way out of most spans that are timed on a device: of the innermost one of a stack, that carries nothing
//! else. It does what the general way does, without looking for what isn't there.

use laptime_core::{PathId, Span};

use super::times;
use crate::clock;
use crate::device::wishes::{Wish, is_held};
use crate::device::{self, Closed, Subject, host};
use crate::stack::Position;
use crate::state::{self, More};
use crate::thread::Thread;

/// Closes such a span, and returns its duration in ticks. Any other is left as it was: the error is when it
/// ended, if that can be said already. Never inside of [`Thread::with`]: other threads may run meanwhile.
pub fn exit(position: Position) -> Result<u64, Option<u64>> {
    if !state::carries_alone(More::DeviceTime) || is_held(Wish::Sync) {
        return Err(None);
    }
    let end = clock::now();
    let taken = Thread::with(|thread| thread.stack().take_on_device(position));
    let (place, begun) = taken.flatten().ok_or(Some(end))?;
    let over = device::end(
        begun,
        || host::at_ns(end),
        |known| {
            Thread::with(|thread| times::write(thread, &known));
        },
    );
    let closed = Thread::with(|thread| {
        let entry = thread.stack().take_innermost(position)?;
        let track = thread.track();
        let ticks = thread
            .writer
            .plain_span(entry.path, entry.start, end, track);
        let span = Span::plain(PathId(entry.path), end - ticks, ticks, track);
        Some((span, ticks))
    });
    match (closed.flatten(), over) {
        (Some((span, ticks)), Some(over)) => {
            let subject = Subject::Span(Closed::new(place, &span));
            device::closed(subject, over);
            Ok(ticks)
        }
        (Some((_, ticks)), None) => Ok(ticks),
        // It closed meanwhile, or it is not the innermost one any more.
        (None, over) => {
            over.into_iter().for_each(device::forget_over);
            Err(Some(end))
        }
    }
}
