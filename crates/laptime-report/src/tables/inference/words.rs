//! How cases, rates and budgets are called in sentences and cells.

use laptime_analysis::benchmark::inference::{Case, Sweep};

use crate::document::names;
use crate::quantity;

/// How a budget is asked for.
pub(crate) const BUDGET: &str = "lt.bench_inference(…, budget={})";

/// A case in a sentence: `batch 16`, with its device where there are several.
pub(crate) fn label(sweep: &Sweep, case: &Case) -> String {
    let batch = format!("batch {}", quantity::thousands(case.batch));
    match sweep.devices().len() {
        0 | 1 => batch,
        _ => format!("{} {batch}", names::visible(&case.device)),
    }
}

/// A rate that was asked for, as it was told: `50`, `0.5`.
pub(crate) fn asked(rate: f64) -> String {
    if rate.fract() == 0.0 {
        return quantity::thousands(rate as u128);
    }
    quantity::plain(rate)
}

/// A rate of samples or tokens: `1,240`, `12.3`.
pub(crate) fn per_second(rate: f64) -> String {
    if rate >= 99.95 {
        return quantity::thousands(rate.round() as u128);
    }
    let digits = quantity::rate(rate);
    format!("{}{}", digits.whole, digits.fraction)
}
