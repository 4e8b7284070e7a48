//! The limits of a machine: its peak and its bandwidth.

use laptime_core::Unavailable;
use laptime_core::ceilings::Ceilings;
use serde::Serialize;

/// The limits of a machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Roof {
    /// Peak rate of arithmetic.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub flop_per_s: f64,
    /// Description of the peak, such as `measured float32 matmul peak of cpu`.
    pub flop_label: String,
    /// Bandwidth of memory.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub bytes_per_s: f64,
    /// Description of the bandwidth.
    pub bytes_label: String,
}

impl Roof {
    /// Finds the roof of a device for work on a type.
    ///
    /// **Errors** when one of the two is not known.
    pub fn of_device(ceilings: &Ceilings, device: &str, dtype: &str) -> Result<Self, Unavailable> {
        let (flop, bytes) = (ceilings.roof(device, dtype)?, ceilings.bytes(device)?);
        Ok(Self {
            flop_per_s: flop.per_s,
            flop_label: flop.label(),
            bytes_per_s: bytes.per_s,
            bytes_label: bytes.label(),
        })
    }

    /// Returns the FLOP per byte from which on arithmetic is the limit.
    pub fn ridge_flop_per_byte(&self) -> f64 {
        self.flop_per_s / self.bytes_per_s
    }

    /// Returns the highest FLOP/s that work of an intensity can reach.
    pub fn attainable_flop_per_s(&self, flop_per_byte: f64) -> f64 {
        (flop_per_byte * self.bytes_per_s).min(self.flop_per_s)
    }

    /// Tells whether both are rates that something can be drawn for.
    pub fn is_sound(&self) -> bool {
        let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
        is_rate(self.flop_per_s) && is_rate(self.bytes_per_s)
    }
}
