//! Doubts about a steady state: what its steps did, and whether a busy machine is the reason.
//!
//! A step that loses a part of its time to others takes that much longer. Where this accounts for
//! most of a change, the machine is named as its reason. Where the thread got its CPU and the
//! change is there all the same, that is said too; where nothing was noted, nothing is claimed.

use std::fmt::Write;
use std::ops::Range;

use laptime_core::Warning;

use crate::benchmark::warm_up::{Change, Later, WarmUp};
use crate::reading::process::Process;
use crate::reading::recorder_samples::Kept;
use crate::reading::series::{Series, Step};
use crate::summary::nouns;

/// From this part of the time on, being kept from the CPU makes numbers unreliable.
const BUSY_RATIO: f64 = 0.1;
/// Up to this part it is no reason for anything that is worth telling.
const LITTLE_RATIO: f64 = 0.02;
/// The part of a change that being kept from the CPU must account for to be its reason.
const MOSTLY: f64 = 0.5;

/// Code of a doubt about steps that did not keep their level.
pub const CHANGED: &str = "step-time-changed";

const ALL_STEPS: &str = "the tables mix the shorter and the longer steps";
const LEAVE_ROOM: &str = "other programs, this one's own threads and workers, or a limit on the \
                          container's CPU took the CPU time: leave a CPU free and run again";
const OTHER_HOST: &str = "other virtual machines on that host took the CPU time: run again, or on a machine \
                          of its own";
const NOT_SEEN: &str = "look at the program, its other threads, and what Laptime can't see: the \
                        CPU's clock speed and memory bandwidth";

/// The parts of a time in which something took the CPU, and who it was.
#[derive(Clone, Copy)]
struct Taken<'a> {
    noun: &'a str,
    by_host: bool,
}

impl Taken<'_> {
    /// From a thread that others ran instead of, or from a machine by its host.
    fn each(noun: &str) -> [Taken<'_>; 2] {
        [false, true].map(|by_host| Taken { noun, by_host })
    }

    fn ratio(self, kept: Kept) -> Option<f64> {
        if self.by_host {
            kept.stolen_ratio
        } else {
            Some(kept.delayed_ratio)
        }
    }

    /// A sentence with a part of the time in it.
    fn said(self, ratio: f64) -> String {
        let part = part(ratio);
        if self.by_host {
            format!("the host of this virtual machine took {part} of its CPU time")
        } else {
            let which = match self.noun {
                "" => "main thread".to_owned(),
                noun => format!("thread that takes the {}", nouns(noun)),
            };
            format!("the {which} waited for a CPU for {part} of the time")
        }
    }

    fn hint(self) -> &'static str {
        if self.by_host { OTHER_HOST } else { LEAVE_ROOM }
    }
}

/// What was taken between two ticks from the thread that takes the steps; `None` where it isn't known.
fn kept(process: &Process, series: &Series, from: u64, to: u64) -> Option<Kept> {
    let mut tracks = process.features.tracks.0.iter();
    let thread = tracks.find(|track| track.track == series.track)?.thread;
    let ns_per_tick = process.facts.anchors.mean_ns_per_tick();
    process
        .features
        .recorder_samples
        .of(thread, from, to, ns_per_tick)
}

/// What was taken from it from a first step to the end.
pub fn since(process: &Process, series: &Series, first: Step) -> Option<Kept> {
    kept(
        process,
        series,
        first.start,
        process.spans.last_end.max(first.start),
    )
}

/// What there is to doubt about the steps that are steady, if anything.
pub fn doubt(
    process: &Process,
    series: &Series,
    steps: &[Step],
    found: &WarmUp,
    noun: &str,
) -> Option<Warning> {
    let whole = since(process, series, steps[found.steps]);
    let Some(later) = &found.later else {
        return whole.and_then(|whole| unsettled(whole, noun));
    };
    let course = Changed::new(later, found.steps, steps.len());
    let [before, after] = [course.before.clone(), course.after.clone()].map(|part| {
        let last = steps[part.end - 1];
        let end = last.start.saturating_add(last.duration);
        kept(process, series, steps[part.start].start, end)
    });
    let numbered = match later {
        Later::Changes(changes) => Later::Changes(
            changes
                .iter()
                .map(|change| Change {
                    at: process.number(series, change.at, steps[change.at]) as usize,
                    ..*change
                })
                .collect(),
        ),
        trend @ Later::Trend(_) => trend.clone(),
    };
    let mut said = numbered.said(noun);
    if series.seen > steps.len() as u64 {
        let _ = write!(said, " (of the first {} {})", steps.len(), nouns(noun));
    }
    Some(told(said, &course, whole, before.zip(after), noun))
}

/// A change, and the steps before and after it that it is told of.
struct Changed {
    ratio: f64,
    before: Range<usize>,
    after: Range<usize>,
    /// What the steps after it are called, and those before it.
    words: [&'static str; 2],
}

impl Changed {
    /// Of a trend from its first third to its last; of several changes, the largest.
    fn new(later: &Later, first: usize, count: usize) -> Self {
        match later {
            Later::Trend(ratio) => {
                let third = (count - first) / 3;
                Self {
                    ratio: *ratio,
                    before: first..first + third,
                    after: count - third..count,
                    words: ["in their last third", "in the first"],
                }
            }
            Later::Changes(changes) => {
                let size = |change: &Change| (1.0 + change.ratio).ln().abs();
                let largest = (0..changes.len())
                    .max_by(|one, other| size(&changes[*one]).total_cmp(&size(&changes[*other])));
                let index = largest.unwrap_or_default();
                let at = |index: usize| changes.get(index).map_or(count, |change| change.at);
                Self {
                    ratio: changes.get(index).map_or(0.0, |change| change.ratio),
                    before: index.checked_sub(1).map_or(first, at)..at(index),
                    after: at(index)..at(index + 1),
                    words: if changes.len() == 1 {
                        ["from there on", "before"]
                    } else {
                        ["after the largest change", "before it"]
                    },
                }
            }
        }
    }
}

/// What took the CPU during the steps of warm-up, where that was much of their time.
pub fn of_warm_up(
    process: &Process,
    series: &Series,
    (first, steady): (Step, Step),
    noun: &str,
) -> Option<Warning> {
    let kept = kept(process, series, first.start, steady.start)?;
    let (taken, ratio) = most(kept, noun)?;
    Some(Warning::new("busy-machine", taken.said(ratio)).with_hint(taken.hint()))
}

/// Whether a doubt about steps names the machine, as their only trouble or beside a change.
pub fn is_of_machine(doubt: &Warning) -> bool {
    let hint = doubt.hint.as_deref().unwrap_or_default();
    hint.ends_with(LEAVE_ROOM) || hint.ends_with(OTHER_HOST)
}

/// A busy machine below a run without steady steps to tell it by: of the first measured process.
pub fn of_main(processes: &[Process], measured: &[usize]) -> Option<Warning> {
    let main = &processes[*measured.first()?];
    let ns_per_tick = main.facts.anchors.mean_ns_per_tick();
    unsettled(main.features.recorder_samples.of_first(ns_per_tick)?, "")
}

/// Steps that kept their level, on a machine that was busy all the time.
fn unsettled(whole: Kept, noun: &str) -> Option<Warning> {
    let (taken, ratio) = most(whole, noun)?;
    let said = format!(
        "the numbers are unreliable: the machine was busy. {}",
        capitalised(&taken.said(ratio)),
    );
    Some(Warning::new("busy-machine", said).with_hint(taken.hint()))
}

/// Who took the most, if that is enough to make numbers unreliable.
fn most(whole: Kept, noun: &str) -> Option<(Taken<'_>, f64)> {
    let each = Taken::each(noun).into_iter();
    let each = each.filter_map(|taken| Some((taken, taken.ratio(whole)?)));
    let busy = each.filter(|(_, ratio)| *ratio >= BUSY_RATIO);
    busy.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// Steps that changed, with the reason as far as it is known.
fn told(
    said: String,
    change: &Changed,
    whole: Option<Kept>,
    parts: Option<(Kept, Kept)>,
    noun: &str,
) -> Warning {
    let told = |message: String, hint: String| Warning::new(CHANGED, message).with_hint(hint);
    let reason = parts.and_then(|(before, after)| {
        let mut each = Taken::each(noun).into_iter();
        each.find_map(|taken| {
            let (before, after) = (taken.ratio(before)?, taken.ratio(after)?);
            let is_reason = accounts_for(before, after, change.ratio);
            is_reason.then_some((taken, before, after))
        })
    });
    if let Some((taken, before, after)) = reason {
        let [at_last, at_first] = change.words;
        let told_after = taken.said(after);
        return told(
            format!(
                "{said}. The reason is a busy machine: {told_after} {at_last}, {} {at_first}",
                part(before),
            ),
            format!("{ALL_STEPS}; {}", taken.hint()),
        );
    }
    if let Some((taken, ratio)) = whole.and_then(|whole| most(whole, noun)) {
        return told(
            format!(
                "{said}. The machine was busy too, which explains only a part of that: {}",
                taken.said(ratio)
            ),
            format!("{ALL_STEPS}; {}", taken.hint()),
        );
    }
    let little = whole.filter(|whole| {
        let stolen_ratio = whole.stolen_ratio.unwrap_or(1.0);
        whole.delayed_ratio.max(stolen_ratio) <= LITTLE_RATIO
    });
    if let Some(little) = little {
        let only = part(little.delayed_ratio);
        let nouns = nouns(noun);
        return told(
            format!(
                "{said}, though the thread that takes the {nouns} waited for a CPU for only {only} of the time",
            ),
            format!("{ALL_STEPS}; {NOT_SEEN}"),
        );
    }
    told(
        said,
        format!("{ALL_STEPS}; run longer, or compare equal stretches"),
    )
}

/// Whether steps that lose these parts of their time, before and after, change mostly by this ratio.
fn accounts_for(before: f64, after: f64, seen: f64) -> bool {
    let expected = (1.0 - before) / (1.0 - after).max(f64::EPSILON) - 1.0;
    expected / seen >= MOSTLY
}

fn part(ratio: f64) -> String {
    let percent = ratio * 100.0;
    let digits = usize::from(percent < 9.95);
    format!("{percent:.digits$} %")
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

#[cfg(test)]
#[path = "tests/busy_machine.rs"]
mod tests;
