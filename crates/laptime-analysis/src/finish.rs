//! Puts a [`Summary`] together once everything was read.

use laptime_core::{ClockKind, RunInfo, Warning};

use crate::collect;
use crate::doubts;
use crate::epochs;
use crate::memory;
use crate::operations::{self, Peaks};
use crate::process::{Process, SteadyTotals};
use crate::ranks;
use crate::rows;
use crate::steady::{self, Start};
use crate::summary::{
    ClockSummary, ProcessState, ProcessSummary, Rank, SCHEMA, SCHEMA_VERSION, Steady, Summary,
};
use crate::tree::Tree;
use crate::wall::{self, Filled, Leftovers, Wall};

/// The summary of what was read.
pub fn summary(
    run: Option<RunInfo>,
    processes: Vec<Process>,
    mut warnings: Vec<Warning>,
    start: Option<Start>,
) -> Summary {
    let steady_why = match start {
        Some(_) => None,
        None => steady::find(&processes, run.as_ref()).err(),
    };
    let measured = wall::measured(&processes, run.as_ref());
    let (mut processes, measured) = first(processes, &measured);
    let ends: Vec<u64> = processes
        .iter()
        .map(|process| wall::ended_ns(process, run.as_ref()))
        .collect();
    let wall = wall::wall(&processes, run.as_ref());
    processes.iter_mut().for_each(Process::end_first_pass);
    let mut peaks = Peaks::of(&processes);
    let mut ranks: Vec<Rank> = Vec::new();
    let steady = start.map(|start| {
        let (steady, found) = steady_rows(&mut processes, measured, &ends, start, &mut peaks);
        ranks = found;
        steady
    });
    if steady.is_none() {
        let trained = processes[..measured].iter();
        ranks.extend(trained.filter_map(|one| ranks::of(one, &mut one.totals.clone())));
    }
    let ranks = ranks::in_order(ranks);
    for (process, end_ns) in processes.iter_mut().zip(&ends) {
        process.take_open_until(*end_ns);
    }
    let summaries: Vec<ProcessSummary> = processes
        .iter_mut()
        .zip(&ends)
        .enumerate()
        .map(|(index, (process, end_ns))| {
            let mut summary = of_process(process, *end_ns);
            (summary.is_main, summary.is_measured) = (index == 0, index < measured);
            summary
        })
        .collect();
    let wall_ns = wall.end_ns - wall.start_ns;
    let (filled, measured_ns) = filled(&mut processes[..measured], &ends, wall, run.as_ref());
    let tree = whole_tree(&mut processes);
    let mut made = rows::rows(&tree, measured_ns, &filled.leftovers, &mut peaks);
    let operations = operations::summary(&tree, &made.rows, &peaks);
    memory::fill_other(&mut made.rows, &tree, &summaries);
    for (process, summary) in processes.iter().zip(&summaries) {
        warnings.extend(doubts::of_process(process, summary));
    }
    let has_spans = summaries.iter().any(|process| process.span_count > 0);
    let notes = collect::notes(&processes);
    warnings.extend(doubts::of_notes(notes, has_spans));
    if let Some(run) = &run {
        warnings.extend(run.end.as_ref().and_then(doubts::of_end));
        warnings.extend(doubts::of_unrecorded(&run.unrecorded));
    }
    warnings.extend(ranks::difference(&ranks));
    warnings.extend(doubts::of_overfull(&made.overfull));
    warnings.extend(doubts::of_excess(filled.excess_ns, measured_ns));
    warnings.extend(doubts::of_unbalanced(
        made.rows
            .iter()
            .map(|row| (row.path.as_str(), row.unbalanced_count)),
    ));
    warnings.extend(memory::doubt(&tree));
    warnings.extend(operations::doubts(&tree));
    let mut unavailable = doubts::unavailable();
    unavailable.extend(doubts::of_outcome(run.as_ref(), summaries.first()));
    let program = run.as_ref().map(|run| run.program.clone());
    Summary {
        schema: SCHEMA.to_owned(),
        version: SCHEMA_VERSION,
        program: program
            .or_else(|| summaries.first().map(|main| main.program.clone()))
            .unwrap_or_default(),
        run,
        wall_ns,
        measured_ns,
        parallel_ns: filled.parallel_ns,
        wall_source: wall.source,
        span_count: summaries.iter().map(|process| process.span_count).sum(),
        clock: clock(processes.first()),
        ranks,
        rows: made.rows,
        steady_why,
        steady,
        operations,
        epochs: processes[..measured]
            .iter()
            .map(|process| epochs::told(process, wall.start_ns))
            .find(|epochs| !epochs.is_empty())
            .unwrap_or_default(),
        marks: collect::marks(&processes, wall.start_ns),
        metrics: collect::metrics(&processes, wall.start_ns),
        tracks: collect::tracks(&processes),
        until: Vec::new(),
        environment: collect::environment(&processes),
        unavailable: memory::with_reasons(unavailable, &processes, &summaries),
        processes: summaries,
        warnings,
    }
}

/// The processes with the measured ones in front, and how many these are.
fn first(processes: Vec<Process>, measured: &[usize]) -> (Vec<Process>, usize) {
    let place = |index: &usize| measured.iter().position(|one| one == index);
    let mut ordered: Vec<(usize, Process)> = processes.into_iter().enumerate().collect();
    ordered.sort_by_key(|(index, _)| place(index).unwrap_or(usize::MAX));
    let processes = ordered.into_iter().map(|(_, process)| process).collect();
    (processes, measured.len())
}

/// How spans fill the time of all measured processes, and how much that is: of a single one
/// the wall time of the run, of several each one's own.
fn filled(
    measured: &mut [Process],
    ends: &[u64],
    wall: Wall,
    run: Option<&RunInfo>,
) -> (Filled, u64) {
    let is_single = measured.len() == 1;
    let (mut filled, mut measured_ns) = (Filled::default(), 0_u64);
    for (process, end_ns) in measured.iter_mut().zip(ends) {
        let own = if is_single {
            wall
        } else {
            wall::lifetime(process, *end_ns)
        };
        filled.add(wall::filled(process, own, run));
        measured_ns = measured_ns.saturating_add(own.end_ns - own.start_ns);
    }
    (filled, measured_ns)
}

fn whole_tree(processes: &mut [Process]) -> Tree {
    let mut tree = Tree::new();
    for process in processes {
        let correction = process.correction();
        tree.absorb(&process.paths, &mut process.totals, correction);
        tree.absorb_tail(&process.paths, &mut process.tail);
        for ran in [&process.totals.ran, &process.tail_ran] {
            tree.absorb_operations(&process.paths, &process.segments, ran);
        }
    }
    tree
}

fn steady_rows(
    processes: &mut [Process],
    measured: usize,
    ends: &[u64],
    start: Start,
    peaks: &mut Peaks,
) -> (Steady, Vec<Rank>) {
    let mut tree = Tree::new();
    let mut ranks = Vec::new();
    let mut wall_ns = 0;
    let mut leftovers = Leftovers::default();
    for (index, process) in processes.iter_mut().enumerate() {
        let Some(SteadyTotals {
            from,
            since_ns,
            mut totals,
            ..
        }) = process.steady.take()
        else {
            continue;
        };
        let timeline = process.anchors.timeline();
        process.take_open(&mut totals, from, timeline.ticks_at(ends[index]));
        if index < measured {
            ranks.extend(ranks::of(process, &mut totals));
            let end_ns = if process.tail_is_empty() {
                timeline.monotonic_ns(totals.last_end)
            } else {
                ends[index]
            };
            let own_ns = end_ns.saturating_sub(since_ns);
            wall_ns = own_ns.saturating_add(wall_ns);
            let covered = process.covered(&mut totals, from, timeline.ticks_at(end_ns));
            leftovers.add(Leftovers {
                other_ns: covered.map(|covered| own_ns.saturating_sub(covered.ns)),
                ..Leftovers::default()
            });
        }
        tree.absorb(&process.paths, &mut totals, process.correction());
        let mut tail = process.tail.clone();
        tree.absorb_tail(&process.paths, &mut tail);
        for ran in [&totals.ran, &process.tail_ran] {
            tree.absorb_operations(&process.paths, &process.segments, ran);
        }
    }
    let steady = Steady {
        step_path: start.step_path,
        from_step: start.from_step,
        skipped_ns: start.skipped_ns,
        wall_ns,
        rows: rows::rows(&tree, wall_ns, &leftovers, peaks).rows,
        warnings: start.warnings,
    };
    (steady, ranks)
}

fn of_process(process: &mut Process, end_ns: u64) -> ProcessSummary {
    let state = if process.is_live {
        ProcessState::Running
    } else if process.header.closed.is_some() {
        ProcessState::Closed
    } else {
        ProcessState::Killed
    };
    // What was noted last was noted before its last allocations.
    let noted = process.memory.map(|(_, memory)| memory);
    let counted = noted.filter(|_| state != ProcessState::Killed);
    ProcessSummary {
        file: process.file.clone(),
        pid: process.header.pid,
        parent_pid: process.header.parent_pid,
        program: process.header.program.clone(),
        is_main: false,
        is_measured: false,
        state,
        started_monotonic_ns: wall::started_ns(process),
        ended_monotonic_ns: end_ns,
        span_count: process.span_count(),
        lost_count: process.lost,
        clamped_count: process.header.clamped,
        unsealed_windows: if process.is_live { 0 } else { process.unsealed },
        resident_peak_bytes: process.resident_peak_bytes,
        host_memory_net_bytes: counted.map(|memory| memory.bytes),
        host_memory_peak_bytes: counted.map(|memory| memory.peak_bytes),
        open: doubts::open_spans(process, end_ns),
    }
}

fn clock(main: Option<&Process>) -> ClockSummary {
    main.map_or(
        ClockSummary {
            kind: ClockKind::Monotonic,
            ns_per_tick: 1.0,
            is_measured: false,
        },
        |main| ClockSummary {
            kind: main.header.clock,
            ns_per_tick: main.anchors.mean_ns_per_tick(),
            is_measured: main.anchors.timeline().is_measured(),
        },
    )
}
