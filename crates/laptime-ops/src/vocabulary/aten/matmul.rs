//! Matrix products.

use crate::event::Event;
use crate::family::matmul::{self, Product};
use crate::outcome::Outcome;

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    Some(match name {
        "mm" => plain(event, "self", "mat2"),
        _ => return None,
    })
}

fn plain(event: &Event, left: &str, right: &str) -> Outcome {
    let (Some(left), Some(right)) = (event.tensor(left), event.tensor(right)) else {
        return Outcome::uncounted("its matrices are not tensors");
    };
    let (Some(m), Some(k), Some(n)) = (left.dim(0), left.dim(1), right.dim(1)) else {
        return Outcome::uncounted("its matrices have no two dimensions");
    };
    Outcome::Counted(matmul::cost(event, Product { batch: 1, m, n, k }, 0))
}
