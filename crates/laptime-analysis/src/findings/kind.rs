//! The kinds of findings, without what they hold: what the rows of [`super::explained_by`] are made of.

use crate::summary::finding::Finding;

/// Makes the kinds of the names of [`Finding`]'s variants; the compiler refuses a list that lacks one.
macro_rules! kinds {
    ($($kind:ident),* $(,)?) => {
        /// The kind of a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            $(
                #[doc = concat!("[`Finding::", stringify!($kind), "`].")]
                $kind,
            )*
        }

        impl Kind {
            /// Returns the kind of a finding.
            pub fn of_finding(finding: &Finding) -> Self {
                match finding {
                    $(Finding::$kind { .. } => Self::$kind,)*
                }
            }
        }
    };
}

kinds![
    BetweenSteps,
    Compiling,
    DataWait,
    DeviceGrowth,
    Exit,
    GarbageCollection,
    GrowingInputs,
    HeldLoop,
    HotSpot,
    IdleDevice,
    InFunction,
    MemoryBound,
    MemoryGrowth,
    MemoryRise,
    NoSteps,
    Occasional,
    OutsideSteps,
    Overhead,
    Ranks,
    Recompilation,
    ResidentGrowth,
    SlowSteps,
    Startup,
    ThreadsWait,
    Throttled,
    Unsteady,
    WarmUp,
    WorkerStarts,
];
