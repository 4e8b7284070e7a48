//! What stands in for `__torch_dispatch__`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use laptime_ops::{Argument, Event, ModuleId, Phase, Repeat, Signature, Tensor};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::super::feed::{self, Feed};
use super::capture::{Capture, Unread};
use super::function::TorchFunction;
use super::moment::Moment;
use super::places::Places;
use super::taken::TakenOp;

/// How calls of an operator are met.
enum Route {
    /// Run and counted.
    Count,
    /// Run and counted, and Python looks at it afterwards.
    Follow,
    /// The same of a product, which Python may want to come back to.
    Product,
    /// Run only: a question about a tensor.
    Run,
    /// The same of a view, if it is of a tensor that is no fake.
    View,
    /// Run, and Python looks at it afterwards.
    Look,
    /// The device of a fake tensor, which it knows without asking the dispatcher.
    Device,
    /// Python sees to it.
    Ask,
}

/// What is known of an operator after its first call.
struct Operator {
    signature: Arc<Signature>,
    /// Its own way into the dispatcher.
    call: Py<PyAny>,
    route: Route,
    /// Whether it writes to what it is given.
    writes: bool,
    /// Held, so that its address stays its own.
    function: Py<PyAny>,
}

struct State {
    feed: Py<Feed>,
    operators: HashMap<usize, Arc<Operator>>,
    /// Classes of tensors: whether each wraps others, whose own operators are counted instead.
    classes: HashMap<usize, (bool, Py<PyType>)>,
    /// The product that was counted last.
    last: Option<(Py<Feed>, Event)>,
    places: Places,
    phase: Option<Phase>,
    loops: Vec<Option<u64>>,
    records: bool,
}

/// A dispatch mode's hot path; Python's class derives from it and from `TorchDispatchMode`.
#[pyclass(subclass, frozen, module = "laptime._core")]
pub struct TorchDispatch {
    capture: Capture,
    moment: Moment,
    /// Whether Python is to hear of what operators return.
    tells: bool,
    /// What exchanges tensors above it.
    function: OnceLock<Py<TorchFunction>>,
    state: Mutex<State>,
}

impl TorchDispatch {
    /// Never held while Python runs.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn operator(this: &Bound<'_, Self>, function: &Bound<'_, PyAny>) -> PyResult<Arc<Operator>> {
        let address = function.as_ptr().addr();
        if let Some(operator) = this.get().state().operators.get(&address) {
            return Ok(operator.clone());
        }
        let python = this.py();
        let described = this.call_method1(intern!(python, "meet"), (function,))?;
        let (name, overload, arguments, is_view, route, call, writes): (
            String,
            String,
            Vec<String>,
            bool,
            String,
            Py<PyAny>,
            bool,
        ) = described.extract()?;
        let operator = Arc::new(Operator {
            signature: Arc::new(Signature {
                name,
                overload,
                arguments,
                is_view,
            }),
            call,
            route: match route.as_str() {
                "count" => Route::Count,
                "follow" => Route::Follow,
                "view" => Route::View,
                "look" => Route::Look,
                "product" => Route::Product,
                "run" => Route::Run,
                "device" => Route::Device,
                _ => Route::Ask,
            },
            writes,
            function: function.clone().unbind(),
        });
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

    fn take(
        this: &Bound<'_, Self>,
        operator: &Operator,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let python = this.py();
        let read = this
            .get()
            .read(operator, arguments, keywords, out, this.as_any());
        if let Err(Unread::Raised(error)) = read {
            return Err(error);
        }
        if read.is_err() {
            // Python may know its parts.
            let (function, name) = (&operator.function, intern!(python, "parts"));
            let recorded = this.call_method1(name, (function, arguments, keywords, out))?;
            if recorded.is_truthy()? {
                return Ok(());
            }
        }
        let (phase, module) = this.get().here(python)?;
        let state = this.get().state();
        let feed = state.feed.clone_ref(python);
        let repeat = state.loops.iter().try_fold(1_u64, |all, rounds| {
            rounds.map(|rounds| all.saturating_mul(rounds))
        });
        drop(state);
        let signature = operator.signature.clone();
        let is_sized = read.is_ok();
        let (arguments, outputs) = read.unwrap_or_default();
        let event = Event {
            module,
            phase,
            repeat: repeat.map_or(Repeat::Unknown, Repeat::Times),
            ..Event::new(signature, arguments, outputs)
        };
        if is_sized && matches!(operator.route, Route::Product) {
            let last = (feed.clone_ref(python), event.clone());
            this.get().state().last = Some(last);
        }
        let mut feed = feed.bind(python).try_borrow_mut()?;
        if is_sized {
            feed.take(event);
        } else {
            feed.take_uncounted(&event, "its sizes depend on data");
        }
        Ok(())
    }

    fn read(
        &self,
        operator: &Operator,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
        out: &Bound<'_, PyAny>,
        slow: &Bound<'_, PyAny>,
    ) -> Result<(Vec<Argument>, Vec<Tensor>), Unread> {
        let mut outputs = Vec::new();
        self.capture.outputs(out, slow, &mut outputs)?;
        if operator.signature.is_view {
            return Ok((Vec::new(), outputs));
        }
        let mut read = Vec::with_capacity(arguments.len());
        for value in arguments.iter_borrowed() {
            read.push(self.capture.argument(&value, slow)?);
        }
        for (name, value) in keywords.into_iter().flatten() {
            let names = &operator.signature.arguments;
            let index = names
                .iter()
                .position(|known| name.eq(known).unwrap_or(false));
            if let Some(index) = index {
                read.resize(read.len().max(index + 1), Argument::Absent);
                read[index] = self.capture.argument(&value, slow)?;
            }
        }
        Ok((read, outputs))
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
                let name = intern!(python, "fake_device");
                let device = arguments.get_item(0)?.getattr_opt(name)?;
                if let Some(device) = device {
                    return Ok(device);
                }
            }
            _ => {}
        }
        let out = operator.call.bind(python).call(&arguments, keywords)?;
        if matches!(operator.route, Route::Run | Route::Device) {
            return Ok(out);
        }
        if !matches!(operator.route, Route::Look) {
            Self::take(this, operator, &arguments, keywords, &out)?;
        }
        let is_followed = match operator.route {
            Route::Count => false,
            Route::View => {
                let first = arguments.get_item(0);
                first.is_ok_and(|first| this.get().capture.is_plain(&first))
            }
            _ => true,
        };
        if is_followed {
            let name = intern!(python, "follow");
            this.call_method1(name, (&operator.function, arguments, keywords, &out))?;
        }
        Ok(out)
    }

    /// The phase and the module of this moment.
    fn here(&self, python: Python<'_>) -> PyResult<(Phase, ModuleId)> {
        let is_backward = self.moment.is_backward(python)?;
        let (forced, records) = {
            let state = self.state();
            if !is_backward {
                let phase = state.phase.unwrap_or_default();
                return Ok((phase, state.places.current()));
            }
            (state.phase, state.records)
        };
        let phase = match forced {
            Some(phase) => phase,
            None => self.moment.backward(python, records)?,
        };
        if phase == Phase::Recompute
            && let Some(module) = self.state().places.current_in_backward()
        {
            return Ok((phase, module));
        }
        let node = self.moment.node(python)?;
        let places = &self.state().places;
        Ok((
            phase,
            node.map_or(ModuleId::ROOT, |node| places.of_node(node)),
        ))
    }
}

#[pymethods]
impl TorchDispatch {
    #[new]
    #[pyo3(signature = (torch, feed, tells=false, /))]
    fn new(torch: &Bound<'_, PyAny>, feed: Py<Feed>, tells: bool) -> PyResult<Self> {
        Ok(Self {
            tells,
            function: OnceLock::new(),
            capture: Capture::new(torch)?,
            moment: Moment::new(torch)?,
            state: Mutex::new(State {
                feed,
                operators: HashMap::new(),
                classes: HashMap::new(),
                last: None,
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
        let out = Self::met(this, &operator, arguments, keywords)?;
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

    /// The product that was counted last; only the first who asks gets it.
    fn taken(&self) -> Option<TakenOp> {
        let (feed, event) = self.state().last.take()?;
        Some(TakenOp { feed, event })
    }

    /// The number of the node whose gradients are being computed.
    fn node(&self, python: Python<'_>) -> PyResult<Option<u64>> {
        if !self.moment.is_backward(python)? {
            return Ok(None);
        }
        self.moment.node(python)
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
            .module(path, kind, params, 0);
        let address = module.as_ptr().addr();
        self.state().places.know(address, path, ModuleId(id));
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

    /// It ends.
    fn end_loop(&self) {
        self.state().loops.pop();
    }

    /// Counts into another feed; the one before comes back.
    #[pyo3(signature = (feed, /))]
    fn swap_feed(&self, feed: Py<Feed>) -> Py<Feed> {
        std::mem::replace(&mut self.state().feed, feed)
    }
}
