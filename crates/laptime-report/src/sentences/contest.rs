//! Verdicts of a contest, in words: a sentence for a pair, or one for all pairs that have the same.

use laptime_analysis::benchmark::contest::Pair;
use laptime_analysis::benchmark::verdict::{Judged, Reason, Verdict};

use super::{times, verdict_reason};
use crate::document::names::visible;

/// The most pairs that a sentence names.
const MOST_PAIRS: usize = 6;

/// Writes sentences on all pairs. Pairs that are as fast, or that can't be told, for the same reason stand in
/// one: of four commands, six sentences would say the same.
pub fn sentences(pairs: &[&Pair], names: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut left: Vec<&Pair> = pairs.to_vec();
    while let Some(first) = left.first().copied() {
        let (alike, others): (Vec<&Pair>, Vec<&Pair>) =
            left.into_iter().partition(|pair| is_alike(first, pair));
        all.push(match &alike[..] {
            [only] => pair_sentence(only, names),
            several => folded(several, names),
        });
        left = others;
    }
    all
}

/// Tells whether two pairs have the same sentence. One that is faster has a sentence of its own.
fn is_alike(first: &Pair, other: &Pair) -> bool {
    let is_clear = matches!(
        first.judged.verdict,
        Verdict::Faster | Verdict::Slower | Verdict::NotComparable
    );
    std::ptr::eq(first, other)
        || !is_clear
            && first.judged.verdict == other.judged.verdict
            && is_same_reason(&first.judged.reason, &other.judged.reason)
}

fn is_same_reason(first: &Reason, other: &Reason) -> bool {
    let are_chance = [first, other]
        .into_iter()
        .all(|reason| matches!(reason, Reason::ChanceLikely { .. }));
    are_chance || verdict_reason::sentence(first) == verdict_reason::sentence(other)
}

/// Writes the reason of all. The probability of chance differs from pair to pair.
fn reason(pairs: &[&Pair]) -> String {
    let chances = pairs.iter().filter_map(|pair| match pair.judged.reason {
        Reason::ChanceLikely { p_value } => Some(p_value),
        _ => None,
    });
    let least = chances.clone().fold(f64::INFINITY, f64::min);
    let most = chances.fold(0.0, f64::max);
    if least < most {
        return format!(
            "Identical code would differ as much in {} to {} of such comparisons: measure more.",
            number(least),
            percent(most)
        );
    }
    verdict_reason::sentence(&pairs[0].judged.reason)
}

/// Writes one sentence on pairs of the same verdict, for the same reason.
fn folded(pairs: &[&Pair], names: &[String]) -> String {
    let (base, judged) = (pairs[0].base, &pairs[0].judged);
    let is_same = judged.verdict == Verdict::Same;
    if pairs.iter().all(|pair| pair.base == base) {
        let base = visible(&names[base]);
        let new: Vec<String> = pairs.iter().map(|pair| visible(&names[pair.new])).collect();
        let reason = reason(pairs);
        return if is_same {
            format!("{} are as fast as {base}. {reason}", listed(&new, "and"))
        } else {
            let new = listed(&new, "or");
            format!("Whether {new} is faster than {base} can't be told. {reason}")
        };
    }
    let both = |pair: &&Pair| {
        let [one, other] = [pair.base, pair.new].map(|at| visible(&names[at]));
        format!("{one} and {other}")
    };
    let mut each: Vec<String> = pairs.iter().take(MOST_PAIRS).map(both).collect();
    if pairs.len() > MOST_PAIRS {
        each.push(format!("{} more pairs", pairs.len() - MOST_PAIRS));
    }
    let verdict = if is_same {
        "As fast as each other"
    } else {
        "Which is faster can't be told"
    };
    format!("{verdict}: {}. {}", each.join("; "), reason(pairs))
}

/// Joins names, as `a, b or c`.
fn listed(names: &[String], word: &str) -> String {
    match names {
        [all @ .., last] if !all.is_empty() => format!("{} {word} {last}", all.join(", ")),
        all => all.concat(),
    }
}

/// Writes the verdict on a pair as one sentence.
pub fn pair_sentence(pair: &Pair, names: &[String]) -> String {
    verdict_sentence(
        &pair.judged,
        &visible(&names[pair.new]),
        &visible(&names[pair.base]),
    )
}

/// Writes a verdict as one sentence.
pub fn verdict_sentence(judged: &Judged, new: &str, base: &str) -> String {
    let reason = verdict_reason::sentence(&judged.reason);
    match judged.verdict {
        Verdict::Faster | Verdict::Slower => change_sentence(judged, new, base),
        Verdict::Same => format!("{new} is as fast as {base}. {reason}"),
        Verdict::Inconclusive => {
            format!("Whether {new} is faster than {base} can't be told. {reason}")
        }
        Verdict::NotComparable => {
            format!("{new} can't be compared with {base}. {reason}")
        }
    }
}

/// Writes by how much the new side is faster or slower: with its interval. Where that is wide, no number
/// is told: what a busy machine does to most runs moves their medians too.
fn change_sentence(judged: &Judged, new: &str, base: &str) -> String {
    let is_faster = judged.verdict == Verdict::Faster;
    let (low, high) = (judged.interval.clone()).unwrap_or((judged.ratio, judged.ratio));
    if judged.is_wide() {
        let way = if is_faster { "faster" } else { "slower" };
        return format!(
            "{new} is {way} than {base}, but by how much can't be told: their runs differed too much, as on a busy machine."
        );
    }
    match (is_faster, times::are_many(judged.ratio)) {
        (true, true) => format!(
            "{new} is about {}.",
            times::with_interval(
                1.0 / judged.ratio,
                [1.0 / high, 1.0 / low],
                &format!("times as fast as {base}")
            )
        ),
        (false, true) => format!(
            "{new} takes about {}.",
            times::with_interval(
                judged.ratio,
                [low, high],
                &format!("times as long as {base}")
            )
        ),
        (true, false) => format!(
            "{new} is {} faster than {base} (between {} and {}).",
            percent(1.0 - judged.ratio),
            number(1.0 - high),
            percent(1.0 - low)
        ),
        (false, false) => format!(
            "{new} is {} slower than {base} (between {} and {}).",
            percent(judged.ratio - 1.0),
            number(low - 1.0),
            percent(high - 1.0)
        ),
    }
}

/// Writes a ratio as percent, without the sign.
pub fn number(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if percent.abs() < 99.95 {
        format!("{percent:.1}")
    } else {
        format!("{percent:.0}")
    }
}

/// Writes a ratio as percent.
pub fn percent(ratio: f64) -> String {
    format!("{} %", number(ratio))
}
