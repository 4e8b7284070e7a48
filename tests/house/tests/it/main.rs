//! The workspace's own shape: what crates may use, what files look like, what the documents name.

mod circles;
mod crate_edges;
mod doc_lines;
mod guards;
mod map;
mod one_build;
mod sentences;
mod shape;
mod syntax;
