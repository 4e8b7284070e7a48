//! `PyTorch`'s own operators, as its dispatcher names them, overloads left aside.
//!
//! Argument names are those of `native_functions.yaml`. In-place and `out=` variants cost what
//! their plain form costs: a trailing underscore or `_out` is taken off before the look-up.

mod matmul;

use crate::event::Event;
use crate::outcome::Outcome;

/// What one call costs. `None`: the operator isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    if event.signature.is_view {
        return Some(Outcome::NOTHING);
    }
    matmul::outcome(name, event)
}
