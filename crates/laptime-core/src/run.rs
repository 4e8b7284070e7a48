//! The description of a run: `run.json` in the recording's folder.
//!
//! Written by `laptime run` (or by the recording process itself), and again when the
//! program ends. It holds no argument and no environment variable: those may carry
//! secrets. Readers accept recordings without it.

use serde::{Deserialize, Serialize};

/// Version of the recording format that this crate writes and reads.
pub const FORMAT_VERSION: u16 = 1;

/// Extension of a process's file in the recording's folder.
pub const PROCESS_EXTENSION: &str = "proc";

/// Environment variable with the folder of the recording that a process joins.
pub const RUN_VARIABLE: &str = "LAPTIME_RUN";

/// Environment variable of users: on, off, or a path that ends in `.lap`.
pub const SWITCH_VARIABLE: &str = "LAPTIME";

/// Environment variable that asks for memory: on, off, or `objects` for small Python objects too.
pub const MEMORY_VARIABLE: &str = "LAPTIME_MEMORY";

/// Environment variable with what is timed without a lap: some of `phases`, `modules` and `ops`, or a switch.
pub const AUTO_VARIABLE: &str = "LAPTIME_AUTO";

/// Environment variable that says whether functions are sampled.
pub const STACKS_VARIABLE: &str = "LAPTIME_STACKS";

/// Environment variable: how laps are timed on devices, `events` or `off`.
pub const DEVICE_VARIABLE: &str = "LAPTIME_DEVICE";

/// Environment variable that says which streams' work laps are timed for: the current one's, or all.
pub const STREAMS_VARIABLE: &str = "LAPTIME_STREAMS";

/// Environment variable: how peaks of memory on devices become known, `bounds` or `fold`, or `off`.
pub const DEVICE_MEMORY_VARIABLE: &str = "LAPTIME_DEVICE_MEMORY";

/// First line of a file that stands for a recording elsewhere; the second is its path.
pub const REFERENCE_LINE: &str = "laptime-reference";

/// What started a run and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunInfo {
    /// Format version of the recording.
    pub format: u16,
    /// Version of Laptime that wrote it.
    pub laptime: String,
    /// Last component of the program's or script's name.
    pub program: String,
    /// When the program was started, `CLOCK_MONOTONIC` nanoseconds.
    pub started_monotonic_ns: u64,
    /// When the run started, `CLOCK_REALTIME` nanoseconds since 1970.
    pub started_realtime_ns: u64,
    /// Boot id of the machine, which makes monotonic times comparable.
    pub boot_id: String,
    /// Process id of the started program, once known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Who keeps it open: nobody joins once that one has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper: Option<Keeper>,
    /// How it ended; absent while it runs, or when the launcher was killed too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<ProgramEnd>,
    /// Interpreters that ran below without Laptime installed in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<String>,
    /// Files of processes that lay beside it when the program had ended; more may have come later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u64>,
}

/// The process that keeps a recording open: the launcher, or the one that records itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "RunKeeper"))]
pub struct Keeper {
    /// Process id.
    pub pid: u32,
    /// When it started, in the kernel's ticks since the boot: ids are given again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_ticks: Option<u64>,
    /// Number of the namespace that the id belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u64>,
}

/// How a program ended, as its launcher saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProgramEnd {
    /// When, `CLOCK_MONOTONIC` nanoseconds.
    pub monotonic_ns: u64,
    /// Exit code; absent when a signal ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// Signal number that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

impl RunInfo {
    /// Name of the file inside the recording's folder.
    pub const FILE_NAME: &'static str = "run.json";

    /// From the file's bytes, of which the last field is the check where there is one.
    pub fn from_json(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let check_at = bytes.len().checked_sub(check(0).len());
        if let Some((fields, told)) = check_at.and_then(|at| bytes.split_at_checked(at))
            && told.starts_with(CHECK_BEGINS.as_bytes())
            && told != check(crc32fast::hash(fields)).as_bytes()
        {
            return Err(serde::de::Error::custom(
                "it was changed after it was written",
            ));
        }
        serde_json::from_slice(bytes)
    }

    /// As the file's bytes.
    pub fn to_json(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.truncate(bytes.len().saturating_sub("\n}".len()));
        let check = check(crc32fast::hash(&bytes));
        bytes.extend_from_slice(check.as_bytes());
        bytes
    }
}

/// What stands before the check.
const CHECK_BEGINS: &str = ",\n  \"check\": \"";

/// The end of the file: a check of the bytes before it.
fn check(crc: u32) -> String {
    format!("{CHECK_BEGINS}{crc:08x}\"\n}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_info_survives_json_and_ignores_unknown_fields() {
        let info = RunInfo {
            format: FORMAT_VERSION,
            laptime: "0.1.0".into(),
            program: "train.py".into(),
            started_monotonic_ns: 5,
            started_realtime_ns: 6,
            boot_id: "b".into(),
            pid: Some(7),
            keeper: Some(Keeper {
                pid: 6,
                started_ticks: Some(9),
                namespace: None,
            }),
            end: Some(ProgramEnd {
                monotonic_ns: 8,
                code: Some(3),
                signal: None,
            }),
            unrecorded: vec![],
            processes: None,
        };
        assert_eq!(RunInfo::from_json(&info.to_json()).unwrap(), info);
        let text = serde_json::to_string(&info).unwrap();
        let with_more = text.replacen('{', "{\"later\": 1,", 1);
        assert_eq!(RunInfo::from_json(with_more.as_bytes()).unwrap(), info);
        // No byte of the fields can change unseen.
        let bytes = info.to_json();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let is_seen = RunInfo::from_json(&changed).map_or(true, |read| read == info);
            assert!(is_seen, "byte {at}");
        }
    }
}
