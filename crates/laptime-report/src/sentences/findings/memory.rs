//! Findings about memory that grows, in sentences.

use laptime_analysis::{Finding, Keeper, MainFunction, Passing};

use super::phrases::{bytes, function_at, many, one, time};
use crate::document::names;

/// The place to look for what no lap keeps.
const OUTSIDE: &str = "Look for what the loop keeps from NOUN to NOUN; laps around its other parts \
                       show which one it is.";

/// The things to look for in a function that memory rises in.
pub const LOOK_THERE: &str = "Look for lists and caches that are added to there.";

/// The things to look for in a lap that leaves memory: what it allocates may be kept by whoever it hands it to.
const LOOK: &str = "look for lists or caches that keep it, there or where it is handed on";

/// Writes what leaves memory behind, and how much.
pub fn growing_memory(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::MemoryGrowth {
            path,
            step_count,
            per_step_bytes,
            uncertainty_bytes,
            kept_bytes,
            keepers,
            passing,
            between,
        } => format!(
            "Each {} leaves {} (± {}) of memory behind{}: {} after {step_count} {}. {}",
            one(path),
            bytes(*per_step_bytes),
            bytes(*uncertainty_bytes),
            if *between { ", outside of its lap" } else { "" },
            bytes(*kept_bytes),
            many(path),
            if *between && keepers.is_empty() && passing.is_none() {
                OUTSIDE.replace("NOUN", &one(path))
            } else {
                left_by(keepers, passing.as_ref(), path)
            },
        ),
        Finding::MemoryRise {
            per_second_bytes,
            uncertainty_bytes,
            risen_bytes,
            during_ns,
            function,
            busy_function,
            is_sampled,
        } => format!(
            "Memory grows all the time, by {} (± {}) per second: {} in {}{}",
            bytes(*per_second_bytes),
            bytes(*uncertainty_bytes),
            bytes(*risen_bytes),
            time(*during_ns),
            rising(function.as_ref(), busy_function.as_ref(), *is_sampled),
        ),
        _ => return None,
    })
}

/// Writes the function in which memory rises, or how to learn it.
fn rising(
    function: Option<&MainFunction>,
    busy: Option<&MainFunction>,
    is_sampled: bool,
) -> String {
    const LAPS: &str = "A lap around each round of its loop, such as `for item in lt.track(items, \"step\")`, tells \
                        what a round leaves, and laps inside tell where.";
    match (function, busy) {
        (Some(function), _) => format!(
            ", {:.0} % of it while {} ran. {LOOK_THERE}",
            100.0 * function.ratio,
            function_at(function),
        ),
        (None, Some(busy)) => format!(". {} {LAPS}", computed_in(busy)),
        (None, None) if is_sampled => format!(
            ". Samples don't tell in which function. Look for lists and caches that the program adds to. {LAPS}"
        ),
        (None, None) => format!(
            ". Look for lists and caches that the program adds to. `laptime run --memory SCRIPT` samples \
             functions and names this one, if it is one. {LAPS}"
        ),
    }
}

/// Writes the function that mostly ran while memory rose, which may have risen in what took turns with it.
pub fn computed_in(busy: &MainFunction) -> String {
    format!(
        "While memory rose, the program computed mostly in {}: that may keep it, call what keeps it, or take turns \
         with it.",
        function_at(busy),
    )
}

/// Writes which laps leave it.
fn left_by(keepers: &[Keeper], passing: Option<&Passing>, path: &str) -> String {
    let noun = one(path);
    let named = |one: &Keeper| {
        let (lap, left) = (names::path(&one.path), bytes(one.per_step_bytes));
        format!("{lap} ({left} each time)")
    };
    let laps: Vec<String> = keepers.iter().map(named).collect();
    if let Some(passing) = passing {
        return between_laps(&laps, passing, path);
    }
    match &laps[..] {
        [] => format!(
            "No single lap inside keeps as much: look for what each {noun} appends to lists or caches, \
             such as losses that are kept with their graphs, or what a dataset caches."
        ),
        [lap] => format!("It is left in {lap}: {LOOK}."),
        [others @ .., last] => {
            format!(
                "It is left in {} and in {last}: {LOOK}.",
                others.join(", in ")
            )
        }
    }
}

/// Writes between which laps it is left, where these free what others hold: net bytes tell no more than that.
fn between_laps(laps: &[String], passing: &Passing, path: &str) -> String {
    let called = |lap: &str| {
        if lap == path {
            format!("the {} outside of its laps", one(path))
        } else {
            names::path(lap)
        }
    };
    let (from, to) = (called(&passing.from_path), called(&passing.to_path));
    let freed = bytes(passing.to_bytes.unsigned_abs());
    match laps {
        [] => {
            let left = bytes(passing.from_bytes.unsigned_abs());
            let also = passing.also.iter();
            let also =
                also.map(|lap| format!(", {} {}", called(&lap.path), bytes(lap.per_step_bytes)));
            let also: Vec<String> = also.collect();
            let comma = if also.is_empty() { "" } else { "," };
            format!(
                "{from} leaves {left} each time{}{comma} and {to} frees {freed}. Bytes alone don't tell which \
                 lap allocated what is kept: look for lists or caches that grow, such as losses or outputs \
                 that are kept with their graphs, or what a dataset caches.",
                also.concat(),
            )
        }
        laps => format!(
            "It is probably left in {}. But {to} frees memory that others allocate, such as {from} ({freed} each \
             time), so a part of that may be kept instead. Look for lists or caches that grow there.",
            laps.join(" or in "),
        ),
    }
}
