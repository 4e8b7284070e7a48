//! Matrix products and convolutions.

use super::call::{Call, Outputs, Stop};
use super::image::{Window, window};
use super::sizes::{agree, broadcast_sizes};
use crate::value::{Element, Sizes, Value};

/// What a call gives. `None`: it is of another kind.
pub fn outputs(call: &Call<'_>) -> Option<Outputs> {
    Some(match call.op() {
        "MatMulInteger" => matmul(call, 1, Element::I32),
        "QLinearMatMul" => matmul(call, 3, call.element(7)),
        "MatMul" | "FusedMatMul" | "DynamicQuantizeMatMul" => matmul(call, 1, call.element(0)),
        "MatMulIntegerToFloat" => matmul(call, 1, call.element(2)),
        "MatMulNBits" => narrow(call),
        "Gemm" | "FusedGemm" => gemm(call),
        "Conv" | "FusedConv" | "DeformConv" => convolution(call, 1, call.element(0)),
        "ConvInteger" => convolution(call, 1, Element::I32),
        "QLinearConv" => convolution(call, 3, call.element(7)),
        "ConvTranspose" => transposed(call),
        "Einsum" => einsum(call),
        _ => return None,
    })
}

fn matmul(call: &Call<'_>, right: usize, element: Element) -> Outputs {
    let (mut left, mut right) = (call.sizes(0)?.clone(), call.sizes(right)?.clone());
    let is_row = left.len() == 1;
    let is_column = right.len() == 1;
    if is_row {
        left.insert(0, Some(1));
    }
    if is_column {
        right.push(Some(1));
    }
    for (sizes, flag) in [(&mut left, "transA"), (&mut right, "transB")] {
        let rank = sizes.len();
        if rank < 2 {
            return Err(Stop::wrong("a number is no matrix"));
        }
        if call.op() == "FusedMatMul" && call.flag(flag) {
            sizes.swap(rank - 1, rank - 2);
        }
    }
    let [lead @ .., rows, inner] = &left[..] else {
        unreachable!("two at least")
    };
    let [other_lead @ .., other_inner, columns] = &right[..] else {
        unreachable!("two at least")
    };
    inner_agree(*inner, *other_inner)?;
    let mut sizes = broadcast_sizes(&lead.to_vec(), &other_lead.to_vec())?;
    if !is_row {
        sizes.push(*rows);
    }
    if !is_column {
        sizes.push(*columns);
    }
    Ok(vec![Value::new(element, sizes)])
}

fn inner_agree(columns: Option<u64>, rows: Option<u64>) -> Result<(), Stop> {
    match (columns, rows) {
        (Some(columns), Some(rows)) if columns != rows => Err(Stop::wrong(format!(
            "a matrix of {columns} columns times one of {rows} rows"
        ))),
        _ => Ok(()),
    }
}

/// Weights of a few bits, packed: their sizes are attributes.
fn narrow(call: &Call<'_>) -> Outputs {
    let mut sizes = call.sizes(0)?.clone();
    if let Some(last) = sizes.last_mut() {
        *last = call.size("N");
    }
    Ok(call.like(sizes))
}

fn gemm(call: &Call<'_>) -> Outputs {
    let matrix = |index: usize, flag: &str| match call.sizes(index)?[..] {
        [rows, columns] if call.flag(flag) => Ok((columns, rows)),
        [rows, columns] => Ok((rows, columns)),
        _ => Err(Stop::wrong(format!("its input {index} is no matrix"))),
    };
    let (rows, inner) = matrix(0, "transA")?;
    let (other_inner, columns) = matrix(1, "transB")?;
    inner_agree(inner, other_inner)?;
    Ok(call.like(vec![rows, columns]))
}

fn convolution(call: &Call<'_>, weight: usize, element: Element) -> Outputs {
    let (input, weight) = (call.sizes(0)?, call.sizes(weight)?);
    if input.len() < 3 || weight.len() != input.len() {
        return Err(Stop::wrong(format!(
            "a weight of {} dimensions for an input of {}",
            weight.len(),
            input.len()
        )));
    }
    let groups = groups(call)?;
    if let (Some(channels), Some(each)) = (input[1], weight[1])
        && channels != each.saturating_mul(groups)
    {
        return Err(Stop::wrong(format!(
            "{channels} channels against {groups} groups of {each}"
        )));
    }
    let mut sizes: Sizes = vec![input[0], weight[0]];
    let kernel = Window::Convolution(&weight[2..]);
    sizes.extend(window(call, &input[2..], kernel)?);
    Ok(vec![Value::new(element, sizes)])
}

fn groups(call: &Call<'_>) -> Result<u64, Stop> {
    let groups = call.int("group").unwrap_or(1);
    u64::try_from(groups)
        .ok()
        .filter(|groups| *groups > 0)
        .ok_or_else(|| Stop::wrong(format!("{groups} groups")))
}

fn transposed(call: &Call<'_>) -> Outputs {
    let (input, weight) = (call.sizes(0)?, call.sizes(1)?);
    if input.len() < 3 || weight.len() != input.len() {
        return Err(Stop::wrong(
            "its weight and input are not of as many dimensions",
        ));
    }
    if !agree(input[1], weight[0]) {
        return Err(Stop::wrong("its weight is for another number of channels"));
    }
    let groups = groups(call)?;
    let channels = weight[1].and_then(|each| each.checked_mul(groups));
    let mut sizes: Sizes = vec![input[0], channels];
    if let Some(wanted) = call.ints("output_shape") {
        let wanted = &wanted[wanted.len().saturating_sub(input.len() - 2)..];
        sizes.extend(wanted.iter().map(|size| u64::try_from(*size).ok()));
    } else {
        sizes.extend(window(call, &input[2..], Window::Transposed(&weight[2..]))?);
    }
    if sizes.len() != input.len() {
        return Err(Stop::wrong(
            "its output_shape is of another number of dimensions",
        ));
    }
    Ok(call.like(sizes))
}

/// Sizes by letter; those under an ellipsis are broadcast.
fn einsum(call: &Call<'_>) -> Outputs {
    let equation: String = call
        .text("equation")
        .ok_or_else(|| Stop::wrong("it has no equation"))?
        .split_whitespace()
        .collect();
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output.to_owned())),
        None => (&equation[..], None),
    };
    let mut letters: Vec<(char, Option<u64>)> = Vec::new();
    let mut spread: Sizes = Vec::new();
    for (index, term) in inputs.split(',').enumerate() {
        let sizes = call.sizes(index)?;
        let (before, after) = term.split_once("...").unwrap_or((term, ""));
        let (head, tail) = (before.chars().count(), after.chars().count());
        let under = sizes.len().checked_sub(head + tail);
        let under = under.filter(|under| *under == 0 || term.contains("..."));
        let under =
            under.ok_or_else(|| Stop::wrong(format!("{term:?} for {} dimensions", sizes.len())))?;
        spread = broadcast_sizes(&spread, &sizes[head..head + under].to_vec())?;
        let own = sizes[..head].iter().chain(&sizes[head + under..]);
        for (letter, size) in before.chars().chain(after.chars()).zip(own) {
            match letters.iter_mut().find(|(known, _)| *known == letter) {
                None => letters.push((letter, *size)),
                Some((_, known)) if known.is_none() || *known == Some(1) => *known = *size,
                Some((_, known)) if agree(*known, *size) || *size == Some(1) => {}
                Some(_) => return Err(Stop::wrong(format!("two sizes for {letter:?}"))),
            }
        }
    }
    let output = output.unwrap_or_else(|| implicit(inputs));
    let (before, after) = output.split_once("...").unwrap_or((&output, ""));
    let size = |letter: char| {
        let known = letters.iter().find(|(known, _)| *known == letter);
        known
            .map(|(_, size)| *size)
            .ok_or_else(|| Stop::wrong(format!("{letter:?} comes from nowhere")))
    };
    let mut sizes = before.chars().map(size).collect::<Result<Sizes, Stop>>()?;
    if output.contains("...") {
        sizes.append(&mut spread);
    }
    for letter in after.chars() {
        sizes.push(size(letter)?);
    }
    Ok(call.like(sizes))
}

/// Without an arrow: the letters that come once, in the alphabet's order.
fn implicit(inputs: &str) -> String {
    let mut once: Vec<char> = inputs
        .chars()
        .filter(|letter| letter.is_alphabetic() && inputs.matches(*letter).count() == 1)
        .collect();
    once.sort_unstable();
    let spread = if inputs.contains("...") { "..." } else { "" };
    spread.chars().chain(once).collect()
}
