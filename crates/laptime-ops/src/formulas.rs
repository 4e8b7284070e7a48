//! Which formula an operation is counted by: the user's, else its dialect's.

use std::collections::HashMap;
use std::fmt;

use laptime_core::Cost;

use crate::event::Event;
use crate::outcome::Outcome;
use crate::vocabulary;

/// A user's formula: what a call costs, or why that can't be told.
pub type Formula = Box<dyn Fn(&Event) -> Result<Cost, String> + Send + Sync>;

/// Formulas by operator.
///
/// ```
/// use laptime_ops::{Argument, Cost, Event, Formulas, Outcome, Signature, Tensor};
///
/// let mut formulas = Formulas::standard();
/// formulas.register("mine::gemm", |event| {
///     let [m, k] = event.input().ok_or("no input")?.shape[..] else {
///         return Err("a matrix was expected".into());
///     };
///     let mac = u128::from(m) * u128::from(k) * 8;
///     Ok(Cost { mac, active_mac: mac, executed_mac: mac, ..Cost::default() })
/// });
/// let gemm = Signature::new("mine::gemm", &["a"]);
/// let event = Event::new(gemm, vec![Argument::Tensor(Tensor::f32([2, 3]))], vec![]);
/// assert!(matches!(formulas.outcome(&event), Outcome::Counted(cost) if cost.flop() == 96));
/// ```
#[derive(Default)]
pub struct Formulas {
    users: HashMap<String, Formula>,
}

impl fmt::Debug for Formulas {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.users.keys()).finish()
    }
}

impl Formulas {
    /// The formulas that Laptime knows.
    pub fn standard() -> Self {
        Self::default()
    }

    /// Counts an operator by a formula of the user's, also where Laptime knows one.
    pub fn register(
        &mut self,
        name: impl Into<String>,
        formula: impl Fn(&Event) -> Result<Cost, String> + Send + Sync + 'static,
    ) {
        self.users.insert(name.into(), Box::new(formula));
    }

    /// Whether the user has a formula for an operator.
    pub fn has(&self, name: &str) -> bool {
        self.users.contains_key(name)
    }

    /// What one call of an event costs, its repeat left aside.
    pub fn outcome(&self, event: &Event) -> Outcome {
        let outcome = match self.users.get(&event.signature.name) {
            Some(formula) => formula(event).map_or_else(Outcome::Uncounted, Outcome::Counted),
            None => vocabulary::outcome(event),
        };
        match outcome {
            Outcome::Counted(cost) | Outcome::Zero(cost) if cost.is_saturated() => {
                Outcome::uncounted("its sizes are too large to multiply")
            }
            outcome => outcome,
        }
    }
}
