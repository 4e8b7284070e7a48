//! The second pass over a process's records: of its steady state.

use laptime_core::anchor::Rate;
use laptime_core::format::reader::{Visit, VisitProcess};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WindowHeader, WindowState};
use laptime_core::{PathId, Span};

use crate::reading::process::Process;
use crate::reading::read_again::Finish;
use crate::reading::span_totals::SteadyTotals;

/// Rounding of a moment between ticks: it may lie this much before the tick that it stands for.
const ROUNDING_NS: u64 = 1;

/// The visitor of the second pass, which takes in the spans of the steady state.
#[derive(Debug)]
pub struct SecondPass<'p> {
    steady: &'p mut SteadyTotals,
    rate: Rate,
    /// Tick from which on the spans of a window are known already.
    before: u64,
}

impl<'p> SecondPass<'p> {
    /// Begins the pass; `None` unless the steady state of the process has begun.
    pub fn begin(process: &'p mut Process) -> Option<Self> {
        let rate = process.facts.rate;
        process.spans.steady.as_mut().map(|steady| SecondPass {
            rate,
            before: u64::MAX,
            steady,
        })
    }
}

impl<'a> Visit<'a> for SecondPass<'_> {
    #[inline]
    fn plain_span(&mut self, path: PathId, start: u64, duration: u64, track: u32) {
        if start >= self.steady.from && start < self.before {
            self.steady
                .totals
                .take_plain(path, start, duration, track, self.rate);
        } else {
            self.other(Record::Span(Span::plain(path, start, duration, track)));
        }
    }

    fn other(&mut self, record: Record<'a>) {
        let SteadyTotals { from, totals, .. } = &mut *self.steady;
        match record {
            Record::Ran { ticks, stretch } if (*from..self.before).contains(&ticks) => {
                *totals.ran.entry(stretch).or_default() += 1;
            }
            Record::DeviceSpan(span) if (*from..self.before).contains(&span.start) => {
                let told = totals.on_devices.entry(span.path).or_default();
                told.add(&span);
            }
            Record::DeviceMemory(span) if (*from..self.before).contains(&span.start) => {
                let told = totals.device_memory.entry(span.path).or_default();
                told.add(&span.memory);
            }
            Record::Span(span) if span.start >= *from && span.start < self.before => {
                totals.take(&span, self.rate);
            }
            Record::Span(span) if span.start < self.before => {
                let inside = span.end().saturating_sub(*from);
                if self.rate.nanoseconds(inside) > ROUNDING_NS {
                    totals.take_rest(&span, *from, self.rate);
                }
            }
            _ => {}
        }
    }
}

impl VisitProcess for SecondPass<'_> {
    fn wants(&self, offset: u64) -> bool {
        self.steady.wanted_before(offset).is_some()
    }

    fn window(&mut self, _: &WindowHeader, _: WindowState, offset: u64) {
        self.before = self.steady.wanted_before(offset).unwrap_or(0);
    }
}

impl Finish for SecondPass<'_> {
    fn finish(self) {}
}
