//! Functions of torch's whose calls come by here, while each stays the object that it is.
//!
//! Nothing is replaced: the field of a function that says how it is called points here
//! (`shim/hook.c`). So the program finds every name, pickles by it, and patches and unpatches in
//! any order; and no frame stands between a caller and what it calls. Several [`Watched`] may
//! lie over one function; a call goes through them from the last one down, and then on its way.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::ptr::null_mut;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use super::call::Call;
use super::overlay::Watched;
use super::own_python::Hidden;
use crate::entry::raised;
use crate::fast::Locked;

unsafe extern "C" {
    fn laptime_is_function(object: *mut ffi::PyObject) -> c_int;
    fn laptime_hook(
        function: *mut ffi::PyObject,
        call: ffi::vectorcallfunc,
        inlined: c_int,
    ) -> Option<ffi::vectorcallfunc>;
    fn laptime_unhook(
        function: *mut ffi::PyObject,
        call: ffi::vectorcallfunc,
        original: ffi::vectorcallfunc,
    );
    fn laptime_called_by(function: *mut ffi::PyObject) -> Option<ffi::vectorcallfunc>;
}

/// Where a function's calls go that nobody sent elsewhere: the interpreter doesn't export it.
static ORDINARY: Locked<Option<ffi::vectorcallfunc>> = Locked::new(None);

/// A function whose calls come by here.
struct Hooked {
    function: Py<PyWeakrefReference>,
    original: ffi::vectorcallfunc,
    layers: Vec<Py<Watched>>,
}

/// The functions that are watched, by their addresses.
static HOOKED: Locked<BTreeMap<usize, Hooked>> = Locked::new(BTreeMap::new());

/// Lays `watched` over a function. `inlined`: Python code calls it directly.
pub fn put(
    python: Python<'_>,
    function: &Bound<'_, PyAny>,
    watched: &Bound<'_, Watched>,
    inlined: bool,
) -> PyResult<()> {
    // SAFETY: a live object, with the lock held.
    if unsafe { laptime_is_function(function.as_ptr()) } == 0 {
        let told = format!("{function} is no function of Python's");
        return Err(PyTypeError::new_err(told));
    }
    know_ordinary(python)?;
    let reference = PyWeakrefReference::new(function)?.unbind();
    let layer = watched.clone().unbind();
    let address = function.as_ptr().addr();
    if let Some(hooked) = live(python, address) {
        hooked.layers.push(layer);
        return Ok(());
    }
    // SAFETY: a function, as was asked above.
    let Some(original) = (unsafe { laptime_hook(function.as_ptr(), entered, inlined.into()) })
    else {
        return Err(raised(python));
    };
    let hooked = Hooked {
        function: reference,
        original,
        layers: vec![layer],
    };
    // SAFETY: the lock is held, and nothing runs before the reference's end.
    let old = unsafe { HOOKED.get() }.insert(address, hooked);
    drop(old); // of a function that is gone, and whose address is used again
    Ok(())
}

/// Asks a function of our own, which nobody sends elsewhere.
fn know_ordinary(python: Python<'_>) -> PyResult<()> {
    // SAFETY: the lock is held, and the reference ends here.
    if unsafe { ORDINARY.get() }.is_none() {
        let _hidden = Hidden::new(python);
        let ours = python.eval(c"lambda: None", None, None)?;
        // SAFETY: a function, with the lock held.
        unsafe { *ORDINARY.get() = laptime_called_by(ours.as_ptr()) };
    }
    Ok(())
}

/// What is known of the function at an address, unless it is gone.
fn live(python: Python<'_>, address: usize) -> Option<&'static mut Hooked> {
    // SAFETY: the lock is held; callers run nothing while they use it.
    let hooked = unsafe { HOOKED.get() }.get_mut(&address)?;
    let function = hooked.function.bind(python).upgrade()?;
    (function.as_ptr().addr() == address).then_some(hooked)
}

/// Takes `watched` away from every function that it lies over.
pub fn take(python: Python<'_>, watched: &Bound<'_, Watched>) {
    let mut gone = Vec::new();
    let mut last = Vec::new();
    // SAFETY: the lock is held; what is dropped is dropped below.
    let all = unsafe { HOOKED.get() };
    for hooked in all.values_mut() {
        let is_this = |layer: &mut Py<Watched>| layer.is(watched);
        gone.extend(hooked.layers.extract_if(.., is_this));
    }
    last.extend(all.extract_if(.., |_, hooked| hooked.layers.is_empty()));
    for (address, hooked) in &last {
        if let Some(function) = hooked.function.bind(python).upgrade()
            && function.as_ptr().addr() == *address
        {
            // SAFETY: a function that was hooked.
            unsafe { laptime_unhook(function.as_ptr(), entered, hooked.original) };
        }
    }
}

impl<'py> Call<'py> {
    /// Lets the call go on its way, unchanged.
    #[inline]
    pub fn pass(&self) -> PyResult<Bound<'py, PyAny>> {
        let result = self.pass_raw();
        // SAFETY: a new reference, or null with an error.
        unsafe { Bound::from_owned_ptr_or_err(self.python, result) }
    }

    /// Lets a call whose end nobody waits for go on its way, unchanged: a new reference, or null with an
    /// error.
    #[inline]
    pub fn pass_raw(&self) -> *mut ffi::PyObject {
        self.went.set(true);
        if self.below == 0 {
            // SAFETY: what the interpreter passed, to where it would have gone.
            return unsafe { (self.original)(self.function, self.args, self.count, self.names) };
        }
        dispatch(self.python, self.below, self)
    }
}

/// Hands a call to the layer with `layers` of them up to itself.
fn dispatch<'py>(python: Python<'py>, layers: usize, call: &Call<'py>) -> *mut ffi::PyObject {
    // SAFETY: the lock is held; the reference ends before anything runs.
    let hooked = unsafe { HOOKED.get() }.get(&call.function.addr());
    let layers = hooked.map_or(0, |hooked| layers.min(hooked.layers.len()));
    let layer = layers.checked_sub(1).and_then(|at| hooked?.layers.get(at));
    let layer = layer.map(|layer| layer.clone_ref(python));
    let call = Call {
        python,
        below: layers.saturating_sub(1),
        went: Cell::new(false),
        ..*call
    };
    layer.map_or_else(|| call.pass_raw(), |layer| layer.get().call(&call))
}

unsafe extern "C" fn entered(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: called by the interpreter, with the lock held.
    let python = unsafe { Python::assume_attached() };
    // SAFETY: as above; the reference ends here.
    let hooked = unsafe { HOOKED.get() }.get(&function.addr());
    // SAFETY: as above.
    let ordinary = unsafe { *ORDINARY.get() };
    let known = hooked.map(|hooked| (hooked.original, hooked.layers.len()));
    let Some((original, layers)) = known.or_else(|| Some((ordinary?, 0))) else {
        return null_mut(); // never: it is known before the first call comes by
    };
    let call = Call {
        python,
        function,
        args,
        count,
        names,
        original,
        went: Cell::new(false),
        below: layers,
    };
    call.pass_raw()
}
