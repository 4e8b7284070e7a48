//! A layer that records the spans of the `tracing` crate.
//!
//! A tracing span may be entered and left many times, on several threads, for two reasons. A future
//! is entered for each of its pieces, where it was made or further out: it is one lap, recorded when
//! the span closes, with the time it was entered, and with its wall time when it was left in
//! between. A layer of a network has one span for all its life, made with the network, and enters
//! it for each call, inside of laps that the span was not made in: each entry is a lap.

use laptime_core::PathId;
use laptime_recorder::{Extra, Pieces, Site, current_path, is_path_within};
use tracing_core::Subscriber;
use tracing_core::span::{Attributes, Id};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Records tracing spans as laps: `tracing_subscriber::registry().with(laptime::layer())`.
pub fn layer() -> Layer {
    Layer(())
}

/// The layer that [`layer`] returns.
#[derive(Debug)]
pub struct Layer(());

/// What is kept with a tracing span.
struct Entered {
    site: &'static Site,
    pieces: Pieces,
    /// What was open where the span was made.
    made: PathId,
    /// Whether each entry is a lap, and not a piece of one.
    is_each: bool,
}

impl Entered {
    fn new(site: &'static Site) -> Self {
        Self {
            site,
            pieces: Pieces::new(site),
            made: current_path(),
            is_each: false,
        }
    }

    fn enter(&mut self) {
        if !self.is_each {
            let outside = current_path();
            if outside != self.made && !is_path_within(self.made, outside) {
                self.finish();
                self.is_each = true;
            }
        }
        self.pieces.resume();
    }

    fn exit(&mut self) {
        self.pieces.pause();
        if self.is_each {
            self.finish();
        }
    }

    /// Records what was entered so far as one lap.
    fn finish(&mut self) {
        let mut pieces = std::mem::replace(&mut self.pieces, Pieces::new(self.site));
        let wall = (pieces.count() > 1).then(|| pieces.wall());
        pieces.finish(Extra {
            wall,
            ..Extra::default()
        });
    }
}

impl<S> tracing_subscriber::Layer<S> for Layer
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let site = Site::intern(attributes.metadata().name());
            span.extensions_mut().insert(Entered::new(site));
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(entered) = span.extensions_mut().get_mut::<Entered>() {
            entered.enter();
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(entered) = span.extensions_mut().get_mut::<Entered>() {
            entered.exit();
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        if let Some(entered) = span.extensions_mut().get_mut::<Entered>() {
            entered.finish();
        }
    }
}
