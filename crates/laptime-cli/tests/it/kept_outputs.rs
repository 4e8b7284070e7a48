//! What twelve recordings look like in every format, byte by byte; of a page, what it says and the data that it draws.
//!
//! Who changes an output on purpose writes them anew, and reads the difference:
//! `LAPTIME_TEST_OUTPUTS=write cargo test -p laptime-cli --test it -- kept_outputs`. Long outputs are kept as their
//! lines' digests, a hundred at a time.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::hostile_texts;
use crate::place::Place;

/// Their programs stand beside them; `training` and `operations` are of `examples/digits/train.py`.
const RECORDINGS: [&str; 12] = [
    "training",
    "operations",
    "ranks",
    "device",
    "version-1-stacks",
    "memory",
    "killed",
    "tasks",
    "notebook",
    "plain",
    "names",
    // Made here, the same every time.
    "hostile",
];

/// What an output is called, and the command that gives it.
const OUTPUTS: &[(&str, &[&str])] = &[
    ("text", &["report", "a.lap"]),
    ("tree", &["report", "a.lap", "--tree"]),
    ("process", &["report", "a.lap", "--by", "process"]),
    ("module", &["report", "a.lap", "--by", "module"]),
    ("function", &["report", "a.lap", "--by", "function"]),
    ("markdown", &["report", "a.lap", "-f", "markdown"]),
    ("json", &["report", "a.lap", "-f", "json"]),
    ("csv", &["report", "a.lap", "-f", "csv"]),
    ("html", &["report", "a.lap", "-f", "html"]),
    ("compare", &["compare", "a.lap", "a.lap", "--all"]),
    ("chrome", &["export", "a.lap", "-f", "chrome"]),
    ("perfetto", &["export", "a.lap", "-f", "perfetto"]),
    ("speedscope", &["export", "a.lap", "-f", "speedscope"]),
    ("collapsed", &["export", "a.lap", "-f", "collapsed"]),
    ("pstats", &["export", "a.lap", "-f", "pstats"]),
];

/// Lines that one digest is of, in an output of more bytes than `MOST_BYTES`.
const LINES: usize = 100;
const MOST_BYTES: usize = 12 << 10;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

#[test]
fn every_output_is_what_it_was() {
    let is_written = std::env::var_os("LAPTIME_TEST_OUTPUTS").is_some_and(|wish| wish == "write");
    let mut differ = Vec::new();
    for recording in RECORDINGS {
        let place = Place::new();
        let there = place.path().join("a.lap");
        if recording == "hostile" {
            hostile_texts::write(&there, 0, &[7, 8]);
        } else {
            fs::copy(fixtures().join(format!("{recording}.lap")), &there).unwrap();
        }
        let folder = fixtures().join("outputs").join(recording);
        for (name, command) in OUTPUTS {
            let output = place.command().args(*command).output().unwrap();
            let mut text = kept(name, &output.stdout);
            for line in String::from_utf8_lossy(&output.stderr).lines() {
                let _ = writeln!(text, "stderr: {line}");
            }
            let file = folder.join(format!("{name}.txt"));
            if is_written {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&file, &text).unwrap();
            }
            let was = fs::read_to_string(&file).unwrap_or_default();
            if let Some(difference) = difference(&was, &text) {
                differ.push(format!("{recording}/{name}: {difference}"));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// The first line that is another one.
fn difference(was: &str, is: &str) -> Option<String> {
    let (mut was, mut is) = (was.split('\n'), is.split('\n'));
    loop {
        match (was.next(), is.next()) {
            (None, None) => return None,
            (was, is) if was == is => {}
            (was, is) => return Some(format!("{was:?} is {is:?} now")),
        }
    }
}

/// What is kept of an output.
fn kept(name: &str, output: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(output) else {
        return format!("{} bytes, {:016x}\n", output.len(), digest(output));
    };
    let (text, data) = if name == "html" {
        of_page(text)
    } else {
        (text.to_owned(), String::new())
    };
    let mut kept = if text.len() > MOST_BYTES {
        digests(&text)
    } else {
        text
    };
    kept += &data;
    kept
}

/// What a page says, and what its data are before they are packed.
fn of_page(page: &str) -> (String, String) {
    let between = |from: &str, to: &str| -> Option<&str> {
        let (_, rest) = page.split_once(from)?;
        Some(rest.split_once(to)?.0)
    };
    let says = between("<main>", "</main>").unwrap_or_default();
    let data = between("id=\"laptime-data\">", "</script>").map(|packed| {
        let bytes = miniz_oxide::inflate::decompress_to_vec(&from_base64(packed)).unwrap();
        format!("data: {} bytes, {:016x}\n", bytes.len(), digest(&bytes))
    });
    (says.to_owned(), data.unwrap_or_default())
}

fn from_base64(text: &str) -> Vec<u8> {
    let mut bits = 0_u32;
    let mut bytes = Vec::new();
    for (at, letter) in text.bytes().filter(|one| *one != b'=').enumerate() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        bits = bits << 6 | u32::from(value);
        if at % 4 > 0 {
            bytes.push((bits >> (6 - 2 * (at % 4))) as u8);
        }
    }
    bytes
}

fn digests(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut said = String::new();
    for (at, some) in lines.chunks(LINES).enumerate() {
        let from = at * LINES + 1;
        let digest = digest(some.join("\n").as_bytes());
        let _ = writeln!(
            said,
            "lines {from} to {}: {digest:016x}",
            from + some.len() - 1
        );
    }
    said
}

/// FNV-1a: the same wherever it is computed.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
