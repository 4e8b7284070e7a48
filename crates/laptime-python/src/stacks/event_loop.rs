//! Whether others of asyncio's event loop are ready to run while one of them does.
//!
//! Each round of a loop, `BaseEventLoop._run_once`, counts what is ready in `ntodo` and calls one after the other, the
//! `i`-th at the moment. What of these is left waits for the one that runs. What became ready since isn't counted: it is
//! at the beginning of the next round.

use super::layout::Layout;
use super::peek::{half, word};
use super::text::Text;

/// The function, with and without its class, and the end of its file's name.
const ROUND: [&str; 2] = ["BaseEventLoop._run_once", "_run_once"];
const FILE: &str = "asyncio/base_events.py";
/// Its variables: how many are ready, and which of them runs.
const VARIABLES: [&str; 2] = ["ntodo", "i"];
/// Variables that are looked at: more is no such function.
const MOST_VARIABLES: u64 = 64;
/// Bits of an address that the interpreter has marks in.
const MARKS: u64 = 0b111;

/// Where a frame of `_run_once` has its variables, in bytes from its beginning.
#[derive(Debug, Clone, Copy)]
pub struct Round {
    ready: u64,
    running: u64,
}

impl Round {
    /// Finds the variables of a code; `None` where it is another function's.
    pub fn of_code(name: &str, file: &str, locals: u64, layout: &Layout) -> Option<Self> {
        if !ROUND.contains(&name) || !file.ends_with(FILE) {
            return None;
        }
        let count = word(locals, layout.bytes_len)?.min(MOST_VARIABLES);
        let place = |variable: &str| {
            let is_it = |at: &u64| {
                let name = word(locals, layout.tuple_items + at * 8).and_then(Text::read);
                name.is_some_and(|name| name.characters() == variable)
            };
            let at = (0..count).find(is_it)?;
            Some(layout.frame_locals + at * 8)
        };
        let [ready, running] = VARIABLES.map(place);
        Some(Self {
            ready: ready?,
            running: running?,
        })
    }

    /// Tells whether more than the one that runs are ready, by the frame of the round.
    pub fn has_others(self, frame: u64, layout: &Layout) -> bool {
        let number = |offset| half(word(frame, offset)? & !MARKS, layout.digit);
        let (ready, running) = (number(self.ready), number(self.running));
        (ready.zip(running)).is_some_and(|(ready, running)| running.saturating_add(1) < ready)
    }
}
