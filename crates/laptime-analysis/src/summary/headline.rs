//! The first line of a report as a value: where the time went, and what a step is made of.
//!
//! [`crate::summarize::headline`] makes it of a summary; the report puts it into words.

use crate::summary::code_line::CodePlace;

/// The first line of a report, before it is put into words.
///
/// **Units** nanoseconds; ratios are of 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// How long the run took.
    pub wall_ns: u64,
    /// Whether it still runs.
    pub is_running: bool,
    /// The time that the parts are shares of.
    pub whole: Whole,
    /// The function that a program without laps waited in, with the share of its time in which nothing of it worked. Its
    /// parts are what it did in the rest, as shares of the whole as well.
    pub waiting: Option<Waiting>,
    /// The largest parts of the run.
    pub parts: LargestParts,
    /// The call in which the main thread of a program without laps waits for these parts, where threads or processes of a
    /// package work in its place.
    pub waits_for_parts: Option<Waiting>,
    /// The number of samples of a program without laps, where they are too few to tell its parts.
    pub few_samples: Option<u64>,
    /// The duration of a step.
    pub step: StepPart,
}

/// The time that the parts of a run are shares of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    /// The wall time of the run.
    Wall,
    /// The times of several processes.
    Processes {
        /// How many processes.
        count: usize,
        /// Their times together.
        total_ns: u64,
    },
    /// The times of all threads that were looked at.
    Threads {
        /// Their times together.
        total_ns: u64,
    },
}

/// The parts that are named, and what the others are together.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LargestParts {
    /// The largest ones, the largest first.
    pub named: Vec<Part>,
    /// All others together, where they matter.
    pub others: Option<OtherParts>,
}

/// A part of the run or of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: PartName,
    /// Its share of the whole; where several were open at once, how many were on average.
    pub ratio: f64,
    /// Whether several of it were open at once, in threads or tasks: then it is no share.
    pub is_several_at_once: bool,
    /// Whether it waited as well, and the share is of its work alone.
    pub is_work_alone: bool,
    /// The function of the program that a package calls in most of the time of this part.
    pub mostly: Option<PartName>,
}

impl Part {
    /// Makes a part of a share.
    pub fn new(name: PartName, ratio: f64) -> Self {
        Self {
            name,
            ratio,
            is_several_at_once: false,
            is_work_alone: false,
            mostly: None,
        }
    }
}

/// The time in which nothing of a program worked.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// Its share of the run.
    pub ratio: f64,
    /// The function that it mostly waited in.
    pub name: PartName,
    /// Whether it waited nowhere else.
    pub is_all: bool,
    /// The functions that it waited in with their shares of the run, where no single one has most of the waiting.
    pub parts: Vec<Part>,
}

/// Parts that are too small to be named.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OtherParts {
    /// How many parts.
    pub count: usize,
    /// Their share of the whole together.
    pub ratio: f64,
}

/// The name of a part, in the words of whoever gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PartName {
    /// A lap, by its own name.
    Lap(String),
    /// Laps whose names differ by a number only.
    NumberedLaps {
        /// Their name, with `#` for the number.
        pattern: String,
        /// How many laps.
        count: u64,
    },
    /// Compiling, whatever it is in.
    Compiling,
    /// Time that no lap has, by the name of its row.
    Leftover(String),
    /// Time before the first lap of a notebook, in which nothing starts: earlier cells ran there, and somebody typed.
    BeforeFirstLap,
    /// An import.
    Import {
        /// The module, as an import statement names it.
        module: String,
        /// The program's line that imports it, or calls what does.
        place: Option<CodePlace>,
    },
    /// A function of the program.
    Function {
        /// Its qualified name; empty for a script outside of functions.
        name: String,
        /// The line in which most of the time went by.
        place: Option<CodePlace>,
    },
    /// A line of a function of the program that calls other parts or has other lines.
    Line {
        /// The function's qualified name; empty for a script outside of functions.
        function: String,
        /// The line.
        place: CodePlace,
    },
    /// The own time of a function of the program that calls other parts.
    Itself {
        /// The function's qualified name; empty for a script outside of functions.
        function: String,
        /// The line in which most of that time went by.
        place: CodePlace,
    },
    /// A function of a package that the program calls.
    Called {
        /// Its qualified name.
        name: String,
        /// The package.
        package: String,
        /// The program's line that calls it.
        place: Option<CodePlace>,
    },
    /// Garbage collections.
    Collection {
        /// The program's line that nearly all of them began in.
        place: Option<CodePlace>,
    },
    /// A function that is built in, by the name that Python gives it.
    Builtin(String),
    /// The interpreter's wait for its threads, before it ends.
    ThreadsWait,
}

impl PartName {
    /// Whether no lap and no function has that time.
    pub fn is_leftover(&self) -> bool {
        matches!(self, Self::Leftover(_) | Self::BeforeFirstLap)
    }
}

/// A step in the first line.
#[derive(Debug, Clone, PartialEq)]
pub enum StepPart {
    /// Nothing, as the run repeats nothing, or too little is known of it.
    Absent,
    /// Nothing, as its steps were recorded in pieces.
    Torn,
    /// How long one takes, and its parts.
    Told(StepHeadline),
}

/// A step: how long it takes, and what it is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct StepHeadline {
    /// The path of the steps.
    pub path: String,
    /// Whether it is a step of the steady state; else one of the whole run.
    pub is_steady: bool,
    /// Whether a warm-up came before.
    pub is_after_warm_up: bool,
    /// The warm-up, where it took as long as all steps after it, or longer.
    pub long_warm_up: Option<LongWarmUp>,
    /// How long it takes.
    pub duration: StepDuration,
    /// From a step to the next, where much of that is between them: then shares are of this.
    pub iteration: Option<Iteration>,
    /// The largest parts of it.
    pub parts: LargestParts,
    /// The share of its self time, outside of all parts, where that matters.
    pub outside_ratio: Option<f64>,
}

/// A warm-up that took as long as all steps after it, or longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongWarmUp {
    /// The number of its steps.
    pub count: u64,
    /// The time of these.
    pub total_ns: u64,
}

/// One round of the loop: a step, and the usual time until the next one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// The mean step, and the usual time between two, together.
    pub mean_ns: u64,
    /// The share of the time between two steps.
    pub between_ratio: f64,
}

/// How long a step takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepDuration {
    /// Time by the host's clock.
    OnHost {
        /// The mean, as in the table.
        mean_ns: u64,
        /// The median, where it is far from the mean.
        median_ns: Option<u64>,
        /// Whether a device told times of too few steps to tell them instead.
        has_device_times: bool,
    },
    /// Time by the device that does the work.
    OnDevice {
        /// The mean on the device.
        mean_ns: u64,
        /// The mean on the host, where it is far from that.
        host_ns: Option<u64>,
    },
}
