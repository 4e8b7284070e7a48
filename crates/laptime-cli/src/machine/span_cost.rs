//! What a span costs on this machine, measured with the recorder itself.
//!
//! Spans are opened and closed in batches into a scratch recording in the current folder,
//! where recordings go. The median batch counts: it leaves out the batches that the
//! system interrupted.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use laptime_core::ClockMap;
use laptime_recorder::{Backing, RecordOptions, Recording, Site, clock};
use serde::Serialize;

use super::limits::Limits;

/// Spans of a batch: a few ten microseconds, less than a time slice.
const BATCH: u32 = 2_000;
/// Batches measured.
const BATCHES: usize = 101;

/// What spans cost, in nanoseconds each.
#[derive(Debug, Serialize)]
pub struct SpanCost {
    /// Two bare readings of the clock: the least a span can cost.
    pub two_clock_reads_ns: f64,
    /// A span written to a recording on disk.
    pub recorded_ns: Option<f64>,
    /// Why that could not be measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded_why: Option<String>,
    /// A span while recording is off.
    pub off_ns: f64,
}

/// Measures what spans cost, and finds out on the way whether files can be mapped here.
pub fn measure() -> (SpanCost, Limits) {
    let was_on = laptime_recorder::is_on();
    let before = clock::anchor();
    let two_clock_reads = median_ticks(|| {
        black_box(clock::now());
        black_box(clock::now());
    });
    let site = Site::intern("laptime doctor");
    let span = || {
        if let Some(open) = laptime_recorder::enter(site) {
            black_box(laptime_recorder::exit(open));
        }
    };
    let scratch = Scratch::make();
    let (recorded, mapped) = match scratch.record() {
        Ok((recording, mapped)) => {
            let ticks = median_ticks(span);
            let finished = recording.finish().map_err(|error| error.to_string());
            (finished.map(|_| ticks), mapped)
        }
        Err(why) => (Err(why.clone()), Err(why)),
    };
    let limits = Limits::of(&scratch.above, mapped);
    drop(scratch);
    laptime_recorder::disable();
    let off = median_ticks(span);
    if was_on {
        laptime_recorder::enable();
    }
    let map = ClockMap::new(vec![before, clock::anchor()], clock::nominal_ns_per_tick());
    let rate = map.monotonic_ns(before.ticks + 1_000_000_000) - before.monotonic_ns;
    let nanoseconds = |ticks: f64| ticks * rate as f64 / 1e9;
    let cost = SpanCost {
        two_clock_reads_ns: nanoseconds(two_clock_reads),
        recorded_ns: recorded.as_ref().ok().map(|ticks| nanoseconds(*ticks)),
        recorded_why: recorded.err(),
        off_ns: nanoseconds(off),
    };
    (cost, limits)
}

/// Ticks of one call, in the median batch.
fn median_ticks(mut call: impl FnMut()) -> f64 {
    let mut batches: Vec<u64> = (0..BATCHES)
        .map(|_| {
            let start = clock::now();
            for _ in 0..BATCH {
                call();
            }
            clock::now().saturating_sub(start)
        })
        .collect();
    batches.sort_unstable();
    batches[BATCHES / 2] as f64 / f64::from(BATCH)
}

/// A folder for one recording, removed when dropped.
struct Scratch {
    above: PathBuf,
    folder: PathBuf,
}

impl Scratch {
    fn make() -> Self {
        let name = format!(".laptime-doctor-{}", std::process::id());
        let here = PathBuf::from(".");
        Self {
            folder: here.join(name),
            above: here,
        }
    }

    /// Starts recording, mapped if that works; the second value says whether.
    fn record(&self) -> Result<(Recording, Result<(), String>), String> {
        if laptime_recorder::current_folder().is_some() {
            return Err("this process is being recorded already".to_owned());
        }
        let with = |backing| {
            let options = RecordOptions {
                backing,
                ..RecordOptions::default()
            };
            laptime_recorder::record(&self.folder, &options).map_err(|error| error.to_string())
        };
        match with(Backing::Mapped) {
            Ok(recording) => Ok((recording, Ok(()))),
            Err(why) => {
                remove(&self.folder);
                with(Backing::Written).map(|recording| (recording, Err(why)))
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

fn remove(folder: &Path) {
    // What is left if this fails is a hidden folder with a tiny recording.
    let _ = std::fs::remove_dir_all(folder);
}
