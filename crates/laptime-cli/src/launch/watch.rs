//! What the launcher does while the program runs: looks at its processes now and then,
//! and keeps the live line current, on a thread of its own.
//!
//! Looks come closer together at the start, when launchers start interpreters, and never
//! take more than a two-hundredth of one core.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::interpreters::Interpreters;
use super::live_line::LiveLine;
use super::processes::Descendants;
use super::progress::{Follower, Progress};

/// Time to the first look: an interpreter without Laptime may be gone soon.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
/// Time between looks once the program has settled.
const PAUSE: Duration = Duration::from_millis(100);
/// Time between changes of the live line; a program over sooner never shows one.
const REDRAW: Duration = Duration::from_millis(500);
/// Pauses are at least this many times as long as the look before.
const REST: u32 = 200;

/// The watching thread.
#[derive(Debug)]
pub struct Watch {
    thread: JoinHandle<Interpreters>,
    stop: Sender<()>,
}

impl Watch {
    /// Starts watching the processes below `root`, which record into `folder`. `None` when there
    /// is no thread to be had.
    pub fn start(root: u32, folder: &Path) -> Option<Self> {
        let (stop, stopped) = channel();
        let follower = Follower::new(folder);
        let thread = std::thread::Builder::new()
            .name("laptime-watch".to_owned())
            .spawn(move || watch(root, follower, &stopped))
            .ok()?;
        Some(Self { thread, stop })
    }

    /// Stops at once and returns what was seen.
    pub fn stop(self) -> Interpreters {
        drop(self.stop);
        self.thread.join().unwrap_or_default()
    }
}

fn watch(root: u32, mut follower: Follower, stopped: &Receiver<()>) -> Interpreters {
    let mut interpreters = Interpreters::default();
    let mut descendants = Descendants::of(root);
    let mut line = LiveLine::on_stderr();
    let start = Instant::now();
    let mut redraw = start + REDRAW;
    let mut usual = FIRST_PAUSE;
    let mut pause = usual;
    while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let before = Instant::now();
        for seen in descendants.look() {
            interpreters.note(seen);
        }
        if let Some(line) = &mut line
            && before >= redraw
        {
            redraw = before + REDRAW;
            line.show(&text(start.elapsed(), &follower.look()));
        }
        usual = (usual * 2).min(PAUSE);
        pause = usual.max(before.elapsed() * REST);
    }
    interpreters
}

/// `laptime  1:02:03  1200 steps  step/forward`.
fn text(elapsed: Duration, progress: &Progress) -> String {
    let seconds = elapsed.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut parts = vec![
        "laptime".to_owned(),
        format!("{hours}:{minutes:02}:{seconds:02}"),
    ];
    if progress.steps > 0 {
        parts.push(format!("{} steps", progress.steps));
    }
    parts.extend(progress.open.clone());
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_known() {
        let mut progress = Progress::default();
        assert_eq!(text(Duration::from_secs(3), &progress), "laptime  0:00:03");
        progress.steps = 1200;
        progress.open = Some("step/forward".to_owned());
        let shown = text(Duration::from_secs(3723), &progress);
        assert_eq!(shown, "laptime  1:02:03  1200 steps  step/forward");
    }
}
