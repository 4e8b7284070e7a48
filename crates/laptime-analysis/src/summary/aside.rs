//! Names of units that ran aside from the others, as they were counted or profiled.

use laptime_core::PhaseName;

/// Tells whether a name is that of a unit which was counted or profiled as it ran.
pub fn is_aside(name: &str) -> bool {
    PhaseName::of_counted(name).is_some()
}

/// Tells whether a name is that of a unit which was counted as it ran.
pub fn was_counted(name: &str) -> bool {
    is_aside(name) && name.starts_with(PhaseName::COUNTED)
}
