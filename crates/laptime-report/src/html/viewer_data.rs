//! The panels of a page as letters for the viewer: columns of whole numbers, compressed.
//!
//! ```text
//! base64(raw deflate(
//!   u32         length of the header
//!   header      JSON: names, panels, lanes, and where their columns stand
//!   columns     one after the other
//! ))
//! ```
//!
//! A column of `n` numbers that fit into `w` bytes is `w` planes of `n` bytes: all lowest bytes,
//! then all second ones, and so on, because equal bytes side by side compress best. The header
//! gives `[offset, w]`; `w` is 0 to 8, and a column of zeros takes no bytes. Moments are gaps from
//! the end of the previous bar, signed ones are zigzag, what may be absent is 0 or value + 1.
//! `viewer/src/decode.ts` is the inverse.

use std::collections::HashMap;

use data_encoding::BASE64;
use miniz_oxide::deflate::compress_to_vec;
use serde_json::{Value, json};

use super::page::Page;
use super::timeline::{BarMemory, TimelineLane, TimelinePanel};
use crate::document::names;

/// Compression level: higher ones take twice the time for 2 %.
const LEVEL: u8 = 6;

/// Columns that are being written.
#[derive(Debug, Default)]
struct Columns {
    bytes: Vec<u8>,
}

impl Columns {
    /// Adds a column and returns its place.
    fn add(&mut self, numbers: &[u64]) -> Value {
        let most = numbers.iter().copied().max().unwrap_or(0);
        let width = (64 - most.leading_zeros()).div_ceil(8);
        let offset = self.bytes.len();
        for plane in 0..width {
            self.bytes
                .extend(numbers.iter().map(|number| (number >> (8 * plane)) as u8));
        }
        json!([offset, width])
    }
}

/// Encodes all of a page's panels.
pub fn encode(page: &Page) -> String {
    BASE64.encode(&compress_to_vec(&raw(page), LEVEL))
}

/// Returns the payload before it is compressed.
pub fn raw(page: &Page) -> Vec<u8> {
    let mut columns = Columns::default();
    let mut names = Names::default();
    let panels: Vec<Value> = page
        .panels
        .iter()
        .map(|panel| of_panel(panel, &mut columns, &mut names))
        .collect();
    let header = json!({
        "version": 1,
        "title": names::visible(&page.title),
        "names": names.all,
        "panels": panels,
        "moments": page.moments.header(&page.panels),
        "size": page.size.map(|(width, height)| [width, height]),
    });
    let header = header.to_string();
    let mut out = Vec::with_capacity(4 + header.len() + columns.bytes.len());
    out.extend_from_slice(&(header.len() as u32).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out.append(&mut columns.bytes);
    out
}

/// Names of all panels, each once.
#[derive(Debug, Default)]
struct Names {
    all: Vec<String>,
    index_of: HashMap<String, u64>,
}

impl Names {
    fn index(&mut self, name: &str) -> u64 {
        if let Some(index) = self.index_of.get(name) {
            return *index;
        }
        let index = self.all.len() as u64;
        self.all.push(names::visible(name));
        self.index_of.insert(name.to_owned(), index);
        index
    }
}

fn of_panel(panel: &TimelinePanel, columns: &mut Columns, names: &mut Names) -> Value {
    let index_of: Vec<u64> = panel.names.iter().map(|name| names.index(name)).collect();
    let memory = match &panel.memory {
        Ok(curve) => json!({
            "what": curve.what,
            "count": curve.points.len(),
            "gap": columns.add(&gaps(curve.points.iter().map(|(at, _)| (*at, *at)))),
            "bytes": columns.add(&curve.points.iter().map(|(_, bytes)| *bytes).collect::<Vec<_>>()),
        }),
        Err(why) => json!({ "why": why.to_string() }),
    };
    let lanes: Vec<Value> = panel
        .lanes
        .iter()
        .map(|lane| of_lane(lane, &index_of, columns))
        .collect();
    json!({
        "kind": "timeline",
        "title": names::visible(&panel.title),
        "end_ns": panel.end_ns,
        "memory": memory,
        "lanes": lanes,
        "notes": panel.notes,
    })
}

fn of_lane(lane: &TimelineLane, index_of: &[u64], columns: &mut Columns) -> Value {
    let bars = &lane.bars;
    let mut add = |numbers: Vec<u64>| columns.add(&numbers);
    let mut header = json!({
        "track": names::visible(&lane.track),
        "depth": lane.depth,
        "count": bars.len(),
        "gap": add(gaps(bars.iter().map(|bar| (bar.start_ns, bar.end_ns())))),
        "duration": add(bars.iter().map(|bar| bar.duration_ns).collect()),
        "name": add(bars.iter().map(|bar| index_of.get(bar.name as usize).copied().unwrap_or(0)).collect()),
    });
    if bars.iter().any(|bar| bar.count != 1) {
        header["spans"] = add(bars.iter().map(|bar| u64::from(bar.count)).collect());
        header["busy"] = add(bars.iter().map(|bar| bar.busy_ns).collect());
    }
    if lane.memory.iter().any(Option::is_some) {
        let mut column = |of: fn(&BarMemory) -> u64| {
            let of_bar = |index: usize| lane.memory.get(index)?.as_ref().map(of);
            add((0..bars.len())
                .map(|index| of_bar(index).unwrap_or(0))
                .collect())
        };
        header["before"] = column(|memory| memory.before_bytes.saturating_add(1));
        header["net"] = column(|memory| zigzag(memory.net_bytes));
        header["peak"] =
            column(|memory| memory.peak_bytes.map_or(0, |bytes| bytes.saturating_add(1)));
    }
    header
}

/// Returns the gaps from the end of one bar to the start of the next, in zigzag form because clocks and folding may
/// overlap.
fn gaps(bounds: impl Iterator<Item = (u64, u64)>) -> Vec<u64> {
    let mut last = 0_u64;
    bounds
        .map(|(start, end)| {
            let gap = start.wrapping_sub(last) as i64;
            last = end;
            zigzag(gap)
        })
        .collect()
}

fn zigzag(number: i64) -> u64 {
    (number.wrapping_shl(1) ^ (number >> 63)) as u64
}
