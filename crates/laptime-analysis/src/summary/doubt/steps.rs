//! Reasons to doubt the durations of steps: they changed, or the machine was busy.

use serde::Serialize;

use crate::benchmark::warm_up::Later;

/// Code of a doubt about steps that did not keep their level.
pub const CHANGED: &str = "step-time-changed";

/// A taker of CPU time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CpuTaker {
    /// Others ran instead of the thread: other programs, or threads of this one.
    OtherThreads,
    /// The host of the virtual machine ran something else.
    Host,
}

/// CPU time that was taken from the thread that takes the steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuLoss {
    /// The taker.
    pub taker: CpuTaker,
    /// Share of the steps' time that the taker took.
    pub ratio: f64,
}

/// The reason of a change, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StepsReason {
    /// The machine got busier or quieter, which accounts for most of the change.
    BusyMachine {
        /// The taker of the CPU time.
        taker: CpuTaker,
        /// Share of time that the taker took before the change.
        before_ratio: f64,
        /// Share of time that the taker took after the change.
        after_ratio: f64,
    },
    /// The machine was busy all the time, which accounts for a part of the change at most.
    PartlyBusyMachine(CpuLoss),
    /// The thread had its CPU nearly all the time.
    NotTheCpu {
        /// Part of the time in which it waited for one.
        delayed_ratio: f64,
    },
    /// The steps were given longer inputs.
    LongerInputs,
    /// Nothing tells the reason.
    NotKnown,
}

/// A reason to doubt the durations of steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum StepsDoubt {
    /// The machine was busy while the steps before the steady state ran.
    BusyWarmUp {
        /// The CPU time that was taken meanwhile.
        loss: CpuLoss,
        /// The noun for one step; empty where the thread is not known to take any.
        noun: String,
    },
    /// The machine was busy all the time, which makes the numbers unreliable.
    BusyMachine {
        /// The CPU time that was taken.
        loss: CpuLoss,
        /// The noun for one step; empty where the main thread is meant.
        noun: String,
    },
    /// Steps did not keep their level.
    Changed {
        /// Changes of the steps, at the numbers that the program gives them.
        later: Later,
        /// The noun for one step.
        noun: String,
        /// The first so many steps, where the others were not looked at one by one.
        looked_at_count: Option<u64>,
        /// The reason.
        reason: StepsReason,
    },
}

impl StepsDoubt {
    /// Returns a stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BusyWarmUp { .. } | Self::BusyMachine { .. } => "busy-machine",
            Self::Changed { .. } => CHANGED,
        }
    }

    /// Whether it names the machine as busy, as the only trouble or beside a change.
    pub fn is_of_machine(&self) -> bool {
        match self {
            Self::BusyWarmUp { .. } | Self::BusyMachine { .. } => true,
            Self::Changed { reason, .. } => matches!(
                reason,
                StepsReason::BusyMachine { .. } | StepsReason::PartlyBusyMachine(_)
            ),
        }
    }
}
