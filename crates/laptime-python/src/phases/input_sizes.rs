//! The sizes of the tensors that the program's outermost module is given, noted where they change.
//!
//! Only tensors are asked whose type is torch's own, and only where nothing else would see the question: no mode of
//! torch's takes functions over, and nothing traces. Then their sizes are a field that is read, nothing is dispatched
//! and no device is waited for. Masks, positions and caches grow beside an input and are left out: where a cache is
//! kept, the input itself stays as short as it is.

use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use laptime_core::{Holds, Sizes};
use laptime_recorder as recorder;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::call::Call;
use super::dictionary::own;
use crate::file_names;
use crate::interned::intern;

/// Tensors of a call that are looked at: a model has one or two inputs that grow.
const MOST_TENSORS: usize = 4;
/// Values of a call that are looked at for tensors.
const MOST_VALUES: usize = 16;
/// Changes of a process that are noted one by one, about 10 bytes each. From then on only those by a fifth.
const MOST_SINGLE: u32 = 4_096;
/// Changes of a process that are noted at all.
const MOST_CHANGES: u32 = 8_192;
/// Least change after the single ones, in fifths of the number of elements.
const FIFTHS: u64 = 5;
/// Calls without a change after which only one in four is looked at.
const SETTLED_CALLS: u32 = 64;
const LOOK_EVERY: u32 = 4;
/// Calls, each with a longer input than the one before, after which it is noted where they are made.
const GROWING_CALLS: u32 = 8;
/// Modules that are called in turns and that growth is known of: an embedding, layers and a head.
const MOST_MODULES: usize = 4;
/// Most callers that are looked at to find the program's own.
const MOST_CALLERS: usize = 64;

/// Parts of the names of arguments that grow beside an input.
const BESIDE: [&str; 4] = ["mask", "position", "past", "cache"];
/// Types of transformers' that hold arguments in a dictionary of theirs.
const BATCHES: [&str; 2] = ["BatchEncoding", "BatchFeature"];

/// Code of the note that says where inputs grow: file, function and line, one below the other.
const NOTE: &str = "inputs.grow";

static CHANGES: AtomicU32 = AtomicU32::new(0);
static IS_NOTED: AtomicBool = AtomicBool::new(false);

/// What a thread knows of the calls before.
#[derive(Default)]
struct Known {
    sizes: [Option<Sizes>; MOST_TENSORS],
    /// Calls since the last change.
    settled: u32,
    /// The modules that were called with other inputs lately, the latest last.
    modules: Vec<Growing>,
}

/// A module whose inputs change.
struct Growing {
    /// Its address, which says no more than that it is another one.
    module: usize,
    /// Elements of its inputs together.
    elements: u64,
    /// Calls in a row with longer inputs than the one before.
    calls: u32,
}

impl Known {
    /// Takes in a call with other inputs; how many in a row were given longer ones than the one before.
    fn grow(&mut self, module: usize, elements: u64) -> u32 {
        let known = self.modules.iter().position(|one| one.module == module);
        let calls = known.map_or(0, |at| {
            let before = self.modules.remove(at);
            if elements > before.elements {
                before.calls + 1
            } else {
                0
            }
        });
        if self.modules.len() >= MOST_MODULES {
            self.modules.remove(0);
        }
        self.modules.push(Growing {
            module,
            elements,
            calls,
        });
        calls
    }
}

thread_local! {
    static KNOWN: RefCell<Known> = RefCell::new(Known::default());
}

/// What tells tensors, and whether they may be asked.
pub struct Tensors {
    /// `torch.Tensor`.
    kind: Py<PyAny>,
    /// Whether a mode takes torch's functions over.
    has_mode: Py<PyAny>,
    /// What is being traced, or None.
    traced: Py<PyAny>,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Tensors {
    type Error = PyErr;

    fn extract(answers: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let (kind, has_mode, traced) = answers.extract()?;
        Ok(Self {
            kind,
            has_mode,
            traced,
        })
    }
}

impl Tensors {
    /// What the collector visits.
    pub fn answers(&self) -> [&Py<PyAny>; 3] {
        [&self.kind, &self.has_mode, &self.traced]
    }

    /// Looks at what the outermost module is given, and notes what has changed.
    ///
    /// **Cost** about 0.25 µs for one tensor whose sizes are known, on one call in four once they have settled.
    pub fn look(&self, call: &Call<'_>) {
        // What can't be asked is not noted: nothing of the program's depends on it.
        let _ = KNOWN.try_with(|known| {
            let mut known = known.try_borrow_mut().ok()?;
            known.settled = known.settled.saturating_add(1);
            let is_settled = known.settled > SETTLED_CALLS;
            let is_due = !is_settled || known.settled.is_multiple_of(LOOK_EVERY);
            if is_due && self.may_ask(call.python).ok()? {
                self.look_at(call, &mut known).ok()?;
            }
            Some(())
        });
    }

    fn may_ask(&self, python: Python<'_>) -> PyResult<bool> {
        let has_mode = self.has_mode.bind(python).call0()?.is_truthy()?;
        Ok(!has_mode && self.traced.bind(python).call0()?.is_none())
    }

    fn look_at(&self, call: &Call<'_>, known: &mut Known) -> PyResult<()> {
        let mut seen = Seen {
            tensors: self,
            known,
            count: 0,
            values: 0,
            elements: 0,
            changed: false,
        };
        let mut at = 1;
        while let Some(value) = call.argument(at) {
            seen.value(None, &value, true)?;
            at += 1;
        }
        call.each_named(|name, value| seen.value(Some(name), value, true))?;
        let (elements, changed) = (seen.elements, seen.changed);
        if changed {
            known.settled = 0;
            let module = call.argument(0).map_or(0, |module| module.as_ptr().addr());
            if known.grow(module, elements) >= GROWING_CALLS && !IS_NOTED.swap(true, Relaxed) {
                note_caller(call.python)?;
            }
        }
        Ok(())
    }
}

/// The tensors of one call so far.
struct Seen<'k> {
    tensors: &'k Tensors,
    known: &'k mut Known,
    count: usize,
    values: usize,
    /// Of all tensors together.
    elements: u64,
    changed: bool,
}

impl Seen<'_> {
    /// Looks at an argument, and into it where it holds others and `opens` says so.
    fn value(
        &mut self,
        name: Option<&Bound<'_, PyAny>>,
        value: &Bound<'_, PyAny>,
        opens: bool,
    ) -> PyResult<()> {
        if self.count >= MOST_TENSORS || self.values >= MOST_VALUES || name.is_some_and(is_beside) {
            return Ok(());
        }
        self.values += 1;
        let kind = value.get_type_ptr();
        if kind.cast::<ffi::PyObject>() == self.tensors.kind.as_ptr() {
            return self.tensor(value);
        }
        if !opens {
            return Ok(());
        }
        if let Ok(values) = value.cast_exact::<PyTuple>() {
            return values
                .iter_borrowed()
                .try_for_each(|value| self.value(None, &value, false));
        }
        if let Ok(values) = value.cast_exact::<PyList>() {
            return values
                .iter()
                .try_for_each(|value| self.value(None, &value, false));
        }
        if let Ok(values) = value.cast_exact::<PyDict>() {
            return self.values_of(values);
        }
        // SAFETY: the type of a live object has a name, which ends in a zero byte.
        let kind = unsafe { CStr::from_ptr((*kind).tp_name) }.to_bytes();
        if BATCHES.iter().any(|name| kind.ends_with(name.as_bytes()))
            && let Some(values) = own(value, intern!(value.py(), "data"))?
            && let Ok(values) = values.cast_exact::<PyDict>()
        {
            return self.values_of(values);
        }
        Ok(())
    }

    fn values_of(&mut self, values: &Bound<'_, PyDict>) -> PyResult<()> {
        // Nothing of the program's runs meanwhile: tensors of torch's own type are asked.
        let mut each = values.iter();
        each.try_for_each(|(name, value)| self.value(Some(&name), &value, false))
    }

    fn tensor(&mut self, tensor: &Bound<'_, PyAny>) -> PyResult<()> {
        let shape = tensor.getattr(intern!(tensor.py(), "shape"))?;
        let mut sizes = Sizes::default();
        for size in shape.cast::<PyTuple>()?.iter_borrowed() {
            sizes.push(size.extract()?); // one of a symbol is no number
        }
        let at = self.count;
        self.count += 1;
        self.elements = self.elements.saturating_add(sizes.elements());
        let before = self.known.sizes[at];
        if before == Some(sizes) || !is_noted(before, sizes) {
            return Ok(());
        }
        self.known.sizes[at] = Some(sizes);
        self.changed = true;
        recorder::input_sizes(at as u32, holds(tensor)?, sizes);
        Ok(())
    }
}

/// Whether a change is to be noted: each one at first, then those by a fifth.
fn is_noted(before: Option<Sizes>, sizes: Sizes) -> bool {
    let changes = CHANGES.load(Relaxed);
    let is_large = || {
        let (before, now) = (
            before.map_or(0, |before| before.elements()),
            sizes.elements(),
        );
        before.abs_diff(now) >= before.max(now) / FIFTHS
    };
    let is_noted = changes < MOST_SINGLE || changes < MOST_CHANGES && is_large();
    if is_noted {
        CHANGES.store(changes + 1, Relaxed);
    }
    is_noted
}

/// Whether an argument with this name grows beside an input.
fn is_beside(name: &Bound<'_, PyAny>) -> bool {
    let name = name.cast_exact::<PyString>().ok();
    let name = name.and_then(|name| name.to_str().ok());
    name.is_some_and(|name| BESIDE.iter().any(|part| name.contains(part)))
}

/// The kind of numbers that a tensor holds.
fn holds(tensor: &Bound<'_, PyAny>) -> PyResult<Holds> {
    let dtype = tensor.getattr(intern!(tensor.py(), "dtype"))?;
    if dtype
        .getattr(intern!(tensor.py(), "is_floating_point"))?
        .is_truthy()?
    {
        return Ok(Holds::Floats);
    }
    let size = dtype.getattr(intern!(tensor.py(), "itemsize"))?;
    // Bytes are pictures, and truth values are masks.
    Ok(match size.extract::<u64>()? {
        4 | 8 => Holds::Integers,
        _ => Holds::Unknown,
    })
}

/// Notes where the program calls its model: the innermost of its own lines.
fn note_caller(python: Python<'_>) -> PyResult<()> {
    // SAFETY: the lock is held; borrowed from the interpreter, or null.
    let frame = unsafe { Bound::from_borrowed_ptr_or_opt(python, ffi::PyEval_GetFrame().cast()) };
    let mut frame = frame;
    for _ in 0..MOST_CALLERS {
        let Some(here) = frame.take().filter(|frame| !frame.is_none()) else {
            return Ok(());
        };
        let code = here.getattr(intern!(python, "f_code"))?;
        let file: String = code.getattr(intern!(python, "co_filename"))?.extract()?;
        if !is_library(&file) {
            let name: String = code.getattr(intern!(python, "co_name"))?.extract()?;
            let line: u32 = here.getattr(intern!(python, "f_lineno"))?.extract()?;
            file_names::learn(python);
            // SAFETY: the lock is held.
            let file = unsafe { file_names::of_locked(&file) };
            recorder::note(NOTE, &format!("{file}\n{name}\n{line}"));
            return Ok(());
        }
        frame = Some(here.getattr(intern!(python, "f_back"))?);
    }
    Ok(())
}

/// Whether a file is a package's or the interpreter's.
fn is_library(file: &str) -> bool {
    let places = ["/site-packages/", "/dist-packages/", "/lib/python3"];
    file.starts_with('<') || places.iter().any(|place| file.contains(place))
}
