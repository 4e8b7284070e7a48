//! A reason for doubt as a value: which situation it is, and the numbers that its rule saw.
//!
//! The report makes sentences of it (`laptime_report::sentences::doubts`); [`crate::doubts`] and the columns of
//! [`crate::summarize`] have the rules. JSON has the sentences, so only what is in words already can be written.

mod device;
mod operations;
mod process;
mod run;
mod spans;
mod steps;

use laptime_core::Warning;
use serde::ser::Error;
use serde::{Serialize, Serializer};

pub use device::{DeviceDoubt, LAUNCHES, LookedAt, UntimedSpans, WITHIN_BOUNDS};
pub use operations::{OperationsDoubt, PartlyCounted, PartlySaid, SaidQuantity};
pub use process::{
    ClockDoubt, LastRecords, NotClosed, OpenLap, PathsDoubt, ProcessDoubt, ProcessName,
};
pub use run::RunDoubt;
pub use spans::{PathPart, SpansDoubt};
pub use steps::{CHANGED, CpuLoss, CpuTaker, StepsDoubt, StepsReason};

/// A reason to doubt a recording or a number in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Doubt {
    /// A reason to doubt what the file of one process holds.
    Process {
        /// The process that wrote the file.
        process: ProcessName,
        /// The situation.
        doubt: ProcessDoubt,
    },
    /// A reason to doubt the run as a whole.
    Run(RunDoubt),
    /// A reason to doubt spans, their names or their memory.
    Spans(SpansDoubt),
    /// A reason to doubt the durations of steps.
    Steps {
        /// The process that took the steps, where several did.
        pid: Option<u32>,
        /// The situation.
        doubt: StepsDoubt,
    },
    /// A reason to doubt what is known of a device.
    Device(DeviceDoubt),
    /// A reason to doubt what was computed, or how fast.
    Operations(OperationsDoubt),
    /// A doubt of one of the recordings that are compared.
    Recording {
        /// The recording's name.
        name: String,
        /// The recording's own doubt.
        doubt: Box<Doubt>,
    },
    /// A doubt in words: of the reader, which has a text of its own, or any other that the report made a sentence of.
    Worded(Warning),
}

impl Doubt {
    /// Returns a stable word for programs, such as `lost-spans`.
    pub fn code(&self) -> &str {
        match self {
            Self::Process { doubt, .. } => doubt.code(),
            Self::Run(doubt) => doubt.code(),
            Self::Spans(doubt) => doubt.code(),
            Self::Steps { doubt, .. } => doubt.code(),
            Self::Device(doubt) => doubt.code(),
            Self::Operations(doubt) => doubt.code(),
            Self::Recording { doubt, .. } => doubt.code(),
            Self::Worded(warning) => &warning.code,
        }
    }

    /// Whether it names a busy machine, as the only trouble or beside a change.
    pub fn is_of_machine(&self) -> bool {
        matches!(self, Self::Steps { doubt, .. } if doubt.is_of_machine())
    }

    /// Returns what a doubt about steps saw; `None` for any other.
    fn of_steps(&self) -> Option<&StepsDoubt> {
        match self {
            Self::Steps { doubt, .. } => Some(doubt),
            _ => None,
        }
    }

    /// Returns the words of a doubt that is in words.
    pub fn words(&self) -> Option<&Warning> {
        match self {
            Self::Worded(warning) => Some(warning),
            _ => None,
        }
    }
}

impl From<Warning> for Doubt {
    fn from(warning: Warning) -> Self {
        Self::Worded(warning)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Doubt {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Warning::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        Warning::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Warning::json_schema(generator)
    }
}

impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let unworded = || S::Error::custom("a doubt is written in the words of the report");
        self.words().ok_or_else(unworded)?.serialize(serializer)
    }
}

/// Writes a doubt about steps by what it saw.
pub(super) fn as_seen<S: Serializer>(doubt: &Doubt, serializer: S) -> Result<S::Ok, S::Error> {
    doubt.of_steps().serialize(serializer)
}

/// Writes a doubt about steps that may not be there by what it saw.
#[allow(
    clippy::ref_option,
    reason = "serde calls it with a reference to the field"
)]
pub(super) fn as_seen_if_any<S: Serializer>(
    doubt: &Option<Doubt>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    doubt
        .as_ref()
        .and_then(Doubt::of_steps)
        .serialize(serializer)
}
