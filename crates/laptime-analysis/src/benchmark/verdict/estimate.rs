//! The ratio of two sides, with an interval and a probability.
//!
//! They are computed on logarithms, where a ratio is a difference and swapping the sides changes the sign.
//! The interval depends on the values ([`Interval`]): pairs have one of the median of
//! their ratios, which a drift of the machine leaves alone; else both medians have one each, combined
//! as Zou and Donner do (*Construction of confidence intervals about effect measures*, 2008). The ratio is always that of
//! the medians that stand beside it, and the interval holds it.

use super::interval::{Interval, sorted};
use super::judgement::UnitKind;
use super::reason::{Reason, SideName};
use super::side::{Side, VerdictOptions};
use crate::statistics::{Question, TooFew, quantiles};

/// The fewest values within one unit that tell how they hang together.
const LEAST_WITHIN: usize = 12;

/// The ratio of two sides before a verdict on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    pub base_median: f64,
    pub new_median: f64,
    pub ratio: f64,
    pub interval: Result<(f64, f64), Reason>,
    pub p_value: Option<f64>,
    pub unit: UnitKind,
}

impl Estimate {
    pub fn from_sides(base: &Side, new: &Side, asked: &VerdictOptions) -> Self {
        let medians = [base, new].map(|side| side.units.iter().map(|unit| median(unit)).collect());
        let [of_base, of_new]: [Vec<Option<f64>>; 2] = medians;
        let is_paired = asked.are_paired && of_base.len() == of_new.len() && of_base.len() > 1;
        let [base_units, new_units] = if is_paired {
            let pairs = of_base.iter().zip(&of_new);
            let (of_base, of_new) = pairs
                .filter_map(|(one, other)| Some((*one.as_ref()?, *other.as_ref()?)))
                .unzip();
            [of_base, of_new]
        } else {
            [of_base, of_new].map(|units| units.into_iter().flatten().collect::<Vec<f64>>())
        };
        // Of pairs all values count alike, as in the medians that a reader is shown: a unit of two values has a mean.
        let (base_median, new_median) = if is_paired {
            (median_of_pairs(base, new), median_of_pairs(new, base))
        } else {
            (middle_of(&base_units), middle_of(&new_units))
        };
        let unit = if base_units.len() <= 1 && new_units.len() <= 1 {
            UnitKind::WithinOne
        } else {
            UnitKind::Across
        };
        let mut estimate = Self {
            base_median,
            new_median,
            ratio: f64::NAN,
            interval: Err(Reason::NoNoise),
            p_value: None,
            unit,
        };
        let found = check(base, SideName::Base, &base_units)
            .and_then(|()| check(new, SideName::New, &new_units))
            .and_then(|()| match unit {
                UnitKind::WithinOne => within_one(base, new, asked.confidence),
                UnitKind::Across if is_paired => paired(&base_units, &new_units, asked.confidence),
                UnitKind::Across => across(&base_units, &new_units, asked.confidence),
            });
        match found {
            Ok(difference) => {
                // Intervals leave trends out, or are of all pairs of runs: they are made to hold the ratio.
                let ratio = new_median / base_median;
                let (low, high) = (difference.low.exp(), difference.high.exp());
                estimate.ratio = ratio;
                estimate.p_value = Some(difference.p_value(asked.confidence));
                estimate.interval = Ok((low.min(ratio), high.max(ratio)));
            }
            Err(reason) => {
                if !reason.is_about_input() {
                    estimate.ratio = new_median / base_median;
                }
                estimate.interval = Err(reason);
            }
        }
        estimate
    }
}

/// Compares the values of one unit on each side: their median is that of a correlated series.
fn within_one(base: &Side, new: &Side, confidence: f64) -> Result<Interval, Reason> {
    let [base, new] = [base, new].map(|side| {
        let values: Vec<f64> = side.units.iter().flatten().copied().collect();
        if values.len() < LEAST_WITHIN {
            return Err(Reason::TooFew(TooFew {
                count: values.len(),
                noun: "value",
                question: Question::RatioInterval,
                needed: LEAST_WITHIN,
            }));
        }
        Ok(Interval::of_run(&values, confidence).ln())
    });
    Ok(Interval::difference(base?, new?, confidence))
}

/// Compares units that each were measured beside their counterpart.
fn paired(base: &[f64], new: &[f64], confidence: f64) -> Result<Interval, Reason> {
    let ratios = base.iter().zip(new).map(|(base, new)| (new / base).ln());
    let ratios: Vec<f64> = ratios.collect();
    if Interval::are_few(ratios.len()) {
        return Interval::of_few(&ratios, confidence);
    }
    Ok(Interval::of_series(&ratios, confidence))
}

/// Compares units of two sides that have nothing to do with each other.
fn across(base: &[f64], new: &[f64], confidence: f64) -> Result<Interval, Reason> {
    let [base, new] = [base, new].map(|units| units.iter().map(|unit| unit.ln()).collect());
    let [base, new]: [Vec<f64>; 2] = [base, new];
    Interval::of_shift(&base, &new, confidence)
}

/// Checks that a side's values are durations.
fn check(side: &Side, which: SideName, medians: &[f64]) -> Result<(), Reason> {
    let wrong = |value: &&f64| !value.is_finite() || **value < 0.0;
    let count = side.units.iter().flatten().filter(wrong).count();
    if count > 0 {
        return Err(Reason::NotDurations { side: which, count });
    }
    if medians.is_empty() {
        return Err(Reason::Empty(which));
    }
    if medians.iter().any(|median| *median <= 0.0) {
        return Err(Reason::NoTime(which));
    }
    Ok(())
}

fn median(values: &[f64]) -> Option<f64> {
    quantiles::median(&sorted(values))
}

/// Returns the median of the values of all units that have a counterpart; not a number for none.
fn median_of_pairs(side: &Side, other: &Side) -> f64 {
    let pairs = side.units.iter().zip(&other.units);
    let both = pairs.filter(|(_, counterpart)| !counterpart.is_empty());
    let all: Vec<f64> = both.flat_map(|(unit, _)| unit).copied().collect();
    middle_of(&all)
}

/// Returns the median of units; not a number for none.
fn middle_of(units: &[f64]) -> f64 {
    median(units).unwrap_or(f64::NAN)
}
