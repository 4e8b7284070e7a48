//! Checks that the published JSON schema holds for what is written, and says no to what is not.
//!
//! The few keywords that the schema uses are checked here; an unknown one fails the test.

use serde_json::{Map, Value, json};

/// Keywords that need no check, or whose check passed.
const KEYWORDS: [&str; 12] = [
    "$schema",
    "$id",
    "title",
    "description",
    "$defs",
    "const",
    "enum",
    "minimum",
    "exclusiveMinimum",
    "minItems",
    "maximum",
    "maxItems",
];

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/summary.schema.json")).unwrap()
}

/// Returns all violations of `schema` in `value`, as `path: what`.
pub fn violations(schema: &Value, value: &Value, root: &Value, at: &str) -> Vec<String> {
    let Some(schema) = schema.as_object() else {
        let is_refused = *schema == Value::Bool(false);
        return Vec::from_iter(is_refused.then(|| format!("{at}: is unknown")));
    };
    let mut found = Vec::new();
    let mut say = |what: String| found.push(format!("{at}: {what}"));
    let mut inner: Vec<(Value, Value, String)> = Vec::new();
    for (keyword, wanted) in schema {
        match keyword.as_str() {
            "const" if value != wanted => say(format!("is not {wanted}")),
            "enum" if !wanted.as_array().unwrap().contains(value) => {
                say(format!("{value} is not one of {wanted}"));
            }
            "type" => {
                let names = wanted
                    .as_array()
                    .cloned()
                    .unwrap_or_else(|| vec![wanted.clone()]);
                if !names
                    .iter()
                    .any(|name| is_of(value, name.as_str().unwrap()))
                {
                    say(format!("{value} is no {wanted}"));
                }
            }
            "minimum" | "exclusiveMinimum" | "maximum" | "minItems" | "maxItems"
                if is_beyond(value, keyword, wanted.as_f64().unwrap()) =>
            {
                say(format!("{value} is beyond the {keyword} {wanted}"));
            }
            "required" => {
                for name in wanted.as_array().unwrap() {
                    if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
                        say(format!("lacks {name}"));
                    }
                }
            }
            "properties" => {
                for (name, property) in wanted.as_object().unwrap() {
                    if let Some(field) = value.get(name) {
                        inner.push((property.clone(), field.clone(), format!("{at}.{name}")));
                    }
                }
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                for (name, field) in value.as_object().into_iter().flatten() {
                    if known.is_some_and(|known| known.contains_key(name)) {
                        continue;
                    }
                    inner.push((wanted.clone(), field.clone(), format!("{at}.{name}")));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    inner.push((wanted.clone(), item.clone(), format!("{at}[{index}]")));
                }
            }
            "propertyNames" => {
                for name in value.as_object().into_iter().flat_map(Map::keys) {
                    inner.push((wanted.clone(), json!(name), format!("{at}.{name}")));
                }
            }
            "anyOf" | "oneOf" => {
                let each = wanted.as_array().unwrap().iter();
                let each = each.map(|one| violations(one, value, root, at));
                let holding = each.clone().filter(Vec::is_empty).count();
                if holding == 0 {
                    say(format!("is none of {:?}", each.collect::<Vec<_>>()));
                } else if holding > 1 && keyword == "oneOf" {
                    say(format!("is {holding} of them"));
                }
            }
            "$ref" => {
                let pointer = wanted.as_str().unwrap().trim_start_matches('#');
                inner.push((
                    root.pointer(pointer).unwrap().clone(),
                    value.clone(),
                    at.to_owned(),
                ));
            }
            other => assert!(
                KEYWORDS.contains(&other),
                "this test knows no keyword {other}"
            ),
        }
    }
    for (schema, value, at) in inner {
        found.extend(violations(&schema, &value, root, &at));
    }
    found
}

fn is_beyond(value: &Value, keyword: &str, wanted: f64) -> bool {
    let number = value.as_f64();
    let count = value.as_array().map(|items| items.len() as f64);
    match keyword {
        "minimum" => number.is_some_and(|number| number < wanted),
        "exclusiveMinimum" => number.is_some_and(|number| number <= wanted),
        "maximum" => number.is_some_and(|number| number > wanted),
        "minItems" => count.is_some_and(|count| count < wanted),
        _ => count.is_some_and(|count| count > wanted),
    }
}

fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("this test knows no type {other}"),
    }
}

/// Returns everything that the schema finds wrong.
pub fn check(value: &Value) -> Vec<String> {
    violations(&schema(), value, &schema(), "summary")
}

#[test]
fn every_summary_is_as_the_schema_says() {
    for summary in super::tests::all() {
        let text = super::render(&summary, super::Format::Json, &super::View::default());
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(check(&value), Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_what_no_summary_is() {
    let summary = super::tests::all().remove(0);
    let text = super::render(&summary, super::Format::Json, &super::View::default());
    let good: Value = serde_json::from_str(&text).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        !check(&value).is_empty()
    };
    assert!(refused(&|value| value["version"] = json!(2)));
    assert!(refused(&|value| value["wall_ns"] = json!(-1)));
    assert!(refused(&|value| value["surprise"] = json!(1)));
    assert!(refused(&|value| value["headline"]["text"] = json!(null)));
    assert!(refused(&|value| value["next"] = json!("laptime report")));
    assert!(refused(
        &|value| value["rows"][0]["total_ns"] = json!("12 ms")
    ));
    assert!(refused(&|value| value["rows"][0]["kind"] = json!("trace")));
    assert!(refused(&|value| {
        value["rows"][0].as_object_mut().unwrap().remove("self_ns");
    }));
}

#[test]
fn the_schema_knows_which_numbers_each_kind_of_finding_has() {
    let finding = json!({
        "text": "t", "function": null, "file": null, "line": null, "next": null,
        "kind": "threads-wait", "evidence": {"total_ns": 1, "wall_ns": 2},
    });
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut value = json!([finding]);
        change(&mut value[0]);
        !violations(
            &schema()["properties"]["findings"],
            &value,
            &schema(),
            "findings",
        )
        .is_empty()
    };
    assert!(!wrong(&|_| ()));
    assert!(wrong(&|finding| finding["kind"] = json!("startup")));
    assert!(wrong(&|finding| finding["surprise"] = json!(1)));
    assert!(wrong(&|finding| finding["evidence"]["surprise"] = json!(1)));
    for field in ["text", "function", "next", "kind", "evidence"] {
        assert!(wrong(&|finding| {
            finding.as_object_mut().unwrap().remove(field);
        }));
    }
}
