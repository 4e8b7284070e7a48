//! The numbers of a case and of a load, a line each: the one table that Python and JSON read.

use laptime_core::Unavailable;

use super::case::{Case, Figures, Rate, Transfers};
use super::load::Load;
use crate::statistics::percentiles::{Percentile, Percentiles};

/// The value of a name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// One number.
    Number(f64),
    /// The ends of a 95 % interval.
    Interval(f64, f64),
}

/// A number, or why there is none.
type Found = Result<Value, Unavailable>;

/// A name with its value, or why there is none.
pub type Field = (&'static str, Found);

/// Names, each with the function that reads its value.
type Numbers<T, const N: usize> = [(&'static str, fn(&T) -> Found); N];

/// A case's numbers, in the order in which they are shown.
pub const CASE_FIELDS: Numbers<Figures, 20> = [
    ("first_ns", |it| Ok(Value::Number(it.first_ns))),
    ("first_ratio", first_ratio),
    ("p50_ns", |it| number(&it.latency.p50)),
    ("p50_ci", |it| interval(&it.latency.p50)),
    ("p90_ns", |it| number(&it.latency.p90)),
    ("p90_ci", |it| interval(&it.latency.p90)),
    ("p99_ns", |it| number(&it.latency.p99)),
    ("p99_ci", |it| interval(&it.latency.p99)),
    ("max_ns", |it| longest(&it.latency)),
    ("samples_per_s", |it| {
        Ok(Value::Number(it.samples_per_s.per_s))
    }),
    ("samples_per_s_ci", |it| ends(&it.samples_per_s.interval)),
    ("tokens_per_s", |it| Ok(Value::Number(tokens(it)?.per_s))),
    ("tokens_per_s_ci", |it| ends(&tokens(it)?.interval)),
    ("transfer_in_ns", |it| number(&transfers(it)?.into.p50)),
    ("transfer_out_ns", |it| number(&transfers(it)?.out.p50)),
    ("total_p50_ns", |it| number(&it.total().p50)),
    ("total_p50_ci", |it| interval(&it.total().p50)),
    ("total_p90_ns", |it| number(&it.total().p90)),
    ("total_p99_ns", |it| number(&it.total().p99)),
    ("total_p99_ci", |it| interval(&it.total().p99)),
];

/// A load's numbers, in the order in which they are shown.
pub const LOAD_FIELDS: Numbers<Load, 8> = [
    ("rate_per_s", |it| Ok(Value::Number(it.rate_per_s))),
    ("p50_ns", |it| number(&it.latency.p50)),
    ("p90_ns", |it| number(&it.latency.p90)),
    ("p99_ns", |it| number(&it.latency.p99)),
    ("max_ns", |it| longest(&it.latency)),
    ("service_p50_ns", |it| number(&it.service.p50)),
    ("busy_ratio", |it| Ok(Value::Number(it.busy_ratio))),
    ("busy_ci", |it| {
        ends(&it.busy_interval.map_err(Unavailable::from))
    }),
];

impl Case {
    /// Lists every number, in the order in which they are shown.
    pub fn fields(&self) -> Vec<Field> {
        let each = CASE_FIELDS.iter();
        each.map(|(name, read)| (*name, self.read(*read))).collect()
    }

    /// Reads one of [`CASE_FIELDS`].
    pub fn read(&self, read: fn(&Figures) -> Found) -> Found {
        read(self.found.as_ref().map_err(Clone::clone)?)
    }
}

impl Load {
    /// Lists every number, in the order in which they are shown.
    pub fn fields(&self) -> Vec<Field> {
        let each = LOAD_FIELDS.iter();
        each.map(|(name, read)| (*name, read(self))).collect()
    }
}

fn first_ratio(figures: &Figures) -> Found {
    let ratio = figures.first_ratio().map(Value::Number);
    ratio.ok_or_else(|| Unavailable("the median is 0".to_owned()))
}

fn transfers(figures: &Figures) -> Result<&Transfers, Unavailable> {
    let none = || Unavailable("the input is on the device already".to_owned());
    figures.transfers.as_ref().ok_or_else(none)
}

fn tokens(figures: &Figures) -> Result<&Rate, Unavailable> {
    let none = "tokens were not counted: give tokens=, a number for each sample or a function of the output";
    let tokens = figures.tokens_per_s.as_ref();
    tokens.ok_or_else(|| Unavailable(none.to_owned()))
}

fn number(percentile: &Result<Percentile, Unavailable>) -> Found {
    let percentile = percentile.as_ref().map_err(Clone::clone)?;
    Ok(Value::Number(percentile.value_ns))
}

fn interval(percentile: &Result<Percentile, Unavailable>) -> Found {
    ends(&percentile.as_ref().map_err(Clone::clone)?.interval_ns)
}

fn longest(durations: &Percentiles) -> Found {
    let none = || Unavailable("nothing was measured".to_owned());
    durations.max_ns.map(Value::Number).ok_or_else(none)
}

fn ends(interval: &Result<(f64, f64), Unavailable>) -> Found {
    let (low, high) = interval.clone()?;
    Ok(Value::Interval(low, high))
}
