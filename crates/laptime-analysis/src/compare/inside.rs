//! A lap inside of a step that surely got slower or faster, where the step itself can't tell.
//!
//! What all other laps take differs from run to run, and hides in the step's time the one that changed. That
//! one's own time is known better. It is told where chance gives such a difference in less than one of a
//! hundred comparisons, all laps inside taken together (Bonferroni), and where what surely changed, slower
//! and faster laps together, adds the threshold or more to a step. It decides unless the step seems to be
//! faster: what got faster may just not be known so well. Of a faster lap the same holds with longer and
//! shorter exchanged.

use super::comparison::{CausePart, Pair};
use super::comparison_row::ComparisonRow;
use crate::verdict::Verdict;

/// How often chance may make a lap of identical code seem slower or faster.
const MOST_CHANCE: f64 = 0.01;
/// Runs on either side that tell how much runs differ.
const LEAST_RUNS: usize = 2;

/// Finds the lap, and lets it decide where nothing else did and the step doesn't seem to say the opposite.
pub fn decide(pair: &mut Pair, base_runs: usize, new_runs: usize) {
    let is_open = pair.verdict == Verdict::Inconclusive
        && pair.whole.verdict == Some(Verdict::Inconclusive)
        && base_runs.min(new_runs) >= LEAST_RUNS;
    let found = if is_open { changed(pair) } else { None };
    if let Some((verdict, part)) = found {
        let agrees = |ratio: f64| ratio.ln() * part.difference_ns >= 0.0;
        if pair.whole.ratio.is_some_and(agrees) {
            pair.verdict = verdict;
        }
        pair.inside = Some(part);
    }
}

/// The lap that changed most, the way that all laps together did which surely changed.
fn changed(pair: &Pair) -> Option<(Verdict, CausePart)> {
    let whole = &pair.whole;
    let step_ns = whole.base.as_ref()?.median_ns?;
    let inside = || {
        let rows = pair.rows.iter();
        rows.filter(|row| row.depth() > whole.depth() && row.names.starts_with(&whole.names))
    };
    let chance = MOST_CHANCE / inside().count().max(1) as f64;
    let is_sure = |row: &&ComparisonRow| {
        matches!(row.verdict, Some(Verdict::Slower | Verdict::Faster))
            && row.p_value.is_some_and(|p_value| p_value <= chance)
    };
    let sure: Vec<&ComparisonRow> = inside().filter(is_sure).collect();
    // A lap is slower through the one inside of it.
    let is_innermost = |row: &&&ComparisonRow| {
        let mut others = sure.iter();
        !others.any(|other| {
            other.depth() > row.depth()
                && other.names.starts_with(&row.names)
                && other.verdict == row.verdict
        })
    };
    let innermost: Vec<&&ComparisonRow> = sure.iter().filter(is_innermost).collect();
    let changes = innermost.iter().map(|row| row.typical_difference_ns());
    let sum: f64 = changes.sum();
    let verdict = if sum < 0.0 {
        Verdict::Faster
    } else {
        Verdict::Slower
    };
    let size = |row: &ComparisonRow| row.typical_difference_ns().abs();
    let largest = innermost
        .into_iter()
        .filter(|row| row.verdict == Some(verdict))
        .max_by(|one, other| size(one).total_cmp(&size(other)))?;
    let part = || CausePart {
        path: largest.path.clone(),
        difference_ns: largest.typical_difference_ns(),
    };
    (sum.abs() >= pair.threshold_ratio * step_ns).then(|| (verdict, part()))
}

#[cfg(test)]
mod tests {
    use super::super::{Options, Run, compare};
    use crate::fed;
    use crate::scripted::Script;
    use crate::verdict::Verdict;

    /// A number from -1 to 1 that looks like chance.
    fn chance(seed: u64, which: u64) -> f64 {
        let mut bits = (seed << 32 | which).wrapping_add(0x9e37_79b9_7f4a_7c15);
        for by in [30, 27, 31] {
            bits = (bits ^ (bits >> by)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A run of 60 steps on a machine that is up to a quarter slower or faster from run to run in `compute`, with
    /// a lap `norm` of so many microseconds.
    fn run(norm_us: u64, seed: u64) -> Run {
        let mut script = Script::new(7, 0);
        let mut now = 0;
        let level = 1.0 + 0.25 * chance(seed, 1_000);
        for step in 0..60 {
            let start = now;
            let compute = 5e6 * level * (1.0 + 0.02 * chance(seed, 4 * step));
            script.span(&["step", "compute"], now, compute as u64);
            now += compute as u64;
            let norm = norm_us as f64 * 1e3 * (1.0 + 0.02 * chance(seed, 4 * step + 1));
            script.span(&["step", "norm"], now, norm as u64);
            now += norm as u64;
            script.span(&["step"], start, now - start);
        }
        script.header.closed = Some(crate::scripted::anchor(now));
        fed::run(&format!("{seed}.lap"), &[script])
    }

    fn side(norm_us: u64, from: u64) -> Vec<Run> {
        (from..from + 5).map(|seed| run(norm_us, seed)).collect()
    }

    #[test]
    fn a_lap_that_surely_changed_is_told_where_steps_differ_too_much_and_decides_if_they_agree() {
        let mut decided = [0, 0];
        for at in 0..8 {
            let (usual, slow) = (side(300, 20 * at), side(700, 20 * at + 10));
            for (base, new, verdict, sign) in [
                (&usual, &slow, Verdict::Slower, 1.0),
                (&slow, &usual, Verdict::Faster, -1.0),
            ] {
                let mut found = compare(base, std::slice::from_ref(new), &Options::default());
                let pair = found.pairs.remove(0);
                let seems_so = pair
                    .whole
                    .ratio
                    .is_some_and(|ratio| sign * ratio.ln() >= 0.0);
                if pair.whole.verdict != Some(Verdict::Inconclusive) {
                    assert_eq!(pair.inside, None);
                    continue;
                }
                let inside = pair.inside.unwrap();
                assert_eq!(inside.path, "step/norm");
                assert!((sign * inside.difference_ns - 400_000.0).abs() < 20_000.0);
                let expected = if seems_so {
                    verdict
                } else {
                    Verdict::Inconclusive
                };
                assert_eq!(pair.verdict, expected);
                decided[usize::from(seems_so)] += 1;
            }
        }
        assert!(decided[1] >= 4 && decided[0] > 0, "{decided:?}");
    }

    #[test]
    fn identical_programs_have_none() {
        let wrong = (0..60).filter(|at| {
            let found = compare(
                &side(300, 20 * at),
                &[side(300, 20 * at + 10)],
                &Options::default(),
            );
            found.pairs[0].verdict != Verdict::Inconclusive
                && found.pairs[0].verdict != Verdict::Same
        });
        assert!(wrong.count() <= 1);
    }

    #[test]
    fn single_runs_tell_nothing_of_others() {
        let found = compare(&[run(300, 1)], &[vec![run(700, 2)]], &Options::default());
        assert_eq!(found.pairs[0].inside, None);
    }
}
