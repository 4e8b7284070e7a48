//! The knee: the batch size from which throughput rises no more, while latency goes on growing.
//!
//! Jain (*The Art of Computer Systems Performance Analysis*, 1991, section 3.3) calls the point beyond which
//! throughput gains little and response time grows the knee, the best place to run. Here it is the smallest
//! batch size with at least [`KNEE_RATIO`] of the best throughput that was measured.

use laptime_core::Unavailable;

use super::case::Rate;

/// Part of the best throughput that counts as all of it.
pub const KNEE_RATIO: f64 = 0.90;

/// The batch size at which throughput stops to rise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knee {
    /// The batch size.
    pub batch: u64,
    /// A batch size that may be the knee as well, as the intervals reach across the bound.
    pub or_else: Option<u64>,
}

/// A reason why a device has no knee.
#[derive(Debug, Clone, PartialEq)]
pub enum NoKnee {
    /// The device was not measured, for this reason.
    NotMeasured(Unavailable),
    /// No batch size was measured.
    NoBatch,
    /// Only one batch size was measured.
    OneBatch,
    /// Throughput still rises at the largest batch size that was measured.
    StillRises {
        /// The batch size.
        largest: u64,
    },
}

/// Finds the knee of throughputs by batch size, in ascending order.
pub fn knee(rates: &[(u64, &Rate)]) -> Result<Knee, NoKnee> {
    let [.., (largest, _)] = rates else {
        return Err(NoKnee::NoBatch);
    };
    if rates.len() < 2 {
        return Err(NoKnee::OneBatch);
    }
    let by_rate =
        |one: &&(u64, &Rate), other: &&(u64, &Rate)| one.1.per_s.total_cmp(&other.1.per_s);
    let best = rates
        .iter()
        .max_by(by_rate)
        .map_or(rates[0].1, |best| best.1);
    let enough = |rate: f64, best: f64| rate >= KNEE_RATIO * best;
    let found = rates
        .iter()
        .find(|(_, rate)| enough(rate.per_s, best.per_s));
    let &(batch, rate) = found.unwrap_or(&rates[0]);
    if batch == *largest {
        return Err(NoKnee::StillRises { largest: batch });
    }
    let (best_low, best_high) = best.bounds();
    // A smaller one whose interval reaches the bound, or else the next larger where this one's may not.
    let smaller = rates.iter().take_while(|(size, _)| *size < batch);
    let smaller = smaller.map(|(size, rate)| (*size, rate.bounds().1));
    let reaches = smaller
        .filter(|(_, high)| enough(*high, best_low))
        .map(|(size, _)| size);
    let is_unsure = !std::ptr::eq(rate, best) && !enough(rate.bounds().0, best_high);
    let larger = || {
        rates
            .iter()
            .map(|(size, _)| *size)
            .find(|size| *size > batch)
    };
    let or_else = reaches.min().or_else(|| is_unsure.then(larger).flatten());
    Ok(Knee { batch, or_else })
}
