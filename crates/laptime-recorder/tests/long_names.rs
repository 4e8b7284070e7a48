//! A program with many long names: in a process of its own, since it fills the tables.

mod windows;

use laptime_core::format::record::Record;
use laptime_core::{PathId, SpanFlags};
use laptime_recorder::{
    Extra, RecordOptions, Resident, Site, current_path, emit, enable, enter, enter_automatic, exit,
    live, record, resident,
};
use windows::each_window;

#[test]
fn many_long_names_take_a_bounded_amount_of_memory() {
    enable();
    let name = |number: usize| format!("{number:-<1000}");
    exit(enter(Site::intern("first")).unwrap());
    let before: Resident = resident().unwrap();
    for number in 0..100_000 {
        exit(enter(Site::intern(&name(number))).unwrap());
    }
    let grown = resident().unwrap().now_bytes - before.now_bytes;
    assert!(grown < 32 << 20, "{grown} bytes");
    let open = enter(Site::intern(&name(100_000))).unwrap();
    assert_eq!(current_path(), PathId::OVERFLOW);
    exit(open);
}

#[test]
fn a_name_longer_than_a_window_is_an_overflow_and_its_span_is_kept() {
    enable();
    let open = enter(Site::intern(&"x".repeat(100_000))).unwrap();
    assert_eq!(current_path(), PathId::OVERFLOW);
    exit(open);
    assert_eq!(live().header.lost, 0);
}

#[test]
fn a_span_without_a_path_is_part_of_what_it_runs_in() {
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
}
