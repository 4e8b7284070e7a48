//! Rows in the order that is asked for, and orders that CSV alone has.

use super::*;
use crate::tables::operations::{By, OperationsSort, examples};

/// Returns the operators of a table, from top to bottom.
fn order(sort: OperationsSort) -> Vec<String> {
    let (mut counts, subject) = examples::network();
    // They are told with the most work first.
    counts.by_op.reverse();
    let view = OperationsView {
        by: Some(By::Operator),
        sort: Some(sort),
        ..OperationsView::default()
    };
    let text = render(&counts, &subject, None, Format::Text, &view);
    let table = text.lines().filter_map(|line| line.strip_prefix("aten::"));
    let names = table.filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

#[test]
fn operators_stand_in_the_order_asked_for() {
    let [conv, addmm, norm, relu] = ["convolution", "addmm", "native_batch_norm", "relu"];
    for (sort, expected) in [
        // Two operators multiply nothing: one of them has other FLOP.
        (OperationsSort::Mac, [conv, addmm, norm, relu]),
        (OperationsSort::TotalFlop, [conv, addmm, norm, relu]),
        (OperationsSort::Bytes, [conv, relu, addmm, norm]),
        // As they were, where there are as many.
        (OperationsSort::Calls, [conv, addmm, relu, norm]),
        (OperationsSort::Intensity, [relu, addmm, norm, conv]),
        (OperationsSort::Name, [addmm, conv, norm, relu]),
    ] {
        assert_eq!(order(sort), expected, "{sort:?}");
    }
}

#[test]
fn what_is_not_counted_has_its_row_in_csv() {
    let (counts, subject) = examples::partly();
    let csv = render(
        &counts,
        &subject,
        None,
        Format::Csv,
        &OperationsView::default(),
    );
    let rows: Vec<&str> = csv
        .lines()
        .filter(|line| line.starts_with("uncounted,"))
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    uncounted,mine::scan,,all,,1,,,1,,,,,,,,,,,,,,4194304,no formula is known for it; register one
    uncounted,aten::mm,,all,,1,,,1,,,,,,,,,,,,,,1024,it runs in a loop whose number of rounds is not known
    ");
}
