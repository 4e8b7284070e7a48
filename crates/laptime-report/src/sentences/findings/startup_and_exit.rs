//! Findings about how a run begins and ends, and about what is between its steps, in sentences.

use laptime_analysis::{Finding, ImportTime, MainFunction};

use super::phrases::{also_in, many, one, share, time};
use crate::document::names;
use crate::sentences::calls;

/// Packages that programs are made of.
const FRAMEWORKS: [&str; 4] = ["jax", "numpy", "tensorflow", "torch"];

/// Writes a long beginning or end.
pub fn start_or_end(finding: &Finding) -> Option<String> {
    Some(match finding {
        Finding::Startup {
            startup_ns,
            wall_ns,
            imports,
            function,
        } => format!(
            "{} pass before the first lap, {} of the run{}",
            time(*startup_ns),
            share(*startup_ns, *wall_ns),
            beginning(imports, function.as_ref()),
        ),
        Finding::Exit {
            exit_ns,
            wall_ns,
            closing_ns,
            function,
        } => match closing_ns.filter(|ns| *ns >= exit_ns / 2) {
            Some(closing_ns) => closing(closing_ns, *wall_ns),
            None => format!(
                "{} pass after the last lap, {} of the run{}",
                time(*exit_ns),
                share(*exit_ns, *wall_ns),
                ending(function.as_ref()),
            ),
        },
        _ => return None,
    })
}

/// Writes time between steps that is in no lap.
pub fn between_steps(finding: &Finding) -> Option<String> {
    let Finding::BetweenSteps {
        path,
        total_ns,
        during_ns,
        function,
    } = finding
    else {
        return None;
    };
    let (steps, step) = (many(path), one(path));
    let head = format!(
        "{} pass between the {steps}, {} of the time from the first {step} to the last",
        time(*total_ns),
        share(*total_ns, *during_ns),
    );
    Some(match function {
        Some(_) => format!(
            "{head}{}. Put a lap around it. If it calls `model.forward(x)`, call `model(x)`: that is seen.",
            also_in(function.as_ref()),
        ),
        None => format!(
            "{head}: nothing watches what runs there. Put a lap around it. Where functions were sampled, \
             `laptime report --functions` may name what runs there. If it calls `model.forward(x)`, call `model(x)`: that is seen.",
        ),
    })
}

/// Writes the time of a lap around the steps that is not in these.
pub fn outside_steps(finding: &Finding) -> Option<String> {
    let Finding::OutsideSteps {
        path,
        step_path,
        total_ns,
        outside_ns,
        part,
        part_ns,
        function,
    } = finding
    else {
        return None;
    };
    let head = format!(
        "{} of {} ({}) is outside of its {}",
        share(*outside_ns, *total_ns),
        names::path(path),
        time(*outside_ns),
        many(step_path),
    );
    Some(match (part, part_ns, function) {
        (Some(part), Some(part_ns), _) => {
            format!(
                "{head}: {} takes {} of it.",
                names::path(part),
                time(*part_ns)
            )
        }
        (_, _, Some(_)) => format!("{head}{}: look there first.", also_in(function.as_ref())),
        _ => format!(
            "{head}: look there first. Put laps around what runs there. Where functions were sampled, \
             `laptime report --functions` tells what that is.",
        ),
    })
}

/// Whether an import is what a program is made of, so that no run can do without it.
fn is_needed(import: &ImportTime) -> bool {
    let package = import.name.split('.').next().unwrap_or_default();
    FRAMEWORKS.contains(&package)
}

/// Tells whether a function is one that programs don't call by name.
fn is_hidden(function: &str) -> bool {
    let name = function.rsplit('.').next().unwrap_or(function);
    name.starts_with('_')
}

/// Writes what takes the time before the first lap, as far as is known.
fn beginning(imports: &[ImportTime], function: Option<&MainFunction>) -> String {
    let each = imports.iter();
    let each = each.map(|import| {
        let (module, time) = (names::short(&import.name), time(import.total_ns));
        let place = import.place.as_ref().map(calls::place);
        let place = place.map_or_else(String::new, |place| format!(" ({place})"));
        match (&import.by, place.as_str()) {
            // Nobody typed that name: the line tells what did it.
            (Some(by), line) if !line.is_empty() && is_hidden(calls::constructor(by)) => {
                let line = line.trim_matches([' ', '(', ')']);
                format!("{line} took {time} to import {module}")
            }
            (Some(by), _) => {
                let by = names::short(calls::constructor(by));
                format!("`{by}()`{place} took {time} to import {module}")
            }
            (None, _) => format!("`import {module}`{place} took {time}"),
        }
    });
    let imported = each.collect::<Vec<_>>().join(", ");
    match (imported.as_str(), function) {
        ("", None) => {
            ": imports, reading data, building the model. Where functions were sampled, `laptime report \
                       --functions` tells them apart; `python -X importtime SCRIPT` lists the imports."
                .to_owned()
        }
        ("", Some(_)) => format!("{}: look there first.", also_in(function)),
        (imported, Some(_)) => format!("{}. {imported}.", also_in(function)),
        (imported, None) if imports.iter().all(is_needed) => format!(": {imported}."),
        (imported, None) => {
            format!(": {imported}. What not every run needs can be imported where it is used.")
        }
    }
}

/// Writes the end of the interpreter itself.
fn closing(closing_ns: u64, wall_ns: u64) -> String {
    format!(
        "{} pass after the exit handlers, {} of the run: Python frees what is left, and libraries end. \
         Large lists and dictionaries take longest. `os._exit(0)`, once all files are closed, skips it.",
        time(closing_ns),
        share(closing_ns, wall_ns),
    )
}

/// Writes what takes the time after the last lap, and what shortens it.
fn ending(function: Option<&MainFunction>) -> String {
    if function.is_some() {
        return format!("{}: look there first.", also_in(function));
    }
    ": what the script does without laps, threads and worker pools that are waited for, exit handlers \
     (`atexit`). Where functions were sampled, `laptime report --functions` tells which. Threads that need \
     not finish can be `daemon=True`; pools end sooner by `shutdown(cancel_futures=True)`."
        .to_owned()
}
