//! How often devices are read: ten times a second, or as seldom as reading is dear.
//!
//! Policy without a clock: it is told what reading cost and answers how long to wait. The first reading is
//! no measure, as the driver makes what it needs for all later ones.

/// Between two readings where they are cheap. The counters of devices change about as often.
const PERIOD_NS: u64 = 100_000_000;
/// Reading may take one part in so many of a processor: less than 0.1 %.
const PARTS: u64 = 1_100;
/// Where it would take more, it comes this often all the same: the energy of a lap of ten seconds is told.
const SELDOM_NS: u64 = 1_000_000_000;
/// Unless it takes more than one part in so many then: less than 1 %.
const MOST_PARTS: u64 = 110;
/// No longer than this, however dear: a thread that is kept from its processor seems dear too.
const LONGEST_NS: u64 = 5_000_000_000;
/// A change of what reading costs is taken in to one part in so many.
const MEMORY: u64 = 8;

/// Says when the next reading is due.
#[derive(Debug, Default)]
pub struct Pace {
    /// What a reading costs lately, in ns of CPU time; `None` before the second one.
    cost_ns: Option<u64>,
    has_begun: bool,
}

impl Pace {
    /// Takes in what the last reading cost, its waking up included.
    pub fn spent(&mut self, cpu_ns: u64) {
        if std::mem::replace(&mut self.has_begun, true) {
            let before = self.cost_ns.unwrap_or(cpu_ns);
            self.cost_ns = Some(before - before / MEMORY + cpu_ns / MEMORY);
        }
    }

    /// How long to wait for the next reading.
    pub fn wait_ns(&self) -> u64 {
        let cost_ns = self.cost_ns.unwrap_or(0);
        let affordable = cost_ns.saturating_mul(PARTS).min(SELDOM_NS);
        let bearable = cost_ns.saturating_mul(MOST_PARTS);
        affordable.max(bearable).clamp(PERIOD_NS, LONGEST_NS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pace once readings have cost this for long.
    fn paced(cpu_ns: u64) -> Pace {
        let mut pace = Pace::default();
        for _ in 0..200 {
            pace.spent(cpu_ns);
        }
        pace
    }

    #[test]
    fn cheap_readings_come_ten_times_a_second() {
        assert_eq!(Pace::default().wait_ns(), PERIOD_NS);
        assert_eq!(paced(20_000).wait_ns(), PERIOD_NS);
    }

    #[test]
    fn dear_readings_stay_below_a_thousandth_of_a_processor() {
        let pace = paced(400_000);
        let share = 400_000.0 / pace.wait_ns() as f64;
        assert!(share < 0.001, "{share}");
        assert!(pace.wait_ns() < SELDOM_NS);
    }

    #[test]
    fn dearer_ones_come_once_a_second_and_stay_below_a_hundredth() {
        assert_eq!(paced(5_000_000).wait_ns(), SELDOM_NS);
        let pace = paced(30_000_000);
        let share = 30_000_000.0 / pace.wait_ns() as f64;
        assert!(share < 0.01, "{share}");
        assert!(pace.wait_ns() < LONGEST_NS);
    }

    #[test]
    fn what_the_driver_does_once_makes_no_reading_dear() {
        let mut pace = Pace::default();
        pace.spent(2_000_000_000);
        assert_eq!(pace.wait_ns(), PERIOD_NS);
        pace.spent(20_000);
        assert_eq!(pace.wait_ns(), PERIOD_NS);
    }

    #[test]
    fn no_cost_overflows_and_none_ends_the_readings() {
        let mut pace = paced(u64::MAX);
        assert_eq!(pace.wait_ns(), LONGEST_NS);
        pace.spent(0);
        assert_eq!(pace.wait_ns(), LONGEST_NS);
    }
}
