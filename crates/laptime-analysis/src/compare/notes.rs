//! What there is to know before the numbers of a comparison are believed.

use laptime_core::Warning;

use super::comparison_row::{ComparisonRow, RowSide};
use super::matched::{Basis, Matched};
use super::run::Run;
use super::{delayed, recorded_with};
use crate::benchmark::verdict::Verdict;
use crate::summary::doubt::Doubt;
use crate::summary::finding::Finding;
use crate::summary::nouns;
use crate::summary::span_row::RowKind;
use crate::summary::spoken::spoken;

/// CPU time that changed by less than this part of the difference did not cause it.
const CPU_RATIO: f64 = 0.25;
/// Of mean and median difference, one that is so many times the other is another number.
const MEAN_TIMES: f64 = 1.5;
/// What is wrong with a recording that makes its numbers doubtful, by the codes of its warnings.
const DAMAGE: [&str; 6] = [
    "truncated",
    "empty-windows",
    "not-closed",
    "lost-spans",
    "signal",
    "damaged",
];
/// Recordings that a sentence names.
const MOST_NAMES: usize = 3;
/// Warnings of recordings that are repeated.
const MOST_DAMAGES: usize = 6;

/// All of them.
pub fn of(matched: &Matched<'_>, whole: &ComparisonRow) -> Vec<Doubt> {
    let notes = [
        single(matched),
        unsteady(matched),
        stepless(matched),
        busy(matched),
        kept(matched, whole),
        mean_differs(matched, whole),
        recorded_with::note(matched),
        failed(matched),
    ];
    notes
        .into_iter()
        .flatten()
        .map(Doubt::Worded)
        .chain(damaged(matched))
        .collect()
}

/// What recordings say of themselves that makes them doubtful.
fn damaged(matched: &Matched<'_>) -> Vec<Doubt> {
    let each = matched.runs().flat_map(|run| {
        let warnings = run.summary.warnings.iter();
        let doubtful = warnings.filter(|one| DAMAGE.contains(&one.code()));
        doubtful.map(|doubt| Doubt::Recording {
            name: run.name.clone(),
            doubt: Box::new(doubt.clone()),
        })
    });
    each.take(MOST_DAMAGES).collect()
}

/// Programs that ended by an error may have done less than the others.
fn failed(matched: &Matched<'_>) -> Option<Warning> {
    let has_failed = |run: &&Run| {
        let end = run.summary.run.as_ref().and_then(|one| one.end.as_ref());
        end.and_then(|end| end.code).is_some_and(|code| code != 0)
    };
    let names: Vec<&str> = matched
        .runs()
        .filter(has_failed)
        .map(|run| run.name.as_str())
        .collect();
    (!names.is_empty()).then(|| {
        Warning::new(
            "failed",
            format!(
                "the program ended by an error in {}: it may have done less",
                listed(&names)
            ),
        )
    })
}

/// One run tells nothing about the next one.
fn single(matched: &Matched<'_>) -> Option<Warning> {
    let is_single = matched.base.len() == 1 || matched.new.len() == 1;
    (is_single && matched.basis() == Basis::Step).then(|| {
        let nouns = nouns(matched.noun());
        Warning::new(
            "single-run",
            format!(
                "a side with one run can't tell how much two runs of the same program differ: these \
                 intervals are about the {nouns} of the runs that were recorded"
            ),
        )
        .with_hint("record each side five times: laptime compare base-*.lap --new new-*.lap")
    })
}

fn unsteady(matched: &Matched<'_>) -> Option<Warning> {
    if matched.is_steady() || matched.basis() == Basis::Run {
        return None;
    }
    let mut runs = matched.runs();
    let run = runs.find(|run| run.summary.steady.is_none())?;
    let why = run.summary.steady_why.as_ref();
    let why = why.map_or_else(String::new, |why| format!(": {why}"));
    Some(Warning::new(
        "with-warm-up",
        format!(
            "warm-up is compared too, as {} has no steady state{why}",
            run.name
        ),
    ))
}

fn stepless(matched: &Matched<'_>) -> Option<Warning> {
    let mut rows = matched.rows().iter();
    let has_laps = rows.any(|paths| paths.kind == RowKind::Span);
    (matched.basis() == Basis::Run).then(|| {
        let said = if has_laps {
            "the recordings have no step in common, so whole runs are compared"
        } else {
            "the recordings have no laps, so whole runs are compared"
        };
        Warning::new("no-common-step", said)
            .with_hint("a lap named step around what the program repeats compares that")
    })
}

/// Recordings that say of themselves that the machine was busy.
fn busy(matched: &Matched<'_>) -> Option<Warning> {
    let is_busy = |run: &&Run| {
        let mut findings = run.summary.findings.iter();
        findings.any(|finding| matches!(finding, Finding::Unsteady { is_busy: true, .. }))
    };
    let names: Vec<&str> = matched
        .runs()
        .filter(is_busy)
        .map(|run| run.name.as_str())
        .collect();
    (!names.is_empty()).then(|| {
        Warning::new(
            "busy-machine",
            format!("the machine was busy while {} ran", listed(&names)),
        )
        .with_hint("leave a CPU free and record again")
    })
}

/// Names, the first few of many.
fn listed(names: &[&str]) -> String {
    let shown = &names[..names.len().min(MOST_NAMES)];
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A mean that says something else than the median: some steps are far longer than most.
fn mean_differs(matched: &Matched<'_>, whole: &ComparisonRow) -> Option<Warning> {
    if !matches!(whole.verdict, Some(Verdict::Faster | Verdict::Slower)) {
        return None;
    }
    let (median_ns, mean_ns) = (whole.typical_difference_ns(), whole.difference_ns);
    let is_alike = (1.0 / MEAN_TIMES..=MEAN_TIMES).contains(&(mean_ns / median_ns));
    if matched.basis() == Basis::Run || is_alike {
        return None;
    }
    let (noun, nouns) = (matched.noun(), nouns(matched.noun()));
    let said = |ns: f64| {
        let way = if ns < 0.0 { "less" } else { "longer" };
        format!("{} {way}", spoken(ns.abs().round() as u64))
    };
    Some(
        Warning::new(
            "mean-differs",
            format!(
                "the median {noun} takes {}, the mean one {}: some {nouns} are far longer than most, and \
                 the verdict is about the others",
                said(median_ns),
                said(mean_ns),
            ),
        )
        .with_hint(format!(
            "laptime report --columns p50,mean,p99,max has the long ones; --fail-on '{}:mean > 5%' counts them",
            whole.path
        )),
    )
}

/// Wall time that changed while CPU time did not.
fn kept(matched: &Matched<'_>, whole: &ComparisonRow) -> Option<Warning> {
    if !matches!(whole.verdict, Some(Verdict::Faster | Verdict::Slower)) {
        return None;
    }
    let step = matched.find(matched.step()?)?;
    let difference_ns = whole.difference_ns;
    if let Some(kept_ratio) = delayed::ratio(matched, step, difference_ns) {
        let (more, which) = if difference_ns > 0.0 {
            ("more", "new")
        } else {
            ("less", "base's")
        };
        return Some(
            Warning::new(
                "kept-from-cpu",
                format!(
                    "{:.0} % of the difference is {more} time in which the thread was ready and had no \
                     CPU: the machine was busy during the {which} runs",
                    (100.0 * kept_ratio).min(100.0),
                ),
            )
            .with_hint("leave a CPU free and record again"),
        );
    }
    let cpu = |side: &Option<RowSide>| side.as_ref()?.process_ns;
    let cpu_ns = cpu(&whole.new)? - cpu(&whole.base)?;
    (cpu_ns.abs() < CPU_RATIO * difference_ns.abs()).then(|| {
        Warning::new(
            "not-cpu-time",
            format!(
                "CPU time of a {} hardly changed, wall time did: it waits for something else, or the \
                 machine was busy",
                matched.noun()
            ),
        )
    })
}
