//! A snapshot of this process, for an in-process report.

use laptime_core::format::process::ProcessHeader;
use laptime_core::{Anchor, Live, PathTable};

use crate::clock;
use crate::fold::{self, Recollection};
use crate::memory;
use crate::on_devices;
use crate::on_devices::times;
use crate::platform;
use crate::registry::{self, Registry};
use crate::thread::Thread;
use crate::window::Window;

/// Everything recorded in this process so far, open windows included.
///
/// Spans that other threads close meanwhile may or may not be in it.
pub fn live() -> Live {
    on_devices::times::catch_up();
    let open = Thread::with(|thread| thread.stack().open()).unwrap_or_default();
    let snapshot = loop {
        if let Some(snapshot) = registry::with(|registry| snapshot(registry)) {
            break snapshot;
        }
        std::thread::yield_now();
    };
    let Snapshot {
        program,
        paths,
        notes,
        started,
        is_reset,
        main_track,
        windows,
        memory: mut remembered,
    } = snapshot;
    let rate = fold::rate_since(started);
    for window in windows {
        remembered.take(window, rate);
    }
    let now = clock::anchor();
    let mut head = remembered.head;
    head.extend(remembered.events);
    Live {
        header: ProcessHeader {
            clock: clock::kind(),
            pid: std::process::id(),
            parent_pid: std::os::unix::process::parent_id(),
            main_track,
            boot_id: platform::boot_id(),
            nominal_ns_per_tick: clock::nominal_ns_per_tick(),
            anchor: started,
            process_started_boottime_ns: platform::started_boottime_ns(std::process::id())
                .filter(|_| !is_reset),
            program,
            lost: registry::lost(),
            clamped: registry::clamped(),
            closed: Some(now),
            loss_reason: None,
            length: None,
        },
        anchors: vec![started, now],
        paths,
        head,
        tail: remembered.tail.unwrap_or_default(),
        overflowed_spans: remembered.overflowed_spans,
        tail_since: remembered.tail_since,
        ran: remembered.ran,
        on_devices: remembered.on_devices,
        device_memory: remembered.device_memory,
        open,
        memory: memory::process(),
        notes,
    }
}

/// Forgets what was recorded in memory so far. Open spans go on, and a recording on disk keeps all.
pub fn reset() {
    let since = registry::with(|registry| {
        registry.reset();
        registry.started.ticks
    });
    times::forget_before(since);
}

struct Snapshot {
    program: String,
    paths: PathTable,
    notes: Vec<(String, String)>,
    started: Anchor,
    is_reset: bool,
    main_track: u32,
    /// Full windows that wait for the collector, then the open ones.
    windows: Vec<Vec<u8>>,
    memory: Recollection,
}

/// `None` while the collector holds windows that are not folded yet, which lasts milliseconds.
fn snapshot(registry: &Registry) -> Option<Snapshot> {
    let disk = registry.disk.as_ref();
    if disk.is_some_and(|disk| disk.folding) {
        return None;
    }
    let waiting = disk.into_iter().flat_map(|disk| &disk.full);
    let open = registry
        .open_windows()
        .filter(|window| registry.is_live(window));
    Some(Snapshot {
        program: registry.program.clone(),
        paths: registry.paths.0.clone(),
        notes: registry.notes.clone(),
        started: registry.started,
        is_reset: registry.is_reset,
        main_track: registry.threads.main_track,
        windows: waiting.chain(open).map(Window::copy).collect(),
        memory: fold::recollection(),
    })
}
