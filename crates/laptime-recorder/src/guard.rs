//! The last line of defence: a mistake of ours ends the recording, never the program.
//!
//! Every entry that foreign code calls (Python, the C library's handlers) runs inside [`guard`]: a
//! panic may not unwind into a foreign caller, where it would abort the process.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::messages;
use crate::state;

thread_local! {
    /// Where the last panic began, as the hook of [`silence_panics`] noted it.
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// Runs `f`. A panic in it switches recording off for the rest of the process, warns once, and
/// leads to `fallback`.
///
/// **Cost** none, unless it panics.
#[inline]
pub fn guard<T>(fallback: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        failed(&*panic);
        // Dropping it runs foreign code, which may panic again.
        std::mem::forget(panic);
        fallback
    })
}

/// Keeps the standard library from printing panics: [`guard`] tells of them.
///
/// For a door with a standard library of its own, such as an extension module. Where the program
/// shares ours, the hook is the program's.
pub fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let place = panic.location().map(ToString::to_string);
            let _ = PLACE.try_with(|cell| cell.set(place));
        }));
    });
}

/// Records nothing from now on, and says so: the program's memory is used up, and ours nearly.
pub fn out_of_memory() {
    if stop() {
        messages::warn(
            &"recording stopped because the program has no memory left; the program goes on unrecorded",
        );
    }
}

/// Switches recording off; whether this is the first time, which is to be told.
fn stop() -> bool {
    static STOPPED: AtomicBool = AtomicBool::new(false);
    state::switch_off_for_good();
    !STOPPED.swap(true, Ordering::Relaxed)
}

#[cold]
fn failed(panic: &(dyn Any + Send)) {
    if !stop() {
        return;
    }
    let what = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    let place = PLACE.try_with(Cell::take).ok().flatten();
    let place = place.map_or_else(String::new, |place| format!(" at {place}"));
    // A message that fails in its turn is the end of what can be said.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        messages::warn(&format_args!(
            "recording stopped by a mistake of Laptime itself ({what}{place}); the program goes on \
             unrecorded, please report this line"
        ));
    }));
}
