//! Columns of tables: their headings, fields and names, with those that a table of spans can have.

use laptime_core::Phase;

/// A column of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The text above the column.
    pub heading: &'static str,
    /// The column's field in the JSON of a summary; none for operations, whose absence has one reason each.
    pub field: Option<&'static str>,
    /// The name that users type to ask for the column; empty where they can't.
    pub name: &'static str,
    /// The column's turn to be left out where a terminal is narrow; `None` for one that stays.
    pub gives_way: Option<u8>,
    /// Whether a table of spans shows the column only where a row has it.
    pub is_optional: bool,
    /// Whether the eye should find the column first.
    pub is_strong: bool,
    /// Heading of the column that this one is the interval of; empty for most.
    pub interval_of: &'static str,
}

/// Makes a column with a heading, which stays where a terminal is narrow.
pub const fn headed(heading: &'static str) -> Column {
    Column {
        heading,
        field: None,
        name: "",
        gives_way: None,
        is_optional: false,
        is_strong: false,
        interval_of: "",
    }
}

/// Makes a column that tables of spans may have, from its heading, its field and its name.
const fn spans(heading: &'static str, field: &'static str, name: &'static str) -> Column {
    Column {
        field: Some(field),
        name,
        ..headed(heading)
    }
}

/// Declares the columns that can be asked for, a line each.
macro_rules! asked_for {
    ($($(#[$about:meta])+ $name:ident = $column:expr;)*) => {
        impl Column {
            $($(#[$about])+ pub const $name: Self = $column;)*

            /// The columns that can be asked for, by the name that users type.
            pub const NAMES: &[(&'static str, Self)] = &[$((Self::$name.name, Self::$name)),*];
        }
    };
}

asked_for! {
    /// Finished spans.
    COUNT = spans("count", "count", "count").gives_way(7);
    /// Sum of durations.
    TOTAL = spans("total", "total_ns", "total").strong();
    /// Total time less that of children.
    SELF_TIME = spans("self", "self_ns", "self");
    /// Mean duration, which the first line names too.
    MEAN = spans("mean", "mean_ns", "mean").gives_way(21);
    /// Standard deviation of durations.
    DEVIATION = spans("stddev", "stddev_ns", "stddev");
    /// Shortest duration.
    MIN = spans("min", "min_ns", "min");
    /// Median duration.
    MEDIAN = spans("p50", "p50_ns", "p50");
    /// 90th percentile.
    P90 = spans("p90", "p90_ns", "p90");
    /// 95th percentile.
    P95 = spans("p95", "p95_ns", "p95");
    /// 99th percentile.
    P99 = spans("p99", "p99_ns", "p99");
    /// Longest duration.
    MAX = spans("max", "max_ns", "max");
    /// CPU time of the process, or of the thread where only that was measured.
    CPU = spans("CPU", "process_ns", "cpu").gives_way(16).optional();
    /// CPU time of the thread.
    THREAD = spans("thread", "thread_ns", "thread");
    /// Time in which the thread was ready to run while others ran.
    DELAYED = spans("delayed", "delayed_ns", "delayed");
    /// Time on the device.
    DEVICE = spans("device", "device_ns", "device").optional();
    /// Time on the device over that of the row around it.
    DEVICE_SHARE = spans("of device", "device_ns", "device-share");
    /// Spans that the device had begun when all of their work was launched.
    LAUNCH_BOUND = spans("launch-bound", "launch_bound_count", "launch-bound");
    /// Most host memory that a span allocated and did not free.
    NET_MEMORY = spans("net mem", "host_memory_net_max_bytes", "net");
    /// Host memory that all spans allocated and did not free.
    KEPT_MEMORY = spans("kept mem", "host_memory_kept_bytes", "kept").gives_way(13).optional();
    /// Highest peak of host memory in a span.
    PEAK_MEMORY = spans("peak mem", "host_memory_peak_max_bytes", "peak").gives_way(18).optional();
    /// Greatest change of device memory over a span.
    DEVICE_NET_MEMORY = spans("device net", "device_memory_net_max_bytes", "device-net");
    /// Highest peak of device memory in a span.
    DEVICE_PEAK_MEMORY = spans("device peak", "device_memory_peak_max_bytes", "device-peak").gives_way(19).optional();
    /// Most that a device's allocator held.
    DEVICE_RESERVED = spans("device held", "device_memory_reserved_bytes", "device-held");
    /// Matmul-like FLOP.
    FLOP = spans("FLOP", "flop", "flop").gives_way(14).optional();
    /// FLOP/s of spans.
    FLOP_RATE = spans("FLOP/s", "flop_per_s", "flop/s").gives_way(17).optional();
    /// Total FLOP for each byte.
    INTENSITY = spans("FLOP/byte", "intensity", "flop/byte").gives_way(12).optional();
    /// Resource that limits the row: memory or arithmetic.
    BOUND = spans("bound by", "bound", "bound").gives_way(11).optional();
    /// Achieved over peak floating-point operations per second.
    MFU = spans("MFU", "mfu_ratio", "mfu").gives_way(20).optional();
    /// Total over the total of the row around it.
    OF_PARENT = spans("of parent", "share_ratio", "parent").gives_way(5).optional();
    /// Total over wall time; of operations, work over all work.
    SHARE = spans("share", "share_ratio", "share");
    /// Bytes read and written.
    BYTES = spans("bytes", "bytes_moved", "bytes");
}

impl Column {
    /// Self time of a module, forward and backward, or of a function.
    pub const CODE_SELF_TIME: Self = headed("self").strong();
    /// Calls of an operator.
    pub const CALLS: Self = headed("calls").gives_way(10);
    /// Elements of parameters.
    pub const PARAMS: Self = headed("params").gives_way(15);
    /// Multiply-accumulates.
    pub const MAC: Self = headed("MAC").strong();
    /// Multiply-accumulates directly in a module.
    pub const SELF_MAC: Self = headed("self MAC").gives_way(8);
    /// Other floating-point arithmetic.
    pub const OTHER_FLOP: Self = headed("other FLOP").gives_way(9);
    /// Share of the calls whose cost is known.
    pub const COVERAGE: Self = headed("coverage");
    /// Elements of outputs.
    pub const ELEMENTS: Self = headed("elements");
    /// Work of all phases.
    pub const ALL_PHASES: Self = headed("all").strong();
    /// Work of all phases, to the last digit.
    pub const EXACT: Self = headed("exact");
    /// Highest FLOP/s that the machine allows.
    pub const ATTAINABLE: Self = headed("at most FLOP/s");
    /// FLOP/s that were reached.
    pub const ACHIEVED: Self = headed("achieved FLOP/s");
    /// Least time that the machine allows.
    pub const LEAST_TIME: Self = headed("at least");
    /// Samples of stacks.
    pub const SAMPLES: Self = headed("samples").gives_way(6);
    /// Time in which a thread waited.
    pub const WAITING: Self = headed("waiting");
    /// Calls of a function.
    pub const FUNCTION_CALLS: Self = headed("calls");
    /// Time of a call.
    pub const PER_CALL: Self = headed("per call").gives_way(2);
    /// Value of a comparison's baseline.
    pub const BASE: Self = headed("baseline");
    /// Value of a comparison's candidate.
    pub const NEW: Self = headed("candidate");
    /// Relative change from the baseline to the candidate.
    pub const CHANGE: Self = headed("change");
    /// Interval in which the true change lies.
    pub const INTERVAL: Self = headed("95 % interval").gives_way(24);
    /// Mean time by which the candidate's step is longer.
    pub const DIFFERENCE: Self = headed("difference").gives_way(22);
    /// Self time of a function on both sides.
    pub const FUNCTION_SELF: Self = headed("self");
    /// Difference of a function's self time, with its interval.
    pub const FUNCTION_DIFFERENCE: Self = headed("difference").strong();
    /// Time of a function on both sides, with all that it calls.
    pub const FUNCTION_TOTAL: Self = headed("total").gives_way(22);
    /// Share of the whole difference, without the laps inside.
    pub const SELF_SHARE: Self = headed("self part").gives_way(23);
    /// Verdict of a comparison.
    pub const VERDICT: Self = headed("verdict");
    /// Mean share of the time in which a device ran a kernel.
    pub const BUSY: Self = headed("busy");
    /// 95th percentile of the share of the time in which a device ran a kernel.
    pub const BUSY_P95: Self = headed("busy p95").gives_way(25);
    /// Most memory in use of a device.
    pub const DEVICE_MEMORY: Self = headed("peak mem").gives_way(27);
    /// Mean power of a device.
    pub const MEAN_POWER: Self = headed("power");
    /// Highest power of a device.
    pub const PEAK_POWER: Self = headed("peak power").gives_way(26);
    /// Energy of a device.
    pub const ENERGY: Self = headed("energy");
    /// Energy of a device in a step.
    pub const STEP_ENERGY: Self = headed("per step");
    /// Share of the samples in which a device was slower than it could be.
    pub const THROTTLED: Self = headed("throttled");

    /// Change of time against another row's.
    pub const AGAINST: Self = headed("time against");

    /// Makes the column of a phase's work.
    pub const fn phase(phase: Phase) -> Self {
        headed(phase.name())
    }

    /// Makes the column of the interval in which the true value of `column` lies.
    pub(crate) const fn interval_of(column: Self) -> Self {
        Self {
            interval_of: column.heading,
            ..headed("95 %")
        }
    }

    /// Returns the column's name for a place where its neighbours don't stand.
    pub(crate) fn called(&self) -> String {
        match self.interval_of {
            "" => self.heading.to_owned(),
            other => format!("{} of {other}", self.heading),
        }
    }

    /// Columns of a table of spans where nobody asks for others, in the order of the table.
    pub const SPANS: [Self; 16] = [
        Self::COUNT,
        Self::TOTAL,
        Self::CPU,
        Self::DEVICE,
        Self::DEVICE_SHARE,
        Self::MEAN,
        Self::KEPT_MEMORY,
        Self::PEAK_MEMORY,
        Self::DEVICE_PEAK_MEMORY,
        Self::FLOP,
        Self::FLOP_RATE,
        Self::INTENSITY,
        Self::BOUND,
        Self::MFU,
        Self::OF_PARENT,
        Self::SHARE,
    ];

    /// Makes the column give way as the `turn`-th where a terminal is narrow.
    pub(crate) const fn gives_way(self, turn: u8) -> Self {
        Self {
            gives_way: Some(turn),
            ..self
        }
    }

    const fn optional(self) -> Self {
        Self {
            is_optional: true,
            ..self
        }
    }

    const fn strong(self) -> Self {
        Self {
            is_strong: true,
            ..self
        }
    }
}
