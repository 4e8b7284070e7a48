//! A program with more names than there can be paths: in a process of its own, since it fills the tables.

use laptime_core::format::record::Record;
use laptime_core::format::window::Window;
use laptime_core::{PathId, PathTable};
use laptime_recorder::{Site, enable, enter, exit, live};

use crate::own_process;

#[test]
fn names_beyond_the_limit_share_one_path_and_none_of_their_spans_is_missing() {
    own_process::run(|| {
        enable();
        let names = PathTable::LIMIT + 10_000;
        for number in 0..names {
            exit(enter(Site::intern(&format!("name {number}"))).unwrap());
        }
        assert!(std::ptr::eq(
            Site::intern("one more"),
            Site::intern("and another")
        ));
        let live = live();
        let (mut spans, mut overflowed) = (0, 0);
        for bytes in &live.head {
            let window = Window::parse(bytes, 0).unwrap().unwrap();
            window
                .for_each(|record| {
                    if let Record::Span(span) = record {
                        spans += 1;
                        overflowed += usize::from(span.path == PathId::OVERFLOW);
                    }
                })
                .unwrap();
        }
        for (path, tally) in live.tail.clone().settled() {
            spans += tally.count as usize;
            if path == PathId::OVERFLOW {
                overflowed += tally.count as usize;
            }
        }
        assert_eq!(spans, names);
        // The root and `<overflow>` have numbers too.
        assert_eq!(overflowed, names - (PathTable::LIMIT - 2));
    });
}
