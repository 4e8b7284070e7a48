use laptime_analysis::{Functions, RowKind, SpanRow};

use super::super::{Origin, RecordingWords};
use super::*;

const MS: u64 = 1_000_000;

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

/// A training whose steps are forward for so long, and data for the rest of 1 s.
fn training(forward_ms: u64) -> Summary {
    let mut summary = crate::tests::killed();
    summary.steady = None;
    summary.findings.clear();
    summary.environment.insert(TORCH.into(), "2".into());
    summary.rows = vec![
        row("step", 1_000),
        row("step/forward", forward_ms),
        row("step/data", 1_000 - forward_ms),
    ];
    summary
}

fn view(program: &[&str]) -> View {
    let recording = RecordingWords {
        name: Some("a.lap".to_owned()),
        page: Some("a.html".to_owned()),
    };
    View {
        origin: Origin {
            recording: Some(recording),
            program: program.iter().copied().map(str::to_owned).collect(),
            is_without_display: false,
        },
        ..View::default()
    }
}

/// Compiling in the steps, of which no command tells more.
fn recompilation() -> Finding {
    Finding::Recompilation {
        path: "step/forward/compile".into(),
        count: 4,
        is_after_warm_up: true,
        total_ns: 500 * MS,
    }
}

fn said(summary: &Summary, program: &[&str]) -> String {
    after_report(summary, &view(program)).unwrap().line()
}

#[test]
fn a_program_that_failed_before_anything_was_measured_is_offered_no_page() {
    let mut failed = training(600);
    let next = |summary: &Summary| after_report(summary, &view(&[]));
    failed.run.as_mut().unwrap().end = serde_json::from_str(r#"{"monotonic_ns":1,"code":1}"#).ok();
    assert!(next(&failed).is_some(), "its spans can be looked at");
    failed.rows.clear();
    assert_eq!(next(&failed), None);
}

#[test]
fn a_program_without_laps_is_offered_what_its_screen_does_not_show() {
    let mut plain = training(600);
    plain.rows.clear();
    assert_eq!(after_report(&plain, &view(&["train.py"])), None);
    plain.functions = Some(Functions {
        sample_count: 100,
        period_ns: 10 * MS,
        within_ns: 0,
        unread_ratio: 0.0,
        laps: Vec::new(),
        exact: None,
    });
    let functions = "next: laptime report a.lap --functions";
    assert_eq!(said(&plain, &["train.py"]), functions);
    // The tree of calls is on the screen.
    plain.findings.push(Finding::GarbageCollection {
        path: None,
        total_ns: 500 * MS,
        during_ns: 1_000 * MS,
        place: None,
    });
    assert_eq!(said(&plain, &["train.py"]), functions);
}

#[test]
fn what_was_not_recorded_has_no_report_to_ask_for() {
    let mut view = view(&["train.py"]);
    view.origin.recording = None;
    assert_eq!(after_report(&training(600), &view), None);
    let run = after_report(&training(900), &view).unwrap();
    assert_eq!(run.text, "laptime run --modules train.py");
}

#[test]
fn a_step_that_is_mostly_a_network_offers_to_time_its_layers() {
    let program = ["train.py", "--lr", "0.1 0.2"];
    assert_eq!(
        said(&training(900), &program),
        "next: laptime run --modules train.py --lr '0.1 0.2'  # names the layer"
    );
    let page = "next: laptime report a.lap -o a.html --open";
    assert_eq!(said(&training(600), &program), page, "data is much of it");
    assert_eq!(
        said(&training(900), &[]),
        page,
        "how it was run isn't known"
    );
    let mut without_torch = training(900);
    without_torch.environment.clear();
    assert_eq!(said(&without_torch, &program), page);
    let mut explained = training(900);
    explained.findings.push(recompilation());
    assert_eq!(
        said(&explained, &program),
        page,
        "a finding says what it is"
    );
    let mut timed = training(900);
    timed.rows[1].module_class = "Linear".into();
    assert_eq!(
        said(&timed, &program),
        "next: laptime report a.lap --by module"
    );
}

/// Memory of the process that rises over the steps.
fn growth() -> Finding {
    Finding::ResidentGrowth {
        path: Some("step".into()),
        step_count: Some(50),
        each_bytes: 1 << 20,
        uncertainty_bytes: 1 << 10,
        risen_bytes: 50 << 20,
        during_ns: None,
        before_end_ns: None,
        is_counted: false,
        counted_bytes: None,
        function: None,
        busy_function: None,
    }
}

#[test]
fn memory_that_grows_is_asked_about_before_anything_else() {
    let mut summary = training(900);
    summary.rows[1].module_class = "Linear".into();
    let memory = "next: laptime run --memory train.py";
    summary.findings.push(growth());
    assert_eq!(said(&summary, &["train.py"]), memory);
    let modules = "next: laptime report a.lap --by module";
    assert_eq!(said(&summary, &[]), modules, "how it was run isn't known");
    summary.findings.insert(0, recompilation());
    assert_eq!(said(&summary, &["train.py"]), modules, "not the first one");
    summary.rows[1].module_class.clear();
    assert_eq!(said(&summary, &["train.py"]), memory, "it has a command");
}
