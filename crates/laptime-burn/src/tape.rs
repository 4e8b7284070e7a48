//! The device that records, and what the program says about the operations on it.
//!
//! burn's operations don't tell which module or phase they belong to. The program says so by
//! calling its parts through the tape, which leaves a mark between the operations: a custom one
//! that no program sees.

use std::cell::{Cell, RefCell};

use burn::backend::{Autodiff, AutodiffBackend};
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Bool, Device, Int, Tensor};
use burn_capture::{CaptureBackend, CaptureChannel, CaptureDevice, CaptureError};
use burn_dispatch::DispatchDevice;
use burn_ir::{CustomOpIr, OperationIr, ScalarIr};
use burn_router::{RouterClient, get_client};
use laptime_ops::{ModuleId, Modules, Phase};

/// The name of the operations that are marks.
const MARK: &str = "laptime::mark";

/// Where an operation belongs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) module: ModuleId,
    pub(crate) phase: Phase,
    /// Whether it is part of what is counted, not of making the model.
    pub(crate) is_counted: bool,
}

impl Place {
    const START: Self = Self {
        module: ModuleId::ROOT,
        phase: Phase::Forward,
        is_counted: true,
    };
}

/// The device that records, and the places of what runs on it.
#[derive(Debug)]
pub struct Tape {
    device: CaptureDevice,
    modules: RefCell<Modules>,
    path: RefCell<Vec<String>>,
    params: Cell<Option<u64>>,
    place: Cell<Place>,
    /// The place from each mark on.
    marks: RefCell<Vec<Place>>,
}

impl Tape {
    pub(crate) fn new() -> Self {
        Self {
            device: CaptureDevice::default(),
            modules: RefCell::default(),
            path: RefCell::default(),
            params: Cell::default(),
            place: Cell::new(Place::START),
            marks: RefCell::default(),
        }
    }

    /// The device to make the model and its inputs on. It tracks gradients.
    pub fn device(&self) -> Device {
        Device::new(DispatchDevice::Capture(self.device)).autodiff()
    }

    /// Makes a model's weights now and leaves that out of the count; its parameters, as burn counts
    /// them (running statistics are among them), are added to those of the count.
    ///
    /// burn makes weights when they are first used. Without this, filling them is counted where
    /// that happens (bytes, no FLOP), and the count has no parameters.
    #[must_use]
    pub fn model<M: Module>(&self, model: M) -> M {
        let aside = |place: Place| Place {
            is_counted: false,
            ..place
        };
        self.within(aside, || model.visit(&mut Weights));
        let params = self.params.get().unwrap_or(0) + model.num_params() as u64;
        self.params.set(Some(params));
        model
    }

    /// Runs a part of the model under its name: the row of a module, dotted below those around it.
    pub fn module<T>(&self, name: &str, part: impl FnOnce() -> T) -> T {
        self.path.borrow_mut().push(name.to_owned());
        let path = self.path.borrow().join(".");
        let module = {
            let mut modules = self.modules.borrow_mut();
            let module = modules.id(&path);
            modules.get_mut(module).calls += 1;
            module
        };
        let result = self.within(|place| Place { module, ..place }, part);
        self.path.borrow_mut().pop();
        result
    }

    /// Runs the backward of a loss. What it computes belongs to no module: burn doesn't tell.
    ///
    /// Under gradient checkpointing, forwards that it repeats are in it too.
    pub fn backward<const D: usize>(&self, loss: Tensor<D>) {
        // burn's own `Tensor::backward` refuses a device that records; what is below it doesn't.
        let loss = loss
            .try_into_primitive::<Autodiff<CaptureBackend>>()
            .unwrap_or_else(|_| panic!("the loss was not computed on tape.device()"));
        self.phase(Phase::Backward, || {
            <Autodiff<CaptureBackend> as AutodiffBackend>::backward(loss)
        });
    }

    /// Runs a part for another phase.
    pub fn phase<T>(&self, phase: Phase, part: impl FnOnce() -> T) -> T {
        self.within(|place| Place { phase, ..place }, part)
    }

    fn within<T>(&self, change: impl FnOnce(Place) -> Place, part: impl FnOnce() -> T) -> T {
        let outer = self.place.get();
        self.mark(change(outer));
        let result = part();
        self.mark(outer);
        result
    }

    fn mark(&self, place: Place) {
        self.place.set(place);
        let mut marks = self.marks.borrow_mut();
        let index = ScalarIr::UInt(marks.len() as u64);
        marks.push(place);
        let mark = CustomOpIr::with_scalars(MARK, &[], &[], vec![index]);
        get_client::<CaptureChannel>(&self.device).register_op(OperationIr::Custom(mark));
    }

    pub(crate) fn record(
        &self,
        program: impl FnOnce(&Self),
    ) -> Result<Vec<OperationIr>, CaptureError> {
        let captured = self.device.capture_scope(|scope| {
            program(self);
            scope.complete([], [])
        })?;
        Ok(captured.graph.operations)
    }

    /// How many parameters there are, and the operations with their places, marks taken out.
    pub(crate) fn placed(
        self,
        operations: Vec<OperationIr>,
        modules: &mut Modules,
    ) -> (Option<u64>, Vec<(OperationIr, Place)>) {
        *modules = self.modules.into_inner();
        let marks = self.marks.into_inner();
        let mut place = Place::START;
        let mut placed = Vec::with_capacity(operations.len());
        for operation in operations {
            match &operation {
                OperationIr::Custom(mark) if mark.id == MARK => {
                    if let [ScalarIr::UInt(index)] = mark.scalars[..] {
                        place = marks[index as usize];
                    }
                }
                _ => placed.push((operation, place)),
            }
        }
        (self.params.get(), placed)
    }
}

/// Makes the weights that it visits.
struct Weights;

impl ModuleVisitor for Weights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let _ = param.val();
    }

    fn visit_int<const D: usize>(&mut self, param: &Param<Tensor<D, Int>>) {
        let _ = param.val();
    }

    fn visit_bool<const D: usize>(&mut self, param: &Param<Tensor<D, Bool>>) {
        let _ = param.val();
    }
}
