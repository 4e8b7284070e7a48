//! One row of a table: a path's statistics, or a leftover of the wall time.

use serde::Serialize;

use crate::summary::absence::Reasons;
use crate::summary::device_row::DeviceRow;
use crate::summary::doubt::Doubt;
use crate::summary::fields::numbers::numbers;
use crate::summary::memory_row::HostMemoryRow;
use crate::summary::sparse_box::SparseBox;
use crate::summary::work_row::WorkRow;

numbers! {
    serde ();
    /// One path's statistics, or a leftover of the wall time.
    ///
    /// **Units** nanoseconds; ratios are of 1.
    #[derive(Debug, Clone, PartialEq, Default, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub struct SpanRow {
        /// Kind of the row: span path or leftover.
        pub kind: RowKind;
        /// The names joined by `/`, with `/` and `\` inside a name escaped as `\/` and `\\`.
        pub path: String;
        /// The names from the outermost to this one.
        #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
        pub names: Vec<String>;
        /// Finished spans; `None` for a leftover.
        pub count: Option<u64>, Spans in Totals;
        /// Sum of durations; spans only partly inside count with their part.
        pub total_ns: u64, Ns in Totals;
        /// The total less what its children ran on the same track.
        pub self_ns: u64, Ns in Totals;
        /// Mean duration of finished spans.
        pub mean_ns: Option<u64>, Ns in Durations;
        /// Standard deviation of the durations of finished spans; needs two.
        pub stddev_ns: Option<u64>, Ns in Durations;
        /// Shortest finished span.
        pub min_ns: Option<u64>, Ns in Durations;
        /// Longest finished span.
        pub max_ns: Option<u64>, Ns in Durations;
        /// Median, within 1.1 % (nearest rank).
        pub p50_ns: Option<u64>, Ns in Durations;
        /// 90th percentile, within 1.1 %.
        pub p90_ns: Option<u64>, Ns in Durations;
        /// 95th percentile, within 1.1 %.
        pub p95_ns: Option<u64>, Ns in Durations;
        /// 99th percentile, within 1.1 %.
        pub p99_ns: Option<u64>, Ns in Durations;
        /// Time that finished spans longer than the median take beyond it, together.
        #[serde(skip)]
        pub beyond_median_ns: Option<u64>;
        /// Total over `measured_ns`; above 1 when threads ran at once, or segments of a timer overlap.
        pub share_ratio: Option<f64>, Ratio in Share;
        /// CPU time of the process meanwhile, summed over the spans that measured it.
        pub process_ns: Option<u64>, Ns in Cpu;
        /// CPU time of the thread meanwhile, summed over the spans that measured it.
        pub thread_ns: Option<u64>, Ns in Cpu;
        /// Time that the thread was ready and others ran, summed over the spans that measured it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub delayed_ns: Option<u64>, Ns in Delay;
        /// Time from first start to end, summed over spans that were suspended in between.
        pub suspended_wall_ns: Option<u64>, Ns in Suspended;
        /// Numbers that a device measured.
        #[serde(flatten)]
        pub device: SparseBox<DeviceRow>;
        /// Memory that its spans allocated on the host.
        #[serde(flatten)]
        pub memory: SparseBox<HostMemoryRow>;
        /// Work that was computed in its spans.
        #[serde(flatten)]
        pub work: SparseBox<WorkRow>;
        /// Energy that the devices in use drew during its spans, by their own counters.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub device_energy_j: Option<f64>, Joules in Energy;
        /// Spans only partly inside: still open at the end, or begun before the steady state.
        #[serde(skip_serializing_if = "is_zero")]
        pub partial_count: u64, Spans in Partial;
        /// Part of the total that spans only partly inside contribute.
        #[serde(skip_serializing_if = "is_zero")]
        pub partial_ns: u64, Ns in Partial;
        /// Part of the total that is not in the time of the row around it: time on other threads than that, and
        /// a timer's segments.
        #[serde(skip_serializing_if = "is_zero")]
        pub apart_ns: u64, Ns in Apart;
        /// Spans that were closed out of order.
        #[serde(skip_serializing_if = "is_zero")]
        pub unbalanced_count: u64, Spans in Partial;
        /// Spans that ended while JAX still computed what they launched, of those that were looked at.
        #[serde(skip_serializing_if = "is_zero")]
        pub in_flight_count: u64, Spans in Launches;
        /// Spans that ended when all that they launched was ready, of those that were looked at.
        #[serde(skip_serializing_if = "is_zero")]
        pub waited_count: u64, Spans in Launches;
        /// Names of a neural network's module, from the outermost module on, joined by `/`. Rows that are no
        /// module's have none.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub module: String;
        /// Name of the module's class, in the row of a module.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub module_class: String;
        /// Reasons to doubt this row.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub warnings: Vec<Doubt>;
        /// Reasons why numbers of this row are absent, by field name.
        #[serde(skip_serializing_if = "Reasons::is_empty")]
        #[cfg_attr(
            feature = "schema",
            schemars(with = "std::collections::BTreeMap<String, laptime_core::Unavailable>")
        )]
        pub why: Reasons;
    }
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde's skip_serializing_if passes a reference"
)]
pub fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl SpanRow {
    /// Returns how deep it stands in the tree; 0 for outermost rows.
    pub fn depth(&self) -> usize {
        self.names.len().saturating_sub(1)
    }

    /// Tells whether it is the leftover of this name, and no span that is called so.
    pub fn is_leftover(&self, name: &str) -> bool {
        self.kind == RowKind::Leftover && self.path == name
    }

    /// Tells whether it stands for spans directly inside of the path with these names.
    pub fn is_child_of(&self, names: &[String]) -> bool {
        self.kind == RowKind::Span
            && self.names.len() == names.len() + 1
            && self.names.starts_with(names)
    }
}

/// Kind of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// The spans of one path.
    #[default]
    Span,
    /// Wall time that neither a span nor a timer's segment covers: `startup` before the first, `other` in between,
    /// `after` and `exit` after the last, or `lost` where the recording ends before the program does.
    Leftover,
}

impl RowKind {
    /// Returns the word for the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Span => "span",
            Self::Leftover => "leftover",
        }
    }
}
