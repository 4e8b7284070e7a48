//! The crossover: the batch size from which one device is faster than another, transfers included.

use laptime_core::Unavailable;

use crate::statistics::percentiles::Percentile;

/// The place from which on a device is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossover {
    /// The batch size.
    pub batch: u64,
    /// Whether this is the smallest that was measured: the device may be faster below it too.
    pub is_smallest: bool,
}

/// A reason why no batch size is known from which on a device is faster.
#[derive(Debug, Clone, PartialEq)]
pub enum NoCrossover {
    /// A device was not measured, for this reason.
    NotMeasured(Unavailable),
    /// No batch size was measured on both devices.
    NoCommonBatch,
    /// The device isn't faster at the largest batch size that was measured.
    NotFaster {
        /// The batch size.
        largest: u64,
    },
    /// The intervals at the largest batch size that was measured overlap or are unknown.
    Unclear {
        /// The batch size.
        largest: u64,
    },
}

/// Finds the smallest batch size from which on the second device is faster at every one, by intervals that don't
/// meet. Pairs are batch size and median latency on both, in ascending order of batch size.
pub fn crossover(pairs: &[(u64, Percentile, Percentile)]) -> Result<Crossover, NoCrossover> {
    let Some((largest, base, device)) = pairs.last() else {
        return Err(NoCrossover::NoCommonBatch);
    };
    let faster = pairs
        .iter()
        .rev()
        .take_while(|(_, base, device)| is_faster(device, base));
    match faster.last() {
        Some((batch, ..)) => Ok(Crossover {
            batch: *batch,
            is_smallest: *batch == pairs[0].0,
        }),
        None if device.value_ns >= base.value_ns => {
            Err(NoCrossover::NotFaster { largest: *largest })
        }
        None => Err(NoCrossover::Unclear { largest: *largest }),
    }
}

fn is_faster(one: &Percentile, other: &Percentile) -> bool {
    match (&one.interval_ns, &other.interval_ns) {
        (Ok((_, high)), Ok((low, _))) => high < low,
        _ => false,
    }
}
