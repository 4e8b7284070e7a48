//! Inputs that grow, and the time of steps that grows with them.
//!
//! Input are the changes of the sizes that the outermost module is given, and the steps in stretches; output is what the
//! steps with the shortest and the longest inputs take. Sizes grow where nearly every change makes them longer, as the
//! tokens of a generation do again and again, or where they rise along the run, as in stages of a curriculum. Lengths
//! that come in any order do neither.
//!
//! That the input is the reason, and not the machine, is told by ranks: steps with longer inputs take longer
//! (Spearman's correlation, of medians), and by as much as a model may: at most with the square of the length, and a little.

use std::cmp::Ordering;

use laptime_core::{Holds, InputSizes, Sizes};

use crate::reading::step_stretches::Stretch;
use crate::statistics::quantiles::median;
use crate::statistics::ranks::ranks;

/// The least number of stretches of steps.
const LEAST_STRETCHES: usize = 12;
/// The least number of changes, nearly all of which make it longer, for an input that grows again and again.
const LEAST_INCREASES: usize = 8;
/// The least number of changes that make it longer, for each one that makes it shorter.
const INCREASES: usize = 9;
/// The least correlation of ranks: of sizes with the order of steps, and of times with sizes.
const LEAST_CORRELATION: f64 = 0.7;
/// The least ratio of the sizes of the longest third to those of the shortest, and of their times: smaller ones are no
/// matter of a finding.
const LEAST_RATIO: f64 = 1.5;
/// Parts of the steps, in order of their sizes, whose times are compared.
const MOST_PARTS: usize = 24;
/// The lowest power of the size that a time may follow: else most of it is spent whatever the size is, and a machine
/// that got slower may be the reason.
const LEAST_POWER: f64 = 0.3;
/// The highest power of the size that a time may follow: attention's is the square, and caches of the processor are
/// left on the way.
const MOST_POWER: f64 = 2.5;
/// The part of the steps that must be given a longer input than the one before to be a generation.
const EACH_RATIO: f64 = 0.8;

/// Inputs that grew, and steps that took longer with them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InputGrowth {
    /// Sizes of the shortest input.
    pub from: Sizes,
    /// Sizes of the longest input.
    pub to: Sizes,
    /// The dimension of a sample that grows, where it holds whole numbers and nothing else of it changes.
    pub tokens: Option<usize>,
    /// Whether nearly every step is given a longer input than the one before.
    pub is_each: bool,
    /// Median time of the third of the steps with the shortest inputs, in ticks.
    pub short: f64,
    /// Median time of the third with the longest.
    pub long: f64,
    /// Time that all steps take beyond the shorter one, in ticks.
    pub extra: f64,
}

/// A stretch of steps: how long each takes, and how large the input is.
#[derive(Debug, Clone, Copy)]
struct Call {
    time: f64,
    size: f64,
    count: u64,
}

/// Finds an input that grows and takes the steps' time along; `to_next`: until the next step begins, as a device may be
/// waited for after a step.
pub fn find(changes: &[InputSizes], steps: &[Stretch], to_next: bool) -> Option<InputGrowth> {
    let mut inputs: Vec<Vec<InputSizes>> = Vec::new();
    for change in changes {
        match inputs.iter_mut().find(|of| is_alike(&of[0], change)) {
            Some(of) => of.push(*change),
            None => inputs.push(vec![*change]),
        }
    }
    let growth = |of: &Vec<InputSizes>| {
        let size = |one: &InputSizes| measure(of)(one.sizes);
        let least = of.iter().map(size).min().unwrap_or(1).max(1);
        let most = of.iter().map(size).max().unwrap_or(1);
        // Where tokens grow, what is made of them does too.
        let are_tokens = of[0].holds == Holds::Integers && most > least;
        (are_tokens, most as f64 / least as f64)
    };
    inputs.sort_by(|one, other| {
        growth(other)
            .partial_cmp(&growth(one))
            .unwrap_or(Ordering::Equal)
    });
    of_tensor(inputs.first()?, steps, to_next)
}

/// Tells whether two changes may be of one input. Modules that are called in turns are given different ones: an embedding
/// tokens, and layers what it makes of them.
fn is_alike(one: &InputSizes, other: &InputSizes) -> bool {
    let key = |of: &InputSizes| (of.tensor, of.holds, of.sizes.iter().count());
    key(one) == key(other)
}

/// Returns how a tensor is measured: by what a sample has, where that changes, else by all of it.
///
/// The last batch of an epoch is smaller, which is no change of its samples.
fn measure(changes: &[InputSizes]) -> fn(Sizes) -> u64 {
    let of_sample: fn(Sizes) -> u64 = |sizes| {
        let whole = sizes.elements();
        let mut each = sizes.iter();
        let batch = each.next();
        match (batch, each.next()) {
            (Some(batch), Some(_)) => whole / u64::from(batch.max(1)),
            _ => whole,
        }
    };
    let mut sizes = changes.iter().map(|one| of_sample(one.sizes));
    let first = sizes.next();
    if sizes.any(|size| Some(size) != first) {
        of_sample
    } else {
        |sizes| sizes.elements()
    }
}

fn of_tensor(changes: &[InputSizes], steps: &[Stretch], to_next: bool) -> Option<InputGrowth> {
    let size_of = measure(changes);
    let sizes: Vec<(u64, f64)> = changes
        .iter()
        .map(|one| (one.ticks, size_of(one.sizes) as f64))
        .collect();
    let calls = calls(&sizes, steps, to_next);
    if calls.len() < LEAST_STRETCHES {
        return None;
    }
    let increases = sizes
        .windows(2)
        .filter(|pair| pair[1].1 > pair[0].1)
        .count();
    let decreases = sizes
        .windows(2)
        .filter(|pair| pair[1].1 < pair[0].1)
        .count();
    let again = increases >= LEAST_INCREASES.max(INCREASES * decreases);
    let lengths: Vec<f64> = calls.iter().map(|call| call.size).collect();
    let order: Vec<f64> = (0..calls.len()).map(|index| index as f64).collect();
    let rises = again || correlation(&order, &lengths) >= LEAST_CORRELATION;
    let mut by_size = calls.clone();
    by_size.sort_by(|one, other| one.size.total_cmp(&other.size));
    if !rises || !follows(&by_size) {
        return None;
    }
    let third = by_size.len() / 3;
    let (shortest, longest) = (&by_size[..third], &by_size[by_size.len() - third..]);
    let (short, long) = (
        middle(shortest, |call| call.time)?,
        middle(longest, |call| call.time)?,
    );
    let grown = middle(longest, |call| call.size)? / middle(shortest, |call| call.size)?.max(1.0);
    let slower = long / short.max(1.0);
    let powers = grown.powf(LEAST_POWER)..=grown.powf(MOST_POWER);
    if grown < LEAST_RATIO || slower < LEAST_RATIO || !powers.contains(&slower) {
        return None;
    }
    let by = |one: &&InputSizes| size_of(one.sizes);
    let (from, to) = (
        changes.iter().min_by_key(by)?,
        changes.iter().max_by_key(by)?,
    );
    let count: u64 = calls.iter().map(|call| call.count).sum();
    let extra = calls.iter();
    let extra = extra.map(|call| (call.time - short).max(0.0) * call.count as f64);
    Some(InputGrowth {
        from: from.sizes,
        to: to.sizes,
        tokens: (to.holds == Holds::Integers)
            .then(|| only_change(changes))
            .flatten(),
        is_each: again && increases as f64 >= EACH_RATIO * count as f64,
        short,
        long,
        extra: extra.sum(),
    })
}

/// Whether times rise with sizes, by the medians of calls that are alike in size: other programs make single ones long.
fn follows(by_size: &[Call]) -> bool {
    let parts = by_size.len().min(MOST_PARTS);
    let part =
        |index: usize| &by_size[index * by_size.len() / parts..(index + 1) * by_size.len() / parts];
    let medians = |number: fn(&Call) -> f64| -> Vec<f64> {
        let each = (0..parts).filter_map(|index| middle(part(index), number));
        each.collect()
    };
    correlation(&medians(|call| call.size), &medians(|call| call.time)) >= LEAST_CORRELATION
}

/// Returns the median of a number of calls.
fn middle(calls: &[Call], number: fn(&Call) -> f64) -> Option<f64> {
    let mut numbers: Vec<f64> = calls.iter().map(number).collect();
    numbers.sort_by(f64::total_cmp);
    median(&numbers)
}

/// Pairs stretches of steps with the size that they are given: of a single step that at its end, of several the mean.
fn calls(sizes: &[(u64, f64)], steps: &[Stretch], to_next: bool) -> Vec<Call> {
    let at = |ticks: u64| {
        let before = sizes.partition_point(|(at, _)| *at < ticks);
        Some(sizes[before.checked_sub(1)?].1)
    };
    let call = |(index, step): (usize, &Stretch)| {
        let next = steps.get(index + 1).map(|next| next.start);
        let time = if to_next {
            next?.saturating_sub(step.start)
        } else {
            step.duration
        };
        let size = if step.count == 1 {
            at(step.end)?
        } else {
            mean(sizes, step.start, next.unwrap_or(step.end), at(step.start)?)
        };
        Some(Call {
            time: time as f64 / step.count as f64,
            size,
            count: step.count,
        })
    };
    steps.iter().enumerate().filter_map(call).collect()
}

/// Returns the mean size over a time that begins with one.
fn mean(sizes: &[(u64, f64)], from: u64, to: u64, begin: f64) -> f64 {
    let (mut at, mut size, mut sum) = (from, begin, 0.0);
    let inside = sizes.iter().filter(|(ticks, _)| (from..to).contains(ticks));
    for (ticks, next) in inside {
        sum += size * (ticks - at) as f64;
        (at, size) = (*ticks, *next);
    }
    (sum + size * to.saturating_sub(at) as f64) / to.saturating_sub(from).max(1) as f64
}

/// Returns the dimension that changes where only one does, and that isn't the batch.
fn only_change(changes: &[InputSizes]) -> Option<usize> {
    let all: Vec<Vec<u32>> = changes
        .iter()
        .map(|one| one.sizes.iter().collect())
        .collect();
    let first = all.first()?;
    let is_changing = |at: &usize| all.iter().any(|sizes| sizes.get(*at) != first.get(*at));
    let mut changing = (0..first.len()).filter(is_changing);
    let only = changing.next().filter(|_| changing.next().is_none())?;
    let is_alike = all.iter().all(|sizes| sizes.len() == first.len());
    (is_alike && (only > 0 || first.len() == 1)).then_some(only)
}

/// Returns Spearman's correlation of two series; 0 where one doesn't change.
fn correlation(one: &[f64], other: &[f64]) -> f64 {
    let (one, other) = (ranks(one).0, ranks(other).0);
    let middle = f64::midpoint(1.0, one.len() as f64);
    let sum = |one: &[f64], other: &[f64]| -> f64 {
        let pairs = one.iter().zip(other);
        pairs
            .map(|(one, other)| (one - middle) * (other - middle))
            .sum()
    };
    let spread = (sum(&one, &one) * sum(&other, &other)).sqrt();
    if spread > 0.0 {
        sum(&one, &other) / spread
    } else {
        0.0
    }
}

#[cfg(test)]
#[path = "tests/input_growth.rs"]
mod tests;
