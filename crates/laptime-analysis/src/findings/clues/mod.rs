//! Facts that rules ask about beside the summary: read from the processes of a run before these are summed up.

pub mod counted_growth;
pub mod function_sums;
pub mod growing_inputs;
pub mod interpreter_end;
pub mod memory_rise;
pub mod program_time;
pub mod rising_function;
pub mod time_between_steps;

use crate::doubts::busy_machine;
use crate::reading::process::Process;
use crate::summarize::device_rise::DeviceRise;
use crate::summarize::memory_growth::Growth;
use crate::summarize::resident_rise::ResidentRise;
use crate::summarize::steady_state::{self, Start};
use crate::summarize::worker_starts::WorkerStart;
use crate::summary::doubt::StepsDoubt;
use crate::summary::finding::{HeldLoop, ThreadsWait, WorkerLap};
use growing_inputs::GrowingInputs;
use memory_rise::MemoryRise;
use rising_function::RisingFunction;
use time_between_steps::TimeBetweenSteps;

/// A rise of resident memory over time.
#[derive(Debug, Clone, Copy)]
pub struct RiseOverTime {
    /// The rise.
    pub rise: ResidentRise,
    /// Length of its time, in ns.
    pub during_ns: u64,
    /// The time from its end to the end of the program, in ns; 0 where it goes on until then.
    pub before_end_ns: u64,
}

/// The facts about a run that a summary doesn't hold.
#[derive(Debug, Default)]
pub struct Clues {
    /// A doubt that the machine was busy in the whole run.
    pub busy_machine: Option<StepsDoubt>,
    /// A doubt that the machine was busy before the steady state.
    pub busy_warm_up: Option<StepsDoubt>,
    /// The growth of the process's level in the steady state.
    pub level_growth: Option<Growth>,
    /// The growth of memory over time.
    pub memory_rise: Option<MemoryRise>,
    /// The rise of resident memory in the steps; without a steady state, in those of the whole run.
    pub resident_in_steps: Option<ResidentRise>,
    /// The rise of resident memory over time.
    pub resident_over_time: Option<RiseOverTime>,
    /// The function in which resident memory rises: in the steps where it does there, else over time.
    pub resident_function: RisingFunction,
    /// The rise of a device's memory in the steps; without a steady state, in those of the whole run.
    pub device_rise: Option<DeviceRise>,
    /// Inputs that grow, and the steps' time with them.
    pub growing_inputs: Option<GrowingInputs>,
    /// Whether allocations were counted.
    pub is_memory_counted: bool,
    /// The bytes by which counted allocations grew while resident memory rose; `None` where they weren't counted then.
    pub counted_meanwhile: Option<u64>,
    /// Whether the main process repeats something for most of its time.
    pub has_loop: bool,
    /// The interpreter's wait for its threads at its end, where stacks were sampled.
    pub threads_wait: Option<ThreadsWait>,
    /// The growth that steps leave inside of their laps; without a steady state, of those of the whole run.
    pub growth_in_steps: Option<Growth>,
    /// The bytes by which the level of the process rose in the steps, as far as was noted.
    pub risen_bytes: Option<i64>,
    /// The moment when the exit handlers of the main process had run, `CLOCK_MONOTONIC` ns.
    pub handlers_ended_ns: Option<u64>,
    /// The lap that holds an event loop longest.
    pub blocked_loop: Option<HeldLoop>,
    /// The time from the first step to the last, and the part of it that no lap covers.
    pub time_between_steps: Option<TimeBetweenSteps>,
    /// Waits in which a loader's workers started.
    pub worker_starts: Vec<WorkerStart>,
    /// The lap that the loader's workers spend most of their time in.
    pub worker_lap: Option<WorkerLap>,
}

impl Clues {
    /// Reads what can be known before the processes are summed up: all but the event loop and the workers.
    ///
    /// `measured` are the places of the measured processes, the main one first; `start` is where the steady state begins.
    pub fn of_processes(processes: &[Process], measured: &[usize], start: Option<&Start>) -> Self {
        let main = measured.first().map(|index| &processes[*index]);
        let resident_in_steps = start.map_or_else(
            || main.and_then(steady_state::resident_in_all),
            |start| start.resident,
        );
        let resident_over_time = main.and_then(program_time::resident_rise);
        let rise = resident_in_steps.or(resident_over_time);
        Self {
            busy_machine: busy_machine::of_main(processes, measured),
            busy_warm_up: start.and_then(|start| start.busy_before.clone()),
            level_growth: start.and_then(|start| start.growth),
            growth_in_steps: start.map_or_else(
                || main.and_then(steady_state::inside_of_all),
                |start| start.inside,
            ),
            risen_bytes: start.map_or_else(
                || main.and_then(steady_state::risen_in_all),
                |start| start.risen_bytes,
            ),
            memory_rise: main.and_then(MemoryRise::of_process),
            resident_function: main.zip(rise).map_or_else(
                RisingFunction::default,
                |(main, rise)| {
                    let levels = main.features.recorder_samples.resident();
                    let levels =
                        levels.map(|(at, level)| (at, level.private.resident_bytes as i64));
                    RisingFunction::find(main, levels, &(rise.from..=rise.to))
                },
            ),
            resident_in_steps,
            resident_over_time: main.zip(resident_over_time).map(|(main, rise)| {
                let ns = |ticks: f64| (ticks * main.facts.anchors.mean_ns_per_tick()) as u64;
                RiseOverTime {
                    rise,
                    during_ns: ns(rise.length),
                    before_end_ns: ns(rise.rest as f64),
                }
            }),
            device_rise: start.map_or_else(
                || main.and_then(steady_state::device_in_all),
                |start| start.device.clone(),
            ),
            growing_inputs: main.and_then(GrowingInputs::of_process),
            counted_meanwhile: main.zip(rise).and_then(|(main, rise)| {
                counted_growth::between(&main.features.recorder_samples, rise.from, rise.to)
            }),
            has_loop: main.is_some_and(|main| steady_state::repeated(main).is_some()),
            is_memory_counted: main
                .is_some_and(|main| main.features.recorder_samples.levels().next().is_some()),
            threads_wait: main.and_then(interpreter_end::wait_for_threads),
            time_between_steps: main.and_then(TimeBetweenSteps::of_process),
            handlers_ended_ns: main.and_then(interpreter_end::handlers_ended_ns),
            ..Self::default()
        }
    }
}
