//! Laps of futures: busy time and wall time.
//!
//! A future runs in pieces, on any thread. While a piece runs, the lap is on that
//! thread's stack, so laps inside nest under it; between pieces it is not. When the
//! future ends, one span is recorded: its duration is the time it ran, its wall time
//! reaches from the first piece to the last.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use laptime_core::SpanMemory;
use laptime_recorder::{Extra, LazySite, Site, current_path, emit_under, enter, suspend_piece};

/// What names the lap of a future: a text, looked up at each call, or a [`LazySite`], at its first.
pub trait LapName {
    /// The name's site.
    fn site(&self) -> &'static Site;
}

impl LapName for str {
    fn site(&self) -> &'static Site {
        Site::intern(self)
    }
}

impl LapName for LazySite {
    fn site(&self) -> &'static Site {
        self.get()
    }
}

/// Records a future as a lap; what `#[lap]` makes of an `async fn`.
///
/// ```
/// async fn load(id: u32) -> u32 {
///     laptime::lap_future("read", async move { id + 1 }).await
/// }
/// # drop(load(1));
/// ```
pub fn lap_future<F: Future>(name: &(impl LapName + ?Sized), future: F) -> LapFuture<F> {
    LapFuture {
        future,
        pieces: Pieces {
            site: name.site(),
            first: None,
            busy: 0,
            last: 0,
            memory: Some(SpanMemory::default()),
        },
    }
}

/// The future that [`lap_future`] returns.
#[derive(Debug)]
pub struct LapFuture<F> {
    future: F,
    pieces: Pieces,
}

/// What ran so far. Recorded when dropped: at the end, or when the future is cancelled.
#[derive(Debug)]
struct Pieces {
    site: &'static Site,
    /// Parent path and start of the first piece.
    first: Option<(laptime_core::PathId, u64)>,
    busy: u64,
    last: u64,
    /// Of all pieces, if it was counted in all.
    memory: Option<SpanMemory>,
}

impl<F: Future> Future for LapFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is pinned with `self` and never moved; `pieces` is not pinned.
        let (future, pieces) = unsafe {
            let this = self.get_unchecked_mut();
            (Pin::new_unchecked(&mut this.future), &mut this.pieces)
        };
        let parent = current_path();
        let Some(open) = enter(pieces.site) else {
            return future.poll(context);
        };
        pieces.first.get_or_insert((parent, open.start()));
        let result = future.poll(context);
        if let Some(piece) = suspend_piece(open) {
            pieces.busy += piece.ticks;
            pieces.last = open.start() + piece.ticks;
            let whole = pieces.memory.zip(piece.memory);
            pieces.memory = whole.map(|(before, next)| before.then(next));
        }
        result
    }
}

impl Drop for Pieces {
    fn drop(&mut self) {
        if let Some((parent, start)) = self.first {
            let extra = Extra {
                wall: Some(self.last.saturating_sub(start)),
                memory: self.memory,
                ..Extra::default()
            };
            emit_under(parent, self.site, start, self.busy, extra);
        }
    }
}
