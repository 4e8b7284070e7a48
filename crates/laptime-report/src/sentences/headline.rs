//! The first line of a report, in words: where the time went, and what a step is made of.
//!
//! `15.3 s: 63 % startup, 21 % training, 14 % exit. A step takes 14.1 ms: backward 42 %, forward
//! 37 %, optimizer 15 %, data 6 %.` It says what the tables below it show in numbers, the largest
//! parts only, so that who reads no further knows the most important of it.

use std::collections::HashMap;

use laptime_analysis::summarize::device_steps;
use laptime_analysis::{
    FunctionTime, LapFunctions, Numbered, ProcessState, ProcessSummary, RowKind, SpanRow, Summary,
    TORN_STEPS, is_compiling, is_shutdown, noun, nouns, numbered, one_of, without_numbers,
};
use laptime_core::{PhaseName, Total};

use crate::document::names;
use crate::quantity;
use crate::tables::functions::rows::builtin;
use crate::text::wrap;

/// Parts that are named, largest first.
const MOST_PARTS: usize = 4;
/// Parts below this share are not named.
const LEAST_RATIO: f64 = 0.01;
/// From this ratio to the wall time on, spans of several threads or tasks were open at once.
const OVERLAP_RATIO: f64 = 1.05;
/// From this distance from the median on, as a part of it, the mean says something else.
const FAR_RATIO: f64 = 0.1;
/// What is left over is said from this share on.
const REST_RATIO: f64 = 0.05;

/// What compiling is called, whatever it is in.
const COMPILING: &str = "compiling";

/// Stands between a number and its unit, where no line may end.
pub const UNBROKEN: char = '\u{a0}';

/// A part of the run or of a step.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    name: String,
    /// Of the whole.
    ratio: f64,
    is_span: bool,
}

/// The headline of a run, or of a timer's segments. What a step takes is told of the steady state, and says so, where
/// `with_steady` says that its table is shown; otherwise of the whole run.
pub fn of_run(summary: &Summary, with_steady: bool) -> String {
    let wall = time(summary.wall_ns);
    // A process that reports of itself needs no telling that it runs.
    let is_file = |main: &&ProcessSummary| main.is_main && !main.file.is_empty();
    let main = summary.processes.iter().find(is_file);
    let wall = if main.is_some_and(|main| main.state == ProcessState::Running) {
        format!("still running, {wall} so far")
    } else {
        wall
    };
    let rows = of_whole(&summary.rows, summary.is_notebook());
    let has_laps = rows.iter().any(|part| part.is_span);
    let (rows, all_ns) = if has_laps {
        (rows, summary.wall_ns)
    } else {
        of_functions(summary)
    };
    let of_threads = || {
        let are_several = all_ns as f64 >= OVERLAP_RATIO * summary.wall_ns as f64;
        are_several.then(|| format!("{} in all threads together", time(all_ns)))
    };
    let wall = match together(summary).or_else(of_threads) {
        Some(together) => format!("{wall} ({together})"),
        None => wall,
    };
    let (parts, rest) = largest(rows);
    let mut said: Vec<String> = parts.iter().map(of_the_run).collect();
    said.extend(rest.map(|rest| format!("{} in {}", share(rest.ratio), rest.name)));
    let mut said = if said.is_empty() {
        wall
    } else {
        format!("{wall}: {}.", said.join(", "))
    };
    if summary.warnings.iter().any(|one| one.code() == TORN_STEPS) {
        said.push_str(" Its steps are told in pieces: see the warning below.");
    } else if let Some(step) = step(summary, with_steady) {
        said.extend([" ", &step]);
    }
    said
}

/// What shares are of, where it isn't the run's time: `3 processes, 7.7 s together`.
fn together(summary: &Summary) -> Option<String> {
    let measured = summary.processes.iter().filter(|one| one.is_measured);
    let count = measured.count();
    (count > 1).then(|| {
        let sum = time(summary.measured_ns);
        format!("{count}{UNBROKEN}processes, {sum} together")
    })
}

/// A part of the run; threads or tasks side by side are no share of it.
fn of_the_run(part: &Part) -> String {
    let Part { name, ratio, .. } = part;
    if *ratio >= OVERLAP_RATIO {
        let many = match noun(name) {
            "span" => format!("laps of {name}"),
            noun => nouns(noun),
        };
        return format!("{ratio:.1}{UNBROKEN}{many} at a time on average");
    }
    format!("{} {name}", share(*ratio))
}

/// A time that no line breaks.
fn time(ns: u64) -> String {
    let time = quantity::estimate(ns);
    time.replace(' ', &UNBROKEN.to_string())
}

/// A share that no line breaks.
fn share(ratio: f64) -> String {
    if ratio < LEAST_RATIO {
        return format!("under{UNBROKEN}1{UNBROKEN}%");
    }
    format!("{:.0}{UNBROKEN}%", ratio * 100.0)
}

/// The outermost rows by what they are called; none where nothing but leftovers is there.
fn of_whole(rows: &[SpanRow], is_notebook: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let numbered = numbered(rows);
    // A timer's segments lie over the laps: beside these they are no further part.
    let mut outermost = rows.iter().filter(|row| row.depth() == 0);
    let has_laps = outermost.any(|row| row.kind == RowKind::Span && row.total_ns > row.apart_ns);
    let mut compiling = 0.0;
    let all_compiling = all_compiling(rows);
    let mut places: HashMap<(String, RowKind), usize> = HashMap::new();
    for row in rows.iter().filter(|row| row.depth() == 0) {
        let name = as_one(row, &numbered).unwrap_or_else(|| called(row, rows, is_notebook));
        // A lap around the whole recording ends after it: what is known of it are the laps inside.
        let inside = || {
            children(rows, &row.names)
                .filter_map(|inner| inner.share_ratio)
                .sum()
        };
        let ratio = row.share_ratio.unwrap_or_else(inside);
        let apart = row.apart_ns as f64 / row.total_ns.max(1) as f64;
        let ratio = if has_laps {
            ratio * (1.0 - apart)
        } else {
            ratio
        };
        if apart > 0.0 && ratio <= 0.0 {
            continue;
        }
        // Compiling is one kind of time, wherever it happens, and none of what it stands in.
        let inside = compiled(&all_compiling, row).filter_map(|row| row.share_ratio);
        let compiled = inside.sum::<f64>().min(ratio);
        compiling += compiled;
        let ratio = ratio - compiled;
        if compiled > 0.0 && ratio <= 0.0 {
            continue;
        }
        // A lap may be called as what no lap has.
        let place = (name.clone(), row.kind);
        if let Some(at) = places.get(&place) {
            parts[*at].ratio += ratio;
            continue;
        }
        places.insert(place, parts.len());
        parts.push(Part {
            name,
            ratio,
            is_span: row.kind == RowKind::Span,
        });
    }
    if compiling > 0.0 {
        parts.push(Part {
            name: COMPILING.to_owned(),
            ratio: compiling,
            is_span: true,
        });
    }
    parts
}

/// The rows that are compiling: few, of however many.
fn all_compiling(rows: &[SpanRow]) -> Vec<&SpanRow> {
    rows.iter().filter(|row| is_compiling(row)).collect()
}

/// What is compiled in a row and inside of it.
fn compiled<'r>(
    compiling: &'r [&'r SpanRow],
    around: &'r SpanRow,
) -> impl Iterator<Item = &'r SpanRow> {
    let all = compiling.iter().copied();
    all.filter(|row| row.names.starts_with(&around.names))
}

/// What laps are called together whose names differ by a number only: `iteration# (40 laps)`.
fn as_one(row: &SpanRow, numbered: &[Numbered]) -> Option<String> {
    let (RowKind::Span, [name]) = (row.kind, &row.names[..]) else {
        return None;
    };
    let outermost = numbered.iter().filter(|one| one.names.len() == 1);
    let pattern = without_numbers(name);
    let mut same = outermost.filter(|one| one.names[0] == pattern);
    let laps = same.next()?.spans;
    Some(format!("{} ({laps} laps)", names::short(&pattern)))
}

/// The functions of a program without laps, by their own time, and what that is a part of: the run's time, or
/// that of all threads that were counted. No functions where they are not known.
fn of_functions(summary: &Summary) -> (Vec<Part>, u64) {
    let Some(functions) = &summary.functions else {
        return (Vec::new(), summary.wall_ns);
    };
    let sampled = || {
        let lap = functions.main_lap().filter(|lap| !lap.is_beside())?;
        Some(sampled_of(lap))
    };
    let counted = || {
        let exact = functions.exact.as_ref()?;
        let each = exact.main_lap()?.functions.iter();
        let named = |at: usize| {
            let function = exact.functions.get(at)?;
            let is_python = function.line > 0;
            let name = || function.name.clone();
            Some(
                is_python
                    .then(name)
                    .unwrap_or_else(|| builtin(&function.name)),
            )
        };
        let short = |one: String| names::short(&one);
        let each = each.filter_map(|one| Some((short(named(one.function)?), one.self_ns)));
        Some(each.collect())
    };
    let each: Vec<(String, u64)> = sampled().or_else(counted).unwrap_or_default();
    let own_ns = each.iter().map(|(_, ns)| *ns).fold(0, u64::saturating_add);
    let all_ns = own_ns.max(summary.wall_ns).max(1);
    let each = each.into_iter().map(|(name, ns)| Part {
        name,
        ratio: ns as f64 / all_ns as f64,
        is_span: true,
    });
    (each.filter(|part| part.ratio > 0.0).collect(), all_ns)
}

/// What a function is called: what it means, where its name says that to nobody.
fn function_name(function: &FunctionTime) -> String {
    if is_shutdown(&function.name, &function.file) {
        return "waiting for threads to end".to_owned();
    }
    let is_waiting = function.waiting_ns > function.self_ns / 2;
    let waiting = if is_waiting { " (waiting)" } else { "" };
    format!("{}{waiting}", names::short(&function.name))
}

/// Imports as the script wrote them, and what functions do beside them. One that mostly waits says so.
fn sampled_of(lap: &LapFunctions) -> Vec<(String, u64)> {
    let imports = lap.imports.iter();
    let imports = imports.map(|one| (names::short(&format!("import {}", one.name)), one.total_ns));
    let functions = lap.functions.iter();
    let functions = functions.map(|one| (function_name(one), one.beside_imports_ns()));
    imports.chain(functions).collect()
}

/// What a part of the run is called: steps with a backward are training, counted ones too.
fn called(row: &SpanRow, rows: &[SpanRow], is_notebook: bool) -> String {
    let name = row.names.first().map_or("", String::as_str);
    if row.kind == RowKind::Leftover {
        let called = match name {
            "other" => "outside of laps",
            "after" => "after the last lap",
            "lost" => "not recorded",
            // Earlier cells ran there, and somebody typed.
            "startup" if is_notebook => "before the first lap",
            name => name,
        };
        return called.to_owned();
    }
    let step = [PhaseName::Step.text().to_owned()];
    let is_backward = |part: &SpanRow| last_name(part) == PhaseName::Backward.text();
    match PhaseName::of_counted(name).or_else(|| PhaseName::of(name)) {
        Some(PhaseName::Step) if children(rows, &step).any(is_backward) => "training".to_owned(),
        Some(phase) => phase.text().to_owned(),
        None => names::short(name),
    }
}

fn last_name(row: &SpanRow) -> &str {
    row.names.last().map_or("", String::as_str)
}

fn children<'r>(rows: &'r [SpanRow], names: &'r [String]) -> impl Iterator<Item = &'r SpanRow> {
    rows.iter().filter(|row| row.is_child_of(names))
}

/// How long a step takes and what it is made of: after warm-up, where there is one and the table after it is shown;
/// otherwise of the whole run, whose table comes first. Where a device does the work, it tells both.
fn step(summary: &Summary, with_steady: bool) -> Option<String> {
    let steady = summary.steady.as_ref().filter(|_| with_steady);
    let is_after = steady.is_some_and(|steady| steady.skipped_count > 0);
    let ((row, rows), after) = if is_after {
        (summary.repeated()?, "After warm-up, ")
    } else {
        (summary.repeated_in_all()?, "")
    };
    let seen = device_steps::by_device(row, rows);
    let each = match seen.as_deref() {
        Some([on_device, ..]) => of_both(on_device, row)?,
        // What a device told of too few is in the table, and is not this.
        _ if row.device.device_ns.is_some() => format!("{} on the host", typical(row)?),
        _ => typical(row)?,
    };
    let rows = seen.as_deref().unwrap_or(rows);
    let row = seen.as_deref().and_then(<[_]>::first).unwrap_or(row);
    let (path, noun) = (row.path.as_str(), noun(&row.path));
    let ratio = |ns: u64| ns as f64 / row.total_ns.max(1) as f64;
    let part = |name: String, ns: u64| Part {
        name,
        ratio: ratio(ns),
        is_span: true,
    };
    let mut parts: Vec<Part> = Vec::new();
    let mut compiled_ns = 0_u64;
    let compiling = all_compiling(rows);
    for child in children(rows, &row.names) {
        // What ran beside the step is no part of it: a timer's segments may all be of the same time.
        let inside_ns = child.total_ns - child.apart_ns.min(child.total_ns);
        let all_ns: u64 = compiled(&compiling, child).map(|row| row.total_ns).total();
        let own_ns = all_ns.min(inside_ns);
        compiled_ns = compiled_ns.saturating_add(own_ns);
        if inside_ns > own_ns {
            let called = names::short(last_name(child));
            parts.push(part(called, inside_ns - own_ns));
        }
    }
    if compiled_ns > 0 {
        parts.push(part(COMPILING.to_owned(), compiled_ns));
    }
    let (parts, rest) = largest(parts);
    let own = ratio(row.self_ns);
    let outside = (!parts.is_empty() && own >= REST_RATIO).then(|| Part {
        name: "outside of these".to_owned(),
        ratio: own,
        is_span: false,
    });
    let parts = parts.iter().chain(&rest).chain(&outside);
    let parts: Vec<String> = parts
        .map(|part| format!("{} {}", part.name, share(part.ratio)))
        .collect();
    let colon = if parts.is_empty() { "" } else { ": " };
    let subject = match noun {
        "span" => names::path(path),
        noun => one_of(noun),
    };
    let subject = if after.is_empty() && noun != "span" {
        wrap::capitalised(&subject)
    } else {
        subject
    };
    Some(format!(
        "{after}{subject} takes {each}{colon}{}.",
        parts.join(", ")
    ))
}

/// How long a step takes on its device, on average, and on the host where that is another time.
fn of_both(on_device: &SpanRow, on_host: &SpanRow) -> Option<String> {
    let (device_ns, host_ns) = (on_device.mean_ns?, on_host.mean_ns?);
    let is_far = device_ns.abs_diff(host_ns) as f64 >= FAR_RATIO * device_ns as f64;
    let host = if is_far {
        format!(" ({} on the host)", time(host_ns))
    } else {
        String::new()
    };
    Some(format!("{} on the device{host}", time(device_ns)))
}

/// How long a step takes: the median, and the mean beside it where that says something else. Shares are of the mean.
fn typical(row: &SpanRow) -> Option<String> {
    let (median_ns, mean_ns) = (row.p50_ns?, row.mean_ns);
    let usual = time(median_ns);
    Some(match mean_ns {
        Some(mean_ns) if mean_ns.abs_diff(median_ns) as f64 >= FAR_RATIO * median_ns as f64 => {
            format!("{usual} usually, {} on average", time(mean_ns))
        }
        _ => usual,
    })
}

/// The largest parts, largest first, and what the others are together. The largest of the spans is
/// named however small it is: it is what was measured.
fn largest(mut parts: Vec<Part>) -> (Vec<Part>, Option<Part>) {
    parts.sort_by(|one, other| other.ratio.total_cmp(&one.ratio));
    let Some(first) = parts.iter().find(|part| part.is_span).cloned() else {
        return (Vec::new(), None);
    };
    parts.retain(|part| part.ratio >= LEAST_RATIO || *part == first);
    // A single other one has a name.
    let most = if parts.len() == MOST_PARTS + 1 {
        parts.len()
    } else {
        MOST_PARTS.min(parts.len())
    };
    let others = parts.split_off(most);
    if others.contains(&first) {
        parts.push(first);
    }
    let ratio: f64 = others.iter().map(|part| part.ratio).sum();
    let rest = (ratio >= REST_RATIO).then(|| Part {
        name: quantity::plural(others.len() as u64, "other", "others"),
        ratio,
        is_span: true,
    });
    (parts, rest)
}

#[cfg(test)]
#[path = "tests/headline.rs"]
mod tests;
