//! The first line of a report, in words: where the time went, and what a step is made of.
//!
//! `15.3 s: 63 % startup, 21 % step, 14 % exit. A step takes 14.1 ms: backward 42 %, forward
//! 37 %, optimizer 15 %, data 6 %.` The analysis decides what it says: see [`Headline`].

use laptime_analysis::summarize::headline::headline;
use laptime_analysis::summary::headline::{
    Headline, LargestParts, OtherParts, Part, PartName, StepDuration, StepHeadline, StepPart,
    Waiting, Whole,
};
use laptime_analysis::{Summary, noun};
use laptime_core::COLLECTION;

use crate::document::names;
use crate::quantity;
use crate::sentences::calls;
use crate::sentences::leftovers;
use crate::sentences::nouns::{nouns, one_of};
use crate::tables::functions::function_rows::builtin;
use crate::text::wrap;

/// Shares below this one are not told in numbers.
const LEAST_RATIO: f64 = 0.01;

/// Duration from which on a run isn't too short for its functions to be told.
const LONG_NS: u64 = 1_000_000_000;

/// Stands between a number and its unit, where no line may end.
pub const UNBROKEN: char = '\u{a0}';

/// Writes the first line of a run, or of a timer's segments. What a step takes is told of the steady state
/// where `with_steady` says that its table is shown; otherwise of the whole run.
pub fn of_run(summary: &Summary, with_steady: bool) -> String {
    sentence(&headline(summary, with_steady))
}

/// Writes the first line of a run for whoever breaks no lines.
pub fn in_one_line(summary: &Summary, with_steady: bool) -> String {
    plain(&headline(summary, with_steady))
}

/// Puts a headline into words for whoever breaks no lines.
pub(crate) fn plain(headline: &Headline) -> String {
    sentence(headline).replace(UNBROKEN, " ")
}

/// Puts a headline into words.
fn sentence(headline: &Headline) -> String {
    let wall = time(headline.wall_ns);
    let wall = if headline.is_running {
        format!("still running, {wall} so far")
    } else {
        wall
    };
    let wall = match whole(headline.whole) {
        Some(whole) => format!("{wall} ({whole})"),
        None => wall,
    };
    let LargestParts { named, others } = &headline.parts;
    let mut parts: Vec<String> = named.iter().map(part_of_run).collect();
    parts.extend(others.map(|others| format!("{} in {}", share(others.ratio), count(others))));
    let run = match (&headline.waiting, parts.join(", ")) {
        (None, parts) if parts.is_empty() => match headline.few_samples {
            Some(samples) => format!("{wall}: {}", too_few(samples, headline.wall_ns)),
            None => wall,
        },
        (None, parts) => format!("{wall}: {parts}."),
        (Some(waiting), parts) => {
            let waited = format!("{} {}", share(waiting.ratio), waits(waiting));
            if parts.is_empty() {
                format!("{wall}: {waited}.")
            } else {
                let then = if waiting.parts.is_empty() { "," } else { ";" };
                format!("{wall}: {waited}{then} {parts}.")
            }
        }
    };
    let run = match &headline.waits_for_parts {
        Some(waiting) => format!(
            "{run} Its main thread waits for these in {}, {} of the time.",
            part_name(&waiting.name),
            share(waiting.ratio),
        ),
        None => run,
    };
    match &headline.step {
        StepPart::Absent => run,
        StepPart::Torn => format!("{run} Its steps are told in pieces: see the warning below."),
        StepPart::Told(step) => format!("{run} {}", step_sentence(step)),
    }
}

/// Says what shares are of, where it isn't the run's time: `3 processes, 7.7 s together`.
fn whole(whole: Whole) -> Option<String> {
    match whole {
        Whole::Wall => None,
        Whole::Processes { count, total_ns } => Some(format!(
            "{count}{UNBROKEN}processes, {} together",
            time(total_ns)
        )),
        Whole::Threads { total_ns } => Some(format!("{} in all threads together", time(total_ns))),
    }
}

/// Writes a part of the run; threads or tasks side by side are no share of it.
fn part_of_run(part: &Part) -> String {
    let (name, ratio) = (part_name(&part.name), part.ratio);
    if part.is_several_at_once {
        let many = match noun(&name) {
            "span" => format!("laps of {name}"),
            noun => nouns(noun),
        };
        return format!("{ratio:.1}{UNBROKEN}{many} at a time on average");
    }
    let work = if part.is_work_alone { "work in " } else { "" };
    let mostly = match &part.mostly {
        Some(inner) => format!(", mostly {}", part_name(inner)),
        None => String::new(),
    };
    format!("{} {work}{name}{mostly}", share(ratio))
}

/// Says why functions of a program aren't told: it was too short, or ran none that are Python's.
fn too_few(samples: u64, wall_ns: u64) -> String {
    let seen = quantity::plural(samples, "sample", "samples");
    if wall_ns < LONG_NS {
        return format!("too short to tell which functions took it ({seen}).");
    }
    format!("a Python function was seen in {seen} only. It waited or worked outside of Python.")
}

/// Writes what a program waited for.
fn waits(waiting: &Waiting) -> String {
    match &waiting.name {
        name @ PartName::ThreadsWait => part_name(name),
        _ if !waiting.parts.is_empty() => {
            let parts = waiting.parts.iter();
            let parts =
                parts.map(|part| format!("{} in {}", share(part.ratio), part_name(&part.name)));
            let parts: Vec<String> = parts.collect();
            format!("waiting: {}", parts.join(", "))
        }
        name if waiting.is_all => format!("waiting in {}", part_name(name)),
        name => format!("waiting, mostly in {}", part_name(name)),
    }
}

/// Writes what a part is called.
fn part_name(name: &PartName) -> String {
    match name {
        PartName::Lap(name) => names::short(name),
        PartName::NumberedLaps { pattern, count } => {
            format!("{} ({count} laps)", names::short(pattern))
        }
        PartName::Compiling => "compiling".to_owned(),
        PartName::Leftover(name) => leftovers::in_words(name, false).to_owned(),
        PartName::BeforeFirstLap => leftovers::BEFORE_FIRST_LAP.to_owned(),
        PartName::Import { module, place } => {
            calls::named_at(&format!("import {module}"), place.as_ref())
        }
        PartName::Function { name, place } => calls::named_at(name, place.as_ref()),
        PartName::Line { function, place } if is_script(function) => {
            format!("line {}", calls::place(place))
        }
        PartName::Line { function, place } => {
            let function = names::short(calls::function(function));
            format!("line {} of {function}", calls::place(place))
        }
        PartName::Itself { function, place } if is_script(function) => {
            format!("{} itself", calls::place(place))
        }
        PartName::Itself { function, place } => {
            let function = names::short(calls::function(function));
            format!("{function} itself ({})", calls::place(place))
        }
        PartName::Called {
            name,
            package,
            place: Some(place),
        } if name.is_empty() => format!("{} ({package})", calls::place(place)),
        PartName::Called {
            name,
            package,
            place,
        } => calls::named_at(&calls::called(name, package), place.as_ref()),
        PartName::Collection { place } => calls::named_at(COLLECTION.0, place.as_ref()),
        PartName::Builtin(name) => names::short(&builtin(name)),
        PartName::ThreadsWait => "waiting for threads to end".to_owned(),
    }
}

/// Tells whether code stands in a file outside of functions.
fn is_script(function: &str) -> bool {
    function.is_empty() || function == calls::MODULE
}

/// Writes how long a step takes and what it is made of.
fn step_sentence(step: &StepHeadline) -> String {
    let noun = noun(&step.path);
    let subject = match noun {
        "span" => names::path(&step.path),
        noun => one_of(noun),
    };
    let parts = parts_of_step(step);
    let colon = if parts.is_empty() { "" } else { ": " };
    let takes = duration(step.duration);
    let (subject, takes) = match step.iteration {
        Some(iteration) => (
            "an iteration".to_owned(),
            format!("{}, {subject} in it {takes}", time(iteration.mean_ns)),
        ),
        None => (subject, takes),
    };
    let subject = if let Some(warm_up) = step.long_warm_up {
        let steps = match warm_up.count {
            1 => noun.to_owned(),
            _ => nouns(noun),
        };
        let (count, took) = (warm_up.count, time(warm_up.total_ns));
        format!("After a warm-up of {count}{UNBROKEN}{steps} that took {took}, {subject}")
    } else if step.is_after_warm_up {
        format!("After warm-up, {subject}")
    } else if noun == "span" {
        subject
    } else {
        wrap::capitalised(&subject)
    };
    format!("{subject} takes {takes}{colon}{}.", parts.join(", "))
}

/// Writes the parts of a step, and what is outside of them.
fn parts_of_step(step: &StepHeadline) -> Vec<String> {
    let LargestParts { named, others } = &step.parts;
    let named = named.iter().map(|part| (part_name(&part.name), part.ratio));
    let between = step.iteration.map(|iteration| {
        let steps = nouns(noun(&step.path));
        (format!("between {steps}"), iteration.between_ratio)
    });
    let mut named: Vec<(String, f64)> = between.into_iter().chain(named).collect();
    named.sort_by(|one, other| other.1.total_cmp(&one.1));
    let others = others.map(|others| (count(others), others.ratio));
    let outside = step.outside_ratio;
    let outside = outside.map(|ratio| ("outside of these".to_owned(), ratio));
    let parts = named.into_iter().chain(others).chain(outside);
    parts
        .map(|(name, ratio)| format!("{name} {}", share(ratio)))
        .collect()
}

/// Writes how long a step takes; shares are of the mean.
fn duration(duration: StepDuration) -> String {
    match duration {
        StepDuration::OnDevice { mean_ns, host_ns } => {
            let host = host_ns.map(|host_ns| format!(" ({} on the host)", time(host_ns)));
            let host = host.unwrap_or_default();
            format!("{} on the device{host}", time(mean_ns))
        }
        StepDuration::OnHost {
            mean_ns,
            median_ns,
            has_device_times,
        } => {
            let mean = time(mean_ns);
            let typical = match median_ns {
                Some(median_ns) => format!("{mean} on average, {} usually", time(median_ns)),
                None => mean,
            };
            let host = if has_device_times { " on the host" } else { "" };
            format!("{typical}{host}")
        }
    }
}

/// Writes how many parts are not named.
fn count(others: OtherParts) -> String {
    quantity::plural(others.count as u64, "other", "others")
}

/// Writes a time that no line breaks.
fn time(ns: u64) -> String {
    let time = quantity::estimate(ns);
    time.replace(' ', &UNBROKEN.to_string())
}

/// Writes a share that no line breaks.
fn share(ratio: f64) -> String {
    if ratio < LEAST_RATIO {
        return format!("under{UNBROKEN}1{UNBROKEN}%");
    }
    format!("{:.0}{UNBROKEN}%", ratio * 100.0)
}

#[cfg(test)]
#[path = "tests/headline.rs"]
mod tests;
