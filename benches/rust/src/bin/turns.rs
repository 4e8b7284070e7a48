//! One build's part of a comparison of two: for each line that it reads, it runs a block of every
//! contender and prints the nanoseconds of a pair, so that two builds can take turns.

use std::io::{BufRead, Write};
use std::time::Instant;

/// Pairs in a block, as in the other bench.
const BLOCK: u32 = 1_000;

fn main() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let recording = laptime::record(scratch.path().join("turns.lap")).expect("a recording");
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        if line.is_err() {
            break;
        }
        laptime::enable();
        let on = per_pair(flat);
        let nested = per_pair(nested) / 2.0;
        laptime::disable();
        let off = per_pair(flat);
        let told = writeln!(
            out,
            r#"{{"a span to a recording": {on:.3}, "a span in a span": {nested:.3}, "a span, off": {off:.3}}}"#
        );
        if told.and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    drop(recording);
}

fn flat() {
    let _lap = laptime::lap!("flat");
}

fn nested() {
    let _outer = laptime::lap!("outer");
    let _inner = laptime::lap!("inner");
}

fn per_pair(pair: fn()) -> f64 {
    // Called, not built into the loop, where its place and shape would be a matter of luck.
    let pair = std::hint::black_box(pair);
    // The other build had the caches.
    for _ in 0..BLOCK {
        pair();
    }
    let start = Instant::now();
    for _ in 0..BLOCK {
        pair();
    }
    start.elapsed().as_nanos() as f64 / f64::from(BLOCK)
}
