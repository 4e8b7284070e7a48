//! Starting, joining and finishing a recording on disk.

use std::io;
use std::path::{Path, PathBuf};

use laptime_core::format::process::{ProcessHeader, window_offset};
use laptime_core::format::record::Record;
use laptime_core::{PathId, ProgramEnd, RunInfo};

use crate::attached_tool::enable;
use crate::clock;
use crate::collector;
use crate::error::RecorderError;
use crate::file::{Backing, ProcessFile};
use crate::folder;
use crate::guard::guard;
use crate::machine::machine;
use crate::memory;
use crate::on_devices;
use crate::platform;
use crate::registration::track_name;
use crate::registry::{self, Disk, Registry};
use crate::sampled_devices;
use crate::stacks::{self, Sampler};
use crate::thread::Thread;
use crate::wiped;
use crate::writer::Writer;

/// What a recording is made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordOptions {
    /// Name of the program in the recording; by default that of the process.
    pub program: Option<String>,
    /// How windows reach the file.
    pub backing: Backing,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            program: None,
            backing: Backing::Auto,
        }
    }
}

impl RecordOptions {
    /// The chosen name, or the process's.
    fn program(&self, of_process: &str) -> String {
        let program = self.program.clone();
        program.unwrap_or_else(|| of_process.to_owned())
    }
}

/// A recording that this process started. Dropping it finishes it.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    run: Option<RunInfo>,
}

impl Recording {
    /// Where the recording is. Differs from the path asked for when that was taken, or names the file that
    /// refers to the enclosing recording.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Says that the path `asked` for was taken, and where the recording is instead.
    pub fn taken_path(&self, asked: &Path) -> Option<String> {
        let is_there = self.path.file_name() == asked.file_name();
        (!is_there).then(|| {
            let (asked, taken) = (asked.display(), self.path.display());
            format!("{asked} exists already: recording into {taken}")
        })
    }

    /// Finishes the recording: everything recorded is on disk, and the unused tail is cut off.
    pub fn finish(mut self) -> Result<PathBuf, RecorderError> {
        self.finish_once()?;
        Ok(std::mem::take(&mut self.path))
    }

    fn finish_once(&mut self) -> Result<(), RecorderError> {
        let Some(mut run) = self.run.take() else {
            return Ok(());
        };
        // Its folder was deleted, and what is recorded there now ends by itself.
        if folder::is_of_another(&self.path, &run) {
            return Ok(());
        }
        if current_folder().is_none_or(|current| current == self.path) {
            close();
        }
        run.end = Some(ProgramEnd {
            monotonic_ns: clock::monotonic_ns(),
            code: None,
            signal: None,
        });
        write_run(&self.path, &run)
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // A guard never raises into the measured program; readers accept a recording without its end.
        let _ = self.finish_once();
    }
}

/// Starts recording this process, and what it forks, into a new folder.
///
/// Never overwrites: when `folder` exists, the next free `-<n>` is taken; compare
/// [`Recording::path`]. Inside a recording that this process joined, writes a file that refers to it.
pub fn record(folder: &Path, options: &RecordOptions) -> Result<Recording, RecorderError> {
    // One whose folder was deleted meanwhile goes nowhere: a reference to it would lead to itself.
    let outer = current_folder();
    if outer.as_ref().is_some_and(|outer| !outer.exists()) {
        close();
    }
    if let Some(outer) = outer.filter(|outer| outer.exists()) {
        let leave = |path: &Path| folder::refer(path, &outer);
        let path = folder::at_first_free(folder, leave).map_err(|source| RecorderError::Write {
            path: folder.to_owned(),
            source,
        })?;
        let path = std::path::absolute(&path).unwrap_or(path);
        return Ok(Recording { path, run: None });
    }
    let create = |source| RecorderError::Create {
        folder: folder.to_owned(),
        source,
    };
    let path = folder::at_first_free(folder, folder::make).map_err(create)?;
    let path = std::path::absolute(path).map_err(create)?;
    let program = registry::with(|registry| options.program(&registry.program));
    let mut run = folder::new_run(program);
    run.pid = Some(std::process::id());
    write_run(&path, &run)?;
    join(&path, options)?;
    Ok(Recording {
        path,
        run: Some(run),
    })
}

fn write_run(folder: &Path, run: &RunInfo) -> Result<(), RecorderError> {
    folder::write_run(folder, run).map_err(|source| RecorderError::Write {
        path: folder.join(RunInfo::FILE_NAME),
        source,
    })
}

/// Adds this process to an existing recording, until [`close`] or its end.
pub fn join(folder: &Path, options: &RecordOptions) -> Result<(), RecorderError> {
    registry::with(|registry| {
        if let Some(disk) = &registry.disk {
            return Err(RecorderError::AlreadyRecording {
                folder: disk.folder.clone(),
            });
        }
        open(registry, folder, options).map_err(|source| RecorderError::Write {
            path: folder.to_owned(),
            source,
        })
    })?;
    finish_start();
    enable();
    Ok(())
}

/// The folder of the recording in progress, if there is one.
pub fn current_folder() -> Option<PathBuf> {
    registry::with(|registry| {
        let disk = registry.disk.as_ref().map(|disk| disk.folder.clone());
        disk.or_else(|| registry.pending.clone())
    })
}

fn open(registry: &mut Registry, folder: &Path, options: &RecordOptions) -> io::Result<()> {
    let anchor = clock::anchor();
    let header = ProcessHeader {
        clock: clock::kind(),
        pid: std::process::id(),
        parent_pid: std::os::unix::process::parent_id(),
        main_track: registry.threads.main_track,
        boot_id: platform::boot_id(),
        nominal_ns_per_tick: clock::nominal_ns_per_tick(),
        anchor,
        process_started_boottime_ns: platform::started_boottime_ns(std::process::id()),
        program: options.program(&registry.program),
        lost: 0,
        clamped: 0,
        closed: None,
        loss_reason: None,
        length: None,
    };
    let file = ProcessFile::create(folder, &header, options.backing, registry.epoch + 1)?;
    registry.interrupt_all();
    on_devices::at_exit::begin_anew();
    registry.disk = Some(Disk::new(folder.to_owned(), file));
    let mut scribe = Writer::new();
    scribe.refill_from(registry);
    if let Some(disk) = registry.disk.as_mut() {
        disk.scribe = Some(scribe);
    }
    close_at_exit();
    Ok(())
}

/// Whether what was noted tells of what happened in one recording: the next one is told its own.
fn is_of_one(code: &str) -> bool {
    const CODES: [&str; 9] = [
        on_devices::times::FAILED,
        "device.off",
        "device.unused",
        "operations.failed",
        "operations.told",
        "operations.uncounted",
        "phases.failed",
        "phases.none",
        "phases.torn",
    ];
    const ABOUT: [&str; 3] = ["device.memory.", "kernels.", "ranges."];
    CODES.contains(&code) || ABOUT.iter().any(|about| code.starts_with(about))
}

/// What a start does with the registry unlocked: definitions and notes so far, and the calling thread's stack.
fn finish_start() {
    let (scribe, notes, paths, threads, tasks) = registry::with(|registry| {
        let scribe = registry.disk.as_mut().and_then(|disk| disk.scribe.take());
        registry.notes.retain(|(code, _)| !is_of_one(code));
        let (notes, paths) = (registry.notes.clone(), registry.paths.0.len());
        let threads = registry.threads.names();
        (scribe, notes, paths, threads, registry.threads.task_names())
    });
    if let Some(mut scribe) = scribe {
        for path in 1..paths as u32 {
            scribe.define_for_file(PathId(path));
        }
        for (code, message) in notes
            .iter()
            .filter(|(code, _)| on_devices::is_still_so(code))
        {
            scribe.record(&Record::Note { code, message });
        }
        scribe.record(&Record::Note {
            code: "environment.machine",
            message: &machine(),
        });
        for known in &threads {
            scribe.record(&track_name(known.track, false, known.thread, &known.name));
        }
        for known in &tasks {
            scribe.record(&track_name(known.track, true, known.thread, &known.name));
        }
        registry::with(|registry| {
            if let Some(disk) = registry.disk.as_mut() {
                disk.scribe = Some(scribe);
                // Not before: what they have to write is for the scribe.
                disk.collector = collector::start(disk);
                let folder = disk.folder.clone();
                disk.sampler = stacks::asked().and_then(|open| Sampler::start(open, folder));
            }
        });
    }
    Thread::with(|thread| {
        registry::with(|registry| registry.place_in_black_box(thread.own_stack()));
        thread.refresh_slot();
        // Opens the thread's window too, before what it closes from now on.
        let track = thread.own_stack().track();
        let named = threads.iter().find(|known| known.track == track);
        thread.name_track(track, false, named.map_or("", |known| &known.name));
    });
}

/// Finishes the recording in progress. Spans go on being recorded in memory.
///
/// Spans that other threads close at this very moment may miss the file.
pub fn close() {
    if wiped::is_unknown_child() {
        return;
    }
    let (collector, sampler) = registry::with(|registry| {
        registry.pending = None;
        let Some(disk) = registry.disk.as_mut() else {
            return (None, None);
        };
        disk.stop = true;
        registry::WORK.notify_all();
        (disk.collector.take(), disk.sampler.take())
    });
    if let Some(collector) = collector {
        collector.join();
    }
    if let Some(mut sampler) = sampler {
        sampler.stop();
        collector::write_stacks(&sampler);
    }
    sampled_devices::finish();
    let own = Thread::with(|thread| {
        let window = registry::with(|registry| {
            registry.take_out_of_black_box(thread.own_stack());
            // With the registry held: another thread may look at the open windows.
            thread.writer.take_window()
        });
        thread.refresh_slot();
        window
    });
    let mut own = own.flatten();
    let mut scribe = last_words();
    let Some((disk, windows, first, epoch)) = registry::with(|registry| {
        let mut disk = registry.disk.take()?;
        let epoch = registry.epoch;
        let mut windows = std::mem::take(&mut disk.full);
        windows.extend(own.take().filter(|window| registry.is_live(window)));
        windows.extend(registry.threads.take_parked_windows());
        windows.extend(scribe.take().and_then(|mut scribe| scribe.take_window()));
        // What other threads hold cannot be sealed under their hands; it stays open, and readable.
        let held: Vec<(u64, Vec<u8>)> = registry
            .open_windows()
            .filter(|window| window.epoch() == registry.epoch)
            .filter_map(|window| Some((window.slot()?, window.copy())))
            .collect();
        for (_, bytes) in &held {
            crate::fold::fold(bytes.clone(), registry.started);
        }
        registry.interrupt_all();
        Some(((disk, held), windows, registry.started, epoch))
    }) else {
        return;
    };
    let (disk, held) = disk;
    let mut end = window_offset(0);
    for (slot, bytes) in held {
        let _ = disk.file.write_sealed(slot, &bytes);
        end = end.max(window_offset(slot + 1));
    }
    for window in windows {
        if let Some(slot) = window.slot() {
            let length = window.copy().len() as u64;
            end = end.max(window_offset(slot) + length);
            collector::seal_into(&disk.file, window, first);
        } else {
            let bytes = window.copy();
            if disk.failed.is_some() && window.epoch() == epoch {
                registry::count_lost(crate::fold::spans_in(&bytes));
            }
            crate::fold::fold(bytes, first);
        }
    }
    // The highest window may be sealed already: its writer ended, or went on in memory.
    if disk.used_end > 0 && end <= window_offset(disk.used_end - 1) {
        end = window_offset(disk.used_end);
    }
    disk.store_losses();
    // The file stays readable without the cut.
    let _ = disk.file.close(clock::anchor(), end);
}

/// Has the scribe write the last records of the recording in progress, with the registry unlocked:
/// its window may be full. Returns the scribe.
fn last_words() -> Option<Writer> {
    let scribe = registry::with(|registry| registry.disk.as_mut()?.scribe.take());
    scribe.map(|mut scribe| {
        if let Some(memory) = memory::process() {
            let ticks = clock::now();
            scribe.record(&Record::Memory { ticks, memory });
        }
        memory::write_around_laps(|record| scribe.record(record));
        on_devices::times::finish(|record| scribe.record(record));
        scribe.record(&Record::Anchor(clock::anchor()));
        scribe
    })
}

fn close_at_exit() {
    extern "C" fn at_exit() {
        guard((), close);
    }
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        // SAFETY: a plain function that may run at any time.
        unsafe { libc::atexit(at_exit) };
    });
}
