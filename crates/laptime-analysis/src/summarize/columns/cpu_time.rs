//! A row's CPU time beside its wall time: whether it computed, waited, or was kept from the CPU.
//!
//! Takes a row of the summary that carries both; the report turns the verdict into a sentence.

use crate::summary::span_row::SpanRow;

/// Share of the wall time from which on a row is said to have computed.
const BUSY_RATIO: f64 = 0.9;
/// Multiple of the wall time from which on several CPUs were at work.
const SEVERAL_RATIO: f64 = 1.1;
/// Share of the wall time, used by other threads, from which on a waiting thread waited for them.
const OTHERS_RATIO: f64 = 0.5;
/// Share of the wall time from which on a thread that was kept from the CPU is worth a sentence.
const KEPT_RATIO: f64 = 0.1;
/// Wall time below which the CPU clocks say too little.
const SHORTEST_NS: u64 = 1_000_000;

/// Mean wall time below which reading the CPU clocks, a microsecond a span, shows in the CPU time.
const SHORTEST_SPAN_NS: u64 = 20_000;

/// Verdict on a row's CPU time beside its wall time. Ratios are of the wall time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CpuUse {
    /// The row's spans are so short that reading the CPU clocks is a part of their CPU time.
    Short,
    /// The row computed: CPU time and wall time agree.
    Computed {
        /// CPU time of the process.
        process_ratio: f64,
    },
    /// Several threads computed at once: CPU time is above wall time.
    Several {
        /// CPU time of the process: CPUs at work on average.
        process_ratio: f64,
    },
    /// The row's own thread waited while others of its process computed.
    OtherThreads {
        /// CPU time of the thread.
        thread_ratio: f64,
        /// CPU time of the process.
        process_ratio: f64,
        /// Whether a busy machine would have been seen to keep the thread from the CPU.
        is_delay_known: bool,
    },
    /// The thread was ready, and other programs or threads had the CPU.
    KeptFromCpu {
        /// Time in which the thread was ready and did not run.
        delayed_ratio: f64,
        /// CPU time of the same thread.
        thread_ratio: f64,
        /// CPU time of the process.
        process_ratio: f64,
    },
    /// Nothing computed.
    Waited {
        /// CPU time of the process.
        process_ratio: f64,
        /// Whether a busy machine would have been seen to keep the thread from the CPU.
        is_delay_known: bool,
    },
}

/// Returns the verdict on a row; `None` when it has no CPU time or is too short for one.
pub fn cpu_use(row: &SpanRow) -> Option<CpuUse> {
    if row.total_ns < SHORTEST_NS {
        return None;
    }
    let has_cpu = row.process_ns.is_some() || row.thread_ns.is_some();
    let count = row.count.unwrap_or(0).max(1);
    if has_cpu && row.total_ns / count < SHORTEST_SPAN_NS {
        return Some(CpuUse::Short);
    }
    let of_wall = |ns: u64| ns as f64 / row.total_ns as f64;
    let process_ratio = of_wall(row.process_ns.or(row.thread_ns)?);
    let thread_ratio = row.thread_ns.map_or(process_ratio, of_wall);
    let delayed_ns = row.thread_ns.and(row.delayed_ns);
    let is_delay_known = delayed_ns.is_some();
    let delayed_ratio = delayed_ns.map_or(0.0, of_wall);
    Some(
        if process_ratio >= SEVERAL_RATIO && thread_ratio >= BUSY_RATIO {
            CpuUse::Several { process_ratio }
        } else if delayed_ratio >= KEPT_RATIO {
            CpuUse::KeptFromCpu {
                delayed_ratio,
                thread_ratio,
                process_ratio,
            }
        } else if thread_ratio >= BUSY_RATIO {
            CpuUse::Computed { process_ratio }
        } else if process_ratio - thread_ratio >= OTHERS_RATIO {
            CpuUse::OtherThreads {
                thread_ratio,
                process_ratio,
                is_delay_known,
            }
        } else {
            CpuUse::Waited {
                process_ratio,
                is_delay_known,
            }
        },
    )
}

#[cfg(test)]
#[path = "tests/cpu_time.rs"]
mod tests;
