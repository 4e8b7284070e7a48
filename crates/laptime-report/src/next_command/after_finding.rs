//! The command to type after a finding, which shows more of what it is about.

use laptime_analysis::{Finding, Summary};

use super::command::Command;
use super::origin::Origin;

/// Noted where `PyTorch` was there, whose modules can be timed.
pub(super) const TORCH: &str = "threads";
/// Steps to profile: after the first ones, which are slower.
const KERNELS: [&str; 2] = ["--kernels", "10:13"];

/// Returns the command that tells more about a finding; `None` where a change of the program is what comes next, or
/// where the words for the command aren't known.
pub fn after_finding(finding: &Finding, summary: &Summary, origin: &Origin) -> Option<Command> {
    let is_sampled = summary.functions.is_some();
    match finding {
        Finding::Startup { .. } | Finding::Exit { .. } if is_sampled => {
            origin.report(&["--functions"])
        }
        Finding::HotSpot { class, .. } if !class.is_empty() => origin.report(&["--by", "module"]),
        Finding::BetweenSteps { .. }
        | Finding::DataWait { .. }
        | Finding::GarbageCollection { .. }
        | Finding::HeldLoop(_)
        | Finding::HotSpot { .. }
        | Finding::InFunction { .. }
        | Finding::Occasional { .. }
        | Finding::OutsideSteps { .. }
        | Finding::SlowSteps { .. }
        | Finding::ThreadsWait(_)
            if is_sampled =>
        {
            origin.report(&["--tree"])
        }
        Finding::Ranks { .. } if are_comparable(summary) => origin.ranks(),
        Finding::Ranks { .. } => origin.report(&["--by", "process"]),
        Finding::MemoryRise {
            is_sampled: false, ..
        }
        | Finding::ResidentGrowth {
            is_counted: false, ..
        }
        | Finding::DeviceGrowth {
            is_counted: false, ..
        } => origin.run(&["--memory"]),
        // A number that a busy machine made is measured again.
        Finding::Unsteady { is_busy: true, .. } | Finding::WarmUp { busy: Some(_), .. } => {
            origin.run(&[])
        }
        Finding::IdleDevice { .. } | Finding::MemoryBound { .. } if summary.operators.is_some() => {
            origin.report(&["--kernels"])
        }
        Finding::IdleDevice { .. } if summary.environment.contains_key(TORCH) => {
            origin.run(&KERNELS)
        }
        _ => None,
    }
}

/// Whether so many processes told their ranks that it can be known which one is usual.
fn are_comparable(summary: &Summary) -> bool {
    summary
        .ranks
        .iter()
        .filter(|one| one.rank.is_some())
        .count()
        > 2
}
