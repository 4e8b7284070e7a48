//! Calls whose results are known from an earlier one. What an operator makes of fake tensors is
//! decided by their sizes, strides, types and devices: where all of these repeat, as in the rounds
//! of a scan, it is made again without asking the framework, which takes several times as long.

mod key;
mod results;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use laptime_ops::{Argument, Tensor};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

pub use key::Key;
use key::Keyless;
use results::{Made, Maker};

/// Calls that are kept, so that a program whose calls never repeat fills no memory.
const LARGEST: usize = 200_000;

/// A call that was made before.
pub struct Known {
    made: Made,
    /// How it was counted.
    pub arguments: Vec<Argument>,
    pub outputs: Vec<Tensor>,
}

/// The calls that were made before.
pub struct Recall {
    reader: key::Reader,
    maker: Maker,
    known: Mutex<HashMap<Key, Arc<Known>>>,
}

impl Recall {
    /// For fake tensors of one mode.
    pub fn new(torch: &Bound<'_, PyAny>, mode: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            reader: key::Reader::new(torch, mode)?,
            maker: Maker::new(torch, mode)?,
            known: Mutex::default(),
        })
    }

    /// A call's key.
    pub fn key(
        &self,
        function: &Py<PyAny>,
        arguments: &Bound<'_, PyTuple>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<Key>> {
        match self.reader.key(function, arguments, keywords) {
            Ok(key) => Ok(Some(key)),
            Err(Keyless::Unknown) => Ok(None),
            Err(Keyless::Raised(error)) => Err(error),
        }
    }

    /// The call of a key.
    pub fn find(&self, key: &Key) -> Option<Arc<Known>> {
        self.known().get(key).cloned()
    }

    /// What a known call returns for these arguments.
    pub fn make<'py>(
        &self,
        known: &Known,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.maker.make(&known.made, arguments)
    }

    /// Keeps a call; `made` describes what it returned.
    pub fn learn(
        &self,
        key: Key,
        made: &Bound<'_, PyAny>,
        arguments: Vec<Argument>,
        outputs: Vec<Tensor>,
    ) -> PyResult<()> {
        let made = made.extract()?;
        let known = Known {
            made,
            arguments,
            outputs,
        };
        let mut all = self.known();
        if all.len() < LARGEST {
            all.insert(key, Arc::new(known));
        }
        Ok(())
    }

    /// Never held while Python runs.
    fn known(&self) -> MutexGuard<'_, HashMap<Key, Arc<Known>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
