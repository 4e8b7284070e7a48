//! Operations in rows, from scripted recordings.

mod counted;
mod given;
mod left_out;
