//! The crossover: the batch size from which one device is faster than another, transfers included.

use laptime_core::Unavailable;

use crate::statistics::percentiles::Percentile;

/// From where on a device is faster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossover {
    /// The batch size.
    pub batch: u64,
    /// Whether it's the smallest that was measured: the device may be faster below it too.
    pub is_smallest: bool,
}

/// The smallest batch size from which on the second device is faster at every one, by intervals that don't
/// meet. Pairs are batch size and median latency on both, in ascending order of batch size.
pub fn crossover(pairs: &[(u64, Percentile, Percentile)]) -> Result<Crossover, Unavailable> {
    let Some((largest, base, device)) = pairs.last() else {
        return Err(Unavailable(
            "no batch size was measured on both devices".to_owned(),
        ));
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
        None if device.value_ns >= base.value_ns => Err(Unavailable(format!(
            "it isn't faster at {largest}, the largest batch size that was measured"
        ))),
        None => Err(Unavailable(format!(
            "whether it is faster at {largest}, the largest batch size, can't be told: the intervals overlap \
             or are unknown"
        ))),
    }
}

fn is_faster(one: &Percentile, other: &Percentile) -> bool {
    match (&one.interval_ns, &other.interval_ns) {
        (Ok((_, high)), Ok((low, _))) => high < low,
        _ => false,
    }
}
