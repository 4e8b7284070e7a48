//! Plain numbers as comma-separated values (RFC 4180).

pub(crate) mod functions;
pub(crate) mod operations;
pub(crate) mod ranks;
pub(crate) mod spans;
