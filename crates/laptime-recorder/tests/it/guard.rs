//! What a panic of ours costs: the recording, and a line that says so. In a process of its own, since
//! nothing switches it on again.

use laptime_recorder::{Site, enable, enter, exit, guard, is_on, silence_panics};

use crate::own_process::{command, finished, is_of, name_of};

#[test]
fn a_panic_inside_a_guard_ends_recording_for_good_and_nothing_else() {
    let own = name_of(&|| ());
    if is_of(own) {
        return panic_in_a_guard();
    }
    let said = finished(command(own));
    let warning = "recording stopped by a mistake of Laptime itself (on purpose at";
    assert!(said.contains(warning), "{said}");
}

fn panic_in_a_guard() {
    silence_panics();
    enable();
    let open = enter(Site::intern("work")).unwrap();
    assert_eq!(guard(1, || 2), 2);
    assert!(is_on());
    assert_eq!(guard(1, || guard(3, || panic!("on purpose"))), 3);
    assert!(!is_on());
    enable();
    assert!(!is_on());
    assert!(exit(open).is_none());
    assert!(enter(Site::intern("work")).is_none());
}
