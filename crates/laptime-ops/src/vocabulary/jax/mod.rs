//! JAX's primitives, as a jaxpr names them.
//!
//! Operands come as one list, `inputs`, in which numbers written into the program are absent;
//! parameters follow under their own names, nested ones dotted (`dimension_numbers.0.1`). Programs
//! inside programs (`jit`, `scan`, `custom_jvp_call`, …) are the feed's to walk: what arrives here
//! of them could not be looked into.

mod collective;
mod contract;
mod convolution;
mod elementwise;
mod movement;
mod solver;
#[cfg(test)]
mod tests;
mod window;

use crate::event::Event;
use crate::outcome::Outcome;

/// What one call costs. `None`: the primitive isn't known.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    if event.signature.is_view {
        return Some(Outcome::NOTHING);
    }
    contract::outcome(name, event)
        .or_else(|| convolution::outcome(name, event))
        .or_else(|| elementwise::outcome(name, event))
        .or_else(|| movement::outcome(name, event))
        .or_else(|| window::outcome(name, event))
        .or_else(|| solver::outcome(name, event))
        .or_else(|| collective::outcome(name, event))
        .or_else(|| closed(name))
}

/// Primitives that nobody outside can look into, and why.
fn closed(name: &str) -> Option<Outcome> {
    Some(Outcome::uncounted(match name {
        "cond" => "its branches cost differently, and data decides which one runs",
        "pallas_call" | "mosaic_gpu" | "tpu_custom_call" | "triton_kernel_call" => {
            "what its kernel does is not known"
        }
        "ffi_call" | "custom_call" | "cudnn_fusion" => {
            "what the library it calls does is not known"
        }
        "pure_callback" | "io_callback" => "what the Python function it calls does is not known",
        _ => return None,
    }))
}
