//! Processes that train side by side: what a step of each is made of, and which one the
//! others wait for.
//!
//! Ranks that exchange gradients take steps of one length: a slow one shows in its own work
//! (data, forward, what is in no phase), and the others show it by a longer backward or
//! optimizer, where they wait. So work and waiting phases are compared apart.

use laptime_core::{PathId, PhaseName, Warning};

use crate::doubts::spoken;
use crate::process::Process;
use crate::summary::{Part, Rank};
use crate::totals::Totals;

/// The note in which a process of a group tells its rank.
const RANK: &str = "environment.rank";
/// Difference between ranks, as a share of a step, below which nothing is said.
const WORTH_TELLING: f64 = 0.1;
/// How the rest of a step is called.
const NO_PHASE: &str = "code outside of phases";
/// How much of a rank's longer work the others must wait for it to be what they wait for.
const MOSTLY: f64 = 0.5;

/// What a step of a process is made of; `None` without a finished step.
pub fn of(process: &Process, totals: &mut Totals) -> Option<Rank> {
    let path = process.followed.steps()?.path;
    let (step_count, total_ns) = totals.finished(path);
    let mean_ns = |total_ns: u64| {
        let ns = total_ns as f64 * process.correction();
        (step_count > 0).then(|| (ns / step_count as f64).round() as u64)
    };
    let step_ns = mean_ns(total_ns)?;
    let mut parts: Vec<Part> = Vec::new();
    for (id, entry) in process.paths.iter() {
        if entry.parent == path && id != PathId::OVERFLOW {
            let (count, total_ns) = totals.finished(id);
            parts.extend(
                (count > 0)
                    .then(|| mean_ns(total_ns))
                    .flatten()
                    .map(|ns| Part {
                        name: entry.name.to_string(),
                        per_step_ns: ns,
                    }),
            );
        }
    }
    parts.sort_by_key(|part| PhaseName::of(&part.name).map_or(u8::MAX, |name| name as u8));
    let named_ns = sum(parts.iter().map(|part| part.per_step_ns));
    Some(Rank {
        pid: process.header.pid,
        rank: process
            .notes
            .iter()
            .find(|(code, _)| code == RANK)
            .map(|(_, rank)| rank.clone()),
        step_count,
        step_ns,
        parts,
        rest_ns: step_ns.saturating_sub(named_ns),
    })
}

impl Rank {
    /// How it is called in a message.
    pub fn called(&self) -> String {
        match &self.rank {
            Some(rank) => format!("rank {rank} (process {})", self.pid),
            None => format!("process {}", self.pid),
        }
    }

    /// Time per step of what its own speed decides, by name.
    fn work(&self) -> impl Iterator<Item = (&str, u64)> {
        let parts = self.parts.iter().filter(|part| !part.is_waiting());
        let parts = parts.map(|part| (part.name.as_str(), part.per_step_ns));
        parts.chain([(NO_PHASE, self.rest_ns)])
    }

    fn work_ns(&self) -> u64 {
        sum(self.work().map(|(_, ns)| ns))
    }

    fn waiting(&self, name: &str) -> u64 {
        let found = self.parts.iter().find(|part| part.name == name);
        found.map_or(0, |part| part.per_step_ns)
    }
}

fn sum(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0, u64::saturating_add)
}

impl Part {
    /// Whether ranks wait for each other in it.
    fn is_waiting(&self) -> bool {
        matches!(
            PhaseName::of(&self.name),
            Some(PhaseName::Backward | PhaseName::Optimizer)
        )
    }
}

/// What there is to say about ranks that differ.
pub fn difference(ranks: &[Rank]) -> Option<Warning> {
    let slow = ranks.iter().max_by_key(|rank| rank.work_ns())?;
    let fast = ranks.iter().min_by_key(|rank| rank.work_ns())?;
    let more_ns = slow.work_ns() - fast.work_ns();
    let step_ns = ranks.iter().map(|rank| rank.step_ns).max()?;
    if more_ns as f64 > WORTH_TELLING * step_ns as f64 {
        let most = |name: &str| fast.work().find(|(known, _)| *known == name);
        let longer =
            |(name, ns): &(&str, u64)| ns.saturating_sub(most(name).map_or(0, |one| one.1));
        let (part, part_ns) = slow.work().max_by_key(longer)?;
        let others_ns = most(part).map_or(0, |(_, ns)| ns);
        let took = format!(
            "its {part} takes {} a step where {} needs {}",
            spoken(part_ns),
            fast.called(),
            spoken(others_ns),
        );
        let longer = |part: &Part| part.per_step_ns.saturating_sub(slow.waiting(&part.name));
        let waiting = fast.parts.iter().filter(|part| part.is_waiting());
        let waits = waiting.map(|part| (longer(part), &part.name)).max();
        let waits = waits.filter(|(ns, _)| *ns as f64 >= MOSTLY * more_ns as f64);
        return Some(match waits {
            Some((waits_ns, name)) => Warning::new(
                "straggler",
                format!(
                    "{} holds the others up: {took}; they wait {} of each step in their {name}",
                    slow.called(),
                    spoken(waits_ns),
                ),
            ),
            None => Warning::new(
                "uneven-ranks",
                format!("{} is slower: {took}", slow.called()),
            ),
        });
    }
    let slow = ranks.iter().max_by_key(|rank| rank.step_ns)?;
    let fast = ranks.iter().min_by_key(|rank| rank.step_ns)?;
    ((slow.step_ns - fast.step_ns) as f64 > WORTH_TELLING * step_ns as f64).then(|| {
        Warning::new(
            "uneven-ranks",
            format!(
                "{} is slower: its step takes {}, that of {} takes {}",
                slow.called(),
                spoken(slow.step_ns),
                fast.called(),
                spoken(fast.step_ns),
            ),
        )
    })
}

#[cfg(test)]
#[path = "ranks_tests.rs"]
mod tests;
