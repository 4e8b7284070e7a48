use std::sync::atomic::{AtomicU32, Ordering};

use laptime_analysis::{RowKind, SpanRow};

use super::*;

const MS: u64 = 1_000_000;
static NUMBER: AtomicU32 = AtomicU32::new(0);

fn row(path: &str, total_ms: u64) -> SpanRow {
    SpanRow {
        path: path.to_owned(),
        names: path.split('/').map(str::to_owned).collect(),
        kind: RowKind::Span,
        count: Some(50),
        total_ns: total_ms * MS,
        ..SpanRow::default()
    }
}

/// The summary of a small recording.
fn recorded() -> Summary {
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("laptime-next-{}-{number}.lap", std::process::id());
    let path = std::env::temp_dir().join(name);
    crate::recording::folder(&path, 5);
    let summary = laptime::Recorded::new(&path).summary().unwrap();
    std::fs::remove_dir_all(&path).unwrap();
    summary
}

/// A training whose steps are forward for so long, and data for the rest of 1 s.
fn training(forward_ms: u64) -> Summary {
    let mut summary = recorded();
    summary.steady = None;
    summary.findings.clear();
    summary.functions = None;
    summary.environment.insert(TORCH.into(), "2".into());
    summary.rows = vec![
        row("step", 1_000),
        row("step/forward", forward_ms),
        row("step/data", 1_000 - forward_ms),
    ];
    summary
}

fn said(summary: &Summary, again: &[&str]) -> String {
    let again: Vec<OsString> = again.iter().map(OsString::from).collect();
    let recording = Some(Path::new("a.lap"));
    after(recording, summary, (By::Path, false), &again).unwrap()
}

#[test]
fn the_last_run_needs_no_name_and_a_run_no_path() {
    let summary = training(600);
    let said =
        |path: Option<&str>| after(path.map(Path::new), &summary, (By::Path, false), &[]).unwrap();
    assert_eq!(said(None), "next: laptime report --open");
    let elsewhere = "other/.laptime/runs/train-1.lap";
    assert_eq!(
        said(Some(elsewhere)),
        format!("next: laptime report {elsewhere} --open")
    );
}

#[test]
fn a_program_that_failed_before_anything_was_measured_is_offered_no_page() {
    let mut failed = training(600);
    let end = &mut failed.run.as_mut().unwrap().end;
    end.as_mut().unwrap().code = Some(1);
    let next = |summary: &Summary| after(None, summary, (By::Path, false), &[]);
    assert!(next(&failed).is_some(), "its spans can be looked at");
    failed.rows.clear();
    assert_eq!(next(&failed), None);
    failed.run.as_mut().unwrap().end.as_mut().unwrap().code = Some(0);
    assert!(next(&failed).is_some(), "it did not fail");
}

#[test]
fn a_step_that_is_mostly_a_network_offers_to_time_its_layers() {
    let again = ["train.py", "--lr", "0.1 0.2"];
    assert_eq!(
        said(&training(900), &again),
        "next: laptime run --modules train.py --lr '0.1 0.2'  # names the layer"
    );
    let page = "next: laptime report a.lap -o a.html --open";
    assert_eq!(said(&training(600), &again), page, "data is much of it");
    assert_eq!(
        said(&training(900), &[]),
        page,
        "how it was run isn't known"
    );
    let mut without_torch = training(900);
    without_torch.environment.clear();
    assert_eq!(said(&without_torch, &again), page);
    let mut explained = training(900);
    explained.findings.push(Finding::Recompilation {
        path: "step/forward/compile".into(),
        count: 4,
        is_after_warm_up: true,
        total_ns: 500 * MS,
    });
    assert_eq!(said(&explained, &again), page, "a finding says what it is");
    let mut timed = training(900);
    timed.rows[1].module_class = "Linear".into();
    assert_eq!(
        said(&timed, &again),
        "next: laptime report a.lap --by module"
    );
}
