//! Sizes of memory and of tensors, whose number isn't the same in all files.

use super::FormatError;
use super::fields::Fields;
use crate::input_sizes::{Holds, InputSizes, Sizes};
use crate::memory::PrivateMemory;

impl Fields<'_> {
    /// Reads what a process allocated of its resident memory; older files end before it.
    pub(super) fn private_memory(&mut self) -> Result<Option<PrivateMemory>, FormatError> {
        if self.length == 0 {
            return Ok(None);
        }
        Ok(Some(PrivateMemory {
            resident_bytes: self.number()?,
            reserved_bytes: self.number()?,
        }))
    }

    /// Reads the sizes of a tensor, which stand to the end.
    pub(super) fn input_sizes(&mut self, track: u32) -> Result<InputSizes, FormatError> {
        let mut input = InputSizes {
            ticks: self.time()?,
            track,
            tensor: self.number()? as u32,
            holds: Holds::of_code(self.number()?),
            sizes: Sizes::default(),
        };
        while self.length > 0 {
            input.sizes.push(self.number()?);
        }
        Ok(input)
    }
}
