//! Memory of spans on a device, from an allocator that the test scripts, to the records.

use std::sync::Mutex;

use laptime_core::DeviceMemory;
use laptime_core::format::record::Record;
use laptime_core::format::window::Window;
use laptime_recorder::device_memory::{self, Counter, Mode, Reading};
use laptime_recorder::{
    Extra, Pieces, Site, enable, enter, enter_automatic, exit, live, suspend_piece,
};

use crate::own_process;

/// The device's allocator, whose peak each look resets.
static ALLOCATOR: Mutex<Counter> = Mutex::new(Counter { now: 50, peak: 900 });

fn add(bytes: i64) {
    let mut counter = ALLOCATOR.lock().unwrap();
    counter.now = counter.now.checked_add_signed(bytes).unwrap();
    counter.peak = counter.peak.max(counter.now);
}

fn look(_is_inside: bool) -> bool {
    let mut counter = ALLOCATOR.lock().unwrap();
    let (allocated, reserved) = (*counter, *counter);
    device_memory::read(
        3,
        Reading {
            allocated,
            reserved,
        },
    );
    counter.peak = counter.now;
    device_memory::was_reset(3);
    true
}

fn site(name: &str) -> &'static Site {
    Site::intern(name)
}

fn exactly(net_bytes: i64, peak: u64, reserved: u64) -> DeviceMemory {
    DeviceMemory {
        net_bytes,
        peak_least_bytes: peak,
        peak_most_bytes: peak,
        reserved_net_bytes: net_bytes,
        reserved_peak_bytes: Some(reserved),
    }
}

/// What was written so far, with the path of each.
fn written() -> Vec<(String, DeviceMemory)> {
    let live = live();
    let mut told = Vec::new();
    for window in &live.head {
        if let Some(window) = Window::parse(window, 0).unwrap() {
            let each = window.for_each(|record| {
                if let Record::DeviceMemory(span) = record {
                    assert_eq!(span.device, 3);
                    told.push((live.paths.names(span.path).join("/"), span.memory));
                }
            });
            each.unwrap();
        }
    }
    told
}

#[test]
fn spans_are_written_with_their_memory_however_they_end() {
    own_process::run(|| {
        enable();
        let before = enter(site("before")).unwrap();
        assert!(device_memory::turn_on(Mode::Fold, look));
        assert!(!device_memory::turn_on(Mode::Bounds, look), "it is on");
        let outer = enter(site("outer")).unwrap();
        add(100);
        let inner = enter(site("inner")).unwrap();
        let automatic = enter_automatic(site("automatic"), None).unwrap();
        add(200);
        add(-200);
        // The automatic one closes with it.
        exit(inner);
        add(-60);
        assert!(exit(automatic).is_none());
        exit(outer);
        exit(before);
        assert_eq!(
            written(),
            [
                (
                    "before/outer/inner/automatic".to_owned(),
                    exactly(0, 200, 350)
                ),
                ("before/outer/inner".to_owned(), exactly(0, 200, 350)),
                ("before/outer".to_owned(), exactly(40, 300, 350)),
            ],
            "a lap from before has none"
        );

        let mut pieces = Pieces::new(site("pieces"));
        for bytes in [10, 20] {
            pieces.resume().unwrap();
            add(bytes + 5);
            add(-5);
            pieces.pause();
            add(1_000);
            add(-1_000);
        }
        pieces.finish(Extra::default());
        let piece = suspend_piece(enter(site("taken off")).unwrap()).unwrap();
        assert_eq!(piece.device_memory.unwrap().memory, exactly(0, 0, 120));
        assert_eq!(
            written()[3..],
            [("pieces".to_owned(), exactly(30, 35, 125))]
        );

        let stale = enter(site("stale")).unwrap();
        device_memory::turn_off();
        assert!(device_memory::turn_on(Mode::Fold, look));
        exit(stale);
        assert_eq!(written().len(), 4, "it was open as reading ended");
        device_memory::turn_off();
    });
}
