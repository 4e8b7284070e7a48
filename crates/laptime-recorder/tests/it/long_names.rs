//! A program with many long names: in a process of its own, since it fills the tables.

use laptime_core::PathId;
use laptime_recorder::{Resident, Site, current_path, enable, enter, exit, live, resident};

use crate::own_process;

#[test]
fn many_long_names_take_a_bounded_amount_of_memory() {
    own_process::run(|| {
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
    });
}

#[test]
fn a_name_longer_than_a_window_is_an_overflow_and_its_span_is_kept() {
    own_process::run(|| {
        enable();
        let open = enter(Site::intern(&"x".repeat(100_000))).unwrap();
        assert_eq!(current_path(), PathId::OVERFLOW);
        exit(open);
        assert_eq!(live().header.lost, 0);
    });
}
