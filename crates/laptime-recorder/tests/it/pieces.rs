//! Spans that run in pieces, each on the stack while it runs.

use laptime_core::format::record::Record;
use laptime_core::format::window::Window;
use laptime_recorder::{Extra, Pieces, Site, current_path, enable, enter, exit, live, path_names};

use crate::own_process;

#[test]
fn pieces_are_one_span_under_what_was_open_when_the_first_began() {
    own_process::run(|| {
        enable();
        let mut pieces = Pieces::new(Site::intern("in pieces"));
        assert_eq!(
            (pieces.began(), pieces.count(), pieces.wall()),
            (None, 0, 0)
        );
        let outside = enter(Site::intern("outside")).unwrap();
        let first = pieces.resume().unwrap();
        assert_eq!(path_names(current_path()), ["outside", "in pieces"]);
        pieces.pause();
        assert_eq!(path_names(current_path()), ["outside"]);
        exit(outside);
        pieces.resume();
        exit(enter(Site::intern("inside")).unwrap());
        pieces.pause();
        pieces.pause();
        assert_eq!(pieces.began(), Some(first.start()));
        assert_eq!(pieces.count(), 2);
        let wall = pieces.wall();
        for _ in 0..2 {
            pieces.finish(Extra {
                wall: Some(wall),
                ..Extra::default()
            });
        }

        let mut live = live();
        let mut paths: Vec<String> = Vec::new();
        for window in &live.head {
            let window = Window::parse(window, 0);
            let Some(window) = window.unwrap() else {
                continue;
            };
            window
                .for_each(|record| {
                    if let Record::Span(span) = record {
                        paths.push(live.paths.names(span.path).join("/"));
                    }
                })
                .unwrap();
        }
        assert_eq!(live.tail.settled().count(), 0);
        assert_eq!(paths, ["outside", "in pieces/inside", "outside/in pieces"]);
    });
}

#[test]
fn nothing_is_written_where_no_piece_began() {
    own_process::run(|| {
        let mut pieces = Pieces::new(Site::intern("never resumed"));
        pieces.pause();
        pieces.finish(Extra::default());
        let known = live();
        let mut names = known.paths.iter().map(|(_, entry)| entry.name.clone());
        assert!(!names.any(|name| &*name == "never resumed"));
    });
}
