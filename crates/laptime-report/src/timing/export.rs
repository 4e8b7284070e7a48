//! Timers as files: comma-separated values (RFC 4180) and JSON.
//!
//! Numbers keep all their digits and names stand in them whole. Timers hold seconds or a
//! dictionary with `time`; CSV gives each further value of a dictionary a column, nested
//! ones as `outer.inner`.

use crate::csv::quoted;

/// What a timer may hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not there.
    Absent,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Named values in order.
    Map(Vec<(String, Value)>),
}

/// The key of a dictionary's seconds.
const TIME: &str = "time";

/// One line a timer: section, name, seconds, and what else the dictionaries hold.
pub fn csv(section: &str, timers: &[(String, Value)]) -> String {
    let rows: Vec<Vec<(String, &Value)>> = timers
        .iter()
        .map(|(_, value)| {
            let mut cells = Vec::new();
            flatten("", value, &mut cells);
            cells
        })
        .collect();
    let mut columns: Vec<&str> = Vec::new();
    for (column, _) in rows.iter().flatten() {
        if column != TIME && !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    let mut heading = "Section,Model,Time (s)".to_owned();
    for column in &columns {
        heading += ",";
        heading += &quoted(column);
    }
    let mut out = heading + "\r\n";
    for ((name, _), cells) in timers.iter().zip(&rows) {
        let mut fields = vec![quoted(section), quoted(name)];
        for column in std::iter::once(&TIME).chain(&columns) {
            let found = cells.iter().find(|(known, _)| known == column);
            fields.push(found.map_or(String::new(), |(_, value)| quoted(&plain(value))));
        }
        out += &(fields.join(",") + "\r\n");
    }
    out
}

/// Cells of a timer; its seconds are called `time` wherever they stand.
fn flatten<'v>(prefix: &str, value: &'v Value, cells: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Map(entries) => {
            for (name, value) in entries {
                let column = if prefix.is_empty() {
                    name.clone()
                } else {
                    format!("{prefix}.{name}")
                };
                flatten(&column, value, cells);
            }
        }
        value if prefix.is_empty() => cells.push((TIME.to_owned(), value)),
        value => cells.push((prefix.to_owned(), value)),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Absent => String::new(),
        Value::Bool(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(_) | Value::Map(_) => one_line(value),
    }
}

/// `{"section", "timestamp", "timers": {name: seconds or dictionary}}`, indented by two.
pub fn json(section: &str, timestamp: &str, timers: &[(String, Value)]) -> String {
    let entries: Vec<String> = timers
        .iter()
        .map(|(name, value)| format!("\n    {}: {}", text(name), one_line(value)))
        .collect();
    let end = if entries.is_empty() { "" } else { "\n  " };
    format!(
        "{{\n  \"section\": {},\n  \"timestamp\": {},\n  \"timers\": {{{}{end}}}\n}}\n",
        text(section),
        text(timestamp),
        entries.join(","),
    )
}

fn one_line(value: &Value) -> String {
    let joined = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Absent => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Integer(number) => number.to_string(),
        // JSON knows no infinity; serde_json writes `null`.
        Value::Number(number) => serde_json::Value::from(*number).to_string(),
        Value::Text(characters) => text(characters),
        Value::List(values) => format!("[{}]", joined(values.iter().map(one_line).collect())),
        Value::Map(entries) => {
            let entry =
                |(name, value): &(String, Value)| format!("{}: {}", text(name), one_line(value));
            format!("{{{}}}", joined(entries.iter().map(entry).collect()))
        }
    }
}

fn text(characters: &str) -> String {
    serde_json::Value::from(characters).to_string()
}
