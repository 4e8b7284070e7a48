//! A span beside the others: it may overlap with them, and end on another thread.
//!
//! What a program starts and ends by a number is one: NVTX's `start_range`. It stands under the lap that
//! was open at its start, as a timer's segment does, or in another one: a trainer's actions are a tree of
//! their own.

use laptime_core::{PathId, SpanFlags};
use laptime_python_macros::guarded;
use laptime_recorder::nvtx::Started;
use laptime_recorder::{self as recorder, Extra, Site, clock};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::entry::{measuring, raised};
use crate::fast::{Locked, name, span};

impl AsideSpan {
    /// Its path, as long as it goes on.
    fn path(&self) -> Option<PathId> {
        // SAFETY: the lock is held, and nothing here runs Python code.
        let begun = unsafe { self.0.get() }.as_ref()?;
        let (outside, site) = (begun.outside, begun.site);
        Some(span::at(|| recorder::path_under(outside, site)))
    }
}

/// A span beside the others, from when it is made until it is ended.
#[pyclass(frozen, module = "laptime._core")]
pub struct AsideSpan(Locked<Option<Begun>>);

struct Begun {
    site: &'static Site,
    outside: PathId,
    is_within: bool,
    start: u64,
    /// Its range, which ends with this.
    _range: Option<Started>,
}

#[guarded]
#[pymethods]
impl AsideSpan {
    #[new]
    #[pyo3(signature = (name, within=None, /))]
    fn new(name: &Bound<'_, PyString>, within: Option<&Self>) -> PyResult<Self> {
        let begin = || {
            // SAFETY: a `str`, with the lock held.
            let site = unsafe { name::site(name.as_ptr()) };
            let site = site.ok_or_else(|| raised(name.py()))?;
            let begun = recorder::is_on().then(|| {
                let around = within.and_then(Self::path);
                Begun {
                    site,
                    outside: around.unwrap_or_else(|| span::at(recorder::current_path)),
                    is_within: around.is_some(),
                    start: clock::now(),
                    _range: Started::now(site),
                }
            });
            Ok(Self(Locked::new(begun)))
        };
        measuring(|| Ok(Self(Locked::new(None))), begin)
    }

    /// Ends it; a second time does nothing.
    fn end(&self) {
        let end = || {
            // SAFETY: the lock is held, and nothing here runs Python code.
            let Some(begun) = unsafe { self.0.get() }.take() else {
                return;
            };
            let extra = Extra {
                flags: if begun.is_within {
                    SpanFlags::WITHIN
                } else {
                    SpanFlags::ASIDE
                },
                ..Extra::default()
            };
            let ticks = clock::now().saturating_sub(begun.start);
            let write =
                || recorder::emit_under(begun.outside, begun.site, begun.start, ticks, extra);
            span::at(write);
        };
        measuring(|| (), end);
    }
}
