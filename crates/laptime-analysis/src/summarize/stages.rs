//! Puts a [`Summary`] together once everything was read.

use std::collections::BTreeMap;

use laptime_core::{ClockKind, RunInfo, Total, Unavailable, Warning, path, zero_ns};

use crate::analyzer::Options;
use crate::doubts;
use crate::doubts::busy_machine;
use crate::findings::{self, Clues, Rise, between};
use crate::functions::sampled;
use crate::power;
use crate::profiler;
use crate::reading::event_loop::blocked_tasks;
use crate::reading::process::Process;
use crate::summarize::columns::device_memory;
use crate::summarize::columns::device_time;
use crate::summarize::columns::launches;
use crate::summarize::columns::memory;
use crate::summarize::columns::operations::{self, Peaks};
use crate::summarize::epochs;
use crate::summarize::memory_growth;
use crate::summarize::per_process;
use crate::summarize::ranks;
use crate::summarize::replaced_programs;
use crate::summarize::rows::{self, Rows};
use crate::summarize::run_facts;
use crate::summarize::steady_rows::{self, SteadyPart};
use crate::summarize::steady_state::{self, Start};
use crate::summarize::tree::{self, Tree};
use crate::summarize::wall_time::{self, Below, Filled, Wall};
use crate::summarize::worker_starts;
use crate::summarize::workers;
use crate::summary::fields;
use crate::summary::modules;
use crate::summary::numbered_names;
use crate::summary::process::{OpenSpanSummary, ProcessState, ProcessSummary, Rank};
use crate::summary::span_row::SpanRow;
use crate::summary::{ClockSummary, Epoch, SCHEMA, SCHEMA_VERSION, Summary};

/// The summary of what was read, with rows of each process by itself where they were asked for.
pub fn summary(
    options: Options,
    mut processes: Vec<Process>,
    mut warnings: Vec<Warning>,
) -> Summary {
    replaced_programs::mark(&mut processes);
    let run = options.run;
    let (start, steady_why) = match steady_state::find(&processes, run.as_ref()) {
        Ok(start) => (Some(start), None),
        Err(why) => (None, Some(why)),
    };
    let measured = wall_time::measured(&processes, run.as_ref());
    let mut clues = clues(&processes, &measured, start.as_ref());
    let (mut processes, measured) = first(processes, &measured);
    let ends: Vec<u64> = processes
        .iter()
        .map(|process| wall_time::ended_ns(process, run.as_ref()))
        .collect();
    let wall = wall_time::wall(&processes, run.as_ref());
    processes.iter_mut().for_each(Process::end_first_pass);
    clues.held = blocked_tasks::of_run(&processes, measured);
    clues.starts = worker_starts::of_run(&processes, measured);
    clues.workers = workers::main_lap(&mut processes, measured);
    let mut peaks = Peaks::of(&processes);
    let steady_from = steady_from(&processes);
    let mut parts: Vec<Option<SteadyPart>> = (processes.iter_mut().zip(&ends).enumerate())
        .map(|(index, (process, end_ns))| {
            steady_rows::of_process(process, *end_ns, index < measured)
        })
        .collect();
    let steady_ticks = steady_ticks(steady_from, &parts);
    let is_told = start.is_some() && parts.iter().all(Option::is_some);
    let ranks = ranks(&processes[..measured], &mut parts, is_told);
    let mut steady = start.filter(|_| is_told).map(|start| {
        let all = processes.iter().zip(parts.iter_mut().flatten());
        steady_rows::joined(all, start, &mut peaks)
    });
    for (process, end_ns) in processes.iter_mut().zip(&ends) {
        process.take_open_until(*end_ns);
    }
    let summaries = of_each(&mut processes, &ends, measured);
    let walls = walls(&processes[..measured], &ends, wall);
    let below = Below::each(&processes, &ends[..measured]);
    let own: Vec<(Wall, Filled)> = (processes.iter_mut().zip(walls.into_iter().zip(below)))
        .map(|(process, (wall, below))| (wall, wall_time::filled(process, wall, below)))
        .collect();
    let (filled, measured_ns) = together(&own);
    let by_process = if options.by_process {
        per_process::each(&mut processes, &summaries, &own, &mut parts, &mut peaks)
    } else {
        Vec::new()
    };
    warnings.extend(recorded_doubts(&processes, &summaries, run.as_ref()));
    let tree = tree::taken(&mut processes);
    let mut made = rows::rows(&tree, measured_ns, &filled.leftovers, &mut peaks);
    let operations = operations::summary(&tree, &made.rows, &peaks);
    power::fill(&mut made.rows, steady.as_mut(), &processes);
    memory::fill_other(&mut made.rows, &tree, &summaries);
    launches::tell(&mut warnings, &made.rows);
    warnings.extend(doubts::of_excess(filled.excess_ns, measured_ns));
    warnings.extend(doubts::of_doubled(filled.doubled_ns, measured_ns));
    warnings.extend(doubts_of_rows(&made).chain(memory::doubt(&tree)));
    warnings.extend(device_time::doubt(&tree));
    warnings.extend(device_memory::doubt(&made.rows));
    warnings.extend(operations::doubts(&tree));
    warnings.extend(profiler::doubts(&processes));
    let zero_ns = zero_ns(run.as_ref(), processes.iter().map(|one| one.started_ns));
    let unavailable = unavailable(run.as_ref(), &tree, &processes, &summaries);
    let mut summary = Summary {
        schema: SCHEMA.to_owned(),
        version: SCHEMA_VERSION,
        program: program(run.as_ref(), summaries.first()),
        run,
        wall_ns: wall.ns(),
        measured_ns,
        parallel_ns: filled.parallel_ns,
        wall_source: wall.source,
        span_count: summaries.iter().map(|process| process.span_count).total(),
        clock: clock(processes.first()),
        devices: power::devices(&processes, &steady_ticks, steady.as_ref(), ranks.len()),
        ranks,
        by_process,
        steady_why,
        steady,
        operations,
        functions: sampled::functions(&processes, measured, &made.rows),
        operators: profiler::operators(&processes, &made.rows),
        rows: made.rows,
        epochs: epochs(&processes[..measured], zero_ns),
        epochs_of: epochs::of_each(&processes[..measured]),
        marks: run_facts::marks(&processes, zero_ns),
        metrics: run_facts::metrics(&processes, zero_ns),
        tracks: run_facts::tracks(&processes),
        until: Vec::new(),
        environment: run_facts::environment(&processes),
        unavailable,
        processes: summaries,
        warnings,
        findings: Vec::new(),
    };
    name_modules(&mut summary, &processes);
    let numbered = numbered_names::doubt(&summary.rows);
    summary.warnings.extend(numbered);
    summary.findings = findings::find(&summary, clues);
    summary
}

/// When the steady state of each process begins, in ticks.
fn steady_from(processes: &[Process]) -> Vec<Option<u64>> {
    let each = processes.iter().map(|process| process.steady.as_ref());
    each.map(|steady| steady.map(|steady| steady.from))
        .collect()
}

/// From then to the end of its last span.
fn steady_ticks(from: Vec<Option<u64>>, parts: &[Option<SteadyPart>]) -> Vec<power::SteadyTicks> {
    let each = from.into_iter().zip(parts);
    each.map(|(from, part)| Some((from?, part.as_ref()?.totals.last_end)))
        .collect()
}

/// Why numbers are missing, by name.
fn unavailable(
    run: Option<&RunInfo>,
    tree: &Tree,
    processes: &[Process],
    summaries: &[ProcessSummary],
) -> BTreeMap<String, Unavailable> {
    let mut known = fields::unavailable();
    known.extend(doubts::of_outcome(run, summaries.first()));
    let known = sampled::with_reason(known, processes);
    let known = device_time::with_reason(known, tree, processes);
    let known = power::with_reason(known, processes);
    let known = device_memory::with_reasons(known, tree, processes);
    memory::with_reasons(known, tree, processes, summaries)
}

/// The processes, the first `measured` of which are measured.
fn of_each(processes: &mut [Process], ends: &[u64], measured: usize) -> Vec<ProcessSummary> {
    let each = (processes.iter_mut().zip(ends)).enumerate();
    each.map(|(index, (process, end_ns))| ProcessSummary {
        is_main: index == 0,
        is_measured: index < measured,
        ..of_process(process, *end_ns)
    })
    .collect()
}

/// What findings ask about beside the summary.
fn clues(processes: &[Process], measured: &[usize], start: Option<&Start>) -> Clues {
    let main = || measured.first().map(|index| &processes[*index]);
    Clues {
        busy: busy_machine::of_main(processes, measured),
        busy_before: start.and_then(|start| start.busy_before.clone()),
        growth: start.and_then(|start| start.growth),
        inside: start.map_or_else(
            || main().and_then(steady_state::inside_of_all),
            |start| start.inside,
        ),
        risen_bytes: start.map_or_else(
            || main().and_then(steady_state::risen_in_all),
            |start| start.risen_bytes,
        ),
        rise: main().and_then(rise),
        threads: main().and_then(findings::sampled::waited_for_threads),
        between: main().and_then(between::of_process),
        handlers_ended_ns: main().and_then(handlers_ended_ns),
        ..Clues::default()
    }
}

/// How its memory grows over time, until the interpreter ends and frees it.
fn rise(process: &Process) -> Option<Rise> {
    let to = handlers_ended_ns(process).map(|ns| process.anchors.timeline().ticks_at(ns));
    let rise = memory_growth::over_time(&process.readings, to.unwrap_or(u64::MAX))?;
    let ns = rise.ticks as f64 * process.anchors.mean_ns_per_tick();
    Some(Rise {
        growth: rise.growth,
        during_ns: ns as u64,
        function: findings::sampled::rose_in(process, rise.from, rise.from + rise.ticks),
        is_sampled: !process.stacks.is_empty(),
    })
}

/// When the exit handlers of a process had run, if it said so.
fn handlers_ended_ns(process: &Process) -> Option<u64> {
    let mut notes = process.notes.iter();
    let (_, at) = notes.find(|(code, _)| code == wall_time::EXITS)?;
    let ticks: u64 = at.parse().ok()?;
    Some(process.anchors.timeline().monotonic_ns(ticks))
}

/// What the program is called: by its launcher or, without one, by itself.
fn program(run: Option<&RunInfo>, main: Option<&ProcessSummary>) -> String {
    let own = || main.map(|main| main.program.clone());
    let launched = run.map(|run| run.program.clone());
    launched.or_else(own).unwrap_or_default()
}

/// What rows say of themselves that there is to doubt.
fn doubts_of_rows(made: &Rows) -> impl Iterator<Item = Warning> {
    let each = made.rows.iter();
    let unbalanced = each.map(|row| (row.path.as_str(), row.unbalanced_count));
    let overfull = doubts::of_overfull(&made.overfull);
    overfull
        .into_iter()
        .chain(doubts::of_unbalanced(unbalanced))
}

/// Names the modules in every table.
fn name_modules(summary: &mut Summary, processes: &[Process]) {
    let of_steady = summary.steady.as_mut().map(|steady| &mut steady.rows);
    let mut tables: Vec<&mut Vec<SpanRow>> = vec![&mut summary.rows];
    tables.extend(of_steady);
    for one in &mut summary.by_process {
        tables.push(&mut one.rows);
        tables.extend(one.steady.as_mut().map(|steady| &mut steady.rows));
    }
    for rows in tables {
        modules::fill(rows, processes.iter().map(|process| &process.modules));
    }
}

/// The epochs of the first process that has any.
fn epochs(measured: &[Process], zero_ns: u64) -> Vec<Epoch> {
    let each = measured.iter();
    let mut each = each.map(|process| epochs::summaries(process, zero_ns));
    each.find(|epochs| !epochs.is_empty()).unwrap_or_default()
}

/// What the recording itself says that there is to doubt, and its launcher.
fn recorded_doubts(
    processes: &[Process],
    summaries: &[ProcessSummary],
    run: Option<&RunInfo>,
) -> Vec<Warning> {
    let is_worker = |one: &ProcessSummary| {
        let parent = one.parent_pid;
        summaries.iter().any(|other| other.pid == parent)
    };
    let each = processes.iter().zip(summaries);
    let mut warnings: Vec<Warning> = each
        .flat_map(|(process, summary)| doubts::of_process(process, summary, is_worker(summary)))
        .collect();
    warnings.extend(doubts::of_workers(
        summaries.iter().filter(|one| is_worker(one)),
    ));
    let has_spans = summaries.iter().any(|process| process.span_count > 0);
    let notes = run_facts::notes(processes);
    let end = run.and_then(|run| run.end.as_ref());
    warnings.extend(doubts::of_notes(
        notes,
        has_spans,
        end.is_some_and(doubts::has_failed),
    ));
    if let Some(run) = run {
        warnings.extend(run.end.as_ref().and_then(doubts::of_end));
        warnings.extend(doubts::of_unrecorded(&run.unrecorded));
    }
    warnings
}

/// The processes with the measured ones in front, and how many these are.
fn first(processes: Vec<Process>, measured: &[usize]) -> (Vec<Process>, usize) {
    let place = |index: &usize| measured.iter().position(|one| one == index);
    let mut ordered: Vec<(usize, Process)> = processes.into_iter().enumerate().collect();
    ordered.sort_by_key(|(index, _)| place(index).unwrap_or(usize::MAX));
    let processes = ordered.into_iter().map(|(_, process)| process).collect();
    (processes, measured.len())
}

/// What a step of each of several processes is made of: of the steady state, if that is told.
fn ranks(measured: &[Process], parts: &mut [Option<SteadyPart>], is_told: bool) -> Vec<Rank> {
    if measured.len() < 2 {
        return Vec::new();
    }
    let trained = measured.iter().zip(parts);
    let mut ranks: Vec<Rank> = trained
        .filter_map(|(process, part)| match part {
            Some(part) if is_told => ranks::of(process, &mut part.totals),
            _ => ranks::of(process, &mut process.totals.clone()),
        })
        .collect();
    if ranks.len() < 2 {
        return Vec::new();
    }
    ranks.sort_by_key(|rank| ranks::order(rank.rank.as_deref()));
    ranks
}

/// How all measured processes fill their wall times, and how long these are.
fn together(own: &[(Wall, Filled)]) -> (Filled, u64) {
    let (mut filled, mut measured_ns) = (Filled::default(), 0_u64);
    for (wall, own) in own {
        filled.add(*own);
        measured_ns = measured_ns.saturating_add(wall.ns());
    }
    (filled, measured_ns)
}

/// The wall time of each measured process: of a single one that of the run, of several each one's own.
fn walls(measured: &[Process], ends: &[u64], wall: Wall) -> Vec<Wall> {
    if measured.len() == 1 {
        return vec![wall];
    }
    let own = measured.iter().zip(ends);
    own.map(|(process, end_ns)| wall_time::lifetime(process, *end_ns))
        .collect()
}

fn of_process(process: &mut Process, end_ns: u64) -> ProcessSummary {
    let state = if process.is_live {
        ProcessState::Running
    } else if process.header.closed.is_some() {
        ProcessState::Closed
    } else if process.replaced_ns.is_some() {
        ProcessState::Replaced
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
        started_monotonic_ns: process.started_ns,
        ended_monotonic_ns: end_ns,
        span_count: process.span_count(),
        lost_count: process.lost,
        clamped_count: process.header.clamped,
        unsealed_windows: if process.is_live { 0 } else { process.unsealed },
        resident_peak_bytes: process.resident_peak_bytes,
        host_memory_net_bytes: counted.map(|memory| memory.bytes),
        host_memory_peak_bytes: counted.map(|memory| memory.peak_bytes),
        open: open_spans(process, end_ns),
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

/// Open spans of a process, with how long they had been open at `end_ns`.
fn open_spans(process: &Process, end_ns: u64) -> Vec<OpenSpanSummary> {
    let timeline = process.anchors.timeline();
    let open: Vec<_> = process
        .open
        .iter()
        .filter(|open| process.paths.get(open.path).is_some())
        .collect();
    open.iter()
        .enumerate()
        .map(|(index, span)| OpenSpanSummary {
            path: path::join(process.paths.names(span.path)),
            track: span.track,
            age_ns: end_ns.saturating_sub(timeline.monotonic_ns(span.start)),
            is_innermost: open
                .get(index + 1)
                .is_none_or(|next| next.track != span.track),
        })
        .collect()
}
