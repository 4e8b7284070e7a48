//! The cost of a span, beside peers, and of reading one back.
//!
//! Contenders take turns in short blocks, so that a machine that slows down slows all of
//! them. A row is the median over rounds of its own block, and the median of the ratios
//! to the block of two bare clock reads of the same round. Prints one JSON object.

mod contenders;
mod reading;

use std::time::Instant;

use contenders::Contender;

/// Pairs in a block: short enough to stay within a scheduler's slice, long enough for the clock.
const BLOCK: u32 = 1_000;
const ROUNDS: usize = 1_500;

fn main() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let mut contenders = contenders::all(scratch.path());
    let mut samples = vec![Vec::with_capacity(ROUNDS); contenders.len()];
    for _ in 0..ROUNDS {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            samples.push(block(contender));
        }
    }
    let floor = samples[0].clone();
    let rows: Vec<String> = contenders
        .iter()
        .zip(&samples)
        .map(|(contender, samples)| {
            let ratios = samples.iter().zip(&floor).map(|(own, floor)| own / floor);
            format!(
                r#"{{"name": "{}", "ns": {:.2}, "ratio": {:.3}}}"#,
                contender.name,
                median(samples.clone()),
                median(ratios.collect()),
            )
        })
        .collect();
    drop(contenders);
    let reading = reading::measure(scratch.path());
    println!(
        r#"{{"clock": "{:?}", "block": {BLOCK}, "rounds": {ROUNDS}, "spans": [{}], "bytes_per_span": {:.2}, "read_cpu_ns_per_span": {:.2}, "decoded_cpu_ns_per_span": {:.2}, "read_ratio": {:.3}}}"#,
        laptime_recorder::clock::kind(),
        rows.join(", "),
        reading.bytes,
        reading.read_ns,
        reading.decoded_ns,
        reading.ratio,
    );
}

/// Nanoseconds a pair.
fn block(contender: &mut Contender) -> f64 {
    (contender.before)();
    let start = Instant::now();
    (contender.block)(BLOCK);
    let elapsed = start.elapsed();
    (contender.after)();
    elapsed.as_nanos() as f64 / f64::from(BLOCK)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
