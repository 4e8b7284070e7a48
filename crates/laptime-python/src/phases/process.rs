//! The phases of a process: what its machines ask, and what Python is told of them.

#![expect(
    clippy::disallowed_macros,
    reason = "of PyO3's derive, whose names are read once, where phases begin"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use laptime_python_macros::guarded;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};

use laptime_phases::{Flag, Iteration, Machine};
use laptime_recorder as recorder;

use crate::entry::measuring;
use crate::handler;
use crate::interned::intern;
use crate::steps;

use super::exchanges::Exchanges;
use super::input_sizes::Tensors;
use super::own_python::{self, Hidden, answers};
use super::passes::Passes;
use super::program::LastModule;
use super::recorder::Recorder;
use super::thread;

static OWNERS: AtomicU64 = AtomicU64::new(1);

/// The phases of a process.
#[pyclass(frozen, module = "laptime._core")]
pub struct Phases {
    owner: u64,
    on: Flag,
    began: Flag,
    pub by_hand: Flag,
    /// The program has called a module.
    pub calls_modules: Flag,
    pub asked: Questions,
    /// The module that had something to learn last.
    pub trainer: LastModule,
    /// The module that had parameters last.
    pub model: LastModule,
    passes: Passes,
    pub exchanges: Exchanges,
    /// Calls that were looked at.
    calls: AtomicU64,
}

/// What Python answers, each by its name.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Questions {
    pub is_grad_enabled: Py<PyAny>,
    /// `torch.compiler`'s names, one of which tells whether it is tracing.
    compiler: Py<PyDict>,
    /// Whether `torch.compiler` is tracing, where no name tells.
    is_compiling: Py<PyAny>,
    is_worker: Py<PyAny>,
    /// Whether the program started this thread, by Python's `threading`.
    is_thread: Py<PyAny>,
    /// What a module call has to learn: nothing (0), what it is given (1), or the module (2).
    pub learns: Py<PyAny>,
    /// Whether a module trains that has no mode of its own.
    pub training: Py<PyAny>,
    /// Whether a module has no parameters.
    pub bare: Py<PyAny>,
    /// Whether there is something to learn among tensors.
    pub for_learned: Py<PyAny>,
    /// Whether there is something to learn among the arguments of a function whose gradient is computed.
    pub of_function: Py<PyAny>,
    /// Whether the host waits for what is exchanged, asked until it doesn't.
    pub is_waited_for: Py<PyAny>,
    /// Where replicas' forwards ended, and how long after it their last gradients were there.
    pub last_gradients: Py<PyAny>,
    /// What tells tensors; None where this torch doesn't say whether they may be asked.
    pub tensors: Option<Tensors>,
    /// Looks for devices.
    look: Py<PyAny>,
    /// Told of a failure of Laptime's own.
    broken: Py<PyAny>,
}

#[guarded]
#[pymethods]
impl Phases {
    #[new]
    #[pyo3(signature = (**questions))]
    fn new(questions: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let asked = questions.ok_or_else(|| PyTypeError::new_err("there is nobody to ask"))?;
        let (on, by_hand) = (Flag::default(), Flag::default());
        on.set(true);
        by_hand.set(true);
        Ok(Self {
            owner: OWNERS.fetch_add(1, Relaxed),
            on,
            began: Flag::default(),
            by_hand,
            calls_modules: Flag::default(),
            asked: asked.extract()?,
            trainer: LastModule::default(),
            model: LastModule::default(),
            passes: Passes::default(),
            exchanges: Exchanges::default(),
            calls: AtomicU64::new(0),
        })
    }

    /// Whether anything was ever seen that is a phase.
    fn has_begun(&self) -> bool {
        self.began.get()
    }

    /// The program has an optimizer.
    fn has_optimizer(&self) {
        self.by_hand.set(false);
    }

    /// Operations are being counted: the unit that is open goes on under a name of its own.
    fn set_aside(&self) {
        self.with(Machine::set_aside);
    }

    /// Whether a step or an evaluation is open on this thread.
    fn is_in_unit(&self) -> bool {
        self.with(Machine::has_unit).unwrap_or(false)
    }

    /// Ends a step that is updated by hand, if the fetch or the forward that is about to begin ends it; whether it
    /// did.
    fn end_by_hand(&self, at_fetch: bool) -> bool {
        let by_hand = self.by_hand.get();
        let end = |machine: &mut Machine| machine.end_by_hand(at_fetch, by_hand);
        self.with(end).unwrap_or(false)
    }

    /// Closes what is open on this thread; whether an error ends it.
    fn finish(&self, python: Python<'_>, failed: bool) -> PyResult<()> {
        if self.with(|machine| machine.finish(failed)).is_some() {
            thread::set_busy(false);
            thread::set_machine(None);
        }
        steps::deliver(python)
    }

    /// Begins nothing any more, on whichever thread.
    fn close(&self) {
        self.on.set(false);
    }

    /// How `torch.compile` is kept from what Laptime itself runs: `set_eval_frame` of torch's.
    #[staticmethod]
    fn compiles_by(set_eval_frame: Bound<'_, PyAny>) {
        own_python::compiles_by(set_eval_frame);
    }

    /// This process was forked from another one.
    #[staticmethod]
    fn forked() {
        thread::forked();
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.asked.traverse(&visit)
    }
}

impl Questions {
    /// Who answers holds the phases: the collector finds them together, once they have ended.
    fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let answers = [
            &self.is_grad_enabled,
            &self.is_compiling,
            &self.is_worker,
            &self.is_thread,
            &self.learns,
            &self.training,
            &self.bare,
            &self.for_learned,
            &self.of_function,
            &self.is_waited_for,
            &self.last_gradients,
            &self.look,
            &self.broken,
        ];
        visit.call(&self.compiler)?;
        for answer in self.tensors.iter().flat_map(Tensors::answers) {
            visit.call(answer)?;
        }
        answers.into_iter().try_for_each(|it| visit.call(it))
    }
}

impl Phases {
    /// Runs with this thread's machine, if it has one and is not inside it already. A panic is
    /// trouble of Laptime's, never of the program's.
    pub fn with<R>(&self, body: impl FnOnce(&mut Machine) -> R) -> Option<R> {
        let told = AssertUnwindSafe(|| thread::with(self.owner, body));
        catch_unwind(told).unwrap_or_else(|panic| {
            thread::trouble(own_python::failed(panic, "the phases' machine panicked"));
            None
        })
    }

    /// Whether this thread may begin a phase; gives it a machine, if it may have one.
    pub fn may_begin(
        &self,
        python: Python<'_>,
        may_be_traced: bool,
        updates: bool,
    ) -> PyResult<bool> {
        if !self.on.get() || (may_be_traced && self.is_compiling(python)?) {
            return Ok(false);
        }
        if thread::has_machine(self.owner) {
            return Ok(true);
        }
        if answers(python, &self.asked.is_worker, ())? {
            thread::set_busy(true); // for good: a worker of a loader's never trains
            return Ok(false);
        }
        // Who updates weights trains, whatever other threads do; one of autograd's own may do it in a hook.
        let trains = updates && answers(python, &self.asked.is_thread, ())?;
        if !thread::is_alone() && !trains {
            return Ok(false);
        }
        join();
        let machine = Machine::new(Box::new(Recorder::new()));
        thread::set_machine(Some((self.owner, machine)));
        self.began.set(true);
        Ok(thread::has_machine(self.owner))
    }

    fn is_compiling(&self, python: Python<'_>) -> PyResult<bool> {
        let flag = intern!(python, "_is_compiling_flag");
        if let Some(flag) = self.asked.compiler.bind(python).get_item(flag)? {
            return flag.is_truthy();
        }
        answers(python, &self.asked.is_compiling, ())
    }

    /// A graph is being compiled on this thread.
    pub fn compile_begin(&self) {
        self.with(Machine::compile_begin);
    }

    /// Compiling, which a call began, is over.
    pub fn compile_end(&self) {
        self.with(Machine::compile_end);
    }

    /// The iteration of an iterator.
    pub fn iteration_of(&self, iterator: &Bound<'_, PyAny>) -> PyResult<Arc<Iteration>> {
        self.passes.of(iterator)
    }

    /// A loader has made an iterator: the pass of that.
    pub fn made(
        &self,
        iterator: &Bound<'_, PyAny>,
        loader: &Bound<'_, PyAny>,
    ) -> PyResult<Option<Arc<Iteration>>> {
        let made = || self.passes.made(iterator, loader);
        self.on.get().then(made).transpose()
    }

    /// Somebody begins to go over a loader.
    pub fn gone_over(&self, loader: &Bound<'_, PyAny>) {
        if self.on.get() {
            self.passes.loader(loader).gone_over.set(true);
        }
    }

    /// Looks for devices before the laps of this call open, so that they are timed there: before the
    /// first call, the second, the fourth, …. Whether the phases are still on.
    pub fn look_before(&self, python: Python<'_>) -> PyResult<bool> {
        let calls = self.calls.fetch_add(1, Relaxed) + 1;
        if calls.is_power_of_two() {
            self.look(python)?;
        }
        Ok(self.on.get())
    }

    /// Looks for devices.
    pub fn look(&self, python: Python<'_>) -> PyResult<()> {
        let looked = {
            let _hidden = Hidden::new(python);
            self.asked.look.call0(python)
        };
        looked.map_or_else(|error| self.broken(python, error), |_| Ok(()))
    }

    /// Laptime itself failed: the phases are off from now on. What a handler of the program's
    /// raised while Laptime was at work is no failure: it comes back, and goes to the program.
    pub fn broken(&self, python: Python<'_>, error: PyErr) -> PyResult<()> {
        if handler::raised(python, &error) {
            return Err(error);
        }
        if !self.on.get() || error.is_instance_of::<PyMemoryError>(python) {
            return Ok(()); // who has no memory left misses a phase, or a part of one
        }
        self.on.set(false);
        let _hidden = Hidden::new(python);
        match self.asked.broken.call1(python, (error,)) {
            Err(error) if handler::raised(python, &error) => Err(error),
            // What can't even be said is kept to itself: the program's standard error is its own.
            _ => Ok(()),
        }
    }
}

/// Has a forked child join the recording before the clock is read: a phase that began earlier would be cut.
pub fn join() {
    measuring(|| false, recorder::is_on_or_decide);
}
