//! The list of a process's features: the struct of all, and the way of every record to each, are made of it.

use laptime_core::format::record::Record;
use laptime_core::{Live, Span};

use crate::functions::call_records::Calls;
use crate::functions::stack_records::Stacks;
use crate::power::{DeviceSamples, EnergyByPath};
use crate::profiler::ProfilerRecords;
use crate::reading::covers::Covers;
use crate::reading::data_waits::DataWaits;
use crate::reading::epochs::Epochs;
use crate::reading::event_loop::blocking_laps::BlockingLaps;
use crate::reading::feature::{Context, Feature};
use crate::reading::first_steps::StepSeries;
use crate::reading::host_memory::HostMemory;
use crate::reading::input_changes::InputChanges;
use crate::reading::marks::MarksAndMetrics;
use crate::reading::module_paths::Modules;
use crate::reading::notes::Notes;
use crate::reading::path_role::Noted;
use crate::reading::recorder_samples::RecorderSamples;
use crate::reading::track_names::Tracks;
use crate::summarize::columns::operations::stretch_operations::Stretches;
use crate::summarize::columns::operations::uncounted_spans::LeftOutSpans;

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident: $kind:ty,)*) => {
        /// The features of a process, each with what it keeps.
        #[derive(Debug, Default)]
        pub struct Features {
            $($(#[$doc])* pub $name: $kind,)*
        }

        impl Feature for Features {
            fn take_record(&mut self, record: &Record<'_>, context: Context<'_>) {
                $(self.$name.take_record(record, context);)*
            }

            fn take_span(&mut self, span: &Span, noted: Noted, context: Context<'_>) {
                $(self.$name.take_span(span, noted, context);)*
            }

            fn take_live(&mut self, live: &Live) {
                $(self.$name.take_live(live);)*
            }
        }
    };
}

features! {
    /// Time that spans and timers' segments covered.
    covers: Covers,
    /// The steps from which warm-up is found.
    steps: StepSeries,
    /// Epochs, with the steps and evaluations in them.
    epochs: Epochs,
    /// The longest waits for data.
    data_waits: DataWaits,
    /// Laps that kept other tasks from their event loop.
    blocking_laps: BlockingLaps,
    /// Marks and metrics.
    marks: MarksAndMetrics,
    /// Names of threads and tasks.
    tracks: Tracks,
    /// Notes of the recorder about the program and its machine.
    notes: Notes,
    /// Resident memory, and the latest count of allocations.
    host_memory: HostMemory,
    /// Readings over time: threads' waits for a CPU, and allocated memory.
    recorder_samples: RecorderSamples,
    /// Sizes of what the outermost module is given.
    inputs: InputChanges,
    /// Paths of a network's modules.
    modules: Modules,
    /// Operations of the program's stretches.
    stretches: Stretches,
    /// Spans in which calls ran whose operations are left out, once their pass is over.
    left_out: LeftOutSpans,
    /// Sampled stacks.
    stacks: Stacks,
    /// Counted calls.
    calls: Calls,
    /// Operators and kernels that a profiler saw.
    profiler: ProfilerRecords,
    /// Samples of devices.
    devices: DeviceSamples,
    /// The energy of laps, once their pass is over.
    energy: EnergyByPath,
}
