//! What each class of objects is to a walk: what it holds, and whether that is this call's to put
//! back.

use std::collections::HashMap;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyType, PyWeakrefReference};

use crate::interned::intern;

/// How the elements of an object are read and put back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Container {
    Dict,
    /// A dictionary with an order or rules of its own: only its methods may write.
    Mapping,
    List,
    Set,
    Deque,
    Bytes,
}

/// What a class is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Holds nothing that a call could change, or nothing that is its own.
    Atom,
    Function,
    Module,
    Class,
    Cell,
    Weak,
    /// A thread's own attributes.
    Local,
    /// Gives one thing after the other, and can't be set back.
    Iterator,
    /// Gives one thing after the other, and takes its position back.
    Position,
    Plain(Plain),
}

/// An object with attributes, elements, or both.
#[derive(Clone, Debug, Default)]
pub struct Plain {
    pub container: Option<Container>,
    pub has_dict: bool,
    pub slots: Vec<std::sync::Arc<Py<PyAny>>>,
    /// Which of the classes that are sought it is of.
    pub sought: Vec<usize>,
    /// Which saver it has.
    pub saver: Option<usize>,
    /// Whether an object of the class is told and not entered.
    pub is_leaf: bool,
    /// Whether what it holds besides is asked of the collector.
    pub traversed: bool,
}

/// Classes of objects that stand for something outside: a thread, a process, a file. What they
/// hold agrees with that, whatever this call did.
const OUTSIDE: [&str; 20] = [
    "_asyncio",
    "_io",
    "_queue",
    "_socket",
    "_ssl",
    "_thread",
    "asyncio",
    "concurrent",
    "contextlib",
    "contextvars",
    "_contextvars",
    "ctypes",
    "io",
    "logging",
    "multiprocessing",
    "queue",
    "selectors",
    "socket",
    "subprocess",
    "threading",
];

/// Iterators besides those of the interpreter itself and of `itertools`.
const ITERATORS: [(&str, &str); 6] = [
    (
        "torch.utils.data.dataloader",
        "_MultiProcessingDataLoaderIter",
    ),
    ("_collections", "_deque_iterator"),
    ("_collections", "_deque_reverse_iterator"),
    ("array", "arrayiterator"),
    ("numpy", "flatiter"),
    ("_csv", "reader"),
];

/// Modules of these whose classes the program's may be made of without being outside themselves.
const INHERITED: [&str; 2] = ["contextlib", "logging"];

/// Classes of the interpreter whose instances hold others for good. What else is written in C may
/// hold what only it may write.
const TRAVERSED: [(&str, &str); 12] = [
    ("builtins", "tuple"),
    ("builtins", "frozenset"),
    ("builtins", "method"),
    ("builtins", "builtin_function_or_method"),
    ("builtins", "method-wrapper"),
    ("builtins", "memoryview"),
    ("builtins", "managedbuffer"),
    ("builtins", "property"),
    ("builtins", "staticmethod"),
    ("builtins", "classmethod"),
    ("functools", "partial"),
    ("types", "MethodType"),
];

/// What is known of classes, and what is looked for.
pub struct Kinds {
    pub sought: Vec<Py<PyType>>,
    /// How many of them, from the first, are of things that compute.
    pub acting: usize,
    leaves: Vec<Py<PyType>>,
    libraries: Vec<String>,
    pub savers: Vec<(Py<PyType>, Py<PyAny>)>,
    /// Says of a class whether its objects are looked at; without it all are.
    enters: Option<Py<PyAny>>,
    known: HashMap<usize, (Kind, Py<PyType>)>,
    own_modules: HashMap<String, bool>,
}

impl Kinds {
    pub fn new(
        (sought, acting): (Vec<Py<PyType>>, usize),
        leaves: Vec<Py<PyType>>,
        libraries: Vec<String>,
        savers: Vec<(Py<PyType>, Py<PyAny>)>,
        enters: Option<Py<PyAny>>,
    ) -> Self {
        Self {
            sought,
            acting,
            leaves,
            libraries,
            savers,
            enters,
            known: HashMap::new(),
            own_modules: HashMap::new(),
        }
    }

    /// What an object is.
    pub fn of(&mut self, object: &Bound<'_, PyAny>) -> PyResult<&Kind> {
        let class = object.get_type();
        let address = class.as_ptr().addr();
        if !self.known.contains_key(&address) {
            let kind = self.classify(object, &class)?;
            self.known.insert(address, (kind, class.unbind()));
        }
        Ok(&self.known[&address].0)
    }

    fn classify(&mut self, object: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> PyResult<Kind> {
        let python = object.py();
        if let Some(enters) = &self.enters
            && !enters.call1(python, (class,))?.is_truthy(python)?
        {
            return Ok(Kind::Atom);
        }
        if object.is_instance_of::<PyType>() {
            return Ok(Kind::Class);
        }
        if object.is_instance_of::<PyModule>() {
            return Ok(Kind::Module);
        }
        if object.is_instance_of::<PyWeakrefReference>() {
            return Ok(Kind::Weak);
        }
        let name = class.name()?;
        let module = module_of(class);
        if module == "builtins" {
            match &*name.to_cow()? {
                "function" => return Ok(Kind::Function),
                "cell" => return Ok(Kind::Cell),
                "list_iterator" | "tuple_iterator" | "range_iterator" | "str_iterator"
                | "str_ascii_iterator" | "bytes_iterator" | "longrange_iterator" => {
                    return Ok(Kind::Position);
                }
                "generator"
                | "enumerate"
                | "zip"
                | "map"
                | "filter"
                | "reversed"
                | "dict_keyiterator"
                | "dict_valueiterator"
                | "dict_itemiterator"
                | "set_iterator"
                | "callable_iterator"
                | "dict_reversekeyiterator"
                | "dict_reversevalueiterator"
                | "dict_reverseitemiterator"
                | "odict_iterator"
                | "iterator"
                | "list_reverseiterator" => {
                    return Ok(Kind::Iterator);
                }
                "frame" | "coroutine" | "async_generator" | "traceback" | "code"
                | "mappingproxy" => {
                    return Ok(Kind::Atom);
                }
                _ => {}
            }
        }
        let is_taken = object.is_instance_of::<super::iterators::Taken>();
        let is_known = ITERATORS.contains(&(module.as_str(), &*name.to_cow()?));
        if module == "itertools" || is_taken || is_known {
            return Ok(Kind::Iterator);
        }
        let local = python.import("_thread")?.getattr("_local")?;
        if class.is_subclass(&local)? {
            return Ok(Kind::Local);
        }
        // SAFETY: the lock is held and the class is alive.
        let flags = unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) };
        let holds_bytes = container(python, class)? == Some(Container::Bytes);
        let holds_something = flags & ffi::Py_TPFLAGS_HAVE_GC != 0 || holds_bytes;
        if !holds_something && self.saver(python, class)?.is_none() {
            return Ok(Kind::Atom);
        }
        if let Some(saver) = self.saver(python, class)?
            && is_outside(class)?
        {
            return Ok(Kind::Plain(Plain {
                saver: Some(saver),
                ..Plain::default()
            }));
        }
        if is_outside(class)? {
            return Ok(Kind::Atom);
        }
        self.plain(python, class).map(Kind::Plain)
    }

    fn plain(&mut self, python: Python<'_>, class: &Bound<'_, PyType>) -> PyResult<Plain> {
        let mut plain = Plain {
            container: container(python, class)?,
            saver: self.saver(python, class)?,
            is_leaf: self.is_leaf(python, class)?,
            ..Plain::default()
        };
        for (index, sought) in self.sought.iter().enumerate() {
            if class.is_subclass(sought.bind(python))? {
                plain.sought.push(index);
            }
        }
        for base in class.mro().iter() {
            let base = base.cast::<PyType>()?;
            let name = base.name()?;
            let is_known = TRAVERSED.contains(&(module_of(base).as_str(), &*name.to_cow()?));
            plain.traversed |= is_known;
        }
        // SAFETY: the lock is held and the class is alive.
        plain.has_dict = unsafe { has_dict(class.as_type_ptr()) };
        for base in class.mro().iter() {
            let own = base.getattr(intern!(python, "__dict__"))?;
            if !own.contains(intern!(python, "__slots__"))? {
                continue;
            }
            for member in own.call_method0(intern!(python, "values"))?.try_iter()? {
                let member = member?;
                if &*member.get_type().name()?.to_cow()? == "member_descriptor" {
                    plain.slots.push(std::sync::Arc::new(member.unbind()));
                }
            }
        }
        Ok(plain)
    }

    fn is_leaf(&self, python: Python<'_>, class: &Bound<'_, PyType>) -> PyResult<bool> {
        for leaf in &self.leaves {
            if class.is_subclass(leaf.bind(python))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn saver(&self, python: Python<'_>, class: &Bound<'_, PyType>) -> PyResult<Option<usize>> {
        for (index, (of, _)) in self.savers.iter().enumerate() {
            if class.is_subclass(of.bind(python))? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Whether code of this file is the program's own.
    pub fn is_own_file(&self, file: &str) -> bool {
        !file.starts_with("<frozen") && !self.libraries.iter().any(|it| file.starts_with(it))
    }

    /// Whether a class is the program's own: its functions are, or its module.
    pub fn is_own_class(&mut self, class: &Bound<'_, PyType>) -> bool {
        let python = class.py();
        let files = files_of(class);
        // A decorator's wrapper lies where the decorator does, so one function of its own will do.
        if files
            .iter()
            .any(|it| it != "<string>" && self.is_own_file(it))
        {
            return true;
        }
        // Into each enum the standard library puts functions of its own.
        let is_enum = class.get_type().name();
        let is_enum = is_enum.is_ok_and(|name| name.to_string().starts_with("Enum"));
        if let Some(first) = files.first()
            && !is_enum
        {
            return self.is_own_file(first);
        }
        let name = module_of(class);
        if let Some(known) = self.own_modules.get(&name) {
            return *known;
        }
        let is_own = python
            .import("sys")
            .and_then(|sys| sys.getattr("modules"))
            .and_then(|modules| modules.get_item(&name))
            .is_ok_and(|module| self.is_own_module(&module));
        self.own_modules.insert(name, is_own);
        is_own
    }

    /// Whether a module is the program's own: it lies nowhere where libraries lie.
    pub fn is_own_module(&self, module: &Bound<'_, PyAny>) -> bool {
        let python = module.py();
        let is = |name| module.getattr(name).is_ok_and(|found| !found.is_none());
        let file = module.getattr(intern!(python, "__file__"));
        match file.and_then(|file| file.extract::<String>()) {
            Ok(file) => self.is_own_file(&file),
            // What was typed, or made by hand.
            Err(_) => !is("__spec__") && !is("__loader__") || is_main(module),
        }
    }
}

fn is_main(module: &Bound<'_, PyAny>) -> bool {
    let name = module.getattr(intern!(module.py(), "__name__"));
    name.is_ok_and(|name| name.eq("__main__").unwrap_or(false))
}

/// The files of the functions that a class defines, in their order.
fn files_of(class: &Bound<'_, PyType>) -> Vec<String> {
    let python = class.py();
    let values = class
        .getattr(intern!(python, "__dict__"))
        .and_then(|own| own.call_method0(intern!(python, "values")));
    let Ok(values) = values.and_then(|values| values.try_iter()) else {
        return Vec::new();
    };
    let file = |value: Bound<'_, PyAny>| {
        let is_function = value.get_type().name().is_ok_and(|name| name == "function");
        let code = is_function.then(|| value.getattr(intern!(python, "__code__")))?;
        let file = code.ok()?.getattr(intern!(python, "co_filename")).ok()?;
        file.extract().ok()
    };
    values.filter_map(Result::ok).filter_map(file).collect()
}

/// The name of the module that a class says it is from.
fn module_of(class: &Bound<'_, PyType>) -> String {
    let module = class.getattr(intern!(class.py(), "__module__"));
    module
        .and_then(|module| module.extract())
        .unwrap_or_default()
}

/// Whether instances stand for something outside.
fn is_outside(class: &Bound<'_, PyType>) -> PyResult<bool> {
    for base in class.mro().iter() {
        let module = module_of(base.cast::<PyType>()?);
        if INHERITED.contains(&module.as_str()) && !base.is(class) {
            continue;
        }
        if OUTSIDE.contains(&module.split('.').next().unwrap_or_default()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn container(python: Python<'_>, class: &Bound<'_, PyType>) -> PyResult<Option<Container>> {
    // SAFETY: the lock is held and the class is alive.
    let flags = unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) };
    if flags & ffi::Py_TPFLAGS_DICT_SUBCLASS != 0 {
        let ordered = python.import("collections")?.getattr("OrderedDict")?;
        let is_ordered = class.is_subclass(&ordered)?;
        return Ok(Some(if is_ordered {
            Container::Mapping
        } else {
            Container::Dict
        }));
    }
    if flags & ffi::Py_TPFLAGS_LIST_SUBCLASS != 0 {
        return Ok(Some(Container::List));
    }
    if flags & ffi::Py_TPFLAGS_TUPLE_SUBCLASS != 0 {
        return Ok(None);
    }
    let builtins = python.import("builtins")?;
    if class.is_subclass(&builtins.getattr("set")?)? {
        return Ok(Some(Container::Set));
    }
    if class.is_subclass(&builtins.getattr("bytearray")?)? {
        return Ok(Some(Container::Bytes));
    }
    let deque = python.import("collections")?.getattr("deque")?;
    Ok(class.is_subclass(&deque)?.then_some(Container::Deque))
}

/// Whether instances have a dictionary of attributes.
///
/// # Safety
/// The lock is held and the class is alive.
unsafe fn has_dict(class: *mut ffi::PyTypeObject) -> bool {
    // SAFETY: as promised.
    unsafe { (*class).tp_dictoffset != 0 || manages_dict(class) }
}

/// Since Python 3.11 a class can leave its instances' dictionaries to the interpreter.
unsafe fn manages_dict(class: *mut ffi::PyTypeObject) -> bool {
    const MANAGED_DICT: std::ffi::c_ulong = 1 << 4;
    // SAFETY: as promised by the caller.
    cfg!(Py_3_11) && unsafe { ffi::PyType_GetFlags(class) } & MANAGED_DICT != 0
}
