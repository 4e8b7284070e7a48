//! Places by their modules: where a module that is called again is found.
//!
//! Modules are told by their addresses, and a weak reference tells whether the module at an
//! address is still the same.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use super::place::Place;

/// Places by their modules' addresses. Modules that are gone are forgotten now and then.
#[derive(Default)]
pub struct Places(RefCell<BTreeMap<usize, Py<Place>>>);

/// Places from which on those of modules that are gone are looked for.
const MANY: usize = 64;

impl Places {
    /// The place of a module.
    #[inline]
    pub fn find<'py>(&self, module: &Bound<'py, PyAny>) -> Option<Bound<'py, Place>> {
        let places = self.0.borrow();
        let place = places.get(&module.as_ptr().addr())?.bind(module.py());
        place.get().is_of(module).then(|| place.clone())
    }

    /// Keeps the place of a module.
    pub fn keep(&self, module: &Bound<'_, PyAny>, place: &Bound<'_, Place>) {
        let python = module.py();
        let mut places = self.0.borrow_mut();
        let mut old = Vec::new();
        old.extend(places.insert(module.as_ptr().addr(), place.clone().unbind()));
        if places.len() >= MANY && places.len().is_power_of_two() {
            let gone = places.extract_if(.., |_, place| place.get().module(python).is_none());
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
