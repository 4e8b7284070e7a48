//! Tests that the descriptions of numbers fit their names, and that numbers which rows lack have a reason.

use super::{Group, Kind, Unit, all, find, near, unavailable};

#[test]
fn a_name_ends_in_its_unit() {
    for field in all() {
        let end = match field.unit {
            Unit::Spans => "count",
            Unit::Ns => "_ns",
            Unit::Ratio => "_ratio",
            Unit::Bytes if field.name == "bytes_moved" => "",
            Unit::Bytes => "_bytes",
            Unit::Mac => "mac",
            Unit::Flop => "flop",
            Unit::FlopRate => "flop_per_s",
            Unit::ByteRate => "bytes_moved_per_s",
            Unit::FlopPerByte => "intensity",
            Unit::Joules => "_j",
            Unit::Name => "bound",
        };
        assert!(field.name.ends_with(end), "{}", field.name);
        assert_eq!(find(field.name).map(|it| it.about), Some(field.about));
    }
}

#[test]
fn a_number_that_a_row_may_lack_has_a_reason_where_rows_give_none() {
    let reasons = unavailable();
    for field in all() {
        let is_given =
            field.group == Group::Durations || ["count", "share_ratio"].contains(&field.name);
        let needs_reason = field.kind != Kind::Always && !is_given;
        assert_eq!(
            reasons.contains_key(field.name),
            needs_reason,
            "{}",
            field.name
        );
    }
}

#[test]
fn a_number_whose_unit_was_forgotten_is_found() {
    assert_eq!(near("p50"), ["p50_ns"]);
    assert_eq!(near("mfu"), ["mfu_ratio"]);
    assert_eq!(near("p50_sn")[0], "p50_ns");
    assert!(near("peak").contains(&"host_memory_peak_max_bytes"));
    assert!(near("colour").is_empty());
}
