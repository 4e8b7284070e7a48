//! How often stacks are looked at: a hundred times a second, or as seldom as a look is dear.
//!
//! Policy without a clock: it is told what looks cost and answers how long to wait.

/// Between two looks, on average, where they are cheap.
const PERIOD_NS: u64 = 10_000_000;
/// Looking may take one part in so many of a processor. The program loses a little more than that: its
/// thread is woken from its place, and its caches are colder.
const PARTS: u64 = 70;
/// A change of what looks cost is taken in to one part in so many.
const MEMORY: u64 = 8;

/// Says when the next look is due.
#[derive(Debug)]
pub struct Pace {
    /// What a look costs lately, in ns of CPU time.
    cost_ns: u64,
    /// State of the generator that spreads the looks.
    random: u64,
}

impl Pace {
    /// Begins with the mean period. The seed tells processes apart.
    pub fn new(seed: u64) -> Self {
        Self {
            cost_ns: 0,
            // Zero is the one state that xorshift doesn't leave.
            random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// Takes in what the last look cost. The first ones count as little as all others: they are dear, as code and
    /// memory are touched for the first time, and say nothing of those that come.
    pub fn spent(&mut self, cpu_ns: u64) {
        self.cost_ns = self.cost_ns - self.cost_ns / MEMORY + cpu_ns / MEMORY;
    }

    /// How long to wait for the next look: half to one and a half times the period, evenly.
    ///
    /// An even rhythm would meet a program that has one of its own always at the same point.
    pub fn wait_ns(&mut self) -> u64 {
        let period = PERIOD_NS.max(self.cost_ns.saturating_mul(PARTS));
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        period / 2 + self.random % period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_wait_ns(pace: &mut Pace) -> f64 {
        let waits = 10_000;
        (0..waits).map(|_| pace.wait_ns() as f64).sum::<f64>() / f64::from(waits)
    }

    #[test]
    fn cheap_looks_come_a_hundred_times_a_second() {
        let mut pace = Pace::new(1);
        pace.spent(30_000);
        let mean = mean_wait_ns(&mut pace);
        assert!((9.8e6..10.2e6).contains(&mean), "{mean}");
    }

    #[test]
    fn dear_looks_take_a_seventieth_of_a_processor() {
        let mut pace = Pace::new(2);
        for _ in 0..200 {
            pace.spent(6_000_000);
        }
        let mean = mean_wait_ns(&mut pace);
        assert!((4.1e8..4.3e8).contains(&mean), "{mean}");
    }

    #[test]
    fn a_first_look_that_is_dear_keeps_the_next_ones_from_little() {
        let mut pace = Pace::new(4);
        pace.spent(6_000_000);
        let first = pace.wait_ns();
        assert!(first < 80_000_000, "{first}");
        for _ in 0..20 {
            pace.spent(100_000);
        }
        let mean = mean_wait_ns(&mut pace);
        assert!((9.8e6..12e6).contains(&mean), "{mean}");
    }

    #[test]
    fn looks_come_at_no_even_rhythm() {
        let mut pace = Pace::new(3);
        let waits: Vec<u64> = (0..1_000).map(|_| pace.wait_ns()).collect();
        assert!(*waits.iter().min().unwrap() < PERIOD_NS * 6 / 10);
        assert!(*waits.iter().max().unwrap() > PERIOD_NS * 14 / 10);
        assert!(waits.iter().all(|wait| *wait >= PERIOD_NS / 2));
    }

    #[test]
    fn no_cost_overflows() {
        let mut pace = Pace::new(0);
        pace.spent(u64::MAX);
        assert!(pace.wait_ns() > PERIOD_NS);
    }
}
