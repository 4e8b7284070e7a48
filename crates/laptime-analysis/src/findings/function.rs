//! Which function a part of a step is mostly in, where stacks were sampled.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::steps::Steps;
use crate::finding::{Finding, MainFunction};
use crate::functions::{Functions, LapFunctions};
use crate::span_row::RowKind;
use crate::summary::Summary;

/// A function that has this part of a lap's own time is what the lap is mostly in.
const MOST_RATIO: f64 = 0.5;
/// Of fewer samples, that would be known to more than 20 points.
const LEAST_SAMPLES: u64 = 20;
/// From this share of the steps' time on, a part of them is worth a look.
const PART_RATIO: f64 = 0.2;

/// Own time of one function: all of it, and by line.
#[derive(Debug, Default)]
struct Own {
    all_ns: u64,
    waiting_ns: u64,
    lines: BTreeMap<u32, u64>,
}

/// The function that a lap, with the laps inside, is mostly in; `None` where there is none, or too little was sampled.
pub fn of_lap(functions: Option<&Functions>, path: &str) -> Option<MainFunction> {
    let laps = functions?.laps.iter();
    most(laps.filter(|lap| lap.kind == RowKind::Span && is_inside(&lap.path, path)))
}

/// The function that startup or exit is mostly in.
pub fn of_leftover(functions: Option<&Functions>, name: &str) -> Option<MainFunction> {
    let laps = functions?.laps.iter();
    most(laps.filter(|lap| lap.kind == RowKind::Leftover && lap.path == name))
}

/// The function that laps are mostly in.
fn most<'f>(laps: impl Iterator<Item = &'f LapFunctions>) -> Option<MainFunction> {
    let (mut samples, mut all_ns) = (0_u64, 0_u64);
    let mut own: BTreeMap<(&str, &str), Own> = BTreeMap::new();
    for lap in laps {
        samples = samples.saturating_add(lap.sample_count);
        all_ns = all_ns.saturating_add(lap.total_ns);
        for function in &lap.functions {
            let own = own.entry((&function.name, &function.file)).or_default();
            // What an import runs is told by the import.
            let own_ns = function.beside_imports_ns();
            own.all_ns = own.all_ns.saturating_add(own_ns);
            own.waiting_ns = own
                .waiting_ns
                .saturating_add(function.waiting_ns.min(own_ns));
            for line in &function.lines {
                let at_line = own.lines.entry(line.line).or_default();
                *at_line = at_line.saturating_add(line.self_ns);
            }
        }
    }
    let ((name, file), own) = own.into_iter().max_by_key(|(_, own)| own.all_ns)?;
    let ratio = own.all_ns as f64 / all_ns.max(1) as f64;
    let lines = own.lines.into_iter();
    let line = lines.min_by_key(|(line, ns)| (Reverse(*ns), *line));
    // A thread that used no processor since the last look is where it was: that is known by one sample.
    let is_sure = samples >= LEAST_SAMPLES || own.waiting_ns as f64 >= MOST_RATIO * all_ns as f64;
    (is_sure && ratio >= MOST_RATIO).then(|| MainFunction {
        name: name.to_owned(),
        file: file.to_owned(),
        line: line.map_or(0, |(line, _)| line),
        ratio,
    })
}

/// The longest part of a step, if it is mostly in one function that the program can change, and no other
/// finding is about it.
pub fn part(summary: &Summary, steps: &Steps<'_>, others: &[Finding]) -> Option<Finding> {
    let parts = steps.inside();
    let parts = parts.filter(|row| row.is_child_of(&steps.step.names));
    let longest = parts.max_by_key(|row| row.total_ns)?;
    if steps.ratio(longest.total_ns) < PART_RATIO
        || others.iter().any(|one| is_about(one, &longest.path))
    {
        return None;
    }
    let function = of_lap(summary.functions.as_ref(), &longest.path)?;
    (!is_library(&function.file)).then(|| Finding::InFunction {
        path: longest.path.clone(),
        total_ns: longest.total_ns,
        steps_ns: steps.step.total_ns,
        function,
    })
}

/// Whether a finding names the function of a path, or of a lap inside.
fn is_about(finding: &Finding, part: &str) -> bool {
    match finding {
        Finding::DataWait { path, .. } | Finding::HotSpot { path, .. } => is_inside(path, part),
        _ => false,
    }
}

/// Whether a path is another one, or lies inside of it.
fn is_inside(path: &str, around: &str) -> bool {
    let rest = path.strip_prefix(around);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a file is a package's or the interpreter's.
fn is_library(file: &str) -> bool {
    let places = ["/site-packages/", "/dist-packages/", "/lib/python3"];
    file.starts_with("<frozen") || places.iter().any(|place| file.contains(place))
}
