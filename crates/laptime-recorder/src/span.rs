//! Opening and closing spans: the hot path.

use std::sync::atomic::Ordering::{Relaxed, Release};

use laptime_core::format::process::SLOT_ENTRIES;
use laptime_core::{MemoryOnDevice, PathId, PhaseName, Span, SpanFlags, SpanMemory, SpanWork};

use crate::clock;
use crate::device::{HeldTime, OnDevice, closed};
use crate::device_memory;
use crate::memory;
use crate::memory::Quiet;
use crate::nvtx;
use crate::on_devices::opening::Opening;
use crate::on_devices::{self, closing, times, waits};
use crate::operators;
use crate::registration;
use crate::registry;
use crate::site::Site;
use crate::stack::{AUTOMATIC, AtomicEntry, CARRIES, Closed, Entry, GENERAL, Position};
use crate::start::is_on_or_decide;
use crate::state;
use crate::stretches;
use crate::thread::Thread;

/// An open span's identity, good for closing it on the stack it was opened on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Open(Position);

impl Open {
    /// When the span opened, in ticks.
    pub fn start(self) -> u64 {
        self.0.start
    }

    /// The identity as two integers, for a foreign language.
    #[inline]
    pub fn to_raw(self) -> (u32, u64) {
        (self.0.index, self.0.start)
    }

    /// The identity of [`Open::to_raw`]. An identity that never was simply closes nothing.
    #[inline]
    pub fn from_raw(index: u32, start: u64) -> Self {
        Self(Position { index, start })
    }
}

/// Opens a span. `None` when recording is off.
///
/// **Cost** about half of a span: one clock read and a few stores.
#[inline]
pub fn enter(site: &Site) -> Option<Open> {
    if state::is_on_by_tsc()
        && let Some(open) = Thread::with_while_on(|thread| enter_here(thread, site))
    {
        return Some(open);
    }
    enter_with(site, 0, None, None)
}

/// Opens a piece of a span that first opened at `id`; none: now.
#[inline]
pub(crate) fn enter_piece(site: &Site, id: Option<u64>) -> Option<Open> {
    if id.is_none() || !nvtx::is_on() {
        return enter(site);
    }
    enter_with(site, 0, None, id)
}

#[inline(always)]
#[allow(clippy::inline_always)] // the hot path of `enter`
fn enter_here(thread: &mut Thread, site: &Site) -> Open {
    // SAFETY: the slot of the stack in use.
    let slot = unsafe { thread.slot.as_ref() };
    let depth = slot.depth.load(Relaxed) as usize;
    if depth.wrapping_sub(1) >= SLOT_ENTRIES - 1 {
        return enter_slowly(thread, site, 0, None, None, &mut Opening::default());
    }
    let parent = PathId(slot.entries[depth - 1].path());
    let Some(path) = site.cached(parent) else {
        return enter_at_new_path(thread, parent, site);
    };
    let start = clock::now_by_tsc();
    slot.entries[depth].set(Entry {
        path: path.0,
        site: site.index(),
        start,
    });
    slot.depth.store(depth as u32 + 1, Release);
    Open(Position {
        index: depth as u32,
        start,
    })
}

/// A span opens whose site was last used elsewhere, or never, or has no path of its own.
#[cold]
#[inline(never)]
fn enter_at_new_path(thread: &mut Thread, parent: PathId, site: &Site) -> Open {
    let path = thread.resolve(parent, site);
    let entry = Entry::new(path, site, 0, clock::now_by_tsc());
    Open(thread.stack().push(entry))
}

#[cold]
#[inline(never)]
fn enter_slowly(
    thread: &mut Thread,
    site: &Site,
    flag: u32,
    start: Option<u64>,
    id: Option<u64>,
    on_devices: &mut Opening,
) -> Open {
    let parent = thread.stack().innermost();
    let path = thread.path(parent, site);
    let entry = Entry::new(path, site, flag, start.unwrap_or_else(clock::now));
    let position = thread.stack().push(entry);
    if state::measures_memory() {
        thread.stack().memory.open(entry.start);
    }
    if let Some((place, begun)) = on_devices.begun.take() {
        thread.stack().on_devices.open(entry.start, place, begun);
    }
    if let Some(token) = on_devices.memory.take() {
        thread.stack().device_memory.open(entry.start, token);
    }
    if nvtx::is_on() {
        let id = id.unwrap_or(entry.start);
        thread.stack().ranges.open(site, entry.start, id);
    }
    Open(position)
}

#[inline(never)]
fn enter_with(site: &Site, flag: u32, start: Option<u64>, id: Option<u64>) -> Option<Open> {
    if !is_on_or_decide() {
        return None;
    }
    let _quiet = Quiet::begin();
    memory::look_for_new_objects();
    let mut on_devices = Opening::begin();
    let open =
        registration::with(|thread| enter_slowly(thread, site, flag, start, id, &mut on_devices));
    if open.is_none() {
        on_devices.forget();
    } else if flag == 0 && operators::is_profiling() && site.name() == PhaseName::Step.text() {
        // Before anything closes inside of it.
        stretches::set_aside(None);
    }
    open
}

/// Opens a span that started earlier.
pub fn enter_at(site: &Site, start: u64) -> Option<Open> {
    enter_with(site, 0, Some(start), None)
}

/// Opens a span that closes together with its parent if nobody closes it before.
pub fn enter_automatic(site: &Site, start: Option<u64>) -> Option<Open> {
    enter_with(site, AUTOMATIC, start, None)
}

/// Closes a span and returns its duration in ticks.
///
/// Closing one that is not the innermost repairs the stack and flags the span. `None` when it
/// is not open on the current stack, or recording is off.
#[inline(never)] // a call is cheaper than what inlining does to the code around every guard
pub fn exit(open: Open) -> Option<u64> {
    exit_here(open)
}

#[inline(always)]
#[allow(clippy::inline_always)] // the hot path of `exit` and of `exit_site`
fn exit_here(open: Open) -> Option<u64> {
    if !state::is_on_by_tsc() {
        return exit_otherwise(open);
    }
    let end = clock::now_by_tsc();
    let written = Thread::with_while_on(|thread| {
        // SAFETY: the slot of the stack in use.
        let slot = unsafe { thread.slot.as_ref() };
        let Position { index, start } = open.0;
        match slot.entries.get(index as usize).map(AtomicEntry::get) {
            Some(entry)
                if index + 1 == slot.depth.load(Relaxed)
                    && entry.start == start
                    && entry.site & GENERAL == 0 =>
            {
                slot.depth.store(index, Release);
                let track = slot.track.load(Relaxed);
                Some(thread.writer.plain_span(entry.path, start, end, track))
            }
            _ => None,
        }
    })?;
    written.or_else(|| exit_with(open, Some(end), SpanFlags::NONE))
}

#[inline(never)]
fn exit_otherwise(open: Open) -> Option<u64> {
    match closing::exit(open.0) {
        Ok(ticks) => Some(ticks),
        Err(end) => exit_with(open, end, SpanFlags::NONE),
    }
}

/// Closes the innermost open span of a site; see [`exit`].
#[inline]
pub fn exit_site(site: &Site) -> Option<u64> {
    let innermost = Thread::with(|thread| {
        // SAFETY: the slot of the stack in use.
        let slot = unsafe { thread.slot.as_ref() };
        let index = slot.depth.load(Relaxed).wrapping_sub(1);
        let entry = slot.entries.get(index as usize)?.get();
        let start = entry.start;
        (entry.site == site.index()).then_some(Open(Position { index, start }))
    })?;
    match innermost {
        Some(open) => exit_here(open),
        None => exit_site_slowly(site),
    }
}

#[cold]
#[inline(never)]
fn exit_site_slowly(site: &Site) -> Option<u64> {
    if let Some(open) = innermost_of(site) {
        waits::wait_for(open.start());
    }
    exit_site_at(site, clock::now())
}

/// Closes the innermost open span of a site at a moment that has passed, but never before it opened.
pub fn exit_site_at(site: &Site, end: u64) -> Option<u64> {
    let position = Thread::with(|thread| {
        let stack = thread.stack();
        let open = stack.find_site(site.index());
        open.or_else(|| stack.find_stray(site.index()))
    })??;
    exit_with(
        Open(position),
        Some(end.max(position.start)),
        SpanFlags::NONE,
    )
}

#[cold]
#[inline(never)]
fn exit_slowly(
    thread: &mut Thread,
    position: Position,
    end: u64,
    mut flags: SpanFlags,
) -> Option<u64> {
    flags = flags.with(SpanFlags::inside_if(thread.stack().is_inside(position)));
    let Closed {
        entry,
        unbalanced,
        with_it,
    } = thread.stack().close(position)?;
    for closed in with_it.iter().chain([&entry]) {
        thread.stack().ranges.close(closed.start);
    }
    if !state::is_on() {
        for closed in with_it.iter().chain([&entry]) {
            forget_on_devices(thread, closed.start);
        }
        return None;
    }
    let track = thread.track();
    for child in with_it {
        let memory = memory_of(thread, child.start);
        let start = thread.stack().take_start(child);
        let rest = SpanFlags::rest_if(start > child.start);
        let inside = SpanFlags::inside_if(child.is_overflow());
        let span = Span {
            flags: SpanFlags::CLOSED_BY_PARENT.with(inside).with(rest),
            ..Span::plain(PathId(child.path), start, end.saturating_sub(start), track)
        };
        let work = thread.stack().take_work(child);
        write(thread, &span, memory, work);
        end_on_device(thread, child.start, &span);
    }
    let memory = memory_of(thread, entry.start);
    let work = thread.stack().take_work(entry);
    if unbalanced {
        flags = flags.with(SpanFlags::UNBALANCED);
    }
    let start = thread.stack().take_start(entry);
    flags = flags.with(SpanFlags::rest_if(start > entry.start));
    let duration = end.checked_sub(start).unwrap_or_else(|| {
        registry::count_clamped();
        0
    });
    let span = Span {
        flags,
        ..Span::plain(PathId(entry.path), end - duration, duration, track)
    };
    write(thread, &span, memory, work);
    end_on_device(thread, entry.start, &span);
    Some(duration)
}

/// Writes a span with what it carries, which most don't.
#[inline]
fn write(thread: &mut Thread, span: &Span, memory: Option<SpanMemory>, work: Option<SpanWork>) {
    if memory.is_none() && work.is_none() {
        return thread.writer.span(span);
    }
    let work = work.unwrap_or_default();
    thread
        .writer
        .span(&span.with_memory(memory).with_work(work));
}

/// A span that was written closes on its device, if it is timed there.
#[inline]
fn end_on_device(thread: &mut Thread, start: u64, span: &Span) {
    match thread.stack().on_devices.close(start) {
        // The one around it has its time.
        Some(open) if span.flags.has(SpanFlags::INSIDE) => open.forget(),
        Some(open) => open.give(span),
        None => {}
    }
    let memory = &mut thread.stack().device_memory;
    if span.flags.has(SpanFlags::INSIDE) {
        memory.forget(start);
    } else {
        memory.close(span.path, start, span.track);
    }
}

/// A span closes that isn't recorded.
#[inline]
fn forget_on_devices(thread: &mut Thread, start: u64) {
    thread.stack().on_devices.forget(start);
    thread.stack().device_memory.forget(start);
}

/// Memory of a span that closes on the stack in use.
#[inline]
fn memory_of(thread: &mut Thread, start: u64) -> Option<SpanMemory> {
    if !state::measures_memory() {
        return None;
    }
    thread.stack().memory.close(start)
}

/// Closes a span at a given time, with flags.
#[inline(never)]
pub fn exit_with(open: Open, end: Option<u64>, flags: SpanFlags) -> Option<u64> {
    let _quiet = Quiet::begin();
    let end = end.unwrap_or_else(|| {
        waits::wait_for(open.start());
        clock::now()
    });
    times::end(open.0);
    let ticks = Thread::with(|thread| exit_slowly(thread, open.0, end, flags));
    on_devices::memory::write_closed();
    ticks?
}

/// Takes a span off the stack without recording it, and returns the ticks since it opened.
///
/// For what runs in pieces, such as futures and generators: each piece is entered and taken off,
/// and [`crate::emit_under`] records the sum. Spans left open above it become strays.
pub fn suspend(open: Open) -> Option<u64> {
    suspend_piece(open).map(Piece::without_device_time)
}

/// One piece of a span that runs in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// How long the piece ran.
    pub ticks: u64,
    /// The piece's memory, while memory is counted.
    pub memory: Option<SpanMemory>,
    /// The piece's memory on a device, while that is read.
    pub device_memory: Option<MemoryOnDevice>,
    /// The piece's time on a device, where it is timed there.
    pub device_time: Option<HeldTime>,
}

impl Piece {
    /// How long it ran; its time on a device is not written.
    pub fn without_device_time(self) -> u64 {
        if let Some(held) = self.device_time {
            closed::drop_held(held);
        }
        self.ticks
    }
}

/// Takes a span off the stack as [`suspend`] does, and returns the memory of the piece too.
pub fn suspend_piece(open: Open) -> Option<Piece> {
    let _quiet = Quiet::begin();
    waits::wait_for(open.start());
    times::end(open.0);
    let (piece, token) = Thread::with(|thread| {
        let closed = thread.stack().close(open.0)?;
        for child in closed.with_it {
            thread.stack().ranges.close(child.start);
            forget_on_devices(thread, child.start);
            memory_of(thread, child.start);
            thread.stack().take_work(child);
            thread.stack().take_start(child);
        }
        thread.stack().ranges.close(closed.entry.start);
        let on_device = thread.stack().on_devices.close(closed.entry.start);
        thread.stack().take_work(closed.entry);
        let start = thread.stack().take_start(closed.entry);
        let piece = Piece {
            memory: memory_of(thread, closed.entry.start),
            device_memory: None,
            device_time: on_device.and_then(OnDevice::hold),
            ticks: clock::now().saturating_sub(start),
        };
        Some((piece, thread.stack().device_memory.take(closed.entry.start)))
    })??;
    Some(Piece {
        device_memory: token.and_then(device_memory::end),
        ..piece
    })
}

/// Whether a span is still open on the current stack.
pub fn is_open(open: Open) -> bool {
    with_open(open, |_, _| ()).is_some()
}

/// Says what an open span does, or more of it. Whether it is open here.
///
/// What is said later takes the place of what was said before.
pub fn give(open: Open, work: SpanWork) -> bool {
    let _quiet = Quiet::begin();
    with_open(open, |thread, index| thread.stack().give(index, work)).is_some()
}

/// What an open span was said to do.
pub fn given(open: Open) -> SpanWork {
    with_open(open, |thread, index| thread.stack().given(index)).unwrap_or_default()
}

/// Runs with a span that is open on the current stack, and where it stands there.
pub fn with_open<T>(open: Open, run: impl FnOnce(&mut Thread, usize) -> T) -> Option<T> {
    Thread::with(|thread| {
        let index = thread.stack().find(open.0)?;
        Some(run(thread, index))
    })?
}

/// The innermost open span of a site on the current stack.
pub fn innermost_of(site: &Site) -> Option<Open> {
    Thread::with(|thread| thread.stack().find_site(site.index()).map(Open))?
}

/// Gives an open span another name. Children that closed already keep the old one.
pub fn rename(open: Open, site: &Site) {
    with_open(open, |thread, index| {
        let parent = PathId(thread.stack().entry(index - 1).path);
        let path = thread.path(parent, site);
        let old = thread.stack().entry(index);
        let entry = Entry::new(path, site, old.site & (AUTOMATIC | CARRIES), old.start);
        thread.stack().set_entry(index, entry);
        thread.stack().ranges.rename(entry.start, site);
    });
}

/// Path of a span that is open on the current stack.
pub fn path_of(open: Open) -> Option<PathId> {
    with_open(open, |thread, index| {
        PathId(thread.stack().entry(index).path)
    })
}

/// Path under which the next span of this thread or task would open.
pub fn current_path() -> PathId {
    Thread::with(|thread| thread.stack().innermost()).unwrap_or(PathId::ROOT)
}

/// When the innermost open span of this name opened, in ticks.
pub fn open_since(name: &str) -> Option<u64> {
    Thread::with(|thread| {
        let stack = thread.stack();
        let is_it = |index: &usize| {
            let path = PathId(stack.entry(*index).path);
            registry::with(|registry| registry.paths.name(path) == name)
        };
        let index = (1..=stack.len()).rev().find(is_it)?;
        Some(stack.entry(index).start)
    })?
}

/// Whether a path is another one or lies inside of it.
pub fn is_path_within(path: PathId, outer: PathId) -> bool {
    path == outer || outer == PathId::ROOT || registry::with(|r| r.paths.is_within(path, outer))
}

/// The names of a path, outermost first.
pub fn path_names(path: PathId) -> Vec<String> {
    registry::with(|registry| registry.paths.names(path))
}

/// When what this thread wrote last ended, in ticks.
pub fn last_written() -> u64 {
    Thread::with(|thread| thread.writer.last_end()).unwrap_or(0)
}
