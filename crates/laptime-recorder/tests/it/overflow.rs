//! Spans without a path of their own, read back: in a process of its own, where no other thread has such spans.

use laptime_core::format::record::Record;
use laptime_core::{PathId, SpanFlags};
use laptime_recorder::{Extra, RecordOptions, Site, emit, enter, enter_automatic, exit, record};

use crate::own_process;
use crate::windows::each_window;

#[test]
fn a_span_without_a_path_is_part_of_what_it_runs_in() {
    own_process::run(|| {
        let long = |letter: &str| Site::intern(&letter.repeat(100_000));
        let folder = tempfile::tempdir().unwrap();
        let recording = record(&folder.path().join("a.lap"), &RecordOptions::default()).unwrap();
        let outermost = enter(long("a")).unwrap();
        exit(enter(Site::intern("inside of one without a path")).unwrap());
        exit(outermost);
        let work = enter(Site::intern("work")).unwrap();
        exit(enter(long("b")).unwrap());
        emit(long("c"), work.start(), 1, Extra::default());
        enter_automatic(long("d"), None).unwrap();
        exit(work);
        let recording = recording.finish().unwrap();
        let mut found = Vec::new();
        each_window(&recording, |_, window| {
            let each = window.for_each(|record| {
                if let Record::Span(span) = record
                    && span.path == PathId::OVERFLOW
                {
                    found.push((span.start, span.flags));
                }
            });
            each.unwrap();
        });
        let whole = found.iter().filter(|one| !one.1.has(SpanFlags::INSIDE));
        assert_eq!(
            whole.collect::<Vec<_>>(),
            [&(outermost.start(), SpanFlags::NONE)]
        );
        assert_eq!(found.len(), 5);
    });
}
