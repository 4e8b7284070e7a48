//! Why nothing is known of a device: the words of all reasons stand here.
//!
//! [`Absent`] is about a driver as a whole, found when it is looked for. [`Untimed`] is about one span,
//! told with the span in place of its times. Both become an [`Unavailable`] where a number is due.

use std::fmt;

use laptime_core::{NoDeviceTime, Unavailable};

use super::driver::Driver;

/// An error that a driver returned: which call, its number and its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The driver's function.
    pub call: &'static str,
    /// What it returned.
    pub code: i32,
    /// The driver's word for that, such as `CUDA_ERROR_LAUNCH_FAILED`; a phrase where it has none.
    pub name: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, code, name } = self;
        write!(formatter, "{call} failed with {name} ({code})")
    }
}

/// Why a driver can't be used, in the order in which it is found out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Absent {
    /// The library is not installed.
    #[error("no NVIDIA driver: {library} is not installed")]
    NoLibrary {
        /// The library.
        library: String,
    },
    /// It is there and does not open: of another architecture, or damaged.
    #[error("the NVIDIA driver does not load: {why}")]
    NotLoadable {
        /// The linker's words.
        why: String,
    },
    /// The program has not loaded the library, so it uses no device. Asked again later.
    #[error("the program has not loaded the NVIDIA driver")]
    NotLoaded,
    /// A function is missing.
    #[error("the NVIDIA driver is too old: {symbol} is missing from {library}")]
    TooOld {
        /// The library.
        library: String,
        /// The function.
        symbol: String,
    },
    /// The driver refuses to start.
    #[error("the NVIDIA driver does not start: {0}")]
    Refused(Fault),
    /// The management library is not installed. The driver may be, as in a container that has no more of it.
    #[error("{library} is not installed: it comes with the NVIDIA driver")]
    NoManagement {
        /// The library.
        library: String,
    },
    /// The management library refuses to start.
    #[error("NVIDIA's management library does not start: {why}")]
    Unmanaged {
        /// Its words.
        why: String,
    },
    /// There is no device, or `CUDA_VISIBLE_DEVICES` hides all of them.
    #[error("the NVIDIA driver shows no device")]
    NoDevice,
    /// The program has not started the driver. Asked again later.
    #[error("the program has not initialised CUDA yet")]
    NotInitialized,
    /// No device has a primary context. Asked again later: making one is the program's business.
    #[error("the program has not used a device yet")]
    NoContext,
    /// The driver took too long to answer.
    #[error("the NVIDIA driver did not answer within {seconds} s")]
    NoAnswer {
        /// How long it was waited for.
        seconds: u64,
    },
    /// This process was forked from one that uses the driver, which can't be used in the child.
    #[error("forked from a process that uses the device")]
    Forked,
    /// The driver has shut down, as it does when a program exits.
    #[error("the NVIDIA driver has shut down")]
    Ended,
    /// A kind of device whose driver Laptime doesn't open.
    #[error("Laptime opens no driver for {kind} devices: they are timed through PyTorch")]
    NotOpened {
        /// Whose devices.
        kind: &'static str,
    },
}

impl Absent {
    /// Whether asking again later may lead to another answer.
    pub fn may_change(&self) -> bool {
        matches!(
            self,
            Self::NotLoaded | Self::NotInitialized | Self::NoContext
        )
    }
}

/// Why a span has no device time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Untimed {
    /// The stream was being captured: what the span enqueued runs when the graph is replayed.
    #[error("a graph was being captured: its work runs, and is timed, when the graph is replayed")]
    Captured,
    /// As many spans as are allowed were waiting for the device.
    #[error("too many spans were waiting for the device: {most} events are in use")]
    TooManyPending {
        /// Most events.
        most: usize,
    },
    /// The span ended under another context than it began under.
    #[error("the device in use changed between the start and the end of the span")]
    OtherContext,
    /// The driver returned an error.
    #[error("{0}")]
    Failed(Fault),
    /// The device had not finished when nobody waited any longer.
    #[error("the device had not finished the span's work when the report was made")]
    StillRunning,
    /// The driver can't be used any more.
    #[error("{0}")]
    Absent(Absent),
}

impl Untimed {
    /// The same, unless it is what a driver that has shut down says in answer to anything.
    #[must_use]
    pub fn or_ended(self, driver: &impl Driver) -> Self {
        match &self {
            Self::Failed(fault) if driver.is_end(fault) => Self::Absent(Absent::Ended),
            _ => self,
        }
    }

    /// What of it a recording tells span by span.
    pub fn kind(&self) -> NoDeviceTime {
        match self {
            Self::Captured => NoDeviceTime::Captured,
            Self::TooManyPending { .. } => NoDeviceTime::TooManyPending,
            Self::OtherContext => NoDeviceTime::OtherContext,
            Self::Failed(_) => NoDeviceTime::Failed,
            Self::StillRunning => NoDeviceTime::StillRunning,
            Self::Absent(_) => NoDeviceTime::Gone,
        }
    }
}

impl From<Absent> for Unavailable {
    fn from(reason: Absent) -> Self {
        Self(reason.to_string())
    }
}

impl From<Untimed> for Unavailable {
    fn from(reason: Untimed) -> Self {
        Self(reason.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_program_may_still_do_is_asked_again() {
        assert!(Absent::NotLoaded.may_change());
        assert!(Absent::NotInitialized.may_change());
        assert!(Absent::NoContext.may_change());
        assert!(!Absent::NoDevice.may_change());
        assert!(!Absent::Forked.may_change());
        assert!(!Absent::Ended.may_change());
    }

    #[test]
    fn a_fault_names_the_call_the_word_and_the_number() {
        let fault = Fault {
            call: "cuEventQuery",
            code: 719,
            name: "CUDA_ERROR_LAUNCH_FAILED".to_owned(),
        };
        let reason: Unavailable = Untimed::Failed(fault).into();
        assert_eq!(
            reason.0,
            "cuEventQuery failed with CUDA_ERROR_LAUNCH_FAILED (719)"
        );
    }
}
