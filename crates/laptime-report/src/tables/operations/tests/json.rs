use laptime_core::operations::{Counts, Phase};
use serde_json::{Value, json};

use super::*;
use crate::schema_tests::violations;
use crate::tables::operations::examples;

fn schema() -> Value {
    serde_json::from_str(include_str!(
        "../../../../../../docs/operations.schema.json"
    ))
    .unwrap()
}

fn check(value: &Value) -> Vec<String> {
    violations(&schema(), value, &schema(), "counts")
}

fn text(counts: &Counts, subject: &Subject) -> String {
    let roofline = examples::roofline(&examples::network().0);
    let view = OperationsView::default();
    render(counts, subject, Some(&roofline), Format::Json, &view).into_string()
}

#[test]
fn counts_are_as_the_schema_says() {
    for (counts, subject) in [examples::network(), examples::partly(), Default::default()] {
        let value: Value = serde_json::from_str(&text(&counts, &subject)).unwrap();
        assert_eq!(check(&value), Vec::<String>::new());
        let without = render(
            &counts,
            &subject,
            None,
            Format::Json,
            &OperationsView::default(),
        );
        let value: Value = serde_json::from_str(&without).unwrap();
        assert_eq!(check(&value), Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_what_no_counts_are() {
    let (counts, subject) = examples::network();
    let good: Value = serde_json::from_str(&text(&counts, &subject)).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        !check(&value).is_empty()
    };
    assert!(refused(&|value| value["version"] = json!(2)));
    assert!(refused(&|value| value["total"]["mac"] = json!("1 G")));
    assert!(refused(&|value| value["total"]["surprise"] = json!(1)));
    assert!(refused(
        &|value| value["by_op"][0]["total"]["flop"] = json!(1.5)
    ));
    assert!(refused(&|value| {
        value["by_module"][0].as_object_mut().unwrap().remove("own");
    }));
}

#[test]
fn what_is_written_is_read_again() {
    for (counts, subject) in [examples::network(), examples::partly(), Default::default()] {
        let (read, of) = crate::json::operations::read(&text(&counts, &subject)).unwrap();
        assert_eq!((read, of), (counts, subject));
    }
}

#[test]
fn numbers_beyond_64_bits_are_exact_both_ways() {
    let (mut counts, subject) = examples::network();
    let large = 340_282_366_920_938_463_463_374_607_431_768_211_u128;
    counts.total.phase_mut(Phase::Forward).cost.mac = large;
    let text = text(&counts, &subject);
    assert!(text.contains(&format!("\"mac\": {large},")));
    assert!(text.contains(&format!("\"flop\": {},", large * 2)));
    assert_eq!(crate::json::operations::read(&text).unwrap().0, counts);
}

#[test]
fn absent_numbers_are_null_with_a_reason() {
    let (counts, subject) = examples::partly();
    let value: Value = serde_json::from_str(&text(&counts, &subject)).unwrap();
    assert_eq!(value["params"], Value::Null);
    assert_eq!(value["unavailable"]["params"], "no weights are known");
    let nothing: Value = serde_json::from_str(&text(&Counts::default(), &subject)).unwrap();
    assert_eq!(nothing["total"]["coverage_ratio"], Value::Null);
    assert_eq!(
        nothing["unavailable"]["total.coverage_ratio"],
        "no operation ran"
    );
}

#[test]
fn what_is_no_counts_is_refused_with_what_it_is() {
    let said = |text: &str| crate::json::operations::read(text).unwrap_err().to_string();
    assert_eq!(said("{}"), "these are no counts of operations");
    assert_eq!(said("[1,"), "these are no counts of operations");
    assert_eq!(
        said(r#"{"schema": "laptime-operations", "version": 9}"#),
        "version 9 is later than 1"
    );
    let (mut counts, subject) = examples::network();
    counts.by_module[1].parent = Some(5);
    assert_eq!(
        said(&text(&counts, &subject)),
        "the parent of module \"conv\" is not before it"
    );
    let good = text(&counts, &subject);
    assert!(said(&good[..good.len() / 2]).contains("EOF while parsing"));
    assert!(said(&good.replace("\"mac\"", "\"macs\"")).contains("missing field `mac`"));
}
