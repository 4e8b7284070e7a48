use super::super::function_row::FunctionSide;
use super::super::time_difference::TimeDifference;
use super::*;
use crate::summary::call_tree::CallKind;

/// Makes a function with its times on both sides, and half the width of their difference's interval.
fn row(times: [f64; 2], within_ns: f64) -> FunctionRow {
    let [base, new] = times.map(|self_ns| {
        Some(FunctionSide {
            line: 1,
            self_ns,
            total_ns: self_ns,
            sample_count: 50,
        })
    });
    let own = TimeDifference {
        difference_ns: times[1] - times[0],
        within_ns,
        ..TimeDifference::default()
    };
    FunctionRow {
        call: CallKind::Import {
            module: String::new(),
        },
        before: None,
        base,
        new,
        unsampled_below_ns: None,
        own,
        total: own,
        changed: None,
        doubt: None,
        stands_out: false,
        library: None,
    }
}

fn ratio(rows: &[FunctionRow]) -> Option<f64> {
    let all = |side: usize| rows.iter().map(|row| row.self_ns()[side]).sum();
    alike_ratio(rows, [all(0), all(1)])
}

#[test]
fn functions_that_all_take_longer_by_one_ratio_changed_alike() {
    let rows = [
        row([600.0, 1_150.0], 300.0),
        row([700.0, 1_450.0], 350.0),
        row([100.0, 120.0], 150.0),
    ];
    assert!((ratio(&rows).unwrap() - 2_720.0 / 1_400.0).abs() < 1e-9);
}

#[test]
fn functions_of_which_most_did_not_clearly_change_did_not_change_alike() {
    let rows = [
        row([420.0, 1_280.0], 680.0),
        row([138.0, 964.0], 660.0),
        row([659.0, 549.0], 650.0),
        row([590.0, 660.0], 420.0),
    ];
    assert_eq!(ratio(&rows), None);
}

#[test]
fn one_function_that_changed_otherwise_refutes_it() {
    let mut rows = vec![row([600.0, 1_200.0], 300.0), row([700.0, 1_400.0], 350.0)];
    assert!(ratio(&rows).is_some());
    rows.push(row([300.0, 300.0], 40.0));
    assert_eq!(ratio(&rows), None);
}

#[test]
fn one_function_alone_is_no_change_of_all() {
    let rows = [row([900.0, 1_800.0], 300.0), row([100.0, 150.0], 120.0)];
    assert_eq!(ratio(&rows), None);
}
