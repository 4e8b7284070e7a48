//! Spans that are over before they are written: phases that were held back, futures, generators, timers.

use laptime_core::format::record::Record;
use laptime_core::{
    DeviceMemorySpan, MemoryOnDevice, PathId, Span, SpanFlags, SpanMemory, SpanWork,
};

use crate::device::{HeldTime, closed};
use crate::memory::Quiet;
use crate::on_devices::times;
use crate::registration;
use crate::site::Site;
use crate::span::current_path;
use crate::start::is_on_or_decide;

/// What a span may carry beyond its interval.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extra {
    /// What is unusual about it; the flags of the fields below are added.
    pub flags: SpanFlags,
    /// Ticks from first start to end, when it did not run all the time.
    pub wall: Option<u64>,
    /// CPU time of the process meanwhile.
    pub process_ns: Option<u64>,
    /// CPU time of the thread meanwhile.
    pub thread_ns: Option<u64>,
    /// Host memory.
    pub memory: Option<SpanMemory>,
    /// Memory on a device.
    pub device_memory: Option<MemoryOnDevice>,
    /// Time on a device.
    pub device_time: Option<HeldTime>,
    /// A span inside of it, which is written next, has the same time on a device.
    pub shares_device_time: bool,
    /// What the program says it did.
    pub work: SpanWork,
}

/// Writes a finished span under the innermost open one.
///
/// **Units** ticks for start and duration.
pub fn emit(site: &Site, start: u64, duration: u64, extra: Extra) {
    if is_on_or_decide() {
        emit_under(current_path(), site, start, duration, extra);
    }
}

/// The path that a span of this site has under a given one; the root while nothing is recorded.
pub fn path_under(parent: PathId, site: &Site) -> PathId {
    if !is_on_or_decide() {
        return PathId::ROOT;
    }
    let _quiet = Quiet::begin();
    registration::with(|thread| thread.path(parent, site)).unwrap_or(PathId::ROOT)
}

/// Writes a finished span under a given path, such as [`current_path`] returned when it began; its
/// own path, or the root while nothing is recorded.
///
/// **Units** ticks for start and duration.
pub fn emit_under(parent: PathId, site: &Site, start: u64, duration: u64, extra: Extra) -> PathId {
    if !is_on_or_decide() {
        if let Some(held) = extra.device_time {
            closed::drop_held(held);
        }
        return PathId::ROOT;
    }
    let _quiet = Quiet::begin();
    let mut flags = extra.flags;
    for (given, flag) in [
        (extra.process_ns.is_some(), SpanFlags::PROCESS_TIME),
        (extra.thread_ns.is_some(), SpanFlags::THREAD_TIME),
        (extra.wall.is_some(), SpanFlags::SUSPENDED),
    ] {
        if given {
            flags = flags.with(flag);
        }
    }
    let path = registration::with(|thread| {
        let path = thread.path(parent, site);
        // The span around it has its time.
        let is_part = path == PathId::OVERFLOW && parent != PathId::ROOT && !flags.is_apart();
        let span = Span {
            flags: flags.with(SpanFlags::inside_if(is_part)),
            process_ns: extra.process_ns,
            thread_ns: extra.thread_ns,
            wall: extra.wall,
            ..Span::plain(path, start, duration, thread.track())
        };
        let span = span.with_memory(extra.memory).with_work(extra.work);
        thread.writer.span(&span);
        if is_part {
            extra.device_time.inspect(|held| closed::drop_held(*held));
            return path;
        }
        if let Some(held) = extra.device_time {
            let give = if extra.shares_device_time {
                times::give_around
            } else {
                times::give
            };
            give(thread, held, &span);
        }
        if let Some(MemoryOnDevice { device, memory }) = extra.device_memory {
            let track = thread.track();
            thread
                .writer
                .record(&Record::DeviceMemory(DeviceMemorySpan {
                    path,
                    start,
                    track,
                    device,
                    memory,
                }));
        }
        path
    });
    path.unwrap_or(PathId::ROOT)
}
