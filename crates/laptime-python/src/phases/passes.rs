//! Loaders and iterators of the program, and what is remembered of each.
//!
//! Both are told by their addresses, and by a weak reference each, which also tells when an
//! iterator is gone. Nothing is asked of them, and nothing is set on them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use laptime_python_macros::guarded;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use laptime_phases::{Iteration, Loader};

/// Entries from which on those of objects that are gone are looked for.
const MANY: usize = 32;

/// Something kept for each of some objects, for as long as that lives.
pub struct Kept<T>(Mutex<BTreeMap<usize, Of<T>>>);

/// An object, and what is kept for it.
type Of<T> = (Py<PyWeakrefReference>, Arc<T>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Kept<T> {
    /// What is kept for an object.
    pub fn find(&self, object: &Bound<'_, PyAny>) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, value) = kept.get(&object.as_ptr().addr())?;
        let of = of.bind(object.py()).upgrade()?;
        of.is(object).then(|| Arc::clone(value))
    }

    /// Keeps something for an object.
    fn keep(&self, object: &Bound<'_, PyAny>, of: Bound<'_, PyWeakrefReference>, value: Arc<T>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut old = Vec::new();
        old.extend(kept.insert(object.as_ptr().addr(), (of.unbind(), value)));
        if kept.len() >= MANY && kept.len().is_power_of_two() {
            let python = object.py();
            let gone = kept.extract_if(.., |_, (of, _)| of.bind(python).upgrade().is_none());
            old.extend(gone.map(|(_, value)| value));
        }
        drop(kept);
        drop(old);
    }
}

/// Loaders, and the passes over them.
#[derive(Default)]
pub struct Passes {
    loaders: Kept<Loader>,
    iterations: Kept<Iteration>,
}

/// Called when an iterator is gone.
#[pyclass(frozen)]
struct Gone(Arc<Iteration>);

#[guarded]
#[pymethods]
impl Gone {
    fn __call__(&self, _reference: &Bound<'_, PyAny>) {
        self.0.gone.set(true);
    }
}

impl Passes {
    /// The pass that an iterator makes.
    pub fn of(&self, iterator: &Bound<'_, PyAny>) -> PyResult<Arc<Iteration>> {
        match self.iterations.find(iterator) {
            Some(known) => Ok(known),
            None => self.begin(iterator, Arc::default()),
        }
    }

    /// An iterator was made by a loader.
    pub fn made(
        &self,
        iterator: &Bound<'_, PyAny>,
        loader: &Bound<'_, PyAny>,
    ) -> PyResult<Arc<Iteration>> {
        self.begin(iterator, self.loader(loader))
    }

    /// What is remembered of a loader.
    pub fn loader(&self, loader: &Bound<'_, PyAny>) -> Arc<Loader> {
        self.loaders.find(loader).unwrap_or_else(|| {
            let memory = Arc::new(Loader::default());
            if let Ok(of) = PyWeakrefReference::new(loader) {
                self.loaders.keep(loader, of, Arc::clone(&memory));
            }
            memory
        })
    }

    fn begin(&self, iterator: &Bound<'_, PyAny>, loader: Arc<Loader>) -> PyResult<Arc<Iteration>> {
        if let Some(old) = self.iterations.find(iterator) {
            old.gone.set(true); // it starts over
        }
        let iteration = Arc::new(Iteration::new(loader));
        let gone = Bound::new(iterator.py(), Gone(Arc::clone(&iteration)))?;
        let of = PyWeakrefReference::new_with(iterator, gone)?;
        self.iterations.keep(iterator, of, Arc::clone(&iteration));
        Ok(iteration)
    }
}
