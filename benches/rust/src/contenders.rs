//! What is compared: each opens and closes a span, in its usual way of being recorded.

use std::hint::black_box;
use std::path::Path;

use tracing_subscriber::layer::SubscriberExt;

/// One row of the table.
pub struct Contender {
    pub name: &'static str,
    /// Outside the measured interval: what the peer needs around a batch.
    pub before: Box<dyn FnMut()>,
    /// Opens and closes so many spans.
    pub block: Box<dyn FnMut(u32)>,
    pub after: Box<dyn FnMut()>,
}

fn contender(name: &'static str, block: impl FnMut(u32) + 'static) -> Contender {
    Contender {
        name,
        before: Box::new(|| ()),
        block: Box::new(block),
        after: Box::new(|| ()),
    }
}

/// The floor first.
pub fn all(scratch: &Path) -> Vec<Contender> {
    vec![
        two_reads(),
        laptime(scratch),
        laptime_off(),
        fastrace(),
        tracing(),
        puffin(),
        tracy(),
        measureme(scratch),
    ]
}

fn two_reads() -> Contender {
    laptime_recorder::clock::kind();
    contender("two bare clock reads", |pairs| {
        for _ in 0..pairs {
            black_box(laptime_recorder::clock::now());
            black_box(laptime_recorder::clock::now());
        }
    })
}

fn laptime(scratch: &Path) -> Contender {
    let recording = laptime::record(scratch.join("bench.lap")).expect("a recording");
    let mut own = contender("laptime, to a recording", |pairs| {
        for _ in 0..pairs {
            let _lap = laptime::lap!("bench");
        }
    });
    own.before = Box::new(laptime::enable);
    own.after = Box::new(move || {
        let _keep = &recording;
        laptime::disable();
    });
    own
}

fn laptime_off() -> Contender {
    contender("laptime, off", |pairs| {
        for _ in 0..pairs {
            let _lap = laptime::lap!("bench");
        }
    })
}

/// Takes spans and drops them: the peers' collection without a network.
struct Nowhere;

impl fastrace::collector::Reporter for Nowhere {
    fn report(&mut self, spans: Vec<fastrace::collector::SpanRecord>) {
        black_box(spans);
    }
}

fn fastrace() -> Contender {
    fastrace::set_reporter(Nowhere, fastrace::collector::Config::default());
    contender("fastrace", |pairs| {
        let root = fastrace::Span::root("root", fastrace::prelude::SpanContext::random());
        let _parent = root.set_local_parent();
        for _ in 0..pairs {
            let _span = fastrace::local::LocalSpan::enter_with_local_parent("bench");
        }
    })
}

/// Times spans as a user of `tracing` would: by two clock reads in a layer.
struct Timing;

struct Entered(std::time::Instant);

impl<S> tracing_subscriber::Layer<S> for Timing
where
    S: tracing::Subscriber + for<'lookup> tracing_subscriber::registry::LookupSpan<'lookup>,
{
    fn on_enter(&self, id: &tracing::span::Id, context: tracing_subscriber::layer::Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut()
                .replace(Entered(std::time::Instant::now()));
        }
    }

    fn on_exit(&self, id: &tracing::span::Id, context: tracing_subscriber::layer::Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(entered) = span.extensions().get::<Entered>()
        {
            black_box(entered.0.elapsed());
        }
    }
}

fn tracing() -> Contender {
    let dispatch = tracing::Dispatch::new(tracing_subscriber::registry().with(Timing));
    contender("tracing with a timing layer", move |pairs| {
        tracing::dispatcher::with_default(&dispatch, || {
            for _ in 0..pairs {
                let _span = tracing::info_span!("bench").entered();
            }
        });
    })
}

fn puffin() -> Contender {
    let mut own = contender("puffin", |pairs| {
        for _ in 0..pairs {
            puffin::profile_scope!("bench");
        }
    });
    own.before = Box::new(|| puffin::set_scopes_on(true));
    own.after = Box::new(|| {
        puffin::GlobalProfiler::lock().new_frame();
        puffin::set_scopes_on(false);
    });
    own
}

fn tracy() -> Contender {
    let client = tracy_client::Client::start();
    contender("tracy-client", move |pairs| {
        let _running = &client;
        for _ in 0..pairs {
            let _span = tracy_client::span!("bench", 0);
        }
    })
}

fn measureme(scratch: &Path) -> Contender {
    let profiler = measureme::Profiler::new(scratch.join("measureme")).expect("a profiler");
    let kind = profiler.alloc_string("kind");
    let event = measureme::EventId::from_label(profiler.alloc_string("bench"));
    contender("measureme", move |pairs| {
        for _ in 0..pairs {
            let _span = profiler.start_recording_interval_event(kind, event, 1);
        }
    })
}
