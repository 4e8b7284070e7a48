//! Counts as JSON, as `docs/operations.schema.json` describes them, and back.
//!
//! Every number is whole and exact, however large. Derived ones (`flop`, `coverage_ratio`, …) are
//! written for readers and not read again. What [`render`] wrote, [`read`] makes the same counts of.

use std::collections::BTreeMap;

use laptime_core::Warning;
use laptime_core::operations::{
    ByPhase, CONVENTIONS, Cost, CostTally, Counts, ModuleCount, OperatorCount, Phase, Uncounted,
};
use serde::{Deserialize, Serialize};

use crate::Shown;
use crate::roofline::Roofline;
use crate::tables::operations::Subject;

/// Name of the schema, which tells these files from others.
const SCHEMA: &str = "laptime-operations";
/// Version of the layout; it changes when a reader of the old form would misread the new one.
const VERSION: u32 = 1;

/// Renders counts.
pub fn render(counts: &Counts, subject: &Subject, roofline: Option<&Roofline>) -> Shown {
    let file = File {
        roofline: roofline.cloned(),
        ..File::from_counts(counts, subject)
    };
    Shown::json(serde_json::to_string_pretty(&file).unwrap_or_default())
}

/// Reads counts and their subject from a text that [`render`] wrote.
///
/// **Errors** when the text is something else, or of a later version.
pub fn read(text: &str) -> Result<(Counts, Subject), ReadError> {
    let head: Head = match serde_json::from_str(text) {
        Ok(head) => head,
        Err(error) if text.contains(SCHEMA) => return Err(ReadError::Damaged(error)),
        Err(_) => return Err(ReadError::Other),
    };
    if head.schema != SCHEMA {
        return Err(ReadError::Other);
    }
    if head.version > VERSION {
        return Err(ReadError::Newer {
            version: head.version,
        });
    }
    let file: File = serde_json::from_str(text).map_err(ReadError::Damaged)?;
    file.counts()
}

/// Makes the schema of a text that [`render`] writes.
#[cfg(feature = "schema")]
pub(crate) fn schema(generator: schemars::SchemaGenerator) -> schemars::Schema {
    generator.into_root_schema_for::<File>()
}

/// The reason for which a text is not read as counts.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// JSON that is something else.
    Other,
    /// Counts that a later Laptime wrote.
    Newer {
        /// The version of the text.
        version: u32,
    },
    /// Damaged JSON.
    Damaged(serde_json::Error),
    /// A module whose parent is no module before it.
    Parent {
        /// The module's path.
        path: String,
    },
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Other => write!(formatter, "these are no counts of operations"),
            Self::Newer { version } => {
                write!(formatter, "version {version} is later than {VERSION}")
            }
            Self::Damaged(error) => write!(formatter, "{error}"),
            Self::Parent { path } => {
                write!(formatter, "the parent of module {path:?} is not before it")
            }
        }
    }
}

impl std::error::Error for ReadError {}

#[derive(Deserialize)]
struct Head {
    schema: String,
    version: u32,
}

/// Output of `laptime ops -f json` and `OpCounts.to_json()`. Integers are exact and may exceed 64 bits; a reader that
/// makes floats of them rounds.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct File {
    /// Name of the schema, which tells it from other JSON.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    schema: String,
    /// Version of the schema.
    #[cfg_attr(feature = "schema", schemars(extend("const" = VERSION)))]
    version: u32,
    /// Name of the counted model or function; empty where it has none.
    name: String,
    /// Inputs as text.
    inputs: Vec<String>,
    /// Way of counting, a phrase.
    how: String,
    /// Elements of the model's parameters, each once; `None` where there is no model.
    params: Option<u64>,
    /// All operations together.
    total: Tally,
    /// `executed_mac` by the type of the numbers that are multiplied, most first.
    by_dtype: Vec<Typed>,
    /// Operators, most matmul-like work first.
    by_op: Vec<Operator>,
    /// Modules, parents before children, in the order of the model.
    by_module: Vec<Module>,
    /// Operators that could not be counted.
    uncounted: Vec<Open>,
    /// Reasons for doubt.
    warnings: Vec<Warning>,
    /// Conventions by which the numbers are to be read.
    #[serde(default)]
    conventions: Vec<String>,
    /// Reasons for absent numbers, by field.
    #[serde(default)]
    unavailable: BTreeMap<String, String>,
    /// The machine's limits with the work below them, where `--roofline` asked for it.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<crate::roofline::RooflineNumbers<'static>>")
    )]
    roofline: Option<Roofline>,
}

/// Work on numbers of one type.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Typed {
    /// The type.
    dtype: String,
    /// Multiply-accumulates that run on the type.
    executed_mac: u128,
}

/// An operator.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Operator {
    /// Its name with its dialect, such as `aten::mm`.
    name: String,
    /// Cost of all its calls.
    total: Tally,
}

/// A module.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Module {
    /// Its dotted path; empty for the model itself.
    path: String,
    /// Its class.
    kind: String,
    /// Index in `by_module` of the module around it; `None` for the model.
    parent: Option<usize>,
    /// Number of modules around it.
    depth: u32,
    /// Number of its calls.
    calls: u64,
    /// Elements of its parameters and of those below, each once.
    params: u64,
    /// Its cost without the modules inside.
    own: Tally,
    /// Its cost with the modules inside.
    inclusive: Tally,
}

/// Calls of one operator that could not be counted.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Open {
    /// The operator.
    name: String,
    /// Reason why they could not be counted.
    reason: String,
    /// Number of calls.
    calls: u64,
    /// Elements of its outputs.
    elements: u128,
    /// Cost of one round, where only the number of rounds is not known.
    each: Option<Tally>,
}

/// Cost of several operations together, with everything that follows from it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Tally {
    /// Operations, counted or not.
    #[serde(skip_deserializing, default)]
    calls: u64,
    /// Operations whose cost is known, including those that cost nothing by definition.
    counted_calls: u64,
    /// Counted operations that do no arithmetic by definition: views, copies, look-ups.
    zero_calls: u64,
    /// Operations whose cost is not known.
    uncounted_calls: u64,
    /// `counted_calls` over `calls`; `None` without calls.
    #[serde(skip_deserializing, default)]
    coverage_ratio: Option<f64>,
    /// Multiply-accumulates of matrix products, convolutions and attention, dense, as the model asks for them.
    mac: u128,
    /// Twice `mac`.
    #[serde(skip_deserializing, default)]
    flop: u128,
    /// Part of `mac` that a mask known by its shape leaves active.
    active_mac: u128,
    /// Twice `active_mac`.
    #[serde(skip_deserializing, default)]
    active_flop: u128,
    /// Multiply-accumulates that run, including recomputed forwards and what fused kernels repeat.
    executed_mac: u128,
    /// Twice `executed_mac`.
    #[serde(skip_deserializing, default)]
    executed_flop: u128,
    /// Other floating-point arithmetic.
    other_flop: u128,
    /// Sum of `flop` and `other_flop`.
    #[serde(skip_deserializing, default)]
    total_flop: u128,
    /// Arithmetic on integers and booleans.
    integer_op: u128,
    /// Elements of exponentials, logarithms, roots, trigonometric and error functions.
    transcendental: u128,
    /// Comparisons of numbers.
    compare: u128,
    /// Bytes read, each input once, by the storage that is touched.
    bytes_read: u128,
    /// Bytes written, each output once.
    bytes_written: u128,
    /// Bytes over the links between ranks, counted as for bus bandwidth.
    communication_bytes: u128,
    /// `total_flop` over `bytes_read` + `bytes_written`; `None` where no byte moves.
    #[serde(skip_deserializing, default)]
    intensity_flop_per_byte: Option<f64>,
    /// Tallies of each phase that ran, where this tally has all phases together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("propertyNames" = {"enum": Phase::ALL.map(Phase::name)})))]
    by_phase: Option<BTreeMap<String, Tally>>,
}

impl File {
    fn from_counts(counts: &Counts, subject: &Subject) -> Self {
        let mut unavailable = BTreeMap::new();
        let mut absent =
            |field: &str, why: &str| unavailable.insert(field.to_owned(), why.to_owned());
        if counts.params.is_none() {
            absent("params", "no weights are known");
        }
        let all = counts.total.total();
        if all.calls() == 0 {
            absent("total.coverage_ratio", "no operation ran");
        }
        if all.cost.bytes() == 0 {
            absent("total.intensity_flop_per_byte", "no byte is moved");
        }
        Self {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            name: subject.name.clone(),
            inputs: subject.inputs.clone(),
            how: subject.how.clone(),
            params: counts.params,
            total: Tally::from_phases(&counts.total),
            by_dtype: counts
                .by_dtype
                .iter()
                .map(|(dtype, mac)| Typed {
                    dtype: dtype.clone(),
                    executed_mac: *mac,
                })
                .collect(),
            by_op: counts
                .by_op
                .iter()
                .map(|operator| Operator {
                    name: operator.name.clone(),
                    total: Tally::from_phases(&operator.tallies),
                })
                .collect(),
            by_module: counts.by_module.iter().map(Module::from_count).collect(),
            uncounted: counts.uncounted.iter().map(Open::from_uncounted).collect(),
            warnings: counts.warnings.clone(),
            conventions: CONVENTIONS.iter().map(|line| (*line).to_owned()).collect(),
            unavailable,
            roofline: None,
        }
    }

    fn counts(self) -> Result<(Counts, Subject), ReadError> {
        for (index, module) in self.by_module.iter().enumerate() {
            if module.parent.is_some_and(|parent| parent >= index) {
                return Err(ReadError::Parent {
                    path: module.path.clone(),
                });
            }
        }
        let counts = Counts {
            params: self.params,
            total: self.total.by_phase(),
            by_dtype: self
                .by_dtype
                .into_iter()
                .map(|typed| (typed.dtype, typed.executed_mac))
                .collect(),
            by_op: self
                .by_op
                .into_iter()
                .map(|operator| OperatorCount {
                    tallies: operator.total.by_phase(),
                    name: operator.name,
                })
                .collect(),
            by_module: self.by_module.into_iter().map(Module::count).collect(),
            uncounted: self.uncounted.into_iter().map(Open::count).collect(),
            warnings: self.warnings,
        };
        let subject = Subject {
            name: self.name,
            inputs: self.inputs,
            how: self.how,
        };
        Ok((counts, subject))
    }
}

impl Module {
    fn from_count(module: &ModuleCount) -> Self {
        Self {
            path: module.path.clone(),
            kind: module.kind.clone(),
            parent: module.parent,
            depth: module.depth,
            calls: module.calls,
            params: module.params,
            own: Tally::from_phases(&module.own),
            inclusive: Tally::from_phases(&module.inclusive),
        }
    }

    fn count(self) -> ModuleCount {
        ModuleCount {
            path: self.path,
            kind: self.kind,
            parent: self.parent,
            depth: self.depth,
            calls: self.calls,
            params: self.params,
            own: self.own.by_phase(),
            inclusive: self.inclusive.by_phase(),
        }
    }
}

impl Open {
    fn from_uncounted(row: &Uncounted) -> Self {
        Self {
            name: row.name.clone(),
            reason: row.reason.clone(),
            calls: row.calls,
            elements: row.elements,
            each: row.each.map(|cost| {
                Tally::from_tally(&CostTally {
                    counted: 1,
                    cost,
                    ..CostTally::default()
                })
            }),
        }
    }

    fn count(self) -> Uncounted {
        Uncounted {
            name: self.name,
            reason: self.reason,
            calls: self.calls,
            elements: self.elements,
            each: self.each.map(|each| each.tally().cost),
        }
    }
}

impl Tally {
    fn from_tally(tally: &CostTally) -> Self {
        let cost = &tally.cost;
        Self {
            calls: tally.calls(),
            counted_calls: tally.counted,
            zero_calls: tally.zero,
            uncounted_calls: tally.uncounted,
            coverage_ratio: tally.coverage_ratio(),
            mac: cost.mac,
            flop: cost.flop(),
            active_mac: cost.active_mac,
            active_flop: cost.active_flop(),
            executed_mac: cost.executed_mac,
            executed_flop: cost.executed_flop(),
            other_flop: cost.other_flop,
            total_flop: cost.total_flop(),
            integer_op: cost.integer_op,
            transcendental: cost.transcendental,
            compare: cost.compare,
            bytes_read: cost.bytes_read,
            bytes_written: cost.bytes_written,
            communication_bytes: cost.communication_bytes,
            intensity_flop_per_byte: cost.intensity_flop_per_byte(),
            by_phase: None,
        }
    }

    fn from_phases(tallies: &ByPhase) -> Self {
        let ran = Phase::ALL
            .into_iter()
            .map(|phase| (phase, tallies.phase(phase)))
            .filter(|(_, tally)| tally.calls() > 0);
        Self {
            by_phase: Some(
                ran.map(|(phase, tally)| (phase.name().to_owned(), Self::from_tally(tally)))
                    .collect(),
            ),
            ..Self::from_tally(&tallies.total())
        }
    }

    const fn tally(&self) -> CostTally {
        CostTally {
            counted: self.counted_calls,
            zero: self.zero_calls,
            uncounted: self.uncounted_calls,
            cost: Cost {
                mac: self.mac,
                active_mac: self.active_mac,
                executed_mac: self.executed_mac,
                other_flop: self.other_flop,
                integer_op: self.integer_op,
                transcendental: self.transcendental,
                compare: self.compare,
                bytes_read: self.bytes_read,
                bytes_written: self.bytes_written,
                communication_bytes: self.communication_bytes,
            },
        }
    }

    fn by_phase(&self) -> ByPhase {
        let mut tallies = ByPhase::default();
        for phase in Phase::ALL {
            let tally = self.by_phase.as_ref().and_then(|all| all.get(phase.name()));
            if let Some(tally) = tally {
                *tallies.phase_mut(phase) = tally.tally();
            }
        }
        tallies
    }
}
