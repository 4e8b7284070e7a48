use super::closing::MAX_STRAYS;
use super::*;

fn entry(number: u32) -> Entry {
    Entry {
        path: number,
        site: number,
        start: u64::from(number),
    }
}

#[test]
fn spans_nest_far_beyond_the_slot() {
    let mut stack = Stack::new(1, PathId::ROOT);
    let positions: Vec<Position> = (1..=200).map(|number| stack.push(entry(number))).collect();
    assert_eq!(stack.len(), 200);
    assert_eq!(stack.innermost(), PathId(200));
    for position in positions.iter().rev() {
        let number = position.index;
        let closed = stack.close(*position).unwrap();
        assert_eq!(closed.entry, entry(number));
        assert!(!closed.unbalanced);
        assert_eq!(stack.len(), number as usize - 1);
    }
}

#[test]
fn a_parent_that_closes_first_leaves_a_stray_that_closes_later() {
    let mut stack = Stack::new(1, PathId::ROOT);
    let parent = stack.push(entry(5));
    let child = stack.push(entry(6));
    assert!(stack.close(parent).unwrap().unbalanced);
    assert_eq!(stack.len(), 0);
    let late = stack.close(child).unwrap();
    assert_eq!((late.entry, late.unbalanced), (entry(6), true));
    assert!(stack.close(child).is_none());
}

#[test]
fn automatic_spans_close_with_their_parent() {
    let mut stack = Stack::new(1, PathId::ROOT);
    let parent = stack.push(entry(5));
    let automatic = Entry {
        site: 6 | AUTOMATIC,
        ..entry(6)
    };
    stack.push(automatic);
    let closed = stack.close(parent).unwrap();
    assert!(!closed.unbalanced);
    assert_eq!(closed.with_it, [automatic]);
}

#[test]
fn moving_keeps_what_is_open() {
    let mut stack = Stack::new(3, PathId(2));
    let position = stack.push(entry(5));
    let other = Stack::new(0, PathId::ROOT);
    // SAFETY: `other` outlives the use below and is not used itself.
    unsafe { stack.move_to(other.slot()) };
    assert_eq!(stack.track(), 3);
    assert_eq!(stack.innermost(), PathId(5));
    stack.move_home();
    assert_eq!(stack.close(position).unwrap().entry, entry(5));
    assert_eq!(stack.innermost(), PathId(2));
}

#[test]
fn strays_are_bounded() {
    let mut stack = Stack::new(1, PathId::ROOT);
    for number in 0..3_000 {
        let parent = stack.push(entry(10_000 + number));
        stack.push(entry(number));
        stack.close(parent);
    }
    assert_eq!(stack.strays.len(), MAX_STRAYS);
}
