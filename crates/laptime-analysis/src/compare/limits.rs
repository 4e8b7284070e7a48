//! Conditions that fail a comparison, read as they are typed: `step:p50 > 5%`.

use std::fmt;
use std::str::FromStr;

/// A condition that fails a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// A path, as it is printed.
    pub path: String,
    /// The number of the path.
    pub statistic: Statistic,
    /// The limit to its growth.
    pub limit: Limit,
    /// The condition as it was typed.
    typed: String,
}

/// A number of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Median time.
    Median,
    /// Mean time.
    Mean,
    /// 90th percentile.
    P90,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// Longest time.
    Max,
    /// Most host memory that a span held above its start.
    PeakMemory,
    /// Host memory that all spans kept.
    KeptMemory,
}

impl Statistic {
    /// All statistics, by the name that is typed.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("p50", Self::Median),
        ("mean", Self::Mean),
        ("p90", Self::P90),
        ("p95", Self::P95),
        ("p99", Self::P99),
        ("max", Self::Max),
        ("peak", Self::PeakMemory),
        ("kept", Self::KeptMemory),
    ];

    /// Tells whether it is memory rather than time.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::PeakMemory | Self::KeptMemory)
    }
}

/// A limit to the growth of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A part of the base's number.
    Ratio(f64),
    /// A number of nanoseconds or bytes.
    Absolute(f64),
}

/// Units of limits, longer names first.
const UNITS: [(&str, f64, bool); 11] = [
    ("KiB", 1_024.0, true),
    ("MiB", 1_048_576.0, true),
    ("GiB", 1_073_741_824.0, true),
    ("kB", 1e3, true),
    ("MB", 1e6, true),
    ("GB", 1e9, true),
    ("ns", 1.0, false),
    ("µs", 1e3, false),
    ("us", 1e3, false),
    ("ms", 1e6, false),
    ("s", 1e9, false),
];

impl FromStr for Gate {
    type Err = String;

    /// Reads a condition. The path may hold anything: the last `>` and the last `:` before it count.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |what: &str| {
            format!(
                "{what}: write PATH:STATISTIC > LIMIT, such as 'step:p50 > 5%' or 'step/forward:mean > 2 ms'"
            )
        };
        let (left, limit) = text
            .rsplit_once('>')
            .ok_or_else(|| wrong("there is no >"))?;
        let (path, statistic) = left
            .rsplit_once(':')
            .ok_or_else(|| wrong("no statistic is named"))?;
        let (path, statistic) = (path.trim(), statistic.trim());
        let mut known = Statistic::NAMES.iter();
        let Some((_, statistic)) = known.find(|(name, _)| *name == statistic) else {
            let names = Statistic::NAMES.map(|(name, _)| name).join(", ");
            return Err(wrong(&format!(
                "{statistic:?} is no statistic ({names} are)"
            )));
        };
        if path.is_empty() {
            return Err(wrong("no path is named"));
        }
        Ok(Self {
            path: path.to_owned(),
            statistic: *statistic,
            limit: self::limit(limit.trim(), *statistic).map_err(|what| wrong(&what))?,
            typed: text.trim().to_owned(),
        })
    }
}

fn limit(text: &str, statistic: Statistic) -> Result<Limit, String> {
    let number = |digits: &str| {
        let number: Option<f64> = digits.trim().parse().ok();
        let number = number.filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| format!("{text:?} is no limit from 0"))
    };
    if let Some(percent) = text.strip_suffix('%') {
        return Ok(Limit::Ratio(number(percent)? / 100.0));
    }
    for (unit, size, is_memory) in UNITS {
        if let Some(digits) = text.strip_suffix(unit) {
            if is_memory != statistic.is_memory() {
                return Err(format!("{text:?} has another unit than its statistic"));
            }
            return Ok(Limit::Absolute(number(digits)? * size));
        }
    }
    Err(format!("{text:?} has no unit (%, ms, MiB, …)"))
}

impl fmt::Display for Gate {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.typed)
    }
}
