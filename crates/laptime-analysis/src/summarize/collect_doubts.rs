//! Doubts about a run, from everything that may tell one.

use laptime_core::RunInfo;

use crate::doubts;
use crate::reading::process::Process;
use crate::summarize::rows::Rows;
use crate::summarize::run_facts;
use crate::summary::doubt::Doubt;
use crate::summary::process::ProcessSummary;

/// Returns what the recording itself says that there is to doubt, and its launcher.
pub fn recorded(
    processes: &[Process],
    summaries: &[ProcessSummary],
    run: Option<&RunInfo>,
) -> Vec<Doubt> {
    let is_worker = |one: &ProcessSummary| {
        let parent = one.parent_pid;
        summaries.iter().any(|other| other.pid == parent)
    };
    let each = processes.iter().zip(summaries);
    let mut warnings: Vec<Doubt> = each
        .flat_map(|(process, summary)| doubts::of_process(process, summary, is_worker(summary)))
        .collect();
    warnings.extend(doubts::of_workers(
        summaries.iter().filter(|one| is_worker(one)),
    ));
    let has_spans = summaries.iter().any(|process| process.span_count > 0);
    let notes = run_facts::notes(processes);
    let end = run.and_then(|run| run.end.as_ref());
    warnings.extend(doubts::of_notes(
        notes,
        has_spans,
        end.is_some_and(doubts::has_failed),
    ));
    if let Some(run) = run {
        warnings.extend(run.end.as_ref().and_then(doubts::of_end));
        warnings.extend(doubts::of_unrecorded(&run.unrecorded));
    }
    warnings
}

/// Returns what rows say of themselves that there is to doubt.
pub fn row_doubts(made: &Rows) -> impl Iterator<Item = Doubt> {
    let each = made.rows.iter();
    let unbalanced = each.map(|row| (row.path.as_str(), row.unbalanced_count));
    let overfull = doubts::of_overfull(&made.overfull);
    overfull
        .into_iter()
        .chain(doubts::of_unbalanced(unbalanced))
}
