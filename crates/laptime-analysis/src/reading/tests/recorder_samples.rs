use laptime_core::format::record::Record;

use super::*;

fn delay(thread: u64, ticks: u64, delayed_ns: u64) -> Record<'static> {
    Record::Delay {
        ticks,
        thread,
        delayed_ns,
    }
}

fn processors(ticks: u64, busy_ns: u64, stolen_ns: u64) -> Record<'static> {
    Record::Processors {
        ticks,
        busy_ns,
        stolen_ns,
    }
}

fn readings(records: &[Record<'_>]) -> RecorderSamples {
    let mut readings = RecorderSamples::default();
    for record in records {
        readings.take(record);
    }
    readings
}

#[test]
fn a_share_is_of_the_time_between_the_first_and_the_last_reading_inside() {
    let readings = readings(&[
        delay(41, 0, 0),
        delay(41, 100, 900),
        delay(41, 200, 1_000),
        delay(41, 400, 1_060),
        delay(41, 900, 9_000),
    ]);
    // Ticks of 2 ns: 160 of 600.
    let kept = readings.cpu_wait(41, 90, 500, 2.0).unwrap();
    assert!(
        (kept.delayed_ratio - 160.0 / 600.0).abs() < 1e-12,
        "{kept:?}"
    );
    assert_eq!(kept.stolen_ratio, None);
}

#[test]
fn readings_in_any_order_tell_the_same() {
    let ordered = [delay(41, 100, 0), delay(41, 200, 10), delay(41, 300, 50)];
    let mut reversed = ordered;
    reversed.reverse();
    let of = |records: &[Record<'_>]| readings(records).cpu_wait(41, 0, 350, 1.0);
    assert_eq!(of(&ordered), of(&reversed));
    assert!(of(&ordered).is_some());
}

#[test]
fn what_the_host_took_is_a_share_of_what_the_processors_had_to_do() {
    let readings = readings(&[
        delay(41, 100, 0),
        delay(41, 200, 0),
        processors(100, 1_000, 500),
        processors(200, 1_150, 550),
    ]);
    let kept = readings.cpu_wait(41, 100, 200, 1.0).unwrap();
    assert_eq!(kept.stolen_ratio, Some(0.25));
}

#[test]
fn readings_of_less_than_half_of_a_stretch_tell_nothing_about_it() {
    let readings = readings(&[delay(41, 100, 0), delay(41, 149, 40), delay(41, 1_000, 40)]);
    assert_eq!(readings.cpu_wait(41, 100, 200, 1.0), None);
    assert!(readings.cpu_wait(41, 100, 190, 1.0).is_some());
}

#[test]
fn nothing_is_told_of_a_thread_without_readings_or_with_one() {
    let readings = readings(&[delay(41, 100, 0)]);
    assert_eq!(readings.cpu_wait(41, 0, 200, 1.0), None);
    assert_eq!(readings.cpu_wait(42, 0, 200, 1.0), None);
    assert_eq!(readings.cpu_wait(41, 100, 100, 1.0), None);
}

#[test]
fn readings_that_no_kernel_makes_give_no_share_above_one_or_below_zero() {
    let more = readings(&[delay(41, 0, 0), delay(41, 100, u64::MAX)]);
    let kept = more.cpu_wait(41, 0, 100, 1.0).unwrap();
    assert!((kept.delayed_ratio - 1.0).abs() < 1e-12, "{kept:?}");
    let less = readings(&[
        delay(41, 0, 70),
        delay(41, 100, 0),
        processors(0, 9, 9),
        processors(100, 0, 0),
    ]);
    let kept = less.cpu_wait(41, 0, 100, 1.0).unwrap();
    assert_eq!((kept.delayed_ratio, kept.stolen_ratio), (0.0, Some(0.0)));
}
