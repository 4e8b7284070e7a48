//! What stands in for `__torch_function__`: tensors of the program are exchanged for their
//! stand-ins on the way into a function, and back on the way out.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyTuple, PyType};

use crate::interned::intern;

#[derive(Default)]
struct Pairs {
    /// The program's tensors, held, and their stand-ins, by the tensors' addresses.
    made: HashMap<usize, (Py<PyAny>, Py<PyAny>)>,
    /// The program's tensors by the addresses of their stand-ins.
    held: HashMap<usize, Py<PyAny>>,
}

/// The memory that a count made, and may write to.
#[pyclass(frozen, module = "laptime._core")]
#[derive(Default)]
pub struct OwnMemory {
    addresses: Mutex<HashSet<usize>>,
}

impl OwnMemory {
    fn addresses(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[guarded]
#[pymethods]
impl OwnMemory {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// What lies at an address is the count's.
    #[pyo3(signature = (address, /))]
    fn add(&self, address: usize) {
        self.addresses().insert(address);
    }

    /// Whether it is.
    #[pyo3(signature = (address, /))]
    fn owns(&self, address: usize) -> bool {
        self.addresses().contains(&address)
    }
}

/// A function mode's hot path; Python's class derives from it and from `TorchFunctionMode`.
#[pyclass(subclass, frozen, module = "laptime._core")]
pub struct TorchFunction {
    tensor: Py<PyType>,
    /// The class of what the count makes, unless it plays on real tensors.
    fake: Option<Py<PyType>>,
    /// What is called in place of some functions.
    instead: Py<PyDict>,
    pairs: Mutex<Pairs>,
    /// What a count on real tensors made.
    memory: Option<Py<OwnMemory>>,
    /// How many functions are under way that the mode was taken off for.
    inside: AtomicI64,
    /// How many operators are being looked at: what Laptime asks of tensors is not the program's.
    paused: AtomicI64,
    raised: Mutex<Vec<PyErr>>,
}

/// Until it is dropped, nothing is exchanged.
pub struct Pause<'a>(&'a TorchFunction);

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.paused.fetch_sub(1, Relaxed);
    }
}

impl TorchFunction {
    /// Nothing is exchanged until the answer is dropped.
    pub fn pause(&self) -> Pause<'_> {
        self.paused.fetch_add(1, Relaxed);
        Pause(self)
    }

    /// Never held while Python runs.
    fn pairs(&self) -> MutexGuard<'_, Pairs> {
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a function gets for `value`; `None` where it stays as it is.
    fn exchange<'py>(
        this: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let python = this.py();
        let class = value.get_type();
        if let Some(fake) = &this.get().fake
            && class.is(fake)
        {
            return Ok(this.get().made(value));
        }
        if let Ok(parts) = value.cast_exact::<PyTuple>() {
            let made = Self::exchange_all(this, || parts.iter())?;
            return made
                .map(|made| PyTuple::new(python, made).map(Bound::into_any))
                .transpose();
        }
        if let Ok(parts) = value.cast_exact::<PyList>() {
            let made = Self::exchange_all(this, || parts.iter())?;
            return made
                .map(|made| PyList::new(python, made).map(Bound::into_any))
                .transpose();
        }
        if let Ok(parts) = value.cast_exact::<PyDict>() {
            return Self::exchange_values(this, parts).map(|made| made.map(Bound::into_any));
        }
        if let Ok(slice) = value.cast_exact::<PySlice>() {
            let ends = [
                slice.getattr("start")?,
                slice.getattr("stop")?,
                slice.getattr("step")?,
            ];
            let Some(made) = Self::exchange_all(this, || ends.iter().cloned())? else {
                return Ok(None);
            };
            let class = python.get_type::<PySlice>();
            return class.call1(PyTuple::new(python, made)?).map(Some);
        }
        if !class.is_subclass(this.get().tensor.bind(python))? {
            return Ok(None);
        }
        if let Some(made) = this.get().made(value) {
            return Ok(Some(made));
        }
        if this.get().is_own(value) {
            return Ok(None);
        }
        let made = this.call_method1(intern!(python, "meet"), (value,))?;
        Ok((!made.is(value)).then_some(made))
    }

    /// What was made to stand for a tensor.
    fn made<'py>(&self, tensor: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        let address = tensor.as_ptr().addr();
        let pairs = self.pairs();
        let (_, made) = pairs.made.get(&address)?;
        Some(made.bind(tensor.py()).clone())
    }

    /// Whether the count made the memory of a plain tensor. Of others Python knows.
    fn is_own(&self, tensor: &Bound<'_, PyAny>) -> bool {
        let python = tensor.py();
        let Some(memory) = &self.memory else {
            return false;
        };
        tensor.get_type().is(&self.tensor)
            && tensor
                .call_method0(intern!(python, "untyped_storage"))
                .and_then(|storage| storage.getattr(intern!(python, "_cdata")))
                .and_then(|address| address.extract::<usize>())
                .is_ok_and(|address| memory.get().addresses().contains(&address))
    }

    /// All with what was exchanged; `None` where nothing was.
    fn exchange_all<'py, Parts: Iterator<Item = Bound<'py, PyAny>>>(
        this: &Bound<'py, Self>,
        parts: impl Fn() -> Parts,
    ) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        let mut made: Option<Vec<_>> = None;
        for (index, part) in parts().enumerate() {
            let instead = Self::exchange(this, &part)?;
            if let Some(made) = &mut made {
                made.push(instead.unwrap_or(part));
            } else if let Some(instead) = instead {
                let mut before: Vec<_> = parts().take(index).collect();
                before.push(instead);
                made = Some(before);
            }
        }
        Ok(made)
    }

    fn exchange_values<'py>(
        this: &Bound<'py, Self>,
        parts: &Bound<'py, PyDict>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut made = None;
        for (name, value) in parts.iter() {
            if let Some(instead) = Self::exchange(this, &value)? {
                if made.is_none() {
                    made = Some(parts.copy()?);
                }
                if let Some(made) = &made {
                    made.set_item(name, instead)?;
                }
            }
        }
        Ok(made)
    }

    /// What the program gets of what a function returns: its own, where it is that.
    fn exchange_back<'py>(
        this: &Bound<'py, Self>,
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = this.py();
        let address = value.as_ptr().addr();
        if let Some(own) = this.get().pairs().held.get(&address) {
            return Ok(own.bind(python).clone());
        }
        let parts: Vec<Bound<'py, PyAny>> = if let Ok(parts) = value.cast_exact::<PyTuple>() {
            parts.iter().collect()
        } else if let Ok(parts) = value.cast_exact::<PyList>() {
            parts.iter().collect()
        } else {
            return Ok(value);
        };
        let mut changed = false;
        let mut made = Vec::with_capacity(parts.len());
        for part in parts {
            let own = Self::exchange_back(this, part.clone())?;
            changed |= !own.is(&part);
            made.push(own);
        }
        if !changed {
            return Ok(value);
        }
        if value.is_exact_instance_of::<PyList>() {
            return Ok(PyList::new(python, made)?.into_any());
        }
        Ok(PyTuple::new(python, made)?.into_any())
    }
}

/// How many errors that functions raised are remembered.
const MOST_RAISED: usize = 8;

impl TorchFunction {
    fn note_raised(&self, error: PyErr) {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.len() < MOST_RAISED {
            raised.push(error);
        }
    }
}

#[guarded]
#[pymethods]
impl TorchFunction {
    #[new]
    #[pyo3(signature = (tensor, fake, instead, memory, /))]
    fn new(
        tensor: Py<PyType>,
        fake: Option<Py<PyType>>,
        instead: Py<PyDict>,
        memory: Option<Py<OwnMemory>>,
    ) -> Self {
        Self {
            tensor,
            fake,
            instead,
            pairs: Mutex::default(),
            memory,
            inside: AtomicI64::new(0),
            paused: AtomicI64::new(0),
            raised: Mutex::default(),
        }
    }

    #[pyo3(signature = (function, types, arguments=None, keywords=None, /))]
    fn __torch_function__<'py>(
        this: &Bound<'py, Self>,
        function: &Bound<'py, PyAny>,
        types: &Bound<'py, PyAny>,
        arguments: Option<Bound<'py, PyTuple>>,
        keywords: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = types;
        let python = this.py();
        let mut arguments = arguments.unwrap_or_else(|| PyTuple::empty(python));
        if this.get().paused.load(Relaxed) > 0 {
            return function.call(arguments, keywords.as_ref());
        }
        if let Some(made) = Self::exchange_all(this, || arguments.iter())? {
            arguments = PyTuple::new(python, made)?;
        }
        let mut keywords = keywords;
        if let Some(given) = &keywords
            && let Some(made) = Self::exchange_values(this, given)?
        {
            keywords = Some(made);
        }
        let instead = this.get().instead.bind(python).get_item(function)?;
        let function = instead.as_ref().unwrap_or(function);
        this.get().inside.fetch_add(1, Relaxed);
        let out = function.call(arguments, keywords.as_ref());
        let before = this.get().inside.fetch_sub(1, Relaxed);
        if let Err(error) = &out
            && before == 1
        {
            this.get().note_raised(error.clone_ref(python));
        }
        Self::exchange_back(this, out?)
    }

    /// What a function gets for what the program passes.
    fn given<'py>(
        this: &Bound<'py, Self>,
        value: Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(Self::exchange(this, &value)?.unwrap_or(value))
    }

    /// What the program gets of what a function returns.
    fn back<'py>(this: &Bound<'py, Self>, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Self::exchange_back(this, value)
    }

    /// From now on `made` stands for `tensor`.
    fn pair(&self, tensor: Py<PyAny>, made: Py<PyAny>) {
        let (address, other) = (tensor.as_ptr().addr(), made.as_ptr().addr());
        let mut pairs = self.pairs();
        Python::attach(|python| pairs.held.insert(other, tensor.clone_ref(python)));
        pairs.made.insert(address, (tensor, made));
    }

    /// The stand-in of a tensor, if it has one.
    fn stand_in(&self, python: Python<'_>, tensor: &Bound<'_, PyAny>) -> Option<Py<PyAny>> {
        let address = tensor.as_ptr().addr();
        let pairs = self.pairs();
        pairs
            .made
            .get(&address)
            .map(|(_, made)| made.clone_ref(python))
    }

    /// Whether a tensor stands for one of the program's.
    fn stands_in(&self, tensor: &Bound<'_, PyAny>) -> bool {
        self.pairs().held.contains_key(&tensor.as_ptr().addr())
    }

    /// Sets how many functions are under way that the mode was taken off for; what it was before.
    fn swap_inside(&self, inside: i64) -> i64 {
        self.inside.swap(inside, Relaxed)
    }

    /// Sets how many operators are being looked at; what it was before.
    fn swap_paused(&self, paused: i64) -> i64 {
        self.paused.swap(paused, Relaxed)
    }

    /// What the first functions that failed raised: the program may keep that to itself.
    fn raised(&self, python: Python<'_>) -> Vec<Py<PyAny>> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let value = |error: &PyErr| error.value(python).clone().into_any().unbind();
        raised.iter().map(value).collect()
    }

    /// The count is over: nothing is held any more.
    fn clear(&self) {
        self.raised
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        let pairs = std::mem::take(&mut *self.pairs());
        drop(pairs);
    }
}
