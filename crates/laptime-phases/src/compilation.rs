//! What JAX compiles, as it announces it: on the thread that compiles, a stage begins and ends.
//!
//! A function is traced, lowered, and compiled. These three are one span, which counts once: each
//! stage goes on with the one before, as long as it is of the same function and in the same place.
//! What is compiled while another function is traced is a part of that.

use laptime_core::{PhaseName, SpanFlags};

use crate::laps::{Held, Laps, SpanId, flag_if};

/// One stage of a compilation, in the order in which they follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The function runs on placeholders.
    Trace,
    /// What was traced becomes a module.
    Lower,
    /// The module becomes a program of the device's.
    Compile,
}

/// A stage of a function's.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    stage: Stage,
    function: String,
}

impl Part {
    /// Whether `next` can be the same compilation. A traced `f` is lowered as `jit(f)`.
    fn leads_to(&self, next: &Self) -> bool {
        self.stage < next.stage && next.function.contains(&self.function)
    }
}

/// The stage that has a span.
#[derive(Debug)]
struct Outermost {
    span: SpanId,
    parent: u32,
    goes_on: bool,
}

/// The compilations of one thread.
pub struct Compilation {
    laps: Box<dyn Laps>,
    outermost: Option<Outermost>,
    /// What is under way, the one with the span first.
    under_way: Vec<Part>,
    /// What ended last, and where.
    last: Option<(Part, u32)>,
}

impl Compilation {
    /// Nothing was compiled yet.
    pub fn new(laps: Box<dyn Laps>) -> Self {
        Self {
            laps,
            outermost: None,
            under_way: Vec::new(),
            last: None,
        }
    }

    /// Whether a compilation is under way.
    pub fn is_under_way(&self) -> bool {
        let is_open = |one: &Outermost| self.laps.is_open(one.span);
        self.outermost.as_ref().is_some_and(is_open)
    }

    /// A stage begins.
    pub fn begin(&mut self, stage: Stage, function: &str) {
        let part = Part {
            stage,
            function: function.to_owned(),
        };
        if self.is_under_way() {
            self.under_way.push(part);
            return;
        }
        // A lap that closed took with it what was under way, and whose end nobody told.
        self.outermost = None;
        self.under_way.clear();
        let here = self.laps.here();
        if here.innermost == Some(PhaseName::Compile) {
            return; // a lap of the user's by that name takes its place
        }
        let parent = here.path;
        let goes_on = |(last, place): &(Part, u32)| *place == parent && last.leads_to(&part);
        let goes_on = self.last.as_ref().is_some_and(goes_on);
        let start = self.laps.now();
        self.outermost = self
            .laps
            .open(PhaseName::Compile, start)
            .map(|span| Outermost {
                span,
                parent,
                goes_on,
            });
        self.under_way.push(part);
    }

    /// A stage is over.
    pub fn end(&mut self, stage: Stage, function: &str) {
        let is_this = |part: &Part| part.stage == stage && part.function == function;
        // Whatever began inside has ended too, told or not.
        let Some(index) = self.under_way.iter().rposition(is_this) else {
            return;
        };
        let ended = self.under_way.drain(index..).next();
        if index > 0 {
            return;
        }
        let Some(outermost) = self.outermost.take() else {
            return;
        };
        let flags = flag_if(outermost.goes_on, SpanFlags::CONTINUES);
        let end = self.laps.now();
        self.laps.close(outermost.span, end, flags);
        self.last = ended.map(|part| (part, outermost.parent));
    }

    /// What is under way was found among what earlier runs compiled; reading it took so many ticks.
    pub fn was_cached(&mut self, duration: u64) {
        let Some(outermost) = self.outermost.as_ref() else {
            return;
        };
        let parent = self.laps.path_of(outermost.span);
        if parent == 0 {
            return;
        }
        let start = self.laps.now().saturating_sub(duration);
        let start = start.max(outermost.span.start);
        let held = Held::new(PhaseName::Cached, start, self.laps.now());
        self.laps.emit(&held, parent);
    }

    /// Nobody will tell the end of what is under way: it leaves no span.
    pub fn abandon(&mut self) {
        self.under_way.clear();
        if let Some(outermost) = self.outermost.take() {
            self.laps.suspend(outermost.span);
        }
    }
}
