//! A span that opens, until it is on its stack.

use super::times;
use crate::device;
use crate::device::here::Place;
use crate::device_memory;

/// What devices follow of a span that opens.
#[derive(Debug, Default)]
pub struct Opening {
    pub memory: Option<device_memory::Token>,
    pub begun: Option<(Place, device::Begun)>,
}

impl Opening {
    /// A span opens. Its own time on the device begins last.
    pub fn begin() -> Self {
        Self {
            memory: device_memory::open(),
            begun: times::begin(),
        }
    }

    /// The span did not open.
    pub fn forget(self) {
        if let Some((_, begun)) = self.begun {
            device::forget(begun);
        }
        if let Some(token) = self.memory {
            device_memory::forget(token);
        }
    }
}
