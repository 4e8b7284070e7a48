//! The numbers of a case and of a load by their names: the one table that Python and JSON read.

use laptime_core::Unavailable;

use super::{Case, Figures, Load, Rate};
use crate::percentiles::{Percentile, Percentiles};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// One number.
    Number(f64),
    /// The ends of a 95 % interval.
    Interval(f64, f64),
}

/// A name with its value, or why there is none.
pub type Field = (&'static str, Result<Value, Unavailable>);

impl Case {
    /// Every number, in the order in which they are shown.
    pub fn fields(&self) -> Vec<Field> {
        let names = CASE_FIELDS.iter();
        names.map(|name| (*name, self.field(name))).collect()
    }

    /// The number of one of [`CASE_FIELDS`].
    pub fn field(&self, name: &str) -> Result<Value, Unavailable> {
        let figures = self.found.as_ref().map_err(Clone::clone)?;
        figures.value(name)
    }
}

/// Names of a case's numbers, in the order in which they are shown.
pub const CASE_FIELDS: [&str; 20] = [
    "first_ns",
    "first_ratio",
    "p50_ns",
    "p50_ci",
    "p90_ns",
    "p90_ci",
    "p99_ns",
    "p99_ci",
    "max_ns",
    "samples_per_s",
    "samples_per_s_ci",
    "tokens_per_s",
    "tokens_per_s_ci",
    "transfer_in_ns",
    "transfer_out_ns",
    "total_p50_ns",
    "total_p50_ci",
    "total_p90_ns",
    "total_p99_ns",
    "total_p99_ci",
];

impl Figures {
    fn value(&self, name: &str) -> Result<Value, Unavailable> {
        let transfers = || {
            let none = || Unavailable("the input is on the device already".to_owned());
            self.transfers.as_ref().ok_or_else(none)
        };
        let tokens = || {
            let none = || {
                Unavailable(
                    "tokens were not counted: give tokens=, a number for each sample or a function of the output"
                        .to_owned(),
                )
            };
            self.tokens_per_s.as_ref().ok_or_else(none)
        };
        match name {
            "first_ns" => Ok(Value::Number(self.first_ns)),
            "first_ratio" => self
                .first_ratio()
                .map(Value::Number)
                .ok_or_else(|| Unavailable("the median is 0".to_owned())),
            "samples_per_s" => Ok(Value::Number(self.samples_per_s.per_s)),
            "samples_per_s_ci" => bounds(&self.samples_per_s),
            "tokens_per_s" => tokens().map(|rate| Value::Number(rate.per_s)),
            "tokens_per_s_ci" => tokens().and_then(bounds),
            "transfer_in_ns" => transfers().and_then(|both| of(&both.into, "p50_ns")),
            "transfer_out_ns" => transfers().and_then(|both| of(&both.out, "p50_ns")),
            name => match name.strip_prefix("total_") {
                Some(name) => of(self.total(), name),
                None => of(&self.latency, name),
            },
        }
    }
}

impl Load {
    /// Every number, in the order in which they are shown.
    pub fn fields(&self) -> Vec<Field> {
        let names = LOAD_FIELDS.iter();
        names.map(|name| (*name, self.field(name))).collect()
    }

    /// The number of one of [`LOAD_FIELDS`].
    pub fn field(&self, name: &str) -> Result<Value, Unavailable> {
        match name {
            "rate_per_s" => Ok(Value::Number(self.rate_per_s)),
            "busy_ratio" => Ok(Value::Number(self.busy_ratio)),
            "busy_ci" => {
                let (low, high) = self.busy_interval.clone()?;
                Ok(Value::Interval(low, high))
            }
            "service_p50_ns" => of(&self.service, "p50_ns"),
            name => of(&self.latency, name),
        }
    }
}

/// Names of a load's numbers, in the order in which they are shown.
pub const LOAD_FIELDS: [&str; 8] = [
    "rate_per_s",
    "p50_ns",
    "p90_ns",
    "p99_ns",
    "max_ns",
    "service_p50_ns",
    "busy_ratio",
    "busy_ci",
];

/// A percentile by its name, or its interval.
fn of(all: &Percentiles, name: &str) -> Result<Value, Unavailable> {
    let (which, kind) = name.split_once('_').unwrap_or((name, ""));
    let percentile = match which {
        "p50" => &all.p50,
        "p90" => &all.p90,
        "p99" => &all.p99,
        _ => {
            let none = || Unavailable("nothing was measured".to_owned());
            return all.max_ns.map(Value::Number).ok_or_else(none);
        }
    };
    let percentile: &Percentile = percentile.as_ref().map_err(Clone::clone)?;
    match kind {
        "ci" => {
            let (low, high) = percentile.interval_ns.clone()?;
            Ok(Value::Interval(low, high))
        }
        _ => Ok(Value::Number(percentile.value_ns)),
    }
}

fn bounds(rate: &Rate) -> Result<Value, Unavailable> {
    let (low, high) = rate.interval.clone()?;
    Ok(Value::Interval(low, high))
}
