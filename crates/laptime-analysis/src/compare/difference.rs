//! Facts that times depend on and that two sides of a comparison tell differently.

/// A fact that two sides must have in common to be compared, and that they tell differently.
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// A fact about the program or about what it ran on.
    Fact {
        /// The fact.
        fact: Fact,
        /// Each value that the base's runs tell, in order.
        base: Vec<String>,
        /// Each value that the other side's runs tell, in order.
        new: Vec<String>,
    },
    /// The floating-point operations of a step.
    StepWork {
        /// Name for one step.
        noun: String,
        /// The base's operations in a step.
        base_flop: f64,
        /// The other side's operations in a step.
        new_flop: f64,
    },
    /// Something that was recorded beside laps, which slows a program down.
    Recorded {
        /// The option that asks for it.
        option: RecordingOption,
        /// The extent among the base's runs.
        base: Extent,
        /// The extent among the other side's runs.
        new: Extent,
    },
}

/// A fact about a program or about what it ran on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// The machine, as a recording tells it.
    Machine,
    /// The number of threads that compute.
    Threads,
    /// The device that computed.
    Device,
    /// The number types whose peaks are known.
    Arithmetic,
    /// The processor, as a file of benchmarks tells it.
    Processor,
    /// The number of processors of the machine.
    ProcessorCount,
    /// The operating system.
    System,
}

/// Something that may be recorded beside laps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordingOption {
    /// Laps of a network's modules.
    Modules,
    /// Counts of operations.
    Operations,
    /// Counts of allocated memory.
    Memory,
    /// Counts of calls.
    Calls,
    /// Laps that wait until the device is done.
    DeviceWait,
}

/// The extent to which the runs of a side have something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// None of them.
    Off,
    /// Every one.
    On,
    /// Some of them.
    SomeRuns,
}
