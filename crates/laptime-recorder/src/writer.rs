//! A thread's place in its window, and the hot path into it.
//!
//! A plain span of a path already defined in the window is three prefix varints and one
//! release store. Everything else — a new path, another track, a full window — takes the
//! slow way in `records`, which may lock. Another thread makes this one take the slow way by
//! setting `limit` to zero.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use laptime_core::PathId;
use laptime_core::format::record::Cursor;
use laptime_core::format::varint::{MAX_SHORT, pack, pack_short};
use laptime_core::format::window::WindowHeader;

use crate::window::Window;

/// A lead of at most 3 bytes, and a whole word for two short integers.
const PLAIN_SPAN_MAX: usize = 11;
/// Bytes that are kept to encode records in.
const SCRATCH_MOST: usize = 1024;

#[derive(Debug)]
pub struct Writer {
    position: *mut u8,
    /// Highest position at which a plain span still fits; 0 sends the writer the slow way.
    limit: AtomicUsize,
    pub cursor: Cursor,
    /// When the window was opened.
    opened: u64,
    /// When the last span ended that the cursor doesn't tell of: one that carries more than times, or one of an
    /// earlier window.
    ended: u64,
    generation: u32,
    /// By path: what was defined in the current window.
    defined: Vec<Defined>,
    /// First byte of the window's records; null without a window.
    records: *mut u8,
    window: Option<Window>,
    /// Room for the record that is encoded next.
    scratch: Vec<u8>,
}

/// The first word of a plain span of a path, ready to be stored.
#[derive(Debug, Clone, Copy, Default)]
struct Defined {
    /// Equal to the writer's: the path is defined in the current window.
    generation: u32,
    /// The encoded lead in the low 24 bits, its length above.
    lead: u32,
}

impl Defined {
    fn new(path: PathId, generation: u32) -> Self {
        // A path number has at most 16 bits, its lead 17, which is three bytes.
        let (word, len) = pack(u64::from(path.0) << 1);
        Self {
            generation,
            lead: (len as u32) << 24 | word as u32,
        }
    }
}

// SAFETY: used by one thread at a time; a parked writer waits in the registry.
unsafe impl Send for Writer {}

impl Writer {
    pub fn new() -> Self {
        Self {
            position: std::ptr::null_mut(),
            limit: AtomicUsize::new(0),
            cursor: Cursor { last: 0, track: 0 },
            opened: 0,
            ended: 0,
            generation: 1,
            defined: Vec::new(),
            records: std::ptr::null_mut(),
            window: None,
            scratch: Vec::new(),
        }
    }

    /// Room to encode a record, with what was left in it; back by [`Self::give_scratch`].
    pub fn take_scratch(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.scratch)
    }

    /// Keeps the room for the next record, unless it is a lot.
    pub fn give_scratch(&mut self, room: Vec<u8>) {
        if room.capacity() <= SCRATCH_MOST {
            self.scratch = room;
        }
    }

    pub fn window(&self) -> Option<&Window> {
        self.window.as_ref()
    }

    /// Sends the writer the slow way at its next record.
    pub fn interrupt(&self) {
        self.limit.store(0, Ordering::Relaxed);
    }

    /// As [`Self::interrupt`], of a writer that another thread writes with.
    ///
    /// # Safety
    /// The writer is alive.
    pub unsafe fn interrupt_at(writer: NonNull<Self>) {
        // SAFETY: the caller's promise. No reference is made to what the other thread changes.
        let limit = unsafe { &(*writer.as_ptr()).limit };
        limit.store(0, Ordering::Relaxed);
    }

    /// As [`Self::window`], of a writer that another thread writes with.
    ///
    /// # Safety
    /// The writer is alive, and neither gets nor gives up a window while the result is used: whoever
    /// does so holds the registry, and so does the caller.
    pub unsafe fn window_at<'a>(writer: NonNull<Self>) -> Option<&'a Window> {
        // SAFETY: the caller's promise. No reference is made to what the other thread changes.
        unsafe { &(*writer.as_ptr()).window }.as_ref()
    }

    /// Writes a plain span and returns its duration in ticks; `None` where it must go the slow way.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the hot path of every span
    pub fn try_plain_span(&mut self, path: u32, start: u64, end: u64, track: u32) -> Option<u64> {
        let since = end.wrapping_sub(self.cursor.last);
        let duration = end.wrapping_sub(start);
        let defined = self.defined.get(path as usize).copied().unwrap_or_default();
        // Long ones, a tenth of a second and more, and differences below zero take the slow way.
        let fits = since | duration <= MAX_SHORT
            && defined.generation == self.generation
            && self.cursor.track == track
            && self.position.addr() < self.limit.load(Ordering::Relaxed);
        if !fits {
            return None;
        }
        let lead_len = (defined.lead >> 24) as usize;
        let (since, since_len) = pack_short(since);
        let (duration_word, duration_len) = pack_short(duration);
        let times = since | duration_word << (8 * since_len);
        // SAFETY: below the limit there is room for the lead and a word. What they leave of
        // theirs is overwritten by what follows.
        unsafe {
            self.position
                .cast::<u32>()
                .write_unaligned(defined.lead.to_le());
            let rest = self.position.add(lead_len);
            rest.cast::<u64>().write_unaligned(times.to_le());
            self.position = rest.add(since_len + duration_len);
        }
        self.cursor.last = end;
        self.commit();
        Some(duration)
    }

    /// When the span that ended last of those written ended; 0 while none was.
    pub fn last_end(&self) -> u64 {
        let has_plain = self.cursor.last != self.opened;
        let plain = if has_plain { self.cursor.last } else { 0 };
        plain.max(self.ended)
    }

    /// A span was written that may not have moved the cursor, such as one with memory.
    pub fn note_end(&mut self, end: u64) {
        self.ended = self.ended.max(end);
    }

    /// Makes what was written so far count.
    #[inline]
    fn commit(&self) {
        let length = self.position.addr() - self.records.addr();
        // SAFETY: called after a record was written, so there is a window.
        unsafe { Window::committed_at(self.records) }.store(length as u32, Ordering::Release);
    }

    /// Copies whole records to the window. `false` when they do not fit or the window is not to be used.
    pub fn append(&mut self, bytes: &[u8]) -> bool {
        let Some(window) = &self.window else {
            return false;
        };
        let left = window.end().addr() - self.position.addr();
        if self.limit.load(Ordering::Relaxed) == 0 || left < bytes.len() {
            return false;
        }
        // SAFETY: there is room, and this thread alone writes to the window.
        unsafe {
            self.position
                .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.position = self.position.add(bytes.len());
        }
        self.commit();
        true
    }

    /// Encodes a record of at most so many bytes in its place. `false`, and nothing is encoded, as [`Self::append`].
    #[inline]
    pub fn append_by<const MOST: usize>(
        &mut self,
        encode: impl FnOnce(&mut [u8; MOST]) -> usize,
    ) -> bool {
        let Some(window) = &self.window else {
            return false;
        };
        let left = window.end().addr() - self.position.addr();
        if self.limit.load(Ordering::Relaxed) == 0 || left < MOST {
            return false;
        }
        // SAFETY: there is room, and this thread alone writes to the window. What the record leaves of it is
        // overwritten by what follows.
        unsafe {
            let length = encode(&mut *self.position.cast());
            self.position = self.position.add(length.min(MOST));
        }
        self.commit();
        true
    }

    /// Goes on in a fresh window.
    pub fn begin(&mut self, mut window: Window, header: &WindowHeader) {
        window.open(header);
        self.ended = self.last_end();
        self.cursor = header.cursor();
        self.opened = self.cursor.last;
        self.position = window.records();
        self.records = self.position;
        let limit = window.end().addr() - PLAIN_SPAN_MAX;
        self.window = Some(window);
        self.forget_defined();
        self.limit.store(limit, Ordering::Relaxed);
    }

    /// Whether a path is defined in the window, with all that it stands under.
    pub fn defines(&self, path: PathId) -> bool {
        let known = self.defined.get(path.index());
        known.is_some_and(|known| known.generation == self.generation)
    }

    /// Notes that a path is defined in the window.
    pub fn note_defined(&mut self, path: PathId) {
        if self.defined.len() <= path.index() {
            self.defined.resize(path.index() + 1, Defined::default());
        }
        self.defined[path.index()] = Defined::new(path, self.generation);
    }

    /// Another number for each window, and after definitions were forgotten.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Notes that nothing is defined in the window.
    pub fn forget_defined(&mut self) {
        self.generation = self.generation.wrapping_add(1).max(1);
    }

    /// Lets go of the window: for a fork's child, whose parent goes on using it.
    pub fn abandon(&mut self) {
        if let Some(window) = self.window.take() {
            std::mem::forget(window);
        }
        self.interrupt();
    }

    /// Gives the window up for sealing. The writer refills at its next record.
    pub fn take_window(&mut self) -> Option<Window> {
        self.interrupt();
        self.window.take()
    }
}
