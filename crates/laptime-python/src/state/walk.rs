//! The way through everything that can be reached, nearest first.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyWeakrefMethods, PyWeakrefReference};

use crate::entry::measuring;
use crate::handler;
use crate::interned::intern;

use super::contents::{Kept, StoodIn, What};
use super::holder;
use super::iterators::Taken;
use super::kind::{Kind, Kinds, Plain};

/// Where something stands: in what, and under which name there.
struct Link {
    inside: usize,
    label: Option<Py<PyAny>>,
}

/// No place: a root stands nowhere.
const NOWHERE: usize = usize::MAX;

struct Next {
    object: Py<PyAny>,
    place: usize,
}

/// Which way the walk is on.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    /// From the call's roots: what the call may write to.
    Direct,
    /// From what an iterator has in its hands. It goes on for good when the call takes of it, so
    /// what it writes then must stay: such things are looked at, not kept.
    Beneath,
}

/// What was reached.
pub struct Walk {
    pub(super) kinds: Kinds,
    places: Vec<Link>,
    queue: VecDeque<Next>,
    /// What only iterators have in their hands, as far as is known.
    beneath: VecDeque<Next>,
    way: Way,
    seen_beneath: HashSet<usize>,
    /// By address; whatever is in here is held.
    seen: HashSet<usize>,
    pub(super) held: Vec<Py<PyAny>>,
    kept: Vec<Arc<Kept>>,
    found: Vec<Vec<(usize, Py<PyAny>)>>,
    /// What stands in `found`, by class and address.
    told: HashSet<(usize, usize)>,
    iterators: HashMap<usize, Py<PyAny>>,
    /// What something stands in for, by its address: it may be met again in another collection.
    originals: HashMap<usize, Py<PyAny>>,
    /// What runs things outside of the call, for iterators.
    pub(super) outside: Option<Py<PyAny>>,
    /// What a signal's handler raised on the way: it is the program's.
    raised: Option<PyErr>,
}

/// Elements of a collection that are entered: what has more is data, and no step changes its
/// elements. The collection itself is put back.
pub const MOST_ENTERED: usize = 100_000;

/// Elements of a tuple that iterators are looked for in.
const LONGEST_TUPLE: usize = 100;

impl Walk {
    pub fn new(kinds: Kinds, outside: Option<Py<PyAny>>) -> Self {
        let sought = kinds.sought.len();
        Self {
            kinds,
            places: Vec::new(),
            queue: VecDeque::new(),
            beneath: VecDeque::new(),
            way: Way::Direct,
            seen_beneath: HashSet::new(),
            seen: HashSet::new(),
            held: Vec::new(),
            kept: Vec::new(),
            found: (0..sought).map(|_| Vec::new()).collect(),
            told: HashSet::new(),
            iterators: HashMap::new(),
            originals: HashMap::new(),
            outside,
            raised: None,
        }
    }

    pub fn reach(&mut self, python: Python<'_>, roots: Vec<(String, Py<PyAny>)>) -> PyResult<()> {
        for (name, root) in roots {
            let label =
                (!name.is_empty()).then(|| PyString::new(python, &name).into_any().unbind());
            self.push(root.bind(python), NOWHERE, label);
        }
        while let Some(next) = self.next() {
            if let Err(error) = self.visit(next.object.bind(python), next.place) {
                self.leave_out(python, error);
            }
        }
        self.raised.take().map_or(Ok(()), Err)
    }

    /// What is to be visited next: what is reached directly comes first.
    fn next(&mut self) -> Option<Next> {
        self.way = Way::Direct;
        if let Some(next) = self.queue.pop_front() {
            return Some(next);
        }
        self.way = Way::Beneath;
        let next = std::iter::from_fn(|| self.beneath.pop_front())
            .find(|next| !self.seen.contains(&next.object.as_ptr().addr()));
        if next.is_none() {
            self.way = Way::Direct;
        }
        next
    }

    /// Whether it is the first time that something is met on this way. It must be held.
    pub(super) fn is_first(&mut self, address: usize) -> bool {
        match self.way {
            Way::Direct => self.seen.insert(address),
            Way::Beneath => !self.seen.contains(&address) && self.seen_beneath.insert(address),
        }
    }

    /// What can't be read is left as it is, and is no reason to count nothing.
    fn leave_out(&mut self, python: Python<'_>, error: PyErr) {
        if self.raised.is_none() && handler::raised_amid(python, &error) {
            self.raised = Some(error);
        }
    }

    /// Notes what an object held, if the call may write to it.
    pub(super) fn keep(&mut self, kept: Kept) {
        if self.way == Way::Direct {
            self.kept.push(Arc::new(kept));
        }
    }

    /// Whether an object holds nothing that could be changed.
    pub(super) fn is_atom(&mut self, object: &Bound<'_, PyAny>) -> bool {
        match self.kinds.of(object) {
            Ok(kind) => matches!(kind, Kind::Atom),
            Err(error) => {
                self.leave_out(object.py(), error);
                true
            }
        }
    }

    pub fn found(&self, python: Python<'_>, index: usize) -> Vec<(String, Py<PyAny>)> {
        let Some(found) = self.found.get(index) else {
            return Vec::new();
        };
        let named = |(place, object): &(usize, Py<PyAny>)| {
            (self.path(python, *place), object.clone_ref(python))
        };
        found.iter().map(named).collect()
    }

    /// What everything held, in the order in which it was met. The call is over.
    pub fn kept(&self, python: Python<'_>) -> Vec<Arc<Kept>> {
        for taken in self.iterators.values() {
            if let Ok(taken) = taken.bind(python).cast::<Taken>() {
                taken.get().end();
            }
        }
        self.kept.clone()
    }

    /// Names on the way to a place, with points between them.
    fn path(&self, python: Python<'_>, place: usize) -> String {
        let mut names = Vec::new();
        let mut at = place;
        while let Some(place) = self.places.get(at) {
            if let Some(label) = &place.label {
                let label = label.bind(python).str();
                names.push(label.map(|it| it.to_string()).unwrap_or_default());
            }
            at = place.inside;
        }
        names.reverse();
        names.join(".")
    }

    pub(super) fn push(
        &mut self,
        object: &Bound<'_, PyAny>,
        inside: usize,
        label: Option<Py<PyAny>>,
    ) {
        if self.is_atom(object) || !self.is_first(object.as_ptr().addr()) {
            return;
        }
        self.held.push(object.clone().unbind());
        self.places.push(Link { inside, label });
        let queue = match self.way {
            Way::Direct => &mut self.queue,
            Way::Beneath => &mut self.beneath,
        };
        queue.push_back(Next {
            object: object.clone().unbind(),
            place: self.places.len() - 1,
        });
    }

    fn visit(&mut self, object: &Bound<'_, PyAny>, place: usize) -> PyResult<()> {
        let kind = self.kinds.of(object)?.clone();
        match kind {
            Kind::Atom | Kind::Position => Ok(()),
            Kind::Iterator => {
                self.way = Way::Beneath;
                self.locals(object, place);
                Ok(())
            }
            Kind::Local => {
                let attributes = object.getattr(intern!(object.py(), "__dict__"))?;
                self.push(&attributes, place, None);
                self.push(object.get_type().as_any(), place, None);
                Ok(())
            }
            Kind::Function => self.function(object, place),
            Kind::Module => self.module(object, place),
            Kind::Class => self.class(object, place),
            Kind::Cell => {
                self.cell(object, place, None);
                Ok(())
            }
            Kind::Weak => {
                if let Some(referent) = object
                    .cast::<PyWeakrefReference>()
                    .ok()
                    .and_then(PyWeakrefMethods::upgrade)
                {
                    self.push(&referent, place, None);
                }
                Ok(())
            }
            Kind::Plain(plain) => self.plain(object, place, &plain),
        }
    }

    fn plain(&mut self, object: &Bound<'_, PyAny>, place: usize, plain: &Plain) -> PyResult<()> {
        let python = object.py();
        for index in &plain.sought {
            if self.told.insert((*index, object.as_ptr().addr())) {
                self.found[*index].push((place, object.clone().unbind()));
            }
        }
        if plain.is_leaf {
            return Ok(());
        }
        if let Some(saver) = plain.saver
            && self.way == Way::Direct
        {
            let save = self.kinds.savers[saver].1.clone_ref(python);
            let saved = save.call1(python, (object,))?.into_bound(python);
            let (restore, reached) = match saved.cast_exact::<PyTuple>() {
                Ok(both) => (both.get_item(0)?, Some(both.get_item(1)?)),
                Err(_) => (saved, None),
            };
            if !restore.is_none() {
                self.keep(Kept::new(object, What::Saved(restore.unbind())));
            }
            if let Some(reached) = reached {
                self.push(&reached, place, None);
            }
        }
        if plain.has_dict {
            let attributes = holder::dict(object)?;
            self.keep(Kept::new(object, What::Class(object.get_type().unbind())));
            self.keep(Kept::new(object, What::Place(attributes.clone().unbind())));
            self.push(&attributes, place, None);
        }
        for member in &plain.slots {
            let before = holder::slot(object, member.bind(python));
            let mut stood_in = Vec::new();
            if let Some(value) = &before {
                if let Some(one) = self.stand_in(value, &python.None().into_bound(python)) {
                    let set = intern!(python, "__set__");
                    let instead = &one.instead;
                    member.bind(python).call_method1(set, (object, instead))?;
                    stood_in.push(one);
                }
                let label = member.bind(python).getattr(intern!(python, "__name__"))?;
                self.push(value, place, Some(label.unbind()));
            }
            let what = What::Slot(member.clone(), before.map(Bound::unbind));
            let mut kept = Kept::new(object, what);
            kept.stood_in = stood_in;
            self.keep(kept);
        }
        match plain.container {
            Some(container) => self.container(object, place, container)?,
            None if plain.traversed => self.traverse(object, place),
            None => {}
        }
        self.push(object.get_type().as_any(), place, None);
        Ok(())
    }

    /// What stands in for an iterator, or a tuple of some, as long as the call runs. `key`: where
    /// in its holder the value stands.
    pub(super) fn stand_in(
        &mut self,
        value: &Bound<'_, PyAny>,
        key: &Bound<'_, PyAny>,
    ) -> Option<StoodIn> {
        if self.way == Way::Beneath {
            return None;
        }
        if let Some(original) = self.originals.get(&value.as_ptr().addr()) {
            return Some(StoodIn {
                key: key.clone().unbind(),
                value: original.clone_ref(key.py()),
                instead: value.clone().unbind(),
            });
        }
        let instead = match value.cast_exact::<PyTuple>() {
            Ok(tuple) if tuple.len() <= LONGEST_TUPLE => self.tuple(tuple),
            _ => self.iterator(value),
        }?;
        self.held.push(instead.clone_ref(key.py()));
        self.originals
            .insert(instead.as_ptr().addr(), value.clone().unbind());
        Some(StoodIn {
            key: key.clone().unbind(),
            value: value.clone().unbind(),
            instead,
        })
    }

    /// A tuple with what stands in for the iterators in it, if it has any.
    fn tuple(&mut self, tuple: &Bound<'_, PyTuple>) -> Option<Py<PyAny>> {
        let instead: Vec<_> = tuple.iter().map(|it| self.iterator(&it)).collect();
        instead.iter().any(Option::is_some).then(|| {
            let elements = tuple.iter().zip(instead);
            let elements = elements.map(|(it, instead)| instead.unwrap_or_else(|| it.unbind()));
            let made = PyTuple::new(tuple.py(), elements.collect::<Vec<_>>());
            made.map(|it| it.into_any().unbind()).ok()
        })?
    }

    fn iterator(&mut self, value: &Bound<'_, PyAny>) -> Option<Py<PyAny>> {
        let python = value.py();
        let outside = self.outside.as_ref()?.clone_ref(python);
        let kind = self.kinds.of(value).ok()?;
        if !matches!(kind, Kind::Iterator | Kind::Position) {
            return None;
        }
        let is_position = matches!(kind, Kind::Position);
        let address = value.as_ptr().addr();
        if let Some(known) = self.iterators.get(&address) {
            return Some(known.clone_ref(python));
        }
        let again = value.cast::<Taken>().ok().filter(|it| it.get().begin());
        let made = if let Some(taken) = again {
            taken.clone().into_any().unbind()
        } else if is_position {
            let copy = python.import("copy").ok()?.getattr("copy").ok()?;
            copy.call1((value,)).ok()?.unbind()
        } else {
            let acts = self.acts(value);
            Py::new(python, Taken::new(value, &outside, acts))
                .ok()?
                .into_any()
        };
        self.held.push(value.clone().unbind());
        self.iterators.insert(address, made.clone_ref(python));
        Some(made)
    }

    /// What the collector knows that an object holds.
    fn traverse(&mut self, object: &Bound<'_, PyAny>, place: usize) {
        let python = object.py();
        let mut children: Vec<*mut ffi::PyObject> = Vec::new();
        // SAFETY: the lock is held; visiting only takes addresses, and runs nothing of Python.
        unsafe {
            let class = ffi::Py_TYPE(object.as_ptr());
            if ffi::PyType_GetFlags(class) & ffi::Py_TPFLAGS_HAVE_GC == 0 {
                return;
            }
            if let Some(traverse) = (*class).tp_traverse {
                let into: *mut Vec<*mut ffi::PyObject> = &raw mut children;
                traverse(object.as_ptr(), visit, into.cast::<c_void>());
            }
        }
        if children.len() > MOST_ENTERED {
            return;
        }
        let children: Vec<Bound<'_, PyAny>> = children
            .into_iter()
            // SAFETY: the object holds them, and nothing has run since.
            .map(|child| unsafe { Bound::from_borrowed_ptr(python, child) })
            .collect();
        for child in children {
            self.push(&child, place, None);
        }
    }
}

/// Takes an address down.
extern "C" fn visit(child: *mut ffi::PyObject, into: *mut c_void) -> c_int {
    // SAFETY: `traverse` passes its own list.
    let take = || unsafe {
        (*into.cast::<Vec<*mut ffi::PyObject>>()).push(child);
        0
    };
    measuring(|| 0, take)
}
