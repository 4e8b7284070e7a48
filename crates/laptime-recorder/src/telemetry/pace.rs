//! How often devices are read: ten times a second, or as seldom as reading is dear.
//!
//! Policy without a clock: it is told what reading cost and answers how long to wait.

/// Between two readings where they are cheap. The counters of devices change about as often.
const PERIOD_NS: u64 = 100_000_000;
/// Reading may take one part in so many of a processor: less than 0.1 %.
const PARTS: u64 = 1_100;
/// No longer than this, however dear: a thread that is kept from its processor seems dear too.
const LONGEST_NS: u64 = 5_000_000_000;
/// A change of what reading costs is taken in to one part in so many.
const MEMORY: u64 = 8;

/// Says when the next reading is due.
#[derive(Debug, Default)]
pub struct Pace {
    /// What a reading costs lately, in ns of CPU time.
    cost_ns: u64,
}

impl Pace {
    /// Takes in what the last reading cost, its waking up included.
    pub fn spent(&mut self, cpu_ns: u64) {
        let before = if self.cost_ns == 0 {
            cpu_ns
        } else {
            self.cost_ns
        };
        self.cost_ns = before - before / MEMORY + cpu_ns / MEMORY;
    }

    /// How long to wait for the next reading.
    pub fn wait_ns(&self) -> u64 {
        let affordable = self.cost_ns.saturating_mul(PARTS);
        PERIOD_NS.max(affordable).min(LONGEST_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cheap_readings_come_ten_times_a_second() {
        let mut pace = Pace::default();
        assert_eq!(pace.wait_ns(), PERIOD_NS);
        pace.spent(20_000);
        assert_eq!(pace.wait_ns(), PERIOD_NS);
    }

    #[test]
    fn dear_readings_stay_below_a_thousandth_of_a_processor() {
        let mut pace = Pace::default();
        for _ in 0..200 {
            pace.spent(400_000);
        }
        let share = 400_000.0 / pace.wait_ns() as f64;
        assert!(share < 0.001, "{share}");
        assert!(pace.wait_ns() < 1_000_000_000);
    }

    #[test]
    fn no_cost_overflows_and_none_ends_the_readings() {
        let mut pace = Pace::default();
        pace.spent(u64::MAX);
        assert_eq!(pace.wait_ns(), LONGEST_NS);
    }
}
