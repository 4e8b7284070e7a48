//! The laps of one thread's modules: whose forward runs, and the tags for the backward.
//!
//! When a module returns, the autograd node of its output is tagged, once, by the innermost
//! module that made it: sequence numbers grow, so one below `untagged` was tagged already. What
//! happens when the engine reaches a tag is [`Backward`]'s.

use std::cell::Cell;
use std::ptr::null_mut;

use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{PyTraverseError, PyVisit, ffi};

use super::backward::Backward;
use super::called_module::{CalledModule, CalledModules};
use crate::handler;
use crate::interned::intern;
use crate::phases::own_python::Hidden;

thread_local! {
    /// The laps of this thread, while a forward or backward that is split is running. Held by
    /// whoever set it.
    static INTO: Cell<*mut ffi::PyObject> = const { Cell::new(null_mut()) };
}

/// What is looked into on this thread.
#[inline]
pub fn looked_into(python: Python<'_>) -> Option<Bound<'_, ModuleLaps>> {
    let laps = INTO.get();
    // SAFETY: null, or set by `look_into` to live laps.
    let laps = unsafe { Bound::from_borrowed_ptr_or_opt(python, laps)? };
    // SAFETY: as above.
    Some(unsafe { laps.cast_into_unchecked() })
}

/// Looks into something else and returns what was looked into before.
pub fn look_into(laps: *mut ffi::PyObject) -> *mut ffi::PyObject {
    INTO.replace(laps)
}

/// Laps of modules on one thread; Python's class derives from it.
#[pyclass(subclass, frozen, module = "laptime._core")]
pub struct ModuleLaps {
    tensor: Py<PyType>,
    /// Tells whether a mode of the program's is told of what is read from a tensor.
    is_listening: Option<Py<PyAny>>,
    make_lap: Py<PyAny>,
    roots: CalledModules,
    /// Where each module was seen, for recomputation inside a backward.
    pub known: CalledModules,
    /// The place whose forward is running. Not held: its module is being called.
    place: Cell<*mut ffi::PyObject>,
    tags: Cell<bool>,
    untagged: Cell<u64>,
    /// The backward that is being split.
    pub backward: Backward,
    /// What was looked into, and whose forward ran, where the backward began.
    around: Cell<(*mut ffi::PyObject, *mut ffi::PyObject)>,
}

// SAFETY: every access holds the interpreter lock.
unsafe impl Sync for ModuleLaps {}
// SAFETY: as above; the pointers are to Python objects.
unsafe impl Send for ModuleLaps {}

impl ModuleLaps {
    /// A lap of that name.
    pub fn lap<'py>(
        &self,
        python: Python<'py>,
        name: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.make_lap.bind(python).call1((name,))
    }

    /// The place whose forward is running.
    #[inline]
    pub fn place<'py>(&self, python: Python<'py>) -> Option<Bound<'py, CalledModule>> {
        // SAFETY: null, or a place whose module is being called and whose parent holds it.
        let place = unsafe { Bound::from_borrowed_ptr_or_opt(python, self.place.get())? };
        // SAFETY: as above.
        Some(unsafe { place.cast_into_unchecked() })
    }

    /// Sets the place whose forward runs from here on; returns the one whose forward ran until then.
    #[inline]
    pub fn go_to(&self, place: *mut ffi::PyObject) -> *mut ffi::PyObject {
        self.place.replace(place)
    }

    /// No node is tagged from here on.
    pub fn tag_nothing(&self) {
        self.tags.set(false);
    }

    /// What an outermost module is given was made outside of it.
    pub fn tag_outside(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let laps = this.get();
        if !laps.is_plain(value) {
            return Ok(());
        }
        let mut outside = laps.roots.find(this);
        if outside.is_none() {
            let place = CalledModule::new(
                this,
                this,
                ("".into_pyobject(this.py())?.into_any(), None),
                None,
            )?;
            laps.roots.keep(this, &place);
            outside = Some(place);
        }
        outside.map_or(Ok(()), |outside| Self::tag(this, value, &outside))
    }

    /// Whether a value is a tensor and of no class of its own.
    #[inline]
    pub fn is_plain(&self, value: &Bound<'_, PyAny>) -> bool {
        std::ptr::eq(value.get_type_ptr().cast(), self.tensor.as_ptr())
    }

    /// Whether what is read from a tensor is seen by the program; Python knows how to hide it.
    #[inline]
    fn is_listened_to(&self, python: Python<'_>) -> PyResult<bool> {
        let Some(is_listening) = &self.is_listening else {
            return Ok(false);
        };
        is_listening.bind(python).call0()?.is_truthy()
    }

    /// Name of a module's class.
    fn class_of(this: &Bound<'_, Self>, module: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        this.call_method1(intern!(this.py(), "class_of"), (module,))?
            .extract()
    }

    /// Tensors of a class of their own, and several: Python knows how to look at them.
    fn tag_other(
        this: &Bound<'_, Self>,
        value: &Bound<'_, PyAny>,
        place: &Bound<'_, CalledModule>,
    ) -> PyResult<()> {
        let python = this.py();
        let _hidden = Hidden::new(python);
        this.call_method1(intern!(python, "tag_several"), (value, place))?;
        Ok(())
    }

    /// An older or newer torch, or a graph that is no ordinary one: nothing is tagged any more.
    #[cold]
    pub fn give_up(this: &Bound<'_, Self>, error: PyErr) -> PyResult<()> {
        let python = this.py();
        if handler::raised(python, &error) {
            return Err(error);
        }
        this.get().tags.set(false);
        let _hidden = Hidden::new(python);
        match this.call_method1(intern!(python, "gave_up"), (error,)) {
            Err(error) if handler::raised(python, &error) => Err(error),
            _ => Ok(()),
        }
    }
}

impl ModuleLaps {
    /// The place of an outermost module.
    pub fn root<'py>(
        this: &Bound<'py, Self>,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, CalledModule>> {
        if let Some(place) = this.get().roots.find(module) {
            return Ok(place);
        }
        let (name, class) = {
            let _hidden = Hidden::new(this.py());
            let name = this.call_method1(intern!(this.py(), "name_of_root"), (module,))?;
            (name, Self::class_of(this, module)?)
        };
        if let Some(place) = this
            .get()
            .roots
            .take_over(module, &name, class.as_deref())?
        {
            return Ok(place);
        }
        let place = CalledModule::new(this, module, (name, class), None)?;
        this.get().roots.keep(module, &place);
        Ok(place)
    }

    /// The place of a module that another one calls.
    pub fn inside<'py>(
        this: &Bound<'py, Self>,
        parent: &Bound<'py, CalledModule>,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, CalledModule>> {
        if let Some(place) = parent.get().inside.find(module) {
            return Ok(place);
        }
        let caller = parent.get().module(this.py());
        let (name, class) = {
            let _hidden = Hidden::new(this.py());
            let name = this.call_method1(intern!(this.py(), "name_of"), (caller, module))?;
            (name, Self::class_of(this, module)?)
        };
        let inside = &parent.get().inside;
        let free = inside.take_over(module, &name, class.as_deref())?;
        let place = if let Some(place) = free {
            place
        } else {
            let place = CalledModule::new(this, module, (name, class), Some(parent))?;
            inside.keep(module, &place);
            place
        };
        this.get().known.keep(module, &place);
        Ok(place)
    }

    /// Lets the backward of what made `value` be timed as the place's.
    #[inline]
    pub fn tag(
        this: &Bound<'_, Self>,
        value: &Bound<'_, PyAny>,
        place: &Bound<'_, CalledModule>,
    ) -> PyResult<()> {
        let laps = this.get();
        if value.is_none() || !laps.tags.get() {
            return Ok(());
        }
        let tagged = if laps.is_plain(value) && !laps.is_listened_to(value.py())? {
            laps.tag_tensor(value, place)
        } else {
            Self::tag_other(this, value, place)
        };
        tagged.or_else(|error| Self::give_up(this, error))
    }

    /// The same of one tensor, whatever its class.
    fn tag_tensor(
        &self,
        value: &Bound<'_, PyAny>,
        place: &Bound<'_, CalledModule>,
    ) -> PyResult<()> {
        let python = value.py();
        let node = value.getattr(intern!(python, "grad_fn"))?;
        if node.is_none() {
            return Ok(());
        }
        let number = node.call_method0(intern!(python, "_sequence_nr"))?;
        let number: u64 = number.extract()?;
        if number >= self.untagged.get() && number < u64::MAX {
            self.untagged.set(number + 1);
            let tag = CalledModule::tag(place)?;
            node.call_method1(intern!(python, "_register_hook_dict"), (tag,))?;
        }
        Ok(())
    }

    /// The engine starts.
    pub fn backward_begin(this: &Bound<'_, Self>) {
        let laps = this.get();
        let around = (look_into(this.as_ptr()), laps.go_to(null_mut()));
        laps.around.set(around);
        laps.backward.begin();
    }

    /// The engine is done, and has waited since then, if it has.
    pub fn backward_end(this: &Bound<'_, Self>, since: Option<u64>) -> PyResult<()> {
        let (laps, python) = (this.get(), this.py());
        let (into, place) = laps.around.get();
        look_into(into);
        laps.go_to(place);
        let elsewhere = laps.backward.end(python, since)?;
        if !elsewhere.is_empty() {
            let _hidden = Hidden::new(python);
            this.call_method1(intern!(python, "replay"), (elsewhere,))?;
        }
        Ok(())
    }
}

#[guarded]
#[pymethods]
impl ModuleLaps {
    #[new]
    fn new(torch: &Bound<'_, PyAny>, core: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            tensor: torch.getattr("Tensor")?.cast_into()?.unbind(),
            is_listening: torch
                .getattr("_C")?
                .getattr("_is_torch_function_mode_enabled")
                .ok()
                .map(Bound::unbind),
            make_lap: core.getattr("lap")?.unbind(),
            roots: CalledModules::default(),
            known: CalledModules::default(),
            place: Cell::new(null_mut()),
            tags: Cell::new(true),
            untagged: Cell::new(0),
            backward: Backward::new(core)?,
            around: Cell::new((null_mut(), null_mut())),
        })
    }

    /// Lets the backward of what made one tensor, whatever its class, be timed as the place's.
    #[pyo3(name = "tag_tensor")]
    fn tag_one(&self, value: &Bound<'_, PyAny>, place: &Bound<'_, CalledModule>) -> PyResult<()> {
        self.tag_tensor(value, place)
    }

    /// The tensor that carries the hook of a place's nodes.
    #[staticmethod]
    fn tag_of<'py>(place: &Bound<'py, CalledModule>) -> PyResult<Bound<'py, PyAny>> {
        CalledModule::tag(place)
    }

    /// Whether a backward is being split.
    #[getter]
    fn backward(&self) -> bool {
        self.backward.is_on()
    }

    #[pyo3(name = "root")]
    fn root_of<'py>(
        this: &Bound<'py, Self>,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, CalledModule>> {
        Self::root(this, module)
    }

    #[pyo3(name = "inside")]
    fn inside_of<'py>(
        this: &Bound<'py, Self>,
        parent: &Bound<'py, CalledModule>,
        module: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, CalledModule>> {
        Self::inside(this, parent, module)
    }

    #[pyo3(name = "tag")]
    fn tag_value(
        this: &Bound<'_, Self>,
        value: &Bound<'_, PyAny>,
        place: &Bound<'_, CalledModule>,
    ) -> PyResult<()> {
        Self::tag(this, value, place)
    }

    #[pyo3(name = "backward_begin")]
    fn begins(this: &Bound<'_, Self>) {
        Self::backward_begin(this);
    }

    #[pyo3(name = "backward_end", signature = (since=None))]
    fn ends(this: &Bound<'_, Self>, since: Option<u64>) -> PyResult<()> {
        Self::backward_end(this, since)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.make_lap)?;
        self.backward.traverse(&visit)?;
        self.roots.traverse(&visit)?;
        self.known.traverse(&visit)
    }

    fn __clear__(&self, python: Python<'_>) {
        self.roots.clear(python);
        self.known.clear(python);
    }
}
