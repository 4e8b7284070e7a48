use super::*;

#[test]
fn a_program_that_is_one_object_says_that_its_allocator_does_not_count() {
    let reason = check().unwrap_err();
    assert!(reason.0.contains("laptime::alloc::Tally"), "{reason}");
    assert_eq!(start(), Err(reason));
}

#[test]
fn entries_of_every_object_are_found_by_name() {
    let mut found = 0;
    elf::for_each_object(|object| {
        object.for_each_slot(|slot| {
            if slot.name == c"malloc" {
                found += 1;
                assert_ne!(slot.value(), 0);
            }
        });
        Continue(())
    });
    assert!(found >= 1);
}
