//! CPU time beside wall time, in words: one sentence for each row that has both.

use laptime_analysis::{CpuUse, SpanRow, cpu_use};

use crate::document::{Content, Section};
use crate::filter;
use crate::name;
use crate::quantity;
use crate::view::View;

/// Rows that get a sentence, longest first.
const MOST: usize = 8;

/// Sections of one sentence each; none where no row has CPU time beside its wall time.
pub fn sections(rows: &[SpanRow], view: &View) -> Vec<Section> {
    let mut said: Vec<(&SpanRow, CpuUse)> = filter::wanted(rows, view)
        .filter_map(|row| Some((row, cpu_use(row)?)))
        .collect();
    said.sort_by_key(|(row, _)| std::cmp::Reverse(row.total_ns));
    said.truncate(MOST);
    let section = |(at, (row, cpu)): (usize, &(&SpanRow, CpuUse))| Section {
        heading: (at == 0).then(|| "wall and CPU time".to_owned()),
        remark: Some(format!("{}: {}", name::visible(&row.path), sentence(*cpu))),
        content: Content::Remark,
    };
    said.iter().enumerate().map(section).collect()
}

fn sentence(cpu: CpuUse) -> String {
    let share = |ratio: f64| quantity::percent(ratio).inline();
    match cpu {
        CpuUse::Computed { process_ratio } => format!(
            "computed; CPU time is {} of its wall time",
            share(process_ratio)
        ),
        CpuUse::Several { process_ratio } => {
            format!("computed on {process_ratio:.1} CPUs at once; CPU time exceeds its wall time")
        }
        CpuUse::OtherThreads {
            thread_ratio,
            process_ratio,
        } => format!(
            "waited while other threads computed; its own used the CPU for {} of its wall time, \
             the process for {}",
            share(thread_ratio),
            share(process_ratio)
        ),
        CpuUse::KeptFromCpu {
            delayed_ratio,
            process_ratio,
        } => format!(
            "was kept from the CPU by a busy machine for {} of its wall time, and used it for {}",
            share(delayed_ratio),
            share(process_ratio)
        ),
        CpuUse::Waited { process_ratio } => format!(
            "waited; CPU time is {} of its wall time. It slept, or waited for input, a lock, \
             another process or a device",
            share(process_ratio)
        ),
    }
}
