//! A finding as a value: its kind, the numbers that its rule saw, and what there is to gain.
//!
//! [`crate::findings`] has the rules that make them, and the report makes sentences of them.

use serde::Serialize;

use crate::summary::code_line::CodePlace;
use crate::summary::doubt::{self, Doubt};
use crate::summary::functions::ImportTime;
pub use crate::summary::kept_memory::{Keeper, Passing};
use crate::summary::rank_difference::RankDifference;

/// Something that is worth a look: its kind, and the numbers that its rule saw.
///
/// **Units** nanoseconds and bytes; ratios are of 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", content = "evidence", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Finding {
    /// A long startup: the time before the first lap is a large part of the run.
    Startup {
        /// The time from the start to the first lap.
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
    /// A long exit: the time after the last lap is a large part of the run.
    Exit {
        /// The time from the last lap to the end of the process.
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
    /// A program whose steps were not seen: its only laps are compilations.
    NoSteps {
        /// How often it compiled.
        count: u64,
        /// The time of all of that together.
        total_ns: u64,
        /// The run's time outside of laps, its startup and exit not included.
        outside_ns: u64,
    },
    /// Much time between steps that is in no lap.
    BetweenSteps {
        /// The path of the steps.
        path: String,
        /// The time in no lap, from the first step to the last.
        total_ns: u64,
        /// The time from the start of the first step to the end of the last one.
        during_ns: u64,
        /// The function that most of it is in, where stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
    },
    /// A lap around the steps that has most of its time outside of them.
    OutsideSteps {
        /// The lap's path.
        path: String,
        /// The path of the steps.
        step_path: String,
        /// Its total time.
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
    /// Laps that are so many and so short that recording them takes time of its own.
    Overhead {
        /// The number of finished spans.
        span_count: u64,
        /// The estimated time that recording them took.
        recording_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
    },
    /// Steps that wait for their data.
    DataWait {
        /// The path of the wait.
        path: String,
        /// The mean wait per step.
        per_step_ns: u64,
        /// The median wait, where a few long ones make most of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        usual_ns: Option<u64>,
        /// The longest wait, where it is more than half of all.
        #[serde(skip_serializing_if = "Option::is_none")]
        longest_ns: Option<u64>,
        /// The mean duration of a step.
        step_ns: u64,
        /// The time of all waits together.
        total_ns: u64,
        /// The function that most of it is in, where stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
        /// The lap that the loader's workers are in meanwhile, where they have laps.
        #[serde(skip_serializing_if = "Option::is_none")]
        workers: Option<WorkerLap>,
        /// The function that processes without laps, such as a loader's workers, mostly run in; its ratio is of the
        /// time in which they ran.
        #[serde(skip_serializing_if = "Option::is_none")]
        worker_function: Option<MainFunction>,
        /// Whether steps waited for a CPU as well: more workers would have none to run on.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_machine_busy: bool,
    },
    /// First batches that wait for the loader's workers to start.
    WorkerStarts {
        /// The number of steps that waited for workers to start.
        count: u64,
        /// The time for which steps waited in all.
        total_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
    },
    /// A lap of a task, or a function in none, that lets no other task of its event loop run.
    HeldLoop(HeldLoop),
    /// Compiling that takes a large part of the run, wherever it happens.
    Compiling {
        /// The number of compilations.
        count: u64,
        /// The time of all of that together.
        total_ns: u64,
        /// The run's wall time.
        wall_ns: u64,
        /// The places in which most of it happens, at most three, the longest first.
        places: Vec<CompiledIn>,
    },
    /// Garbage collections that take much of the run or of its steps.
    GarbageCollection {
        /// The path of the steps; absent where it is a part of the whole run.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// The time of all collections together, as it was sampled.
        total_ns: u64,
        /// The time of the steps or of the run.
        during_ns: u64,
        /// The program's line that nearly all of them began in, if there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<CodePlace>,
    },
    /// Something that is compiled again and again.
    Recompilation {
        /// The path of what is compiled.
        path: String,
        /// The number of compilations: after warm-up, or in all steps where none was found.
        count: u64,
        /// Whether there was a warm-up, which isn't counted.
        is_after_warm_up: bool,
        /// The time of all of that together.
        total_ns: u64,
    },
    /// Steps that take longer as they are given longer inputs.
    GrowingInputs {
        /// The path of the steps.
        path: String,
        /// The sizes of the shortest input, the outermost dimension first.
        from_sizes: Vec<u32>,
        /// The sizes of the longest input.
        to_sizes: Vec<u32>,
        /// The number of tokens in each sample of the shortest input, where it holds whole numbers and only their number
        /// grows.
        #[serde(skip_serializing_if = "Option::is_none")]
        from_tokens: Option<u64>,
        /// The number of tokens in each sample of the longest input.
        #[serde(skip_serializing_if = "Option::is_none")]
        to_tokens: Option<u64>,
        /// The median time of the third of the steps with the shortest inputs.
        short_ns: u64,
        /// The median time of the third of the steps with the longest inputs.
        long_ns: u64,
        /// The time that all steps together take beyond those with the shortest inputs.
        extra_ns: u64,
        /// Whether nearly each call is given more tokens than the one before, and nothing is learned: as where text is
        /// generated without a cache.
        #[serde(skip_serializing_if = "is_false")]
        generates: bool,
        /// The place from which the program calls its model, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        site: Option<CallSite>,
    },
    /// One step in so many that takes much longer than the others.
    SlowSteps {
        /// The path of the steps.
        path: String,
        /// The number of steps of which at least one is slow.
        one_in: u64,
        /// The least duration of such a step.
        slow_ns: u64,
        /// The median duration of a step.
        usual_ns: u64,
        /// The time that all steps together take beyond the median.
        excess_ns: u64,
        /// The innermost lap that takes most of that excess, if there is one.
        cause: Option<Cause>,
        /// The part of the excess that is in none of the laps inside.
        outside_ns: u64,
        /// Whether no lap is inside of these steps.
        #[serde(skip_serializing_if = "is_false")]
        is_bare: bool,
    },
    /// A lap that runs in few of the steps and takes much of the time of all of them.
    Occasional {
        /// The lap's path.
        path: String,
        /// The path of the steps.
        step_path: String,
        /// The number of times that it ran.
        count: u64,
        /// The number of steps.
        step_count: u64,
        /// Its mean duration.
        mean_ns: u64,
        /// The median duration of a step.
        usual_ns: u64,
        /// The time that it took in all.
        total_ns: u64,
    },
    /// A single lap below the phases of a step, or a single module, in which most of a step is spent.
    HotSpot {
        /// The lap's path, or the module's.
        path: String,
        /// Name of the module's class; empty for a lap that is none.
        #[serde(skip_serializing_if = "String::is_empty")]
        class: String,
        /// The path of the steps.
        step_path: String,
        /// Its self time; of a module, in forward and backward together.
        self_ns: u64,
        /// The time of all steps.
        steps_ns: u64,
        /// The function that most of it is in, where stacks were sampled.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
    },
    /// The longest part of a step, which is mostly in a single function of the program's own.
    InFunction {
        /// The path of the part.
        path: String,
        /// Its total time.
        total_ns: u64,
        /// The time of all steps.
        steps_ns: u64,
        /// The function.
        function: MainFunction,
    },
    /// Memory that every step leaves behind.
    MemoryGrowth {
        /// The path of the steps.
        path: String,
        /// The number of steps that it was seen in.
        step_count: u64,
        /// The mean number of bytes that a step leaves.
        per_step_bytes: u64,
        /// Half the width of the 95 % interval of that.
        uncertainty_bytes: u64,
        /// The bytes that all of them left.
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
    /// Memory of a program without steps that grows all the time.
    MemoryRise {
        /// Growth of the program's memory, bytes per second.
        per_second_bytes: u64,
        /// Half the width of the 95 % interval of that.
        uncertainty_bytes: u64,
        /// The bytes by which it grew in the time that was looked at.
        risen_bytes: u64,
        /// The length of that time.
        during_ns: u64,
        /// The function in which more than 60 % of it rose, where stacks were sampled; its ratio is of that.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
        /// The function that mostly ran meanwhile, where it can't be told which one memory rises in.
        #[serde(skip_serializing_if = "Option::is_none")]
        busy_function: Option<MainFunction>,
        /// Whether stacks were sampled.
        #[serde(skip_serializing_if = "is_false")]
        is_sampled: bool,
    },
    /// Resident memory of the process that grows all the time, known without counting allocations.
    ResidentGrowth {
        /// The path of the steps; absent in a program without any.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// The number of steps in which it grew.
        #[serde(skip_serializing_if = "Option::is_none")]
        step_count: Option<u64>,
        /// The growth per step; without steps, per second.
        each_bytes: u64,
        /// Half the width of the 95 % interval of that.
        uncertainty_bytes: u64,
        /// The bytes by which it grew in all.
        risen_bytes: u64,
        /// The length of the time in which it did, in a program without steps.
        #[serde(skip_serializing_if = "Option::is_none")]
        during_ns: Option<u64>,
        /// The time from its end to the end of the program, in a program without steps; absent where it goes on until then.
        #[serde(skip_serializing_if = "Option::is_none")]
        before_end_ns: Option<u64>,
        /// Whether allocations were counted.
        #[serde(skip_serializing_if = "is_false")]
        is_counted: bool,
        /// The bytes by which counted allocations grew meanwhile; absent where they weren't counted all that time.
        #[serde(skip_serializing_if = "Option::is_none")]
        counted_bytes: Option<u64>,
        /// The function in which it rises, and hardly while others run, where stacks were sampled; its ratio is the part of
        /// the rise.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<MainFunction>,
        /// The function that mostly ran meanwhile, where it can't be told which one memory rises in.
        #[serde(skip_serializing_if = "Option::is_none")]
        busy_function: Option<MainFunction>,
    },
    /// Memory of a device that grows all the time, known without an option.
    DeviceGrowth {
        /// The path of the steps.
        path: String,
        /// The number of steps in which it grew.
        step_count: u64,
        /// The growth per step.
        each_bytes: u64,
        /// Half the width of the 95 % interval of that.
        uncertainty_bytes: u64,
        /// The bytes by which it grew in all.
        risen_bytes: u64,
        /// The device's index.
        device: u32,
        /// The device's name.
        name: String,
        /// Whether it is the memory of this process; else that of all that use the device.
        is_own: bool,
        /// Whether memory of laps was recorded.
        #[serde(skip_serializing_if = "is_false")]
        is_counted: bool,
    },
    /// The interpreter's wait for threads at its end.
    ThreadsWait(ThreadsWait),
    /// Steps of the steady state that changed, or a machine that was busy meanwhile.
    Unsteady {
        /// The doubt: what was seen of the steps.
        #[serde(serialize_with = "doubt::as_seen")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<doubt::StepsDoubt>"))]
        doubt: Doubt,
        /// Whether the machine was busy: then the parts that it fell on are no causes.
        #[serde(skip_serializing_if = "is_false")]
        is_busy: bool,
    },
    /// A warm-up that took most of the time of all steps.
    WarmUp {
        /// The path of the steps.
        path: String,
        /// The number of steps before the steady state.
        warm_up_count: u64,
        /// The time of these steps.
        warm_up_ns: u64,
        /// The number of steps of the steady state.
        steady_count: u64,
        /// The time of those steps.
        steady_ns: u64,
        /// The doubt that says what took the CPU during warm-up, where the machine was busy.
        #[serde(
            skip_serializing_if = "Option::is_none",
            serialize_with = "doubt::as_seen_if_any"
        )]
        #[cfg_attr(feature = "schema", schemars(with = "Option<doubt::StepsDoubt>"))]
        busy: Option<Doubt>,
    },
    /// One process of several that holds the others up, or is slower than they are.
    Ranks {
        /// Whether the others wait for it.
        holds_up: bool,
        /// The difference that was seen.
        difference: RankDifference,
    },
    /// A device that ran slower than it could in many of its samples.
    Throttled {
        /// The device's index.
        device: u32,
        /// Its name.
        name: String,
        /// The part of the samples in which it did.
        ratio: f64,
        /// The reasons for it, the most frequent first.
        reasons: Vec<String>,
        /// The part by which its clock was lower then than at its highest, where that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        slower_ratio: Option<f64>,
        /// Whether the samples were taken in the steady state; else in the whole run.
        is_steady: bool,
        /// The length of that time.
        during_ns: u64,
    },
    /// A device that had nothing to do most of the time in which steps ran.
    IdleDevice {
        /// The device's index.
        device: u32,
        /// Its name.
        name: String,
        /// The mean part of the time in which a kernel ran.
        utilization_ratio: f64,
        /// The number of samples that this is the mean of.
        sample_count: u64,
        /// The length of the steady state.
        during_ns: u64,
    },
    /// A large part of a step that is held back by moving bytes.
    MemoryBound {
        /// The path of the part.
        path: String,
        /// Its total time.
        total_ns: u64,
        /// Its FLOP per byte.
        intensity: f64,
    },
}

/// Whether a flag is left out of JSON: one that isn't set is.
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
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
    /// The part of the lap's time that is its own.
    pub ratio: f64,
    /// The function that other threads or processes mostly run, where it waits for these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub awaited: Option<AwaitedFunction>,
}

/// The function that other threads and processes of a program mostly work in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AwaitedFunction {
    /// Its qualified name.
    pub name: String,
    /// The file that it stands in.
    pub file: String,
    /// The line that most of its time is in; 0 where that isn't known.
    pub line: u32,
    /// Whether processes run it, and not threads.
    pub is_of_processes: bool,
}

/// A place in the program from which something is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallSite {
    /// The function that it stands in.
    pub function: String,
    /// The file that this stands in.
    pub file: String,
    /// The line of the call.
    pub line: u32,
}

/// The lap that worker processes spend most of their time in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkerLap {
    /// The lap's path.
    pub path: String,
    /// The number of worker processes that had laps, those of all epochs together.
    pub worker_count: u64,
    /// The number of times that the lap ran in them.
    pub count: u64,
    /// Its mean duration.
    pub mean_ns: u64,
    /// Its part of the workers' time from their first lap to their last.
    pub ratio: f64,
}

/// A lap that held an event loop while other tasks had laps open.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
pub struct HeldLoop {
    /// The lap's path; empty where it is known of samples alone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The function of the program that it mostly was in, where no lap was open; its ratio is of the time that any did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<MainFunction>,
    /// The number of times that it did.
    pub count: u64,
    /// The time for which it did in all.
    pub total_ns: u64,
    /// The longest time.
    pub max_ns: u64,
    /// The run's wall time.
    pub wall_ns: u64,
    /// The largest number of other tasks that waited meanwhile; 0 where it isn't known how many.
    pub waiting_count: u64,
    /// The time that these lost by it, all together.
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
    /// The length of the wait, by samples.
    pub total_ns: u64,
    /// The run's wall time.
    pub wall_ns: u64,
    /// The function that these threads were mostly in meanwhile; its ratio is of their time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<MainFunction>,
}

/// The compilations at one path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompiledIn {
    /// Its path: whatever is around it had to wait.
    pub path: String,
    /// The number of compilations.
    pub count: u64,
    /// The time of all of that together.
    pub total_ns: u64,
}

/// The lap that makes some steps slow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// The path of the lap.
    pub path: String,
    /// The least duration of the slow ones of its spans.
    pub slow_ns: u64,
    /// The median duration of its spans.
    pub usual_ns: u64,
    /// The time that all of its spans together take beyond the median.
    pub excess_ns: u64,
}
