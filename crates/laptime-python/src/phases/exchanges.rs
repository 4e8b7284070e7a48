//! What processes that train together exchange, and how long this one waits for it.
//!
//! A collective of `torch.distributed` that returns when it is done is a span. Replicas exchange
//! their gradients while a backward computes others; how long it waited after its own last one Python
//! reads from what the replica keeps: see `laptime.integrations._communication`.

use pyo3::prelude::*;
use pyo3::types::PyDictMethods;

use laptime_phases::{Flag, Machine};
use laptime_recorder::clock;

use super::call::Call;
use super::own_python::{Hidden, answers, guarded};
use super::process::Phases;
use super::thread;
use crate::interned::intern;
use crate::rate;

/// What is known of the exchanges of a process.
#[derive(Default)]
pub struct Exchanges {
    /// Whether a replica was called.
    replicates: Flag,
    /// A device does it: nobody waits.
    is_elsewhere: Flag,
}

/// Whether a collective only begins, and is waited for later.
fn is_launch(call: &Call<'_>) -> PyResult<bool> {
    let named = call.named()?;
    let launches = named.get_item(intern!(call.python, "async_op"))?;
    launches.map_or(Ok(false), |launches| launches.is_truthy())
}

impl Phases {
    fn waits_for_exchanges(&self, python: Python<'_>) -> PyResult<bool> {
        if self.exchanges.is_elsewhere.get() {
            return Ok(false);
        }
        let waits = answers(python, &self.asked.is_waited_for, ())?;
        self.exchanges.is_elsewhere.set(!waits);
        Ok(waits)
    }

    /// Since when the backward that is over has waited for other processes, as far as it has.
    pub fn waited_since(&self, python: Python<'_>) -> PyResult<Option<u64>> {
        if !self.exchanges.replicates.get() {
            return Ok(None);
        }
        let _hidden = Hidden::new(python);
        let last = self.asked.last_gradients.call0(python)?;
        let last: Vec<(u64, u64)> = last.extract(python)?;
        Ok(last
            .into_iter()
            .map(|(end, after_ns)| end.saturating_add(rate::ticks(after_ns)))
            .max())
    }

    /// A collective is called.
    pub fn exchange<'py>(&self, call: &Call<'py>) -> PyResult<Bound<'py, PyAny>> {
        let python = call.python;
        // Of a thread that doesn't train it is nothing.
        let begun = guarded(|| {
            Ok(self.with(|_| ()).is_some()
                && !is_launch(call)?
                && self.waits_for_exchanges(python)?
                && self.with(Machine::communication_begin).is_some())
        });
        let begun = match begun {
            Ok(begun) => begun,
            Err(error) => self.broken(python, error).map(|()| false)?,
        };
        let result = call.pass();
        if begun {
            self.with(|machine| machine.communication_end(result.is_err()));
        }
        thread::take_trouble().map_or(Ok(()), |error| self.broken(python, error))?;
        result
    }

    /// A replica is called; `told` of its module and of when its forward was over.
    pub fn replicated<'py>(
        &self,
        call: &Call<'py>,
        told: &Py<PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = call.python;
        let result = call.pass()?;
        let end = clock::now();
        let kept = guarded(|| {
            let Some(replica) = call.argument(0) else {
                return Ok(());
            };
            if answers(python, told, (replica, end))? {
                self.exchanges.replicates.set(true);
            }
            Ok(())
        });
        kept.or_else(|error| self.broken(python, error))?;
        Ok(result)
    }
}
