//! A layer that records the spans of the `tracing` crate.
//!
//! A tracing span may be entered and left many times, on several threads. Each entry is
//! on the stack while it lasts; when the span closes, one span is recorded with the time
//! it was entered, and with its wall time when it was left in between.

use laptime_core::SpanMemory;
use laptime_recorder::{Extra, Open, Site, current_path, emit_under, enter, suspend_piece};
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

/// What is known of one tracing span.
struct Entered {
    site: &'static Site,
    open: Option<Open>,
    first: Option<(laptime_core::PathId, u64)>,
    busy: u64,
    last: u64,
    entries: u32,
    /// Of all entries, if it was counted in all.
    memory: Option<SpanMemory>,
}

impl<S> tracing_subscriber::Layer<S> for Layer
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Entered {
                site: Site::intern(attributes.metadata().name()),
                open: None,
                first: None,
                busy: 0,
                last: 0,
                entries: 0,
                memory: Some(SpanMemory::default()),
            });
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        if let Some(entered) = extensions.get_mut::<Entered>() {
            let parent = current_path();
            entered.open = enter(entered.site);
            entered.entries += 1;
            if let (Some(open), None) = (entered.open, entered.first) {
                entered.first = Some((parent, open.start()));
            }
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        if let Some(entered) = extensions.get_mut::<Entered>()
            && let Some(open) = entered.open.take()
            && let Some(piece) = suspend_piece(open)
        {
            entered.busy += piece.ticks;
            entered.last = open.start() + piece.ticks;
            let whole = entered.memory.zip(piece.memory);
            entered.memory = whole.map(|(before, next)| before.then(next));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let extensions = span.extensions();
        if let Some(entered) = extensions.get::<Entered>()
            && let Some((parent, start)) = entered.first
        {
            let wall = (entered.entries > 1).then(|| entered.last.saturating_sub(start));
            let extra = Extra {
                wall,
                memory: entered.memory,
                ..Extra::default()
            };
            emit_under(parent, entered.site, start, entered.busy, extra);
        }
    }
}
