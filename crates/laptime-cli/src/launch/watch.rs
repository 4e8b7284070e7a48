//! What the launcher does while the program runs: looks at its processes now and then, on a thread of its own.
//!
//! Looks come closer together at the start, when launchers start interpreters, and never
//! take more than a two-hundredth of one core.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::interpreters::Interpreters;
use super::masks::Blocked;
use super::processes::Descendants;

/// Time to the first look: an interpreter without Laptime may be gone soon.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// Time between looks once the program has settled.
const PAUSE: Duration = Duration::from_millis(100);
/// Pauses are at least this many times as long as the look before.
const REST: u32 = 200;

/// The watching thread.
#[derive(Debug)]
pub struct Watch {
    thread: JoinHandle<Interpreters>,
    stop: Sender<()>,
}

impl Watch {
    /// Starts watching the processes below `root`. `None` when there is no thread to be had.
    pub fn start(root: u32) -> Option<Self> {
        let (stop, stopped) = channel();
        // Signals are the first thread's.
        let _blocked = Blocked::all();
        let thread = std::thread::Builder::new()
            .name("laptime-watch".to_owned())
            .spawn(move || watch(root, &stopped))
            .ok()?;
        Some(Self { thread, stop })
    }

    /// Stops at once and returns what was seen.
    pub fn stop(self) -> Interpreters {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

fn watch(root: u32, stopped: &Receiver<()>) -> Interpreters {
    let mut interpreters = Interpreters::default();
    let mut descendants = Descendants::of(root);
    let mut usual = FIRST_PAUSE;
    let mut pause = usual;
    while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let before = Instant::now();
        for seen in descendants.look() {
            interpreters.note(seen);
        }
        usual = (usual * 2).min(PAUSE);
        pause = usual.max(before.elapsed() * REST);
    }
    interpreters
}
