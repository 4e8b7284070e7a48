//! How an event ends: counted, zero by definition, or uncounted.

use laptime_core::Cost;

/// What is known of an event's cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The event costs this.
    Counted(Cost),
    /// The event does no arithmetic by definition; bytes it may move.
    Zero(Cost),
    /// Nobody can tell, and why: a complete phrase in lower case.
    Uncounted(String),
}

impl Outcome {
    /// Neither arithmetic nor traffic: a view, a question about a shape.
    pub const NOTHING: Self = Self::Zero(Cost {
        mac: 0,
        active_mac: 0,
        executed_mac: 0,
        other_flop: 0,
        integer_op: 0,
        transcendental: 0,
        compare: 0,
        bytes_read: 0,
        bytes_written: 0,
        communication_bytes: 0,
    });

    /// Not counted, for a reason.
    pub fn uncounted(reason: impl Into<String>) -> Self {
        Self::Uncounted(reason.into())
    }
}
