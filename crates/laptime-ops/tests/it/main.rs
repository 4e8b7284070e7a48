//! What operations cost: known figures, what must hold of all, and the page that lists them.

mod documented;
mod properties;
mod truth;
