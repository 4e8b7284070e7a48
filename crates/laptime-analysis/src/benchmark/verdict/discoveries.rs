//! Verdicts on many spans at once, which must hold against how many there are.

use super::judgement::{Judged, Verdict};
use super::reason::Reason;
use crate::statistics::false_discoveries::adjusted;

/// Takes back each verdict of faster or slower that many comparisons make likely by chance. A share of `rate` at most of
/// the verdicts that stay is expected to be wrong.
pub fn control_false_discoveries(judged: &mut [&mut Judged], rate: f64) {
    let tested: Vec<usize> = (0..judged.len())
        .filter(|index| judged[*index].p_value.is_some())
        .collect();
    let p_value = |index: &usize| judged[*index].p_value.unwrap_or(1.0);
    let p_values: Vec<f64> = tested.iter().map(p_value).collect();
    let comparisons = tested.len();
    for (index, adjusted) in tested.into_iter().zip(adjusted(&p_values)) {
        let one = &mut *judged[index];
        if matches!(one.verdict, Verdict::Faster | Verdict::Slower) && adjusted > rate {
            one.verdict = Verdict::Inconclusive;
            one.reason = Reason::OneOfMany { comparisons };
        }
    }
}
