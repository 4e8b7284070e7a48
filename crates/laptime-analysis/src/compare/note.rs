//! Notes of a comparison: facts that a reader must know before the numbers are believed.

use laptime_core::Unavailable;

use super::difference::RecordingOption;
use crate::benchmark::verdict::Verdict;
use crate::summary::doubt::Doubt;

/// A fact that a reader must know before the numbers of a comparison are believed.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// The time between the steps changed.
    StepGaps {
        /// Time that is added between two steps; below zero where it is less.
        change_ns: f64,
        /// The lap between the steps that makes most of it, with the time that it adds.
        lap: Option<(String, f64)>,
    },
    /// The programs of both sides have other names, as two versions of one may.
    OtherScript {
        /// Names of the base's programs.
        base: Vec<String>,
        /// Names of the other side's programs.
        new: Vec<String>,
    },
    /// A side has one run, which doesn't tell how much runs differ.
    SingleRun,
    /// A side of benchmarks has one measurement, which doesn't tell how much measurements differ.
    SingleMeasurement,
    /// Warm-up is compared too, because a run has no steady state.
    WithWarmUp {
        /// Name of the run.
        run: String,
        /// Reason why it has none.
        why: Option<Unavailable>,
    },
    /// The runs have no step in common, so that whole runs are compared.
    NoCommonStep,
    /// Functions are not compared, as runs have no samples of them.
    NoFunctions {
        /// Names of these runs.
        runs: Vec<String>,
    },
    /// The machine was busy during some runs.
    BusyMachine {
        /// Names of these runs.
        runs: Vec<String>,
    },
    /// Most of the difference is time in which the thread was ready and had no CPU.
    CpuDelay {
        /// Such time as a share of the difference.
        ratio: f64,
        /// Whether the new runs take longer.
        is_longer: bool,
    },
    /// Wall time changed while CPU time did not.
    NotCpuTime,
    /// The mean says something else than the median, because some steps are far longer than most.
    MeanDiffers {
        /// Time that is added to a median step.
        median_ns: f64,
        /// Time that is added to the mean step.
        mean_ns: f64,
    },
    /// Runs differ in what was recorded beside laps.
    RecordingDiffers {
        /// The options that differ.
        options: Vec<RecordingOption>,
    },
    /// Runs whose program ended with an error.
    Failed {
        /// Names of their runs.
        runs: Vec<String>,
    },
    /// A recording has a warning about itself.
    Damaged {
        /// Name of the run.
        run: String,
        /// The recording's own doubt.
        doubt: Doubt,
    },
    /// Times of steps are the device's.
    DeviceTimes,
    /// Times of steps are the host's, because a run has no times of the device.
    HostTimes {
        /// Name of a run that has the device's times.
        with: String,
        /// Name of a run that has none.
        without: String,
    },
    /// The only benchmarks of both sides are compared although their names differ.
    OtherName {
        /// Name of the base's benchmark.
        base: String,
        /// Name of the other side's benchmark.
        new: String,
    },
    /// Several benchmarks are counted by their verdicts.
    Tally {
        /// Number of benchmarks.
        benchmarks: usize,
        /// Each verdict that some of them have, with their count.
        verdicts: Vec<(Verdict, usize)>,
        /// Number of benchmarks on one side only.
        on_one_side: usize,
    },
    /// The sides ran with different versions of Python, which may be part of the change.
    OtherPython {
        /// Versions of the base.
        base: Vec<String>,
        /// Versions of the other side.
        new: Vec<String>,
    },
}

impl Note {
    /// Returns the stable word by which programs know the note.
    pub fn code(&self) -> &str {
        match self {
            Self::StepGaps { .. } => "between-steps",
            Self::OtherScript { .. } => "other-script",
            Self::SingleRun | Self::SingleMeasurement => "single-run",
            Self::WithWarmUp { .. } => "with-warm-up",
            Self::NoCommonStep => "no-common-step",
            Self::NoFunctions { .. } => "no-functions",
            Self::BusyMachine { .. } => "busy-machine",
            Self::CpuDelay { .. } => "kept-from-cpu",
            Self::NotCpuTime => "not-cpu-time",
            Self::MeanDiffers { .. } => "mean-differs",
            Self::RecordingDiffers { .. } => "recorded-otherwise",
            Self::Failed { .. } => "failed",
            Self::Damaged { doubt, .. } => doubt.code(),
            Self::DeviceTimes | Self::HostTimes { .. } => "device-times",
            Self::OtherName { .. } => "other-name",
            Self::Tally { .. } => "several",
            Self::OtherPython { .. } => "other-python",
        }
    }
}
