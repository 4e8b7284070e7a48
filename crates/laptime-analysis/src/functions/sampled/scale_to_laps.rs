//! Sampled times of a lap, scaled to the lap's measured self time.
//!
//! Samples tell which part of a lap each function took; how long the lap took was measured. The time of a
//! function is its part of the measured time: the ratio estimator (Cochran 1977, chapter 6), which has
//! the smaller error, and one report has one time for a lap.
//!
//! A lap whose self time isn't that of threads (tasks wait in theirs while others run, generators pause) stays
//! as it was sampled, and so does one that was sampled in a part of its processes only.

use std::collections::{HashMap, HashSet};

use crate::reading::process::Process;
use crate::summary::functions::LapFunctions;
use crate::summary::span_row::{RowKind, SpanRow};

/// Largest ratio between sampled and measured time of one lap: beyond it they are not of the same thing.
const MOST_RATIO: f64 = 2.0;

/// Scales the laps of a run to its rows. Time outside of laps stays as it was sampled: there the rows have the
/// time in which no thread had a lap.
pub fn scale(laps: &mut [LapFunctions], rows: &[SpanRow], processes: &[Process]) {
    let not_of_threads: HashSet<Vec<&str>> = (processes.iter())
        .flat_map(|process| {
            let paths = process.features.stacks.not_of_threads.iter();
            paths.map(|path| process.paths.names(*path))
        })
        .collect();
    let rows = rows.iter().filter(|row| row.kind == RowKind::Span);
    let measured: HashMap<&[String], u64> = rows
        .map(|row| (row.names.as_slice(), row.self_ns))
        .collect();
    for lap in laps.iter_mut().filter(|lap| lap.kind == RowKind::Span) {
        let names: Vec<&str> = lap.names.iter().map(String::as_str).collect();
        let measured_ns = measured.get(lap.names.as_slice()).copied().unwrap_or(0);
        let sampled_ns = lap.total_ns;
        let ratio = sampled_ns as f64 / measured_ns.max(1) as f64;
        let is_same = (1.0 / MOST_RATIO..=MOST_RATIO).contains(&ratio);
        if is_same && !not_of_threads.contains(&names) {
            multiply(lap, measured_ns, sampled_ns);
        }
    }
}

/// Multiplies all times of a lap by `numerator / denominator`.
fn multiply(lap: &mut LapFunctions, numerator: u64, denominator: u64) {
    let scaled = |ns: &mut u64| {
        let exact = u128::from(*ns) * u128::from(numerator) / u128::from(denominator);
        *ns = u64::try_from(exact).unwrap_or(u64::MAX);
    };
    for time in &mut lap.functions {
        scaled(&mut time.self_ns);
        scaled(&mut time.total_ns);
        scaled(&mut time.waiting_ns);
        scaled(&mut time.imported_ns);
        for line in &mut time.lines {
            scaled(&mut line.self_ns);
            scaled(&mut line.waiting_ns);
        }
    }
    for node in &mut lap.stacks {
        scaled(&mut node.total_ns);
        scaled(&mut node.self_ns);
    }
    for node in &mut lap.calls {
        scaled(&mut node.total_ns);
        scaled(&mut node.self_ns);
        scaled(&mut node.waiting_ns);
        node.squared_ns2 *= (numerator as f64 / denominator as f64).powi(2);
        for line in &mut node.lines {
            scaled(&mut line.self_ns);
            scaled(&mut line.waiting_ns);
        }
    }
    for import in &mut lap.imports {
        scaled(&mut import.total_ns);
    }
    for collection in &mut lap.collections {
        scaled(&mut collection.total_ns);
    }
    scaled(&mut lap.total_ns);
    scaled(&mut lap.waiting_ns);
}
