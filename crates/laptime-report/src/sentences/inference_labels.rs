//! Names of cases, rates and budgets in sentences and cells.

use laptime_analysis::benchmark::inference::{Case, Sweep};

use crate::document::names;
use crate::quantity;

/// The way in which a budget is asked for.
pub const BUDGET: &str = "lt.bench_inference(…, budget={})";

/// Names a case in a sentence: `batch 16`, with its device where there are several.
pub fn label(sweep: &Sweep, case: &Case) -> String {
    let batch = format!("batch {}", quantity::thousands(case.batch));
    match sweep.devices().len() {
        0 | 1 => batch,
        _ => format!("{} {batch}", names::visible(&case.device)),
    }
}

/// Writes a rate that was asked for, as it was typed: `50`, `0.5`.
pub fn asked(rate: f64) -> String {
    if rate.fract() == 0.0 {
        return quantity::thousands(rate as u128);
    }
    quantity::plain(rate)
}

/// Writes a rate of samples or tokens: `1,240`, `12.3`.
pub fn per_second(rate: f64) -> String {
    if rate >= 99.95 {
        return quantity::thousands(rate.round() as u128);
    }
    let digits = quantity::rate(rate);
    format!("{}{}", digits.whole, digits.fraction)
}
