//! A question about a metric and a threshold, as `laptime report --until` reads it, and its answer.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use laptime_core::Unavailable;
use serde::Serialize;

use super::relation::Relation;

/// A question such as `test_acc >= 0.95`.
#[derive(Debug, Clone, PartialEq)]
pub struct Until {
    /// A metric's name or path.
    pub metric: String,
    /// The side of the threshold that is asked for.
    pub relation: Relation,
    /// The threshold, in the metric's unit.
    pub threshold: f64,
}

impl FromStr for Until {
    type Err = String;

    /// Reads a question. The name may hold anything: the last relation counts.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no question like 'test_acc >= 0.95' (<, <=, >, >=)");
        let at = text.rfind(['<', '>']).ok_or_else(wrong)?;
        let (metric, rest) = text.split_at(at);
        let (name, relation) = *Relation::NAMES
            .iter()
            .find(|(name, _)| rest.starts_with(name))
            .ok_or_else(wrong)?;
        let threshold: f64 = rest[name.len()..].trim().parse().map_err(|_| wrong())?;
        let metric = metric.trim().to_owned();
        if metric.is_empty() || !threshold.is_finite() {
            return Err(wrong());
        }
        Ok(Self {
            metric,
            relation,
            threshold,
        })
    }
}

impl fmt::Display for Until {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relation = self.relation.name();
        write!(to, "{} {relation} {}", self.metric, self.threshold)
    }
}

/// The answer to one question. Moments are nanoseconds since the start of the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UntilSummary {
    /// The question, as `test_acc >= 0.95`.
    pub question: String,
    /// Path of the metric that reached the threshold, or else came nearest.
    pub path: Option<String>,
    /// Whether the threshold was reached.
    pub is_reached: bool,
    /// Moment when it was reached first.
    pub at_ns: Option<u64>,
    /// The value that reached it.
    pub value: Option<f64>,
    /// Steps finished by then in the process that reached it, on the track that took most of them.
    pub steps: Option<u64>,
    /// Epochs begun by then in that process.
    pub epochs: Option<u64>,
    /// The best finite value of the whole run.
    pub best: Option<f64>,
    /// Moment of the best value when it was reached first.
    pub best_at_ns: Option<u64>,
    /// Number of values that were looked at.
    pub count: u64,
    /// Reasons why numbers are absent, by field name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub why: BTreeMap<String, Unavailable>,
}
