//! What the cells of a table hold: every column by its kind, and those of a table of spans.

use laptime_core::Phase;

/// A column of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Finished spans.
    Count,
    /// Sum of durations.
    Total,
    /// CPU time of the process, or of the thread where only that was measured.
    Cpu,
    /// Total time less that of children.
    SelfTime,
    /// Time of a module, forward and backward, less that of the modules inside.
    OwnTime,
    /// Mean duration.
    Mean,
    /// Standard deviation of durations.
    Deviation,
    /// Shortest duration.
    Min,
    /// Median duration.
    Median,
    /// 90th percentile.
    P90,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// Longest duration.
    Max,
    /// CPU time of the thread.
    Thread,
    /// Time that the thread was ready and others ran.
    Delayed,
    /// Time on the device.
    Device,
    /// Time on the device over that of the row around it.
    DeviceShare,
    /// Spans that the device had begun when all of their work was launched.
    LaunchBound,
    /// Most host memory that a span allocated and did not free.
    NetMemory,
    /// Host memory that all spans allocated and did not free.
    KeptMemory,
    /// Highest peak of host memory in a span.
    PeakMemory,
    /// Greatest change of device memory over a span.
    DeviceNetMemory,
    /// Highest peak of device memory in a span.
    DevicePeakMemory,
    /// Most that a device's allocator held.
    DeviceReserved,
    /// Total over the total of the row around it.
    OfParent,
    /// Total over wall time; of operations, work over all work.
    Share,
    /// Calls of an operator.
    Calls,
    /// Elements of parameters.
    Params,
    /// Multiply-accumulates.
    Mac,
    /// Multiply-accumulates directly in a module.
    OwnMac,
    /// Matmul-like FLOP.
    Flop,
    /// Other floating-point arithmetic.
    OtherFlop,
    /// Bytes read and written.
    Bytes,
    /// Total FLOP for each byte.
    Intensity,
    /// The part of the calls whose cost is known.
    Coverage,
    /// Elements of outputs.
    Elements,
    /// What a phase did.
    Phase(Phase),
    /// What all phases did.
    AllPhases,
    /// What all phases did, to the last digit.
    Exact,
    /// What holds it back: memory or arithmetic.
    Bound,
    /// FLOP/s it can reach at most.
    Attainable,
    /// FLOP/s it did reach.
    Achieved,
    /// Time it takes at least.
    LeastTime,
    /// FLOP/s of spans.
    FlopRate,
    /// Samples of stacks.
    Samples,
    /// Time in which a thread waited.
    Waiting,
    /// Calls of a function.
    FunctionCalls,
    /// Time of a call.
    PerCall,
    /// Achieved over peak floating-point operations per second.
    Mfu,
    /// A comparison's base.
    Base,
    /// What is compared with it.
    New,
    /// By which part that is larger.
    Change,
    /// Between which changes the true one is.
    Interval,
    /// Mean time that a step takes longer.
    Difference,
    /// Share of what all differ by, without the laps inside.
    OwnShare,
    /// What came of it.
    Verdict,
    /// Mean part of the time in which a device ran a kernel.
    Busy,
    /// 95th percentile of that.
    BusyP95,
    /// Most memory in use of a device.
    DeviceMemory,
    /// Mean power of a device.
    MeanPower,
    /// Highest power of a device.
    PeakPower,
    /// Energy of a device.
    Energy,
    /// Energy of a device in a step.
    StepEnergy,
    /// Part of the samples in which a device was slower than it could be.
    Throttled,
}

impl Column {
    /// The column's heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Total => "total",
            Self::Cpu => "CPU",
            Self::SelfTime | Self::OwnTime => "self",
            Self::Mean => "mean",
            Self::Deviation => "stddev",
            Self::Min => "min",
            Self::Median => "p50",
            Self::P90 => "p90",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Max => "max",
            Self::Thread => "thread",
            Self::Delayed => "delayed",
            Self::Device => "device",
            Self::DeviceShare => "of device",
            Self::LaunchBound => "launch-bound",
            Self::NetMemory => "net mem",
            Self::KeptMemory => "kept mem",
            Self::PeakMemory | Self::DeviceMemory => "peak mem",
            Self::DeviceNetMemory => "device net",
            Self::DevicePeakMemory => "device peak",
            Self::DeviceReserved => "device held",
            Self::OfParent => "of parent",
            Self::Share => "share",
            Self::Calls | Self::FunctionCalls => "calls",
            Self::Params => "params",
            Self::Mac => "MAC",
            Self::OwnMac => "self MAC",
            Self::Flop => "FLOP",
            Self::OtherFlop => "other FLOP",
            Self::Bytes => "bytes",
            Self::Intensity => "FLOP/byte",
            Self::Coverage => "coverage",
            Self::Elements => "elements",
            Self::Phase(phase) => phase.name(),
            Self::AllPhases => "all",
            Self::Exact => "exact",
            Self::Bound => "bound by",
            Self::Attainable => "at most FLOP/s",
            Self::Achieved => "achieved FLOP/s",
            Self::LeastTime => "at least",
            Self::FlopRate => "FLOP/s",
            Self::Samples => "samples",
            Self::Waiting => "waiting",
            Self::PerCall => "per call",
            Self::Mfu => "MFU",
            Self::Base => "baseline",
            Self::New => "candidate",
            Self::Change => "change",
            Self::Interval => "95 % interval",
            Self::Difference => "difference",
            Self::OwnShare => "self part",
            Self::Verdict => "verdict",
            Self::Busy => "busy",
            Self::BusyP95 => "busy p95",
            Self::MeanPower => "power",
            Self::PeakPower => "peak power",
            Self::Energy => "energy",
            Self::StepEnergy => "per step",
            Self::Throttled => "throttled",
        }
    }

    /// The column's field in the JSON of a summary; none for operations, whose absence has one
    /// reason each.
    pub const fn field(self) -> Option<&'static str> {
        Some(match self {
            Self::Count => "count",
            Self::Total => "total_ns",
            Self::Cpu => "process_ns",
            Self::SelfTime => "self_ns",
            Self::Mean => "mean_ns",
            Self::Deviation => "stddev_ns",
            Self::Min => "min_ns",
            Self::Median => "p50_ns",
            Self::P90 => "p90_ns",
            Self::P95 => "p95_ns",
            Self::P99 => "p99_ns",
            Self::Max => "max_ns",
            Self::Thread => "thread_ns",
            Self::Delayed => "delayed_ns",
            Self::Device | Self::DeviceShare => "device_ns",
            Self::LaunchBound => "launch_bound_count",
            Self::NetMemory => "host_memory_net_max_bytes",
            Self::KeptMemory => "host_memory_kept_bytes",
            Self::PeakMemory => "host_memory_peak_max_bytes",
            Self::DeviceNetMemory => "device_memory_net_max_bytes",
            Self::DevicePeakMemory => "device_memory_peak_max_bytes",
            Self::DeviceReserved => "device_memory_reserved_bytes",
            // Of the row around it; by itself, a row knows that of the run.
            Self::OfParent | Self::Share => "share_ratio",
            Self::Flop => "flop",
            Self::FlopRate => "flop_per_s",
            Self::Intensity => "intensity",
            Self::Mfu => "mfu_ratio",
            Self::Bound => "bound",
            Self::Bytes => "bytes_moved",
            _ => return None,
        })
    }

    /// Those of a table of spans where nobody asks for others, in the order of the table.
    pub const SPANS: [Self; 19] = [
        Self::Count,
        Self::Total,
        Self::Cpu,
        Self::Device,
        Self::DeviceShare,
        Self::SelfTime,
        Self::Mean,
        Self::Median,
        Self::P99,
        Self::KeptMemory,
        Self::PeakMemory,
        Self::DevicePeakMemory,
        Self::Flop,
        Self::FlopRate,
        Self::Intensity,
        Self::Bound,
        Self::Mfu,
        Self::OfParent,
        Self::Share,
    ];

    /// Those that can be asked for, by the name users type.
    pub const NAMES: [(&'static str, Self); 31] = [
        ("count", Self::Count),
        ("total", Self::Total),
        ("self", Self::SelfTime),
        ("mean", Self::Mean),
        ("stddev", Self::Deviation),
        ("min", Self::Min),
        ("p50", Self::Median),
        ("p90", Self::P90),
        ("p95", Self::P95),
        ("p99", Self::P99),
        ("max", Self::Max),
        ("cpu", Self::Cpu),
        ("thread", Self::Thread),
        ("delayed", Self::Delayed),
        ("device", Self::Device),
        ("device-share", Self::DeviceShare),
        ("launch-bound", Self::LaunchBound),
        ("net", Self::NetMemory),
        ("kept", Self::KeptMemory),
        ("peak", Self::PeakMemory),
        ("device-net", Self::DeviceNetMemory),
        ("device-peak", Self::DevicePeakMemory),
        ("device-held", Self::DeviceReserved),
        ("flop", Self::Flop),
        ("flop/s", Self::FlopRate),
        ("flop/byte", Self::Intensity),
        ("bound", Self::Bound),
        ("mfu", Self::Mfu),
        ("parent", Self::OfParent),
        ("share", Self::Share),
        ("bytes", Self::Bytes),
    ];

    /// Whether a table of spans shows it only where a row has it.
    pub const fn is_optional(self) -> bool {
        matches!(
            self,
            Self::Cpu
                | Self::Device
                | Self::KeptMemory
                | Self::PeakMemory
                | Self::DevicePeakMemory
                | Self::Flop
                | Self::FlopRate
                | Self::Intensity
                | Self::Bound
                | Self::Mfu
                | Self::OfParent
        )
    }

    /// Whether the eye should find it first.
    pub const fn is_strong(self) -> bool {
        matches!(
            self,
            Self::Total | Self::OwnTime | Self::Mac | Self::AllPhases
        )
    }
}
