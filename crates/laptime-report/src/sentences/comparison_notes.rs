//! Notes of a comparison, as warnings: a sentence each, and a hint what to do about it.

use laptime_analysis::compare::{Basis, Note, Pair, RecordingOption};
use laptime_core::{Unavailable, Warning};

use super::differences::option_name;
use crate::quantity::coarse;
use crate::sentences::doubts;
use crate::sentences::nouns::nouns;

/// Recordings that a sentence names.
const MOST_NAMES: usize = 3;
/// Advice for numbers that a busy machine made.
const FREE_CPU: &str = "leave a CPU free and record again";

/// Writes a warning for each note of two sides.
pub fn warnings(pair: &Pair) -> Vec<Warning> {
    pair.notes.iter().map(|note| warning(pair, note)).collect()
}

fn warning(pair: &Pair, note: &Note) -> Warning {
    let (message, hint) = match note {
        Note::StepGaps { change_ns, lap } => step_gaps(&pair.noun, *change_ns, lap.as_ref()),
        Note::OtherScript { base, new } => (
            format!(
                "{} against {}: functions and laps of the same name are taken as the same",
                base.join(" and "),
                new.join(" and ")
            ),
            None,
        ),
        Note::SingleRun => single_run(pair),
        Note::SingleMeasurement => single_measurement(),
        Note::WithWarmUp { run, why } => (with_warm_up(run, why.as_ref()), None),
        Note::NoCommonStep => (
            "the recordings have no step in common, so whole runs are compared".to_owned(),
            Some("a lap named step around what the program repeats compares that".to_owned()),
        ),
        Note::NoFunctions { runs } => (
            format!(
                "{} has no samples of functions, so functions are not compared",
                listed(runs)
            ),
            Some("record both sides by laptime run without --no-stacks".to_owned()),
        ),
        Note::BusyMachine { runs } => (
            format!("the machine was busy while {} ran", listed(runs)),
            Some(FREE_CPU.to_owned()),
        ),
        Note::CpuDelay { ratio, is_longer } => {
            (cpu_delay(*ratio, *is_longer), Some(FREE_CPU.to_owned()))
        }
        Note::NotCpuTime => (
            format!(
                "CPU time of a {} hardly changed, wall time did: it waits for something else, or the \
                 machine was busy",
                pair.noun
            ),
            None,
        ),
        Note::MeanDiffers { median_ns, mean_ns } => mean_differs(pair, *median_ns, *mean_ns),
        Note::RecordingDiffers { options } => recording_differs(options),
        Note::Failed { runs } => (
            format!(
                "the program ended by an error in {}: it may have done less",
                listed(runs)
            ),
            None,
        ),
        Note::Damaged { run, doubt } => {
            let warning = doubts::in_words(doubt);
            (format!("{run}: {}", warning.message), warning.hint)
        }
        Note::DeviceTimes => (
            "times of steps, and of the laps inside of them, are the device's".to_owned(),
            None,
        ),
        Note::HostTimes { with, without } => (
            format!(
                "{with} has the device's times of its steps and {without} has not, so the host's are compared: on a GPU, \
                 these are mostly of launching work"
            ),
            Some("record both sides with device times".to_owned()),
        ),
        Note::OtherName { base, new } => (
            format!(
                "each side has one benchmark, {base} and {new}: they are compared although their names differ"
            ),
            None,
        ),
        Note::Tally { .. } => (tally(note), None),
        Note::OtherPython { base, new } => (
            format!(
                "base ran with Python {}, new with {}: that may be part of the change",
                base.join(" and "),
                new.join(" and ")
            ),
            None,
        ),
    };
    Warning {
        code: note.code().to_owned(),
        message,
        hint,
    }
}

fn step_gaps(noun: &str, change_ns: f64, lap: Option<&(String, f64)>) -> (String, Option<String>) {
    let time = |ns: f64| coarse(ns.abs().round() as u64);
    let way = if change_ns < 0.0 { "less" } else { "more" };
    let nouns = nouns(noun);
    let between = format!(
        "between two {nouns} {} {way} pass than before",
        time(change_ns)
    );
    match lap {
        Some((path, ns)) => (format!("{between}: {path} takes {} {way}", time(*ns)), None),
        None => (
            format!("{between}, and no lap there tells what it is"),
            Some(format!(
                "a lap around what the program does between its {nouns} names it"
            )),
        ),
    }
}

fn single_run(pair: &Pair) -> (String, Option<String>) {
    let about = if pair.basis == Basis::Run {
        String::new()
    } else {
        format!(
            ": these intervals are about the {} of the runs that were recorded",
            nouns(&pair.noun)
        )
    };
    (
        format!(
            "a side with one run can't tell how much two runs of the same program differ{about}"
        ),
        Some("record each side five times: laptime compare base-*.lap --new new-*.lap".to_owned()),
    )
}

fn single_measurement() -> (String, Option<String>) {
    (
        "a side with one measurement can't tell how much two of the same program differ: these \
         intervals are about the samples that were taken"
            .to_owned(),
        Some(
            "take turns where you can: laptime bench A B, or lt.compare({'a': f, 'b': g})"
                .to_owned(),
        ),
    )
}

fn with_warm_up(run: &str, why: Option<&Unavailable>) -> String {
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    format!("warm-up is compared too, as {run} has no steady state{why}")
}

fn cpu_delay(ratio: f64, is_longer: bool) -> String {
    let (more, which) = if is_longer {
        ("more", "new")
    } else {
        ("less", "base's")
    };
    format!(
        "{:.0} % of the difference is {more} time in which the thread was ready and had no \
         CPU: the machine was busy during the {which} runs",
        (100.0 * ratio).min(100.0),
    )
}

fn mean_differs(pair: &Pair, median_ns: f64, mean_ns: f64) -> (String, Option<String>) {
    let (noun, nouns) = (&pair.noun, nouns(&pair.noun));
    let time = |ns: f64| {
        let way = if ns < 0.0 { "less" } else { "longer" };
        format!("{} {way}", coarse(ns.abs().round() as u64))
    };
    (
        format!(
            "the median {noun} takes {}, the mean one {}: some {nouns} are far longer than most, and \
             the verdict is about the others",
            time(median_ns),
            time(mean_ns),
        ),
        Some(format!(
            "laptime report --columns p50,mean,p99,max has the long ones; --fail-on '{}:mean > 5%' counts them",
            pair.whole.path
        )),
    )
}

fn recording_differs(options: &[RecordingOption]) -> (String, Option<String>) {
    let options: Vec<&str> = options.iter().map(|one| option_name(*one)).collect();
    let options = options.join(" and ");
    (
        format!(
            "recording with {options} takes time itself, and not all runs were recorded that way"
        ),
        Some(format!(
            "record both sides with {options}, or both without; --allow-different compares them as they are"
        )),
    )
}

/// Writes how many benchmarks have each verdict.
fn tally(note: &Note) -> String {
    let Note::Tally {
        benchmarks,
        verdicts,
        on_one_side,
    } = note
    else {
        return String::new();
    };
    let counts = verdicts.iter();
    let counts = counts.map(|(verdict, count)| format!("{count} {}", verdict.name()));
    let alone = (*on_one_side > 0).then(|| format!("{on_one_side} on one side only"));
    let all: Vec<String> = counts.chain(alone).collect();
    format!("of {benchmarks} benchmarks: {}", all.join(", "))
}

/// Joins names, the first few of many.
fn listed(names: &[String]) -> String {
    let shown = &names[..names.len().min(MOST_NAMES)];
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
#[path = "tests/comparison_notes.rs"]
mod tests;
