//! Laps: what `lt.lap` returns, and what runs at every `with` of it.
//!
//! [`builtin`] finds the handle of a name. A [`handle`] is an instance of one of the [`kinds`] of
//! types, which put together what Python calls: entering and leaving ([`with`]), [`attributes`],
//! [`decorate`], and equality and copies ([`value`]). Imports go that way only, down to [`handle`] and
//! [`work`]. [`pieces`] is the span of a generator.

mod attributes;
pub mod builtin;
mod decorate;
pub mod handle;
pub mod kinds;
pub mod pieces;
mod value;
mod with;
mod work;
