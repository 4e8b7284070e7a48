//! A window's life: written by one thread, read while open, handed over, sealed, closed.

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use loom::sync::{Arc, Mutex};
use loom::thread;

/// Records that fit a window of the model.
const ROOM: usize = 3;

/// A window: bytes written by one thread, and how many of them count.
struct Window {
    committed: AtomicU32,
    records: [UnsafeCell<u8>; ROOM],
    epoch: u64,
}

impl Window {
    fn new(epoch: u64) -> Arc<Self> {
        Arc::new(Self {
            committed: AtomicU32::new(0),
            records: std::array::from_fn(|_| UnsafeCell::new(0)),
            epoch,
        })
    }

    /// As `Writer::plain_span`: the bytes first, then the release store.
    fn append(&self, record: u8) {
        let position = self.committed.load(Ordering::Relaxed) as usize;
        // SAFETY: loom panics if another thread reads or writes the byte at the same time.
        self.records[position].with_mut(|byte| unsafe { *byte = record });
        self.committed.store(position as u32 + 1, Ordering::Release);
    }

    /// As `Window::copy`: what is committed.
    fn copy(&self) -> Vec<u8> {
        let committed = self.committed.load(Ordering::Acquire) as usize;
        let records = self.records[..committed].iter();
        // SAFETY: as above.
        records
            .map(|byte| byte.with(|byte| unsafe { *byte }))
            .collect()
    }
}

/// Two threads and what they share: the writer's limit, its window, and the file.
struct Model {
    /// As `Writer::limit`: 0 sends the writer the slow way.
    limit: AtomicUsize,
    shared: Mutex<Shared>,
}

struct Shared {
    epoch: u64,
    /// The writer's window, as `Shared::open_windows` finds it.
    open: Option<Arc<Window>>,
    full: Vec<Arc<Window>>,
    /// What the closed recording took in.
    file: Vec<u8>,
}

impl Model {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            limit: AtomicUsize::new(0),
            shared: Mutex::new(Shared {
                epoch: 1,
                open: None,
                full: Vec::new(),
                file: Vec::new(),
            }),
        })
    }

    /// As `Writer::refill_from`: retires the window if it still counts and begins another.
    fn refill(&self) -> Arc<Window> {
        let mut shared = self.shared.lock().unwrap();
        if let Some(full) = shared.open.take()
            && full.epoch == shared.epoch
        {
            shared.full.push(full);
        }
        let window = Window::new(shared.epoch);
        shared.open = Some(Arc::clone(&window));
        self.limit.store(ROOM, Ordering::Relaxed);
        window
    }

    /// As `recording::close`: takes what is open, and sends the writer elsewhere.
    fn close(&self) {
        let mut shared = self.shared.lock().unwrap();
        let full = std::mem::take(&mut shared.full);
        let mut taken: Vec<u8> = full.iter().flat_map(|window| window.copy()).collect();
        if let Some(open) = &shared.open
            && open.epoch == shared.epoch
        {
            taken.extend(open.copy());
        }
        shared.file = taken;
        shared.epoch += 1;
        self.limit.store(0, Ordering::Relaxed);
    }
}

#[test]
fn a_reader_of_an_open_window_sees_whole_records_only() {
    loom::model(|| {
        let window = Window::new(0);
        let reader = {
            let window = Arc::clone(&window);
            thread::spawn(move || window.copy())
        };
        window.append(1);
        window.append(2);
        let seen = reader.join().unwrap();
        assert!([1, 2].starts_with(&seen), "{seen:?}");
        assert_eq!(window.copy(), [1, 2]);
    });
}

#[test]
fn a_full_window_is_sealed_after_its_writer_let_go_of_it() {
    loom::model(|| {
        let model = Model::new();
        let collector = {
            let model = Arc::clone(&model);
            thread::spawn(move || {
                let full = std::mem::take(&mut model.shared.lock().unwrap().full);
                for window in &full {
                    let records = window.copy();
                    // Sealing writes into the window: loom panics if the writer still does.
                    // SAFETY: as in `append`.
                    window.records[0].with_mut(|byte| unsafe { *byte |= 0x80 });
                    assert_eq!(records, [1]);
                }
            })
        };
        model.refill().append(1);
        model.refill().append(2);
        collector.join().unwrap();
    });
}

#[test]
fn closing_takes_a_prefix_and_no_span_is_kept_twice() {
    loom::model(|| {
        let model = Model::new();
        let first = model.refill();
        first.append(1);
        let closer = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.close())
        };
        let mut window = first;
        for record in [2, 3] {
            if model.limit.load(Ordering::Relaxed) == 0 {
                window = model.refill();
            }
            window.append(record);
        }
        closer.join().unwrap();
        let after = {
            let shared = model.shared.lock().unwrap();
            let open = shared
                .open
                .as_ref()
                .filter(|open| open.epoch == shared.epoch);
            open.map(|open| open.copy()).unwrap_or_default()
        };
        let file = model.shared.lock().unwrap().file.clone();
        // What was finished before the close is there, in order; the rest goes on elsewhere,
        // and what was written at that very moment may be in neither.
        assert!(!file.is_empty() && [1, 2, 3].starts_with(&file), "{file:?}");
        assert!([2, 3].ends_with(&after), "{after:?}");
        assert!(!after.iter().any(|record| file.contains(record)));
    });
}
