//! Sampled stacks through the whole recorder, from a scripted source onto the disk and back.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

use laptime_core::format::record::Record;
use laptime_core::{COLLECTION, PathId, Runner, SampledStack, StackFrame};
use laptime_recorder::stacks::{
    SeenFrame, SeenFunction, SeenStack, StackSource, leave_stacks, sample_stacks,
};
use laptime_recorder::{RecordOptions, record};

use crate::own_process;
use crate::windows::each_window;

/// No thread has this id.
const NOBODY: u64 = 1 << 30;

static LOOKS: AtomicU64 = AtomicU64::new(0);
/// Descriptor that a file has which the source opens.
static OPENED: AtomicI32 = AtomicI32::new(-1);

/// Sees a thread in one function that calls itself, deeper with every look; each third can't be read.
struct Scripted;

impl StackSource for Scripted {
    fn threads(&mut self) -> Option<Vec<u64>> {
        let look = LOOKS.fetch_add(1, Ordering::SeqCst);
        let file = File::open("/dev/null").unwrap();
        OPENED.store(file.as_raw_fd(), Ordering::SeqCst);
        // Ids that no thread has: the system doesn't say that they wait.
        (look % 3 != 2).then(|| vec![NOBODY, NOBODY + 1, NOBODY + 2])
    }

    fn look(&mut self, thread: u64) -> Option<SeenStack> {
        let look = LOOKS.load(Ordering::SeqCst) - 1;
        let function = Arc::new(SeenFunction {
            name: "walk\0<locals>".to_owned(),
            file: format!("{}/tree.py", "deep/".repeat(300)),
        });
        let frame = |line| SeenFrame {
            function: Arc::clone(&function),
            line,
        };
        let frames = match thread {
            NOBODY => (0..=look as u32).map(frame).collect(),
            _ => Vec::new(),
        };
        (thread != NOBODY + 2).then_some(SeenStack {
            has_interpreter: look.is_multiple_of(2),
            turn: None,
            others_ready: look.is_multiple_of(3),
            is_collecting: look.is_multiple_of(5),
            // A path that was never opened, which no file may hold, at some looks.
            runner: match look % 4 {
                0 => Runner::Task {
                    track: 3,
                    path: PathId(50_000),
                },
                _ => Runner::Thread,
            },
            frames: Some(frames),
        })
    }
}

/// A function, its file and the line that ran.
type Line = (String, String, u32);

/// The stacks of a recording as functions with lines, outermost first; `None` for unread ones.
fn read(folder: &Path) -> Vec<(SampledStack, Option<Vec<Line>>)> {
    let mut stacks = Vec::new();
    each_window(folder, |_, window| {
        let mut functions = BTreeMap::new();
        let mut frames: BTreeMap<u32, StackFrame> = BTreeMap::new();
        let read = window.for_each(|record| match record {
            Record::Function { id, name, file } => {
                functions.insert(id, (name.to_owned(), file.to_owned()));
            }
            Record::Frame(frame) => {
                assert!(frame.parent == 0 || frames.contains_key(&frame.parent));
                frames.insert(frame.id, frame);
            }
            Record::Stack(stack) => {
                let (mut at, mut found) = (stack.frame, Vec::new());
                while at != 0 {
                    let frame = frames[&at];
                    let (name, file) = functions[&frame.function].clone();
                    found.push((name, file, frame.line));
                    at = frame.parent;
                }
                found.reverse();
                stacks.push((stack, (stack.thread != 0).then_some(found)));
            }
            _ => {}
        });
        read.unwrap();
    });
    stacks
}

#[test]
fn stacks_are_written_with_what_they_need_and_nothing_of_the_programs_files_is_touched() {
    own_process::run(|| {
        let folder = tempfile::tempdir().unwrap();
        sample_stacks(|| Ok(Box::new(Scripted)));
        let path = folder.path().join("sampled.lap");
        let recording = record(&path, &RecordOptions::default()).unwrap();
        while LOOKS.load(Ordering::SeqCst) < 12 {
            std::thread::yield_now();
        }
        // The sampler's files have numbers of a table of its own, which is empty.
        assert_eq!(OPENED.load(Ordering::SeqCst), 0);
        recording.finish().unwrap();

        let stacks = read(&path);
        assert!(stacks.len() >= 12, "{}", stacks.len());
        let unread = stacks.iter().filter(|(_, frames)| frames.is_none()).count();
        assert!((4..=stacks.len() / 2).contains(&unread), "{unread}");
        let ticks: BTreeSet<u64> = stacks.iter().map(|(stack, _)| stack.ticks).collect();
        assert_eq!(ticks.len(), stacks.len());
        for (stack, frames) in &stacks {
            assert!(stack.stands_for_ns > 0);
            let Some(frames) = frames else { continue };
            let (frames, is_collecting) = match frames.split_last() {
                Some((last, rest)) if (&*last.0, &*last.1) == COLLECTION => (rest, true),
                _ => (&frames[..], false),
            };
            let depth = frames.len() as u64;
            assert_eq!(is_collecting, (depth - 1).is_multiple_of(5), "{depth}");
            assert_eq!(stack.thread, NOBODY);
            assert!(matches!(stack.runner, Runner::Thread | Runner::Unknown));
            let (name, file, line) = &frames[0];
            assert_eq!(name, "walk\u{fffd}<locals>");
            assert!(file.ends_with("/tree.py") && file.len() <= 512);
            // Outermost first: the source saw the innermost in line 0.
            assert_eq!(*line as usize, frames.len() - 1);
            assert_eq!(frames.last().unwrap().2, 0);
        }
        leave_stacks();
        let again = folder.path().join("without.lap");
        let recording = record(&again, &RecordOptions::default()).unwrap();
        recording.finish().unwrap();
        assert_eq!(read(&again), []);
    });
}
