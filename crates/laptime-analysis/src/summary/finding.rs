//! A finding as a value: what kind it is, which numbers its rule saw, and what there is to gain.
//!
//! The report makes sentences of it; [`crate::findings`] has the rules.

use serde::Serialize;

use crate::summary::doubt::{self, Doubt};
use crate::summary::functions::ImportTime;
use crate::summary::rank_difference::RankDifference;

/// Something worth a look.
///
/// **Units** nanoseconds and bytes; ratios are of 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Finding {
    /// The time before the first lap is a large part of the run.
    Startup {
        /// From the start to the first lap.
        startup_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
        /// The packages whose import took most of it, where stacks were sampled.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        imports: Vec<ImportTime>,
        /// The function that most of it is in, where stacks were sampled and imports take less.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
    },
    /// The time after the last lap is a large part of the run.
    Exit {
        /// From the last lap to the end of the process.
        exit_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
        /// The part of it after the exit handlers: Python frees memory, and libraries end.
        #[serde(skip_serializing_if = "Option::is_none")]
        closing_ns: Option<u64>,
        /// The function that most of it is in, where stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
    },
    /// The program only compiled something in laps: its steps were not seen.
    NoSteps {
        /// How often it compiled.
        count: u64,
        /// All of that together.
        total_ns: u64,
        /// The run's time outside of laps, its startup and exit not included.
        outside_ns: u64,
    },
    /// Much of the time from the first step to the last is in no lap.
    BetweenSteps {
        /// The path of the steps.
        path: String,
        /// Time in no lap, from the first step to the last.
        total_ns: u64,
        /// From the start of the first step to the end of the last one.
        during_ns: u64,
        /// The function that most of it is in, where stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
    },
    /// A lap around the steps has most of its time outside of them.
    OutsideSteps {
        /// The lap's path.
        path: String,
        /// The path of the steps.
        step_path: String,
        /// Its time.
        total_ns: u64,
        /// The part of it outside of the steps.
        outside_ns: u64,
        /// The lap beside the steps that most of this is in, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// The time of that.
        #[serde(skip_serializing_if = "Option::is_none")]
        part_ns: Option<u64>,
        /// The function that most of it is in, where it is in no lap and stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
    },
    /// Laps are so many and so short that recording them takes time of its own.
    Overhead {
        /// Finished spans.
        span_count: u64,
        /// What recording them took, as far as is known.
        recording_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
    },
    /// Steps wait for their data.
    DataWait {
        /// The path of the wait.
        path: String,
        /// Mean wait per step.
        per_step_ns: u64,
        /// Median wait, where a few long ones make most of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        usual_ns: Option<u64>,
        /// The longest wait, where it is more than half of all.
        #[serde(skip_serializing_if = "Option::is_none")]
        longest_ns: Option<u64>,
        /// Mean duration of a step.
        step_ns: u64,
        /// All waits together.
        total_ns: u64,
        /// The function that most of it is in, where stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
        /// What the loader's workers do meanwhile, where their own laps tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        workers: Option<WorkerLap>,
        /// The function that processes without laps, such as a loader's workers, mostly run in; its ratio is of the
        /// time in which they ran.
        #[serde(skip_serializing_if = "Option::is_none")]
        worker_function: Option<MainFunction>,
    },
    /// First batches wait for the loader's workers to start.
    WorkerStarts {
        /// How often workers started while a step waited.
        count: u64,
        /// For how long steps waited for that in all.
        total_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
    },
    /// A lap of a task lets no other task of its event loop run.
    HeldLoop(HeldLoop),
    /// Compiling takes a large part of the run, wherever it happens.
    Compiling {
        /// How often.
        count: u64,
        /// All of it together.
        total_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
        /// Where most of it happens, at most three paths, the longest first.
        places: Vec<CompiledIn>,
    },
    /// Something is compiled again and again.
    Recompilation {
        /// The path of what is compiled.
        path: String,
        /// How often: after warm-up, or in all steps where none was found.
        count: u64,
        /// Whether there was a warm-up, which isn't counted.
        is_after_warm_up: bool,
        /// All of it together.
        total_ns: u64,
    },
    /// One step in so many takes much longer than the others.
    SlowSteps {
        /// The path of the steps.
        path: String,
        /// One in so many, at least.
        one_in: u64,
        /// How long such a step takes, at least.
        slow_ns: u64,
        /// How long a step takes usually: the median.
        usual_ns: u64,
        /// What all steps take beyond the usual.
        excess_ns: u64,
        /// The innermost lap that takes most of the excess, if there is one.
        cause: Option<Cause>,
        /// The part of the excess outside of all laps inside.
        outside_ns: u64,
        /// Whether no lap is inside of these steps.
        #[serde(skip_serializing_if = "is_false")]
        is_bare: bool,
    },
    /// A lap that runs in few of the steps takes much of what all of them take.
    Occasional {
        /// The lap's path.
        path: String,
        /// The path of the steps.
        step_path: String,
        /// How often it ran.
        count: u64,
        /// How many steps there were.
        step_count: u64,
        /// Its mean duration.
        mean_ns: u64,
        /// How long a step takes usually: the median.
        usual_ns: u64,
        /// What it took in all.
        total_ns: u64,
    },
    /// Most of a step is spent in a single lap below its phases, or in a single module.
    HotSpot {
        /// The lap's path, or the module's.
        path: String,
        /// Name of the module's class; empty for a lap that is none.
        #[serde(skip_serializing_if = "String::is_empty")]
        class: String,
        /// The path of the steps.
        step_path: String,
        /// Its own time; of a module, in forward and backward together.
        self_ns: u64,
        /// The time of all steps.
        steps_ns: u64,
        /// The function that most of it is in, where stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
    },
    /// The longest part of a step is mostly in a single function of the program's own.
    InFunction {
        /// The path of the part.
        path: String,
        /// Its time.
        total_ns: u64,
        /// The time of all steps.
        steps_ns: u64,
        /// The function.
        function: MainFunction,
    },
    /// Every step leaves memory behind.
    MemoryGrowth {
        /// The path of the steps.
        path: String,
        /// How many steps it was seen in.
        step_count: u64,
        /// What a step leaves, on average.
        per_step_bytes: u64,
        /// Half the width of the 95 % interval of that.
        uncertainty_bytes: u64,
        /// What all of them left.
        kept_bytes: u64,
        /// The lap that keeps it, where one leaves about as much by itself; of several, one does.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        keepers: Vec<Keeper>,
        /// Laps that pass memory on to each other, where it may be kept instead: then net bytes don't tell for sure.
        #[serde(skip_serializing_if = "Option::is_none")]
        passing: Option<Passing>,
        /// Whether it is left between the steps, outside of their laps.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        between: bool,
    },
    /// The memory of a program without steps grows all the time.
    MemoryRise {
        /// By how much per second.
        per_second_bytes: u64,
        /// Half the width of the 95 % interval of that.
        uncertainty_bytes: u64,
        /// By how much in the time that was looked at.
        risen_bytes: u64,
        /// How long that was.
        during_ns: u64,
        /// The function in which more than 60 % of it rose, where stacks were sampled; its ratio is of that.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
        /// Whether stacks were sampled.
        #[serde(skip_serializing_if = "is_false")]
        is_sampled: bool,
    },
    /// At its end the interpreter waits for threads.
    ThreadsWait(ThreadsWait),
    /// The steps of the steady state changed, or the machine was busy meanwhile.
    Unsteady {
        /// What happened, and what there is to do about it.
        #[serde(flatten, serialize_with = "doubt::as_texts")]
        #[cfg_attr(feature = "schema", schemars(with = "doubt::Texts"))]
        doubt: Doubt,
        /// Whether the machine was busy: then the parts that it fell on are no causes.
        #[serde(skip_serializing_if = "is_false")]
        is_busy: bool,
    },
    /// Most of the time that steps took went by before they were steady.
    WarmUp {
        /// The path of the steps.
        path: String,
        /// Steps before the steady state.
        warm_up_count: u64,
        /// What they took.
        warm_up_ns: u64,
        /// Steps of the steady state.
        steady_count: u64,
        /// What those took.
        steady_ns: u64,
        /// What took the CPU during warm-up, a sentence: then the machine was busy.
        #[serde(
            skip_serializing_if = "Option::is_none",
            serialize_with = "doubt::as_message"
        )]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        busy: Option<Doubt>,
    },
    /// One process of several holds the others up, or is slower than they are.
    Ranks {
        /// Whether the others wait for it.
        holds_up: bool,
        /// What was seen, a sentence.
        #[serde(rename = "message")]
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        difference: RankDifference,
    },
    /// A device ran slower than it could in many of its samples.
    Throttled {
        /// The device's index.
        device: u32,
        /// Its name.
        name: String,
        /// Part of the samples.
        ratio: f64,
        /// Why, the most frequent reason first.
        reasons: Vec<String>,
        /// By how much its clock was lower then than at its highest, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        slower_ratio: Option<f64>,
        /// What the samples were taken in: the steady state, if there is one.
        is_steady: bool,
        /// How long that was.
        during_ns: u64,
    },
    /// A device had nothing to do most of the time in which steps ran.
    IdleDevice {
        /// The device's index.
        device: u32,
        /// Its name.
        name: String,
        /// Mean part of the time in which a kernel ran.
        utilization_ratio: f64,
        /// Samples that this is the mean of.
        sample_count: u64,
        /// How long the steady state was.
        during_ns: u64,
    },
    /// Moving bytes holds a large part of a step back.
    MemoryBound {
        /// The path of the part.
        path: String,
        /// Its time.
        total_ns: u64,
        /// FLOP per byte.
        intensity: f64,
    },
}

/// What isn't so is left out of JSON.
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_false(told: &bool) -> bool {
    !told
}

/// The function that most samples of a lap are in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MainFunction {
    /// Its qualified name.
    pub name: String,
    /// The file that it stands in.
    pub file: String,
    /// The line that most of its own time is in; 0 where that isn't known.
    pub line: u32,
    /// How much of the lap's time is its own.
    pub ratio: f64,
}

/// The lap that worker processes spend most of their time in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerLap {
    /// The lap's path.
    pub path: String,
    /// Worker processes that had laps, those of all epochs together.
    pub worker_count: u64,
    /// How often the lap ran in them.
    pub count: u64,
    /// Its mean duration.
    pub mean_ns: u64,
    /// Its part of the workers' time from their first lap to their last.
    pub ratio: f64,
}

/// A lap that held an event loop while other tasks had laps open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct HeldLoop {
    /// The lap's path.
    pub path: String,
    /// How often it did.
    pub count: u64,
    /// For how long in all.
    pub total_ns: u64,
    /// The longest time.
    pub max_ns: u64,
    /// The run's wall time.
    pub wall_ns: u64,
    /// How many other tasks waited meanwhile, at most.
    pub waiting_count: u64,
    /// What these lost by it, all together.
    pub lost_ns: u64,
    /// Whether some of it is known by samples only, which miss its beginning and end: the times are lower bounds then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sampled: bool,
}

/// The interpreter's wait for its threads, before it ends.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct ThreadsWait {
    /// For how long, by samples.
    pub total_ns: u64,
    /// The run's wall time.
    pub wall_ns: u64,
    /// The function that these threads were mostly in meanwhile; its ratio is of their time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<MainFunction>,
}

/// What is compiled at one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompiledIn {
    /// Its path: what is around it had to wait.
    pub path: String,
    /// How often.
    pub count: u64,
    /// All of it together.
    pub total_ns: u64,
}

/// What makes some steps slow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// The path of the lap.
    pub path: String,
    /// How long it takes at times, at least.
    pub slow_ns: u64,
    /// How long it takes usually: the median.
    pub usual_ns: u64,
    /// What all of its spans take beyond the usual.
    pub excess_ns: u64,
}

/// What leaves memory behind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Keeper {
    /// The path of the lap.
    pub path: String,
    /// What it leaves per step by itself, without the laps inside.
    pub per_step_bytes: u64,
}

/// Two laps, or more, of which some hold what others free.
///
/// **Units** bytes per step, with what is in the laps inside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Passing {
    /// The path of the lap that leaves most.
    pub from_path: String,
    /// What it leaves.
    pub from_bytes: i64,
    /// The path of the lap that frees most; of a lap around others, what it does outside of these.
    pub to_path: String,
    /// What it leaves: below 0.
    pub to_bytes: i64,
    /// Others that leave much as well, the largest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Keeper>,
}
