//! `Einsum`, as products of two operands at a time.
//!
//! Source: the contraction from the left that `numpy.einsum` and `torch.einsum` run unless told
//! otherwise. Letters that only one operand has and nobody needs later are summed first; each two
//! operands then take one multiply-accumulate for each combination of their letters.

use std::collections::BTreeSet;

use laptime_core::Cost;

use crate::event::Event;
use crate::family::matmul;
use crate::family::reduction::row;
use crate::family::work::Work;
use crate::tensor::Dtype;
use crate::vocabulary::table::Counted;

/// An operand: its letters. Dimensions under an ellipsis are digits, from the right.
type Letters = BTreeSet<String>;

/// What a call costs.
pub fn einsum(event: &Event) -> Counted {
    let equation = event.text("equation").ok_or("it has no equation")?;
    let equation: String = equation.split_whitespace().collect();
    let (terms, output) = match equation.split_once("->") {
        Some((terms, output)) => (terms, Some(output)),
        None => (&equation[..], None),
    };
    let mut sizes = std::collections::BTreeMap::new();
    let mut operands: Vec<Letters> = Vec::new();
    let tensors: Vec<_> = event.inputs().collect();
    for (index, term) in terms.split(',').enumerate() {
        let tensor = tensors
            .get(index)
            .ok_or("it has fewer operands than its equation")?;
        let letters = spelled(term, tensor.shape.len());
        if letters.len() != tensor.shape.len() {
            return Err(format!(
                "its term {term:?} is not for {} dimensions",
                tensor.shape.len()
            ));
        }
        for (letter, size) in letters.iter().zip(&tensor.shape) {
            let known = sizes.entry(letter.clone()).or_insert(*size);
            *known = (*known).max(*size);
        }
        operands.push(letters.into_iter().collect());
    }
    let rank = event.require_output(0)?.shape.len();
    let wanted: Letters = match output {
        Some(output) => spelled(output, rank).into_iter().collect(),
        None => sizes
            .keys()
            .filter(|letter| {
                let is_spread = letter.starts_with(char::is_numeric);
                is_spread || terms.matches(&letter[..]).count() == 1
            })
            .cloned()
            .collect(),
    };
    let dtype = event.require_output(0)?.dtype;
    Ok(event.moving(contracted(event, operands, &wanted, &sizes, dtype)))
}

/// The letters of a term for so many dimensions.
fn spelled(term: &str, rank: usize) -> Vec<String> {
    let (before, after) = term.split_once("...").unwrap_or((term, ""));
    let own = before.chars().count() + after.chars().count();
    let spread = if term.contains("...") {
        rank.saturating_sub(own)
    } else {
        0
    };
    let letters = |part: &str| part.chars().map(String::from).collect::<Vec<_>>();
    let mut all = letters(before);
    all.extend((0..spread).rev().map(|place| place.to_string()));
    all.extend(letters(after));
    all
}

fn contracted(
    event: &Event,
    mut operands: Vec<Letters>,
    wanted: &Letters,
    sizes: &std::collections::BTreeMap<String, u64>,
    dtype: Dtype,
) -> Cost {
    let elements = |letters: &Letters| {
        letters
            .iter()
            .filter_map(|letter| sizes.get(letter))
            .fold(1u128, |all, size| all.saturating_mul(u128::from(*size)))
    };
    let sum = row("sum").map_or(Work::NONE, |(_, each, _)| *each);
    let mut cost = Cost::default();
    // What only one operand has is summed before anything is multiplied.
    for index in 0..operands.len() {
        let others: Letters = operands
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index)
            .flat_map(|(_, letters)| letters.iter().cloned())
            .collect();
        let own = &mut operands[index];
        let kept: Letters = own
            .iter()
            .filter(|letter| others.contains(*letter) || wanted.contains(*letter))
            .cloned()
            .collect();
        if kept.len() < own.len() {
            cost += sum.on(elements(own), dtype);
            *own = kept;
        }
    }
    let mut rest = operands.into_iter();
    let mut left = rest.next().unwrap_or_default();
    let rest: Vec<Letters> = rest.collect();
    for (index, right) in rest.iter().enumerate() {
        let both: Letters = left.union(right).cloned().collect();
        cost += matmul::work(event, elements(&both));
        let later: Letters = rest[index + 1..].iter().flatten().cloned().collect();
        left = both
            .into_iter()
            .filter(|letter| wanted.contains(letter) || later.contains(letter))
            .collect();
    }
    cost
}

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};

    #[test]
    fn equations_by_hand() {
        let of = |equation: &str, operands: &[&[u64]], output: &[u64]| {
            let text = ("equation", Argument::Text(equation.into()));
            let operands = operands.iter().map(|shape| ("operand", f32(shape)));
            call(
                "onnx::Einsum",
                &operands.chain([text]).collect::<Vec<_>>(),
                &[output],
            )
        };
        let (left, right): (&[u64], &[u64]) = (&[2, 3], &[3, 5]);
        let batches: [&[u64]; 2] = [&[7, 2, 3], &[7, 3, 5]];
        let columns = |columns: &[(&'static str, u128)], read, written| {
            [columns, &[("read", read), ("written", written)]].concat()
        };
        assert_costs(&[
            (
                "2 · 3 · 5",
                of("ij,jk->ik", &[left, right], &[2, 5]),
                &columns(&[("mac", 30)], 84, 40),
            ),
            (
                "the same, unsaid",
                of("ij, jk", &[left, right], &[2, 5]),
                &columns(&[("mac", 30)], 84, 40),
            ),
            (
                "15 of the right summed first; 2 · 3",
                of("ij,jk->i", &[left, right], &[2]),
                &columns(&[("mac", 6), ("flop", 15)], 84, 8),
            ),
            (
                "6 of the left summed first; 3 · 5",
                of("ij,jk->k", &[left, right], &[5]),
                &columns(&[("mac", 15), ("flop", 6)], 84, 20),
            ),
            (
                "6 summed",
                of("ij->i", &[left], &[2]),
                &columns(&[("flop", 6)], 24, 8),
            ),
            (
                "turned around",
                of("ij->ji", &[left], &[3, 2]),
                &columns(&[], 24, 24),
            ),
            (
                "all of it",
                of("ij,ij->", &[left, left], &[]),
                &columns(&[("mac", 6)], 48, 4),
            ),
            (
                "7 · 2 · 3 · 5",
                of("...ij,...jk->...ik", &batches, &[7, 2, 5]),
                &columns(&[("mac", 210)], 588, 280),
            ),
            (
                "7 · 3",
                of("...i,...i", &[&[7, 3], &[7, 3]], &[7]),
                &columns(&[("mac", 21)], 168, 28),
            ),
            (
                "a batch of one for seven: 7 · 2 · 3 · 5",
                of("...ij,...jk", &[&[1, 2, 3], &[7, 3, 5]], &[7, 2, 5]),
                &columns(&[("mac", 210)], 444, 280),
            ),
            (
                "2 · 3 · 5, then 2 · 5 · 4",
                of("ij,jk,kl->il", &[left, right, &[5, 4]], &[2, 4]),
                &columns(&[("mac", 70)], 164, 32),
            ),
        ]);
    }
}
