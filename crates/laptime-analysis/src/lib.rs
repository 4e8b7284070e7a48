//! Thinks.
