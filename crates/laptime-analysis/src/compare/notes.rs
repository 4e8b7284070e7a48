//! Decides what a reader must know before the numbers of compared recordings are believed.

use super::comparison::Pair;
use super::comparison_row::{ComparisonRow, RowSide};
use super::difference_unit::Basis;
use super::differences::other_names;
use super::note::Note;
use super::recording::Run;
use super::sides::Sides;
use super::{cpu_delay, one_run, recording_options};
use crate::benchmark::verdict::Verdict;
use crate::summary::span_row::RowKind;

/// Part of the difference below which a change of CPU time did not cause it.
const CPU_RATIO: f64 = 0.25;
/// Ratio of mean and median difference from which on they are two different numbers.
const MEAN_TIMES: f64 = 1.5;
/// Damage of a recording that makes its numbers doubtful, by the codes of its warnings.
const DAMAGE: [&str; 6] = [
    "truncated",
    "empty-windows",
    "not-closed",
    "lost-spans",
    "signal",
    "damaged",
];
/// The most warnings of recordings that are repeated.
const MOST_DAMAGES: usize = 6;

/// Lists the notes on two sides of recordings.
pub fn notes(sides: &Sides<'_>, whole: &ComparisonRow) -> Vec<Note> {
    let notes = [
        other_script(sides),
        single_run(sides, whole),
        with_warm_up(sides),
        no_common_step(sides),
        busy_machine(sides),
        beside_cpu(sides, whole),
        mean_differs(sides, whole),
        recording_options::note(sides),
        failed(sides),
    ];
    notes.into_iter().flatten().chain(damaged(sides)).collect()
}

/// Notes warnings that recordings have about themselves.
fn damaged(sides: &Sides<'_>) -> Vec<Note> {
    let each = sides.runs().flat_map(|run| {
        let warnings = run.summary.warnings.iter();
        let doubtful = warnings.filter(|one| DAMAGE.contains(&one.code()));
        doubtful.map(|one| Note::Damaged {
            run: run.name.clone(),
            doubt: one.clone(),
        })
    });
    each.take(MOST_DAMAGES).collect()
}

/// Notes programs that ended by an error: they may have done less than the others.
fn failed(sides: &Sides<'_>) -> Option<Note> {
    let has_failed = |run: &Run| {
        let end = run.summary.run.as_ref().and_then(|one| one.end.as_ref());
        end.and_then(|end| end.code).is_some_and(|code| code != 0)
    };
    let runs = names_of(sides, has_failed);
    (!runs.is_empty()).then_some(Note::Failed { runs })
}

/// Notes programs of other names, where laps or functions are compared.
fn other_script(sides: &Sides<'_>) -> Option<Note> {
    let [base, new] = other_names(sides)?;
    Some(Note::OtherScript { base, new })
}

/// Notes a side with one run: it tells nothing about the next one.
fn single_run(sides: &Sides<'_>, whole: &ComparisonRow) -> Option<Note> {
    let is_single = sides.base.len() == 1 || sides.new.len() == 1;
    let is_judged = sides.basis() == Basis::Step || whole.verdict != Some(Verdict::NotComparable);
    (is_single && is_judged).then_some(Note::SingleRun)
}

/// Notes a run without a steady state.
fn with_warm_up(sides: &Sides<'_>) -> Option<Note> {
    if sides.is_steady() || sides.basis() == Basis::Run {
        return None;
    }
    let mut runs = sides.runs();
    let run = runs.find(|run| run.summary.steady.is_none())?;
    Some(Note::WithWarmUp {
        run: run.name.clone(),
        why: run.summary.steady_why.clone(),
    })
}

/// Notes that whole runs are compared.
fn no_common_step(sides: &Sides<'_>) -> Option<Note> {
    let mut rows = sides.rows().iter();
    let has_laps = rows.any(|paths| paths.kind == RowKind::Span);
    (sides.basis() == Basis::Run && has_laps).then_some(Note::NoCommonStep)
}

/// Notes that functions are not compared, where no laps tell what changed either.
pub fn on_functions(sides: &Sides<'_>, pair: &Pair) -> Option<Note> {
    let is_missed = pair.functions.is_none() && pair.verdict != Verdict::NotComparable;
    if pair.has_laps || !is_missed {
        return None;
    }
    let is_sampled = |run: &Run| {
        let functions = run.summary.functions.as_ref();
        functions.is_some_and(|functions| functions.sample_count > 0)
    };
    let runs = names_of(sides, |run| !is_sampled(run));
    (!runs.is_empty()).then_some(Note::NoFunctions { runs })
}

/// Notes recordings that tell of themselves that the machine was busy.
fn busy_machine(sides: &Sides<'_>) -> Option<Note> {
    let runs = names_of(sides, one_run::has_busy_finding);
    (!runs.is_empty()).then_some(Note::BusyMachine { runs })
}

fn names_of(sides: &Sides<'_>, is_meant: impl Fn(&Run) -> bool) -> Vec<String> {
    let runs = sides.runs().filter(|run| is_meant(run));
    runs.map(|run| run.name.clone()).collect()
}

/// Notes a mean that says something else than the median: some steps are far longer than most.
fn mean_differs(sides: &Sides<'_>, whole: &ComparisonRow) -> Option<Note> {
    if !matches!(whole.verdict, Some(Verdict::Faster | Verdict::Slower)) {
        return None;
    }
    let (median_ns, mean_ns) = (whole.typical_difference_ns(), whole.difference_ns);
    let is_alike = (1.0 / MEAN_TIMES..=MEAN_TIMES).contains(&(mean_ns / median_ns));
    let is_noted = sides.basis() != Basis::Run && !is_alike;
    is_noted.then_some(Note::MeanDiffers { median_ns, mean_ns })
}

/// Notes wall time that changed while CPU time did not.
fn beside_cpu(sides: &Sides<'_>, whole: &ComparisonRow) -> Option<Note> {
    if !matches!(whole.verdict, Some(Verdict::Faster | Verdict::Slower)) {
        return None;
    }
    let step = sides.find(sides.step()?)?;
    let difference_ns = whole.difference_ns;
    if let Some(ratio) = cpu_delay::ratio(sides, step, difference_ns) {
        let is_longer = difference_ns > 0.0;
        return Some(Note::CpuDelay { ratio, is_longer });
    }
    let cpu = |side: &Option<RowSide>| side.as_ref()?.process_ns;
    let cpu_ns = cpu(&whole.new)? - cpu(&whole.base)?;
    (cpu_ns.abs() < CPU_RATIO * difference_ns.abs()).then_some(Note::NotCpuTime)
}
