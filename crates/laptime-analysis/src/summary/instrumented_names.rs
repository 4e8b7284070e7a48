//! Names of units that ran aside from the others, as they were counted or profiled.

use laptime_core::PhaseName;

/// Tells whether a name is that of a unit which was counted or profiled as it ran.
pub fn is_observed_unit(name: &str) -> bool {
    PhaseName::of_counted(name).is_some()
}

/// Tells whether a name is that of a unit which was counted as it ran.
pub fn is_counted_unit(name: &str) -> bool {
    is_observed_unit(name) && name.starts_with(PhaseName::COUNTED)
}
