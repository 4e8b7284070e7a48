//! How a timer measures, in all its contexts.

use laptime_analysis::WallSource;
use laptime_recorder::clock;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// What a segment's duration is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Time that passed.
    Wall,
    /// CPU time of the process.
    Process,
    /// CPU time of the thread.
    Thread,
}

/// Each clock's name in Python, and what a report says that its durations are.
const CLOCKS: [(Clock, &str, WallSource); 3] = [
    (Clock::Wall, "wall", WallSource::Segments),
    (Clock::Process, "process", WallSource::ProcessTimeSegments),
    (Clock::Thread, "thread", WallSource::ThreadTimeSegments),
];

impl Clock {
    /// The clock that Python names.
    pub fn of(name: &str) -> PyResult<Self> {
        let found = CLOCKS.iter().find(|(_, known, _)| *known == name);
        found.map(|(clock, ..)| *clock).ok_or_else(|| {
            PyValueError::new_err(format!(
                "clock is \"wall\", \"process\" or \"thread\", not {name:?}"
            ))
        })
    }

    /// The clock's name in Python.
    pub fn name(self) -> &'static str {
        CLOCKS[self as usize].1
    }

    /// What a report says that the clock's durations are.
    pub fn source(self) -> WallSource {
        CLOCKS[self as usize].2
    }
}

/// How a timer measures.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// What durations are measured by.
    pub clock: Clock,
    /// Whether CPU times are noted beside them.
    pub cpu: bool,
    /// Whether starts are kept, and a name may be any object.
    pub profiling: bool,
}

/// When a segment starts or stops, by every clock that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// The moment by the recorder's clock.
    pub ticks: u64,
    /// CPU time of the process, or 0.
    pub process_ns: u64,
    /// CPU time of the thread, or 0.
    pub thread_ns: u64,
}

impl Settings {
    /// Now, where a segment starts.
    #[inline]
    pub fn at_start(self) -> Moment {
        self.now(self.clock == Clock::Wall)
    }

    /// Now, where a segment stops.
    #[inline]
    pub fn at_stop(self) -> Moment {
        self.now(self.clock != Clock::Wall)
    }

    /// The clock that durations are measured by is read inside of the others, so that reading
    /// them is no part of any duration.
    #[inline]
    fn now(self, is_cpu_first: bool) -> Moment {
        let before = is_cpu_first.then(|| self.cpu_ns());
        let ticks = clock::now();
        let (process_ns, thread_ns) = before.unwrap_or_else(|| self.cpu_ns());
        Moment {
            ticks,
            process_ns,
            thread_ns,
        }
    }

    /// CPU time of the process and of the thread, each where it is asked for.
    #[inline]
    fn cpu_ns(self) -> (u64, u64) {
        let asked = |clock, read: fn() -> u64| {
            if self.cpu || self.clock == clock {
                read()
            } else {
                0
            }
        };
        (
            asked(Clock::Process, clock::process_ns),
            asked(Clock::Thread, clock::thread_ns),
        )
    }
}
