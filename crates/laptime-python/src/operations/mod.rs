//! What operations cost: the way from a framework's calls to `laptime-ops`, and what comes back.
//!
//! A [`feed::Feed`] takes calls, whose tensors are [`shape::Shape`]s, and hands them to the ledger
//! a batch at a time; [`counts::OpCounts`] is the account, its rows are [`row::OpRow`]s. Formulas
//! of the user's are Python functions of an [`formula::OpCall`].

mod argument;
mod cost;
pub mod counts;
mod feed;
mod formula;
mod lookup_errors;
mod onnx;
mod rendering;
mod row;
mod shape;
mod torch;

use pyo3::prelude::*;

/// Adds the classes to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<shape::Shape>()?;
    module.add_class::<formula::OpCall>()?;
    module.add_class::<cost::OpCost>()?;
    module.add_class::<row::OpRow>()?;
    module.add_class::<counts::OpCounts>()?;
    module.add_class::<counts::UncountedOp>()?;
    module.add_class::<feed::Feed>()?;
    torch::add(module)?;
    module.add_function(wrap_pyfunction!(formula::has_formula, module)?)?;
    module.add_function(wrap_pyfunction!(onnx::count_onnx, module)?)?;
    module.add_function(wrap_pyfunction!(formula::register_formula, module)?)
}
