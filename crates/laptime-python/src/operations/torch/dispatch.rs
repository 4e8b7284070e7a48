//! What stands in for `__torch_dispatch__`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use laptime_ops::{Event, Phase};
use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::super::feed::{self, Feed};
use super::capture::{Capture, Unread};
use super::device;
use super::function::TorchFunction;
use super::function_modes::Modes;
use super::moment::Moment;
use super::operator::{Operator, Route};
use super::places::Places;
use super::recall::{Key, Recall};

use crate::interned::intern;

/// What changes while a count goes on.
pub(super) struct State {
    pub(super) feed: Py<Feed>,
    operators: HashMap<usize, Arc<Operator>>,
    /// Classes of tensors: whether each wraps others, whose own operators are counted instead.
    classes: HashMap<usize, (bool, Py<PyType>)>,
    pub(super) places: Places,
    pub(super) phase: Option<Phase>,
    pub(super) loops: Vec<Option<u64>>,
    pub(super) records: bool,
}

/// A dispatch mode's hot path; Python's class derives from it and from `TorchDispatchMode`.
#[pyclass(subclass, frozen, module = "laptime._core")]
pub struct TorchDispatch {
    pub(super) capture: Capture,
    pub(super) moment: Moment,
    modes: Modes,
    /// Whether Python is to hear of what operators return.
    tells: bool,
    /// Calls on fake tensors that were made before.
    recall: Option<Recall>,
    /// What exchanges tensors above it.
    function: OnceLock<Py<TorchFunction>>,
    state: Mutex<State>,
}

impl TorchDispatch {
    /// Never held while Python runs.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn operator(this: &Bound<'_, Self>, function: &Bound<'_, PyAny>) -> PyResult<Arc<Operator>> {
        let address = function.as_ptr().addr();
        if let Some(operator) = this.get().state().operators.get(&address) {
            return Ok(operator.clone());
        }
        let python = this.py();
        let described = this.call_method1(intern!(python, "meet"), (function,))?;
        let operator = Operator::new(function, described.extract()?, this.get().recall.is_some());
        let operator = Arc::new(operator);
        let mut state = this.get().state();
        state.operators.insert(address, operator.clone());
        Ok(operator)
    }

    /// Whether one of the classes wraps other tensors.
    fn wraps(this: &Bound<'_, Self>, types: &Bound<'_, PyAny>) -> PyResult<bool> {
        for class in types.try_iter()? {
            let class = class?.cast_into::<PyType>()?;
            let address = class.as_ptr().addr();
            let known = this.get().state().classes.get(&address).map(|it| it.0);
            let wraps = if let Some(wraps) = known {
                wraps
            } else {
                let wraps = this.call_method1(intern!(this.py(), "wraps"), (&class,))?;
                let wraps = wraps.is_truthy()?;
                let mut state = this.get().state();
                state.classes.insert(address, (wraps, class.unbind()));
                wraps
            };
            if wraps {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs an operator in the way that it is met.
    fn met<'py>(
        this: &Bound<'py, Self>,
        operator: &Operator,
        arguments: Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = this.py();
        match operator.route {
            Route::Ask => {
                let name = intern!(python, "handle");
                return this.call_method1(name, (&operator.function, arguments, keywords));
            }
            Route::Device => {
                if let Some(device) = device::of(&arguments.get_item(0)?)? {
                    return Ok(device);
                }
            }
            _ => {}
        }
        let out = operator.call.bind(python).call(&arguments, keywords)?;
        if matches!(operator.route, Route::Run | Route::Device) {
            return Ok(out);
        }
        Self::take(this, operator, &arguments, keywords, &out)?;
        Ok(out)
    }

    /// Runs an operator, unless what it makes is known from a call that was the same.
    fn recalled<'py>(
        this: &Bound<'py, Self>,
        recall: &Recall,
        operator: &Operator,
        arguments: Bound<'py, PyTuple>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = this.py();
        let unseen = this.get().modes.unseen(python)?;
        let Some(key) = recall.key(&operator.function, &arguments, keywords)? else {
            drop(unseen);
            return Self::met(this, operator, arguments, keywords);
        };
        if let Some(known) = recall.find(&key) {
            let out = recall.make(&known, &arguments)?;
            let (read, outputs) = (known.arguments.clone(), known.outputs.clone());
            let event = Event::new(operator.signature.clone(), read, outputs);
            Self::enter_event(this, event)?;
            return Ok(out);
        }
        drop(unseen);
        let out = Self::met(this, operator, arguments.clone(), keywords)?;
        let _unseen = this.get().modes.unseen(python)?;
        // What it changed of its arguments but their elements, nobody would change again.
        let is_as_before = |after: Option<Key>| after.is_some_and(|after| after == key);
        if !is_as_before(recall.key(&operator.function, &arguments, keywords)?) {
            return Ok(out);
        }
        let name = intern!(python, "described");
        let made = this.call_method1(name, (&operator.function, &arguments, &out))?;
        if made.is_none() {
            return Ok(out);
        }
        let slow = this.as_any();
        match this.get().read(operator, &arguments, keywords, &out, slow) {
            Ok((read, outputs)) => recall.learn(key, &made, read, outputs)?,
            Err(Unread::Raised(error)) => return Err(error),
            Err(Unread::Unsized) => {}
        }
        Ok(out)
    }
}

#[guarded]
#[pymethods]
impl TorchDispatch {
    #[new]
    #[pyo3(signature = (torch, feed, tells=false, fake_mode=None, /))]
    fn new(
        torch: &Bound<'_, PyAny>,
        feed: Py<Feed>,
        tells: bool,
        fake_mode: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            tells,
            recall: fake_mode.map(|mode| Recall::new(torch, mode)).transpose()?,
            function: OnceLock::new(),
            capture: Capture::new(torch)?,
            moment: Moment::new(torch)?,
            modes: Modes::new(torch)?,
            state: Mutex::new(State {
                feed,
                operators: HashMap::new(),
                classes: HashMap::new(),
                places: Places::default(),
                phase: None,
                loops: Vec::new(),
                records: false,
            }),
        })
    }

    #[pyo3(signature = (function, types, arguments=None, keywords=None, /))]
    fn __torch_dispatch__<'py>(
        this: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
        types: &Bound<'py, PyAny>,
        arguments: Option<Bound<'py, PyTuple>>,
        keywords: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = this.py();
        let _paused = this.get().function.get().map(|it| it.get().pause());
        let arguments = arguments.unwrap_or_else(|| PyTuple::empty(python));
        if Self::wraps(this, types)? {
            return Ok(python.NotImplemented().into_bound(python));
        }
        let operator = Self::operator(this, function)?;
        if operator.writes {
            let name = intern!(python, "guard");
            this.call_method1(name, (function, &arguments, keywords))?;
        }
        let out = match &this.get().recall {
            Some(recall) if operator.is_recalled => {
                Self::recalled(this, recall, &operator, arguments, keywords)?
            }
            _ => Self::met(this, &operator, arguments, keywords)?,
        };
        if this.get().tells && !operator.signature.is_view {
            this.call_method1(intern!(python, "made"), (function, &out))?;
        }
        Ok(out)
    }

    /// What exchanges tensors, which is not to exchange those that are asked here.
    #[pyo3(signature = (function, /))]
    fn below(&self, function: Py<TorchFunction>) {
        let _ = self.function.set(function);
    }

    /// Counts a call that Python saw to.
    #[pyo3(signature = (function, arguments, keywords, out, /))]
    fn record(
        this: &Bound<'_, Self>,
        function: &Bound<'_, PyAny>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let operator = Self::operator(this, function)?;
        Self::take(this, &operator, arguments, keywords, out)
    }

    /// A module stands at a path.
    fn know(
        &self,
        python: Python<'_>,
        module: &Bound<'_, PyAny>,
        path: &str,
        kind: &str,
        params: u64,
    ) -> PyResult<()> {
        let feed = self.state().feed.clone_ref(python);
        let id = feed
            .bind(python)
            .try_borrow_mut()?
            .know(path, kind, params, 0);
        let address = module.as_ptr().addr();
        self.state().places.know(address, path, id);
        Ok(())
    }

    /// A module is being called.
    fn enter(&self, module: &Bound<'_, PyAny>) -> PyResult<()> {
        let python = module.py();
        let (phase, from) = self.here(python)?;
        let number = self.moment.next_node(python)?;
        let in_backward = self.moment.is_backward(python)?;
        let mut state = self.state();
        let address = module.as_ptr().addr();
        let found = state.places.enter(address, from, number, in_backward);
        let feed = state.feed.clone_ref(python);
        drop(state);
        if let Some(id) = found.filter(|_| phase != Phase::Recompute) {
            let mut feed = feed.bind(python).try_borrow_mut()?;
            feed.modules().get_mut(id).calls += 1;
        }
        Ok(())
    }

    /// The module that was called last returns.
    fn leave(&self, python: Python<'_>) -> PyResult<()> {
        let number = self.moment.next_node(python)?;
        self.state().places.leave(number);
        Ok(())
    }

    /// What runs is of a phase from here on; `None` for finding out.
    #[pyo3(signature = (name, /))]
    fn set_phase(&self, name: Option<&str>) -> PyResult<()> {
        let phase = name.map(feed::phase).transpose()?;
        self.state().phase = phase;
        Ok(())
    }

    /// Whether gradients of gradients are wanted, so that a backward records like a forward; what
    /// it was before comes back.
    #[pyo3(signature = (records, /))]
    fn set_records(&self, records: bool) -> bool {
        std::mem::replace(&mut self.state().records, records)
    }

    /// A loop of so many rounds begins, of which one is run. `None`: nobody knows.
    #[pyo3(signature = (rounds, /))]
    fn begin_loop(&self, rounds: Option<u64>) {
        self.state().loops.push(rounds);
    }

    /// The loop that began last ends.
    fn end_loop(&self) {
        self.state().loops.pop();
    }

    /// Counts into another feed; the one before comes back.
    #[pyo3(signature = (feed, /))]
    fn swap_feed(&self, feed: Py<Feed>) -> Py<Feed> {
        std::mem::replace(&mut self.state().feed, feed)
    }
}
