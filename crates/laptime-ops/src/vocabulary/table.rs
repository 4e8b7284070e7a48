//! Tables of operators: names on the left, what a call costs on the right.
//!
//! A dialect is a list of tables. [`Dialect::rule`] finds the entry of a name; what a name has
//! around it that doesn't change the cost (`add_`, `_foreach_add`, `add_out`) is taken off.

use std::collections::HashMap;

use laptime_core::Cost;

use crate::event::{Argument, Event};
use crate::family::work::Work;
use crate::family::{elementwise, movement, reduction};
use crate::outcome::Outcome;
use crate::tensor::{Dtype, Kind, Tensor};

/// What a formula finds: a cost, or why it can't be told.
pub type Counted = Result<Cost, String>;

/// How a call is counted.
#[derive(Clone, Copy)]
pub enum Rule {
    /// So much for each element of the result.
    Each(Work),
    /// So much for each element that goes in first, and so much for each element of the result.
    Reduce(Work, Work),
    /// What its arguments say.
    Formula(fn(&Event) -> Counted),
    /// No arithmetic and no traffic: a view, a question about a shape, a check.
    Nothing,
    /// No arithmetic; what goes in is read, the result written.
    Copy,
    /// No arithmetic; the result is written.
    Fill,
    /// No arithmetic; traffic by its arguments.
    Moves(fn(&Event) -> Counted),
    /// Not counted, and why.
    Unknown(&'static str),
}

/// Operators that cost the same.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The operators' names without the dialect, separated by spaces.
    pub names: &'static str,
    /// What a call costs, as the documentation says it; empty where the rule says it itself.
    pub says: &'static str,
    /// What a call costs.
    pub rule: Rule,
}

/// A call that does work for each element of its result.
pub const fn each(names: &'static str, work: Work) -> Entry {
    plain(names, Rule::Each(work))
}

/// A call that does work for each element that goes in, and a little for each result.
pub const fn reduce(names: &'static str, each: Work, last: Work) -> Entry {
    plain(names, Rule::Reduce(each, last))
}

/// A call whose cost depends on its arguments.
pub const fn formula(
    names: &'static str,
    says: &'static str,
    formula: fn(&Event) -> Counted,
) -> Entry {
    let rule = Rule::Formula(formula);
    Entry { names, says, rule }
}

/// A call that only moves bytes, by its arguments.
pub const fn moves(names: &'static str, says: &'static str, bytes: fn(&Event) -> Counted) -> Entry {
    let rule = Rule::Moves(bytes);
    Entry { names, says, rule }
}

/// Calls that follow a rule that says everything.
pub const fn plain(names: &'static str, rule: Rule) -> Entry {
    Entry {
        names,
        says: "",
        rule,
    }
}

/// The functions of single elements that all dialects know by the family's names.
pub fn functions() -> impl Iterator<Item = Entry> {
    let table = elementwise::TABLE.iter();
    table.map(|&(names, work)| each(names, work))
}

/// The reductions that all dialects know by the family's names.
pub fn reductions() -> impl Iterator<Item = Entry> {
    let table = reduction::TABLE.iter();
    table.map(|&(names, each, last)| reduce(names, each, last))
}

impl Entry {
    /// The names of the entry, one by one.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.split_whitespace()
    }

    /// What a call costs, in words.
    pub fn says(&self) -> String {
        if !self.says.is_empty() {
            return self.says.to_owned();
        }
        match self.rule {
            Rule::Each(work) => format!("{work} for each result"),
            Rule::Reduce(each, last) if last == Work::NONE => format!("{each} for each input"),
            Rule::Reduce(each, last) => format!("{each} for each input; {last} for each result"),
            Rule::Nothing => "zero: no arithmetic, no traffic".into(),
            Rule::Copy => "zero: read and written".into(),
            Rule::Fill => "zero: written".into(),
            Rule::Unknown(reason) => format!("uncounted: {reason}"),
            Rule::Formula(_) | Rule::Moves(_) => String::new(),
        }
    }
}

impl Rule {
    /// Whether a call costs nothing whatever its sizes are.
    pub const fn is_nothing(self) -> bool {
        matches!(self, Self::Nothing)
    }

    /// What one call costs.
    pub fn outcome(self, event: &Event) -> Outcome {
        let counted = |counted: Counted| counted.map_or_else(Outcome::Uncounted, Outcome::Counted);
        let zero = |counted: Counted| counted.map_or_else(Outcome::Uncounted, Outcome::Zero);
        match self {
            Self::Each(work) => counted(for_each(event, work)),
            Self::Reduce(each, last) => counted(for_each_input(event, each, last)),
            Self::Formula(formula) => counted(formula(event)),
            Self::Nothing => Outcome::NOTHING,
            Self::Copy => Outcome::Zero(event.moving(Cost::default())),
            Self::Fill => Outcome::Zero(movement::fill(event)),
            Self::Moves(bytes) => zero(bytes(event)),
            Self::Unknown(reason) => Outcome::uncounted(reason),
        }
    }
}

/// The type in which a result is computed: complex if anything is, that of the inputs where the
/// result is a truth value.
pub fn computed_in(event: &Event, result: &Tensor) -> Dtype {
    let complex = event
        .inputs()
        .find(|input| input.dtype.kind == Kind::Complex);
    match (complex, result.dtype.kind) {
        (Some(input), _) => input.dtype,
        (None, Kind::Bool) => event.input().map_or(result.dtype, |input| input.dtype),
        _ => result.dtype,
    }
}

/// The tensors whose elements are computed: one for each of a list, else the first result. What
/// comes out beside it (a mask, indices, a mean) falls off on the way.
fn computed(event: &Event) -> impl Iterator<Item = &Tensor> {
    let lists = matches!(event.arguments.first(), Some(Argument::Tensors(_)));
    let most = if lists { usize::MAX } else { 1 };
    event.results().take(most)
}

/// Work for each element of the result.
pub fn for_each(event: &Event, work: Work) -> Counted {
    let mut results = computed(event).peekable();
    if results.peek().is_none() {
        return Err("neither its result nor its first argument is a tensor".into());
    }
    let cost = results
        .map(|result| work.on(result.held(), computed_in(event, result)))
        .sum();
    Ok(event.moving(cost))
}

/// Work for each element of the first argument, and for each result.
pub fn for_each_input(event: &Event, each: Work, last: Work) -> Counted {
    let first = event.arguments.first().map(Argument::tensors);
    let mut inputs = first.into_iter().flatten().peekable();
    if inputs.peek().is_none() {
        return Err("its first argument is not a tensor".into());
    }
    let result = event.output();
    let dtype = |input: &Tensor| result.map_or(input.dtype, |result| computed_in(event, result));
    let going_in: Cost = inputs
        .map(|input| each.on(input.held(), dtype(input)))
        .sum();
    let coming_out: Cost = computed(event)
        .map(|result| last.on(result.held(), computed_in(event, result)))
        .sum();
    Ok(event.moving(going_in + coming_out))
}

/// A dialect: its tables, by the family that they are of.
pub struct Dialect {
    entries: HashMap<&'static str, Entry>,
}

impl Dialect {
    /// The operators of these tables. Where two name the same, the first holds.
    pub fn new(tables: impl IntoIterator<Item = Entry>) -> Self {
        let mut entries = HashMap::new();
        for entry in tables {
            for name in entry.names() {
                entries.entry(name).or_insert(entry);
            }
        }
        Self { entries }
    }

    /// What one call of an operator costs. `None`: the operator isn't known.
    pub fn outcome(&self, name: &str, event: &Event) -> Option<Outcome> {
        self.rule(name).map(|rule| rule.outcome(event))
    }

    /// How an operator is counted.
    pub fn rule(&self, name: &str) -> Option<Rule> {
        if let Some(entry) = self.entries.get(name) {
            return Some(entry.rule);
        }
        let shorter = ["_functional", "_out", "_"]
            .into_iter()
            .find_map(|tail| name.strip_suffix(tail))
            .filter(|shorter| !shorter.is_empty() && *shorter != name)
            .or_else(|| name.strip_prefix("_foreach_"))?;
        self.rule(shorter)
    }
}

#[cfg(test)]
mod tests;
