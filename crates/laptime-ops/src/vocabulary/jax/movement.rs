//! Primitives that only bring values to where they are wanted, or make them up.
//!
//! Only what indices choose of an operand is touched.

use crate::event::{Argument, Event};
use crate::family::elementwise;
use crate::family::movement::{self, fill, lookup, moved, results, scatter};
use crate::family::work::Work;
use crate::outcome::Outcome;
use crate::tensor::Tensor;

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    Some(match name {
        "concatenate"
        | "conj"
        | "convert_element_type"
        | "copy"
        | "copy_p"
        | "complex"
        | "device_put"
        | "imag"
        | "pad"
        | "real"
        | "reduce_precision"
        | "reshard"
        | "rev"
        | "stack"
        | "tile"
        | "to_edtype"
        | "from_edtype"
        | "unstack" => Outcome::Zero(moved(bytes(event, 0), results(event))),
        // Random numbers are drawn by integer arithmetic that differs by generator.
        "iota" | "empty" | "empty2" | "random_bits" | "random_fold_in" | "random_seed"
        | "random_split" | "random_clone" | "random_gamma" | "rng_bit_generator"
        | "rng_uniform" | "threefry2x32" | "threefry4x32" | "philox2x32" | "philox4x32"
        | "iota_2x32_shape" => Outcome::Zero(fill(event)),
        "after_all"
        | "broadcast_to"
        | "create_token"
        | "debug_callback"
        | "debug_print"
        | "dce_sink"
        | "dimension_size"
        | "empty_ref"
        | "free_ref"
        | "freeze"
        | "layout_constraint"
        | "name"
        | "optimization_barrier"
        | "pin"
        | "platform_index"
        | "random_unwrap"
        | "random_wrap"
        | "shape_assertion"
        | "sharding_constraint"
        | "tie"
        | "unpin"
        | "with_memory_space_constraint" => Outcome::NOTHING,
        "gather" | "dynamic_slice" => {
            Outcome::Zero(lookup(event.input()?, bytes(event, 1), event.output()?))
        }
        "dynamic_update_slice" => {
            let update = operand(event, 1).map_or(0, Tensor::bytes);
            Outcome::Zero(moved(bytes(event, 1), update))
        }
        // An array that is changed in place: what is read of it, and what is put there.
        "get" => Outcome::Zero(moved(results(event), results(event))),
        "swap" => {
            let value = operand(event, 1).map_or(0, Tensor::bytes);
            Outcome::Zero(moved(value, value))
        }
        "addupdate" => {
            let value = operand(event, 1)?;
            let traffic = moved(value.bytes().saturating_mul(2), value.bytes());
            let work = elementwise::work("add")?;
            Outcome::Counted(traffic + work.on(value.elements(), value.dtype))
        }
        "new_ref" | "ref" => Outcome::Zero(moved(bytes(event, 0), bytes(event, 0))),
        "scatter" => Outcome::Zero(scattered(event)?),
        "scatter-add" | "scatter-sub" => changed(event, elementwise::work("add")?)?,
        "scatter-mul" => changed(event, elementwise::work("mul")?)?,
        "scatter-max" | "scatter-min" => changed(event, elementwise::MAXIMUM)?,
        _ => return None,
    })
}

/// Bytes of all operands from one on.
fn bytes(event: &Event, from: usize) -> u128 {
    let Argument::Tensors(operands) = event.get("inputs") else {
        return 0;
    };
    movement::bytes(operands.iter().skip(from).flatten())
}

fn operand(event: &Event, at: usize) -> Option<&Tensor> {
    match event.get("inputs") {
        Argument::Tensors(operands) => operands.get(at)?.as_ref(),
        _ => None,
    }
}

fn scattered(event: &Event) -> Option<laptime_core::Cost> {
    Some(scatter(event.output()?, updates(event), bytes(event, 1)))
}

/// How many are brought to places; a number written into the program is one.
fn updates(event: &Event) -> u128 {
    operand(event, 2).map_or(1, Tensor::elements)
}

fn changed(event: &Event, work: Work) -> Option<Outcome> {
    let traffic = scattered(event)?;
    Some(Outcome::Counted(
        traffic + work.on(updates(event), event.output()?.dtype),
    ))
}
