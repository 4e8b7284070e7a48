//! Timers: segments that are started and stopped by name.
//!
//! A timer has [`contexts`], its main one first; a [`context`] has segments, which [`start_stop`]
//! starts and stops; a [`segment`] keeps its runs. What is measured beside the clock is a [`gauge`]. Python calls
//! in through [`methods`] and, with torchtimer's names and defaults, through [`torchtimer`].

pub mod context;
pub mod contexts;
pub mod gauge;
pub mod methods;
mod owed_durations;
pub mod segment;
pub mod settings;
mod start_stop;
pub mod torchtimer;
