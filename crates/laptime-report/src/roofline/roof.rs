//! What a machine reaches at most: its peak and its bandwidth.

use laptime_core::Unavailable;
use laptime_core::ceilings::Ceilings;
use serde::Serialize;

/// What a machine reaches at most.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Roof {
    /// Arithmetic.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub flop_per_s: f64,
    /// What that is, such as `measured float32 matmul peak of cpu`.
    pub flop_label: String,
    /// Memory.
    #[cfg_attr(feature = "schema", schemars(extend("exclusiveMinimum" = 0)))]
    pub bytes_per_s: f64,
    /// What that is.
    pub bytes_label: String,
}

impl Roof {
    /// That of a device for work on a type.
    ///
    /// **Errors** when one of the two is not known.
    pub fn of(ceilings: &Ceilings, device: &str, dtype: &str) -> Result<Self, Unavailable> {
        let (flop, bytes) = (ceilings.roof(device, dtype)?, ceilings.bytes(device)?);
        Ok(Self {
            flop_per_s: flop.per_s,
            flop_label: flop.label(),
            bytes_per_s: bytes.per_s,
            bytes_label: bytes.label(),
        })
    }

    /// FLOP per byte from which on arithmetic holds back.
    pub fn ridge_flop_per_byte(&self) -> f64 {
        self.flop_per_s / self.bytes_per_s
    }

    /// FLOP/s that work of an intensity reaches at most.
    pub fn attainable_flop_per_s(&self, flop_per_byte: f64) -> f64 {
        (flop_per_byte * self.bytes_per_s).min(self.flop_per_s)
    }

    /// Whether both are rates that something can be drawn for.
    pub fn is_sound(&self) -> bool {
        let is_rate = |rate: f64| rate.is_finite() && rate > 0.0;
        is_rate(self.flop_per_s) && is_rate(self.bytes_per_s)
    }
}
