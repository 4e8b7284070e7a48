//! Findings about memory that grows, in sentences.

use laptime_analysis::{Finding, Keeper};

use super::words::{bytes, many, one, time};
use crate::name;

/// Where to look for what no lap keeps.
const OUTSIDE: &str = "Look for what the loop keeps from NOUN to NOUN; laps around its other parts \
                       show which one it is.";

/// Laps that leave much more than there is in all can't all keep it.
const TOGETHER_RATIO: f64 = 1.25;

/// What leaves memory behind, and how much.
pub fn grows(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::MemoryGrowth {
            path,
            step_count,
            per_step_bytes,
            uncertainty_bytes,
            kept_bytes,
            keepers,
            between,
        } => format!(
            "Each {} leaves {} (± {}) of memory behind{}: {} after {step_count} {}. {}",
            one(path),
            bytes(*per_step_bytes),
            bytes(*uncertainty_bytes),
            if *between { ", outside of its lap" } else { "" },
            bytes(*kept_bytes),
            many(path),
            if *between && keepers.is_empty() {
                OUTSIDE.replace("NOUN", &one(path))
            } else {
                left_by(keepers, *per_step_bytes, &one(path))
            },
        ),
        Finding::MemoryRise {
            per_second_bytes,
            uncertainty_bytes,
            risen_bytes,
            during_ns,
        } => format!(
            "Memory grows all the time, by {} (± {}) per second: {} in {}. Look for lists and caches that \
             the program adds to. A lap around each round of its loop, such as \
             `for item in lt.track(items, \"step\")`, tells what a round leaves, and laps inside tell where.",
            bytes(*per_second_bytes),
            bytes(*uncertainty_bytes),
            bytes(*risen_bytes),
            time(*during_ns),
        ),
        _ => return None,
    })
}

fn left_by(keepers: &[Keeper], per_step_bytes: u64, noun: &str) -> String {
    let sum: u64 = keepers.iter().map(|one| one.per_step_bytes).sum();
    let is_together = sum as f64 <= TOGETHER_RATIO * per_step_bytes as f64;
    let named = |one: &Keeper| {
        let (lap, left) = (name::path(&one.path), bytes(one.per_step_bytes));
        format!("{lap} ({left} each time)")
    };
    let laps: Vec<String> = keepers.iter().map(named).collect();
    match &laps[..] {
        [] => format!(
            "No single lap inside keeps as much: look for what each {noun} appends to lists or caches, \
             such as losses and outputs that are kept with their graphs."
        ),
        [lap] => format!("It is left in {lap}: look for lists or caches that grow there."),
        [others @ .., last] if is_together => format!(
            "It is left in {} and in {last}: look for lists or caches that grow there.",
            others.join(", in "),
        ),
        laps => format!(
            "It is left in {}: each leaves about as much, and the rest is freed elsewhere. Look for \
             lists or caches that grow there.",
            laps.join(" or in "),
        ),
    }
}
