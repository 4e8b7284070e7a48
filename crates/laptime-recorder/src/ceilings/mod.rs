//! Measures what the processor can do at most: multiply-adds by type, and memory traffic.
//!
//! All processors that this process may use work at once, over and over; the best round counts,
//! since whatever else runs can only make one slower. Own kernels know `float32` and `float64`;
//! matrix products of a framework (the Python face) add other types and devices.

mod arithmetic;
mod bandwidth;
mod cache;

use std::mem::take;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use laptime_core::Unavailable;
use laptime_core::ceilings::{Bound, Ceiling, Ceilings, Measured, Origin, Sample};

use crate::clock::thread_ns;
pub use cache::{load, note_kept, store};

pub use crate::machine::{machine, processor, processors};

/// How long each kernel is given. Tests ask for no exact peak.
const BUDGET: Duration = Duration::from_millis(if cfg!(test) { 30 } else { 300 });

/// How long where no round had the processors to itself yet.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 60 } else { 2_000 });

/// Part of the processor time from which on a round had them to itself.
const QUIET: f64 = 0.95;

/// How long a round takes about: long beside a barrier, short beside a time slice.
const ROUND: Duration = Duration::from_millis(5);

/// Rounds at least, however slow.
const FEWEST: usize = 5;

/// The ceilings of this machine's processor, measured now.
///
/// **Cost:** about 1.5 s on all processors, and up to 768 MiB of memory for that long.
pub fn measure() -> Ceilings {
    let mut ceilings = Ceilings {
        machine: machine(),
        taken_realtime_ns: crate::clock::realtime_ns(),
        ..Ceilings::default()
    };
    for dtype in ["float32", "float64"] {
        let kernels = arithmetic::kernels(dtype);
        if kernels.is_empty() {
            let why = "no kernel for this processor's instructions";
            let what = format!("{dtype} peak of cpu");
            ceilings.absent.push((what, Unavailable(why.into())));
        }
        let peaks = kernels.iter().filter_map(|kernel| peak(dtype, kernel));
        peaks.for_each(|peak| ceilings.add(peak));
    }
    memory()
        .into_iter()
        .flatten()
        .for_each(|one| ceilings.add(one));
    ceilings
}

/// What was measured on this machine before, else what is measured now, and kept.
///
/// What was measured while something else ran is measured again; the better one is kept.
pub fn kept_or_measured() -> Ceilings {
    // What can't be kept is measured again next time.
    let keep = |ceilings: &Ceilings| drop(store(ceilings));
    kept_or(load(), measure, keep)
}

fn kept_or(
    kept: Option<Ceilings>,
    measure: impl FnOnce() -> Ceilings,
    keep: impl FnOnce(&Ceilings),
) -> Ceilings {
    if let Some(kept) = &kept
        && !kept.all.iter().any(is_own_and_doubtful)
    {
        return kept.clone();
    }
    let mut ceilings = measure();
    ceilings.extend(kept.unwrap_or_default());
    keep(&ceilings);
    ceilings
}

fn is_own_and_doubtful(ceiling: &Ceiling) -> bool {
    matches!(ceiling.origin, Origin::Instructions(_)) && ceiling.is_to_measure_again()
}

fn peak(dtype: &str, kernel: &arithmetic::Kernel) -> Option<Ceiling> {
    let mut rounds = 1 << 16;
    loop {
        let start = Instant::now();
        (kernel.run)(rounds);
        if start.elapsed() >= ROUND {
            break;
        }
        rounds *= 2;
    }
    let threads = processors();
    let samples = together(threads, |_| (), |()| (kernel.run)(rounds));
    let flop = (rounds * kernel.flop_per_round * threads as u64) as f64;
    let how = format!("{} multiply-adds on {threads} threads", kernel.name);
    ceiling(Bound::Flop(dtype.into()), flop, how, &samples)
}

fn memory() -> [Option<Ceiling>; 2] {
    let threads = processors();
    let arrays = |_| bandwidth::Arrays::new(threads);
    let bytes = bandwidth::Arrays::new(threads);
    let (sum, triad) = (bytes.sum_bytes(), bytes.triad_bytes());
    drop(bytes);
    let reads = together(threads, arrays, bandwidth::Arrays::sum);
    let both = together(threads, arrays, bandwidth::Arrays::triad);
    let all = threads as f64;
    [
        ceiling(
            Bound::Bytes,
            sum as f64 * all,
            format!("reading on {threads} threads"),
            &reads,
        ),
        ceiling(
            Bound::Bytes,
            triad as f64 * all,
            format!("triad on {threads} threads"),
            &both,
        ),
    ]
}

/// A ceiling from the times that a piece of work took.
fn ceiling(bound: Bound, work: f64, how: String, samples: &[Sample]) -> Option<Ceiling> {
    let (per_s, measured) = Measured::best_of(how, work, samples)?;
    let measured = measured.on_threads(Some(processors() as u64));
    Some(Ceiling {
        device: "cpu".into(),
        bound,
        per_s,
        origin: Origin::Instructions(measured),
    })
}

/// Lets threads do a piece of work at the same time, again and again. Seconds from the first
/// one's start to the last one's end, for each round after the first.
fn together<S>(
    threads: usize,
    state: impl Fn(usize) -> S + Sync,
    work: impl Fn(&mut S) + Sync,
) -> Vec<Sample> {
    let barrier = Barrier::new(threads);
    let go_on = AtomicBool::new(true);
    let times = Mutex::new(Vec::with_capacity(threads));
    let round = |state: &mut S| {
        barrier.wait();
        let (start, before) = (Instant::now(), thread_ns());
        work(state);
        let (end, after) = (Instant::now(), thread_ns());
        lock(&times).push((start, end, after - before));
        barrier.wait();
    };
    std::thread::scope(|scope| {
        for index in 1..threads {
            let (state, round, go_on, barrier) = (&state, &round, &go_on, &barrier);
            scope.spawn(move || {
                let mut state = state(index);
                while go_on.load(Ordering::Relaxed) {
                    round(&mut state);
                    barrier.wait();
                }
            });
        }
        let mut state = state(0);
        let begun = Instant::now();
        let mut samples = Vec::new();
        while go_on.load(Ordering::Relaxed) {
            round(&mut state);
            samples.push(span(&take(&mut *lock(&times))));
            let quiet = samples
                .iter()
                .skip(1)
                .any(|one| one.cpu_ratio > Some(QUIET));
            let budget = if quiet { BUDGET } else { PATIENCE };
            let enough = samples.len() > FEWEST && begun.elapsed() >= budget;
            go_on.store(!enough, Ordering::Relaxed);
            barrier.wait();
        }
        samples.remove(0);
        samples
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The time from the first start to the last end, and the processor time in between.
fn span(times: &[(Instant, Instant, u64)]) -> Sample {
    let start = times.iter().map(|one| one.0).min();
    let end = times.iter().map(|one| one.1).max();
    let seconds = start
        .zip(end)
        .map_or(0.0, |(start, end)| (end - start).as_secs_f64());
    let had: u64 = times.iter().map(|one| one.2).sum();
    Sample {
        seconds,
        cpu_ratio: (seconds > 0.0).then(|| had as f64 * 1e-9 / (seconds * times.len() as f64)),
    }
}

#[cfg(test)]
mod kept_tests;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_has_a_peak_by_type_and_a_bandwidth() {
        let ceilings = measure();
        let bandwidth = ceilings.bytes("cpu").unwrap();
        assert!(bandwidth.per_s > 1e6);
        for dtype in ["float32", "float64"] {
            match ceilings.flop("cpu", dtype) {
                // A machine on which memory outruns arithmetic was measured wrongly.
                Ok(peak) => assert!(peak.per_s > bandwidth.per_s / 64.0, "{peak:?}"),
                Err(_) => assert!(!ceilings.absent.is_empty()),
            }
        }
    }

    #[test]
    fn rounds_are_timed_from_the_first_start_to_the_last_end() {
        let pause = Duration::from_millis(3);
        let samples = together(
            2,
            |index| index,
            |index| {
                let until = Instant::now() + pause * *index as u32;
                while Instant::now() < until {}
            },
        );
        assert!(samples.len() >= FEWEST);
        let long = |sample: &Sample| sample.seconds >= pause.as_secs_f64();
        assert!(samples.iter().all(long), "{samples:?}");
        // One of the two threads does nothing.
        let shared = |sample: &Sample| sample.cpu_ratio < Some(0.6);
        assert!(samples.iter().all(shared), "{samples:?}");
    }
}
