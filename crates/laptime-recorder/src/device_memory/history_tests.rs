use super::*;
use crate::device_memory::allocator_model::Allocator;
use crate::device_memory::counter::Counter;

const MIB: u64 = 1 << 20;

/// A history that begins with what an allocator has.
fn begun(allocator: &mut Allocator) -> History {
    let mut history = History::default();
    history.look(allocator.look);
    allocator.history.clear();
    history.begin(allocator.look, &allocator.segments());
    history
}

/// An allocator whose peak was higher before.
fn used() -> (Allocator, u64) {
    let mut allocator = Allocator::default();
    let large = allocator.allocate(100 * MIB);
    let kept = allocator.allocate(3 * MIB);
    allocator.free(large, false);
    (allocator, kept)
}

/// Both up and down again, below the peak of before.
fn churn(allocator: &mut Allocator) {
    let one = allocator.allocate(5 * MIB);
    allocator.free(one, false);
}

#[test]
fn counters_alone_do_where_memory_only_grew_or_shrank() {
    let (mut allocator, kept) = used();
    let mut history = begun(&mut allocator);
    allocator.allocate(7 * MIB);
    assert!(!history.is_needed(&allocator.look));
    let grown = allocator.look.allocated.counter.now;
    let told = history.look(allocator.look).unwrap();
    assert_eq!(told.allocated, Bounds::exactly(grown));
    allocator.free(kept, true);
    assert!(!history.is_needed(&allocator.look));
    let told = history.look(allocator.look).unwrap();
    assert_eq!(told.allocated, Bounds::exactly(grown));
}

#[test]
fn a_remainder_that_is_not_split_off_counts() {
    let (mut allocator, _) = used();
    allocator.empty_cache();
    let mut history = begun(&mut allocator);
    let before = allocator.look.allocated.counter.now;
    let one = allocator.allocate(31 * MIB + 1);
    allocator.free(one, false);
    assert!(history.is_needed(&allocator.look));
    let told = history.play(allocator.look, &allocator.history).unwrap();
    assert_eq!(told.allocated, Bounds::exactly(before + 32 * MIB));
}

#[test]
fn overwritten_entries_are_a_reason() {
    let (mut allocator, _) = used();
    let mut history = begun(&mut allocator);
    churn(&mut allocator);
    let rest = &allocator.history[1..];
    assert_eq!(history.play(allocator.look, rest), Err(Missing::Entries));
    assert!(history.lacks_blocks(), "it begins anew");
}

#[test]
fn other_bytes_than_were_counted_are_a_reason() {
    let (mut allocator, _) = used();
    let mut history = begun(&mut allocator);
    churn(&mut allocator);
    // As where an allocator rounds in another way.
    let flow = &mut allocator.look.allocated;
    flow.added += 512;
    flow.taken += 512;
    let played = history.play(allocator.look, &allocator.history);
    assert_eq!(played, Err(Missing::Disagrees));
}

#[test]
fn what_came_before_the_last_look_is_not_in_it() {
    let (mut allocator, _) = used();
    let mut history = begun(&mut allocator);
    let before = allocator.look.allocated.counter.now;
    let large = allocator.allocate(64 * MIB);
    history.look(allocator.look);
    allocator.free(large, false);
    history.look(allocator.look);
    churn(&mut allocator);
    let told = history.play(allocator.look, &allocator.history).unwrap();
    assert_eq!(told.allocated, Bounds::exactly(before + 5 * MIB));
}

#[test]
fn counts_that_begin_anew_are_not_taken_for_few_calls() {
    let (mut allocator, kept) = used();
    let mut history = begun(&mut allocator);
    allocator.free(kept, false);
    history.look(allocator.look);
    // The program lets them begin anew, with nothing allocated.
    for flow in [&mut allocator.look.allocated, &mut allocator.look.reserved] {
        (flow.added, flow.taken) = (0, 0);
    }
    (allocator.look.allocations, allocator.look.frees) = (0, 0);
    history.was_restarted();
    assert!(history.is_needed(&allocator.look), "it begins anew");
    history.begin(allocator.look, &allocator.segments());
    allocator.history.clear();
    churn(&mut allocator);
    let told = history.play(allocator.look, &allocator.history).unwrap();
    assert_eq!(told.allocated, Bounds::exactly(5 * MIB));
}

#[test]
fn blocks_of_segments_that_grow_are_always_split() {
    let mut blocks = Blocks::default();
    blocks.reserve(1 << 40, 20 * MIB, true);
    assert_eq!(blocks.allocate(1 << 40, 19 * MIB + 1), Some(19 * MIB + 512));
    let counter = Counter { now: 5, peak: 9 };
    let flow = |added, taken| Flow {
        counter,
        added,
        taken,
    };
    let told = flow(6, 3).most_since(&flow(5, 2));
    assert_eq!(
        (told.least, told.most),
        (5, 6),
        "no more than all that was added"
    );
}
