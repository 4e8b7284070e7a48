//! The functions on a thread's stack, by following its frames.
//!
//! Frames of one thread stand side by side, so a page of them is copied at once. Of a stack of
//! thousands the innermost and the outermost functions are told, and that some are left out.

use std::sync::Arc;

use laptime_recorder::stacks::{SeenFrame, SeenFunction};

use super::code::Codes;
use super::layout::{self, Layout, NOWHERE};
use super::peek::{half_at, peek, word, word_at};

/// Functions that are told of a stack, from either end.
const INNERMOST: usize = 384;
const OUTERMOST: usize = 128;
/// Frames that are followed: with more, it is a circle, or a stack that changes too fast.
const MOST_FRAMES: usize = 100_000;
/// What is copied at once: the smallest page, so that all of it is there if a part is.
const PAGE: u64 = 4_096;
/// The owner of a generator's or a coroutine's frame: nobody has called it once it yielded.
const GENERATOR: u8 = 1;
/// From this owner on a frame is the interpreter's own, and no function of Python.
const NO_FUNCTION: u8 = 3;
/// The function that stands for those left out.
const LEFT_OUT: &str = "<functions left out>";

/// A frame: its code, the instruction that it is in, and where it stands.
type Place = (u64, u64, u64);

/// Reads stacks.
pub struct Frames {
    codes: Codes,
    left_out: Arc<SeenFunction>,
    /// The pages copied last, and where they begin.
    pages: Vec<u8>,
    pages_at: u64,
    /// Frames of the stack, the innermost first.
    places: Vec<Place>,
    others_ready: bool,
}

impl Frames {
    pub fn new() -> Self {
        Self {
            codes: Codes::default(),
            left_out: Arc::new(SeenFunction {
                name: LEFT_OUT.to_owned(),
                file: String::new(),
            }),
            pages: Vec::new(),
            pages_at: 0,
            places: Vec::new(),
            others_ready: false,
        }
    }

    /// Another look begins.
    pub fn begin(&mut self) {
        self.codes.begin();
    }

    /// The functions that a thread is in by a copy of its state, the innermost first; `None` where they
    /// can't be followed.
    pub fn of(&mut self, state: &[u8]) -> Option<Vec<SeenFrame>> {
        self.others_ready = false;
        self.follow(state)?;
        let places = std::mem::take(&mut self.places);
        let mut seen = Vec::with_capacity(places.len().min(INNERMOST + OUTERMOST + 1));
        if places.len() <= INNERMOST + OUTERMOST {
            self.functions(&places, &mut seen);
        } else {
            self.functions(&places[..INNERMOST], &mut seen);
            seen.push(SeenFrame {
                function: Arc::clone(&self.left_out),
                line: 0,
            });
            self.functions(&places[places.len() - OUTERMOST..], &mut seen);
        }
        self.places = places;
        Some(seen)
    }

    fn functions(&mut self, places: &[Place], seen: &mut Vec<SeenFrame>) {
        // What isn't code is a frame that just began, or one that the interpreter has for itself.
        for (code, instruction, at) in places {
            if let Some((function, line)) = self.codes.of(*code, *instruction) {
                seen.push(SeenFrame { function, line });
                let round = self.codes.round(*code);
                let has_others = round.is_some_and(|round| round.has_others(*at, layout::layout()));
                self.others_ready |= has_others;
            }
        }
    }

    /// Where the outermost frame of the stack that was told last stands: a frame that just began doesn't say yet what
    /// called it, and looks like one.
    pub fn outermost(&self) -> Option<u64> {
        self.places.last().map(|(_, _, at)| *at)
    }

    /// Whether the stack that was told last is an event loop's, and others of it were ready to run.
    pub fn others_ready(&self) -> bool {
        self.others_ready
    }

    fn follow(&mut self, state: &[u8]) -> Option<()> {
        let layout = layout::layout();
        self.places.clear();
        self.pages.clear();
        let mut frame = word_at(state, layout.state_frame);
        if layout.frame_in_state != NOWHERE && frame != 0 {
            frame = word(frame, layout.frame_in_state)?;
        }
        while frame != 0 {
            if self.places.len() >= MOST_FRAMES {
                return None;
            }
            let (caller, owner) = self.frame(frame, layout)?;
            // It yielded after it was found, and what called it isn't known any more: another look may find all.
            if caller == 0 && owner == GENERATOR {
                return None;
            }
            frame = caller;
        }
        Some(())
    }

    /// Notes a frame; the one that called it, and whose it is.
    fn frame(&mut self, at: u64, layout: &Layout) -> Option<(u64, u8)> {
        let bytes = self.copied(at, layout.frame_len)?;
        let owner = bytes.get(layout.frame_owner as usize).copied().unwrap_or(0);
        // Low bits are the interpreter's own marks.
        let code = word_at(bytes, layout.frame_code) & !0b111;
        let instruction = if layout.frame_owner == NOWHERE {
            u64::from(half_at(bytes, layout.frame_instruction))
        } else {
            word_at(bytes, layout.frame_instruction)
        };
        let caller = word_at(bytes, layout.frame_previous);
        if owner < NO_FUNCTION {
            self.places.push((code, instruction, at));
        }
        Some((caller, owner))
    }

    /// A part of memory, out of the pages copied last or new ones.
    fn copied(&mut self, at: u64, len: u64) -> Option<&[u8]> {
        let is_copied = |pages_at: u64, pages: &[u8]| {
            at >= pages_at && at.saturating_add(len) <= pages_at + pages.len() as u64
        };
        if !is_copied(self.pages_at, &self.pages) {
            let from = at / PAGE * PAGE;
            let to = at.checked_add(len)?.checked_next_multiple_of(PAGE)?;
            self.pages_at = from;
            self.pages.resize((to - from) as usize, 0);
            if !peek(from, &mut self.pages) {
                self.pages.clear();
                return None;
            }
        }
        let from = (at - self.pages_at) as usize;
        self.pages.get(from..from + len as usize)
    }
}
