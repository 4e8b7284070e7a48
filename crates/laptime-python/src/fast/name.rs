//! From a Python `str` to a span's name.
//!
//! Names are UTF-8. A lone surrogate, which UTF-8 cannot hold, becomes `\udc80` as text
//! (Python's "backslashreplace"). A name longer than [`MAX_BYTES`] keeps its beginning and
//! ends in `…` and a hash of the whole, so that two long names stay two names.

use std::hash::{DefaultHasher, Hash, Hasher};

use laptime_recorder::Site;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::entry::answered;

/// Characters of a wrong argument that an error shows.
const MAX_SHOWN: usize = 60;

/// Longest name that is kept whole: definitions must fit into a window many times over.
pub const MAX_BYTES: usize = 1_024;

/// The site of a name. `None` with a Python error set when it cannot be encoded.
///
/// # Safety
/// `name` is a `str`, and the interpreter lock is held.
pub unsafe fn site(name: *mut ffi::PyObject) -> Option<&'static Site> {
    let mut length = 0;
    // SAFETY: a `str`.
    let bytes = unsafe { ffi::PyUnicode_AsUTF8AndSize(name, &raw mut length) };
    if !bytes.is_null() {
        // SAFETY: the interpreter made that many bytes of UTF-8.
        let text = unsafe {
            let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length as usize);
            std::str::from_utf8_unchecked(bytes)
        };
        return Some(Site::intern(&shortened(text)));
    }
    // SAFETY: the lock is held, and the name is alive.
    let (python, name) = unsafe {
        ffi::PyErr_Clear();
        let python = Python::assume_attached();
        (python, Bound::from_borrowed_ptr(python, name))
    };
    match name.extract::<Text>() {
        Ok(text) => Some(Site::intern(&shortened(&text.0))),
        Err(error) => {
            error.restore(python);
            None
        }
    }
}

/// Text as it is recorded: lone surrogates become `\udc80`.
pub struct Text(pub String);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(text: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let text = text.cast::<PyString>()?;
        if let Ok(text) = text.to_str() {
            return Ok(Self(text.to_owned()));
        }
        answered(|| {
            let bytes = text.call_method1("encode", ("utf-8", "backslashreplace"))?;
            let bytes = bytes.extract::<Vec<u8>>()?;
            Ok(Self(String::from_utf8_lossy(&bytes).into_owned()))
        })
    }
}

/// The error for what is no name: what was expected, and what was given.
pub fn refused(expected: &str, given: &Bound<'_, PyAny>) -> PyErr {
    let kind = given.get_type();
    let kind = kind.name().map(|name| name.to_string());
    let shown = given
        .repr()
        .map(|shown| shown.to_string_lossy().into_owned());
    let shown: String = shown.unwrap_or_default().chars().take(MAX_SHOWN).collect();
    let kind = kind.unwrap_or_default();
    PyTypeError::new_err(format!("{expected}, not {kind}: {shown}"))
}

/// The name as it is recorded.
pub fn shortened(name: &str) -> std::borrow::Cow<'_, str> {
    if name.len() <= MAX_BYTES {
        return name.into();
    }
    let mut end = MAX_BYTES - 24;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    format!("{}…#{:016x}", &name[..end], hasher.finish()).into()
}
