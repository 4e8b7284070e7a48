use std::sync::Mutex;

use super::*;
use crate::{Site, enter, exit, unfollow};

/// One follower a process: tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn spans(name: &str, count: usize) {
    let site = Site::intern(name);
    for _ in 0..count {
        if let Some(open) = enter(site) {
            exit(open);
        }
    }
}

fn path(name: &str, table: &[(PathId, PathId, Box<str>)]) -> Option<PathId> {
    let known = table.iter().find(|(_, _, known)| &**known == name);
    known.map(|(id, _, _)| *id)
}

fn count(news: &mut News, path: PathId) -> u64 {
    let mut settled = news.tallies.settled();
    settled
        .find(|(id, _)| *id == path)
        .map_or(0, |(_, tally)| tally.count)
}

#[test]
fn each_span_is_told_once_whether_its_window_is_full_or_not() {
    let _turn = TURN.lock().unwrap();
    crate::enable();
    spans("followed", 7);
    follow();
    let mut first = news();
    let followed = path("followed", &first.paths).unwrap();
    assert_eq!(count(&mut first, followed), 7);
    // More than a window holds.
    for so_many in [1, 40_000, 3] {
        spans("followed", so_many);
        let mut next = news();
        assert_eq!(count(&mut next, followed), so_many as u64);
        assert_eq!(path("followed", &next.paths), None, "told once");
    }
    unfollow();
}

#[test]
fn nothing_is_told_when_nobody_follows() {
    let _turn = TURN.lock().unwrap();
    crate::enable();
    spans("unfollowed", 3);
    assert!(news().paths.is_empty());
}
