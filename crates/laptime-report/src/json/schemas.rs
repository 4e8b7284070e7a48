//! The schemas of what is written as JSON, made of the structs that are written: `docs/*.schema.json`.
//!
//! What a struct and its docs say stands in them; what holds for all of them is added here. They are in no program:
//! a test of the command holds the files under `docs` against them, or writes them.

use laptime_analysis::benchmark::BenchmarkFile;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::json::comparison::schema as comparison;
use crate::json::operations::schema as operations;
use crate::json::ranks::schema as ranks;
use crate::json::summary::schema as summary;

/// Address at which schemas are published, before the name of a file.
const PUBLISHED: &str = "https://github.com/laptime/laptime/blob/main/docs";

/// Ends of the names of real numbers that are never below zero, such as `mfu_ratio`. Names of differences end
/// otherwise.
const NOT_NEGATIVE: [&str; 8] = [
    "ratio",
    "per_s",
    "intensity",
    "intensity_flop_per_byte",
    "_j",
    "_w",
    "_mhz",
    "least_s",
];

/// Returns the names and contents of all files.
pub fn all() -> Vec<(String, String)> {
    vec![
        file("summary", "Laptime summary, version 1", summary),
        file("comparison", "Laptime comparison, version 1", comparison),
        file(
            "benchmark",
            "Laptime benchmarks, version 1",
            schema_of::<BenchmarkFile>,
        ),
        file("operations", "Laptime operations, version 1", operations),
        file("ranks", "Laptime ranks, version 1", ranks),
    ]
}

fn schema_of<T: JsonSchema>(generator: SchemaGenerator) -> Schema {
    generator.into_root_schema_for::<T>()
}

fn file(name: &str, title: &str, schema: fn(SchemaGenerator) -> Schema) -> (String, String) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = schema(settings.into_generator());
    RecursiveTransform(finish).transform(&mut schema);
    let name = format!("{name}.schema.json");
    schema.insert("$id".to_owned(), json!(format!("{PUBLISHED}/{name}")));
    schema.insert("title".to_owned(), json!(title));
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    (name, text + "\n")
}

/// Adds to a schema what structs don't say.
fn finish(schema: &mut Schema) {
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    // Rust's type, whose least value stands beside, and what our own reader makes of a field.
    for word in ["format", "default", "readOnly"] {
        schema.remove(word);
    }
    if let Some(Value::String(docs)) = schema.get_mut("description") {
        *docs = plain(docs);
    }
    if has_variants_of_fields(schema) {
        put_fields_into_variants(schema);
        return;
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| {
        required
            .as_array()
            .is_some_and(|all| all.contains(&json!(name)))
    };
    let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, field) in fields {
        let Some(field) = field.as_object_mut() else {
            continue;
        };
        // What isn't there is left out, or null: never the one here and the other there.
        if !is_required(name) {
            remove_null(field);
        }
        if is_real(field) && NOT_NEGATIVE.iter().any(|end| name.ends_with(end)) {
            field.entry("minimum").or_insert(json!(0));
        }
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
}

/// Whether an object is one of several kinds, and has fields beside those of its kind.
fn has_variants_of_fields(schema: &Map<String, Value>) -> bool {
    ["oneOf", "properties"]
        .iter()
        .all(|word| schema.contains_key(*word))
}

/// Gives each kind of an object the fields that all of them have, so that it is known for each which others it hasn't.
fn put_fields_into_variants(schema: &mut Map<String, Value>) {
    let fields = schema.remove("properties").unwrap_or_default();
    let required = schema.remove("required").unwrap_or_default();
    let variants = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        if let (Some(own), Some(fields)) =
            (variant["properties"].as_object_mut(), fields.as_object())
        {
            own.extend(fields.clone());
        }
        if let (Some(own), Some(all)) = (variant["required"].as_array_mut(), required.as_array()) {
            own.extend(all.clone());
        }
    }
}

/// Rewrites docs for a reader of JSON: on one line, without links.
fn plain(docs: &str) -> String {
    let words = docs.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace("`None`", "null")
}

fn is_real(field: &Map<String, Value>) -> bool {
    match field.get("type") {
        Some(Value::Array(types)) => types.contains(&json!("number")),
        one => one == Some(&json!("number")),
    }
}

fn remove_null(field: &mut Map<String, Value>) {
    let null = json!("null");
    if let Some(Value::Array(types)) = field.get_mut("type") {
        types.retain(|one| *one != null);
        if let [only] = &types[..] {
            let only = only.clone();
            field.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(any)) = field.get_mut("anyOf") {
        any.retain(|one| one.get("type") != Some(&null));
        if let [Value::Object(only)] = &any[..] {
            let only = only.clone();
            field.remove("anyOf");
            field.extend(only);
        }
    }
}
