//! Facts that two sides of a comparison tell differently, in words: `the machine differs: a and b`.

use laptime_analysis::compare::{Difference, Extent, Fact, RecordingOption};

use crate::quantity::grouped;

/// A difference in the words of each side.
pub struct Words {
    /// Name of the fact.
    pub fact: String,
    /// The base's value.
    pub base: String,
    /// The other side's value.
    pub new: String,
}

/// Puts a difference into words.
pub fn words(difference: &Difference) -> Words {
    match difference {
        Difference::Fact { fact, base, new } => Words {
            fact: fact_name(*fact).to_owned(),
            base: base.join(" and "),
            new: new.join(" and "),
        },
        Difference::StepWork {
            noun,
            base_flop,
            new_flop,
        } => Words {
            fact: format!("work of a {noun}"),
            base: format!("{} FLOP", grouped(*base_flop)),
            new: format!("{} FLOP", grouped(*new_flop)),
        },
        Difference::Recorded { option, base, new } => Words {
            fact: format!("{} ({})", activity(*option), option_name(*option)),
            base: extent(*base).to_owned(),
            new: extent(*new).to_owned(),
        },
    }
}

/// Writes a difference as a phrase: in lower case, without a stop.
pub fn phrase(difference: &Difference) -> String {
    let Words { fact, base, new } = words(difference);
    format!("the {fact} differs: {base} and {new}")
}

/// Returns the option that asks for a recording of something.
pub fn option_name(option: RecordingOption) -> &'static str {
    match option {
        RecordingOption::Modules => "--modules",
        RecordingOption::Operations => "--ops",
        RecordingOption::Memory => "--memory",
        RecordingOption::Calls => "--calls",
        RecordingOption::DeviceWait => "LAPTIME_DEVICE=sync",
    }
}

fn activity(option: RecordingOption) -> &'static str {
    match option {
        RecordingOption::Modules => "recording of modules",
        RecordingOption::Operations => "counting of operations",
        RecordingOption::Memory => "counting of memory",
        RecordingOption::Calls => "counting of calls",
        RecordingOption::DeviceWait => "waiting for the device",
    }
}

fn fact_name(fact: Fact) -> &'static str {
    match fact {
        Fact::Machine => "machine",
        Fact::Threads => "number of threads that compute",
        Fact::Device => "device",
        Fact::Arithmetic => "arithmetic",
        Fact::Processor => "processor",
        Fact::ProcessorCount => "number of processors",
        Fact::System => "system",
    }
}

fn extent(extent: Extent) -> &'static str {
    match extent {
        Extent::Off => "off",
        Extent::On => "on",
        Extent::SomeRuns => "on in some runs",
    }
}

#[cfg(test)]
#[path = "tests/differences.rs"]
mod tests;
