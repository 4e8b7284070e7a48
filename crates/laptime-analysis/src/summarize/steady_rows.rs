//! Rows of the steady state: of one process, or of several together.
//!
//! The second pass left each process the totals of its own steady state; [`of_process`] closes
//! them, and [`joined`] makes rows of as many as are asked for.

use crate::reading::covered_time::CoveredTime;
use crate::reading::process::Process;
use crate::reading::span_totals::SteadyTotals;
use crate::reading::totals::Totals;
use crate::summarize::columns::operations::Peaks;
use crate::summarize::leftovers::Leftovers;
use crate::summarize::rows;
use crate::summarize::steady_state::Start;
use crate::summarize::tree::Tree;
use crate::summary::Steady;

/// One process's part in the steady state.
#[derive(Debug)]
pub struct SteadyPart {
    /// Spans, those that were open at the end included.
    pub totals: Totals,
    /// Wall time of the steady state; 0 of a process whose time is not shared out.
    wall_ns: u64,
    leftovers: Leftovers,
}

/// Takes the steady state out of a process that ended at `end_ns`; `None` where no second pass told it.
pub fn of_process(process: &mut Process, end_ns: u64, is_measured: bool) -> Option<SteadyPart> {
    let SteadyTotals {
        from,
        since_ns,
        mut totals,
        ..
    } = process.spans.steady.take()?;
    let timeline = process.facts.anchors.timeline();
    process.take_open(&mut totals, from, timeline.ticks_at(end_ns));
    totals.settle_rests(&process.paths, from, process.facts.anchors.rate());
    let (mut wall_ns, mut leftovers) = (0, Leftovers::default());
    if is_measured {
        let end_ns = if process.spans.tail.is_empty() {
            timeline.monotonic_ns(totals.last_end)
        } else {
            end_ns
        };
        wall_ns = end_ns.saturating_sub(since_ns);
        let covered = CoveredTime::find(process, &mut totals, from, timeline.ticks_at(end_ns));
        let covered = covered.filter(|covered| covered.is_all);
        leftovers.other_ns = covered.map(|covered| wall_ns.saturating_sub(covered.ns));
    }
    Some(SteadyPart {
        totals,
        wall_ns,
        leftovers,
    })
}

/// Returns the steady state that processes have together.
pub fn joined<'a>(
    parts: impl Iterator<Item = (&'a Process, &'a mut SteadyPart)>,
    start: Start,
    peaks: &mut Peaks,
) -> Steady {
    let mut tree = Tree::new();
    let mut wall_ns = 0_u64;
    let mut leftovers = Leftovers::default();
    for (process, part) in parts {
        wall_ns = wall_ns.saturating_add(part.wall_ns);
        leftovers.add(part.leftovers);
        tree.absorb(&process.paths, &mut part.totals);
        let mut tail = process.spans.tail.tallies.clone();
        tree.absorb_tail(&process.paths, &mut tail);
        for ran in [&part.totals.ran, &process.spans.tail.ran] {
            tree.absorb_operations(&process.paths, &process.features.stretches, ran);
        }
        tree.absorb_left_out(&process.paths, &process.features.left_out.steady);
        for told in [&part.totals.on_devices, &process.spans.tail.on_devices] {
            tree.absorb_devices(&process.paths, told);
        }
        for told in [
            &part.totals.device_memory,
            &process.spans.tail.device_memory,
        ] {
            tree.absorb_device_memory(&process.paths, told);
        }
    }
    Steady {
        step_path: start.step_path,
        from_step: start.from_step,
        skipped_count: start.skipped_count,
        skipped_ns: start.skipped_ns,
        wall_ns,
        rows: rows::rows(&tree, wall_ns, &leftovers, peaks).rows,
        warnings: start.warnings,
        kept_ratio: start.kept_ratio,
        between_steps_ns: start.between_steps_ns,
    }
}
