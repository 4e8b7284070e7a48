//! Measures: clocks, spans, per-thread windows and the recording on disk.
//!
//! A span's way: [`enter`] pushes an entry on the thread's stack, [`exit`] pops it and
//! writes one record into the thread's window. Neither takes a lock, allocates or makes a
//! system call. Full windows are folded into tallies (always) and sealed on disk (while a
//! recording is on); both happen off the hot path, on disk by a thread of its own.
//!
//! The stack lies in the recording's black box, so a killed run's file says what was open.

mod attached_tool;
pub mod calls;
pub mod ceilings;
pub mod clock;
mod collector;
pub mod cuda_profiler;
mod delay;
pub mod device;
pub mod device_memory;
pub mod draft;
mod early_end;
mod emit;
pub mod environment;
mod error;
mod file;
pub mod file_names;
mod fold;
pub mod folder;
mod follow;
mod fork;
mod found_file;
mod guard;
pub mod keeper;
mod live;
mod lock;
pub mod machine;
pub mod memory;
mod messages;
mod news;
mod notes;
pub mod nvtx;
mod on_devices;
mod operators;
pub mod output;
mod own_file;
mod pieces;
mod platform;
mod processors;
mod recording;
mod records;
mod registration;
mod registry;
mod reserve;
mod resident_memory;
mod sampled_devices;
mod samples;
mod site;
mod span;
mod stack;
pub mod stacks;
mod start;
mod state;
mod stretches;
mod task;
mod telemetry;
mod thread;
mod window;
mod wiped;
mod worker;
mod writer;

pub use attached_tool::{enable, tell_attached_tool};
pub use delay::delay_ns;
pub use early_end::end_early;
pub use emit::{Extra, emit, emit_under, path_under};
pub use error::RecorderError;
pub use file::Backing;
pub use follow::unfollow;
pub use guard::{guard, silence_panics};
pub use live::{live, reset};
pub use messages::{remember_stderr, warn};
pub use news::{follow, news};
pub use notes::{input_sizes, leave_interpreter, mark, mark_outermost, metric, module, note};
pub use on_devices::at_exit::catch_up_at_exit;
pub use on_devices::waits::{wait_for as wait_for_device, wait_here as wait_for_device_here};
pub use on_devices::{
    turn_off as leave_devices, turn_on as time_on_devices, turn_on_with as time_on_devices_with,
};
pub use operators::{set_profiling, write_operators};
pub use pieces::Pieces;
pub use platform::has_room;
pub use recording::{RecordOptions, Recording, close, current_folder, join, record};
pub use registration::name_thread;
pub use reserve::Reserve;
pub use resident_memory::{Resident, resident};
pub use site::{LazySite, Site};
pub use span::{
    Open, Piece, current_path, enter, enter_at, enter_automatic, exit, exit_site, exit_site_at,
    exit_with, give, given, innermost_of, is_open, is_path_within, last_written, open_since,
    path_names, path_of, rename, suspend, suspend_piece,
};
pub use start::{begin_in_child, is_on_or_decide};
pub use state::{disable, is_off, is_on};
pub use stretches::{go_on_aside, operations, plain_path, ran, set_aside};
pub use task::{TaskStack, swap_stack};
pub use wiped::is_unknown_child;
