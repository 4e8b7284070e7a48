//! `lt.bench_inference`: plans for the loops in Python that call a model, and what they found.

use laptime_analysis::benchmark::{Count, Limits};
use laptime_analysis::inference::{
    self as analysis, Arrivals, Call, Case, CasePlan, Field, Load, Request, Sweep, Value,
};
use laptime_core::Unavailable;
use laptime_report::inference as layout;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::benchmark::{checked_budget_ns, quantum_ns};
use crate::notebook;
use crate::rate;

/// Half of the interval's width over the median at which a case ends.
const PRECISION_RATIO: f64 = 0.01;
/// Requests that a load may have: more of them are a mistake in the rate.
const MOST_REQUESTS: f64 = 1e7;

/// Which calls of a case to make, told how long they took.
#[pyclass(module = "laptime._core")]
pub struct InferencePlan(CasePlan);

#[pymethods]
impl InferencePlan {
    /// One whose calls take so many seconds together, at most.
    #[new]
    fn new(budget_seconds: f64) -> PyResult<Self> {
        Ok(Self(CasePlan::new(Limits {
            quantum_ns: quantum_ns(),
            budget_ns: checked_budget_ns(budget_seconds)?,
            precision_ratio: PRECISION_RATIO,
            count: Count::Budget,
        })))
    }

    /// Whether to call once more.
    fn next(&self) -> bool {
        self.0.goes_on()
    }

    /// Ticks of the computation, nanoseconds of the process's CPU, ticks of the transfers in and out, tokens.
    #[pyo3(signature = (ticks, cpu_ns, transfers=None, tokens=None))]
    fn told(
        &mut self,
        ticks: u64,
        cpu_ns: u64,
        transfers: Option<(u64, u64)>,
        tokens: Option<u64>,
    ) {
        self.0.told(Call {
            compute_ns: rate::nanoseconds(ticks),
            transfers_ns: transfers
                .map(|(into, out)| (rate::nanoseconds(into), rate::nanoseconds(out))),
            cpu_ns: cpu_ns as f64,
            tokens,
        });
    }

    /// What was found of batches of this size.
    #[pyo3(signature = (device, batch, load=None))]
    fn outcome(
        &self,
        device: &str,
        batch: u64,
        load: Option<&LoadPlan>,
    ) -> PyResult<InferenceCase> {
        let none = || PyValueError::new_err("a case needs two calls that take time");
        let mut figures = self.0.figures(batch).ok_or_else(none)?;
        figures.load = load.and_then(LoadPlan::load);
        Ok(InferenceCase(Case {
            device: device.to_owned(),
            batch,
            found: Ok(figures),
        }))
    }
}

/// When requests arrive, told when they were served.
#[pyclass(module = "laptime._core")]
pub struct LoadPlan {
    asked: (f64, Arrivals),
    schedule_ns: Vec<f64>,
    requests: Vec<Request>,
    end_ns: f64,
}

#[pymethods]
impl LoadPlan {
    /// One that lasts so many seconds.
    #[new]
    fn new(rate_per_s: f64, arrivals: &str, seconds: f64, seed: u64) -> PyResult<Self> {
        let arrivals = match arrivals {
            "poisson" => Arrivals::Poisson,
            "constant" => Arrivals::Constant,
            other => {
                let message = format!("arrivals are \"poisson\" or \"constant\", not {other:?}");
                return Err(PyValueError::new_err(message));
            }
        };
        let length_ns = checked_budget_ns(seconds)?;
        if !(rate_per_s > 0.0 && rate_per_s * seconds <= MOST_REQUESTS) {
            let message = format!(
                "a rate is a number of requests per second above 0, and at most 10 million in all, not \
                 {rate_per_s}"
            );
            return Err(PyValueError::new_err(message));
        }
        Ok(Self {
            asked: (rate_per_s, arrivals),
            schedule_ns: analysis::schedule(rate_per_s, length_ns, arrivals, seed),
            requests: Vec::new(),
            end_ns: length_ns,
        })
    }

    /// Distances from the start at which requests arrive, in ticks.
    #[getter]
    fn schedule(&self) -> Vec<u64> {
        let schedule = self.schedule_ns.iter();
        schedule.map(|at_ns| rate::ticks(*at_ns as u64)).collect()
    }

    /// Ticks from the start at which the next request's call began, and at which it was served.
    fn told(&mut self, begun: u64, done: u64) {
        self.requests.push(Request {
            begun_ns: rate::nanoseconds(begun),
            done_ns: rate::nanoseconds(done),
        });
    }

    /// Nothing is served after so many ticks from the start.
    fn end(&mut self, ticks: u64) {
        self.end_ns = rate::nanoseconds(ticks);
    }
}

impl LoadPlan {
    fn load(&self) -> Option<Load> {
        Load::new(self.asked, &self.schedule_ns, &self.requests, self.end_ns).ok()
    }
}

/// One batch size on one device.
#[pyclass(frozen, module = "laptime")]
pub struct InferenceCase(pub Case);

#[pymethods]
impl InferenceCase {
    /// A case that could not be measured.
    #[staticmethod]
    fn absent(device: String, batch: u64, why: String) -> Self {
        Self(Case {
            device,
            batch,
            found: Err(Unavailable(why)),
        })
    }

    #[getter]
    fn device(&self) -> &str {
        &self.0.device
    }

    #[getter]
    fn batch(&self) -> u64 {
        self.0.batch
    }

    /// Why it could not be measured.
    #[getter]
    fn unavailable(&self) -> Option<&str> {
        self.0.found.as_ref().err().map(|why| &*why.0)
    }

    /// Calls after warm-up.
    #[getter]
    fn calls(&self) -> Option<usize> {
        let found = self.0.found.as_ref().ok();
        found.map(|one| one.latency.count)
    }

    /// Calls before steady state, the first one among them.
    #[getter]
    fn warmup(&self) -> Option<usize> {
        self.0.found.as_ref().ok().map(|one| one.warmup)
    }

    /// Nanoseconds of each call after warm-up, without transfers.
    #[getter]
    fn samples(&self) -> Vec<f64> {
        let found = self.0.found.as_ref();
        found.map_or_else(|_| Vec::new(), |one| one.calls_ns.clone())
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        layout::doubts(&self.0)
    }

    /// What it does at the rate that was asked for.
    #[getter]
    fn load(&self) -> Option<InferenceLoad> {
        let found = self.0.found.as_ref().ok()?;
        found.load.clone().map(InferenceLoad)
    }

    /// Why a number is None; None for one that is there.
    fn why(&self, number: &str) -> PyResult<Option<String>> {
        why(&self.0.fields(), number)
    }

    fn __getattr__<'py>(&self, python: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        number(python, &self.0.fields(), name, "InferenceCase")
    }

    fn __dir__(&self) -> Vec<&'static str> {
        let own = [
            "device",
            "batch",
            "unavailable",
            "calls",
            "warmup",
            "samples",
            "warnings",
            "load",
            "why",
        ];
        let fields = self.0.fields().into_iter().map(|field| field.0);
        own.into_iter().chain(fields).collect()
    }

    fn __repr__(&self) -> String {
        format!(
            "<laptime.InferenceCase: {} batch {}>",
            laptime_report::visible(&self.0.device),
            self.0.batch
        )
    }
}

/// What a model does under load.
#[pyclass(frozen, module = "laptime")]
pub struct InferenceLoad(Load);

#[pymethods]
impl InferenceLoad {
    #[getter]
    fn arrivals(&self) -> &'static str {
        match self.0.arrivals {
            Arrivals::Poisson => "poisson",
            Arrivals::Constant => "constant",
        }
    }

    /// Requests that arrived.
    #[getter]
    fn arrived(&self) -> usize {
        self.0.arrived
    }

    /// Requests that were served before the end.
    #[getter]
    fn served(&self) -> usize {
        self.0.served
    }

    /// Whether it kept up with the rate.
    #[getter]
    fn kept_up(&self) -> bool {
        self.0.kept_up()
    }

    /// Whether the true percentiles are larger, as requests still waited at the end.
    #[getter]
    fn is_at_least(&self) -> bool {
        self.0.is_at_least()
    }

    /// Why a number is None; None for one that is there.
    fn why(&self, number: &str) -> PyResult<Option<String>> {
        why(&self.0.fields(), number)
    }

    fn __getattr__<'py>(&self, python: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        number(python, &self.0.fields(), name, "InferenceLoad")
    }

    fn __repr__(&self) -> String {
        format!("<laptime.InferenceLoad: {} requests/s>", self.0.rate_per_s)
    }
}

/// All cases of a model.
#[pyclass(frozen, module = "laptime._core")]
pub struct InferenceOutcome(Sweep);

#[pymethods]
impl InferenceOutcome {
    #[new]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "what Python passes is taken by value"
    )]
    fn new(name: String, cases: Vec<PyRef<'_, InferenceCase>>) -> Self {
        let cases = cases.iter().map(|case| case.0.clone()).collect();
        Self(Sweep { name, cases })
    }

    /// The batch size of a device's knee, one that it may be as well, or why there is none.
    fn knee(&self, device: &str) -> (Option<u64>, Option<u64>, Option<String>) {
        match self.0.knee(device) {
            Ok(knee) => (Some(knee.batch), knee.or_else, None),
            Err(why) => (None, None, Some(why.0)),
        }
    }

    /// The batch size from which a device is faster than another, or why there is none.
    fn crossover(&self, base: &str, device: &str) -> (Option<u64>, Option<String>) {
        match self.0.crossover(base, device) {
            Ok(found) => (Some(found.batch), None),
            Err(why) => (None, Some(why.0)),
        }
    }

    #[getter]
    fn headline(&self) -> String {
        layout::headline(&self.0)
    }

    #[getter]
    fn text(&self) -> String {
        layout::text(&self.0)
    }

    #[getter]
    fn markdown(&self) -> String {
        layout::markdown(&self.0)
    }

    #[getter]
    fn json(&self) -> String {
        layout::json(&self.0)
    }

    /// What notebooks show.
    #[pyo3(signature = (include=None, exclude=None))]
    fn mimebundle<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let html = layout::fragment(&self.0);
        let bundle = notebook::bundle(python, self.text(), html, Some(self.markdown()))?;
        notebook::only(bundle, include, exclude)
    }
}

/// A number or an interval by its name; None where it is absent.
fn number<'py>(
    python: Python<'py>,
    fields: &[Field],
    name: &str,
    class: &str,
) -> PyResult<Bound<'py, PyAny>> {
    match fields.iter().find(|field| field.0 == name) {
        Some((_, Ok(Value::Number(number)))) => Ok(number.into_pyobject(python)?.into_any()),
        Some((_, Ok(Value::Interval(low, high)))) => {
            Ok((*low, *high).into_pyobject(python)?.into_any())
        }
        Some((_, Err(_))) => Ok(python.None().into_bound(python)),
        None => Err(PyAttributeError::new_err(format!(
            "'{class}' has no number {name:?}"
        ))),
    }
}

fn why(fields: &[Field], name: &str) -> PyResult<Option<String>> {
    let known = || {
        let names: Vec<&str> = fields.iter().map(|field| field.0).collect();
        PyValueError::new_err(format!(
            "expected one of {}, found {name:?}",
            names.join(", ")
        ))
    };
    let field = fields.iter().find(|field| field.0 == name);
    let (_, value) = field.ok_or_else(known)?;
    Ok(value.as_ref().err().map(|why| why.0.clone()))
}
