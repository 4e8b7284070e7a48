//! Memory of what the machine holds back.

use crate::program::Program;

fn memory_of(program: &Program, path: &str) -> Vec<Option<(i64, u64)>> {
    let spans = program.spans().into_iter();
    spans
        .filter(|span| span.path == path)
        .map(|span| span.memory)
        .collect()
}

#[test]
fn a_phase_that_is_held_back_is_written_with_its_memory() {
    let (zeroed, forward, rest) = (Some((7, 9)), Some((1, 4)), Some((-5, 2)));
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.script().set_memory(zeroed);
        program.zero_grad();
        program.script().set_memory(forward);
        program.forward();
        program.script().set_memory(rest);
        program.backward();
        program.step();
    }
    assert_eq!(memory_of(&program, "step/forward"), [forward; 2]);
    assert_eq!(
        memory_of(&program, "step/optimizer"),
        [zeroed, rest, zeroed, rest]
    );
}

#[test]
fn a_phase_has_no_memory_while_none_is_counted() {
    let program = Program::new();
    for _ in program.loader(2).pass() {
        program.train_batch();
    }
    let spans = program.spans();
    assert!(!spans.is_empty());
    assert!(spans.iter().all(|span| span.memory.is_none()), "{spans:?}");
}
