//! Doubts about the durations of steps in words: they changed, or the machine was busy.

use laptime_analysis::benchmark::warm_up::Later;
use laptime_analysis::doubt::{CpuLoss, CpuTaker, StepsDoubt, StepsReason};

use super::doubt_words::Words;
use crate::quantity::coarse_percent;
use crate::sentences::nouns::nouns;
use crate::sentences::step_changes;

const LEAVE_ROOM: &str = "leave a CPU free and run again: fewer workers and threads (`OMP_NUM_THREADS`), no \
                          other programs, no limit on the container's CPU";
const OTHER_HOST: &str = "other virtual machines on that host took the CPU time: run again, or on a machine \
                          of its own";
const NOT_SEEN: &str = "look at the program, its other threads, and what Laptime can't see: the \
                        CPU's clock speed and memory bandwidth";
const RUN_LONGER: &str = "run longer, or compare equal stretches";

/// Puts a doubt about steps into words; `pid` is of the process that took them, where several did.
pub fn in_words(pid: Option<u32>, doubt: &StepsDoubt) -> Words {
    let words = of_one_process(doubt);
    match pid {
        Some(pid) => Words {
            message: format!("process {pid}: {}", words.message),
            ..words
        },
        None => words,
    }
}

fn of_one_process(doubt: &StepsDoubt) -> Words {
    match doubt {
        StepsDoubt::BusyWarmUp { loss, noun } => {
            Words::new(cpu_loss(*loss, noun)).with_hint(hint(loss.taker))
        }
        StepsDoubt::BusyMachine { loss, noun } => Words::new(format!(
            "the machine was busy: {}, so the numbers are unreliable",
            cpu_loss(*loss, noun),
        ))
        .with_hint(hint(loss.taker)),
        StepsDoubt::Changed {
            later,
            noun,
            looked_at_count,
            reason,
        } => {
            let first =
                looked_at_count.map(|count| format!(" (of the first {count} {})", nouns(noun)));
            let message = step_changes::in_words(later, noun) + &first.unwrap_or_default();
            changed(message, later, noun, *reason)
        }
    }
}

/// Adds the reason of a change to what changed.
fn changed(message: String, later: &Later, noun: &str, reason: StepsReason) -> Words {
    let (reason, hint) = match reason {
        StepsReason::BusyMachine {
            taker,
            before_ratio,
            after_ratio,
        } => {
            let ratio = after_ratio;
            let loss = cpu_loss(CpuLoss { taker, ratio }, noun);
            let [at_last, at_first] = moments(later);
            let before = coarse_percent(before_ratio);
            let reason =
                format!(". The reason is a busy machine: {loss} {at_last}, {before} {at_first}");
            (reason, hint(taker))
        }
        StepsReason::PartlyBusyMachine(loss) => {
            let said = cpu_loss(loss, noun);
            let reason =
                format!(". The machine was busy too, which explains only a part of that: {said}");
            (reason, hint(loss.taker))
        }
        StepsReason::NotTheCpu { delayed_ratio } => {
            let (nouns, only) = (nouns(noun), coarse_percent(delayed_ratio));
            let reason = format!(
                ", though the thread that takes the {nouns} waited for a CPU for only {only} of the time",
            );
            (reason, NOT_SEEN)
        }
        StepsReason::LongerInputs => (", as their inputs did".to_owned(), ""),
        StepsReason::NotKnown => (String::new(), RUN_LONGER),
    };
    let nouns = nouns(noun);
    if hint.is_empty() {
        let mixed = format!("the tables mix the shorter and the longer {nouns}");
        return Words::new(message + &reason).with_hint(mixed);
    }
    let hint = format!("the tables mix the shorter and the longer {nouns}; {hint}");
    Words::new(message + &reason).with_hint(hint)
}

/// Says when a change was and when it was not yet, at the end of a sentence.
fn moments(later: &Later) -> [&'static str; 2] {
    match later {
        Later::Trend(_) => ["in their last third", "in the first"],
        Later::Changes(changes) if changes.len() == 1 => ["from there on", "before"],
        Later::Changes(_) => ["after the largest change", "before it"],
    }
}

/// Says who took which part of the CPU time.
fn cpu_loss(loss: CpuLoss, noun: &str) -> String {
    let part = coarse_percent(loss.ratio);
    match loss.taker {
        CpuTaker::Host => format!("the host of this virtual machine took {part} of its CPU time"),
        CpuTaker::OtherThreads => {
            let thread = match noun {
                "" => "main thread".to_owned(),
                noun => format!("thread that takes the {}", nouns(noun)),
            };
            format!("the {thread} waited for a CPU for {part} of the time")
        }
    }
}

fn hint(taker: CpuTaker) -> &'static str {
    match taker {
        CpuTaker::OtherThreads => LEAVE_ROOM,
        CpuTaker::Host => OTHER_HOST,
    }
}
