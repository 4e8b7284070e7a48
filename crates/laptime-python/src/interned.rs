//! Names of Python attributes, each made once, at whose making nobody waits.
//!
//! `PyO3`'s own `intern!` makes a name under a lock. A process that forks while one of its threads makes
//! a name has a child in which that lock is held for ever, by a thread that isn't there: the child's next
//! lap would hang. Here two threads may both make it; the first one's stays.

use once_cell::race::OnceBox;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A name that is made at its first use.
pub struct Interned {
    text: &'static str,
    made: OnceBox<Py<PyString>>,
}

impl Interned {
    /// One that isn't made yet.
    pub const fn new(text: &'static str) -> Self {
        Self {
            text,
            made: OnceBox::new(),
        }
    }

    /// The name.
    #[inline]
    pub fn get<'py>(&self, python: Python<'py>) -> &Bound<'py, PyString> {
        let make = || Box::new(PyString::intern(python, self.text).unbind());
        self.made.get_or_init(make).bind(python)
    }
}

/// The Python string of a literal.
macro_rules! intern {
    ($python:expr, $text:expr) => {{
        static NAME: $crate::interned::Interned = $crate::interned::Interned::new($text);
        NAME.get($python)
    }};
}
pub(crate) use intern;
