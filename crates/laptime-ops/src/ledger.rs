//! Adds up events by operator, module and phase.
//!
//! Events come in the order in which they ran; [`Ledger::finish`] closes the account. Nothing is
//! dropped: what a formula can't tell is listed by operator and reason, with calls and elements.

use std::collections::{BTreeMap, HashMap};

use laptime_core::Warning;
use laptime_core::operations::{
    ByPhase, Cost, CostTally, Counts, ModuleCount, OperatorCount, Uncounted,
};

use crate::event::{Event, Repeat};
use crate::formulas::Formulas;
use crate::modules::Modules;
use crate::outcome::Outcome;
use crate::tensor::Dtype;
use crate::vocabulary;

/// The account of a program's operations.
#[derive(Debug, Default)]
pub struct Ledger {
    formulas: Formulas,
    /// The modules that events name.
    pub modules: Modules,
    operators: HashMap<String, ByPhase>,
    by_module: Vec<ByPhase>,
    by_dtype: HashMap<Dtype, u128>,
    uncounted: HashMap<(String, String), Uncounted>,
    doubts: BTreeMap<String, &'static str>,
}

impl Ledger {
    /// An empty account.
    pub fn new(formulas: Formulas) -> Self {
        Self {
            formulas,
            ..Self::default()
        }
    }

    /// The formulas that it counts by.
    pub const fn formulas(&self) -> &Formulas {
        &self.formulas
    }

    /// The formulas that it counts by, to add some to.
    pub const fn formulas_mut(&mut self) -> &mut Formulas {
        &mut self.formulas
    }

    /// Adds an event; what one call of it costs comes back.
    pub fn add(&mut self, event: &Event) -> Outcome {
        let outcome = self.formulas.outcome(event);
        self.enter(event, &outcome);
        outcome
    }

    /// Adds an event whose outcome the feed knows, such as one whose sizes depend on data.
    pub fn enter(&mut self, event: &Event, outcome: &Outcome) {
        let tally = self.tally(event, outcome);
        let name = &event.signature.name;
        if !self.operators.contains_key(name) {
            self.operators.insert(name.clone(), ByPhase::default());
        }
        if let Some(operator) = self.operators.get_mut(name) {
            *operator.phase_mut(event.phase) += tally;
        }
        if tally.cost.executed_mac > 0
            && let Some(doubt) = vocabulary::doubt(event)
        {
            self.doubts.insert(name.clone(), doubt);
        }
        if tally.cost.executed_mac > 0
            && let Some(input) = event.input()
        {
            let mac = self.by_dtype.entry(input.dtype).or_default();
            *mac = mac.saturating_add(tally.cost.executed_mac);
        }
        let module = self.modules.row(event.module);
        if self.by_module.len() <= module {
            self.by_module.resize(module + 1, ByPhase::default());
        }
        *self.by_module[module].phase_mut(event.phase) += tally;
    }

    /// What an event adds, by its outcome and by how often it happens.
    fn tally(&mut self, event: &Event, outcome: &Outcome) -> CostTally {
        let none = CostTally::default();
        let (times, is_open) = match event.repeat {
            Repeat::Times(0) => return none,
            Repeat::Times(times) => (times, false),
            Repeat::Unknown => (1, true),
        };
        let counted = CostTally {
            counted: times,
            ..none
        };
        let (reason, each) = match outcome {
            Outcome::Counted(cost) if is_open => (LOOP, Some(executed(event, *cost))),
            Outcome::Counted(cost) => {
                let cost = executed(event, *cost).times(times);
                return CostTally { cost, ..counted };
            }
            Outcome::Zero(cost) => {
                let cost = cost.times(if is_open { 0 } else { times });
                let zero = times;
                return CostTally {
                    zero,
                    cost,
                    ..counted
                };
            }
            Outcome::Uncounted(reason) => (&reason[..], None),
        };
        self.leave_out(event, times, reason, each);
        CostTally {
            uncounted: times,
            ..none
        }
    }

    fn leave_out(&mut self, event: &Event, times: u64, reason: &str, each: Option<Cost>) {
        let name = event.signature.name.clone();
        let elements = event.output_elements().saturating_mul(u128::from(times));
        let row = self
            .uncounted
            .entry((name.clone(), reason.to_owned()))
            .or_insert_with(|| Uncounted {
                name,
                reason: reason.to_owned(),
                calls: 0,
                elements: 0,
                each: None,
            });
        row.calls += times;
        row.elements = row.elements.saturating_add(elements);
        if let Some(each) = each {
            row.each = Some(row.each.unwrap_or_default() + each);
        }
    }

    /// Closes the account.
    pub fn finish(self) -> Counts {
        let mut by_op: Vec<OperatorCount> = self
            .operators
            .into_iter()
            .map(|(name, tallies)| OperatorCount { name, tallies })
            .collect();
        by_op.sort_by(|a, b| {
            let key = |row: &OperatorCount| {
                let cost = row.tallies.total().cost;
                (cost.mac, cost.other_flop, cost.bytes())
            };
            key(b).cmp(&key(a)).then_with(|| a.name.cmp(&b.name))
        });
        let mut uncounted: Vec<Uncounted> = self.uncounted.into_values().collect();
        uncounted.sort_by(|a, b| {
            (b.elements, &a.name, &a.reason).cmp(&(a.elements, &b.name, &b.reason))
        });
        let mut total = ByPhase::default();
        for tallies in &self.by_module {
            total += *tallies;
        }
        let mut by_dtype: Vec<(String, u128)> = self
            .by_dtype
            .into_iter()
            .map(|(dtype, mac)| (dtype.name(), mac))
            .collect();
        by_dtype.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let warnings = self
            .doubts
            .into_iter()
            .map(|(name, doubt)| Warning::new("counted-at-most", format!("{name}: {doubt}")))
            .collect();
        let params = self.modules.iter().next().map(|root| root.params);
        Counts {
            params,
            total,
            by_dtype,
            by_op,
            by_module: tree(&self.modules, &self.by_module),
            uncounted,
            warnings,
        }
    }
}

/// Why an operation in an open loop is not counted.
const LOOP: &str = "it runs in a loop whose number of rounds is not known";

/// A cost as its phase has it: what runs again is no work that the model asks for.
fn executed(event: &Event, cost: Cost) -> Cost {
    if event.phase == laptime_core::Phase::Recompute {
        Cost {
            mac: 0,
            active_mac: 0,
            other_flop: 0,
            ..cost
        }
    } else {
        cost
    }
}

/// The rows of the modules, with what lies below each.
fn tree(modules: &Modules, own: &[ByPhase]) -> Vec<ModuleCount> {
    let mut rows: Vec<ModuleCount> = Vec::with_capacity(modules.iter().len());
    for (index, module) in modules.iter().enumerate() {
        let own = own.get(index).copied().unwrap_or_default();
        let parent = module.parent.map(|id| id.0 as usize);
        rows.push(ModuleCount {
            path: module.path.clone(),
            kind: module.kind.clone(),
            parent,
            depth: parent.map_or(0, |parent| rows[parent].depth + 1),
            calls: module.calls,
            params: module.params,
            own,
            inclusive: own,
        });
    }
    for index in (1..rows.len()).rev() {
        let below = rows[index].inclusive;
        if let Some(parent) = rows[index].parent {
            rows[parent].inclusive += below;
        }
    }
    rows
}
