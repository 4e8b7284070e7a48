//! Latency of a model's calls, shown: from a [`Sweep`] to text, markdown, HTML and JSON.
//!
//! The first line is the answer: `Batch 16 is the knee: 1,240 samples/s, p99 14.1 ms.` A row is a batch size on
//! a device. Whatever is absent or doubtful stands below, with its reason.

mod headline;
mod json;
mod notes;
mod table;

pub use headline::headline;
pub use json::json;
pub use notes::doubts;

use laptime_analysis::inference::{Case, Sweep};

use crate::grid::Grid;
use crate::{name, quantity};

/// How a budget is asked for.
const BUDGET: &str = "lt.bench_inference(…, budget={})";

/// All of it, as a terminal shows it.
pub fn text(sweep: &Sweep) -> String {
    grid(sweep).text()
}

/// All of it, for a pull request.
pub fn markdown(sweep: &Sweep) -> String {
    grid(sweep).markdown()
}

/// All of it, as a piece of a notebook's page.
pub fn fragment(sweep: &Sweep) -> String {
    grid(sweep).fragment()
}

fn grid(sweep: &Sweep) -> Grid {
    Grid {
        answer: headline(sweep),
        tables: table::tables(sweep),
        notes: notes::notes(sweep),
    }
}

/// A case in a sentence: `batch 16`, with its device where there are several.
fn label(sweep: &Sweep, case: &Case) -> String {
    let batch = format!("batch {}", quantity::thousands(case.batch));
    match sweep.devices().len() {
        0 | 1 => batch,
        _ => format!("{} {batch}", name::visible(&case.device)),
    }
}

/// A rate that was asked for, as it was told: `50`, `0.5`.
fn asked(rate: f64) -> String {
    if rate.fract() == 0.0 {
        return quantity::thousands(rate as u128);
    }
    quantity::plain(rate)
}

/// A rate of samples or tokens: `1,240`, `12.3`.
fn per_second(rate: f64) -> String {
    if rate >= 99.95 {
        return quantity::thousands(rate.round() as u128);
    }
    let digits = quantity::rate(rate);
    format!("{}{}", digits.whole, digits.fraction)
}

#[cfg(test)]
mod tests;
