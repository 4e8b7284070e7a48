//! Laps of futures: busy time and wall time.
//!
//! A future runs in pieces, on any thread. While a piece runs, the lap is on that
//! thread's stack, so laps inside nest under it; between pieces it is not. When the
//! future ends, one span is recorded: its duration is the time it ran, its wall time
//! reaches from the first piece to the last.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use laptime_recorder::{Extra, LazySite, Pieces, Site};

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
        ran: Ran(Pieces::new(name.site())),
    }
}

/// The future that [`lap_future`] returns.
#[derive(Debug)]
pub struct LapFuture<F> {
    future: F,
    ran: Ran,
}

/// What ran so far. Recorded when dropped: at the end, or when the future is cancelled.
#[derive(Debug)]
struct Ran(Pieces);

impl<F: Future> Future for LapFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is pinned with `self` and never moved; `ran` is not pinned.
        let (future, pieces) = unsafe {
            let this = self.get_unchecked_mut();
            (Pin::new_unchecked(&mut this.future), &mut this.ran.0)
        };
        pieces.resume();
        let result = future.poll(context);
        pieces.pause();
        result
    }
}

impl Drop for Ran {
    fn drop(&mut self) {
        // A piece that panicked is still open.
        self.0.pause();
        let wall = Some(self.0.wall());
        self.0.finish(Extra {
            wall,
            ..Extra::default()
        });
    }
}
