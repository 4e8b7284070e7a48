//! What a framework's profiler saw, from Python's tuples to records.

use std::collections::HashMap;

use laptime_analysis::{Alignment, Bracket, OperatorRun, nest_operators};
use laptime_core::{DeviceWork, DeviceWorkKind, Operator};
use laptime_python_macros::guarded;
use laptime_recorder::{self as recorder, clock};
use pyo3::prelude::*;

use crate::entry::measuring;
use crate::fast::Locked;

/// Names that are told apart; what is called otherwise shares the last one's place.
const MOST_NAMES: usize = 65_535;

/// The names of this process, in the order of their numbers, from 1.
static NAMES: Locked<Vec<String>> = Locked::new(Vec::new());

/// What a profiler saw.
struct Seen {
    name: String,
    start_ns: u64,
    duration_ns: u64,
    /// Its thread by the profiler's number, and by the system's; 0 where that isn't known.
    threads: (u64, u64),
    /// Its own number, and that of the operator that launched it; 0 where there is none.
    numbers: (u64, u64),
    /// `None` for an operator; else its code, the device and the stream.
    on_device: Option<(u64, u32, u64)>,
}

/// The fields of [`Seen`], as Python hands them over.
type Told = (
    String,
    u64,
    u64,
    (u64, u64),
    (u64, u64),
    Option<(u64, u32, u64)>,
);

impl From<Told> for Seen {
    fn from(told: Told) -> Self {
        let (name, start_ns, duration_ns, threads, numbers, on_device) = told;
        Self {
            name,
            start_ns,
            duration_ns,
            threads,
            numbers,
            on_device,
        }
    }
}

/// A mark of the profiler's between two looks at our clock: ticks, then the profiler's ns.
type Mark = ((u64, u64), (u64, u64));

/// Says whether a profiler is on: steps get a name of their own then.
#[guarded]
#[pyfunction]
pub fn set_profiling(is_on: bool) {
    measuring(|| (), || recorder::set_profiling(is_on));
}

/// Has this process, a child of one that was profiled, end before the profiler's library would.
#[guarded]
#[pyfunction]
pub fn end_early() {
    measuring(|| (), recorder::end_early);
}

/// Writes what a profiler saw. Returns how far moments may be off and the clocks' drift, both in ns; None
/// where no mark ties the clocks together: then nothing is written.
///
/// What has a number that is no number here, such as a negative one, is left out.
#[guarded]
#[pyfunction]
pub fn write_operators(
    seen: Vec<Bound<'_, PyAny>>,
    marks: Vec<Bound<'_, PyAny>>,
) -> Option<(u64, u64, bool)> {
    let seen: Vec<Seen> = told::<Told>(seen).map(Seen::from).collect();
    let bracket = |(ticks, profiler_ns)| Bracket { ticks, profiler_ns };
    let brackets: Vec<Bracket> = told::<Mark>(marks).map(bracket).collect();
    measuring(|| None, || write(&seen, &brackets))
}

/// Those that are what they should be: a framework's profiler may hand out anything.
fn told<'py, T: FromPyObjectOwned<'py>>(values: Vec<Bound<'py, PyAny>>) -> impl Iterator<Item = T> {
    values.into_iter().filter_map(|value| value.extract().ok())
}

fn write(seen: &[Seen], brackets: &[Bracket]) -> Option<(u64, u64, bool)> {
    let clock = Alignment::from_brackets(brackets, clock::nominal_ns_per_tick())?;
    // SAFETY: the lock is held, and nothing below runs Python code.
    let names = unsafe { NAMES.get() };
    let mut numbers: HashMap<String, u32> = names.iter().cloned().zip(1..).collect();
    let mut number = |name: &str| -> u32 {
        if let Some(known) = numbers.get(name) {
            return *known;
        }
        if names.len() < MOST_NAMES {
            names.push(name.to_owned());
            numbers.insert(name.to_owned(), names.len() as u32);
        }
        names.len() as u32
    };
    let on_host: Vec<(&Seen, OperatorRun)> = seen
        .iter()
        .filter(|one| one.on_device.is_none())
        .map(|one| {
            let ran = OperatorRun {
                start_ns: one.start_ns,
                duration_ns: one.duration_ns,
                thread: one.threads.0,
                name: number(&one.name),
            };
            (one, ran)
        })
        .collect();
    let mut launches: HashMap<u64, (u64, u64)> = HashMap::new();
    let mut operators = Vec::with_capacity(on_host.len());
    let ran: Vec<OperatorRun> = on_host.iter().map(|(_, ran)| *ran).collect();
    for ((one, ran), nested) in on_host.iter().zip(nest_operators(&ran)) {
        let (ticks, thread) = (clock.ticks(one.start_ns), one.threads.1);
        if one.numbers.1 == 0 {
            launches.entry(one.numbers.0).or_insert((ticks, thread));
        }
        operators.extend(nested.map(|nested| Operator {
            ticks,
            thread,
            name: ran.name,
            self_ns: nested.self_ns,
            total_ns: nested.total_ns,
        }));
    }
    let works = seen.iter().filter_map(|one| {
        let (code, device, stream) = one.on_device?;
        let known = launches.get(&one.numbers.1).copied();
        Some(DeviceWork {
            ticks: clock.ticks(one.start_ns),
            duration_ns: one.duration_ns,
            name: number(&one.name),
            kind: DeviceWorkKind::of(code),
            device,
            stream,
            launched: known.unwrap_or_default(),
        })
    });
    let works: Vec<DeviceWork> = works.collect();
    recorder::write_operators(names, &operators, &works);
    let drift_ns = clock.drift_ns() as u64;
    Some((clock.within_ns(), drift_ns, clock.is_doubtful()))
}
