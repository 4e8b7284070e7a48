//! Models of burn, counted.

mod counting;
mod truth;
