//! A comparison as JSON, as `docs/comparison.schema.json` describes it: its values, and their sentences beside.

use laptime_analysis::benchmark::verdict::Verdict;
use laptime_analysis::compare::{
    self as found, Basis, Cause, CausePart, Change, FunctionChanges, GateResult, Presence, RowSide,
    SideSummary, Unit,
};
use laptime_core::Warning;
use serde::Serialize;

use crate::Shown;
use crate::sentences::headline::UNBROKEN;
use crate::sentences::{
    comparison as sentences, comparison_notes, differences, other_numbers, row_reason,
};

/// Name of the schema.
const SCHEMA: &str = "laptime-comparison";
/// Version of the schema: rises when a field changes its meaning or goes.
const SCHEMA_VERSION: u32 = 1;

/// Renders a comparison.
pub fn render(comparison: &found::Comparison) -> Shown {
    let written = Comparison::from_found(comparison);
    Shown::json(serde_json::to_string_pretty(&written).unwrap_or_default())
}

/// Describes the text that [`render`] writes.
#[cfg(feature = "schema")]
pub(crate) fn schema(generator: schemars::SchemaGenerator) -> schemars::Schema {
    generator.into_root_schema_for::<Comparison<'_>>()
}

/// A base and each side that was compared with it, as `laptime compare -f json` and `Comparison.to_json()` write it.
///
/// **Units** nanoseconds; ratios are new over base.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Comparison<'c> {
    /// The word that tells it from other JSON.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: &'static str,
    /// Version of the schema.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA_VERSION)))]
    version: u32,
    /// The side with which the others are compared.
    base: &'c SideSummary,
    /// Places where the steps changed, of six single recordings or more in their order; left out where they did not.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    changes: &'c [Change],
    /// The base with each of the others.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pairs: Vec<Pair<'c>>,
}

/// The base and another side.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Pair<'c> {
    /// The first line of the comparison in a terminal, after the names of the sides.
    text: String,
    /// The other side.
    new: &'c SideSummary,
    /// The verdict on a step or, where the time between the steps changed, on the time from step to step; without
    /// steps, on the run.
    verdict: Verdict,
    /// The unit that differences are given for.
    basis: Basis,
    /// The name for one such unit: `step`, `request`, `run`.
    noun: &'c str,
    /// Part of the base below which changes are none.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.01)))]
    threshold_ratio: f64,
    /// The row of the step or of the run.
    whole: ComparisonRow<'c>,
    /// The time from the start of one step to that of the next; its own times and differences are those between the
    /// steps. Left out where that is below 5 % of it and not most of a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_to_step: Option<ComparisonRow<'c>>,
    /// The lap inside of a step that surely got slower or faster, where the step can't tell whether
    /// it did; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<&'c CausePart>,
    /// The laps in which the difference lies; `None` where nothing inside tells it.
    cause: Option<&'c Cause>,
    /// The functions of the program or, with steps, of the lap that changed; left out where a recording has no samples
    /// of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    functions: Option<&'c FunctionChanges>,
    /// Every path of either side, in tree order.
    rows: Vec<ComparisonRow<'c>>,
    /// Memory, operations, CPU time and metrics of both sides.
    beside: Vec<Beside>,
    /// Facts that make the sides hard to compare.
    differs: Vec<Difference>,
    /// Numbers that were asked not to get worse (`--fail-on`).
    gates: &'c [GateResult],
    /// Facts that a reader must know before the numbers are believed.
    notes: Vec<Warning>,
}

/// One path on both sides.
///
/// **Units** nanoseconds; ratios are new over base.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ComparisonRow<'c> {
    /// Names joined by `/`, with `/` and `\` inside a name escaped.
    path: &'c str,
    /// Names from the outermost to this one.
    names: &'c [String],
    /// Name of the module's class, where it is a network's module; empty for any other.
    module_class: &'c str,
    /// The sides that have it.
    presence: Presence,
    /// The base's numbers.
    base: Option<RowSide>,
    /// The other side's numbers.
    new: Option<RowSide>,
    /// New median over base median.
    ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    ratio_low: Option<f64>,
    /// Upper end of the ratio's 95 % interval.
    ratio_high: Option<f64>,
    /// Probability of such a difference between sides that are alike.
    p_value: Option<f64>,
    /// The verdict; `None` for a path of one side.
    verdict: Option<Verdict>,
    /// The reason of the verdict, as a sentence.
    reason: String,
    /// Mean time for each step or run that is added; below zero where it is less. A side without the
    /// path has 0.
    difference_ns: f64,
    /// The part of `difference_ns` that is not in the paths inside: those of all rows add up.
    own_difference_ns: f64,
    /// Time that the path adds to a typical step: the difference of medians, times the part of the steps that have it;
    /// without steps, `difference_ns`. A path beside the steps, such as an evaluation, has the difference of one span.
    median_difference_ns: f64,
    /// The part of `median_difference_ns` that is not in the paths inside. A path that fewer than half of the steps have is
    /// no part of a typical one.
    own_median_difference_ns: f64,
}

/// A number of both sides beside their times; of several runs the median.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Beside {
    /// The number's name.
    name: String,
    /// The number's unit.
    unit: Unit,
    /// The base's number; `None` where it was not recorded.
    base: Option<f64>,
    /// The other side's number.
    new: Option<f64>,
}

/// A fact that two sides must have in common to be compared.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Difference {
    /// Name of the fact.
    what: String,
    /// The base's value.
    base: String,
    /// The other side's value.
    new: String,
}

impl<'c> Comparison<'c> {
    fn from_found(comparison: &'c found::Comparison) -> Self {
        Self {
            schema: SCHEMA,
            version: SCHEMA_VERSION,
            base: &comparison.base,
            changes: &comparison.changes,
            pairs: comparison.pairs.iter().map(Pair::from_found).collect(),
        }
    }
}

impl<'c> Pair<'c> {
    fn from_found(pair: &'c found::Pair) -> Self {
        let numbers = pair.other_numbers.iter();
        let numbers = numbers.map(|number| Beside {
            name: other_numbers::name(&number.kind, &pair.noun),
            unit: number.kind.unit(),
            base: number.base,
            new: number.new,
        });
        let differs = pair.differences.iter().map(|one| {
            let differences::Words { fact, base, new } = differences::words(one);
            Difference {
                what: fact,
                base,
                new,
            }
        });
        Self {
            text: sentences::headline(pair).replace(UNBROKEN, " "),
            new: &pair.new,
            verdict: pair.verdict,
            basis: pair.basis,
            noun: &pair.noun,
            threshold_ratio: pair.threshold_ratio,
            whole: ComparisonRow::from_found(&pair.whole),
            step_to_step: pair.step_to_step.as_ref().map(ComparisonRow::from_found),
            inside: pair.changed_lap.as_ref(),
            cause: pair.cause.as_ref(),
            functions: pair.functions.as_ref(),
            rows: pair.rows.iter().map(ComparisonRow::from_found).collect(),
            beside: numbers.collect(),
            differs: differs.collect(),
            gates: &pair.gates,
            notes: comparison_notes::warnings(pair),
        }
    }
}

impl<'c> ComparisonRow<'c> {
    fn from_found(row: &'c found::ComparisonRow) -> Self {
        Self {
            path: &row.path,
            names: &row.names,
            module_class: &row.module_class,
            presence: row.presence,
            base: row.base,
            new: row.new,
            ratio: row.ratio,
            ratio_low: row.ratio_low,
            ratio_high: row.ratio_high,
            p_value: row.p_value,
            verdict: row.verdict,
            reason: row_reason::sentence(row),
            difference_ns: row.difference_ns,
            own_difference_ns: row.own_difference_ns,
            median_difference_ns: row.median_difference_ns,
            own_median_difference_ns: row.own_median_difference_ns,
        }
    }
}
