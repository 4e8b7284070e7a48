//! The sentence about compiling.

use laptime_core::Total;

use laptime_analysis::{CompiledIn, Finding};

use super::phrases::{share, time};
use crate::document::names;
use crate::quantity::plural;

/// Writes where compiling takes much of a run.
pub fn compiling(finding: &Finding) -> Option<String> {
    let Finding::Compiling {
        count,
        total_ns,
        wall_ns,
        places,
    } = finding
    else {
        return None;
    };
    let mut each: Vec<String> = places.iter().map(place).collect();
    let named: u64 = places.iter().map(|place| place.count).total();
    let more = count.saturating_sub(named);
    if more > 0 {
        each.push(format!("{} elsewhere", plural(more, "time", "times")));
    }
    // Once in each place, another function is compiled each time: nothing differs between inputs there.
    let again = if more > 0 || places.iter().any(|place| place.count > 1) {
        "If that is the same function again and again, inputs of the same shapes need it once: \
         `TORCH_LOGS=recompiles` or `JAX_LOG_COMPILES=1` print what differs. "
    } else {
        ""
    };
    Some(format!(
        "Compiling took {}, {} of the run: {}. {again}`TORCHINDUCTOR_CACHE_DIR` and `JAX_COMPILATION_CACHE_DIR` keep \
         what was compiled for the next run.",
        time(*total_ns),
        share(*total_ns, *wall_ns),
        each.join(", "),
    ))
}

/// Writes how often something was compiled at a place, and how long that took.
fn place(place: &CompiledIn) -> String {
    let times = plural(place.count, "time", "times");
    let ns = time(place.total_ns);
    match laptime_core::path::around(&place.path).0 {
        Some(outer) => format!("{times} in {} ({ns})", names::path(outer)),
        None => format!("{times} outside of other laps ({ns})"),
    }
}
