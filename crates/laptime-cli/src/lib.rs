//! The laptime command.
