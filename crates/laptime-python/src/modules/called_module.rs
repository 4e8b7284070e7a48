//! A module at one place of the tree of calls: its lap, and the tag of the nodes that it makes.
//!
//! A module that is called again is found by its address, and a weak reference tells whether the
//! module at an address is still the same. The place of one that is gone is taken over by the next of
//! its name and class: a module made anew for every step, such as `model[:4]`, would else leave a
//! place of its own in each graph that the program keeps.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ptr::null_mut;

use laptime_python_macros::guarded;
use laptime_recorder::{self as recorder, Site};
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use pyo3::{PyTraverseError, PyVisit, ffi};

use super::laps::ModuleLaps;
use crate::fast::lap::handle;
use crate::fast::{Locked, span};
use crate::interned::intern;
use crate::phases::own_python::Hidden;

/// A module where one other module calls it, or where nobody does.
#[pyclass(frozen, module = "laptime._core")]
pub struct CalledModule {
    of: RefCell<Py<PyWeakrefReference>>,
    /// Name of the module's lap.
    name: Py<PyAny>,
    /// The module that calls it, in its place; `None` for an outermost module.
    parent: Option<Py<CalledModule>>,
    depth: u32,
    /// The module's class; none for a compiled graph and for what is in no module.
    class: Option<String>,
    /// Whether the recording knows that.
    is_told: Cell<bool>,
    lap: Py<PyAny>,
    /// What the lap opens, where it is one of ours.
    site: Option<&'static Site>,
    /// Whether the module is what `torch.compile` returned.
    pub compiled: bool,
    /// Whether this stands for all that is in no module.
    is_outside: bool,
    /// Whether the module computes nothing between the modules that it calls.
    pub only_calls: bool,
    /// The laps of the thread that the module is called on.
    pub laps: Py<ModuleLaps>,
    /// Modules that the module calls.
    pub inside: CalledModules,
    graph: OnceCell<Py<CalledModule>>,
    tag: OnceCell<Py<PyAny>>,
}

// SAFETY: every access holds the interpreter lock.
unsafe impl Sync for CalledModule {}

static REACHED: Locked<ffi::PyMethodDef> = Locked::new(ffi::PyMethodDef {
    ml_name: c"reached".as_ptr(),
    ml_meth: ffi::PyMethodDefPointer {
        PyCFunction: reached,
    },
    ml_flags: ffi::METH_O,
    ml_doc: std::ptr::null(),
});

/// What a tag calls when the engine reaches its node; a gradient stays as it is.
unsafe extern "C" fn reached(
    this: *mut ffi::PyObject,
    _gradient: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter, bound to a place by `CalledModule::tag`.
    let place = unsafe {
        let python = Python::assume_attached();
        Bound::from_borrowed_ptr(python, this).cast_into_unchecked::<CalledModule>()
    };
    let laps = place.get().laps.bind(place.py()).get();
    let to = (!place.get().is_outside).then_some(&place);
    crate::entry::measuring(crate::fast::none, || {
        let told = laps.backward.reached(place.py(), to);
        let told =
            told.or_else(|error| ModuleLaps::give_up(place.get().laps.bind(place.py()), error));
        match told {
            Ok(()) => crate::fast::none(),
            Err(error) => {
                error.restore(place.py());
                null_mut()
            }
        }
    })
}

/// Whether a module is what `torch.compile` returned.
fn is_compiled(module: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(module.get_type().name()? == "OptimizedModule")
}

/// Whether a module computes nothing between the modules that it calls.
fn only_calls(laps: &Bound<'_, ModuleLaps>, module: &Bound<'_, PyAny>) -> PyResult<bool> {
    let sequence = laps.getattr(intern!(laps.py(), "SEQUENCE"))?;
    Ok(module.get_type().is(sequence))
}

impl CalledModule {
    /// Whether the module exchanges the gradients of those inside with other processes.
    pub fn replicates(&self) -> bool {
        self.class.as_deref() == Some("DistributedDataParallel")
    }

    /// A module at a place of the tree of calls.
    pub fn new<'py>(
        laps: &Bound<'py, ModuleLaps>,
        module: &Bound<'py, PyAny>,
        (name, class): (Bound<'py, PyAny>, Option<String>),
        parent: Option<&Bound<'py, CalledModule>>,
    ) -> PyResult<Bound<'py, CalledModule>> {
        let lap = laps.get().lap(laps.py(), &name)?;
        let place = Self {
            of: RefCell::new(PyWeakrefReference::new(module)?.unbind()),
            name: name.unbind(),
            parent: parent.map(|parent| parent.clone().unbind()),
            depth: parent.map_or(0, |parent| parent.get().depth + 1),
            is_told: Cell::new(class.is_none()),
            class,
            site: handle::site_of(&lap),
            lap: lap.unbind(),
            compiled: is_compiled(module)?,
            is_outside: module.is(laps),
            only_calls: only_calls(laps, module)?,
            laps: laps.clone().unbind(),
            inside: CalledModules::default(),
            graph: OnceCell::new(),
            tag: OnceCell::new(),
        };
        Bound::new(laps.py(), place)
    }

    /// Whether this is `module` at its place.
    #[inline]
    pub fn is_of(&self, module: &Bound<'_, PyAny>) -> bool {
        let of = self.module(module.py());
        of.is_some_and(|of| of.is(module))
    }

    /// The module, unless it is gone.
    #[inline]
    pub fn module<'py>(&self, python: Python<'py>) -> Option<Bound<'py, PyAny>> {
        self.of.borrow().bind(python).upgrade()
    }

    /// Whether the module is gone, and `module`, of that name and class, can stand at its place.
    fn is_free_for(
        &self,
        module: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
        class: Option<&str>,
    ) -> PyResult<bool> {
        let python = name.py();
        if self.module(python).is_some() || self.class.as_deref() != class {
            return Ok(false);
        }
        // A compiled graph belongs to one module.
        let is_whole = !self.compiled && self.graph.get().is_none() && !self.is_outside;
        Ok(is_whole
            && !is_compiled(module)?
            && self.only_calls == only_calls(self.laps.bind(python), module)?
            && self.name.bind(python).eq(name)?)
    }

    /// Opens the module's lap.
    #[inline]
    pub fn open(&self, python: Python<'_>) -> PyResult<()> {
        if let Some(site) = self.site {
            // SAFETY: the lock is held.
            unsafe { span::open(site) };
        } else {
            self.lap
                .bind(python)
                .call_method0(intern!(python, "__enter__"))?;
        }
        // Of a lap that is not ours the innermost open span may be another.
        if !self.is_told.get() && self.site.is_some() {
            self.tell();
        }
        Ok(())
    }

    /// Says in the recording which class the lap that was just opened is of.
    #[cold]
    fn tell(&self) {
        if let Some(class) = &self.class {
            self.is_told.set(recorder::module(self.depth, class));
        }
    }

    /// Closes the module's lap.
    #[inline]
    pub fn close(&self, python: Python<'_>) -> PyResult<()> {
        if let Some(site) = self.site {
            // SAFETY: the lock is held.
            unsafe { span::close(site) };
            return Ok(());
        }
        let none = python.None();
        let none = none.bind(python);
        self.lap
            .bind(python)
            .call_method1(intern!(python, "__exit__"), (none, none, none))?;
        Ok(())
    }

    /// Closes the module's lap at a moment that has passed.
    pub fn close_at(&self, python: Python<'_>, end: u64) -> PyResult<()> {
        let Some(site) = self.site else {
            return self.close(python);
        };
        span::close_at(site, end);
        Ok(())
    }

    /// Opens the laps from below `shared` down to this one's.
    pub fn open_below(&self, python: Python<'_>, shared: Option<&CalledModule>) -> PyResult<()> {
        if shared.is_some_and(|shared| std::ptr::eq(shared, self)) {
            return Ok(());
        }
        if let Some(parent) = self.above(python) {
            parent.open_below(python, shared)?;
        }
        self.open(python)
    }

    /// The module that calls this one.
    pub fn above<'a>(&'a self, python: Python<'a>) -> Option<&'a CalledModule> {
        self.parent.as_ref().map(|parent| parent.bind(python).get())
    }

    /// How many modules the module is inside of.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The compiled graph that takes the module's part, as one that it calls.
    pub fn graph<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, CalledModule>> {
        let python = this.py();
        if let Some(graph) = this.get().graph.get() {
            return Ok(graph.bind(python).clone());
        }
        let laps = this.get().laps.bind(python);
        let name = laps.getattr(intern!(python, "COMPILED"))?;
        let of = this
            .get()
            .module(python)
            .unwrap_or_else(|| laps.clone().into_any());
        let graph = Self::new(laps, &of, (name, None), Some(this))?;
        let _ = this.get().graph.set(graph.clone().unbind());
        Ok(graph)
    }

    /// A tensor that carries the hook of its nodes, made when first needed.
    pub fn tag<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let python = this.py();
        if let Some(tag) = this.get().tag.get() {
            return Ok(tag.bind(python).clone());
        }
        // SAFETY: a static definition, bound to a live object.
        let hook = unsafe {
            let hook = ffi::PyCFunction_NewEx(REACHED.get(), this.as_ptr(), null_mut());
            Bound::from_owned_ptr_or_err(python, hook)?
        };
        let laps = this.get().laps.bind(python);
        let tag = {
            let _hidden = Hidden::new(python);
            laps.call_method1(intern!(python, "make_tag"), (hook,))?
        };
        let _ = this.get().tag.set(tag.clone().unbind());
        Ok(tag)
    }
}

#[guarded]
#[pymethods]
impl CalledModule {
    /// Name of the module's lap.
    #[getter]
    fn name(&self, python: Python<'_>) -> Py<PyAny> {
        self.name.clone_ref(python)
    }

    /// The module that calls it, in its place; `None` for an outermost module.
    #[getter]
    fn parent(&self, python: Python<'_>) -> Option<Py<CalledModule>> {
        Some(self.parent.as_ref()?.clone_ref(python))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.laps)?;
        visit.call(&self.lap)?;
        visit.call(&self.parent)?;
        visit.call(self.graph.get())?;
        visit.call(self.tag.get())?;
        self.inside.traverse(&visit)
    }

    fn __clear__(&self, python: Python<'_>) {
        self.inside.clear(python);
    }
}

/// Called modules by their addresses. Modules that are gone are forgotten now and then.
#[derive(Default)]
pub struct CalledModules(RefCell<BTreeMap<usize, Py<CalledModule>>>);

/// How many called modules are kept before those of modules that are gone are looked for.
const MANY: usize = 64;

impl CalledModules {
    /// A module that is kept.
    #[inline]
    pub fn find<'py>(&self, module: &Bound<'py, PyAny>) -> Option<Bound<'py, CalledModule>> {
        let places = self.0.borrow();
        let place = places.get(&module.as_ptr().addr())?.bind(module.py());
        place.get().is_of(module).then(|| place.clone())
    }

    /// Gives the place of a module that is gone to another one of the same name and class.
    pub fn take_over<'py>(
        &self,
        module: &Bound<'py, PyAny>,
        name: &Bound<'py, PyAny>,
        class: Option<&str>,
    ) -> PyResult<Option<Bound<'py, CalledModule>>> {
        let python = module.py();
        let mut found = None;
        for (address, place) in &*self.0.borrow() {
            if place.get().is_free_for(module, name, class)? {
                found = Some((*address, place.bind(python).clone()));
                break;
            }
        }
        let Some((address, place)) = found else {
            return Ok(None);
        };
        let of = PyWeakrefReference::new(module)?.unbind();
        let old = place.get().of.replace(of);
        drop(old.into_bound(python));
        let moved = self.0.borrow_mut().remove(&address);
        drop(moved.map(|moved| moved.into_bound(python)));
        self.keep(module, &place);
        Ok(Some(place))
    }

    /// Keeps a module.
    pub fn keep(&self, module: &Bound<'_, PyAny>, place: &Bound<'_, CalledModule>) {
        let python = module.py();
        let mut places = self.0.borrow_mut();
        let mut old = Vec::new();
        old.extend(places.insert(module.as_ptr().addr(), place.clone().unbind()));
        if places.len() >= MANY && places.len().is_power_of_two() {
            let is_gone = |address: usize, place: &Py<CalledModule>| {
                let module = place.get().module(python);
                module.is_none_or(|module| module.as_ptr().addr() != address)
            };
            let gone = places.extract_if(.., |address, place| is_gone(*address, place));
            old.extend(gone.map(|(_, place)| place));
        }
        drop(places);
        // Bound: freed here and now, whoever holds the lock.
        for place in old {
            drop(place.into_bound(python));
        }
    }

    /// Shows the garbage collector what is held.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let places = self.0.try_borrow();
        places.map_or(Ok(()), |places| {
            places.values().try_for_each(|place| visit.call(place))
        })
    }

    /// Forgets all.
    pub fn clear(&self, python: Python<'_>) {
        for (_, place) in self.0.take() {
            drop(place.into_bound(python));
        }
    }
}
