//! Findings about memory that grows and is told without an option: resident, and in use on a device.

use laptime_analysis::{Finding, MainFunction};

use super::memory::{LOOK_THERE, computed_in};
use super::phrases::{bytes, function_at, many, one, time};
use crate::document::names;
use crate::quantity::thousands;

/// The meaning of a rise in a program that repeats nothing which Laptime knows of.
const COLLECTS: &str =
    "That is normal where a script collects data, and a leak where it is to run for long.";

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
            keeper(*is_counted, true),
        ),
        Finding::ResidentGrowth {
            path: None,
            each_bytes,
            uncertainty_bytes,
            risen_bytes,
            during_ns,
            is_counted,
            function,
            busy_function,
            ..
        } => format!(
            "Memory of the process rises evenly, by {} (± {}) per second, and still does at the end: {} in {}{} \
             {COLLECTS} {}",
            bytes(*each_bytes),
            bytes(*uncertainty_bytes),
            bytes(*risen_bytes),
            time(during_ns.unwrap_or(0)),
            while_running(function.as_ref()),
            match (function, busy_function) {
                (Some(_), _) if !is_counted => LOOK_THERE.to_owned(),
                (_, Some(busy)) if !is_counted => computed_in(busy),
                _ => keeper(*is_counted, false).to_owned(),
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

/// Writes how to learn who keeps memory that is resident.
fn keeper(is_counted: bool, has_steps: bool) -> &'static str {
    match (is_counted, has_steps) {
        (true, _) => {
            "Counted allocations don't grow as much: look for a library that allocates in its own way, or \
             for memory that is freed in pieces too small to be given back."
        }
        (false, true) => {
            "`laptime run --memory SCRIPT` names the laps that keep it. Lists and caches that grow are the \
             usual cause, such as losses that are kept with their graphs."
        }
        (false, false) => {
            "Look for lists and caches that the program adds to. `laptime run --memory SCRIPT` \
             names the function, if it is one."
        }
    }
}
