//! A contest's plan, for the loop in Python that runs the contenders, and verdicts on samples kept earlier.

use laptime_analysis::benchmark::Count;
use laptime_analysis::benchmark::contest::{Contest, Ending, Limits, Next, Outcome};
use laptime_analysis::benchmark::verdict::{Judged, LEAST_THRESHOLD, Side, judge_measured};
use laptime_python_macros::guarded;
use laptime_report::sentences::verdict_reason;
use laptime_report::tables::contest as layout;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::benchmark::{BenchmarkOutcome, checked_budget_ns, quantum_ns};
use crate::fast::name::Text;
use crate::notebook;
use crate::rate;
use crate::report::stdout_width;

/// Probability that an interval holds the true ratio.
const CONFIDENCE: f64 = 0.95;
/// How a budget is asked for.
const BUDGET: &str = "lt.compare(…, budget={})";

/// Whose turn it is, told how long everything took.
#[pyclass(module = "laptime._core")]
pub struct ContestPlan {
    contest: Contest,
    names: Vec<String>,
}

#[guarded]
#[pymethods]
impl ContestPlan {
    /// One of contenders with these names, the base first.
    #[new]
    fn new(names: Vec<Text>, budget_seconds: f64, threshold: f64, seed: u64) -> PyResult<Self> {
        let limits = Limits {
            quantum_ns: quantum_ns(),
            budget_ns: checked_budget_ns(budget_seconds)?,
            threshold_ratio: checked_threshold(threshold)?,
            confidence: CONFIDENCE,
            seed,
            rounds: Count::Budget,
        };
        let contest = Contest::new(names.len(), limits);
        let names = names.into_iter().map(|name| name.0).collect();
        Ok(Self { contest, names })
    }

    /// Who runs how many iterations now; None when nothing more is to be done.
    fn next(&self) -> Option<(usize, u64)> {
        match self.contest.next() {
            Next::Run {
                contender,
                iterations,
            } => Some((contender, iterations)),
            Next::Done(_) => None,
        }
    }

    /// How long preparing them took: it is spent, and isn't theirs.
    fn spend(&mut self, ticks: u64) {
        self.contest.spend(rate::nanoseconds(ticks));
    }

    /// How long they took.
    fn told(&mut self, ticks: u64, cpu_ns: u64) {
        self.contest
            .add_run(rate::nanoseconds(ticks), cpu_ns as f64);
    }

    /// What was found; None when the budget ended before every contender had run.
    fn outcome(&self) -> Option<ContestOutcome> {
        let outcome = self.contest.outcome()?;
        let names = self.names.clone();
        Some(ContestOutcome { outcome, names })
    }
}

/// What a contest found.
#[pyclass(frozen, module = "laptime._core")]
pub struct ContestOutcome {
    outcome: Outcome,
    names: Vec<String>,
}

#[guarded]
#[pymethods]
impl ContestOutcome {
    /// Each contender's own figures, the base first.
    #[getter]
    fn contenders(&self) -> Vec<BenchmarkOutcome> {
        let contenders = self.outcome.contenders.iter();
        contenders.cloned().map(BenchmarkOutcome).collect()
    }

    /// Each pair: base, new, and the verdict.
    #[getter]
    fn pairs(&self) -> Vec<(usize, usize, SpeedVerdict)> {
        let pairs = self.outcome.pairs.iter();
        pairs
            .map(|pair| (pair.base, pair.new, self.verdict(pair)))
            .collect()
    }

    /// How much the base differed from itself.
    #[getter]
    fn noise_ratio(&self) -> Option<f64> {
        self.outcome.noise_ratio
    }

    #[getter]
    fn rounds(&self) -> usize {
        self.outcome.rounds
    }

    /// Why it ended.
    #[getter]
    fn ending(&self) -> Option<&'static str> {
        self.outcome.ending.map(|ending| match ending {
            Ending::Clear => "clear",
            Ending::Budget => "budget",
            Ending::Rounds => "rounds",
        })
    }

    #[getter]
    fn headline(&self) -> String {
        layout::headline(&self.outcome, &self.names)
    }

    #[getter]
    fn text(&self, python: Python<'_>) -> String {
        layout::text(&self.outcome, &self.names, BUDGET, stdout_width(python)).into_string()
    }

    #[getter]
    fn markdown(&self) -> String {
        layout::markdown(&self.outcome, &self.names, BUDGET)
    }

    /// What notebooks show.
    #[pyo3(signature = (include=None, exclude=None))]
    fn mimebundle<'py>(
        &self,
        python: Python<'py>,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let html = layout::fragment(&self.outcome, &self.names, BUDGET);
        let plain =
            layout::text(&self.outcome, &self.names, BUDGET, stdout_width(python)).into_string();
        let markdown = layout::markdown(&self.outcome, &self.names, BUDGET);
        let bundle = notebook::bundle(python, plain, html, Some(markdown))?;
        notebook::only(bundle, include, exclude)
    }
}

impl ContestOutcome {
    fn verdict(&self, pair: &laptime_analysis::benchmark::contest::Pair) -> SpeedVerdict {
        SpeedVerdict::new(&pair.judged, layout::pair_sentence(pair, &self.names))
    }
}

/// Whether one side is faster than the other, and why.
#[pyclass(frozen, module = "laptime")]
pub struct SpeedVerdict {
    verdict: &'static str,
    ratio: Option<f64>,
    interval: Option<(f64, f64)>,
    p_value: Option<f64>,
    threshold_ratio: f64,
    reason: String,
    sentence: String,
}

impl SpeedVerdict {
    fn new(judged: &Judged, sentence: String) -> Self {
        Self {
            verdict: judged.verdict.code(),
            ratio: judged.ratio.is_finite().then_some(judged.ratio),
            interval: judged.interval.as_ref().ok().copied(),
            p_value: judged.p_value,
            threshold_ratio: judged.threshold_ratio,
            reason: verdict_reason::sentence(&judged.reason),
            sentence,
        }
    }
}

#[guarded(verdict, ratio, interval, p_value, threshold_ratio, reason, sentence)]
#[pymethods]
impl SpeedVerdict {
    fn __str__(&self) -> &str {
        &self.sentence
    }

    fn __repr__(&self) -> String {
        format!("<laptime.SpeedVerdict: {}>", self.sentence)
    }
}

/// Whether new samples are faster than those of a base, each side measured on its own.
#[guarded]
#[pyfunction]
pub fn judge_samples(
    base: (String, Vec<f64>),
    new: (String, Vec<f64>),
    threshold: f64,
) -> PyResult<SpeedVerdict> {
    let side = |samples| Side {
        units: vec![samples],
    };
    let judged = judge_measured(&side(base.1), &side(new.1), checked_threshold(threshold)?);
    let [base, new] = [&base.0, &new.0].map(|name| laptime_report::visible(name));
    Ok(SpeedVerdict::new(
        &judged,
        layout::verdict_sentence(&judged, &new, &base),
    ))
}

fn checked_threshold(threshold: f64) -> PyResult<f64> {
    if (LEAST_THRESHOLD..=10.0).contains(&threshold) {
        return Ok(threshold);
    }
    let message = format!("threshold is a part of the base from 0.01, not {threshold}");
    Err(PyValueError::new_err(message))
}
