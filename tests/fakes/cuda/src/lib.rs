//! A CUDA driver without a device: what Laptime calls of `libcuda.so.1`, for tests only.
//!
//! Time is a number that the test advances (`fake_advance`). Each stream works through its queue on
//! that clock, whatever the host does meanwhile: work enqueued on a busy stream starts when the
//! stream gets there, and an event completes at the moment at which the stream reaches it. Nothing
//! happens by itself, so every test sees exact times.
//!
//! `driver` has the driver's functions, `control` those for the test, `machine` what both act on,
//! `program` what only programs call, `capture` the rules of stream capture, `visible` those of
//! `CUDA_VISIBLE_DEVICES`. Every copy of the library has a state of its own: tests
//! open copies, and don't meet.

mod capture;
mod control;
mod driver;
mod machine;
mod program;
mod queue;
mod visible;
