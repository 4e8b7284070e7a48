//! The first line of a comparison, in words: how long a step takes now, how much that changed, and where.
//!
//! `A step takes 253 ms, 41 ms (19 %) longer. 36 of these 41 ms are backward/layer4.`

use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{Basis, Cause, CausePart, ComparisonRow, Note, Pair, RowReason};

use super::no_break_quantities::{percent, time, unbroken};
use super::{function_changes, row_reason, step_gaps};
use crate::document::names;
use crate::quantity::{self, Digits};
use crate::sentences::headline::UNBROKEN;
use crate::sentences::nouns::one_of;
use crate::text::wrap;

/// The row of the time between the first and the last lap that is in none.
const IN_NO_LAP: &str = "other";

/// Writes the headline of the base and another side.
pub fn headline(pair: &Pair) -> String {
    let steps = step_sentence(pair);
    let steps = match function_changes::sentence(pair) {
        Some(functions) => format!("{steps} {functions}"),
        None => steps,
    };
    let Some(row) = &pair.step_to_step else {
        return steps;
    };
    let is_decided = pair.whole.verdict != Some(pair.verdict) && pair.changed_lap.is_none();
    let is_told = pair
        .notes
        .iter()
        .any(|note| matches!(note, Note::StepGaps { .. }));
    let is_hidden = row.verdict == Some(Verdict::Same) && is_clear(pair.whole.verdict);
    match step_gaps::sentence(pair, row) {
        Some(first) if is_decided => format!("{first} {steps}"),
        Some(more) if is_told || is_hidden => format!("{steps} {more}"),
        _ => steps,
    }
}

fn is_clear(verdict: Option<Verdict>) -> bool {
    matches!(verdict, Some(Verdict::Slower | Verdict::Faster))
}

/// Writes how long a step, or the run, takes now.
fn step_sentence(pair: &Pair) -> String {
    let whole = &pair.whole;
    let subject = match (pair.basis, pair.noun.as_str()) {
        (Basis::Run, _) => "The run".to_owned(),
        (Basis::Benchmark, _) => names::short(&whole.path),
        (_, "span") => names::path(&whole.path),
        (_, noun) => wrap::capitalised(&one_of(noun)),
    };
    let medians = |row: &ComparisonRow| {
        let base_ns = row.base.as_ref()?.median_ns?;
        let new_ns = row.new.as_ref()?.median_ns?;
        Some((base_ns, new_ns))
    };
    let Some((base_ns, new_ns)) = medians(whole) else {
        return if pair.basis == Basis::Benchmark {
            reason(whole)
        } else {
            format!("{subject} can't be compared. {}", reason(whole))
        };
    };
    let (base, new) = (time(base_ns), time(new_ns));
    let share = whole.ratio.map_or_else(String::new, |ratio| {
        format!(" ({})", percent((ratio - 1.0).abs() * 100.0))
    });
    // On the step alone: the time between the steps has a sentence of its own.
    let verdict = whole.verdict.unwrap_or(pair.verdict);
    match verdict {
        Verdict::Slower | Verdict::Faster => {
            let way = if verdict == Verdict::Slower {
                "longer"
            } else {
                "less"
            };
            let more = quantity::measured((new_ns - base_ns).abs());
            let cause = pair
                .cause
                .as_ref()
                .filter(|_| pair.has_laps || !function_changes::explains(pair))
                .and_then(|cause| because(pair, cause, &more));
            let first = format!(
                "{subject} takes {new}, {}{share} {way}.",
                unbroken(&more.inline())
            );
            [Some(first), cause]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" ")
        }
        Verdict::Same => format!("{subject} takes {new}, as long as before{}.", within(whole)),
        Verdict::Inconclusive if whole.reason == Some(RowReason::OneRunASide) => format!(
            "{subject} takes {new}, {base} before{share}: one run a side can't tell whether that is a change."
        ),
        Verdict::Inconclusive => {
            let lap = pair.changed_lap.as_ref();
            let lap = lap.map(|part| changed_lap(pair, part)).unwrap_or_default();
            let why = if pair.verdict == verdict {
                format!("whether that is a change can't be told. {}", reason(whole))
            } else {
                "that alone proves nothing, as runs of the same program differ as much.".to_owned()
            };
            format!("{lap}{subject} takes {new}, before it took {base}: {why}")
        }
        Verdict::NotComparable => format!(
            "{subject} takes {new}, before it took {base}, but these can't be compared. {}",
            reason(whole)
        ),
    }
}

/// Writes how much longer the lap takes that decides.
fn changed_lap(pair: &Pair, part: &CausePart) -> String {
    let step = format!("{}/", pair.whole.path);
    let path = names::path(part.path.strip_prefix(&step).unwrap_or(&part.path));
    let row = pair.rows.iter().find(|row| row.path == part.path);
    let class = match row.map_or("", |row| row.module_class.as_str()) {
        "" => String::new(),
        class => format!(" ({})", names::short(class)),
    };
    let median_ns = pair.whole.base.as_ref().and_then(|side| side.median_ns);
    let share = median_ns
        .filter(|ns| *ns > 0.0)
        .map(|ns| part.difference_ns.abs() / ns * 100.0);
    let share = share.map_or_else(String::new, |percent| {
        format!(", {} of {}", self::percent(percent), one_of(&pair.noun))
    });
    let way = if part.difference_ns < 0.0 {
        "less"
    } else {
        "longer"
    };
    format!(
        "{path}{class} surely takes {} {way}{share}. ",
        time(part.difference_ns.abs())
    )
}

/// Writes the changes between which the true one is.
fn within(row: &ComparisonRow) -> String {
    match (row.ratio_low, row.ratio_high) {
        (Some(low), Some(high)) => format!(
            " (change: {})",
            unbroken(&quantity::changes(low - 1.0, high - 1.0).inline())
        ),
        _ => String::new(),
    }
}

/// Tells whether a path is that of the time in no lap, and not a lap of that name.
fn is_in_no_lap(pair: &Pair, path: &str) -> bool {
    let row = pair.rows.iter().find(|row| row.path == path);
    let sides = row.into_iter().flat_map(|row| [&row.base, &row.new]);
    path == IN_NO_LAP && sides.flatten().all(|side| side.count <= 0.0)
}

/// Writes which laps make the difference.
fn because(pair: &Pair, cause: &Cause, median: &Digits) -> Option<String> {
    let is_longer = pair.whole.verdict == Some(Verdict::Slower);
    // Of whole runs the parts are means, which may say the opposite of the medians.
    if (cause.difference_ns > 0.0) != is_longer {
        return None;
    }
    // Without laps, all of a run between its start and its end is the time in no lap: that says nothing.
    let is_nothing = |part: &CausePart| !pair.has_laps && is_in_no_lap(pair, &part.path);
    if cause.own_ns.is_none() && cause.parts.iter().all(is_nothing) {
        return None;
    }
    let whole_ns = cause.difference_ns.abs();
    let whole = quantity::measured(whole_ns);
    let step = format!("{}/", pair.whole.path);
    let named = |path: &str| {
        if is_in_no_lap(pair, path) {
            return "in no lap".to_owned();
        }
        let short = names::path(path.strip_prefix(&step).unwrap_or(path));
        let row = pair.rows.iter().find(|row| row.path == path);
        match row.map_or("", |row| row.module_class.as_str()) {
            "" => short,
            class => format!("{short} ({})", names::short(class)),
        }
    };
    let part = |ns: f64| quantity::measured_like(ns.abs(), whole_ns);
    let unit = whole.unit;
    if let ([], Some(own_ns)) = (&cause.parts[..], cause.own_ns) {
        let (ns, all) = (part(own_ns), unbroken(&whole.inline()));
        let noun = &pair.noun;
        let most = if unbroken(&whole.inline()).starts_with(&format!("{ns}{UNBROKEN}")) {
            "All of it is".to_owned()
        } else {
            format!("{ns} of these {all} are")
        };
        return Some(format!(
            "{most} in the {noun} itself, outside of the laps inside it."
        ));
    }
    if let ([only], None) = (&cause.parts[..], cause.own_ns) {
        let path = named(&only.path);
        let ns = part(only.difference_ns);
        return Some(if whole == *median {
            let all = unbroken(&whole.inline());
            format!("{ns} of these {all} are {path}.")
        } else {
            format!(
                "Of the {} on average, {ns}{UNBROKEN}{unit} are {path}.",
                unbroken(&whole.inline())
            )
        });
    }
    let outside = (cause.own_ns).map(|ns| ("outside of these laps".to_owned(), ns));
    let parts = cause.parts.iter();
    let parts = parts.map(|one| (named(&one.path), one.difference_ns));
    let parts: Vec<String> = parts
        .chain(outside)
        .map(|(called, ns)| format!("{}{UNBROKEN}{unit} {called}", part(ns)))
        .collect();
    let all = unbroken(&whole.inline());
    let all = if whole == *median {
        format!("Of these {all}")
    } else {
        format!("Of the {all} on average")
    };
    Some(format!("{all}: {}.", parts.join(", ")))
}

/// Writes the reason of a row's verdict as a sentence.
fn reason(row: &ComparisonRow) -> String {
    sentence(&row_reason::sentence(row))
}

/// Makes a reason a sentence.
pub fn sentence(reason: &str) -> String {
    let reason = reason.trim_end_matches('.');
    if reason.is_empty() {
        return String::new();
    }
    format!("{}.", wrap::capitalised(reason))
}
