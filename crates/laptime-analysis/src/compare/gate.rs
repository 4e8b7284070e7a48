//! What may not get worse by more than a limit: `step:p50 > 5%`.
//!
//! A gate on the median asks for the limit to be exceeded surely: the interval lies above it. Other
//! statistics have no interval; there the numbers themselves count.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::matched::Matched;
use super::run::Run;
use crate::benchmark::verdict::{Judged, Verdict};
use crate::statistics::quantiles::{median_of, nearest_rank};
use crate::summary::span_row::SpanRow;

/// A condition that fails a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// A path, as it is printed.
    pub path: String,
    /// Which number of it.
    pub statistic: Statistic,
    /// By how much it may grow.
    pub limit: Limit,
    /// As it was typed.
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
    /// All of them, by the name that is typed.
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

    /// Of a row, or, of what runs more often than steps do, of all its spans in a step together.
    fn of(self, matched: &Matched<'_>, run: &Run, row: &SpanRow) -> Option<f64> {
        let steps = matched.steps(run);
        let is_inside = matched
            .step()
            .and_then(|step| matched.find(step))
            .is_some_and(|step| {
                row.names.len() > step.names.len() && row.names.starts_with(step.names)
            });
        if !is_inside || self.is_memory() || row.count.is_none_or(|count| count as f64 <= steps) {
            return self.of_spans(row);
        }
        let in_steps = || {
            let mut all = run.durations.by_path.get(&row.path)?.clone();
            all.sort_unstable_by(f64::total_cmp);
            Some(all)
        };
        let at = |ratio| nearest_rank(&in_steps()?, ratio);
        match self {
            Self::Mean => Some(row.total_ns as f64 / steps),
            Self::P90 => at(0.90),
            Self::P95 => at(0.95),
            Self::P99 => at(0.99),
            Self::Max => at(1.0),
            Self::Median | Self::PeakMemory | Self::KeptMemory => self.of_spans(row),
        }
    }

    fn of_spans(self, row: &SpanRow) -> Option<f64> {
        let whole = |number: Option<u64>| number.map(|number| number as f64);
        match self {
            Self::Median => whole(row.p50_ns),
            Self::Mean => whole(row.mean_ns),
            Self::P90 => whole(row.p90_ns),
            Self::P95 => whole(row.p95_ns),
            Self::P99 => whole(row.p99_ns),
            Self::Max => whole(row.max_ns),
            Self::PeakMemory => whole(row.memory.host_memory_peak_max_bytes),
            Self::KeptMemory => row.memory.host_memory_kept_bytes.map(|bytes| bytes as f64),
        }
    }

    /// Whether it is memory rather than time.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::PeakMemory | Self::KeptMemory)
    }
}

/// By how much a number may grow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// As a part of the base's.
    Ratio(f64),
    /// In nanoseconds or bytes.
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

    /// The path may hold anything: the last `>` and the last `:` before it count.
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

/// What came of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// The limit is kept.
    Kept,
    /// The limit is exceeded.
    Exceeded,
    /// The limit lies within what noise explains.
    Unclear,
    /// The path, or this number of it, is not on both sides.
    Unknown,
}

/// A gate and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateResult {
    /// The condition, as it was typed.
    #[serde(serialize_with = "typed")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub gate: Gate,
    /// What came of it.
    pub outcome: GateOutcome,
    /// The base's number, nanoseconds or bytes.
    pub base: Option<f64>,
    /// The other side's.
    pub new: Option<f64>,
}

impl GateResult {
    /// Of a path or a number that is not there.
    pub fn unknown(gate: &Gate) -> Self {
        Self {
            gate: gate.clone(),
            outcome: GateOutcome::Unknown,
            base: None,
            new: None,
        }
    }
}

fn typed<S: Serializer>(gate: &Gate, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&gate.typed)
}

/// What comes of a gate.
pub fn outcome(gate: &Gate, matched: &Matched<'_>, threshold_ratio: f64) -> GateResult {
    let unknown = GateResult::unknown(gate);
    let Some(paths) = matched.find(&gate.path).filter(|paths| paths.are_both()) else {
        return unknown;
    };
    if gate.statistic == Statistic::Median {
        let judged = paths.judge(threshold_ratio);
        return judged.map_or(unknown, |judged| of_median(gate, &judged));
    }
    let of = |side: &[(&Run, &SpanRow)]| {
        let each = side
            .iter()
            .map(|(run, row)| gate.statistic.of(matched, run, row));
        let all: Vec<f64> = each.collect::<Option<_>>()?;
        Some(median_of(all.into_iter(), &mut Vec::new()))
    };
    let (Some(base), Some(new)) = (of(&paths.base), of(&paths.new)) else {
        return unknown;
    };
    let is_exceeded = match gate.limit {
        Limit::Ratio(ratio) => new > base + ratio * base.abs(),
        Limit::Absolute(limit) => new - base > limit,
    };
    GateResult {
        outcome: if is_exceeded {
            GateOutcome::Exceeded
        } else {
            GateOutcome::Kept
        },
        base: Some(base),
        new: Some(new),
        ..unknown
    }
}

/// On the median: the verdict with the limit as its threshold.
pub fn of_median(gate: &Gate, judged: &Judged) -> GateResult {
    let limit = match gate.limit {
        Limit::Ratio(ratio) => ratio,
        Limit::Absolute(limit) => limit / judged.base_median,
    };
    let outcome = match judged.interval {
        // A change that is none by the verdict exceeds no limit.
        Ok((low, _)) if low > 1.0 + limit && judged.verdict == Verdict::Slower => {
            GateOutcome::Exceeded
        }
        Ok((_, high)) if high <= 1.0 + limit => GateOutcome::Kept,
        _ => GateOutcome::Unclear,
    };
    GateResult {
        gate: gate.clone(),
        outcome,
        base: Some(judged.base_median).filter(|number| number.is_finite()),
        new: Some(judged.new_median).filter(|number| number.is_finite()),
    }
}
