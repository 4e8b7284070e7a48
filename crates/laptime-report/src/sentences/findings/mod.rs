//! Findings in sentences: what was found, and what to try.

use laptime_analysis::{Cause, Finding, MainFunction, Summary};
use laptime_core::{PhaseName, Warning};

mod compile_time;
mod devices;
mod garbage_collection;
mod inputs;
mod memory;
mod phrases;
mod place;
pub(crate) mod ranks;
mod startup_and_exit;
mod uncounted_memory;
mod waits;

use crate::document::names;
use crate::document::{Content, Section};
use crate::quantity::{self, plural};
use crate::sentences::doubts;
use crate::sentences::nouns::{nouns, one_of};
use crate::text::wrap;
use phrases::{also_in, many, one, outer, share, time};
pub use place::place;

/// The heading of the list, in every format.
pub const HEADING: &str = "findings";

/// Makes the list below the headline; none where nothing was found.
pub fn section(summary: &Summary) -> Option<Section> {
    let worded = in_words(summary).into_iter();
    let lines: Vec<String> = worded.map(|(_, text)| text).collect();
    (!lines.is_empty()).then(|| Section::headed(HEADING, Content::Lines(lines)))
}

/// Puts findings into words, each with its place before it, in the order in which they are told.
pub fn in_words(summary: &Summary) -> Vec<(&Finding, String)> {
    let findings = summary.findings.iter();
    let worded = findings.filter_map(|finding| {
        let text = place::first(finding, &finding_sentence(finding)?);
        Some((finding, text))
    });
    worded.collect()
}

/// Writes a finding as sentences; `None` for kinds that a later version knows.
pub fn finding_sentence(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::Startup { .. } | Finding::Exit { .. } => startup_and_exit::start_or_end(finding)?,
        Finding::GarbageCollection { .. } => garbage_collection::collecting(finding)?,
        Finding::Compiling { .. } => compile_time::compiling(finding)?,
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
        Finding::BetweenSteps { .. } => startup_and_exit::between_steps(finding)?,
        Finding::OutsideSteps { .. } => startup_and_exit::outside_steps(finding)?,
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
            is_bare,
        } => {
            let (slow, usual, cost) = (time(*slow_ns), time(*usual_ns), time(*excess_ns));
            let steps = many(path);
            format!(
                "At least one in {one_in} {steps} takes {slow} or longer; the median is {usual}. What \
                 all {steps} take beyond the median adds up to {cost}. {}",
                reason(cause.as_ref(), *is_bare, *outside_ns, *excess_ns),
            )
        }
        Finding::GrowingInputs { .. } => inputs::growing(finding)?,
        Finding::DataWait { .. } | Finding::HotSpot { .. } | Finding::InFunction { .. } => {
            main_part(finding)?
        }
        Finding::Recompilation { .. } | Finding::Occasional { .. } | Finding::WarmUp { .. } => {
            some_steps(finding)?
        }
        Finding::WorkerStarts {
            count,
            total_ns,
            wall_ns,
        } => waits::worker_starts(*count, *total_ns, *wall_ns),
        Finding::HeldLoop(held) => waits::blocked_event_loop(held),
        Finding::ThreadsWait(wait) => waits::threads_wait(wait),
        Finding::Ranks { difference, .. } => {
            format!("{}.", wrap::capitalised(&ranks::in_words(difference)))
        }
        Finding::MemoryGrowth { .. } | Finding::MemoryRise { .. } => {
            memory::growing_memory(finding)?
        }
        Finding::ResidentGrowth { .. } | Finding::DeviceGrowth { .. } => {
            uncounted_memory::growing_memory(finding)?
        }
        Finding::Unsteady { doubt, .. } => sentences(&doubts::in_words(doubt)),
        Finding::MemoryBound {
            path, intensity, ..
        } => format!(
            "{} is limited by memory bandwidth ({} FLOP per byte). Larger batches, fused \
             operators or smaller number types help; faster arithmetic doesn't.",
            names::path(path),
            quantity::rate(*intensity).inline(),
        ),
        Finding::Throttled { .. } | Finding::IdleDevice { .. } => devices::device(finding)?,
        _ => return None,
    })
}

/// Writes what takes much of a step, and the function that it is in.
fn main_part(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::DataWait {
            path,
            per_step_ns,
            usual_ns,
            longest_ns,
            step_ns,
            function,
            workers,
            worker_function,
            is_machine_busy,
            ..
        } => format!(
            "Each {} waits {} for data on average, {} of its time ({}{}){}. {}",
            // It waits right inside of the step.
            one(outer(path)),
            time(*per_step_ns),
            share(*per_step_ns, *step_ns),
            names::path(path),
            also_in(function.as_ref()),
            waits::long_waits(*longest_ns, *usual_ns),
            match longest_ns {
                Some(_) => waits::ONE_LONG_WAIT.to_owned(),
                None => waits::faster_data(
                    workers.as_ref(),
                    worker_function.as_ref(),
                    usual_ns.is_some(),
                    *is_machine_busy,
                ),
            },
        ),
        Finding::HotSpot {
            path,
            class,
            step_path,
            self_ns,
            steps_ns,
            function,
        } => hot_spot(
            path,
            class,
            &share(*self_ns, *steps_ns),
            &one(step_path),
            function.as_ref(),
        ),
        Finding::InFunction {
            path,
            total_ns,
            steps_ns,
            function,
        } => format!(
            "{} takes {} of the {}' time{}.",
            names::path(path),
            share(*total_ns, *steps_ns),
            // It is a part right inside of the step.
            nouns(&one(outer(path))),
            also_in(Some(function)),
        ),
        _ => return None,
    })
}

/// Writes what only some of the steps do.
fn some_steps(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::Recompilation {
            path,
            count,
            is_after_warm_up,
            total_ns,
        } => format!(
            "{} ran {}{}, {} in all. Find out what changes from {noun} to {noun}: \
             `TORCH_LOGS=recompiles` or `JAX_LOG_COMPILES=1` print it.",
            names::path(path),
            plural(*count, "time", "times"),
            if *is_after_warm_up {
                " after warm-up"
            } else {
                ""
            },
            time(*total_ns),
            noun = one(path.split('/').next().unwrap_or_default()),
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
            "{} runs in few {}, {} in {step_count}, and takes {} each time. {} \
             usually takes {}. It costs {} in all.",
            names::path(path),
            many(step_path),
            plural(*count, "time", "times"),
            time(*mean_ns),
            wrap::capitalised(&one_of(&one(step_path))),
            time(*usual_ns),
            time(*total_ns),
        ),
        Finding::WarmUp {
            path,
            warm_up_count,
            warm_up_ns,
            steady_count,
            steady_ns,
            busy,
        } => format!(
            "Warm-up took longer than all that followed: {} for the first {}, {} for the {} after \
             {}. {}",
            time(*warm_up_ns),
            match *warm_up_count {
                1 => one(path),
                count => format!("{} {}", quantity::thousands(count), many(path)),
            },
            time(*steady_ns),
            quantity::thousands(*steady_count),
            if *warm_up_count == 1 { "it" } else { "them" },
            match busy {
                Some(busy) => format!(
                    "The machine was busy meanwhile: {}. Run again before you look for a reason in \
                     the program.",
                    doubts::in_words(busy).message,
                ),
                None => format!(
                    "Take more {}, or its cost remains most of the run.",
                    many(path)
                ),
            },
        ),
        _ => return None,
    })
}

/// Writes a hot spot. A module is called what `laptime ops` calls it.
fn hot_spot(
    path: &str,
    class: &str,
    share: &str,
    noun: &str,
    function: Option<&MainFunction>,
) -> String {
    let called = names::path(path);
    let of = format!("{share} of {}", one_of(noun));
    let part = if noun == PhaseName::Step.text() {
        "inside a phase"
    } else {
        "inside its parts"
    };
    if class.is_empty() {
        let place = also_in(function);
        return format!(
            "{called} alone takes {of}{place}. No other lap {part} takes half as much."
        );
    }
    format!(
        "{called} ({class}) alone takes {of}, forward and backward together. No other module takes \
         half as much."
    )
}

/// Writes why some steps are slow, and where to look.
fn reason(cause: Option<&Cause>, is_bare: bool, outside_ns: u64, excess_ns: u64) -> String {
    let Some(cause) = cause else {
        return if is_bare {
            "No lap is inside: put laps around its parts."
        } else if outside_ns >= excess_ns / 2 {
            "Most of that is in none of the laps inside: put laps around the other parts."
        } else {
            "Several laps inside grow together: look for what slows all of them."
        }
        .to_owned();
    };
    format!(
        "{} of that is {}, which usually takes {}, and at times {} or longer: look there first.",
        share(cause.excess_ns.min(excess_ns), excess_ns),
        names::path(&cause.path),
        time(cause.usual_ns),
        time(cause.slow_ns),
    )
}

/// Writes a doubt as sentences.
fn sentences(warning: &Warning) -> String {
    let hint = warning.hint.as_deref().unwrap_or_default();
    format!(
        "{}. {}.",
        wrap::capitalised(&warning.message),
        wrap::capitalised(hint)
    )
}

#[cfg(test)]
#[path = "tests/compiling.rs"]
mod compiling_tests;
#[cfg(test)]
#[path = "tests/findings.rs"]
pub(crate) mod tests;
#[cfg(test)]
#[path = "tests/uncounted_memory.rs"]
mod uncounted_memory_tests;
