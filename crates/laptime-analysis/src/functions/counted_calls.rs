//! From counted calls to functions: sums by function, by caller, and by lap.

use std::collections::{BTreeMap, HashMap};

use laptime_core::anchor::Rate;
use laptime_core::{CallSums, Files, PathId, Total, path};

use crate::functions::call_records::CountedFunction;
use crate::reading::process::Process;
use crate::summary::functions::{
    CallerTime, ExactFunction, ExactFunctions, ExactInLap, ExactLap, PROGRAM,
};
use crate::summary::span_row::RowKind;

/// Name of the row for calls that were made while no lap was open. Startup, exit and other threads are part of
/// it; a report's "outside of laps" is without them.
const OUTSIDE: &str = "no lap open";

/// Sums of calls, in nanoseconds. `total` counts as in [`laptime_core::FunctionCalls`].
#[derive(Debug, Clone, Copy, Default)]
struct Sums(CallSums);

impl Sums {
    fn add(&mut self, sums: &CallSums, rate: Rate) {
        self.0.add(&CallSums {
            own: rate.nanoseconds(sums.own),
            total: rate.nanoseconds(sums.total),
            total_from: rate.nanoseconds(sums.total_from),
            ..*sums
        });
    }
}

/// Sums of one function in one lap, and those by caller.
#[derive(Debug, Default)]
struct InLap {
    sums: Sums,
    callers: BTreeMap<usize, Sums>,
}

#[derive(Debug, Default)]
struct Adding {
    files: Files,
    functions: Vec<CountedFunction>,
    numbers: HashMap<CountedFunction, usize>,
    all: Vec<Sums>,
    /// Sums by function, then caller.
    callers: BTreeMap<(usize, usize), Sums>,
    /// Sums by the lap's names (none for calls outside of laps), then function.
    laps: BTreeMap<Vec<String>, BTreeMap<usize, InLap>>,
}

impl Adding {
    fn number(&mut self, called: &CountedFunction) -> usize {
        let called = &CountedFunction {
            file: self.files.of(&called.file, called.line, &called.name),
            ..called.clone()
        };
        if let Some(known) = self.numbers.get(called) {
            return *known;
        }
        self.functions.push(called.clone());
        self.all.push(Sums::default());
        let number = self.functions.len() - 1;
        self.numbers.insert(called.clone(), number);
        number
    }

    fn process(&mut self, process: &Process) {
        let (calls, rate) = (&process.features.calls, process.facts.anchors.rate());
        for ((lap, caller, function), sums) in &calls.edges {
            let Some(function) = calls.functions.get(function) else {
                continue;
            };
            let function = self.number(function);
            self.all[function].add(sums, rate);
            let caller = calls.functions.get(caller);
            let caller = caller.map(|caller| self.number(caller));
            if let Some(caller) = caller {
                let way = (function, caller);
                self.callers.entry(way).or_default().add(sums, rate);
            }
            let names = match *lap {
                PathId::ROOT => Vec::new(),
                lap => process.paths.names(lap).into_iter().collect(),
            };
            let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
            let of_lap = self.laps.entry(names).or_default();
            let in_lap = of_lap.entry(function).or_default();
            in_lap.sums.add(sums, rate);
            if let Some(caller) = caller {
                in_lap.callers.entry(caller).or_default().add(sums, rate);
            }
        }
    }
}

/// Returns the functions whose calls were counted in a run; `None` where no call was.
pub fn functions(processes: &[Process]) -> Option<ExactFunctions> {
    let mut adding = Adding::default();
    for called in processes
        .iter()
        .flat_map(|one| one.features.calls.functions.values())
    {
        adding.files.learn(&called.file, called.line, &called.name);
    }
    for process in processes {
        adding.process(process);
    }
    if adding.all.iter().all(|sums| sums.0.calls == 0) {
        return None;
    }
    let Adding {
        functions,
        all,
        callers,
        laps,
        ..
    } = adding;
    // By self time, the longest first.
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(all[*index].0.own), &functions[*index]));
    let mut places = vec![0; order.len()];
    for (place, index) in order.iter().enumerate() {
        places[*index] = place;
    }
    let mut told: Vec<ExactFunction> = order
        .iter()
        .map(|index| function(&functions[*index], &all[*index].0))
        .collect();
    for ((function, caller), Sums(sums)) in callers {
        let callers = &mut told[places[function]].callers;
        callers.push(calls_from(places[caller], &sums));
    }
    let is_lapless = processes
        .iter()
        .all(|process| process.spans.last_end == 0 && process.facts.open.is_empty());
    let outside = if is_lapless { PROGRAM } else { OUTSIDE };
    let mut laps: Vec<ExactLap> = laps
        .into_iter()
        .map(|(names, of_lap)| lap(names, outside, of_lap, &places))
        .collect();
    laps.sort_by_key(|lap| std::cmp::Reverse(lap.self_ns));
    Some(ExactFunctions {
        call_count: all.iter().map(|sums| sums.0.calls).total(),
        primitive_count: all.iter().map(|sums| sums.0.primitive).total(),
        functions: told,
        laps,
    })
}

fn function(called: &CountedFunction, sums: &CallSums) -> ExactFunction {
    ExactFunction {
        name: called.name.clone(),
        file: called.file.clone(),
        line: called.line,
        call_count: sums.calls,
        primitive_count: sums.primitive,
        total_ns: sums.total,
        self_ns: sums.own,
        callers: Vec::new(),
    }
}

/// Returns the times of the calls from one caller.
fn calls_from(caller: usize, sums: &CallSums) -> CallerTime {
    CallerTime {
        function: caller,
        call_count: sums.calls,
        primitive_count: sums.primitive_from,
        total_ns: sums.total_from,
        self_ns: sums.own,
    }
}

fn lap(
    names: Vec<String>,
    outside: &str,
    of_lap: BTreeMap<usize, InLap>,
    places: &[usize],
) -> ExactLap {
    let (names, kind) = if names.is_empty() {
        (vec![outside.to_owned()], RowKind::Leftover)
    } else {
        (names, RowKind::Span)
    };
    let mut functions: Vec<ExactInLap> = of_lap
        .into_iter()
        .map(|(function, in_lap)| in_lap_told(places[function], in_lap, places))
        .collect();
    functions.sort_by_key(|one| (std::cmp::Reverse(one.self_ns), one.function));
    ExactLap {
        path: path::join(names.iter().map(String::as_str)),
        names,
        kind,
        call_count: functions.iter().map(|one| one.call_count).total(),
        self_ns: functions.iter().map(|one| one.self_ns).total(),
        functions,
    }
}

fn in_lap_told(function: usize, in_lap: InLap, places: &[usize]) -> ExactInLap {
    let Sums(sums) = in_lap.sums;
    let callers = in_lap.callers.into_iter();
    let mut callers: Vec<CallerTime> = callers
        .map(|(caller, Sums(sums))| calls_from(places[caller], &sums))
        .collect();
    callers.sort_by_key(|one| {
        (
            std::cmp::Reverse((one.total_ns, one.call_count)),
            one.function,
        )
    });
    ExactInLap {
        function,
        call_count: sums.calls,
        primitive_count: sums.primitive,
        total_ns: sums.total,
        self_ns: sums.own,
        callers,
    }
}

#[cfg(test)]
#[path = "tests/counted_calls.rs"]
mod tests;
