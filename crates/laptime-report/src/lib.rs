//! Shows.
