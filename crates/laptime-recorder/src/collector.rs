//! The background thread of a recording.
//!
//! The collector sets windows aside before they are needed, folds and seals full ones, notes the
//! clocks and what the processors did about once a second, the resident memory and how long
//! the program waited for a CPU ten times a second, counted memory fifty times a second, and writes
//! windows out where the file cannot be mapped. The program never waits for it.

use std::sync::{Arc, Weak};
use std::time::Duration;

use laptime_core::Anchor;
use laptime_core::format::record::Record;
use laptime_core::format::window::{HEADER_LEN, seal};

use crate::clock;
use crate::file::ProcessFile;
use crate::fold;
use crate::guard::guard;
use crate::memory::{self, Quiet};
use crate::platform;
use crate::registry::{self, Disk, Registry};
use crate::sampled_devices;
use crate::samples::Sources;
use crate::stacks::{Sample, Sampler};
use crate::telemetry::Watch;
use crate::window::{Destination, Window};
use crate::worker::Worker;
use crate::writer::Writer;

/// How often resident memory is sampled, and unmapped files are written.
const TICK: Duration = Duration::from_millis(100);

/// How often the level of counted memory is noted: of a run of a few tenths of a second too, enough to
/// tell what stays from what is freed again.
const LEVEL_TICK: Duration = Duration::from_millis(20);

/// When anchors are noted after the start, in ns: early ones give short runs a rate. Then every second.
const EARLY_ANCHORS_NS: [u64; 3] = [1_000_000, 10_000_000, 100_000_000];
const ANCHOR_EVERY_NS: u64 = 1_000_000_000;

/// Between two looks whether the scribe is free, and how many there are.
const SCRIBE_AGAIN: Duration = Duration::from_micros(100);
const SCRIBE_LOOKS: u32 = 1_000;

/// Starts the thread for the recording in progress.
pub fn start(disk: &Disk) -> Option<Worker> {
    let sources = Arc::downgrade(&disk.sources);
    let watch = Watch::begin();
    Worker::start(c"laptime", move || {
        guard((), || run(&sources, watch));
        // After a mistake, readers of memory must not wait for windows that are never folded.
        registry::with(|registry| {
            if let Some(disk) = registry.disk.as_mut() {
                disk.folding = false;
            }
        });
    })
}

fn run(sources: &Weak<Sources>, mut watch: Watch) {
    platform::block_signals();
    Quiet::for_ever();
    let started = clock::monotonic_ns();
    let mut next_tick = started;
    let mut next_level = started;
    let mut early = EARLY_ANCHORS_NS.iter().map(|after| started + after);
    let mut next_anchor = early.next().unwrap_or(started);
    loop {
        let now = clock::monotonic_ns();
        let next = next_tick.min(next_anchor);
        let next = memory::process().map_or(next, |_| next.min(next_level));
        let wait = next.saturating_sub(now);
        let Some((full, stop)) = registry::wait_then_with(Duration::from_nanos(wait), |registry| {
            set_aside(registry);
            let disk = registry.disk.as_mut()?;
            disk.folding = !disk.full.is_empty();
            Some((std::mem::take(&mut disk.full), disk.stop))
        }) else {
            return;
        };
        let first = registry::with(|registry| registry.started);
        for window in full {
            finish_window(window, first);
        }
        registry::with(|registry| {
            if let Some(disk) = registry.disk.as_mut() {
                disk.folding = false;
            }
        });
        if stop {
            return;
        }
        // Held for a moment only: a child that is forked meanwhile cannot close its copies.
        let Some(sources) = sources.upgrade() else {
            return;
        };
        let now = clock::monotonic_ns();
        if now >= next_anchor {
            next_anchor = early.next().unwrap_or(now + ANCHOR_EVERY_NS);
            note(&Record::Anchor(clock::anchor()));
            note_if_known(sources.processors());
        }
        if let Some(memory) = memory::process().filter(|_| now >= next_level) {
            next_level = now + LEVEL_TICK.as_nanos() as u64;
            let ticks = clock::now();
            note(&Record::Memory { ticks, memory });
        }
        if now >= next_tick {
            next_tick = now + TICK.as_nanos() as u64;
            let sizes = sources.memory_sizes();
            // The first thread is gone. After the last one the program would be over.
            if sizes.is_some_and(|(resident_bytes, _)| resident_bytes == 0) {
                end_stacks();
                sampled_devices::finish();
                if platform::is_last_thread() {
                    leave();
                    return;
                }
            }
            note_if_known(sources.resident());
            note_if_known(sources.delay());
            if memory::process().is_some() {
                memory::look_for_new_objects();
            }
            note_stacks();
            sampled_devices::follow(&mut watch);
            write_out();
        }
    }
}

/// Nobody waits for this thread any more: its end is the process's, whose exit closes the recording.
fn leave() {
    let handle = registry::with(|registry| registry.disk.as_mut()?.collector.take());
    drop(handle);
}

fn set_aside(registry: &mut Registry) {
    while let Some(disk) = registry.disk.as_mut() {
        if disk.stop || !disk.lacks_windows() {
            return;
        }
        if let Err(error) = disk.file.set_aside() {
            return registry.fail(&error);
        }
    }
}

/// Folds a full window and seals it.
fn finish_window(window: Window, first: Anchor) {
    let destination = window.destination();
    let sealed = fold_and_seal(window, first);
    if let Destination::Written { slot } = destination {
        registry::with(|registry| {
            let Some(disk) = registry.disk.as_ref() else {
                return;
            };
            if let Err(error) = disk.file.write_sealed(slot, &sealed) {
                registry.fail(&error);
            }
        });
    }
}

/// Folds a full window and seals it, for a file that is being closed.
pub fn seal_into(file: &ProcessFile, window: Window, first: Anchor) {
    let destination = window.destination();
    let sealed = fold_and_seal(window, first);
    if let Destination::Written { slot } = destination {
        // The file is closed next; there is nobody left to tell.
        let _ = file.write_sealed(slot, &sealed);
    }
}

/// The window's bytes as sealed.
fn fold_and_seal(mut window: Window, first: Anchor) -> Vec<u8> {
    let bytes = window.copy();
    let records = bytes.len() - HEADER_LEN;
    fold::fold(bytes, first);
    // SAFETY: its writer let go of it when it retired the window.
    let whole = unsafe { window.bytes_mut() };
    seal(whole, records);
    whole[..HEADER_LEN + records].to_vec()
}

/// Writes a record of the recorder's own into the file. In memory these are not kept.
fn note(record: &Record<'_>) {
    let scribe =
        registry::with(|registry| registry.disk.as_mut().and_then(|disk| disk.scribe.take()));
    if let Some(mut scribe) = scribe {
        scribe.record(record);
        registry::with(|registry| {
            if let Some(disk) = registry.disk.as_mut() {
                disk.scribe = Some(scribe);
            }
        });
    }
}

/// Reads resident memory from another thread than the collector, at a moment that matters.
pub fn note_resident() {
    let sources = registry::with(|registry| Some(registry.disk.as_ref()?.sources.clone()));
    if let Some(record) = sources.and_then(|sources| sources.resident()) {
        write_by_scribe(|scribe| {
            scribe.record(&record);
        });
    }
}

/// Writes records of the recorder's own from another thread than the collector, which may write one just now.
///
/// **Cost** waits for that one, a tenth of a second at most.
pub fn write_by_scribe(write: impl FnOnce(&mut Writer)) {
    for _ in 0..SCRIBE_LOOKS {
        let taken = registry::with(|registry| {
            let disk = registry.disk.as_mut();
            disk.map(|disk| disk.scribe.take())
        });
        match taken {
            None => return,
            Some(None) => std::thread::sleep(SCRIBE_AGAIN),
            Some(Some(mut scribe)) => {
                write(&mut scribe);
                registry::with(|registry| {
                    if let Some(disk) = registry.disk.as_mut() {
                        disk.scribe = Some(scribe);
                    }
                });
                return;
            }
        }
    }
}

fn note_if_known(record: Option<Record<'_>>) {
    if let Some(record) = record {
        note(&record);
    }
}

/// Writes what the sampler saw since the last time, and tells it what that took.
fn note_stacks() {
    let (samples, reason) = with_sampler(|sampler| (sampler.take(), sampler.take_reason()))
        .unwrap_or((Vec::new(), None));
    let began_ns = clock::thread_ns();
    let bytes = write_samples(&samples, reason.as_deref());
    if bytes > 0 {
        let cpu_ns = clock::thread_ns().saturating_sub(began_ns);
        with_sampler(|sampler| sampler.wrote(cpu_ns, bytes));
    }
}

fn with_sampler<R>(ask: impl FnOnce(&Sampler) -> R) -> Option<R> {
    registry::with(|registry| registry.disk.as_ref()?.sampler.as_ref().map(ask))
}

/// Ends the sampler before the recording ends: one thread less to be the last.
fn end_stacks() {
    let sampler = registry::with(|registry| registry.disk.as_mut()?.sampler.take());
    if let Some(mut sampler) = sampler {
        sampler.stop();
        write_stacks(&sampler);
    }
}

/// Writes what is left of a sampler that was stopped.
pub fn write_stacks(sampler: &Sampler) {
    write_samples(&sampler.take(), sampler.take_reason().as_deref());
}

/// Writes samples, and why there are none; the bytes that the samples took.
fn write_samples(samples: &[Sample], reason: Option<&str>) -> u64 {
    if samples.is_empty() && reason.is_none() {
        return 0;
    }
    let taken = registry::with(|registry| {
        let disk = registry.disk.as_mut()?;
        Some((disk.scribe.take()?, std::mem::take(&mut disk.book)))
    });
    let Some((mut scribe, mut book)) = taken else {
        return 0;
    };
    let mut bytes = 0;
    for sample in samples {
        let is_path = |path| registry::with(|registry| registry.paths.0.get(path).is_some());
        bytes += book.write(sample, &mut scribe, is_path) as u64;
    }
    if let Some(message) = reason {
        let code = "stacks-unavailable";
        scribe.record(&Record::Note { code, message });
    }
    registry::with(|registry| {
        if let Some(disk) = registry.disk.as_mut() {
            disk.scribe = Some(scribe);
            disk.book = book;
        }
    });
    bytes
}

/// Writes open windows and the prefix out, where the file is not mapped.
fn write_out() {
    registry::with(|registry| {
        let failed = {
            let Some(disk) = registry.disk.as_ref() else {
                return;
            };
            if !disk.file.needs_writing() || disk.failed.is_some() {
                return;
            }
            let windows = registry
                .open_windows()
                .filter(|window| window.epoch() == registry.epoch);
            windows
                .map(|window| disk.file.write_out(window))
                .chain(std::iter::once_with(|| disk.file.write_prefix()))
                .find_map(Result::err)
        };
        if let Some(error) = failed {
            registry.fail(&error);
        }
    });
}
