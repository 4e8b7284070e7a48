//! Whatever a forked child does with what it inherits, its parent's file stays the parent's.
//!
//! Random programs of spans and tasks on two threads fork here and there; what the children do is
//! left out in a second run of the same program. Both must leave the same file. Every run is a
//! process of its own: the recorder is one per process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use laptime_core::format::process::{PREFIX_LEN, ProcessHeader, open_spans, window_offset};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WINDOW_LEN, Window};
use laptime_core::{PathId, PathTable};
use laptime_recorder::{
    Open, RecordOptions, Site, TaskStack, close, current_path, enter, enter_automatic, exit,
    is_open, live, mark, record, rename, set_aside, swap_stack,
};
use proptest::prelude::*;

use crate::{gated_allocator, own_process};

const NAMES: [&str; 4] = ["step", "forward", "load", "wait"];

/// What a thread does next.
#[derive(Debug, Clone)]
enum Act {
    Enter(usize),
    EnterAutomatic(usize),
    /// Deeper than the black box has room for.
    EnterMany(usize),
    /// Closes the innermost span, or one further out.
    Exit(usize),
    NewTask(usize),
    /// To a task, or to the thread's own stack.
    Switch(usize),
    DropTask(usize),
    Mark(usize),
    Rename(usize),
    SetAside,
    Report,
    Fork {
        child: Vec<Act>,
        by: By,
        ends: End,
        waits: bool,
    },
    /// Ends the recording, in a child.
    Close,
}

/// How a child is made.
#[derive(Debug, Clone, Copy, PartialEq)]
enum By {
    Fork,
    /// No fork handler runs.
    Clone,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// Handlers run, as a program's do that falls off its end.
    Exit,
    /// None run.
    Leaves,
}

/// Tasks that a program has at once.
const TASKS: usize = 40;

#[derive(Default)]
struct Task {
    stack: Option<Box<TaskStack>>,
    open: Vec<Open>,
    on: Option<usize>,
}

/// What the two threads share. In a child it is all there, with nobody but the caller to use it.
struct World {
    tasks: Vec<Task>,
    /// By thread: what is open on its own stack, and the task that it runs.
    own: [Vec<Open>; 2],
    current: [Option<usize>; 2],
    children: Vec<libc::pid_t>,
    quiet: bool,
}

impl World {
    fn new(quiet: bool) -> Self {
        Self {
            tasks: (0..TASKS).map(|_| Task::default()).collect(),
            own: Default::default(),
            current: [None; 2],
            children: Vec::new(),
            quiet,
        }
    }

    fn open(&mut self, thread: usize) -> &mut Vec<Open> {
        match self.current[thread] {
            Some(task) => &mut self.tasks[task].open,
            None => &mut self.own[thread],
        }
    }

    fn switch(&mut self, thread: usize, to: usize, in_child: bool) {
        let free = |task: &Task| task.stack.is_some() && (task.on.is_none() || in_child);
        let to = (to < TASKS && free(&self.tasks[to])).then_some(to);
        if let Some(before) = self.current[thread] {
            self.tasks[before].on = None;
        }
        self.current[thread] = to;
        match to {
            Some(task) => {
                self.tasks[task].on = Some(thread);
                swap_stack(self.tasks[task].stack.as_deref());
            }
            None => swap_stack(None),
        }
    }

    fn act(&mut self, thread: usize, act: &Act, in_child: bool) {
        let site = |name: &usize| Site::intern(NAMES[name % NAMES.len()]);
        match act {
            Act::Enter(name) => {
                let open = enter(site(name));
                self.open(thread).extend(open);
            }
            Act::EnterAutomatic(name) => {
                let open = enter_automatic(site(name), None);
                self.open(thread).extend(open);
            }
            Act::EnterMany(count) => {
                for number in 0..*count {
                    let open = enter(site(&number));
                    self.open(thread).extend(open);
                }
            }
            Act::Exit(further) => {
                let open = self.open(thread);
                if let Some(last) = open.len().checked_sub(1) {
                    let it = open.remove(last - (further % 3).min(last));
                    is_open(it);
                    exit(it);
                }
            }
            Act::NewTask(at) => {
                let at = at % TASKS;
                if self.tasks[at].stack.is_none() {
                    let name = format!("task {at}");
                    self.tasks[at].stack = Some(TaskStack::new(current_path(), Some(&name)));
                }
            }
            Act::Switch(to) => self.switch(thread, *to, in_child),
            Act::DropTask(at) => {
                let task = &mut self.tasks[at % TASKS];
                if task.on.is_none() || (in_child && task.on != Some(thread)) {
                    *task = Task::default();
                }
            }
            Act::Mark(name) => mark(site(name)),
            Act::Rename(name) => {
                if let Some(open) = self.open(thread).last() {
                    rename(*open, site(name));
                }
            }
            Act::SetAside => set_aside(None),
            Act::Report => drop(live()),
            Act::Close => {
                if in_child {
                    close();
                }
            }
            Act::Fork {
                child,
                by,
                ends,
                waits,
            } => self.fork(thread, child, (*by, *ends), *waits),
        }
    }

    fn fork(&mut self, thread: usize, acts: &[Act], (by, ends): (By, End), waits: bool) {
        let quiet = self.quiet;
        let child = forked(by, ends, || {
            if !quiet {
                for act in acts {
                    self.act(thread, act, true);
                }
                self.tasks.clear();
            }
        });
        if waits {
            assert_eq!(ending(child), 0, "the child ended badly");
        } else {
            self.children.push(child);
        }
    }
}

/// Runs in a forked child, which ends without returning.
fn forked(by: By, ends: End, run: impl FnOnce()) -> libc::pid_t {
    // SAFETY: the child uses locks only that its thread holds, or that the recorder holds over a fork or opens after it.
    let pid = unsafe {
        match by {
            By::Fork => libc::fork(),
            By::Clone => gated_allocator::alone(|| {
                libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as libc::pid_t
            }),
        }
    };
    if pid == 0 {
        gated_allocator::in_child();
        let code = i32::from(catch_unwind(AssertUnwindSafe(run)).is_err());
        // SAFETY: ends the process.
        unsafe {
            if ends == End::Exit && code == 0 {
                libc::exit(code);
            }
            libc::_exit(code)
        }
    }
    assert!(pid > 0);
    pid
}

fn ending(pid: libc::pid_t) -> i32 {
    let mut status = 0;
    // SAFETY: a child of this process.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    status
}

type Job = Box<dyn FnOnce() + Send>;

/// Runs a program on two threads, one act at a time, and records it.
fn run(folder: &Path, program: &[(bool, Act)], quiet: bool, kept_open: bool) {
    let recording = record(folder, &RecordOptions::default()).unwrap();
    let world = Arc::new(Mutex::new(World::new(quiet)));
    let (jobs, queue): (Sender<Job>, Receiver<Job>) = channel();
    let (done, finished) = channel();
    let second = std::thread::spawn(move || {
        for job in queue {
            job();
            done.send(()).unwrap();
        }
    });
    for (elsewhere, act) in program {
        if *elsewhere {
            let (world, act) = (Arc::clone(&world), act.clone());
            let job = move || world.lock().unwrap().act(1, &act, false);
            jobs.send(Box::new(job)).unwrap();
            finished.recv().unwrap();
        } else {
            world.lock().unwrap().act(0, act, false);
        }
    }
    for child in std::mem::take(&mut world.lock().unwrap().children) {
        assert_eq!(ending(child), 0, "a child ended badly");
    }
    if kept_open {
        // SAFETY: ends the process, as a kill would.
        unsafe { libc::_exit(0) };
    }
    drop(jobs);
    second.join().unwrap();
    recording.finish().unwrap();
}

/// What a process file says, without its times.
#[derive(Debug, PartialEq)]
struct Told {
    windows: Vec<Vec<String>>,
    open: Vec<String>,
    lost: u64,
    clamped: u64,
    closed: bool,
}

fn told(folder: &Path, pid: libc::pid_t) -> Told {
    let files = std::fs::read_dir(folder).unwrap();
    let mut of_process = files.filter_map(|file| {
        // A child that goes on may just now give its file its name.
        let bytes = std::fs::read(file.unwrap().path()).ok()?;
        let header = ProcessHeader::parse(&bytes).ok()?;
        (header.pid == pid.cast_unsigned()).then_some((header, bytes))
    });
    let (header, bytes) = of_process.next().expect("the process left no file");
    let mut paths = PathTable::new();
    let mut windows = Vec::new();
    for offset in (window_offset(0)..bytes.len() as u64).step_by(WINDOW_LEN) {
        let end = (offset as usize + WINDOW_LEN).min(bytes.len());
        let Some(window) = Window::parse(&bytes[offset as usize..end], offset).unwrap() else {
            continue;
        };
        let mut records = Vec::new();
        window
            .for_each(|record| match record {
                Record::Path { id, parent, name } => assert!(paths.define(id, parent, name)),
                Record::Span(span) => {
                    records.push((span.path, format!("{:?} on {}", span.flags, span.track)));
                }
                Record::Mark { path, track, .. } => {
                    records.push((path, format!("mark on {track}")));
                }
                Record::TrackName { track, name, .. } => {
                    records.push((PathId::ROOT, format!("{track} is {name}")));
                }
                _ => {}
            })
            .unwrap();
        windows.push(records);
    }
    let name = |path| laptime_core::path::join(paths.names(path));
    Told {
        windows: windows
            .into_iter()
            .map(|records| {
                let line = |(path, what)| format!("{} {what}", name(path));
                records.into_iter().map(line).collect()
            })
            .filter(|records: &Vec<String>| !records.is_empty())
            .collect(),
        open: open_spans(&bytes[..PREFIX_LEN])
            .iter()
            .map(|open| format!("{} on {}", name(open.path), open.track))
            .collect(),
        lost: header.lost,
        clamped: header.clamped,
        closed: header.closed.is_some(),
    }
}

/// Runs a program in a process of its own and reads what that left.
fn recorded(program: &[(bool, Act)], quiet: bool, kept_open: bool) -> Told {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("a.lap");
    // Children that outlive theirs become this process's: they still write.
    // SAFETY: changes who is told of their ends.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    let pid = forked(By::Fork, End::Leaves, || {
        run(&recording, program, quiet, kept_open);
    });
    assert_eq!(ending(pid), 0, "the program ended badly");
    // SAFETY: waits for children of this process.
    while unsafe { libc::waitpid(-1, null_mut(), 0) } > 0 {}
    told(&recording, pid)
}

fn plain_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => (0..4_usize).prop_map(Act::Enter),
        2 => (0..4_usize).prop_map(Act::EnterAutomatic),
        1 => (60..70_usize).prop_map(Act::EnterMany),
        6 => (0..3_usize).prop_map(Act::Exit),
        4 => (0..TASKS).prop_map(Act::NewTask),
        4 => (0..TASKS + 10).prop_map(Act::Switch),
        3 => (0..TASKS).prop_map(Act::DropTask),
        1 => (0..4_usize).prop_map(Act::Mark),
        1 => (0..4_usize).prop_map(Act::Rename),
        1 => Just(Act::SetAside),
        1 => Just(Act::Report),
    ]
}

fn fork(child: impl Strategy<Value = Act>) -> impl Strategy<Value = Act> {
    let by = prop_oneof![3 => Just(By::Fork), 1 => Just(By::Clone)];
    let ends = prop_oneof![Just(End::Exit), Just(End::Leaves)];
    (prop::collection::vec(child, 0..30), by, ends, any::<bool>()).prop_map(
        |(child, by, ends, waits)| Act::Fork {
            child,
            by,
            ends,
            waits,
        },
    )
}

fn act() -> impl Strategy<Value = Act> {
    let grandchild = fork(plain_act());
    let in_child = prop_oneof![20 => plain_act(), 1 => Just(Act::Close), 1 => grandchild];
    prop_oneof![20 => plain_act(), 2 => fork(in_child)]
}

/// Forks at the end of a program with many open tasks; the child lets go of everything.
fn crowded() -> Vec<(bool, Act)> {
    let mut program = vec![(false, Act::Enter(0)), (true, Act::Enter(1))];
    for task in 0..TASKS {
        let on = task % 2 == 0;
        program.extend([
            (on, Act::NewTask(task)),
            (on, Act::Switch(task)),
            (on, Act::Enter(2)),
            (on, Act::EnterMany(if task == 5 { 70 } else { 2 })),
            (on, Act::Switch(TASKS)),
        ]);
    }
    program
}

#[test]
fn a_child_that_lets_go_of_inherited_tasks_changes_nothing_in_its_parent() {
    own_process::run(|| {
        let child: Vec<Act> = (0..TASKS).map(Act::DropTask).collect();
        let after = (0..TASKS).flat_map(|task| {
            [
                (false, Act::Switch(task)),
                (false, Act::Exit(0)),
                (false, Act::Enter(3)),
            ]
        });
        let after: Vec<_> = after.collect();
        changes_nothing(false, &child, End::Exit, &after);
    });
}

#[test]
fn a_child_that_goes_on_with_inherited_tasks_changes_nothing_in_its_parent() {
    own_process::run(|| {
        let child = (0..TASKS).flat_map(|task| {
            [
                Act::Switch(task),
                Act::Exit(0),
                Act::Enter(1),
                Act::Enter(1),
                Act::Exit(0),
            ]
        });
        let child: Vec<Act> = child.collect();
        changes_nothing(true, &child, End::Leaves, &[]);
    });
}

#[test]
fn a_child_that_closes_what_its_parent_opened_changes_nothing_there() {
    own_process::run(|| {
        let child = [
            vec![Act::Exit(0), Act::Exit(0), Act::Rename(1), Act::SetAside],
            vec![Act::Enter(1), Act::Mark(2), Act::Report, Act::Exit(0)],
            vec![Act::NewTask(TASKS - 1), Act::Close],
        ];
        let after = [(false, Act::Exit(0)), (false, Act::Enter(2))];
        changes_nothing(false, &child.concat(), End::Exit, &after);
    });
}

/// A crowded program leaves the same file, whatever a child does that it makes.
fn changes_nothing(elsewhere: bool, child: &[Act], ends: End, after: &[(bool, Act)]) {
    for by in [By::Fork, By::Clone] {
        let mut program = crowded();
        let child = child.to_vec();
        let fork = Act::Fork {
            child,
            by,
            ends,
            waits: true,
        };
        program.push((elsewhere, fork));
        program.extend_from_slice(after);
        for kept_open in [false, true] {
            assert_eq!(
                recorded(&program, false, kept_open),
                recorded(&program, true, kept_open),
                "{by:?}"
            );
        }
    }
}

#[test]
fn a_parents_file_is_the_same_whatever_its_children_do() {
    own_process::run(|| {
        let config = ProptestConfig {
            cases: 60,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        proptest!(config, |(
            program in prop::collection::vec((any::<bool>(), act()), 1..80),
            kept_open in any::<bool>(),
        )| {
            let busy = recorded(&program, false, kept_open);
            prop_assert_eq!(busy, recorded(&program, true, kept_open));
        });
    });
}
