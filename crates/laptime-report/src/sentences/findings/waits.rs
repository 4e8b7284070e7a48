//! Findings about what keeps steps and tasks waiting, in sentences.

use laptime_analysis::{HeldLoop, MainFunction, ThreadsWait, WorkerLap};

use super::phrases::{function_at, share, time};
use crate::document::names;
use crate::quantity::plural;

/// Writes how long first batches wait for workers, and how they wait less.
pub fn worker_starts(count: u64, total_ns: u64, wall_ns: u64) -> String {
    let (total, share) = (time(total_ns), share(total_ns, wall_ns));
    if count <= 1 {
        return format!(
            "The first batch waits {total} for the loader's workers to start, {share} of the run. With \
             the start method `spawn` each of them imports what the script imports: `fork`, or imports \
             where they are used, start them sooner.",
        );
    }
    format!(
        "Each epoch waits {} for the loader's workers to start and end: {total} in {count} epochs, {share} \
         of the run. With `persistent_workers=True` they do so once.",
        time(total_ns / count),
    )
}

/// Writes which lap keeps other tasks waiting, and how it lets them run.
pub fn blocked_event_loop(held: &HeldLoop) -> String {
    let HeldLoop { count, .. } = *held;
    let of_run = share(held.total_ns, held.wall_ns);
    // Samples miss what is short, or between two of them: what they saw is the least that there was.
    let times = match count {
        _ if held.function.is_some() => format!(
            "for {} in all, {of_run} of the run, once for at least {}",
            time(held.total_ns),
            time(held.max_ns),
        ),
        _ if held.sampled => format!(
            "for at least {} (samples saw it {}), {of_run} of the run",
            time(held.total_ns),
            plural(count, "time", "times"),
        ),
        1 => format!("once, for {}, {of_run} of the run", time(held.total_ns)),
        _ => format!(
            "{}, for {} on average, {of_run} of the run",
            plural(count, "time", "times"),
            time(held.total_ns / count.max(1)),
        ),
    };
    let waited = match held.waiting_count {
        0 => "Others that were ready to run waited".to_owned(),
        1 => "Another task waited".to_owned(),
        most => format!("Up to {most} other tasks waited"),
    };
    format!(
        "{} blocks the event loop: {times}. {waited} meanwhile. Run what takes \
         long there with `await asyncio.to_thread(…)`, or use a library that can be awaited; what \
         computes in Python needs a process.",
        (held.function.as_ref()).map_or_else(|| names::path(&held.path), function_at),
    )
}

/// Writes which threads the interpreter waits for at its end.
pub fn threads_wait(wait: &ThreadsWait) -> String {
    let doing = match &wait.function {
        Some(function) => format!(" Meanwhile these were mostly in {}.", function_at(function)),
        None => String::new(),
    };
    format!(
        "The script was done, and Python waited {} for its threads to end, {} of the run.{doing} Threads that \
         need not finish can be `daemon=True`; pools end sooner by `shutdown(cancel_futures=True)`.",
        time(wait.total_ns),
        share(wait.total_ns, wait.wall_ns),
    )
}

/// The advice for a single long wait: more workers or cheaper samples don't shorten it.
pub const ONE_LONG_WAIT: &str = "Look for what happened then, such as files that were read for the first time or an epoch that \
                       began: more workers don't help where a single wait is long.";

/// Writes that a single long wait, or a few, make most of them; nothing where they don't.
pub fn long_waits(longest_ns: Option<u64>, median_ns: Option<u64>) -> String {
    let usual = median_ns.map(|ns| format!("half of the waits take less than {}", time(ns)));
    let longest = longest_ns.map(|ns| format!("one wait took {}", time(ns)));
    let each: Vec<String> = longest.into_iter().chain(usual).collect();
    if each.is_empty() {
        return String::new();
    }
    format!(", though {}", each.join(" and "))
}

/// Writes what brings data faster. Where a few waits make most of them, it may be no matter of how fast the workers are.
pub fn faster_data(
    workers: Option<&WorkerLap>,
    function: Option<&MainFunction>,
    are_few_long: bool,
    is_machine_busy: bool,
) -> String {
    let more_workers = if is_machine_busy {
        "no CPU is free for more workers"
    } else {
        "or use more workers (`num_workers`)"
    };
    let Some(lap) = workers else {
        if let Some(function) = function {
            return format!(
                "The workers spend {:.0} % of their running time in {}: make it cheaper, {more_workers}.",
                100.0 * function.ratio,
                function_at(function),
            );
        }
        if are_few_long {
            return "If the loader has workers, and the long ones are at the start and end of each epoch, that is where \
                    it starts and ends them: `persistent_workers=True` does so once. Otherwise prepare batches ahead, by \
                    more workers (`num_workers`, `prefetch_factor`), or do less work per sample."
                .to_owned();
        }
        if is_machine_busy {
            return "No CPU is free for more workers: do less work per sample, or leave workers and the training fewer \
                    threads (`OMP_NUM_THREADS`)."
                .to_owned();
        }
        return "Prepare batches ahead, by more workers of a `DataLoader` (`num_workers`, `prefetch_factor`), or do less \
                work per sample."
            .to_owned();
    };
    format!(
        "The workers spend {:.0} % of their time in {} ({} each time, {}): make it cheaper, {more_workers}.",
        100.0 * lap.ratio,
        names::path(&lap.path),
        time(lap.mean_ns),
        plural(lap.count, "time", "times"),
    )
}
