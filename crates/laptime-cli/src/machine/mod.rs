//! What Laptime finds on this machine: the input of `laptime doctor`.
//!
//! Every finding is measured or asked for now; one that cannot be had says why.

mod devices;
mod limits;
mod span_cost;

use laptime_core::{ClockKind, Unavailable};
use laptime_recorder::clock;
use serde::Serialize;

pub use devices::{Device, Devices};
pub use limits::Limits;
pub use span_cost::SpanCost;

/// Everything found.
#[derive(Debug, Serialize)]
pub struct Machine {
    /// Version of Laptime.
    pub laptime: &'static str,
    /// Whether it was built without optimisation, which makes every cost meaningless.
    pub unoptimised: bool,
    /// The clock that times spans.
    pub clock: Clock,
    /// What a span costs here.
    pub span: SpanCost,
    /// What the system allows.
    pub limits: Limits,
    /// Why the memory of laps cannot be counted, if so.
    pub memory_why: Option<Unavailable>,
    /// Its devices and their driver.
    pub devices: Devices,
    /// The interpreter that runs scripts, if there is one.
    pub python: Option<String>,
    /// Boot that monotonic times count from.
    pub boot_id: Option<String>,
}

/// The clock that times spans.
#[derive(Debug, Serialize)]
pub struct Clock {
    /// Which one.
    pub kind: ClockKind,
    /// Why that one.
    pub why: &'static str,
    /// Length of a tick as the CPU or the system states it.
    pub nominal_ns_per_tick: f64,
}

impl Machine {
    /// Looks at the machine. Takes a tenth of a second, and what the drivers of devices take to start.
    pub fn examine(python: Option<String>, boot_id: String) -> Self {
        let (span, limits) = span_cost::measure();
        Self {
            laptime: env!("CARGO_PKG_VERSION"),
            unoptimised: cfg!(debug_assertions),
            clock: Clock {
                kind: clock::kind(),
                why: clock::why(),
                nominal_ns_per_tick: clock::nominal_ns_per_tick(),
            },
            span,
            limits,
            memory_why: laptime_recorder::memory::check().err(),
            devices: Devices::examine(),
            python,
            boot_id: Some(boot_id).filter(|id| !id.is_empty()),
        }
    }
}
