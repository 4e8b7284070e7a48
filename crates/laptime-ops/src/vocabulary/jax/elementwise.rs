//! Primitives that treat each element alike: arithmetic, choices, functions, reductions, copies.

use crate::event::Event;
use crate::family::work::Work;
use crate::family::{elementwise, reduction};
use crate::outcome::Outcome;

/// What one call costs.
pub fn outcome(name: &str, event: &Event) -> Option<Outcome> {
    if let Some(work) = function(name, event) {
        let output = event.output()?;
        let cost = work.on(output.elements(), output.dtype);
        return Some(Outcome::Counted(event.moving(cost)));
    }
    if let Some((_, each, last)) = reduction::row(reduced(name)?) {
        let (input, output) = (event.input()?, event.output()?);
        let last = last.on(output.elements(), output.dtype);
        return Some(Outcome::Counted(
            event.moving(each.on(input.elements(), input.dtype) + last),
        ));
    }
    None
}

/// Functions of single elements.
fn function(name: &str, event: &Event) -> Option<Work> {
    Some(match name {
        "integer_pow" => {
            let power = event.int("y")?;
            let bits = power.unsigned_abs();
            let products = bits
                .checked_ilog2()
                .map_or(0, |log| log + bits.count_ones() - 1);
            let product = Work::arithmetic(products).on_complex(6 * products);
            if power < 0 {
                product.and(elementwise::work("reciprocal")?)
            } else {
                product
            }
        }
        "clz"
        | "population_count"
        | "not"
        | "and"
        | "or"
        | "xor"
        | "shift_left"
        | "shift_right_logical"
        | "shift_right_arithmetic"
        | "mulhi" => Work::integer(1),
        _ => elementwise::work(match name {
            "add_any" => "add",
            "logistic" => "sigmoid",
            "max" => "maximum",
            "min" => "minimum",
            "erf_inv" => "erfinv",
            "is_finite" => "isfinite",
            "select_n" => "where",
            "rem" => "fmod",
            "eq_to" => "eq",
            "le_to" => "le",
            "lt_to" => "lt",
            "bessel_i0e" => "i0e",
            "bessel_i1e" => "i1e",
            // They stand in the table for other things here.
            "where" | "relu" | "divide" | "sub_" => return None,
            name => name,
        })?,
    })
}

/// What a reduction is called elsewhere.
fn reduced(name: &str) -> Option<&'static str> {
    Some(match name {
        "reduce_sum" | "cumsum" => "sum",
        "reduce_prod" | "cumprod" => "prod",
        "reduce_max" | "reduce_min" | "cummax" | "cummin" => "max",
        "argmax" | "argmin" => "argmax",
        "reduce_and" | "reduce_or" | "reduce_xor" => "any",
        "cumlogsumexp" => "logcumsumexp",
        _ => return None,
    })
}
