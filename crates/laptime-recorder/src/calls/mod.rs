//! Counted calls: every call of a function, added up where it happens and written now and then.
//!
//! Who knows when functions begin and end, such as the Python door, says so with [`enter`] and
//! [`leave`], on the thread that runs them. A thread adds up by itself ([`table`]); about once a
//! second, later less often, it writes the sums into its window. What a thread that ended left is
//! written by [`stop`].
//!
//! A forked child starts with nothing: what is open there belongs to the parent.

mod book;
pub(crate) mod counted;
mod counting;
mod known;
mod table;
mod thread;

pub use book::NewFunction;
pub use counted::{forget, is_on};
pub use counting::{Stopped, say, start, stop};
pub use table::FunctionKey;
pub use thread::{enter, flush, leave};
