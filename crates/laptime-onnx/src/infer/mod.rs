//! Sizes of what a node gives, from those of what it reads.
//!
//! One file for each kind of operator, by its standard's text (ONNX operators, opset 1 to 26, and
//! `com.microsoft`). Contents that sizes depend on are computed too, where they are small. What
//! isn't known stays unknown with its reason; what contradicts itself is an error.

mod attention;
mod call;
mod elementwise;
mod fold;
mod image;
mod indexing;
mod joining;
mod layout;
mod making;
mod picking;
mod product;
mod recurrent;
mod reduction;
mod sizes;

pub use call::{Bindings, Call, Stop};
pub use making::value as constant_value;
pub use sizes::{agree, place};

use call::Outputs;

/// Values of each output of a call.
pub fn outputs(call: &Call<'_>) -> Outputs {
    let kinds = [
        elementwise::outputs,
        layout::outputs,
        joining::outputs,
        indexing::outputs,
        making::outputs,
        product::outputs,
        image::outputs,
        reduction::outputs,
        attention::outputs,
        recurrent::outputs,
    ];
    kinds
        .iter()
        .find_map(|outputs| outputs(call))
        .unwrap_or_else(|| {
            Err(Stop::unknown(
                "its results' sizes are neither in the file nor known for this operator",
            ))
        })
}
