//! Mistakes of Laptime's own: a panic is said in one line, and ends neither the process nor the program that it launched.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Lets panics of this process say nothing by themselves: a terminal may be in the midst of something.
pub fn are_quiet() {
    set_hook(Box::new(|panic| {
        let said = panic.to_string().replace('\n', " ");
        let _ = LAST.try_with(|last| *last.borrow_mut() = said);
    }));
}

/// Runs `action`; a panic becomes a message.
pub fn caught<T>(action: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(action)).map_err(|panic| {
        let said = LAST.take();
        let payload = || {
            panic
                .downcast_ref::<&str>()
                .unwrap_or(&"no reason")
                .to_string()
        };
        let said = if said.is_empty() { payload() } else { said };
        format!("internal error, please report this line: {said}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_message_and_what_ends_well_is_itself() {
        assert_eq!(caught(|| 7), Ok(7));
        let said = caught(|| panic!("no {}", 7)).unwrap_err();
        assert!(
            said.starts_with("internal error, please report this line: "),
            "{said}"
        );
    }
}
