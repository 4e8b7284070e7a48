//! The table itself: every number of a row on a line, in groups that are measured together.

use super::{Field, Group, Read, Unit};
use crate::work_row::BoundBy;

/// All numbers. What is optional stands last, so that a new column moves no older one.
pub static GROUPS: [&Group; 15] = [
    &TOTALS,
    &DURATIONS,
    &SHARE,
    &CPU,
    &SUSPENDED,
    &PARTIAL,
    &HOST_MEMORY,
    &OPERATIONS,
    &DELAY,
    &DEVICE_TIME,
    &DEVICE_MEMORY,
    &LAUNCHES,
    &KEPT_MEMORY,
    &ENERGY,
    &APART,
];

/// What all spans of a row left in memory, which `other` has too.
pub const KEPT: &str = "host_memory_kept_bytes";

/// Why a row has neither the host's memory nor a device's.
const NO_MEMORY: &str = "memory was not recorded";

/// Lines `name: unit, how it is read, what it is;` as a group.
macro_rules! group {
    ($($name:ident: $unit:ident, $read:ident($of:expr), $about:literal;)*) => {
        Group {
            absent: None,
            is_optional: false,
            fields: &[$(Field {
                name: stringify!($name),
                unit: Unit::$unit,
                read: Read::$read($of),
                about: $about,
            }),*],
        }
    };
}

static TOTALS: Group = group! {
    count: Spans, Whole(|row| row.count), "Finished spans; `None` for \"startup\", \"other\" and \"exit\".";
    total_ns: Ns, Always(|row| row.total_ns), "Sum of durations.";
    self_ns: Ns, Always(|row| row.self_ns), "The total less what its children ran.";
};

/// What only finished spans have.
pub static DURATIONS: Group = group! {
    mean_ns: Ns, Whole(|row| row.mean_ns), "Mean duration.";
    stddev_ns: Ns, Whole(|row| row.stddev_ns), "Standard deviation of the durations.";
    min_ns: Ns, Whole(|row| row.min_ns), "Shortest duration.";
    max_ns: Ns, Whole(|row| row.max_ns), "Longest duration.";
    p50_ns: Ns, Whole(|row| row.p50_ns), "Median duration, within 1.1 %.";
    p90_ns: Ns, Whole(|row| row.p90_ns), "90th percentile, within 1.1 %.";
    p95_ns: Ns, Whole(|row| row.p95_ns), "95th percentile, within 1.1 %.";
    p99_ns: Ns, Whole(|row| row.p99_ns), "99th percentile, within 1.1 %.";
};

static SHARE: Group = group! {
    share_ratio: Ratio, Real(|row| row.share_ratio), "Total over the wall time.";
};

static CPU: Group = Group {
    absent: Some(
        "no span measured it; it is opt-in because reading that clock costs more than a span",
    ),
    ..group! {
        process_ns: Ns, Whole(|row| row.process_ns), "CPU time of the process.";
        thread_ns: Ns, Whole(|row| row.thread_ns), "CPU time of the thread.";
    }
};

static SUSPENDED: Group = Group {
    absent: Some("no span was suspended"),
    ..group! {
        suspended_wall_ns: Ns, Whole(|row| row.suspended_wall_ns), "From first start to end, of spans that were suspended in between.";
    }
};

static PARTIAL: Group = group! {
    partial_count: Spans, Always(|row| row.partial_count), "Spans only partly inside: still open at the end, or begun before the steady state.";
    partial_ns: Ns, Always(|row| row.partial_ns), "What spans only partly inside contribute to the total.";
    unbalanced_count: Spans, Always(|row| row.unbalanced_count), "Spans that were closed out of order.";
};

/// Least and most of the host's memory, nets first.
pub static HOST_MEMORY: Group = Group {
    absent: Some(NO_MEMORY),
    ..group! {
        host_memory_net_min_bytes: Bytes, Signed(|row| row.memory.host_memory_net_min_bytes), "Least change of host memory over a span.";
        host_memory_net_max_bytes: Bytes, Signed(|row| row.memory.host_memory_net_max_bytes), "Greatest change of host memory over a span.";
        host_memory_peak_min_bytes: Bytes, Whole(|row| row.memory.host_memory_peak_min_bytes), "Least peak of host memory in a span.";
        host_memory_peak_max_bytes: Bytes, Whole(|row| row.memory.host_memory_peak_max_bytes), "Greatest peak of host memory in a span.";
    }
};

/// What is left of all spans together, and how much they differ.
pub static KEPT_MEMORY: Group = Group {
    absent: Some(NO_MEMORY),
    is_optional: true,
    ..group! {
        host_memory_kept_bytes: Bytes, Signed(|row| row.memory.host_memory_kept_bytes), "Host memory that all spans allocated and did not free, together.";
        host_memory_net_stddev_bytes: Bytes, Whole(|row| row.memory.host_memory_net_stddev_bytes), "Standard deviation of the change of host memory over a span.";
    }
};

/// What a row's operations did.
pub static OPERATIONS: Group = Group {
    absent: Some("operations were not counted"),
    is_optional: true,
    ..group! {
        mac: Mac, Wide(|row| row.work.mac), "Multiply-accumulates of matrix products, convolutions and attention.";
        flop: Flop, Wide(|row| row.work.flop), "Floating-point operations: two for each multiply-accumulate, or what the program said.";
        total_flop: Flop, Wide(|row| row.work.total_flop), "Floating-point operations, those of all other arithmetic too.";
        executed_flop: Flop, Wide(|row| row.work.executed_flop), "Floating-point operations of `flop` that ran, with what runs again.";
        bytes_moved: Bytes, Wide(|row| row.work.bytes_moved), "Bytes read and written.";
        flop_per_s: FlopRate, Real(|row| row.work.flop_per_s), "Floating-point operations per second.";
        bytes_moved_per_s: ByteRate, Real(|row| row.work.bytes_moved_per_s), "Bytes read and written per second.";
        intensity: FlopPerByte, Real(|row| row.work.intensity), "Floating-point operations for each byte.";
        mfu_ratio: Ratio, Real(|row| row.work.mfu_ratio), "Floating-point operations per second over the peak that is named beside.";
        hfu_ratio: Ratio, Real(|row| row.work.hfu_ratio), "Executed floating-point operations per second over the peak that is named beside.";
        bound: Name, Word(|row| row.work.bound.map(BoundBy::name)), "What bounds it on this machine: \"memory\" or \"arithmetic\".";
        operations_coverage_ratio: Ratio, Real(|row| row.work.operations_coverage_ratio), "The part of its spans, or of the calls of operators in it, whose work is known.";
    }
};

static DELAY: Group = Group {
    absent: Some("no timer measured it; Timer(cpu=True) does, where the kernel tells it"),
    is_optional: true,
    ..group! {
        delayed_ns: Ns, Whole(|row| row.delayed_ns), "Time that the thread was ready and others ran.";
    }
};

/// Time by a device's own events.
pub static DEVICE_TIME: Group = Group {
    absent: Some("no device was timed"),
    is_optional: true,
    ..group! {
        device_ns: Ns, Whole(|row| row.device.device_ns), "Time on the device, idle times between kernels included.";
        device_count: Spans, Whole(|row| row.device.device_count), "Spans that `device_ns` is the sum of.";
        launch_bound_count: Spans, Whole(|row| row.device.launch_bound_count), "Spans of these that the device had begun when all of their work was launched.";
    }
};

/// Least and most of a device's memory, nets first.
pub static DEVICE_MEMORY: Group = Group {
    absent: Some(NO_MEMORY),
    is_optional: true,
    ..group! {
        device_memory_net_min_bytes: Bytes, Signed(|row| row.device.device_memory_net_min_bytes), "Least change of device memory over a span.";
        device_memory_net_max_bytes: Bytes, Signed(|row| row.device.device_memory_net_max_bytes), "Greatest change of device memory over a span.";
        device_memory_peak_min_bytes: Bytes, Signed(|row| row.device.device_memory_peak_min_bytes), "Least peak of device memory in a span.";
        device_memory_peak_max_bytes: Bytes, Signed(|row| row.device.device_memory_peak_max_bytes), "Greatest peak of device memory in a span.";
        device_memory_reserved_bytes: Bytes, Signed(|row| row.device.device_memory_reserved_bytes), "Most that the allocator of a device held during a span, in all.";
    }
};

/// What its devices drew.
pub static ENERGY: Group = Group {
    absent: Some("no device with an energy counter was sampled"),
    is_optional: true,
    ..group! {
        device_energy_j: Joules, Real(|row| row.device_energy_j), "Energy that the devices in use drew during its spans.";
    }
};

static APART: Group = Group {
    is_optional: true,
    ..group! {
        apart_ns: Ns, Always(|row| row.apart_ns), "Of the total, what is no part of the time of the row around it: what ran on other threads, and a timer's segments.";
    }
};

static LAUNCHES: Group = Group {
    is_optional: true,
    ..group! {
        in_flight_count: Spans, Always(|row| row.in_flight_count), "Spans that ended while JAX still computed what they launched, of those that were looked at.";
        waited_count: Spans, Always(|row| row.waited_count), "Spans that ended when all that they launched was ready, of those that were looked at.";
    }
};
