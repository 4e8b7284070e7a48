//! Findings about memory that grows and is told without an option: resident, and in use on a device.

use laptime_analysis::{Finding, MainFunction};

use super::memory::{LOOK_THERE, computed_in};
use super::phrases::{bytes, function_at, many, one, time};
use crate::document::names;
use crate::quantity::thousands;

/// The meaning of a rise in a program that repeats nothing which Laptime knows of.
const COLLECTS: &str =
    "That is normal where a script collects data, and a leak where it is to run for long.";

/// How to learn which laps keep memory.
const NAMED_LAPS: &str = "`laptime run --memory SCRIPT` names the laps that keep it. Lists and caches that grow are the \
                          usual cause, such as losses that are kept with their graphs.";

/// How to learn more of a program without laps.
const COUNT_IT: &str = "Look for lists and caches that the program adds to. `laptime run --memory SCRIPT` tells whether \
                        they are what grows, or a library; with laps, which of them keeps it.";

/// The least part of a rise that counted allocations must make to be the same memory.
const COUNTED_RATIO: f64 = 0.5;

/// The usual cause of memory that grows on a device.
const KEPT_ON_DEVICE: &str =
    "Look for tensors that each step keeps, such as losses with their graphs.";

/// How to learn which lap leaves memory on a device.
const LAPS_ON_DEVICE: &str = "`laptime run --memory SCRIPT` tells each lap's memory there.";

/// Writes how much memory grows, and what to look for.
pub fn growing_memory(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::ResidentGrowth {
            path: Some(path),
            step_count,
            each_bytes,
            uncertainty_bytes,
            risen_bytes,
            is_counted,
            counted_bytes,
            function,
            ..
        } => format!(
            "Memory of the process grows all the time, by {} (± {}) per {}: {} in {} {}{} {}",
            bytes(*each_bytes),
            bytes(*uncertainty_bytes),
            one(path),
            bytes(*risen_bytes),
            thousands(step_count.unwrap_or(0)),
            many(path),
            while_running(function.as_ref()),
            if *is_counted {
                beside_counts(*counted_bytes, *risen_bytes)
            } else {
                NAMED_LAPS.to_owned()
            },
        ),
        Finding::ResidentGrowth {
            path: None,
            each_bytes,
            uncertainty_bytes,
            risen_bytes,
            during_ns,
            before_end_ns,
            is_counted,
            counted_bytes,
            function,
            busy_function,
            ..
        } => format!(
            "Memory of the process rises evenly, by {} (± {}) per second, {}: {} in {}{} {COLLECTS} {}",
            bytes(*each_bytes),
            bytes(*uncertainty_bytes),
            before_end_ns.map_or_else(
                || "and still does at the end".to_owned(),
                |ns| format!("until {} before the end", time(ns)),
            ),
            bytes(*risen_bytes),
            time(during_ns.unwrap_or(0)),
            while_running(function.as_ref()),
            match (function, busy_function) {
                (Some(_), _) if !is_counted => LOOK_THERE.to_owned(),
                (_, Some(busy)) if !is_counted => computed_in(busy),
                _ if *is_counted => beside_counts(*counted_bytes, *risen_bytes),
                _ => COUNT_IT.to_owned(),
            },
        ),
        Finding::DeviceGrowth {
            path,
            step_count,
            each_bytes,
            uncertainty_bytes,
            risen_bytes,
            device,
            name,
            is_own,
            is_counted,
        } => format!(
            "Memory in use on GPU {device} ({}){} grows all the time, by {} (± {}) per {}: {} in {} {}. {}",
            names::short(name),
            if *is_own { "" } else { ", by all that use it," },
            bytes(*each_bytes),
            bytes(*uncertainty_bytes),
            one(path),
            bytes(*risen_bytes),
            thousands(*step_count),
            many(path),
            if *is_counted {
                KEPT_ON_DEVICE.to_owned()
            } else {
                format!("{KEPT_ON_DEVICE} {LAPS_ON_DEVICE}")
            },
        ),
        _ => return None,
    })
}

/// Writes the function in which most of a rise is, as the end of a sentence.
fn while_running(function: Option<&MainFunction>) -> String {
    function.map_or_else(
        || ".".to_owned(),
        |function| {
            format!(
                ", {:.0} % of it while {} ran.",
                100.0 * function.ratio,
                function_at(function),
            )
        },
    )
}

/// Writes what counted allocations say about memory that is resident: they grow less, as much, or were cut off.
fn beside_counts(counted_bytes: Option<u64>, risen_bytes: u64) -> String {
    match counted_bytes {
        None => {
            "Counting ended before the process did, so it doesn't tell who keeps it.".to_owned()
        }
        Some(counted) if counted as f64 >= COUNTED_RATIO * risen_bytes as f64 => format!(
            "Counted allocations grow by {} meanwhile. Look for lists and caches that the program adds to.",
            bytes(counted),
        ),
        Some(counted) => format!(
            "Counted allocations grow by {} meanwhile: look for a library that allocates in its own way, or for memory \
             that is freed in pieces too small to be given back.",
            bytes(counted),
        ),
    }
}
