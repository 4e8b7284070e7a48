//! Makes again what a call returned: tensors of the same sizes, in memory of their own, or in that
//! of an argument.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};

use crate::interned::intern;

/// A tensor that a call returned: the argument whose memory it shares, if it does; sizes, strides,
/// offset, type of elements, device; what a fake tensor has beside these, if that is known.
#[derive(FromPyObject)]
pub struct Tensor(
    Option<usize>,
    Py<PyTuple>,
    Py<PyTuple>,
    usize,
    Py<PyAny>,
    Py<PyAny>,
    Option<Py<PyDict>>,
);

/// What a call returned.
#[derive(FromPyObject)]
pub enum Made {
    /// The argument that it wrote to, which is of the sizes that it was.
    Argument(usize),
    /// A tensor.
    One(Tensor),
    /// More than one tensor, in a list or else a tuple.
    Several(bool, Vec<Tensor>),
}

/// Makes fake tensors of one mode.
pub struct Maker {
    fake: Py<PyType>,
    mode: Py<PyAny>,
    empty: Py<PyAny>,
    alone: Py<PyAny>,
    subclass: Py<PyAny>,
    without_memory: Py<PyAny>,
    options: Py<PyDict>,
}

impl Maker {
    /// For the torch that is imported.
    pub fn new(torch: &Bound<'_, PyAny>, mode: &Bound<'_, PyAny>) -> PyResult<Self> {
        let python = torch.py();
        let subclasses = torch.getattr("_subclasses")?.getattr("fake_tensor")?;
        let core = torch.getattr("_C")?;
        // As the class does.
        let unsafe_access = mode.getattr_opt("_allow_unsafe_data_ptr_access")?;
        let unsafe_access = unsafe_access.map_or(Ok(true), |it| it.is_truthy())?;
        let without_memory = if unsafe_access {
            "_set_warn_deprecated_on_mutable_data_ptr"
        } else {
            "_set_throw_on_mutable_data_ptr"
        };
        let options = PyDict::new(python);
        options.set_item("device", "meta")?;
        Ok(Self {
            fake: subclasses.getattr("FakeTensor")?.cast_into()?.unbind(),
            mode: mode.clone().unbind(),
            empty: torch.getattr("empty_strided")?.unbind(),
            alone: core.getattr("_DisableTorchDispatch")?.unbind(),
            subclass: torch.getattr("Tensor")?.getattr("_make_subclass")?.unbind(),
            without_memory: core.getattr(without_memory)?.unbind(),
            options: options.unbind(),
        })
    }

    /// Makes again what a call returned, for these arguments.
    pub fn make<'py>(
        &self,
        made: &Made,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = arguments.py();
        match made {
            Made::Argument(at) => arguments.get_item(*at),
            Made::One(tensor) => self.tensor(tensor, arguments),
            Made::Several(is_list, tensors) => {
                let tensors = tensors.iter().map(|it| self.tensor(it, arguments));
                let tensors = tensors.collect::<PyResult<Vec<_>>>()?;
                Ok(if *is_list {
                    PyList::new(python, tensors)?.into_any()
                } else {
                    PyTuple::new(python, tensors)?.into_any()
                })
            }
        }
    }

    fn tensor<'py>(
        &self,
        tensor: &Tensor,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = arguments.py();
        let Tensor(.., device, attributes) = tensor;
        let alone = self.alone.bind(python).call0()?;
        alone.call_method0(intern!(python, "__enter__"))?;
        let made = self.sizes(tensor, arguments).and_then(|sizes| {
            let Some(attributes) = attributes else {
                return Ok(sizes);
            };
            // What its class does with it, which takes as long as all the rest.
            let options = PyDict::new(python);
            options.set_item(intern!(python, "dispatch_device"), true)?;
            options.set_item(intern!(python, "device_for_backend_keys"), device)?;
            let subclass = self.subclass.bind(python);
            let made = subclass.call((&self.fake, sizes, false), Some(&options))?;
            self.without_memory.call1(python, (&made,))?;
            let own = made.getattr(intern!(python, "__dict__"))?;
            own.cast::<PyDict>()?
                .update(attributes.bind(python).as_mapping())?;
            Ok(made)
        });
        let nothing = python.None();
        alone.call_method1(intern!(python, "__exit__"), (&nothing, &nothing, &nothing))?;
        if attributes.is_some() {
            return made;
        }
        self.fake.bind(python).call1((&self.mode, made?, device))
    }

    /// A tensor without memory.
    fn sizes<'py>(
        &self,
        tensor: &Tensor,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let python = arguments.py();
        let Tensor(of, shape, strides, offset, dtype, ..) = tensor;
        let options = self.options.bind(python).copy()?;
        options.set_item(intern!(python, "dtype"), dtype)?;
        let empty = self.empty.bind(python);
        let Some(of) = *of else {
            return empty.call((shape, strides), Some(&options));
        };
        let none = PyTuple::empty(python);
        let whole = arguments.get_item(of)?;
        let storage = whole.call_method0(intern!(python, "untyped_storage"))?;
        let made = empty.call((&none, &none), Some(&options))?;
        made.call_method1(intern!(python, "set_"), (storage, *offset, shape, strides))
    }
}
