//! The time before the first lap, from launch or from the start of the process.

use laptime_core::Total;

use super::evidence::Evidence;
use super::main_function;
use crate::summarize::wall_time::STARTUP;
use crate::summary::finding::Finding;
use crate::summary::functions::ImportTime;
use crate::summary::span_row::RowKind;
use crate::summary::{Summary, WallSource};

/// The least share of the run that its beginning or its end must take.
const STARTUP_RATIO: f64 = 0.3;
/// The shortest beginning or end: a shorter one bothers nobody.
const STARTUP_NS: u64 = 1_000_000_000;
/// The least part of the beginning that an import must take to be named.
const IMPORT_RATIO: f64 = 0.05;
/// Most imports that are named.
const MOST_IMPORTS: usize = 4;

/// Finds a beginning that is a large part of the run.
pub fn find(evidence: &Evidence<'_>) -> Option<Finding> {
    let summary = evidence.summary;
    let mut rows = summary.rows.iter();
    let startup_ns = rows.find(|row| row.is_leftover(STARTUP))?.total_ns;
    if !is_long(summary, startup_ns) {
        return None;
    }
    let imports = imports(summary);
    let imported_ns: u64 = imports.iter().map(|import| import.total_ns).total();
    let function = main_function::of_leftover(summary.functions.as_ref(), STARTUP, startup_ns);
    Some(Finding::Startup {
        startup_ns,
        wall_ns: summary.measured_ns,
        function: function.filter(|_| imported_ns < startup_ns / 2),
        imports,
    })
}

/// Whether so long a beginning or end of a run is one that somebody waits for.
pub fn is_long(summary: &Summary, ns: u64) -> bool {
    // Of several processes it would be a sum: nobody waits that long.
    let measured = summary
        .processes
        .iter()
        .filter(|process| process.is_measured);
    // Before a notebook's first lap, and after a reset, nothing starts: somebody reads or types.
    let is_whole = matches!(
        summary.wall_source,
        WallSource::Launcher | WallSource::Process
    );
    measured.count() <= 1
        && is_whole
        && !summary.is_notebook()
        && ns >= STARTUP_NS
        && ns as f64 >= STARTUP_RATIO * summary.measured_ns as f64
}

/// Returns the imports that took most of the time before the first lap.
fn imports(summary: &Summary) -> Vec<ImportTime> {
    let laps = summary
        .functions
        .iter()
        .flat_map(|functions| &functions.laps);
    let mut startup = laps.filter(|lap| lap.kind == RowKind::Leftover && lap.path == STARTUP);
    let Some(startup) = startup.next() else {
        return Vec::new();
    };
    let least_ns = (IMPORT_RATIO * startup.total_ns as f64) as u64;
    let imports = startup.imports.iter();
    let imports = imports.filter(|import| import.total_ns >= least_ns);
    imports.take(MOST_IMPORTS).cloned().collect()
}
