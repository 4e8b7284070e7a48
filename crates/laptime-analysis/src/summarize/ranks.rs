//! Processes that train side by side: what a step of each is made of, and which one the
//! others wait for.
//!
//! Ranks that exchange gradients take steps of one length: a slow one shows in its own work, and the
//! others show it where they wait. Where communication is told apart, that is where; it is taken
//! out of the phases that it lies in, so that the parts of a step add up. Where it is not, they wait
//! in backward or optimizer, and all else is work. So work and waiting are compared apart.
//! Nobody waits among processes that say neither a rank nor an exchange: all that they do is work.

use std::collections::{BTreeMap, BTreeSet};

use laptime_core::{PathId, PhaseName};

use crate::reading::process::Process;
use crate::reading::totals::Totals;
use crate::summarize::steady_rows::SteadyPart;
use crate::summary::finding::Finding;
use crate::summary::process::{Part, Rank};
use crate::summary::rank_difference::{RankDifference, WaitForRank};

/// The note in which a process of a group tells its rank.
const RANK: &str = "environment.rank";
/// Difference between ranks, as a share of a step, below which nothing is said.
const WORTH_TELLING: f64 = 0.1;
/// How much of a rank's longer work the others must wait for it to be what they wait for.
const MOSTLY: f64 = 0.5;

/// Returns what a step of each of several processes is made of, by rank: of the steady state, if that is told.
pub fn side_by_side(
    measured: &[Process],
    parts: &mut [Option<SteadyPart>],
    is_told: bool,
) -> Vec<Rank> {
    if measured.len() < 2 {
        return Vec::new();
    }
    let trained = measured.iter().zip(parts);
    let mut ranks: Vec<Rank> = trained
        .filter_map(|(process, part)| match part {
            Some(part) if is_told => step_of(process, &mut part.totals),
            _ => step_of(process, &mut process.spans.totals.clone()),
        })
        .collect();
    if ranks.len() < 2 {
        return Vec::new();
    }
    ranks.sort_by_key(|rank| order(rank.rank.as_deref()));
    ranks
}

/// Returns what a step of a process is made of; `None` without a finished step.
fn step_of(process: &Process, totals: &mut Totals) -> Option<Rank> {
    let path = process.features.steps.steps()?.path;
    let (step_count, total_ns) = totals.finished(path);
    let mean_ns = |total_ns: u64| {
        (step_count > 0).then(|| (total_ns as f64 / step_count as f64).round() as u64)
    };
    let step_ns = mean_ns(total_ns)?;
    let mut exchanged_ns = 0_u64;
    let mut inside: BTreeMap<PathId, u64> = BTreeMap::new();
    for (id, _) in process.paths.iter() {
        if let Some(part) = exchanges_in(process, path, id) {
            let (_, total_ns) = totals.finished(id);
            exchanged_ns = exchanged_ns.saturating_add(total_ns);
            let sum: &mut u64 = inside.entry(part).or_default();
            *sum = sum.saturating_add(total_ns);
        }
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |name: &str, total_ns: u64| {
        parts.extend(mean_ns(total_ns).map(|per_step_ns| Part {
            name: name.to_owned(),
            per_step_ns,
        }));
    };
    for (id, entry) in process.paths.iter() {
        let is_part = entry.parent == path && id != PathId::OVERFLOW;
        if is_part && PhaseName::of(&entry.name) != Some(PhaseName::Communication) {
            let (count, total_ns) = totals.finished(id);
            if count > 0 {
                let inside_ns = inside.get(&id).copied().unwrap_or_default();
                add(&entry.name, total_ns.saturating_sub(inside_ns));
            }
        }
    }
    if exchanged_ns > 0 {
        add(PhaseName::Communication.text(), exchanged_ns);
    }
    parts.sort_by_key(|part| PhaseName::of(&part.name).map_or(u8::MAX, |name| name as u8));
    let named_ns = sum(parts.iter().map(|part| part.per_step_ns));
    Some(Rank {
        pid: process.facts.header.pid,
        rank: rank_of(process),
        step_count,
        step_ns,
        parts,
        rest_ns: step_ns.saturating_sub(named_ns),
    })
}

/// The part of a step that an exchange with other processes lies in; itself, if it lies in none.
fn exchanges_in(process: &Process, step: PathId, id: PathId) -> Option<PathId> {
    let is_exchange = |id| {
        let entry = process.paths.get(id);
        entry.is_some_and(|entry| PhaseName::of(&entry.name) == Some(PhaseName::Communication))
    };
    if id == PathId::OVERFLOW || !is_exchange(id) {
        return None;
    }
    let mut part = id;
    loop {
        let parent = process.paths.get(part)?.parent;
        if parent == step {
            return Some(part);
        }
        // One inside another is told with that.
        if parent == PathId::ROOT || is_exchange(parent) {
            return None;
        }
        part = parent;
    }
}

/// The rank that a process told.
pub fn rank_of(process: &Process) -> Option<String> {
    let mut notes = process.features.notes.0.iter();
    let (_, rank) = notes.find(|(code, _)| code == RANK)?;
    Some(rank.clone())
}

/// In which order processes are told: by their ranks' numbers, then those without one.
pub fn order(rank: Option<&str>) -> u64 {
    rank.and_then(|rank| rank.parse().ok()).unwrap_or(u64::MAX)
}

/// In what a process waits for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// In nothing: nothing says that they exchange anything.
    Nowhere,
    /// In its exchanges, which are told apart.
    InExchanges,
    /// In the phases in which gradients are exchanged.
    InPhases,
}

/// Processes whose steps are compared.
struct Group<'a> {
    ranks: Vec<&'a Rank>,
    /// Whether they exchange something, so that one can wait for another.
    exchanges: bool,
}

impl<'a> Group<'a> {
    /// Returns the ranks that exchange something where there are several, else all. Two of one number are of different groups.
    fn comparable(ranks: &'a [Rank]) -> Self {
        let exchanging: Vec<&Rank> = ranks.iter().filter(|rank| rank.exchanges()).collect();
        let mut numbers = BTreeSet::new();
        let are_one = (exchanging.iter())
            .filter_map(|rank| rank.rank.as_deref())
            .all(|number| numbers.insert(number));
        if are_one && exchanging.len() > 1 {
            return Self {
                ranks: exchanging,
                exchanges: true,
            };
        }
        Self {
            ranks: ranks.iter().collect(),
            exchanges: false,
        }
    }

    fn waits(&self, rank: &Rank) -> Waits {
        match (self.exchanges, rank.tells_exchanges()) {
            (false, _) => Waits::Nowhere,
            (true, true) => Waits::InExchanges,
            (true, false) => Waits::InPhases,
        }
    }

    /// In what one waits for the others.
    fn waiting(&self, rank: &'a Rank) -> impl Iterator<Item = &'a Part> {
        let waits = self.waits(rank);
        rank.parts.iter().filter(move |part| part.is_waiting(waits))
    }

    /// Time per step of what a process's own speed decides, by name; the rest of a step has none.
    fn work(&self, rank: &'a Rank) -> impl Iterator<Item = (Option<&'a str>, u64)> {
        let waits = self.waits(rank);
        let parts = rank
            .parts
            .iter()
            .filter(move |part| !part.is_waiting(waits));
        let parts = parts.map(|part| (Some(part.name.as_str()), part.per_step_ns));
        parts.chain([(None, rank.rest_ns)])
    }

    fn work_ns(&self, rank: &'a Rank) -> u64 {
        sum(self.work(rank).map(|(_, ns)| ns))
    }
}

impl Rank {
    /// Whether it told what it exchanges with the others.
    fn tells_exchanges(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| PhaseName::of(&part.name) == Some(PhaseName::Communication))
    }

    /// Whether anything says that it exchanges something with others: it is one of a group, or an exchange was seen.
    fn exchanges(&self) -> bool {
        self.rank.is_some() || self.tells_exchanges()
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
    /// Whether a process waits for others in it.
    fn is_waiting(&self, waits: Waits) -> bool {
        match PhaseName::of(&self.name) {
            Some(PhaseName::Communication) => waits != Waits::Nowhere,
            Some(PhaseName::Backward | PhaseName::Optimizer) => waits == Waits::InPhases,
            _ => false,
        }
    }
}

/// Finds what ranks differ in.
pub fn difference(ranks: &[Rank]) -> Option<Finding> {
    let group = Group::comparable(ranks);
    let ranks = || group.ranks.iter().copied();
    let slow = ranks().max_by_key(|rank| group.work_ns(rank))?;
    let fast = ranks().min_by_key(|rank| group.work_ns(rank))?;
    let more_ns = group.work_ns(slow) - group.work_ns(fast);
    let step_ns = ranks().map(|rank| rank.step_ns).max()?;
    if more_ns as f64 > WORTH_TELLING * step_ns as f64 {
        return in_work(&group, slow, fast, more_ns);
    }
    let slow = ranks().max_by_key(|rank| rank.step_ns)?;
    let fast = ranks().min_by_key(|rank| rank.step_ns)?;
    let is_felt = (slow.step_ns - fast.step_ns) as f64 > WORTH_TELLING * step_ns as f64;
    is_felt.then(|| Finding::Ranks {
        holds_up: false,
        difference: RankDifference::Step {
            slow: slow.into(),
            fast: fast.into(),
            slow_ns: slow.step_ns,
            fast_ns: fast.step_ns,
        },
    })
}

/// Finds the part of its own work in which a slow rank differs most, and whether the others wait for it.
fn in_work(group: &Group<'_>, slow: &Rank, fast: &Rank, more_ns: u64) -> Option<Finding> {
    let fast_ns = |part: Option<&str>| {
        let mut work = group.work(fast);
        work.find(|(name, _)| *name == part).map_or(0, |(_, ns)| ns)
    };
    let longer = |(part, ns): &(Option<&str>, u64)| ns.saturating_sub(fast_ns(*part));
    let (part, slow_ns) = group.work(slow).max_by_key(longer)?;
    let longer = |part: &Part| part.per_step_ns.saturating_sub(slow.waiting(&part.name));
    let waits = group
        .waiting(fast)
        .map(|part| (longer(part), &part.name))
        .max();
    let waits = waits.filter(|(ns, _)| *ns as f64 >= MOSTLY * more_ns as f64);
    Some(Finding::Ranks {
        holds_up: waits.is_some(),
        difference: RankDifference::Work {
            slow: slow.into(),
            fast: fast.into(),
            part: part.map(str::to_owned),
            slow_ns,
            fast_ns: fast_ns(part),
            wait: waits.map(|(per_step_ns, part)| WaitForRank {
                part: part.clone(),
                per_step_ns,
            }),
        },
    })
}

#[cfg(test)]
#[path = "tests/ranks.rs"]
mod tests;
