//! The Python face: the extension module `laptime._core`.
//!
//! One file per noun; bodies let the interpreter go, call a library crate, and convert. The
//! exceptions are [`fast`], the hot path of laps and timers, and [`phases`], which watches torch
//! at the places where Python would be too slow. Names and defaults are Python's
//! business, under `python/laptime`.

mod arrow;
mod aside;
mod benchmark;
mod calls;
mod ceilings;
mod command;
mod comparison;
mod contest;
#[cfg(feature = "as-tested")]
mod contradictions;
mod device_memory;
mod devices;
mod entry;
mod environment;
mod epochs;
mod errors;
mod fast;
mod file_names;
mod file_path;
mod finding;
mod handler;
mod imports;
mod inference;
mod interned;
mod jax;
mod lookup;
mod machine;
mod memory;
mod modules;
mod notebook;
mod nvtx;
mod objects;
mod operations;
mod operators;
mod phases;
mod picture;
mod ranks;
mod rate;
mod recorder;
mod recording;
mod report;
mod span;
mod spans;
mod stacks;
mod state;
mod steps;
mod stretches;
mod summary;
mod timer;
mod timer_state;
mod timing;
mod torchtimer;

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

use fast::timer::methods as segments;

/// The program may use up its memory and go on: then ours must not end it.
#[global_allocator]
static ALLOCATOR: laptime_recorder::Reserve = laptime_recorder::Reserve::system();

/// Needs the interpreter lock even where it could be had without: the hot path relies on it.
#[pymodule(gil_used = true)]
#[pyo3(name = "_core")]
fn core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let python = module.py();
    // SAFETY: the lock is held.
    let interpreter = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if interpreter != 0 {
        // The hot path keeps objects of one interpreter in static memory.
        let message = "laptime works in the main interpreter only, not in sub-interpreters";
        return Err(PyImportError::new_err(message));
    }
    laptime_recorder::silence_panics();
    memory::refuse_own_allocator();
    rate::start();
    steps::on_switch(fast::lap::kinds::choose_functions);
    module.add("Lap", fast::lap::kinds::class(python)?)?;
    module.add("lap", fast::lap::builtin::builtin(python)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    add_classes(module)?;
    add_functions(module)?;
    #[cfg(feature = "as-tested")]
    {
        laptime_report::contradictions::keep();
        module.add_function(wrap_pyfunction!(contradictions::take, module)?)?;
    }
    inference::case::add_properties(python)?;
    summary::add_properties(python)?;
    segments::add_methods::<timer::Timer>(python)?;
    segments::add_methods::<timer::TimerContext>(python)?;
    fast::timer::torchtimer::add_methods(python)?;
    entry::make_no_text(python)?;
    refuse_one(module)?;
    // The interface is that of `laptime`, not everything that is here.
    module.delattr("__all__")
}

/// The bindings keep a text for the first argument that they refuse, and panic where there is no memory for it.
fn refuse_one(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let refused = module.getattr("ticks_to_ns")?.call1(("",));
    refused.map_or(Ok(()), |_| Err(entry::mistake()))
}

fn add_classes(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<arrow::ArrowTable>()?;
    module.add_class::<device_memory::Allocators>()?;
    module.add_class::<aside::AsideSpan>()?;
    module.add_class::<benchmark::BenchmarkOutcome>()?;
    module.add_class::<benchmark::BenchmarkPlan>()?;
    module.add_class::<ceilings::Ceiling>()?;
    module.add_class::<ceilings::Ceilings>()?;
    module.add_class::<comparison::Comparison>()?;
    module.add_class::<comparison::ComparedFunction>()?;
    module.add_class::<comparison::ComparisonRow>()?;
    module.add_class::<ranks::Ranks>()?;
    module.add_class::<ranks::SlowRank>()?;
    module.add_class::<contest::ContestOutcome>()?;
    module.add_class::<contest::ContestPlan>()?;
    module.add_class::<contest::SpeedVerdict>()?;
    module.add_class::<environment::Asked>()?;
    module.add_class::<fast::lap::pieces::Pieces>()?;
    module.add_class::<fast::timer::torchtimer::ProfilingSegments>()?;
    module.add_class::<imports::FindsWaited>()?;
    module.add_class::<inference::case::InferenceCase>()?;
    module.add_class::<inference::case::InferenceLoad>()?;
    module.add_class::<inference::InferenceOutcome>()?;
    module.add_class::<inference::plans::InferencePlan>()?;
    module.add_class::<inference::plans::LoadPlan>()?;
    module.add_class::<jax::compilation::Compilations>()?;
    module.add_class::<modules::called_module::CalledModule>()?;
    module.add_class::<modules::laps::ModuleLaps>()?;
    module.add_class::<operations::cost::OpCost>()?;
    module.add_class::<operations::counts::OpCounts>()?;
    module.add_class::<operations::counts::UncountedOp>()?;
    module.add_class::<operations::feed::Feed>()?;
    module.add_class::<operations::formula::OpCall>()?;
    module.add_class::<operations::row::OpRow>()?;
    module.add_class::<operations::shape::Shape>()?;
    module.add_class::<operations::torch::dispatch::TorchDispatch>()?;
    module.add_class::<operations::torch::function::OwnMemory>()?;
    module.add_class::<operations::torch::function::TorchFunction>()?;
    module.add_class::<phases::overlay::Watched>()?;
    module.add_class::<phases::process::Phases>()?;
    module.add_class::<recorder::Recorder>()?;
    module.add_class::<recording::OpenedRecording>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<finding::Finding>()?;
    module.add_class::<state::State>()?;
    module.add_class::<state::iterators::Taken>()?;
    module.add_class::<steps::listener::StepListener>()?;
    module.add_class::<steps::window::StepWindow>()?;
    module.add_class::<stretches::Stretches>()?;
    module.add_class::<modules::structure::Structures>()?;
    module.add_class::<summary::SpanSummary>()?;
    module.add_class::<timer::Timer>()?;
    module.add_class::<timer::TimerContext>()?;
    module.add_class::<timing::Latency>()?;
    Ok(())
}

fn add_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! add {
        ($($function:path),+ $(,)?) => {
            $(module.add_function(wrap_pyfunction!($function, module)?)?;)+
        };
    }
    add!(
        calls::count_calls,
        calls::leave_calls,
        ceilings::kept_or_measured_ceilings,
        ceilings::measure_ceilings,
        benchmark::bytes_text,
        benchmark::duration_text,
        benchmark::rate_text,
        benchmark::visible_text,
        command::run_cli,
        comparison::compare,
        ranks::ranks,
        contest::judge_samples,
        environment::asked,
        file_path::write_output,
        handler::raised_by_handler,
        jax::look_at_launches,
        machine::machine,
        memory::memory_close,
        memory::memory_of_process,
        memory::memory_open,
        memory::memory_start,
        memory::memory_stop,
        notebook::cell_line,
        notebook::cell_options,
        notebook::finished_line,
        devices::catch_up_at_exit,
        devices::leave_devices,
        devices::see_all_streams,
        devices::see_stream,
        devices::time_on_devices,
        devices::wait_for_devices,
        nvtx::cuda_profiler_start,
        nvtx::cuda_profiler_stop,
        nvtx::nvtx_start,
        operations::formula::has_formula,
        operations::formula::register_formula,
        operations::onnx::count_onnx,
        picture::write_timeline,
        recorder::close,
        recorder::current_folder,
        recorder::join,
        recorder::warn,
        recording::open,
        report::report,
        span::close_span,
        span::current_path,
        span::disable,
        span::enable,
        span::is_on,
        span::is_open,
        span::mark,
        span::metric,
        span::leave_interpreter,
        span::note,
        span::now,
        span::open_span,
        span::reset,
        span::suspend_span,
        span::ticks_to_ns,
        epochs::epoch_line,
        epochs::total_line,
        stacks::leave_stacks,
        stacks::sample_stacks,
        file_names::recorded_file,
        state::undone,
        steps::window::step_window,
        operators::set_profiling,
        phases::thread::set_unseen,
        operators::end_early,
        operators::write_operators,
        stretches::note_ceilings,
        stretches::path_number,
        stretches::plain_path,
        stretches::ran,
        stretches::write_operations,
        timer_state::copied_timer,
        timing::csv_field,
        timing::first_steady,
        timing::ticks_to_seconds,
    );
    Ok(())
}
