//! The fast lane of the automatic phases: the steady state of a training loop without Python.
//!
//! The policy is `laptime.integrations._phases`. Once it has seen a step open, it gives the
//! state to the lane of its thread; the lane opens and closes the phases of that step, and of
//! further steps that look alike, and gives the state back (`take`) at whatever it doesn't
//! know: evaluation, closures, laps across phases, the end of a loader. In a training loop the
//! interpreter's own code is cold, and each line of it costs ten times what a benchmark says.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

use laptime_core::{PathId, SpanFlags};
use laptime_recorder::{self as recorder, Open, Site, clock};
use pyo3::exceptions::PyStopIteration;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::fast::span;
use crate::span::{identity, token};

unsafe extern "C" {
    // Of the interpreter's stable C interface; the bindings leave it out.
    fn PyMethod_New(
        function: *mut ffi::PyObject,
        instance: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// Nothing is known: everything goes to the policy.
const OFF: u8 = 0;
/// A step is open, trained on, and not yet updated.
const READY: u8 = 1;
/// The last step closed with its update, and nothing happened since.
const BETWEEN: u8 = 2;

/// What a wrapper watches; also the numbers of phases in a state.
const FETCH: u8 = 1;
const FORWARD: u8 = 2;
const BACKWARD: u8 = 3;
const STEP: u8 = 4;
const WORK: u8 = 5;

/// The state that policy and lane hand to each other.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says one thing that happened in the step"
)]
struct Lane {
    busy: bool,
    mode: u8,
    held: bool,
    unit: Option<Open>,
    piece: u64,
    decided: bool,
    op: Option<Open>,
    op_phase: u8,
    op_flags: u64,
    previous: u8,
    /// Paths of this step's last forward and last optimizer span; 0 for none.
    forward_path: u32,
    optimizer_path: u32,
    forwards: u64,
    backwards: u64,
    updates: u64,
    saw_grad: bool,
    stepped: bool,
    zeroed: bool,
    failed: bool,
    /// A `zero_grad` that follows its step: it reopens the step for itself alone.
    trailing: bool,
    steps: u64,
    fetch_end: u64,
    parent: Option<PathId>,
    iteration: Option<Py<PyAny>>,
    alive: Option<Py<PyAny>>,
    generation: u64,
}

thread_local! {
    static LANE: RefCell<Lane> = RefCell::default();
}

/// Threads inside a phase.
static BUSY: AtomicUsize = AtomicUsize::new(0);

fn lane<R>(body: impl FnOnce(&mut Lane) -> R) -> R {
    LANE.with_borrow_mut(body)
}

fn place(open: Open) -> u32 {
    open.to_raw().0
}

impl Lane {
    fn set_busy(&mut self, busy: bool) {
        if busy != std::mem::replace(&mut self.busy, busy) {
            if busy {
                BUSY.fetch_add(1, Ordering::Relaxed);
            } else {
                BUSY.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }

    /// Whether a phase may begin in the open step.
    fn may_begin(&self) -> bool {
        self.mode == READY
            && self.op.is_none()
            && self
                .unit
                .is_some_and(|unit| span::at(|| recorder::is_open(unit)))
    }

    fn begin(&mut self, phase: u8, name: &'static str, start: Option<u64>) {
        let site = Site::intern(name);
        self.op = span::at(|| recorder::enter_automatic(site, start));
        self.op_phase = phase;
        self.op_flags = 0;
        self.held = true;
    }

    /// Path of the phase that has just begun; it goes on with the last one of the same path.
    fn path(&mut self, last: u32, goes_on: bool) -> u32 {
        let path = self.op.and_then(|op| span::at(|| recorder::path_of(op)));
        let path = path.map_or(0, |path| path.0);
        if goes_on && path == last {
            self.op_flags = SpanFlags::CONTINUES.0;
        }
        path
    }

    fn end(&mut self) -> u32 {
        let Some(op) = self.op.take() else { return 0 };
        span::close_by_id(op, None, SpanFlags(self.op_flags));
        self.previous = self.op_phase;
        place(op)
    }

    fn new_number(&mut self) {
        self.stepped = false;
        self.saw_grad = false;
        self.zeroed = false;
        (self.forwards, self.backwards, self.updates) = (0, 0, 0);
        (self.forward_path, self.optimizer_path) = (0, 0);
    }

    fn open_step(&mut self, start: Option<u64>, goes_on: bool) {
        let site = Site::intern("step");
        self.unit = span::at(|| recorder::enter_automatic(site, start));
        self.piece = if goes_on { SpanFlags::CONTINUES.0 } else { 0 };
        self.previous = 0;
        self.failed = false;
        self.mode = READY;
        self.held = true;
    }

    fn is_where_the_last_step_was(&self) -> bool {
        self.mode == BETWEEN && self.parent == Some(span::at(recorder::current_path))
    }

    fn forward(&mut self) -> bool {
        if !self.may_begin() {
            return false;
        }
        let (last, goes_on) = (self.forward_path, self.previous == FORWARD);
        self.begin(FORWARD, "forward", None);
        self.forward_path = self.path(last, goes_on);
        self.decided = true;
        self.saw_grad = true;
        self.forwards += 1;
        true
    }

    fn backward(&mut self) -> bool {
        if !self.may_begin() {
            return false;
        }
        self.begin(BACKWARD, "backward", None);
        self.decided = true;
        self.backwards += 1;
        true
    }

    fn optimizer(&mut self, stepping: bool) {
        let goes_on = if stepping {
            std::mem::take(&mut self.zeroed)
        } else {
            let goes_on = self.updates > 0;
            self.zeroed |= !goes_on;
            goes_on
        };
        let last = self.optimizer_path;
        self.begin(if stepping { STEP } else { WORK }, "optimizer", None);
        self.optimizer_path = self.path(last, goes_on);
        self.decided = true;
        self.updates += 1;
    }

    fn stepped(&mut self, place_of_step: u32) {
        self.stepped = true;
        self.steps += 1;
        match self.unit {
            Some(unit) if place_of_step == place(unit) + 1 => self.close_step(),
            // A lap of the user's is open inside: the policy knows what to do.
            _ => self.mode = OFF,
        }
    }

    fn close_step(&mut self) {
        if let Some(unit) = self.unit.take() {
            span::close_by_id(unit, None, SpanFlags(self.piece));
        }
        self.mode = BETWEEN;
        self.parent = Some(span::at(recorder::current_path));
    }
}

/// Calls a function of torch's and lets the lane, or the policy, see it begin and end.
#[pyclass(dict, frozen, module = "laptime._core")]
struct Watched {
    phase: u8,
    original: Py<PyAny>,
    slow: Py<PyAny>,
    end: Py<PyAny>,
    is_grad_enabled: Py<PyAny>,
}

#[pymethods]
impl Watched {
    /// `slow` wraps `original` in Python; `end(phase, error)` ends there what began here.
    #[new]
    fn new(
        phase: u8,
        original: Py<PyAny>,
        slow: Py<PyAny>,
        end: Py<PyAny>,
        is_grad_enabled: Py<PyAny>,
    ) -> Self {
        Self {
            phase,
            original,
            slow,
            end,
            is_grad_enabled,
        }
    }

    /// Binds to an instance as a function does.
    fn __get__<'py>(
        slf: Bound<'py, Self>,
        object: Option<Bound<'py, PyAny>>,
        _class: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = slf.py();
        match object {
            None => Ok(slf.into_any()),
            // SAFETY: two objects, with the lock held; a new reference or an error.
            Some(object) => unsafe {
                Bound::from_owned_ptr_or_err(python, PyMethod_New(slf.as_ptr(), object.as_ptr()))
            },
        }
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        python: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let busy = lane(|lane| lane.busy);
        if busy && self.phase != STEP {
            return self.original.call(python, args, kwargs);
        }
        if busy || !self.begin(python, args)? {
            return self.slow.call(python, args, kwargs);
        }
        let generation = lane(|lane| {
            lane.set_busy(self.phase != STEP && self.phase != WORK);
            lane.generation
        });
        let result = self.original.call(python, args, kwargs);
        let watch = lane(|lane| {
            lane.set_busy(false);
            if lane.generation != generation || (self.phase == FETCH && result.is_err()) {
                return true;
            }
            lane.failed |= result.is_err();
            if self.phase == FETCH {
                lane.fetch_end = clock::now();
            }
            let place_of_op = lane.end();
            if self.phase == STEP {
                lane.stepped(place_of_op);
                return lane.steps.is_power_of_two();
            }
            if std::mem::take(&mut lane.trailing) {
                lane.close_step();
            }
            false
        });
        if watch {
            let error = result
                .as_ref()
                .err()
                .map(|error| error.is_instance_of::<PyStopIteration>(python));
            let again = lane(|lane| lane.generation != generation);
            self.end.call1(python, (self.phase, again, args, error))?;
        }
        result
    }
}

impl Watched {
    fn begin(&self, python: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<bool> {
        match self.phase {
            FORWARD => Ok(lane(|lane| lane.mode == READY)
                && self.grad_enabled(python)?
                && lane(Lane::forward)),
            BACKWARD => Ok(lane(Lane::backward)),
            STEP => Ok(lane(|lane| {
                let may = lane.may_begin();
                if may {
                    lane.optimizer(true);
                }
                may
            })),
            WORK => Self::work(python),
            _ => self.fetch(python, args),
        }
    }

    fn work(python: Python<'_>) -> PyResult<bool> {
        let reopens = lane(|lane| lane.is_where_the_last_step_was());
        if reopens {
            let alive = lane(|lane| lane.alive.as_ref().map(|alive| alive.clone_ref(python)));
            if let Some(alive) = alive
                && alive.call0(python)?.is_none(python)
            {
                return Ok(false);
            }
            lane(|lane| {
                lane.open_step(None, true);
                lane.trailing = true;
            });
        }
        Ok(lane(|lane| {
            let may = lane.may_begin();
            if may {
                lane.optimizer(false);
            }
            may
        }))
    }

    fn fetch(&self, python: Python<'_>, args: &Bound<'_, PyTuple>) -> PyResult<bool> {
        if !lane(|lane| lane.is_where_the_last_step_was() && lane.iteration.is_some()) {
            return Ok(false);
        }
        let iteration = args.get_item(0)?.getattr("_laptime")?;
        let known = lane(|lane| lane.iteration.as_ref().is_some_and(|it| it.is(&iteration)));
        if !known || !self.grad_enabled(python)? {
            return Ok(false);
        }
        lane(|lane| {
            let start = Some(clock::now());
            lane.new_number();
            lane.open_step(start, false);
            lane.decided = false;
            lane.begin(FETCH, "data", start);
        });
        Ok(true)
    }

    fn grad_enabled(&self, python: Python<'_>) -> PyResult<bool> {
        self.is_grad_enabled.call0(python)?.is_truthy(python)
    }
}

/// What the policy needs to go on from where the lane is; `None` when the lane did nothing.
#[pyfunction]
fn lane_take(python: Python<'_>) -> PyResult<Option<Py<PyTuple>>> {
    lane(|lane| {
        lane.mode = OFF;
        lane.generation += 1;
        if !std::mem::take(&mut lane.held) {
            return Ok(None);
        }
        let state = (
            (
                token(lane.unit.take()),
                lane.piece,
                lane.decided,
                lane.failed,
                lane.fetch_end,
            ),
            (token(lane.op.take()), lane.op_phase, lane.op_flags),
            (lane.previous, lane.forward_path, lane.optimizer_path),
            (lane.forwards, lane.backwards, lane.updates, lane.steps),
            (lane.saw_grad, lane.stepped, lane.zeroed),
        );
        Ok(Some(state.into_pyobject(python)?.unbind()))
    })
}

/// The policy's state, for the lane to go on with: a step is open, or one just closed.
#[pyfunction]
#[allow(
    clippy::type_complexity,
    reason = "the tuple that the policy keeps it in"
)]
fn lane_give(
    unit: (u128, u64),
    previous: (u8, u32, u32),
    counts: (u64, u64, u64, u64),
    seen: (bool, bool, bool),
    iteration: Option<Py<PyAny>>,
    alive: Option<Py<PyAny>>,
) {
    lane(|lane| {
        let (open, piece) = unit;
        lane.unit = (open != 0).then(|| identity(open));
        lane.piece = piece;
        lane.decided = true;
        lane.failed = false;
        (lane.previous, lane.forward_path, lane.optimizer_path) = previous;
        (lane.forwards, lane.backwards, lane.updates, lane.steps) = counts;
        (lane.saw_grad, lane.stepped, lane.zeroed) = seen;
        lane.iteration = iteration;
        lane.alive = alive;
        lane.mode = if open == 0 { BETWEEN } else { READY };
        lane.held = true;
        lane.parent = (open == 0).then(|| span::at(recorder::current_path));
    });
}

/// Whether `torch.compile` is tracing the caller: told by the stand-in that it knows for this.
#[pyfunction]
fn is_traced() -> bool {
    false
}

/// Whether this thread is inside a phase whose inside is not looked at.
#[pyfunction]
fn lane_busy() -> bool {
    lane(|lane| lane.busy)
}

/// Enters or leaves such a phase.
#[pyfunction]
fn lane_set_busy(busy: bool) {
    lane(|lane| lane.set_busy(busy));
}

/// How many threads are.
#[pyfunction]
fn lanes_busy() -> usize {
    BUSY.load(Ordering::Relaxed)
}

/// Adds the lane to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Watched>()?;
    module.add_function(wrap_pyfunction!(lane_take, module)?)?;
    module.add_function(wrap_pyfunction!(lane_give, module)?)?;
    module.add_function(wrap_pyfunction!(is_traced, module)?)?;
    module.add_function(wrap_pyfunction!(lane_busy, module)?)?;
    module.add_function(wrap_pyfunction!(lane_set_busy, module)?)?;
    module.add_function(wrap_pyfunction!(lanes_busy, module)?)
}
