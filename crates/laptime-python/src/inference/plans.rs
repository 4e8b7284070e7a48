//! Plans for the loops in Python that call a model: one case, and a load.

use laptime_analysis::benchmark::inference::{
    Arrivals, Call, Case, CasePlan, Load, Request, schedule,
};
use laptime_analysis::benchmark::{Count, Limits};
use laptime_python_macros::guarded;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::case::InferenceCase;
use crate::benchmark::{checked_budget_ns, quantum_ns};
use crate::rate;

/// Half of the interval's width over the median at which a case ends.
const PRECISION_RATIO: f64 = 0.01;
/// Requests that a load may have: more of them are a mistake in the rate.
const MOST_REQUESTS: f64 = 1e7;

/// For how many times as long as requests arrive they are served: a queue that still grows then tells no more.
const SERVED_FOR: f64 = 2.0;

/// Which calls of a case to make, told how long they took.
#[pyclass(module = "laptime._core")]
pub struct InferencePlan(CasePlan);

#[guarded]
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
        self.0.add_call(Call {
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
    length_ns: f64,
    end_ns: f64,
}

#[guarded]
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
            schedule_ns: schedule(rate_per_s, length_ns, arrivals, seed),
            requests: Vec::new(),
            length_ns,
            end_ns: length_ns,
        })
    }

    /// Distances from the start at which requests arrive, in ticks.
    #[getter]
    fn schedule(&self) -> Vec<u64> {
        let schedule = self.schedule_ns.iter();
        schedule.map(|at_ns| rate::ticks(*at_ns as u64)).collect()
    }

    /// Ticks from the start after which no more request is served.
    #[getter]
    fn limit(&self) -> u64 {
        rate::ticks((self.length_ns * SERVED_FOR) as u64)
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
