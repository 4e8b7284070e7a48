//! Spans by identity, marks and metrics: what integrations are built from.
//!
//! An identity is one integer, a token: 0 stands for "nothing was opened". A span is closed on
//! the thread or task where it was opened; elsewhere, or a second time, closing does nothing.

use laptime_core::SpanFlags;
use laptime_python_macros::guarded;
use laptime_recorder::{self as recorder, Open, Site, clock};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::entry::{answered_object, measuring, raised};
use crate::fast::{name, span};
use crate::jax::launches;
use crate::rate;
use crate::steps;

/// Bits of a token that hold the span's place on its stack; the others hold its start.
const INDEX_BITS: u32 = 16;
const INDEX_MASK: u128 = (1 << INDEX_BITS) - 1;

pub fn token(open: Option<Open>) -> u128 {
    open.map_or(0, |open| {
        let (index, start) = open.to_raw();
        u128::from(start) << INDEX_BITS | u128::from(index).min(INDEX_MASK)
    })
}

pub fn identity(token: u128) -> Open {
    Open::from_raw((token & INDEX_MASK) as u32, (token >> INDEX_BITS) as u64)
}

fn site(name: &Bound<'_, PyString>) -> PyResult<&'static Site> {
    // SAFETY: a `str`, with the lock held.
    unsafe { name::site(name.as_ptr()) }.ok_or_else(|| raised(name.py()))
}

/// Ticks of the recorder's clock.
#[guarded]
#[pyfunction]
pub fn now() -> u64 {
    measuring(|| 0, clock::now)
}

/// A length of time in ticks, in nanoseconds.
#[guarded]
#[pyfunction]
pub fn ticks_to_ns(ticks: u64) -> u64 {
    measuring(|| 0, || rate::nanoseconds(ticks).round() as u64)
}

/// Opens a span under the innermost open one.
#[guarded]
#[pyfunction]
#[pyo3(signature = (name, start=None, *, automatic=false))]
pub fn open_span(
    name: &Bound<'_, PyString>,
    start: Option<u64>,
    automatic: bool,
) -> PyResult<Py<PyAny>> {
    let open = || {
        let site = site(name)?;
        let is_lap = start.is_none() && !automatic;
        let look = (is_lap && launches::is_on()).then(|| launches::look(site));
        let open = span::at(|| match (start, automatic) {
            (_, true) => recorder::enter_automatic(site, start),
            (Some(start), false) => recorder::enter_at(site, start),
            (None, false) => recorder::enter(site),
        });
        launches::opened(look.flatten(), open);
        // A span that nobody knows how to close would be around all that comes.
        answered_object(|| Ok(token(open))).or_else(|_| {
            if let Some(open) = open {
                span::at(|| recorder::suspend(open));
            }
            answered_object(|| Ok(0_u128))
        })
    };
    measuring(|| answered_object(|| Ok(0_u128)), open)
}

/// Closes a span by its token and returns its ticks: 0 when it is not open here.
#[guarded]
#[pyfunction]
#[pyo3(signature = (token, end=None, flags=0))]
pub fn close_span(python: Python<'_>, token: u128, end: Option<u64>, flags: u64) -> PyResult<u64> {
    if token == 0 {
        return Ok(0);
    }
    let closing = || steps::closing(identity(token));
    let step = steps::is_on().then(|| measuring(|| None, closing));
    let close = || {
        let (open, flags) = (identity(token), SpanFlags(flags));
        match launches::ended(open) {
            Some((now, known)) => span::close_by_id(open, end.or(Some(now)), flags.with(known)),
            None => span::close_by_id(open, end, flags),
        }
    };
    let ticks = measuring(|| None, close).unwrap_or(0);
    if let Some(step) = step.flatten() {
        let tell = || {
            steps::ended(&step, false);
            steps::deliver(python)
        };
        measuring(|| Ok(()), tell)?;
    }
    Ok(ticks)
}

/// Whether a span is still open on the stack of the running thread or task.
#[guarded]
#[pyfunction]
pub fn is_open(token: u128) -> bool {
    token != 0 && measuring(|| false, || span::at(|| recorder::is_open(identity(token))))
}

/// Takes a span off the stack without recording it and returns the ticks since it opened.
#[guarded]
#[pyfunction]
pub fn suspend_span(token: u128) -> u64 {
    if token == 0 {
        return 0;
    }
    let suspend = || span::at(|| recorder::suspend(identity(token)));
    measuring(|| None, suspend).unwrap_or(0)
}

/// Records a named instant.
#[guarded]
#[pyfunction]
#[pyo3(signature = (name, /))]
pub fn mark(name: &Bound<'_, PyString>) -> PyResult<()> {
    let mark = || {
        let site = site(name)?;
        span::at(|| recorder::mark(site));
        Ok(())
    };
    measuring(|| Ok(()), mark)
}

/// Records a named number at this instant.
#[guarded]
#[pyfunction]
#[pyo3(signature = (name, value, /))]
pub fn metric(name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let value = number(name, value)?;
    let metric = || {
        let site = site(name)?;
        span::at(|| recorder::metric(site, value));
        Ok(())
    };
    measuring(|| Ok(()), metric)
}

/// The value of a metric.
///
/// **Raises** `TypeError` that names the metric, where it is no number; `OverflowError`, where it is one beyond
/// what a float holds.
fn number(name: &Bound<'_, PyString>, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let python = value.py();
    value.extract::<f64>().map_err(|error| {
        let shown = name.repr().map(|name| name.to_string()).unwrap_or_default();
        if error.is_instance_of::<PyOverflowError>(python) {
            let message = format!("the metric {shown} takes a number that a float holds");
            return caused(PyOverflowError::new_err(message), error, python);
        }
        if !error.is_instance_of::<PyTypeError>(python) {
            return error;
        }
        let given = match value.cast::<PyString>() {
            Ok(text) if text.len().unwrap_or(usize::MAX) < 40 => {
                text.repr().map(|text| text.to_string())
            }
            _ => value.get_type().name().map(|name| name.to_string()),
        };
        let message = format!(
            "the metric {shown} takes a number, not {}",
            given.unwrap_or_else(|_| "this".to_owned())
        );
        caused(PyTypeError::new_err(message), error, python)
    })
}

fn caused(named: PyErr, error: PyErr, python: Python<'_>) -> PyErr {
    named.set_cause(python, Some(error));
    named
}

/// Tells readers of the recording something once.
#[guarded]
#[pyfunction]
pub fn note(code: &str, message: &str) {
    measuring(|| (), || recorder::note(code, message));
}

/// Notes that the interpreter exits from here on.
#[guarded]
#[pyfunction]
pub fn leave_interpreter() {
    measuring(|| (), recorder::leave_interpreter);
}

/// Names of the spans that are open here, outermost first.
#[guarded]
#[pyfunction]
pub fn current_path() -> Vec<String> {
    let names = || recorder::path_names(span::at(recorder::current_path));
    measuring(Vec::new, names)
}

/// Whether spans are recorded.
#[guarded]
#[pyfunction]
pub fn is_on() -> bool {
    measuring(|| false, recorder::is_on)
}

/// Records from now on.
#[guarded]
#[pyfunction]
pub fn enable() {
    measuring(|| (), recorder::enable);
}

/// Records nothing from now on.
#[guarded]
#[pyfunction]
pub fn disable() {
    measuring(|| (), recorder::disable);
}

/// Forgets what was recorded in memory so far.
#[guarded]
#[pyfunction]
pub fn reset(python: Python<'_>) {
    measuring(|| (), || python.detach(recorder::reset));
}
