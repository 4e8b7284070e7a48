//! The threads of a process: which there are, the writers they left, and the stacks in black boxes.

use std::collections::BTreeMap;
use std::ptr::NonNull;

use laptime_core::PathId;

use crate::platform;
use crate::stack::Stack;
use crate::thread::Thread;
use crate::window::Window;
use crate::writer::Writer;

/// Track of the main thread, whichever thread opens the first span.
const MAIN_TRACK: u32 = 1;

#[derive(Debug)]
pub struct Threads {
    registered: Vec<Registered>,
    /// Tasks that go on, by their tracks.
    tasks: BTreeMap<u32, ThreadName>,
    /// Track of the thread that the process began with.
    pub main_track: u32,
    /// Writers that no thread uses now.
    parked: Vec<Writer>,
    /// Stacks that lie in a black box, that of a finished recording included.
    boxed: Vec<Boxed>,
    tracks: u32,
}

/// What a recording says of a thread or a task.
#[derive(Debug, Clone)]
pub struct ThreadName {
    pub track: u32,
    /// The system's id of the thread; of a task, the one that it began on.
    pub thread: u64,
    /// Empty where there is none.
    pub name: String,
}

impl ThreadName {
    /// That of the calling thread.
    pub fn of_caller(track: u32, name: String) -> Self {
        let thread = platform::thread_id();
        Self {
            track,
            thread,
            name,
        }
    }
}

#[derive(Debug)]
struct Registered {
    thread: ThreadPointer,
    named: ThreadName,
}

/// A registered thread.
#[derive(Debug)]
struct ThreadPointer(NonNull<Thread>);

// SAFETY: other threads touch only the writer, and of that only what `Threads` does under its lock.
unsafe impl Send for ThreadPointer {}

impl ThreadPointer {
    fn writer(&self) -> NonNull<Writer> {
        // SAFETY: registered threads are alive.
        unsafe { NonNull::new_unchecked(&raw mut (*self.0.as_ptr()).writer) }
    }

    /// Sends the thread the slow way at its next record.
    fn interrupt(&self) {
        // SAFETY: registered threads are alive.
        unsafe { Writer::interrupt_at(self.writer()) };
    }

    /// The window that the thread writes to.
    fn window(&self) -> Option<&Window> {
        // SAFETY: registered threads are alive, and a thread changes its window only under the lock
        // that whoever has `Threads` holds.
        unsafe { Writer::window_at(self.writer()) }
    }
}

/// A stack in a black box, and what a fork's child has to know of it.
#[derive(Debug)]
struct Boxed {
    stack: NonNull<Stack>,
    track: u32,
    base: PathId,
}

// SAFETY: the stack is touched only by its thread, and by `Threads` around a fork.
unsafe impl Send for Boxed {}

impl Threads {
    pub fn new() -> Self {
        Self {
            registered: Vec::new(),
            tasks: BTreeMap::new(),
            main_track: MAIN_TRACK,
            parked: Vec::new(),
            boxed: Vec::new(),
            tracks: MAIN_TRACK,
        }
    }

    /// A track for a task or a thread other than the main one.
    pub fn next_track(&mut self) -> u32 {
        self.tracks += 1;
        self.tracks
    }

    /// A track for the calling thread.
    pub fn thread_track(&mut self) -> u32 {
        if platform::is_main_thread() {
            MAIN_TRACK
        } else {
            self.next_track()
        }
    }

    /// Adds a thread, which stays where it is until it leaves.
    pub fn enter(&mut self, thread: NonNull<Thread>, named: ThreadName) {
        let thread = ThreadPointer(thread);
        self.registered.push(Registered { thread, named });
    }

    /// Names a registered thread.
    pub fn rename(&mut self, track: u32, name: &str) {
        let known = self.registered.iter_mut();
        for known in known.filter(|known| known.named.track == track) {
            name.clone_into(&mut known.named.name);
        }
    }

    /// The registered threads, which a recording that begins now knows nothing of.
    pub fn names(&self) -> Vec<ThreadName> {
        let known = self.registered.iter();
        known.map(|known| known.named.clone()).collect()
    }

    /// The tasks that go on, of which it knows nothing either.
    pub fn task_names(&self) -> Vec<ThreadName> {
        self.tasks.values().cloned().collect()
    }

    /// Adds a task of the calling thread.
    pub fn enter_task(&mut self, named: ThreadName) {
        self.tasks.insert(named.track, named);
    }

    /// Takes a task off the list.
    pub fn leave_task(&mut self, track: u32) {
        self.tasks.remove(&track);
    }

    /// Takes a thread off the list and keeps its writer for the next one.
    pub fn leave(&mut self, thread: &mut Thread) {
        let pointer: *const Thread = thread;
        self.registered
            .retain(|known| !std::ptr::eq(known.thread.0.as_ptr(), pointer));
        self.parked
            .push(std::mem::replace(&mut thread.writer, Writer::new()));
    }

    /// A writer that an ended thread left, with room in its window of this epoch, or a new one.
    pub fn take_writer(&mut self, epoch: u64) -> Writer {
        let is_of_now = |window: &Window| window.epoch() == epoch;
        self.parked
            .retain(|writer| writer.window().is_some_and(is_of_now));
        self.parked.pop().unwrap_or_else(Writer::new)
    }

    /// The windows of all parked writers, which are parked no longer.
    pub fn take_parked_windows(&mut self) -> impl Iterator<Item = Window> {
        let parked = self.parked.drain(..);
        parked.filter_map(|mut writer| writer.take_window())
    }

    /// Sends every thread the slow way at its next record.
    pub fn interrupt(&self) {
        for known in &self.registered {
            known.thread.interrupt();
        }
    }

    /// Sends those the slow way too that will take over a parked writer.
    pub fn interrupt_parked(&self) {
        self.parked.iter().for_each(Writer::interrupt);
    }

    /// The open windows of all threads and parked writers.
    pub fn open_windows(&self) -> impl Iterator<Item = &Window> {
        let registered = self.registered.iter();
        let registered = registered.filter_map(|known| known.thread.window());
        registered.chain(self.parked.iter().filter_map(Writer::window))
    }

    /// Notes that a stack lies in a black box.
    pub fn note_boxed(&mut self, stack: &mut Stack) {
        self.boxed.push(Boxed {
            track: stack.track(),
            base: PathId::ROOT,
            stack: NonNull::from(stack),
        });
    }

    /// Notes that a stack lies in a black box no longer.
    pub fn forget_boxed(&mut self, stack: &Stack) {
        self.boxed
            .retain(|boxed| !std::ptr::eq(boxed.stack.as_ptr(), stack));
    }

    /// Before a fork by the given thread: notes what is open in the black boxes. The child shares
    /// their memory with its parent, which goes on changing it.
    pub fn note_bases(&mut self, thread: Option<&Thread>) {
        for boxed in &mut self.boxed {
            // SAFETY: boxed stacks are alive and stay where they are.
            let stack = unsafe { boxed.stack.as_ref() };
            boxed.track = stack.track();
            boxed.base = if thread.is_some_and(|thread| thread.uses(stack)) {
                stack.innermost()
            } else {
                stack.innermost_in_slot()
            };
        }
    }

    /// In a forked child: only the calling thread is left, if it was registered.
    pub fn start_over_after_fork(&mut self, thread: Option<&mut Thread>) {
        for mut boxed in std::mem::take(&mut self.boxed) {
            // SAFETY: alive and in its place as in the parent; no other thread exists.
            unsafe { boxed.stack.as_mut() }.start_over(boxed.track, boxed.base);
        }
        // Their windows are the parent's.
        std::mem::forget(std::mem::take(&mut self.parked));
        let known = std::mem::take(&mut self.registered);
        if let Some(thread) = thread {
            let track = thread.own_stack().track();
            self.main_track = track;
            let known = known.into_iter().find(|known| known.named.track == track);
            let name = known.map(|known| known.named.name);
            let named = ThreadName::of_caller(track, name.unwrap_or_default());
            self.enter(NonNull::from(thread), named);
        }
        // Those that were to run on the forking thread run on this one.
        let thread = platform::thread_id();
        for named in self.tasks.values_mut() {
            named.thread = thread;
        }
    }
}
