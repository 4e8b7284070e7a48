//! Starting and stopping a context's segments: what runs at every call of a timer.
//!
//! Starting a segment again before it stopped nests. Every run leaves its duration in the timer's
//! own history and, while laps are recorded, a leaf span under the lap that was open at its start:
//! aside, since segments may overlap.

use laptime_analysis::timer::SegmentRun;
use laptime_core::SpanFlags;
use laptime_recorder::nvtx::Started;
use laptime_recorder::{self as recorder, Extra, Site};
use pyo3::ffi;
use pyo3::prelude::*;

use super::context::Context;
use super::gauge::{Begun, Ended};
use super::segment::Running;
use super::settings::{Clock, Moment, Settings};
use crate::fast::thread;
use crate::rate;

/// A duration as `stop` returns it.
pub enum Stopped {
    /// The duration in nanoseconds.
    Ns(u64),
    /// Something that will know the duration.
    Later(Py<PyAny>),
}

impl Context {
    /// Starts a segment; false with a Python error set when the name is none.
    #[inline]
    pub fn start(&self, given: *mut ffi::PyObject) -> bool {
        if self.is_plain.get() {
            return self.start_with(given, Begun::Nothing);
        }
        self.start_gauged(given)
    }

    #[inline(never)]
    fn start_gauged(&self, given: *mut ffi::PyObject) -> bool {
        // SAFETY: the lock is held.
        let python = unsafe { Python::assume_attached() };
        // The name first, so that no gauge begins for a wrong one.
        if self.find(given).is_none() {
            return false;
        }
        let begun = self.gauge().begin(python).unwrap_or_else(|error| {
            error.write_unraisable(python, None);
            Begun::Nothing
        });
        self.start_with(given, begun)
    }

    #[inline]
    fn start_with(&self, given: *mut ffi::PyObject, begun: Begun) -> bool {
        // SAFETY: the lock is held.
        let outside = unsafe { thread::with(|_| recorder::current_path()) };
        let delay_ns = self.delay_ns();
        // Last, as looking for the place may run a finalizer that forgets segments.
        let Some(at) = self.find(given) else {
            return false;
        };
        let segment = &mut self.segments.borrow_mut()[at];
        segment.running.push(Running {
            moment: self.settings.at_start(),
            delay_ns,
            outside,
            range: if recorder::is_on() {
                Started::now(segment.site)
            } else {
                None
            },
            begun,
        });
        true
    }

    /// Stops a segment and returns its duration. `Err`: a Python error is set.
    #[inline]
    pub fn stop(&self, given: *mut ffi::PyObject) -> Result<Option<Stopped>, ()> {
        let end = self.settings.at_stop();
        let at = self.find(given).ok_or(())?;
        if !self.is_plain.get() {
            return Ok(self.stop_gauged(at, end));
        }
        let segment = &mut self.segments.borrow_mut()[at];
        let Some(running) = segment.running.pop() else {
            return Ok(None);
        };
        let run = self.finished(segment.site, &running, end);
        segment.runs.push(run);
        Ok(Some(Stopped::Ns(run.elapsed_ns)))
    }

    #[inline(never)]
    fn stop_gauged(&self, at: usize, end: Moment) -> Option<Stopped> {
        // SAFETY: the lock is held.
        let python = unsafe { Python::assume_attached() };
        let (running, site, id) = {
            let segment = &mut self.segments.borrow_mut()[at];
            (segment.running.pop(), segment.site, segment.id)
        };
        let mut running = running?;
        let run = self.finished(site, &running, end);
        let begun = std::mem::replace(&mut running.begun, Begun::Nothing);
        let ended = self.gauge().end(python, begun);
        let Ended { memory, elapsed } = ended.unwrap_or_else(|error| {
            error.write_unraisable(python, None);
            Ended::default()
        });
        // Python code ran: the segment may stand elsewhere, or be gone.
        if let Some(segment) = self.by_id(id).as_deref_mut() {
            segment.runs.push(SegmentRun { memory, ..run });
            if let Some(elapsed) = &elapsed {
                let elapsed = elapsed.clone_ref(python);
                segment.owed.add_last(&mut segment.runs, elapsed);
            }
        }
        self.settle_some(python);
        Some(elapsed.map_or(Stopped::Ns(run.elapsed_ns), Stopped::Later))
    }

    /// The figures of a run that ends, and its span.
    #[inline]
    fn finished(&self, site: &'static Site, running: &Running, end: Moment) -> SegmentRun {
        let start = running.moment;
        let ticks = end.ticks.saturating_sub(start.ticks);
        let process_ns = end.process_ns.saturating_sub(start.process_ns);
        let thread_ns = end.thread_ns.saturating_sub(start.thread_ns);
        let Settings {
            clock,
            cpu,
            profiling,
        } = self.settings;
        if recorder::is_on() {
            let extra = Extra {
                flags: SpanFlags::ASIDE,
                process_ns: (cpu || clock == Clock::Process).then_some(process_ns),
                thread_ns: (cpu || clock == Clock::Thread).then_some(thread_ns),
                ..Extra::default()
            };
            recorder::emit_under(running.outside, site, start.ticks, ticks, extra);
        }
        SegmentRun {
            started: profiling.then_some(start.ticks),
            elapsed_ns: match clock {
                Clock::Wall => (ticks as f64 * rate::ns_per_tick(end.ticks)).round() as u64,
                Clock::Process => process_ns,
                Clock::Thread => thread_ns,
            },
            cpu_ns: cpu.then_some((process_ns, thread_ns)),
            delayed_ns: running
                .delay_ns
                .and_then(|before| Some(self.delay_ns()?.saturating_sub(before))),
            memory: None,
        }
    }

    /// The thread's run delay so far, where CPU times are asked for.
    #[inline]
    fn delay_ns(&self) -> Option<u64> {
        if self.settings.cpu {
            recorder::delay_ns()
        } else {
            None
        }
    }
}
