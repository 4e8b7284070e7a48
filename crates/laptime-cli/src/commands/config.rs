//! `laptime doctor --config`: what is in force without a flag, and who chose it.

use std::env;

use laptime_recorder::environment::{
    AUTO_VARIABLE, Asked, Automatic, Counting, DEVICE_MEMORY_VARIABLE, DEVICE_VARIABLE,
    DeviceMemory, DeviceTime, MEMORY_VARIABLE, STACKS_VARIABLE, STREAMS_VARIABLE, Streams,
};

/// Name, value, and the variable that says so or why it is the default.
pub type Row = (&'static str, String, String);

/// What a program is recorded with, by this environment.
pub fn rows(asked: &Asked) -> Vec<Row> {
    let automatic = asked.automatic.unwrap_or(Automatic {
        phases: true,
        ..Automatic::default()
    });
    let counted = match asked.memory {
        None => "off",
        Some(Counting::Allocations) => "on",
        Some(Counting::Objects) => "objects",
    };
    let device = name(&DeviceTime::NAMES, asked.device_time.unwrap_or_default());
    let streams = name(&Streams::NAMES, asked.streams.unwrap_or_default());
    let read = asked.device_memory.map_or("fold", DeviceMemory::name);
    let of_run = "default of laptime run --memory; bounds elsewhere";
    [
        (
            "phases",
            automatic.phases.to_string(),
            AUTO_VARIABLE,
            "default",
        ),
        (
            "modules",
            automatic.modules.to_string(),
            AUTO_VARIABLE,
            "default",
        ),
        (
            "functions",
            asked.stacks.unwrap_or(true).to_string(),
            STACKS_VARIABLE,
            "default of laptime run: sampled, their names, files and lines",
        ),
        ("device", device.to_owned(), DEVICE_VARIABLE, "default"),
        ("streams", streams.to_owned(), STREAMS_VARIABLE, "default"),
        ("memory", counted.to_owned(), MEMORY_VARIABLE, "default"),
        (
            "device_memory",
            read.to_owned(),
            DEVICE_MEMORY_VARIABLE,
            of_run,
        ),
    ]
    .map(|(key, value, variable, usual)| (key, value, origin(asked, variable, usual)))
    .into()
}

fn origin(asked: &Asked, variable: &str, usual: &str) -> String {
    let is_said = env::var_os(variable).is_some_and(|said| !said.is_empty());
    let is_ignored = asked.warnings.iter().any(|one| one.variable == variable);
    if is_said && !is_ignored {
        format!("environment, {variable}")
    } else {
        usual.to_owned()
    }
}

/// The name that users type for a value.
pub fn name<T: Copy + PartialEq>(names: &[(&'static str, T)], value: T) -> &'static str {
    let found = names.iter().find(|(_, named)| *named == value);
    found.map_or("", |(name, _)| name)
}

/// The rows as JSON.
pub fn json(rows: Vec<Row>) -> String {
    let rows = rows.into_iter().map(|(key, value, origin)| {
        let setting = serde_json::json!({ "value": value, "origin": origin });
        (key.to_owned(), setting)
    });
    let rows: serde_json::Map<String, serde_json::Value> = rows.collect();
    format!("{:#}\n", serde_json::Value::Object(rows))
}
