//! Where a command prints: what is [`Shown`], and what another tool reads.

use std::io::{self, Write};

use laptime_report::Shown;

/// Where a command prints.
pub struct Outlet<'w>(&'w mut dyn Write);

impl<'w> Outlet<'w> {
    /// Prints there.
    pub fn new(to: &'w mut dyn Write) -> Self {
        Self(to)
    }

    /// Prints what is safe to show.
    ///
    /// **Errors** with the system's reason.
    pub fn show(&mut self, shown: &Shown) -> io::Result<()> {
        self.0.write_all(shown.as_bytes())?;
        self.0.flush()
    }

    /// What another tool reads, whose writer escapes for it; and what none of the texts of a recording is in.
    pub fn unseen(&mut self) -> &mut dyn Write {
        self.0
    }
}
