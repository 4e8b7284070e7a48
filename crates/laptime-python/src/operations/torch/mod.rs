//! The hot path of counting `PyTorch`: what happens at every operator and every module.
//!
//! [`dispatch`] stands in for a dispatch mode's `__torch_dispatch__`: it lets the operator run and
//! takes down what it was called with ([`capture`]), where ([`places`]) and in which phase
//! ([`moment`]); a call that repeats is not run again ([`recall`]). Above autograd [`function`]
//! exchanges the program's tensors for others. What happens once for each operator, and operators
//! that need more than that, are Python's: methods of the class that derives from
//! [`dispatch::TorchDispatch`].

mod capture;
mod counted_calls;
mod device;
pub mod dispatch;
pub mod function;
mod function_modes;
mod moment;
mod operator;
mod places;
mod recall;
