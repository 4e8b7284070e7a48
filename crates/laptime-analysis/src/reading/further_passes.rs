//! Passes over the records of a process after the first one: each finds what can be known only once all records
//! were read.

use laptime_core::format::reader::VisitProcess;

use crate::functions::sampled::StackPass;
use crate::power::EnergyPass;
use crate::profiler::OperatorPass;
use crate::reading::process::Process;
use crate::reading::read_again::{Finish, ReadAgain};
use crate::reading::second_pass::SecondPass;
use crate::summarize::columns::operations::uncounted_pass::LeftOutPass;

/// A pass after the first one; the variants stand in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaterPass {
    /// Finds the totals of the steady state, where there is one.
    SteadyState,
    /// Finds the lap of each sample, where stacks were sampled.
    Stacks,
    /// Finds the lap of each operator, where steps were profiled.
    Operators,
    /// Finds the spans in which calls ran whose operations are not known.
    LeftOut,
    /// Finds the energy of laps, where devices told what they draw.
    Energy,
}

impl LaterPass {
    /// All passes in order; passes over laps look at the steady state's totals, which come first.
    pub const ALL: [Self; 5] = [
        Self::SteadyState,
        Self::Stacks,
        Self::Operators,
        Self::LeftOut,
        Self::Energy,
    ];

    /// Reads a process once more, if the pass finds anything there.
    ///
    /// **Errors** as the reader.
    pub fn read<R: ReadAgain>(self, process: &mut Process, reader: &mut R) -> Result<(), R::Error> {
        match self {
            Self::SteadyState => read(SecondPass::begin(process), reader),
            Self::Stacks => read(StackPass::begin(process), reader),
            Self::Operators => read(OperatorPass::begin(process), reader),
            Self::LeftOut => read(LeftOutPass::begin(process), reader),
            Self::Energy => read(EnergyPass::begin(process), reader),
        }
    }
}

fn read<P: VisitProcess + Finish, R: ReadAgain>(
    pass: Option<P>,
    reader: &mut R,
) -> Result<(), R::Error> {
    let Some(mut pass) = pass else {
        return Ok(());
    };
    reader.read_again(&mut pass)?;
    pass.finish();
    Ok(())
}
