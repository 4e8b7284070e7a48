//! Spans through the whole recorder: into memory, onto disk, and back through the reader.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use laptime_core::format::process::{PREFIX_LEN, ProcessHeader, open_spans, window_offset};
use laptime_core::format::record::Record;
use laptime_core::format::window::{WINDOW_LEN, Window, WindowState};
use laptime_core::{PathTable, Span, SpanFlags, SpanMemory};
use laptime_recorder::{
    Backing, Extra, RecordOptions, Site, TaskStack, current_path, delay_ns, emit, enter,
    enter_automatic, exit, exit_site, last_written, live, mark, metric, plain_path, record, rename,
    set_aside, suspend_piece, swap_stack,
};

use crate::own_process::{self, name_of};

#[derive(Debug, Default)]
pub struct Read {
    headers: Vec<ProcessHeader>,
    spans: BTreeMap<String, Vec<Span>>,
    open: Vec<String>,
    marks: usize,
    metrics: Vec<f64>,
    anchors: usize,
    pub delays: Vec<(u64, u64)>,
    processors: usize,
    bytes: u64,
}

/// What a recording has, which may still go on.
pub fn read(folder: &Path) -> Read {
    let mut all = Read::default();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "proc") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        all.bytes += bytes.len() as u64;
        let header = ProcessHeader::parse(&bytes).unwrap();
        let mut paths = PathTable::new();
        let mut spans = Vec::new();
        let mut offset = window_offset(0);
        while offset < bytes.len() as u64 {
            let end = (offset as usize + WINDOW_LEN).min(bytes.len());
            if let Some(window) = Window::parse(&bytes[offset as usize..end], offset).unwrap() {
                let mut defined = PathTable::new();
                let read = window.for_each(|record| match record {
                    Record::Path { id, parent, name } => {
                        assert!(paths.define(id, parent, name));
                        defined.define(id, parent, name);
                    }
                    Record::Span(span) => {
                        assert!(defined.get(span.path).is_some(), "used before definition");
                        spans.push(span);
                    }
                    Record::Mark { .. } => all.marks += 1,
                    Record::Metric { value, .. } => all.metrics.push(value),
                    Record::Anchor(_) => all.anchors += 1,
                    Record::Delay {
                        thread, delayed_ns, ..
                    } => all.delays.push((thread, delayed_ns)),
                    Record::Processors { .. } => all.processors += 1,
                    _ => {}
                });
                // A window that is just being written out again may be read half old, half new.
                let is_going_on = header.closed.is_none() && window.state == WindowState::Unsealed;
                assert!(read.is_ok() || is_going_on, "{read:?}");
            }
            offset += WINDOW_LEN as u64;
        }
        let name = |path| laptime_core::path::join(paths.names(path));
        for span in spans {
            all.spans.entry(name(span.path)).or_default().push(span);
        }
        let open = open_spans(&bytes[..PREFIX_LEN]);
        all.open.extend(open.iter().map(|open| name(open.path)));
        all.headers.push(header);
    }
    all
}

fn counts(read: &Read) -> Vec<(String, usize)> {
    let count = |(path, spans): (&String, &Vec<Span>)| (path.clone(), spans.len());
    read.spans.iter().map(count).collect()
}

fn options(backing: Backing) -> RecordOptions {
    RecordOptions {
        program: Some("test".into()),
        backing,
    }
}

/// Runs a test's body with both, in one process of its own.
fn both_backings(test: impl Fn(Backing)) {
    own_process::run_test(name_of(&test), || {
        for backing in [Backing::Mapped, Backing::Written] {
            test(backing);
        }
    });
}

#[test]
fn a_process_that_records_little_takes_little_of_the_disk() {
    own_process::run(|| {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(Backing::Auto)).unwrap();
        exit(enter(Site::intern("little")).unwrap());
        let on_disk = || -> u64 {
            let files = std::fs::read_dir(folder.path().join("a.lap")).unwrap();
            let bytes = files.map(|file| file.unwrap().metadata().unwrap().blocks() * 512);
            bytes.sum()
        };
        // As one that ends without closing leaves it; run.json takes a page.
        assert!(on_disk() <= 100 << 10, "{} bytes", on_disk());
        for _ in 0..100_000 {
            exit(enter(Site::intern("little")).unwrap());
        }
        let read = read(&recording.finish().unwrap());
        assert_eq!(counts(&read), [("little".to_owned(), 100_001)]);
    });
}

#[test]
fn a_unit_that_is_set_aside_goes_on_under_another_name_and_closes_as_before() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let [train, step, data, forward] = ["train", "step", "data", "forward"].map(Site::intern);
        let outermost = enter(train).unwrap();
        let unit = enter(step).unwrap();
        exit(enter(data).unwrap());
        let phase = enter(forward).unwrap();
        let plain = current_path();
        set_aside(None);
        assert_eq!(plain_path(current_path()), (plain, true));
        assert_eq!(plain_path(plain), (plain, false));
        let aside = current_path();
        set_aside(None);
        assert_eq!(current_path(), aside, "a second time does nothing");
        assert!(exit(phase).is_some());
        assert!(exit_site(step).is_some());
        assert!(exit(unit).is_none());
        exit(outermost);
        let read = read(&recording.finish().unwrap());
        let names: Vec<String> = counts(&read).into_iter().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "train",
                "train/counted step",
                "train/counted step/forward",
                "train/step",
                "train/step/data"
            ]
        );
        // What closed before has a place in the old row, as a part that counts no span; the unit goes on from there.
        let part = read.spans["train/step"][0];
        assert_eq!(part.flags, SpanFlags::UNFINISHED);
        assert_eq!(part.end(), read.spans["train/step/data"][0].end());
        let rest = read.spans["train/counted step"][0];
        assert_eq!(rest.start, part.end());
        assert_eq!(rest.flags, SpanFlags::REST, "it is no whole one either");
        let phase = read.spans["train/counted step/forward"][0];
        assert_eq!(phase.flags, SpanFlags::NONE, "that is whole");
    });
}

#[test]
fn a_unit_that_is_set_aside_before_anything_closed_in_it_is_a_whole_one() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let [step, forward] = ["step", "forward"].map(Site::intern);
        let unit = enter(step).unwrap();
        let phase = enter(forward).unwrap();
        set_aside(None);
        exit(phase);
        exit(unit);
        let read = read(&recording.finish().unwrap());
        let names: Vec<String> = counts(&read).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["counted step", "counted step/forward"]);
        assert_eq!(read.spans["counted step"][0].flags, SpanFlags::NONE);
    });
}

#[test]
fn a_phase_that_is_parted_with_its_unit_is_a_rest_too_and_what_opens_later_is_not() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let [step, forward, layer] = ["step", "forward", "layer"].map(Site::intern);
        let unit = enter(step).unwrap();
        let phase = enter(forward).unwrap();
        exit(enter(layer).unwrap());
        set_aside(None);
        exit(enter(layer).unwrap());
        exit(phase);
        exit(unit);
        let read = read(&recording.finish().unwrap());
        let flags = |path: &str| read.spans[path][0].flags;
        assert!(flags("counted step").has(SpanFlags::REST));
        assert!(flags("counted step/forward").has(SpanFlags::REST));
        assert_eq!(flags("counted step/forward/layer"), SpanFlags::NONE);
        assert_eq!(flags("step/forward"), SpanFlags::UNFINISHED);
    });
}

#[test]
fn a_unit_that_holds_back_what_closed_is_parted_before_that() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let [step, data, module] = ["step", "data", "module"].map(Site::intern);
        let unit = enter(step).unwrap();
        exit(enter(data).unwrap());
        let held = enter(module).unwrap();
        let since = held.start();
        exit(held);
        set_aside(Some(since));
        exit(unit);
        let read = read(&recording.finish().unwrap());
        let (part, rest) = (read.spans["step"][0], read.spans["counted step"][0]);
        assert_eq!((part.end(), rest.start), (since, since));
        assert_eq!(part.flags, SpanFlags::UNFINISHED);
    });
}

#[test]
fn a_unit_is_parted_after_a_span_that_carries_memory_as_after_any_other() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let [step, data] = ["step", "data"].map(Site::intern);
        let unit = enter(step).unwrap();
        let piece = suspend_piece(enter(data).unwrap()).unwrap();
        let before = last_written();
        let carrying = Extra {
            memory: Some(SpanMemory::default()),
            ..Extra::default()
        };
        emit(data, unit.start(), piece.without_device_time(), carrying);
        assert!(last_written() > before, "it was written");
        set_aside(None);
        exit(unit);
        let read = read(&recording.finish().unwrap());
        let (part, rest) = (read.spans["step"][0], read.spans["counted step"][0]);
        assert_eq!(part.flags, SpanFlags::UNFINISHED);
        assert_eq!(part.end(), read.spans["step/data"][0].end());
        assert_eq!(rest.start, part.end());
    });
}

#[test]
fn nested_spans_come_back_from_disk() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let (step, forward) = (Site::intern("step"), Site::intern("forward"));
        for _ in 0..25_000 {
            let outer = enter(step).unwrap();
            for _ in 0..3 {
                let inner = enter(forward).unwrap();
                assert!(exit(inner).is_some());
            }
            exit(outer);
        }
        let path = recording.finish().unwrap();
        let read = read(&path);
        assert_eq!(
            counts(&read),
            [
                ("step".to_owned(), 25_000),
                ("step/forward".to_owned(), 75_000)
            ]
        );
        let children: u64 = read.spans["step/forward"].iter().map(|s| s.duration).sum();
        let parents: u64 = read.spans["step"].iter().map(|s| s.duration).sum();
        assert!(children < parents);
        assert_eq!(read.headers[0].lost, 0);
        assert!(read.headers[0].closed.is_some());
        assert!(read.anchors >= 1);
        assert!(
            read.bytes < 100_000 * 8 + 3 * WINDOW_LEN as u64,
            "{}",
            read.bytes
        );
        assert!(path.join("run.json").exists());
    });
}

#[test]
fn while_a_recording_goes_on_it_notes_how_long_the_thread_that_began_it_waited_for_a_cpu() {
    if delay_ns().is_none() {
        return; // The kernel doesn't count it.
    }
    let own = std::fs::read_link("/proc/thread-self").unwrap();
    let own: u64 = own.file_name().unwrap().to_str().unwrap().parse().unwrap();
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let before = delay_ns().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let site = Site::intern("step");
        let found = loop {
            exit(enter(site).unwrap());
            let found = read(recording.path());
            if found.delays.len() >= 3 && found.processors >= 1 {
                break found;
            }
            std::thread::yield_now();
        };
        recording.finish().unwrap();
        let after = delay_ns().unwrap();
        let mut least = before;
        for (thread, delayed_ns) in found.delays {
            assert_eq!(thread, own);
            assert!((least..=after).contains(&delayed_ns));
            least = delayed_ns;
        }
    });
}

#[test]
fn threads_share_the_file_and_merge_by_path() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let site = Site::intern("work");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20_000 {
                        exit(enter(site).unwrap());
                    }
                });
            }
        });
        let read = read(&recording.finish().unwrap());
        assert_eq!(counts(&read), [("work".to_owned(), 160_000)]);
        let mut tracks: Vec<u32> = read.spans["work"].iter().map(|span| span.track).collect();
        tracks.sort_unstable();
        tracks.dedup();
        assert_eq!(tracks.len(), 8);
    });
}

#[test]
fn what_is_open_stands_in_the_black_box_with_its_name() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let outer = enter(Site::intern("outer-open")).unwrap();
        let inner = enter(Site::intern("inner-open")).unwrap();
        // Mapped files hold it at once; written ones at the next tick.
        let wanted = ["outer-open", "outer-open/inner-open"];
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while read(recording.path()).open != wanted {
            assert!(std::time::Instant::now() < deadline, "never written out");
            std::thread::yield_now();
        }
        exit(inner);
        exit(outer);
        let read = read(&recording.finish().unwrap());
        assert!(read.open.is_empty(), "{:?}", read.open);
    });
}

#[test]
fn unbalanced_renamed_automatic_and_emitted_spans_keep_a_right_tree() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let a = enter(Site::intern("ua")).unwrap();
        let b = enter(Site::intern("ub")).unwrap();
        exit(a);
        exit(b);
        assert_eq!(exit(b), None);
        let user = enter(Site::intern("validate")).unwrap();
        let step = enter_automatic(Site::intern("auto-step"), None).unwrap();
        rename(step, Site::intern("evaluation"));
        emit(Site::intern("data"), step.start(), 10, Extra::default());
        exit_site(Site::intern("validate"));
        assert_eq!(exit(user), None);
        mark(Site::intern("epoch"));
        metric(Site::intern("loss"), 0.25);
        let read = read(&recording.finish().unwrap());
        let flags = |path: &str| read.spans[path][0].flags;
        assert_eq!(flags("ua"), SpanFlags::UNBALANCED);
        assert_eq!(flags("ua/ub"), SpanFlags::UNBALANCED);
        assert_eq!(flags("validate"), SpanFlags::NONE);
        assert_eq!(flags("validate/evaluation"), SpanFlags::CLOSED_BY_PARENT);
        assert_eq!(read.spans["validate/evaluation/data"][0].duration, 10);
        assert_eq!(
            (read.marks, read.metrics.as_slice()),
            (1, [0.25].as_slice())
        );
    });
}

#[test]
fn a_task_nests_under_what_it_inherits_on_a_track_of_its_own() {
    both_backings(|backing| {
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
        let main = enter(Site::intern("main-task")).unwrap();
        let task = TaskStack::new(current_path(), Some("task"));
        swap_stack(Some(&task));
        let inner = enter(Site::intern("in-task")).unwrap();
        swap_stack(None);
        let sibling = enter(Site::intern("sibling")).unwrap();
        swap_stack(Some(&task));
        exit(inner);
        assert!(task.is_empty());
        swap_stack(None);
        drop(task);
        exit(sibling);
        exit(main);
        let read = read(&recording.finish().unwrap());
        let spans = |path: &str| read.spans[path][0];
        assert_eq!(spans("main-task/sibling").flags, SpanFlags::NONE);
        assert_ne!(
            spans("main-task/in-task").track,
            spans("main-task/sibling").track
        );
    });
}

#[test]
fn a_live_snapshot_counts_every_span_once_with_and_without_a_recording() {
    own_process::run(|| {
        laptime_recorder::enable();
        let site = Site::intern("counted-once");
        let spin = |times: usize| {
            for _ in 0..times {
                exit(enter(site).unwrap());
            }
        };
        spin(200_000);
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &RecordOptions::default()).unwrap();
        spin(200_000);
        assert_eq!(count_live(site), 400_000);
        recording.finish().unwrap();
        spin(100_000);
        assert_eq!(count_live(site), 500_000);
    });
}

fn count_live(site: &Site) -> u64 {
    let live = live();
    let is_it = |path| live.paths.names(path) == [site.name()];
    let mut count = 0;
    for bytes in &live.head {
        let window = Window::parse(bytes, 0).unwrap().unwrap();
        let visit = |record: Record<'_>| {
            count += u64::from(matches!(record, Record::Span(span) if is_it(span.path)));
        };
        window.for_each(visit).unwrap();
    }
    let mut tail = live.tail.clone();
    count += tail
        .settled()
        .filter(|(path, _)| is_it(*path))
        .map(|(_, tally)| tally.count)
        .sum::<u64>();
    count
}

#[test]
fn a_recording_is_never_overwritten_and_an_inner_one_is_a_reference() {
    own_process::run(|| {
        let folder = tempfile::tempdir().unwrap();
        let wanted = folder.path().join("a.lap");
        let first = record(&wanted, &RecordOptions::default()).unwrap();
        let inner = record(&folder.path().join("inner.lap"), &RecordOptions::default()).unwrap();
        let text = std::fs::read_to_string(inner.path()).unwrap();
        assert_eq!(
            text,
            format!("laptime-reference\n{}\n", first.path().display())
        );
        drop(inner);
        let kept = first.finish().unwrap();
        let second = record(&wanted, &RecordOptions::default()).unwrap();
        assert_eq!(second.path(), folder.path().join("a-1.lap"));
        second.finish().unwrap();
        assert!(kept.join("run.json").exists());
    });
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_that_names_it() {
    let error = record(Path::new("/proc/none/a.lap"), &RecordOptions::default()).unwrap_err();
    assert!(error.to_string().contains("/proc/none/a.lap"), "{error}");
}

#[test]
fn recordings_end_while_other_threads_ask_what_was_recorded() {
    own_process::run(|| {
        let folder = tempfile::tempdir().unwrap();
        let goes_on = Arc::new(());
        let asks = Arc::downgrade(&goes_on);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while asks.strong_count() > 0 {
                        drop(live());
                    }
                });
            }
            let site = Site::intern("asked-for");
            for backing in [Backing::Mapped, Backing::Written].repeat(10) {
                let recording = record(&folder.path().join("a.lap"), &options(backing)).unwrap();
                for _ in 0..100 {
                    exit(enter(site).unwrap());
                }
                let read = read(&recording.finish().unwrap());
                assert_eq!(counts(&read), [("asked-for".to_owned(), 100)]);
            }
            // As a panic does.
            drop(goes_on);
        });
    });
}
