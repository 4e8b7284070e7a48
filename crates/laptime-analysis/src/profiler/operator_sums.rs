//! Sums of operators and kernels by lap and name.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use laptime_core::{DeviceWorkKind, PathId, PhaseName, Total, path};

use super::device::{DeviceInterval, device_uses};
use super::operator_values::{DeviceUse, KernelTime, LapOperators, OperatorTime, Operators};
use crate::reading::process::Process;
use crate::summary::doubt::{Doubt, RunDoubt};
use crate::summary::span_row::{RowKind, SpanRow};

/// Name of the row for operators that began while no lap was open.
const OUTSIDE: &str = "no lap open";
/// Code of the note that says how far moments may be off, in nanoseconds.
pub const WITHIN: &str = "kernels.within-ns";

type Names = Vec<String>;

#[derive(Debug, Default)]
struct Lap {
    operators: HashMap<String, OperatorTime>,
    kernels: BTreeMap<(String, DeviceWorkKind), KernelTime>,
    device: Option<DeviceUse>,
}

/// Returns the operators and kernels of a run; `None` where nothing was profiled. `rows` have the measured
/// times.
pub fn operators(processes: &[Process], rows: &[SpanRow]) -> Option<Operators> {
    if processes
        .iter()
        .all(|process| process.features.profiler.is_empty())
    {
        return None;
    }
    let mut laps: BTreeMap<Names, Lap> = BTreeMap::new();
    let mut devices: BTreeMap<u32, DeviceUse> = BTreeMap::new();
    for process in processes {
        add(process, &mut laps, &mut devices);
    }
    let notes = processes
        .iter()
        .flat_map(|process| &process.features.notes.0);
    let within = notes.filter(|(code, _)| code == WITHIN);
    let mut laps: Vec<LapOperators> = laps
        .into_iter()
        .map(|(names, lap)| lap_operators(names, lap, rows))
        .collect();
    laps.sort_by_key(|lap| Reverse(lap.self_ns));
    Some(Operators {
        call_count: laps.iter().map(|lap| lap.call_count).total(),
        self_ns: laps.iter().map(|lap| lap.self_ns).total(),
        within_ns: within.filter_map(|(_, ns)| ns.parse().ok()).max(),
        laps,
        devices: devices.into_values().collect(),
    })
}

/// Finds what profiling did to the run, and what is missing of it.
pub fn doubts(processes: &[Process]) -> Vec<Doubt> {
    let mut each = processes.iter().map(|process| &process.features.profiler);
    let is_profiled = each.clone().any(|operators| !operators.is_empty());
    let count: u64 = each.by_ref().map(|operators| operators.left_out).total();
    let profiled = is_profiled.then_some(RunDoubt::ProfiledSteps);
    let left_out = (count > 0).then_some(RunDoubt::OperatorsLeftOut { count });
    let doubts = profiled.into_iter().chain(left_out);
    doubts.map(Doubt::Run).collect()
}

fn names(process: &Process, lap: PathId) -> Names {
    if lap == PathId::ROOT {
        return Names::new();
    }
    let names = process.paths.names(lap).into_iter();
    names.map(str::to_owned).collect()
}

fn add(process: &Process, laps: &mut BTreeMap<Names, Lap>, devices: &mut BTreeMap<u32, DeviceUse>) {
    let kept = &process.features.profiler;
    let lap_of = |at: usize| kept.laps.get(at).copied().flatten();
    let mut known: HashMap<PathId, Names> = HashMap::new();
    for (at, one) in kept.operators.iter().enumerate() {
        let lap = lap_of(at).unwrap_or(PathId::ROOT);
        let of_lap = known.entry(lap).or_insert_with(|| names(process, lap));
        let lap = match laps.get_mut(of_lap) {
            Some(lap) => lap,
            None => laps.entry(of_lap.clone()).or_default(),
        };
        let name = kept.name(one.name);
        if !lap.operators.contains_key(name) {
            let new = OperatorTime {
                name: name.to_owned(),
                call_count: 0,
                self_ns: 0,
                total_ns: 0,
            };
            lap.operators.insert(name.to_owned(), new);
        }
        if let Some(time) = lap.operators.get_mut(name) {
            time.call_count += 1;
            time.self_ns = time.self_ns.saturating_add(one.self_ns);
            time.total_ns = time.total_ns.saturating_add(one.total_ns);
        }
    }
    let timeline = process.facts.anchors.timeline();
    let mut on_device = Vec::new();
    for (at, work) in kept.works.iter().enumerate() {
        let lap = lap_of(kept.operators.len() + at);
        let path = lap.unwrap_or(PathId::ROOT);
        let lap_sums = laps.entry(names(process, path)).or_default();
        let name = kept.name(work.name).to_owned();
        let kernel = lap_sums.kernels.entry((name.clone(), work.kind));
        let kernel = kernel.or_insert_with(|| KernelTime {
            name,
            kind: work.kind,
            call_count: 0,
            total_ns: 0,
        });
        kernel.call_count += 1;
        kernel.total_ns = kernel.total_ns.saturating_add(work.duration_ns);
        let start_ns = timeline.monotonic_ns(work.ticks);
        on_device.push(DeviceInterval {
            device: work.device,
            start_ns,
            end_ns: start_ns.saturating_add(work.duration_ns),
            launched_ns: lap.map(|_| timeline.monotonic_ns(work.launched.0)),
            lap: path,
        });
    }
    let (whole, by_lap) = device_uses(&on_device);
    for one in whole {
        join(devices.entry(one.device).or_default(), &one);
    }
    for (path, one) in by_lap {
        let lap = laps.entry(names(process, path)).or_default();
        join(lap.device.get_or_insert_default(), &one);
    }
}

fn join(sum: &mut DeviceUse, other: &DeviceUse) {
    sum.device = other.device;
    sum.busy_ns = sum.busy_ns.saturating_add(other.busy_ns);
    sum.launch_bound_ns = sum.launch_bound_ns.saturating_add(other.launch_bound_ns);
    sum.waiting_ns = sum.waiting_ns.saturating_add(other.waiting_ns);
}

fn lap_operators(names: Names, lap: Lap, rows: &[SpanRow]) -> LapOperators {
    let mut operators: Vec<OperatorTime> = lap.operators.into_values().collect();
    operators.sort_by(|one, other| {
        let by = |time: &OperatorTime| (Reverse(time.self_ns), Reverse(time.call_count));
        by(one)
            .cmp(&by(other))
            .then_with(|| one.name.cmp(&other.name))
    });
    let mut kernels: Vec<KernelTime> = lap.kernels.into_values().collect();
    kernels.sort_by(|one, other| {
        let by = |time: &KernelTime| (Reverse(time.total_ns), Reverse(time.call_count));
        by(one)
            .cmp(&by(other))
            .then_with(|| one.name.cmp(&other.name))
    });
    // Other laps ran without the profiler too.
    let is_profiled = names.iter().any(|name| {
        let plain = name.strip_prefix(PhaseName::PROFILED);
        plain.is_some_and(|plain| PhaseName::of(plain).is_some())
    });
    let row = rows.iter().find(|row| is_profiled && row.names == names);
    let (names, kind) = if names.is_empty() {
        (vec![OUTSIDE.to_owned()], RowKind::Leftover)
    } else {
        (names, RowKind::Span)
    };
    LapOperators {
        path: path::join(names.iter().map(String::as_str)),
        names,
        kind,
        lap_ns: row.map(|row| row.self_ns),
        call_count: operators.iter().map(|one| one.call_count).total(),
        self_ns: operators.iter().map(|one| one.self_ns).total(),
        operators,
        kernels,
        device: lap.device,
    }
}
