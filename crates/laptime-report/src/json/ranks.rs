//! The answer of a job of many ranks as JSON, as `docs/ranks.schema.json` describes it.

use laptime_analysis::ranks::{Basis, JobAnswer, LimitResult, MeanStep, OwnPart, Share, SlowPart};
use serde::Serialize;

use crate::Shown;
use crate::sentences::job;

/// Name of the schema.
const SCHEMA: &str = "laptime-ranks";
/// Version of the schema: rises when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// Renders an answer.
pub fn render(answer: &JobAnswer, limits: &[LimitResult]) -> Shown {
    let written = Answer::new(answer, limits);
    Shown::json(serde_json::to_string_pretty(&written).unwrap_or_default())
}

/// Describes the text that [`render`] writes.
#[cfg(feature = "schema")]
pub(crate) fn schema(generator: schemars::SchemaGenerator) -> schemars::Schema {
    generator.into_root_schema_for::<Answer<'_>>()
}

/// Who holds the ranks of a job up, as `laptime ranks -f json` and `Ranks.to_json()` write it.
///
/// **Units** nanoseconds; ratios are of the job's time.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Answer<'j> {
    /// The word that tells it from other JSON.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// Version of the schema.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA_VERSION)))]
    version: u32,
    /// The answer, a sentence each, the most costly first.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    text: Vec<String>,
    /// Facts that it rests on: `exchanges` (all but these is a rank's own work), or `data-and-forward` (backward and
    /// optimizer hold the wait for others).
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["exchanges", "data-and-forward"])))]
    basis: &'static str,
    /// Steps that all ranks took.
    step_count: u64,
    /// Time for which slow ranks hold the others up.
    held_up: Loss,
    /// Time for which the others wait for what a rank does alone.
    alone: Loss,
    /// Time that goes to whoever happens to be last.
    jitter: Loss,
    /// Parts of steps in which a rank is slower than its peers, the most costly first.
    slow: Vec<Slow>,
    /// Work of ranks that their peers don't do: saving, logging, evaluation.
    of_their_own: Vec<Slow>,
    /// The mean step of each rank.
    ranks: Vec<Mean>,
    /// Losses that have a limit (`--fail-on`).
    limits: &'j [LimitResult],
}

/// Share of the job's time.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Loss {
    /// The share.
    ratio: f64,
    /// Lower end of its 95 % interval; `None` of few steps.
    low_ratio: Option<f64>,
    /// Upper end.
    high_ratio: Option<f64>,
}

/// Part of steps in which a rank takes longer than its peers.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Slow {
    /// Number of the rank.
    rank: u32,
    /// The part: `data`, `forward`, `backward`, `optimizer` or `other`.
    part: &'static str,
    /// When it does: `always`, `from`, `every` or `sometimes`.
    when: &'static str,
    /// The first step of `from` and `every`.
    first_step: Option<u64>,
    /// Steps from one to the next, of `every`.
    period: Option<u64>,
    /// How many steps it is, of `sometimes`.
    long_step_count: Option<u64>,
    /// Time of the part on the peers, in a step in which the rank takes longer.
    expected_ns: i64,
    /// Time above that.
    excess_ns: i64,
    /// Time above that in all these steps.
    total_ns: i64,
}

/// Mean step of a rank.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Mean {
    /// Number of the rank.
    rank: u32,
    /// Process id.
    pid: u32,
    /// From a step's start to the next one's.
    step_ns: i64,
    /// Waiting for a batch.
    data_ns: i64,
    /// From inputs to a loss.
    forward_ns: i64,
    /// From the loss to gradients, without their exchange.
    backward_ns: i64,
    /// From gradients to new weights.
    optimizer_ns: i64,
    /// Everything else: logging, saving, evaluation.
    other_ns: i64,
    /// Exchanges with other ranks, waiting for them included.
    communication_ns: i64,
}

impl<'j> Answer<'j> {
    fn new(answer: &JobAnswer, limits: &'j [LimitResult]) -> Self {
        let found = &answer.diagnosis;
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            text: job::sentences(answer),
            basis: match answer.basis {
                Basis::Exchanges => "exchanges",
                Basis::DataAndForward => "data-and-forward",
            },
            step_count: answer.step_count,
            held_up: found.held_up.into(),
            alone: found.alone.into(),
            jitter: found.jitter.into(),
            slow: found.slow.iter().map(Slow::from).collect(),
            of_their_own: found.of_their_own.iter().map(Slow::from).collect(),
            ranks: answer.means.iter().map(Mean::from).collect(),
            limits,
        }
    }
}

impl From<Share> for Loss {
    fn from(share: Share) -> Self {
        Self {
            ratio: share.ratio,
            low_ratio: share.interval.map(|(low, _)| low),
            high_ratio: share.interval.map(|(_, high)| high),
        }
    }
}

impl From<&SlowPart> for Slow {
    fn from(one: &SlowPart) -> Self {
        Self {
            rank: one.rank,
            part: one.part.name(),
            when: one.pattern.name(),
            first_step: one.pattern.first_step(),
            period: one.pattern.period(),
            long_step_count: one.pattern.long_step_count(),
            expected_ns: one.expected_ns,
            excess_ns: one.excess_ns,
            total_ns: one.total_ns,
        }
    }
}

impl From<&MeanStep> for Mean {
    fn from(one: &MeanStep) -> Self {
        let part = |part: OwnPart| one.part_ns[part as usize];
        Self {
            rank: one.rank,
            pid: one.pid,
            step_ns: one.step_ns,
            data_ns: part(OwnPart::Data),
            forward_ns: part(OwnPart::Forward),
            backward_ns: part(OwnPart::Backward),
            optimizer_ns: part(OwnPart::Optimizer),
            other_ns: part(OwnPart::Other),
            communication_ns: one.exchanged_ns,
        }
    }
}
