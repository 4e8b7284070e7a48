//! A further reading of a process's records: the reader's side, and a visitor that ends with what it found.

use laptime_core::format::reader::VisitProcess;

/// Reads the records of one process once more, for whoever visits them.
pub trait ReadAgain {
    /// The reader's error.
    type Error;

    /// Hands all records to a visitor, but for windows that it doesn't want.
    ///
    /// **Errors** as the first reading.
    fn read_again(&mut self, visit: &mut impl VisitProcess) -> Result<(), Self::Error>;
}

/// A visitor that leaves what it found with the process.
pub trait Finish {
    /// Ends the pass once everything was read.
    fn finish(self);
}
