//! The outcome of each gate: whether a number got worse by more than its limit.
//!
//! A gate on the median asks for the limit to be exceeded surely: the interval lies above it. Other
//! statistics have no interval; there the numbers themselves count.

use serde::{Serialize, Serializer};

use super::difference_unit::Basis;
use super::limits::{Gate, Limit, Statistic};
use super::recording::Run;
use super::rows::{WHOLE_RUN, walls};
use super::sides::Sides;
use crate::benchmark::verdict::{Judged, Side, Verdict, judge_measured};
use crate::statistics::quantiles::{median_of, nearest_rank};
use crate::summary::span_row::SpanRow;

/// The outcome of a gate.
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

/// A gate with its outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateResult {
    /// The condition, as it was typed.
    #[serde(serialize_with = "typed")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub gate: Gate,
    /// The outcome.
    pub outcome: GateOutcome,
    /// The base's number, in nanoseconds or bytes.
    pub base: Option<f64>,
    /// The other side's number.
    pub new: Option<f64>,
}

impl GateResult {
    /// Returns the result for a path or a number that is not there.
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
    to.serialize_str(&gate.to_string())
}

/// Holds a gate against two sides.
pub fn of_sides(gate: &Gate, sides: &Sides<'_>, threshold_ratio: f64) -> GateResult {
    let unknown = GateResult::unknown(gate);
    if gate.path == WHOLE_RUN && sides.basis() == Basis::Run && !gate.statistic.is_memory() {
        return of_runs(gate, sides, threshold_ratio);
    }
    let Some(paths) = sides.find(&gate.path).filter(|paths| paths.are_both()) else {
        return unknown;
    };
    if gate.statistic == Statistic::Median {
        let judged = paths.judge(threshold_ratio);
        return judged.map_or(unknown, |judged| of_median(gate, &judged));
    }
    let median = |side: &[(&Run, &SpanRow)]| {
        let each = side
            .iter()
            .map(|(run, row)| gate.statistic.read(sides, run, row));
        let all: Vec<f64> = each.collect::<Option<_>>()?;
        Some(median_of(all.into_iter(), &mut Vec::new()))
    };
    match (median(&paths.base), median(&paths.new)) {
        (Some(base), Some(new)) => of_numbers(gate, base, new),
        _ => unknown,
    }
}

/// Holds a gate against whole runs, each of which is one value.
fn of_runs(gate: &Gate, sides: &Sides<'_>, threshold_ratio: f64) -> GateResult {
    let (base, new) = (walls(sides.base), walls(sides.new));
    if gate.statistic == Statistic::Median {
        return of_median(gate, &judge_measured(&base, &new, threshold_ratio));
    }
    let median = |side: Side| median_of(side.units.into_iter().flatten(), &mut Vec::new());
    of_numbers(gate, median(base), median(new))
}

/// Holds a gate against two numbers.
fn of_numbers(gate: &Gate, base: f64, new: f64) -> GateResult {
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
        ..GateResult::unknown(gate)
    }
}

/// Holds a gate on the median against the verdict on it.
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

impl Statistic {
    /// Reads the number of a row. A path that runs more often than steps do has that of all its spans in a step together.
    fn read(self, sides: &Sides<'_>, run: &Run, row: &SpanRow) -> Option<f64> {
        let steps = sides.steps(run);
        let is_inside = sides
            .step()
            .and_then(|step| sides.find(step))
            .is_some_and(|step| {
                row.names.len() > step.names.len() && row.names.starts_with(step.names)
            });
        if !is_inside || self.is_memory() || row.count.is_none_or(|count| count as f64 <= steps) {
            return self.read_spans(row);
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
            Self::Median | Self::PeakMemory | Self::KeptMemory => self.read_spans(row),
        }
    }

    /// Reads the number of a row's single spans.
    fn read_spans(self, row: &SpanRow) -> Option<f64> {
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
}
