//! Finds the functions that surely got slower or faster.
//!
//! A function is named where its self time differs by more than chance explains, held against how many functions there
//! are. Where no self time does, it is the innermost function whose time with all that it calls makes most of the
//! change. With one run a side nothing tells how much two runs differ: then a change must be a large one. A function is
//! not named that changed as all the rest of the program did, as on a machine that was busy during one side's runs.

use super::function_row::{ChangeDoubt, ChangedPart, FunctionRow};
use super::time_difference::TimeDifference;
use crate::statistics::false_discoveries::adjusted;

/// Share of the functions that are named that may be wrong: two runs of one program name one in less than one of a
/// hundred comparisons.
pub const FALSE_RATE: f64 = 0.01;
/// Part of its time by which a function must change with one run a side: runs of one program differ by less, mostly.
const SINGLE_RATIO: f64 = 0.1;
/// Fewest samples of a function on both sides together, for it to be tested.
const LEAST_SAMPLES: f64 = 5.0;
/// Times the 95 % interval by which a function must change otherwise than the rest, to stand out: there are many functions.
const REST_TIMES: f64 = 1.7;
/// Part of a change that a function inside has, to be named in place of those around it.
const MOST_RATIO: f64 = 0.6;
/// Part of the base's time that functions without a likely change must have, for them to tell how the program changed.
const REST_RATIO: f64 = 0.2;
/// Part of all time from which on a function is as good as all of the program.
const WHOLE_RATIO: f64 = 0.9;

/// The change of the rest of the program, beside that of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// The rest changed clearly less, or the other way.
    Unlike,
    /// The rest changed as well.
    Alike,
    /// There is too little of the rest to tell.
    Unclear,
}

/// The conditions for a function to be named.
pub struct Conditions {
    /// Part of all time of the base by which a function must change.
    pub threshold_ratio: f64,
    /// All time of both sides.
    pub whole_ns: [f64; 2],
    /// Whether there is one run a side.
    pub is_single: bool,
}

impl Conditions {
    /// Marks the functions that surely changed, and makes the intervals of all such that they leave out no change for exactly
    /// the differences that chance doesn't explain (Benjamini and Yekutieli 2005); returns their confidence.
    pub fn mark(&self, rows: &mut [FunctionRow]) -> f64 {
        let tested: Vec<usize> = (0..rows.len())
            .filter(|at| {
                let sides = [&rows[*at].base, &rows[*at].new].into_iter().flatten();
                let samples: u64 = sides.map(|side| side.sample_count).sum();
                samples as f64 >= LEAST_SAMPLES
            })
            .collect();
        let differences = |at: &usize| [rows[*at].own, rows[*at].total];
        let p_values: Vec<f64> = tested
            .iter()
            .flat_map(differences)
            .map(|one| one.p_value)
            .collect();
        let adjusted = adjusted(&p_values);
        let is_likely = |number: usize| adjusted[number] <= FALSE_RATE;
        let mut likely: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
        for (number, at) in tested.into_iter().enumerate() {
            for part in [0, 1] {
                if is_likely(2 * number + part) && self.is_much(&rows[at], part) {
                    likely[part].push(at);
                }
            }
        }
        self.choose(rows, likely);
        let kept = (0..p_values.len()).filter(|number| is_likely(*number));
        let chosen = kept.count().max(1) as f64;
        let confidence = 1.0 - FALSE_RATE * chosen / p_values.len().max(1) as f64;
        for row in rows.iter_mut() {
            row.own.widen(confidence);
            row.total.widen(confidence);
            let is_open = row.changed.is_none() && row.doubt.is_none();
            if is_open && row.own.difference_ns.abs() > row.own.within_ns {
                row.doubt = Some(ChangeDoubt::Small);
            }
        }
        confidence
    }

    /// Tells whether a difference of the self time, or of the total one, counts as a change.
    fn is_much(&self, row: &FunctionRow, part: usize) -> bool {
        let least_ratio = if self.is_single {
            SINGLE_RATIO
        } else {
            self.threshold_ratio
        };
        let before = [row.self_ns()[0], row.total_ns()[0]][part];
        let change = [&row.own, &row.total][part];
        let least_ns = (self.threshold_ratio * self.whole_ns[0]).max(least_ratio * before);
        change.difference_ns.abs() >= least_ns
    }

    /// Marks those of the likely changes that the rest of the program did not go through alike.
    fn choose(&self, rows: &mut [FunctionRow], [own, total]: [Vec<usize>; 2]) {
        let rest_of = |at: usize, apart: &[usize]| {
            let others = apart.iter().filter(|one| **one != at);
            let without = others.map(|one| rows[*one].self_ns());
            let rest = without.fold(self.whole_ns, less);
            less(rest, rows[at].self_ns())
        };
        // Where much of the program is in functions without a likely change, these tell how the machine was.
        let of_own = |at: usize, apart: &[usize]| {
            let others = rest_of(at, &own);
            let is_much = others[0] >= REST_RATIO * self.whole_ns[0];
            let rest = if is_much { others } else { rest_of(at, apart) };
            against_rest(&rows[at].own, rows[at].self_ns(), rest)
        };
        let apart: Vec<usize> = (own.iter().copied())
            .filter(|at| of_own(*at, &[]) == Rest::Unlike)
            .collect();
        // What clearly stands out is no part of the rest that the others are held against.
        let own: Vec<(usize, Rest)> = own.iter().map(|at| (*at, of_own(*at, &apart))).collect();
        let of_total = |at: usize| {
            let row = &rows[at];
            let rest = less(self.whole_ns, row.total_ns());
            against_rest(&row.total, row.total_ns(), rest)
        };
        let total: Vec<(usize, Rest)> = total.iter().map(|at| (*at, of_total(*at))).collect();
        let (alike, own): (Vec<(usize, Rest)>, Vec<_>) =
            own.into_iter().partition(|one| one.1 == Rest::Alike);
        let total: Vec<(usize, Rest)> = (total.into_iter())
            .filter(|one| one.1 != Rest::Alike)
            .collect();
        let (part, named) = if own.is_empty() {
            let innermost = self.innermost(rows, &total);
            (ChangedPart::Total, innermost.into_iter().collect())
        } else {
            (ChangedPart::Own, own)
        };
        for (at, _) in alike {
            rows[at].doubt = Some(ChangeDoubt::Alike);
        }
        for (at, rest) in named {
            rows[at].doubt = None;
            rows[at].changed = Some(part);
            rows[at].stands_out = rest == Rest::Unlike;
        }
    }

    /// Finds the function with the least time of those whose total has most of the largest change.
    fn innermost(&self, rows: &[FunctionRow], sure: &[(usize, Rest)]) -> Option<(usize, Rest)> {
        let size = |one: &(usize, Rest)| rows[one.0].total.difference_ns.abs();
        let most = sure.iter().map(size).fold(0.0, f64::max);
        let is_part = |one: &&(usize, Rest)| {
            let [before, now] = rows[one.0].total_ns();
            before < WHOLE_RATIO * self.whole_ns[0] && now < WHOLE_RATIO * self.whole_ns[1]
        };
        let parts = sure
            .iter()
            .filter(is_part)
            .filter(|one| size(one) >= MOST_RATIO * most);
        let time = |one: &(usize, Rest)| rows[one.0].total_ns().into_iter().fold(0.0, f64::max);
        parts
            .min_by(|one, other| time(one).total_cmp(&time(other)))
            .copied()
    }
}

/// Subtracts the times of a part on both sides.
fn less(whole: [f64; 2], part: [f64; 2]) -> [f64; 2] {
    [whole[0] - part[0], whole[1] - part[1]]
}

/// Holds a change against that of the rest of the program, whose times on both sides are given: a busy machine changes
/// both alike.
fn against_rest(change: &TimeDifference, [before, now]: [f64; 2], rest: [f64; 2]) -> Rest {
    if before <= 0.0 || now <= 0.0 {
        return Rest::Unlike;
    }
    if rest[0] <= 0.0 || rest[1] <= 0.0 {
        return Rest::Unclear;
    }
    // What the function would take if it had changed as the rest did. A sample that it has too many the rest has too
    // few: their errors add up.
    let excess_ns = now - before * rest[1] / rest[0];
    let within_ns = change.within_ns * (1.0 + before / rest[0]);
    let rest_ns = rest[1] - rest[0];
    let is_along = rest_ns * change.difference_ns > 0.0;
    let is_beyond = excess_ns * change.difference_ns > 0.0;
    if excess_ns.abs() > REST_TIMES * within_ns && is_beyond {
        return Rest::Unlike;
    }
    let is_clear = rest_ns.abs() > change.within_ns;
    let is_like = || (rest[1] / rest[0]).ln().abs() >= 0.5 * (now / before).ln().abs();
    if is_along && (is_clear || is_like()) {
        Rest::Alike
    } else {
        Rest::Unclear
    }
}
