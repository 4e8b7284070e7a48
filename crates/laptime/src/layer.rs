//! A layer that records the spans of the `tracing` crate.
//!
//! A tracing span may be entered and left many times, on several threads. Each entry is
//! on the stack while it lasts; when the span closes, one span is recorded with the time
//! it was entered, and with its wall time when it was left in between.

use laptime_recorder::{Extra, Pieces, Site};
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

impl<S> tracing_subscriber::Layer<S> for Layer
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let site = Site::intern(attributes.metadata().name());
            span.extensions_mut().insert(Pieces::new(site));
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(pieces) = span.extensions_mut().get_mut::<Pieces>() {
            pieces.resume();
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(pieces) = span.extensions_mut().get_mut::<Pieces>() {
            pieces.pause();
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        if let Some(pieces) = span.extensions_mut().get_mut::<Pieces>() {
            let wall = (pieces.count() > 1).then(|| pieces.wall());
            pieces.finish(Extra {
                wall,
                ..Extra::default()
            });
        }
    }
}
