//! Models of how windows pass between threads, in `tests/`.
//!
//! The recorder's windows are raw memory, which loom cannot watch. The models repeat the
//! steps of `laptime-recorder` (`writer.rs`, `shared.rs`, `collector.rs`) with loom's types
//! and the same memory orders; loom then runs every interleaving that the memory model
//! allows. When the protocol there changes, it changes here.
