//! Contents that sizes are computed from: arithmetic on small constants.
//!
//! Integers that overflow become unknown, as does everything that isn't integer arithmetic or the
//! few real functions that shapes are computed by.

use super::call::Call;
use super::picking::stretched;
use crate::value::{DATA_LIMIT, Data, Element, Value};

/// The content of what one input becomes, element by element.
pub fn unary(call: &Call<'_>, element: Element) -> Option<Data> {
    let data = call.input(0)?.data.as_ref()?;
    Some(match (call.op(), data) {
        ("Cast" | "CastLike", _) => cast(data, element)?,
        ("Clip", Data::Ints(values)) => {
            let bound = |index| match call.input(index) {
                Some(value) => value.int().map(Some),
                None => Some(None),
            };
            let (low, high) = (bound(1)?, bound(2)?);
            let clip = |x: i64| x.max(low.unwrap_or(i64::MIN)).min(high.unwrap_or(i64::MAX));
            Data::Ints(values.iter().map(|x| x.map(clip)).collect())
        }
        ("CumSum", Data::Ints(values)) if call.input(0)?.rank() == Some(1) => {
            if call.flag("exclusive") || call.flag("reverse") {
                return None;
            }
            let add = |sum: &mut Option<i64>, x: &Option<i64>| {
                *sum = sum.zip(*x).and_then(|(sum, x)| sum.checked_add(x));
                Some(*sum)
            };
            Data::Ints(values.iter().scan(Some(0), add).collect())
        }
        (op, Data::Ints(values)) => {
            let compute: fn(i64) -> Option<i64> = match op {
                "Abs" => i64::checked_abs,
                "Neg" => i64::checked_neg,
                "Sign" => |x| Some(x.signum()),
                "Not" => |x| Some(i64::from(x == 0)),
                "Relu" => |x| Some(x.max(0)),
                _ => return None,
            };
            Data::Ints(values.iter().map(|x| x.and_then(compute)).collect())
        }
        (op, Data::Floats(values)) => {
            let compute: fn(f64) -> f64 = match op {
                "Abs" => f64::abs,
                "Ceil" => f64::ceil,
                "Floor" => f64::floor,
                "Neg" => |x| -x,
                "Reciprocal" => f64::recip,
                "Round" => f64::round_ties_even,
                "Sqrt" => f64::sqrt,
                _ => return None,
            };
            Data::Floats(values.iter().map(|x| compute(*x)).collect())
        }
    })
}

fn cast(data: &Data, element: Element) -> Option<Data> {
    let is_bool = element == Element::BOOL;
    Some(match data {
        Data::Ints(values) if is_bool => Data::Ints(
            values
                .iter()
                .map(|x| x.map(|x| i64::from(x != 0)))
                .collect(),
        ),
        Data::Ints(values) if element.is_integer() => Data::Ints(values.clone()),
        Data::Ints(values) if element.is_float() => {
            let reals: Option<_> = values.iter().map(|x| x.map(|x| x as f64)).collect();
            Data::Floats(reals?)
        }
        Data::Floats(values) if is_bool => {
            Data::Ints(values.iter().map(|x| Some(i64::from(*x != 0.0))).collect())
        }
        Data::Floats(values) if element.is_integer() => {
            let whole = |x: &f64| x.is_finite().then_some(*x as i64);
            Data::Ints(values.iter().map(whole).collect())
        }
        Data::Floats(values) if element.is_float() => Data::Floats(values.clone()),
        _ => return None,
    })
}

/// The content of what several inputs become, broadcast to the sizes of the output.
pub fn broadcast(call: &Call<'_>, output: &Value) -> Option<Data> {
    let sizes = output.dims()?;
    if output.elements()? > DATA_LIMIT as u64 || call.inputs.len() > 8 {
        return None;
    }
    let inputs: Option<Vec<&Value>> = (0..call.inputs.len()).map(|at| call.input(at)).collect();
    let inputs = inputs?;
    if call.op() == "Where" {
        let [condition, yes, no] = inputs[..] else {
            return None;
        };
        let condition = stretched(condition, &sizes)?;
        return pick(
            &condition,
            &stretched(yes, &sizes)?,
            &stretched(no, &sizes)?,
        );
    }
    let (first, rest) = inputs.split_first()?;
    let mut sum = stretched(first, &sizes)?;
    for input in rest {
        sum = binary(call.op(), &sum, &stretched(input, &sizes)?)?;
    }
    Some(sum)
}

fn pick(condition: &Data, yes: &Data, no: &Data) -> Option<Data> {
    let Data::Ints(condition) = condition else {
        return None;
    };
    let chosen = condition.iter().enumerate();
    Some(match (yes, no) {
        (Data::Ints(yes), Data::Ints(no)) => Data::Ints(
            chosen
                .map(|(at, is_yes)| match is_yes {
                    Some(0) => no[at],
                    Some(_) => yes[at],
                    None => yes[at].filter(|_| yes[at] == no[at]),
                })
                .collect(),
        ),
        (Data::Floats(yes), Data::Floats(no)) => {
            let reals: Option<_> = chosen
                .map(|(at, is_yes)| is_yes.map(|is| if is == 0 { no[at] } else { yes[at] }))
                .collect();
            Data::Floats(reals?)
        }
        _ => return None,
    })
}

fn binary(op: &str, left: &Data, right: &Data) -> Option<Data> {
    match (left, right) {
        (Data::Ints(left), Data::Ints(right)) => {
            let compute = integer(op)?;
            let pairs = left.iter().zip(right);
            let each = pairs.map(|(a, b)| a.zip(*b).and_then(|(a, b)| compute(a, b)));
            Some(Data::Ints(each.collect()))
        }
        (Data::Floats(left), Data::Floats(right)) => real(op, left, right),
        _ => None,
    }
}

fn integer(op: &str) -> Option<fn(i64, i64) -> Option<i64>> {
    Some(match op {
        "Add" | "Sum" => i64::checked_add,
        "Sub" => i64::checked_sub,
        "Mul" => i64::checked_mul,
        "Div" => i64::checked_div,
        "Mod" => |a, b| {
            a.checked_rem(b).map(|r| {
                if r != 0 && (r < 0) != (b < 0) {
                    r + b
                } else {
                    r
                }
            })
        },
        "Pow" => |a, b| a.checked_pow(u32::try_from(b).ok()?),
        "Max" => |a, b| Some(a.max(b)),
        "Min" => |a, b| Some(a.min(b)),
        "Equal" => |a, b| Some(i64::from(a == b)),
        "Greater" => |a, b| Some(i64::from(a > b)),
        "GreaterOrEqual" => |a, b| Some(i64::from(a >= b)),
        "Less" => |a, b| Some(i64::from(a < b)),
        "LessOrEqual" => |a, b| Some(i64::from(a <= b)),
        "And" => |a, b| Some(i64::from(a != 0 && b != 0)),
        "Or" => |a, b| Some(i64::from(a != 0 || b != 0)),
        "Xor" => |a, b| Some(i64::from((a != 0) != (b != 0))),
        _ => return None,
    })
}

fn real(op: &str, left: &[f64], right: &[f64]) -> Option<Data> {
    let pairs = left.iter().copied().zip(right.iter().copied());
    let truth = |is: fn(f64, f64) -> bool| {
        let each = pairs.clone().map(|(a, b)| Some(i64::from(is(a, b))));
        Some(Data::Ints(each.collect()))
    };
    let number = |of: fn(f64, f64) -> f64| {
        Some(Data::Floats(pairs.clone().map(|(a, b)| of(a, b)).collect()))
    };
    match op {
        "Add" | "Sum" => number(|a, b| a + b),
        "Sub" => number(|a, b| a - b),
        "Mul" => number(|a, b| a * b),
        "Div" => number(|a, b| a / b),
        "Pow" => number(f64::powf),
        "Max" => number(f64::max),
        "Min" => number(f64::min),
        "Equal" => truth(|a, b| a.total_cmp(&b).is_eq()),
        "Greater" => truth(|a, b| a > b),
        "GreaterOrEqual" => truth(|a, b| a >= b),
        "Less" => truth(|a, b| a < b),
        "LessOrEqual" => truth(|a, b| a <= b),
        _ => None,
    }
}
