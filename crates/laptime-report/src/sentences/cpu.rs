//! CPU time beside wall time, in words: one sentence for each row that has both.

use laptime_analysis::{CpuUse, SpanRow, cpu_use};

use crate::document::Section;
use crate::document::filter;
use crate::document::names;
use crate::document::view::View;
use crate::quantity;

/// Most rows that get a sentence, the longest first.
const MOST: usize = 8;

/// The least share of the wall time that other threads must have used to be told of.
const OTHERS_RATIO: f64 = 0.1;

/// Makes a section of one sentence for each row; none where no row has CPU time beside its wall time.
pub fn sections(rows: &[SpanRow], view: &View) -> Vec<Section> {
    let mut rows: Vec<(&SpanRow, CpuUse)> = filter::wanted(rows, view)
        .filter_map(|row| Some((row, cpu_use(row)?)))
        .collect();
    rows.sort_by_key(|(row, _)| std::cmp::Reverse(row.total_ns));
    rows.truncate(MOST);
    let rows = rows.iter();
    let sentences =
        rows.map(|(row, cpu)| format!("{}: {}", names::visible(&row.path), sentence(*cpu)));
    Section::remarks("wall and CPU time", sentences)
}

/// Writes how the CPU was used.
fn sentence(cpu: CpuUse) -> String {
    let share = |ratio: f64| quantity::percent(ratio).inline();
    match cpu {
        CpuUse::Short => "its CPU time includes reading that clock, about a microsecond per span, which is much of such short spans".to_owned(),
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
            is_delay_known,
        } => format!(
            "waited{} while other threads computed; its own used the CPU for {} of its wall time, \
             the process for {}",
            if is_delay_known {
                ""
            } else {
                " or was kept from the CPU"
            },
            share(thread_ratio),
            share(process_ratio)
        ),
        CpuUse::KeptFromCpu {
            delayed_ratio,
            thread_ratio,
            process_ratio,
        } => {
            let others = if process_ratio - thread_ratio >= OTHERS_RATIO {
                format!(
                    "; with other threads the process used {}",
                    share(process_ratio)
                )
            } else {
                String::new()
            };
            format!(
                "was kept from the CPU by a busy machine for {} of its wall time, and its thread \
                 used it for {}{others}",
                share(delayed_ratio),
                share(thread_ratio)
            )
        }
        CpuUse::Waited {
            process_ratio,
            is_delay_known,
        } => format!(
            "waited; CPU time is {} of its wall time. It slept, or waited for input, a lock, \
             another process or a device{}",
            share(process_ratio),
            if is_delay_known {
                ""
            } else {
                ", or was kept from the CPU by a busy machine"
            }
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_denies_a_busy_machine_only_where_it_was_measured() {
        let waited = |is_delay_known| {
            sentence(CpuUse::Waited {
                process_ratio: 0.01,
                is_delay_known,
            })
        };
        assert!(waited(true).ends_with("another process or a device"));
        assert!(waited(false).ends_with("a device, or was kept from the CPU by a busy machine"));
    }

    #[test]
    fn a_thread_kept_from_the_cpu_is_told_from_its_process() {
        let kept = |process_ratio| {
            sentence(CpuUse::KeptFromCpu {
                delayed_ratio: 0.606,
                thread_ratio: 0.241,
                process_ratio,
            })
        };
        assert_eq!(
            kept(0.482),
            "was kept from the CPU by a busy machine for 60.6 % of its wall time, and its thread \
             used it for 24.1 %; with other threads the process used 48.2 %"
        );
        assert!(kept(0.242).ends_with("its thread used it for 24.1 %"));
    }
}
