//! Who holds the ranks of a job up, since when, and why: in sentences.

use laptime_analysis::ranks::{Basis, Groups, JobAnswer, OwnPart, Pattern, SlowPart};

use crate::quantity::{coarse, coarse_percent, plural};

/// Share of the time from which on it is told that it goes to whoever happens to be last.
const JITTER_RATIO: f64 = 0.01;
/// Ranks that are named one by one.
const MOST_NAMED: usize = 4;
/// Fewest ranks of which one can stand out.
const FEWEST: usize = 3;

/// Writes the answer, the most costly first.
pub fn sentences(job: &JobAnswer) -> Vec<String> {
    let found = &job.diagnosis;
    let slow = alike(&found.slow);
    let mut all: Vec<String> = slow.iter().map(|slow| holds_up(slow)).collect();
    match all.as_mut_slice() {
        [] => {}
        [only] => *only = format!("{only} {}", gain(job, "that")),
        [..] => all.push(gain(job, "all these")),
    }
    let own = found.of_their_own.iter().filter(|one| one.excess_ns > 0);
    all.extend(own.map(|one| alone(job, one)));
    if all.is_empty() {
        all.push(nobody(job));
    }
    let jitter = found.jitter.ratio;
    if jitter >= JITTER_RATIO && job.means.len() >= FEWEST {
        all.push(format!(
            "Jitter: {} of the time goes to whoever happens to be last.",
            coarse_percent(jitter)
        ));
    }
    all.extend(groups(&found.groups));
    all
}

/// Writes what an answer rests on.
pub fn basis(job: &JobAnswer) -> String {
    match job.basis {
        Basis::Exchanges => "a rank's own work is all but its exchanges with others".to_owned(),
        Basis::DataAndForward => {
            "of data and forward alone: backward and optimizer hold the wait for other ranks"
                .to_owned()
        }
    }
}

/// Puts those together that are slow in the same part at the same time.
fn alike(slow: &[SlowPart]) -> Vec<Vec<&SlowPart>> {
    let mut all: Vec<Vec<&SlowPart>> = Vec::new();
    for one in slow {
        let is_same = |other: &&mut Vec<&SlowPart>| {
            other[0].part == one.part && is_same_kind(other[0].pattern, one.pattern)
        };
        match all.iter_mut().find(is_same) {
            Some(known) => known.push(one),
            None => all.push(vec![one]),
        }
    }
    all
}

fn is_same_kind(one: Pattern, other: Pattern) -> bool {
    match (one, other) {
        (Pattern::Sometimes { .. }, Pattern::Sometimes { .. }) => true,
        _ => one == other,
    }
}

fn holds_up(slow: &[&SlowPart]) -> String {
    let first = slow[0];
    let when = match first.pattern {
        Pattern::Always => String::new(),
        Pattern::From(step) => format!(" from step {step} on"),
        Pattern::Every { steps, .. } => format!(" in every {steps}th step"),
        Pattern::Sometimes { long, of } => {
            let rare = of / long.max(1);
            format!(" now and then, in about one of {rare} steps")
        }
    };
    let mean = |ns: fn(&SlowPart) -> i64| {
        let sum: i64 = slow.iter().map(|one| ns(one)).sum();
        (sum / slow.len() as i64).max(0) as u64
    };
    let expected_ns = mean(|one| one.expected_ns);
    let took_ns = expected_ns + mean(|one| one.excess_ns);
    let (holds, its) = if slow.len() == 1 {
        ("holds", "its")
    } else {
        ("hold", "their")
    };
    let then = match first.pattern {
        Pattern::Always | Pattern::From(_) => "per step",
        Pattern::Every { .. } | Pattern::Sometimes { .. } => "then",
    };
    format!(
        "{} {holds} the others up{when}: {its} {} takes {} {then}, {} on {its} peers.",
        ranks(slow),
        part(first.part),
        coarse(took_ns),
        coarse(expected_ns),
    )
}

fn ranks(slow: &[&SlowPart]) -> String {
    let mut numbers: Vec<u32> = slow.iter().map(|one| one.rank).collect();
    numbers.sort_unstable();
    let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
    if numbers.len() == 1 {
        return format!("Rank {first}");
    }
    if last - first + 1 == numbers.len() as u32 {
        return format!("Ranks {first} to {last}");
    }
    let each: Vec<String> = numbers.iter().map(u32::to_string).collect();
    match each.split_last() {
        Some((last, rest)) if rest.len() < MOST_NAMED => {
            format!("Ranks {} and {last}", rest.join(", "))
        }
        _ => format!("{} ranks ({first} to {last})", each.len()),
    }
}

/// Says how much less time it would take without the slow ranks.
fn gain(job: &JobAnswer, these: &str) -> String {
    let held_up = job.diagnosis.held_up;
    let between = held_up.interval.map_or_else(String::new, |(low, high)| {
        format!(" ({} to {})", coarse_percent(low), coarse_percent(high))
    });
    format!(
        "Without {these}, training would take {} less time{between}.",
        coarse_percent(held_up.ratio)
    )
}

/// Says of a rank what it does and its peers don't, while these wait.
fn alone(job: &JobAnswer, one: &SlowPart) -> String {
    const RARE: &str = "saving, logging or an evaluation";
    const FREQUENT: &str = "logging or preparing a batch";
    let (when, such_as) = match one.pattern {
        Pattern::Always => ("in each step".to_owned(), FREQUENT),
        Pattern::From(step) => (format!("in each step from {step} on"), FREQUENT),
        Pattern::Every { steps, .. } => (format!("every {steps} steps"), RARE),
        Pattern::Sometimes { long, .. } => (plural(long, "time", "times"), RARE),
    };
    let others = job.means.len().saturating_sub(1) as u64;
    let share = one.total_ns as f64 / job.diagnosis.duration_ns.max(1) as f64;
    format!(
        "Rank {} does something beside its phases for {} {when}, such as {such_as}, and {} wait: {} of the time.",
        one.rank,
        coarse(one.excess_ns.max(0) as u64),
        plural(others, "rank", "ranks"),
        coarse_percent(share),
    )
}

/// Says that no rank stands out, or that none could.
fn nobody(job: &JobAnswer) -> String {
    let count = job.means.len() as u64;
    if job.means.len() < FEWEST {
        return format!(
            "{} can't be compared: of fewer than three nobody knows which one is usual.",
            plural(count, "rank", "ranks")
        );
    }
    format!("No rank stands out of {count}.")
}

/// Says how ranks share the work, where they don't all do the same.
fn groups(groups: &Groups) -> Option<String> {
    match groups {
        Groups::Unknown | Groups::Alike => None,
        Groups::Fixed(groups) => {
            let each = groups.iter().map(|group| {
                let first = group.ranks.first().copied().unwrap_or_default();
                let last = group.ranks.last().copied().unwrap_or_default();
                let ranks = if first == last {
                    format!("rank {first}")
                } else {
                    format!("ranks {first} to {last}")
                };
                let [own, wait] = [group.own_per_step_ns(), group.wait_per_step_ns()]
                    .map(|ns| coarse(ns.max(0) as u64));
                format!("{ranks} work for {own} and wait for {wait} per step")
            });
            let each: Vec<String> = each.collect();
            Some(format!(
                "Ranks do different work, as stages of a pipeline do: {}. Each is compared with those that do the same.",
                each.join("; ")
            ))
        }
        Groups::Uneven {
            compared_rows,
            uncompared_rows,
        } => {
            let all = (compared_rows + uncompared_rows).max(1);
            let compared = *compared_rows as f64 / all as f64;
            Some(format!(
                "Ranks have different amounts of work from step to step, as micro-batches or experts have: {} of their \
                 steps could be compared with others of the same work.",
                coarse_percent(compared)
            ))
        }
    }
}

fn part(part: OwnPart) -> &'static str {
    match part {
        OwnPart::Data => "data",
        OwnPart::Forward => "forward",
        OwnPart::Backward => "backward",
        OwnPart::Optimizer => "optimizer",
        OwnPart::Other => "work beside the phases",
    }
}

#[cfg(test)]
#[path = "tests/job.rs"]
mod tests;
