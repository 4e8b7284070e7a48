//! What the operators of each dialect mean: from names and arguments to a family's sizes.

use std::collections::HashSet;

use crate::event::Event;
use crate::outcome::Outcome;

pub mod aten;
pub mod burn;
pub mod collective;
pub mod fused;
pub mod higher_order;
pub mod jax;
pub mod onnx;
pub mod prims;
pub mod quantized;
pub mod table;
pub mod torch_nn;
pub mod torchvision;

/// What one call of an event costs, by its dialect.
pub fn outcome(event: &Event) -> Outcome {
    let name = &event.signature.name;
    let (dialect, name) = name.split_once("::").unwrap_or(("", name));
    let known = match dialect {
        "aten" => aten::outcome(name, event),
        "burn" => burn::DIALECT.outcome(name, event),
        "jax" => jax::outcome(name, event),
        "prims" => prims::outcome(name, event),
        "quantized" | "_quantized" | "onednn" | "sparse" | "mkldnn_prepacked" => {
            quantized::outcome(name, event)
        }
        "mkldnn" | "mkl" | "inductor" => fused::DIALECT.outcome(name, event),
        "torch_nn" => torch_nn::DIALECT.outcome(name, event),
        "torchvision" => torchvision::DIALECT.outcome(name, event),
        "c10d"
        | "_c10d_functional"
        | "_c10d_functional_autograd"
        | "c10d_functional"
        | "_dtensor"
        | "symm_mem" => collective::DIALECT.outcome(name, event),
        "higher_order" => higher_order::DIALECT.outcome(name, event),
        "prim" | "profiler" | "debug_mode_ops" => Some(Outcome::NOTHING),
        "onnx" | "com.microsoft" => onnx::outcome(name, event),
        _ => None,
    };
    known.unwrap_or_else(|| Outcome::uncounted("no formula for it is known"))
}

/// Why what a call is counted as may be too high. `None`: it isn't.
pub fn doubt(event: &Event) -> Option<&'static str> {
    aten::doubt(event)
}

/// Operators of `PyTorch` that are known and counted alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The dialect of the operators, such as `aten`.
    pub dialect: &'static str,
    /// The family whose formulas they follow.
    pub family: &'static str,
    /// The operators' names, without the dialect.
    pub names: Vec<&'static str>,
    /// What a call costs, in words.
    pub says: String,
}

/// Every operator of `PyTorch` that is known, those included that can't be counted and say why.
pub fn known() -> Vec<Known> {
    let mut seen = HashSet::new();
    let others = [
        ("prims", prims::TABLE),
        ("quantized", quantized::TABLE),
        ("mkldnn", fused::TABLE),
        ("torch_nn", torch_nn::TABLE),
        ("torchvision", torchvision::TABLE),
        ("c10d", collective::TABLE),
        ("higher_order", higher_order::TABLE),
    ];
    let others = others
        .into_iter()
        .flat_map(|(dialect, entries)| entries.iter().map(move |&entry| (dialect, "", entry)));
    aten::entries()
        .map(|(family, entry)| ("aten", family, entry))
        .chain(others)
        .filter_map(|(dialect, family, entry)| {
            let names: Vec<&'static str> = entry
                .names()
                .filter(|name| seen.insert((dialect, *name)))
                .collect();
            (!names.is_empty()).then(|| Known {
                dialect,
                family,
                names,
                says: entry.says(),
            })
        })
        .collect()
}
