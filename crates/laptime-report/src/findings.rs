//! What to look at first, in sentences: what was found, and what to try.

use laptime_analysis::{Cause, Finding, ImportTime, Keeper, MainFunction, Summary, noun};
use laptime_core::short_file;

use crate::document::{Content, Section};
use crate::name;
use crate::quantity::{self, Precision, plural};
use crate::text;

/// Above the list, in every format.
pub const HEADING: &str = "findings";

/// Where to look for what no lap keeps.
const OUTSIDE: &str = "Look for what the loop keeps from step to step; laps around its other parts \
                       show which one it is.";

/// The list below the headline; none where nothing was found.
pub fn section(summary: &Summary) -> Option<Section> {
    let lines: Vec<String> = summary.findings.iter().filter_map(said).collect();
    (!lines.is_empty()).then(|| Section {
        heading: Some(HEADING.to_owned()),
        remark: None,
        content: Content::Lines(lines),
    })
}

/// A finding in words; `None` for kinds that a later version knows.
pub fn said(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::Startup {
            startup_ns,
            wall_ns,
            imports,
        } => format!(
            "{} pass before the first lap, {} of the run: {}",
            time(*startup_ns),
            share(*startup_ns, *wall_ns),
            beginning(imports),
        ),
        Finding::NoSteps {
            count,
            total_ns,
            outside_ns,
        } => format!(
            "No steps were seen: {} ({}) {} the only laps, and {} passed outside of them. Write \
             `for batch in lt.track(batches):` around the loop, or `with lt.lap(\"step\"):` inside it.",
            plural(*count, "compilation", "compilations"),
            time(*total_ns),
            if *count == 1 { "is" } else { "are" },
            time(*outside_ns),
        ),
        Finding::Overhead {
            span_count,
            recording_ns,
            wall_ns,
        } => format!(
            "Recording {} took about {}, {} of the run. Put laps around larger pieces of work.",
            plural(*span_count, "lap", "laps"),
            time(*recording_ns),
            share(*recording_ns, *wall_ns),
        ),
        Finding::SlowSteps {
            path,
            one_in,
            slow_ns,
            usual_ns,
            excess_ns,
            cause,
            outside_ns,
        } => {
            let (slow, usual, cost) = (time(*slow_ns), time(*usual_ns), time(*excess_ns));
            let steps = many(path);
            format!(
                "At least one in {one_in} {steps} takes {slow} or longer; the median is {usual}. What \
                 all {steps} take beyond the median adds up to {cost}. {}",
                because(cause.as_ref(), *outside_ns, *excess_ns),
            )
        }
        Finding::DataWait { .. } | Finding::HotSpot { .. } | Finding::InFunction { .. } => {
            of_parts(finding)?
        }
        Finding::Recompilation { .. } | Finding::Occasional { .. } | Finding::WarmUp { .. } => {
            of_some(finding)?
        }
        Finding::Ranks { message, .. } => format!("{}.", text::capitalised(message)),
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
                OUTSIDE.to_owned()
            } else {
                left_by(keepers, *per_step_bytes)
            },
        ),
        Finding::Unsteady { message, hint } => sentences(message, hint),
        Finding::MemoryBound {
            path, intensity, ..
        } => format!(
            "{} is limited by memory bandwidth ({} FLOP per byte). Larger batches, fused \
             operators or smaller number types help; faster arithmetic doesn't.",
            name::short(path),
            quantity::rate(*intensity).inline(),
        ),
        _ => return None,
    })
}

/// What the time before the first lap goes to, as far as is known.
fn beginning(imports: &[ImportTime]) -> String {
    if imports.is_empty() {
        return "imports, reading data, building the model. `laptime run --stacks` tells them apart, \
                `python -X importtime SCRIPT` lists the imports."
            .to_owned();
    }
    let each = imports.iter();
    let each = each.map(|import| {
        format!(
            "import {} {}",
            name::short(&import.name),
            time(import.total_ns)
        )
    });
    format!(
        "{}. Import heavy packages where they are used.",
        each.collect::<Vec<_>>().join(", ")
    )
}

/// What takes much of a step, and the function that it is in.
fn of_parts(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::DataWait {
            path,
            per_step_ns,
            step_ns,
            function,
            ..
        } => format!(
            "Each step waits {} for data on average, {} of its time ({}{}). Use more loader workers \
             (`num_workers`, `prefetch_factor`), or do less work per sample.",
            time(*per_step_ns),
            share(*per_step_ns, *step_ns),
            name::short(path),
            also_in(function.as_ref()),
        ),
        Finding::HotSpot {
            path,
            class,
            self_ns,
            steps_ns,
            function,
        } => hot(path, class, &share(*self_ns, *steps_ns), function.as_ref()),
        Finding::InFunction {
            path,
            total_ns,
            steps_ns,
            function,
        } => format!(
            "{} takes {} of each {}{}.",
            name::short(path),
            share(*total_ns, *steps_ns),
            // It is a part right inside of the step.
            one(path.rsplit_once('/').map_or("step", |(around, _)| around)),
            also_in(Some(function)),
        ),
        _ => return None,
    })
}

/// What only some of the steps do.
fn of_some(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::Recompilation {
            path,
            count,
            total_ns,
        } => format!(
            "{} ran {} after warm-up, {} in all. Find out what changes from step to step: \
             `TORCH_LOGS=recompiles` or `JAX_LOG_COMPILES=1` print it.",
            name::short(path),
            plural(*count, "time", "times"),
            time(*total_ns),
        ),
        Finding::Occasional {
            path,
            step_path,
            count,
            step_count,
            mean_ns,
            usual_ns,
            total_ns,
        } => format!(
            "{} runs in few {}, {count} times in {step_count}, and takes {} each time. A {} \
             usually takes {}. It costs {} in all.",
            name::short(path),
            many(step_path),
            time(*mean_ns),
            one(step_path),
            time(*usual_ns),
            time(*total_ns),
        ),
        Finding::WarmUp {
            path,
            warm_up_count,
            warm_up_ns,
            steady_count,
            steady_ns,
        } => format!(
            "Warm-up took longer than all that followed: {} for the first {}, {} for the {} after \
             {}. Take more {}, or its cost remains most of the run.",
            time(*warm_up_ns),
            match *warm_up_count {
                1 => one(path),
                count => format!("{} {}", quantity::thousands(count), many(path)),
            },
            time(*steady_ns),
            quantity::thousands(*steady_count),
            if *warm_up_count == 1 { "it" } else { "them" },
            many(path),
        ),
        _ => return None,
    })
}

/// A module is called what `laptime ops` calls it.
fn hot(path: &str, class: &str, share: &str, function: Option<&MainFunction>) -> String {
    let called = name::short(path);
    if class.is_empty() {
        return format!(
            "{called} alone takes {share} of a step{}. No other lap inside a phase takes half as much.",
            also_in(function),
        );
    }
    format!(
        "{called} ({class}) alone takes {share} of a step, forward and backward together. No other \
         module takes half as much."
    )
}

/// Where most of a lap's time is, as the end of a sentence; nothing where that isn't known.
fn also_in(function: Option<&MainFunction>) -> String {
    let Some(function) = function else {
        return String::new();
    };
    let file = name::visible(short_file(&function.file));
    let place = match function.line {
        0 => file,
        line => format!("{file}:{line}"),
    };
    format!(", mostly in `{}` ({place})", name::short(&function.name))
}

/// What a span of a path is called: `step`, if its name is a word.
fn one(path: &str) -> String {
    match noun(path) {
        "span" => format!("span of {}", name::short(path)),
        noun => noun.to_owned(),
    }
}

/// What several spans of a path are called: `steps`, if its name is a word.
fn many(path: &str) -> String {
    match noun(path) {
        "span" => format!("spans of {}", name::short(path)),
        noun => format!("{noun}s"),
    }
}

fn because(cause: Option<&Cause>, outside_ns: u64, excess_ns: u64) -> String {
    let Some(cause) = cause else {
        return if outside_ns >= excess_ns / 2 {
            "Most of that is in none of the laps inside: put laps around the other parts."
        } else {
            "Several laps inside grow together: look for what slows all of them."
        }
        .to_owned();
    };
    format!(
        "{} of that is {}, which usually takes {}, and at times {} or longer: look there first.",
        share(cause.excess_ns.min(excess_ns), excess_ns),
        name::short(&cause.path),
        time(cause.usual_ns),
        time(cause.slow_ns),
    )
}

fn sentences(message: &str, hint: &str) -> String {
    format!(
        "{}. {}.",
        text::capitalised(message),
        text::capitalised(hint)
    )
}

/// Laps that leave much more than there is in all can't all keep it.
const TOGETHER_RATIO: f64 = 1.25;

fn left_by(keepers: &[Keeper], per_step_bytes: u64) -> String {
    let sum: u64 = keepers.iter().map(|one| one.per_step_bytes).sum();
    let is_together = sum as f64 <= TOGETHER_RATIO * per_step_bytes as f64;
    let named = |one: &Keeper| {
        let (lap, left) = (name::short(&one.path), bytes(one.per_step_bytes));
        format!("{lap} ({left} each time)")
    };
    let laps: Vec<String> = keepers.iter().map(named).collect();
    match &laps[..] {
        [] => "No single lap inside keeps as much: look for what a step appends to lists or caches, such \
               as losses and outputs that are kept with their graphs."
            .to_owned(),
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

fn time(ns: u64) -> String {
    quantity::duration(ns, Precision::Estimate).inline()
}

fn bytes(bytes: u64) -> String {
    quantity::bytes(bytes)
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.0} %", 100.0 * part as f64 / whole.max(1) as f64)
}

#[cfg(test)]
#[path = "findings_tests.rs"]
mod tests;
