//! Which lap's turn it is to be looked at: the first of each kind, then as many as cost little.

use std::collections::HashMap;

/// Laps of one kind that are looked at whatever they cost, short of [`DEAR_NS`].
const FIRST: u32 = 8;
/// A look that costs more than this is rationed from the first on.
const DEAR_NS: f64 = 200_000.0;
/// A look is paid for by so many times its cost without one: 0.2 % of the time at most.
const RATION: u64 = 500;
/// The longer a kind is known, the rarer its turns: each a 64th of that time after the last.
const SELDOM: u64 = 64;
/// Kinds of laps that are known: programs that invent names have no more looked at.
const MOST: usize = 4_096;

/// Laps of one name in one place.
#[derive(Debug)]
struct Kind {
    looks: u32,
    since: u64,
    next: u64,
    /// The least that a look has cost: the others were held up.
    cost: u64,
}

/// The turns of all laps. Times are ticks.
#[derive(Debug, Default)]
pub struct Turns(HashMap<(u32, u32), Kind>);

impl Turns {
    /// Whether it is the turn of a lap that opens: by the path it opens under, and its site.
    pub fn is_due(&self, kind: (u32, u32), now: u64) -> bool {
        match self.0.get(&kind) {
            Some(known) => now >= known.next,
            None => self.0.len() < MOST,
        }
    }

    /// A lap is looked at, before it opens. Beyond the first few no other is until it has paid.
    pub fn begin(&mut self, kind: (u32, u32), now: u64) {
        let known = self.0.entry(kind).or_insert(Kind {
            looks: 0,
            since: now,
            next: now,
            cost: u64::MAX,
        });
        known.looks += 1;
        known.next = if known.looks < FIRST { now } else { u64::MAX };
    }

    /// A look has cost so many ticks, of so many nanoseconds.
    pub fn pay(&mut self, kind: (u32, u32), now: u64, cost: u64, ns_per_tick: f64) {
        let kinds = self.0.len() as u64;
        let Some(known) = self.0.get_mut(&kind) else {
            return;
        };
        known.cost = known.cost.min(cost);
        let cost = known.cost;
        let is_dear = cost as f64 * ns_per_tick > DEAR_NS;
        let pause = if known.looks < FIRST && !is_dear {
            0
        } else {
            let ration = cost.saturating_mul(RATION).saturating_mul(kinds);
            ration.max(now.saturating_sub(known.since) / SELDOM)
        };
        known.next = now.saturating_add(pause);
    }
}
