//! Numbers of functions and frames, and their definitions in the window that uses them.
//!
//! Numbers are the process's; what a window defines is forgotten when its writer begins another.
//! The book is bounded: what no longer fits is filed under the frame that called it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use laptime_core::format::record::{Cursor, Record, encode};
use laptime_core::{COLLECTION, PathId, Runner, SampledStack, StackFrame};

use super::seen::{Sample, SeenFrame, SeenFunction};
use crate::writer::Writer;

/// Functions that get a number.
const MOST_FUNCTIONS: usize = 65_536;
/// Functions that are kept in memory to know them by their place.
const MOST_PLACES: usize = 8_192;
/// Frames that get one: a function counts once for each way that leads to it and each line.
const MOST_FRAMES: usize = 262_144;
/// Bytes of a name or of a file's path that are kept: the end tells most.
const MOST_BYTES: usize = 512;
/// What one stack's definitions may take of a window, so that it fits an empty one.
const MOST_DEFINED: usize = 24 * 1024;

/// A frame without its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Call {
    parent: u32,
    function: u32,
    line: u32,
}

/// What was seen so far in this process.
#[derive(Debug, Default)]
pub struct Book {
    numbers: HashMap<(String, String), u32>,
    functions: Vec<(String, String)>,
    /// By place in memory, where they stay.
    places: HashMap<usize, (Arc<SeenFunction>, u32)>,
    calls: HashMap<Call, u32>,
    frames: Vec<Call>,
    /// The writer's window that `defined_frames` and `defined_functions` are about.
    generation: Option<u32>,
    defined_frames: HashSet<u32>,
    defined_functions: HashSet<u32>,
}

impl Book {
    /// Writes a sample; nothing for a thread without functions. `is_path` tells which paths there are: a
    /// context that is freed while it is read may hold anything. Returns the bytes that this took.
    pub fn write(
        &mut self,
        sample: &Sample,
        writer: &mut Writer,
        is_path: impl Fn(PathId) -> bool,
    ) -> usize {
        let seen = sample.stack.as_deref();
        let frames = seen.and_then(|seen| seen.frames.as_deref());
        if frames.is_some_and(<[SeenFrame]>::is_empty) {
            return 0;
        }
        let stack = SampledStack {
            ticks: sample.ticks,
            thread: sample.thread,
            frame: frames.map_or(0, |frames| {
                self.frame_of(frames, seen.is_some_and(|seen| seen.is_collecting))
            }),
            is_running: sample.is_running,
            has_interpreter: seen.is_some_and(|seen| seen.has_interpreter),
            in_same_turn: sample.in_same_turn,
            others_ready: seen.is_some_and(|seen| seen.others_ready),
            runner: match seen.map_or(Runner::Unknown, |seen| seen.runner) {
                Runner::Task { path, .. } if path != PathId::ROOT && !is_path(path) => {
                    Runner::Unknown
                }
                runner => runner,
            },
            within_ns: sample.within_ns,
            stands_for_ns: sample.stands_for_ns,
        };
        writer.record_after(&Record::Stack(stack), |generation, bytes, cursor| {
            self.define(stack.frame, generation, bytes, cursor);
        })
    }

    /// The number of a thread's innermost frame; 0 when not even its outermost has one.
    fn frame_of(&mut self, frames: &[SeenFrame], is_collecting: bool) -> u32 {
        let mut parent = 0;
        for frame in frames.iter().rev() {
            let id = self.function(&frame.function);
            let Some(id) = id.and_then(|id| self.number(parent, id, frame.line)) else {
                return parent;
            };
            parent = id;
        }
        let (name, file) = COLLECTION;
        let collection = is_collecting
            .then(|| self.function_named(name.to_owned(), file.to_owned()))
            .flatten();
        collection
            .and_then(|id| self.number(parent, id, 0))
            .unwrap_or(parent)
    }

    fn number(&mut self, parent: u32, function: u32, line: u32) -> Option<u32> {
        let call = Call {
            parent,
            function,
            line,
        };
        if let Some(known) = self.calls.get(&call) {
            return Some(*known);
        }
        if self.frames.len() >= MOST_FRAMES {
            return None;
        }
        self.frames.push(call);
        let id = self.frames.len() as u32;
        self.calls.insert(call, id);
        Some(id)
    }

    fn function(&mut self, function: &Arc<SeenFunction>) -> Option<u32> {
        // By its place in memory first: the sampler has one of each, mostly.
        let place = Arc::as_ptr(function).addr();
        if let Some((_, known)) = self.places.get(&place) {
            return Some(*known);
        }
        let id = self.function_named(kept(&function.name), kept(&function.file))?;
        if self.places.len() >= MOST_PLACES {
            self.places.clear();
        }
        self.places.insert(place, (Arc::clone(function), id));
        Some(id)
    }

    fn function_named(&mut self, name: String, file: String) -> Option<u32> {
        let function = (name, file);
        if let Some(known) = self.numbers.get(&function) {
            return Some(*known);
        }
        if self.functions.len() >= MOST_FUNCTIONS {
            return None;
        }
        self.functions.push(function.clone());
        let id = self.functions.len() as u32;
        self.numbers.insert(function, id);
        Some(id)
    }

    /// Appends the definitions that a window lacks of a frame and those that it was called from.
    fn define(&mut self, frame: u32, generation: u32, bytes: &mut Vec<u8>, cursor: &mut Cursor) {
        if self.generation != Some(generation) {
            self.generation = Some(generation);
            self.defined_frames.clear();
            self.defined_functions.clear();
        }
        let mut missing = Vec::new();
        let mut at = frame;
        while at != 0 && !self.defined_frames.contains(&at) {
            missing.push(at);
            at = self.frames[at as usize - 1].parent;
        }
        for id in missing.into_iter().rev() {
            if bytes.len() > MOST_DEFINED {
                // A stack of thousands of functions: a reader takes what it doesn't know as unread.
                return;
            }
            let Call {
                parent,
                function,
                line,
            } = self.frames[id as usize - 1];
            if self.defined_functions.insert(function) {
                let (name, file) = &self.functions[function as usize - 1];
                let id = function;
                encode(bytes, cursor, &Record::Function { id, name, file });
            }
            self.defined_frames.insert(id);
            let frame = StackFrame {
                id,
                parent,
                function,
                line,
            };
            encode(bytes, cursor, &Record::Frame(frame));
        }
    }
}

/// The end of a text, without the byte that parts texts.
fn kept(text: &str) -> String {
    let mut from = text.len().saturating_sub(MOST_BYTES);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].replace('\0', "\u{fffd}")
}
