//! The section of epochs: a line for each, with its duration and the values measured in it.

use laptime_core::Total;

use std::collections::BTreeSet;

use laptime_analysis::{Epoch, Summary};

use crate::document::names;
use crate::document::{Content, Section};
use crate::quantity::{self, ABSENT, exact as time, plural};
use crate::sentences::rank_names;
use crate::text::column_widths::aligned;

/// Most epochs that are all shown; of more, as many from both ends.
const MOST: usize = 8;
/// Most metrics beside an epoch.
const MOST_METRICS: usize = 4;

/// Makes the section, if the run has epochs.
pub fn section(summary: &Summary) -> Option<Section> {
    let epochs = &summary.epochs;
    let last = epochs.last()?;
    let end_ns = last.at_ns.saturating_add(last.duration_ns);
    let whole_ns = end_ns.saturating_sub(epochs[0].at_ns);
    let steps: u64 = epochs.iter().map(|epoch| epoch.step_count).total();
    let steps = (steps > 0).then(|| format!(", {}", plural(steps, "step", "steps")));
    let lines = aligned(&cells(epochs), " | ", &[]);
    let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    if lines.len() > MOST {
        lines = shortened(&lines, longest(epochs));
    }
    Some(
        Section::headed("epochs", Content::Lines(lines)).remarked(format!(
            "{} in {}{}{}{}",
            plural(epochs.len() as u64, "epoch", "epochs"),
            time(whole_ns),
            steps.unwrap_or_default(),
            spread(epochs),
            whose(summary),
        )),
    )
}

/// Leaves out lines in the middle, but for one that is told above.
fn shortened(lines: &[String], told: usize) -> Vec<String> {
    let middle = MOST / 2..lines.len() - MOST / 2;
    let gap = |hidden: usize| (hidden > 0).then(|| format!("… {hidden} more, all in JSON"));
    let shown: Vec<String> = if middle.contains(&told) {
        let before = gap(told - middle.start);
        let after = gap(middle.end - told - 1);
        let kept = before.into_iter().chain([lines[told].clone()]);
        kept.chain(after).collect()
    } else {
        gap(middle.len()).into_iter().collect()
    };
    [&lines[..middle.start], &shown, &lines[middle.end..]].concat()
}

/// Returns which epoch took longest, from 0.
fn longest(epochs: &[Epoch]) -> usize {
    let by_time = |at: &usize| (epochs[*at].duration_ns, *at);
    (0..epochs.len()).max_by_key(by_time).unwrap_or_default()
}

/// Says how long epochs take, of which not all are shown; empty where all are.
fn spread(epochs: &[Epoch]) -> String {
    if epochs.len() <= MOST {
        return String::new();
    }
    let mut times: Vec<u64> = epochs.iter().map(|epoch| epoch.duration_ns).collect();
    times.sort_unstable();
    let number = longest(epochs);
    format!(
        "; median {}, longest {} (epoch {})",
        time(times[times.len() / 2]),
        time(epochs[number].duration_ns),
        number + 1
    )
}

/// Says which process the epochs belong to, and how long those of others took; empty where only one has any.
fn whose(summary: &Summary) -> String {
    let [first, others @ ..] = summary.epochs_of.as_slice() else {
        return String::new();
    };
    let times = || others.iter().map(|one| one.duration_ns);
    let (Some(least), Some(most)) = (times().min(), times().max()) else {
        return String::new();
    };
    let took = if least == most {
        time(most)
    } else {
        format!("from {} to {}", time(least), time(most))
    };
    let count = others.len() as u64;
    let others = plural(count, "other process", "other processes");
    format!(
        ", of {}. The epochs of {others} took {took}",
        rank_names::called(first.pid, first.rank.as_deref())
    )
}

/// Returns the cells of each epoch's line, with a column for each evaluation and metric that any epoch has.
fn cells(epochs: &[Epoch]) -> Vec<Vec<String>> {
    let has_steps = epochs.iter().any(|epoch| epoch.step_count > 0);
    let has_evaluations = epochs.iter().any(|epoch| epoch.evaluation_ns.is_some());
    let names = epochs.iter().flat_map(|epoch| epoch.metrics.keys());
    let names: BTreeSet<&String> = names.collect();
    let of = |number: u64, epoch: &Epoch| {
        let mut cells = vec![format!("epoch {number}"), time(epoch.duration_ns)];
        if has_steps {
            cells.push(plural(epoch.step_count, "step", "steps"));
        }
        if has_evaluations {
            cells.push(format!(
                "evaluation {}",
                epoch.evaluation_ns.map_or(ABSENT.to_owned(), time)
            ));
        }
        for name in names.iter().take(MOST_METRICS) {
            let value = epoch.metrics.get(*name).copied();
            let value = value.map_or(ABSENT.to_owned(), quantity::plain);
            cells.push(format!("{} {value}", names::short(name)));
        }
        cells
    };
    (1..)
        .zip(epochs)
        .map(|(number, epoch)| of(number, epoch))
        .collect()
}

#[cfg(test)]
#[path = "tests/epochs.rs"]
mod tests;
