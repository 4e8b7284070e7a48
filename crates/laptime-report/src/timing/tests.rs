//! The layouts, character by character.

use insta::assert_snapshot;
use laptime_analysis::timing::Latency;

use super::*;

fn row(name: &str, seconds: f64, depth: usize) -> Row<'_> {
    Row {
        name,
        seconds,
        depth,
    }
}

#[test]
fn numbers_are_rounded_as_python_rounds_them() {
    for (number, shown) in [
        (0.125, "0.12"),
        (0.375, "0.38"),
        (2.675, "2.67"),
        (1.005, "1.00"),
    ] {
        let line = complete("m", number, Memory::NotAsked);
        assert_eq!(line, format!("m complete: {shown}s total"));
    }
}

#[test]
fn a_tracked_call_says_what_it_measured() {
    let line = |memory| complete("MLP training", 45.318, memory);
    assert_snapshot!(line(Memory::NotAsked), @"MLP training complete: 45.32s total");
    assert_snapshot!(line(Memory::Unavailable), @"MLP training complete: 45.32s");
    assert_snapshot!(line(Memory::HostPeak(245_891_072)), @"MLP training complete: 45.32s, peak memory: 234.5 MB");
    assert_snapshot!(line(Memory::DevicePeak(1_074_056_397)), @"MLP training complete: 45.32s, GPU peak: 1024.3 MB");
    assert_snapshot!(complete("a\nb\u{1b}", 0.0, Memory::NotAsked), @r"a\nb\u{1b} complete: 0.00s total");
}

#[test]
fn the_summary_is_laid_out_to_the_character() {
    let rows = [
        row("MLP", 45.32, 0),
        row("warm", 1.0, 1),
        row("SIREN", 15.0, 0),
    ];
    assert_snapshot!(summary("Section 1.1", &rows, 4), @r"
    ============================================================
    TIMING SUMMARY - Section 1.1
    ============================================================
    MLP:                        45.32s ( 75.1%)
      warm:                      1.00s (  1.7%)
    SIREN:                      15.00s ( 24.9%)
    ------------------------------------------------------------
    Total time:                 60.32s
    Average per dataset:        15.08s
    ============================================================
    ");
}

#[test]
fn a_long_name_widens_the_column_of_all_rows() {
    let rows = [
        row("a model with a very long name", 1.0, 0),
        row("b", 3.0, 0),
    ];
    assert_snapshot!(summary("S", &rows, 1), @r"
    ============================================================
    TIMING SUMMARY - S
    ============================================================
    a model with a very long name:    1.00s ( 25.0%)
    b:                                3.00s ( 75.0%)
    ------------------------------------------------------------
    Total time:                       4.00s
    Average per dataset:              4.00s
    ============================================================
    ");
}

#[test]
fn the_speedups_stand_fastest_first() {
    let timers = [
        ("KAN", 10.0),
        ("slow\n", 20.0),
        ("SIREN", 6.0),
        ("zero", 0.0),
    ];
    assert_snapshot!(speedup_analysis(&timers, Some(0)), @r"
    ============================================================
    SPEEDUP ANALYSIS
    ============================================================
    Baseline: KAN (10.00s)
    ------------------------------------------------------------
    zero                 :     –  (a time of zero has no ratio)
    SIREN                :  1.67x faster
    slow\n               :  2.00x slower
    ============================================================
    ");
    assert!(speedup_analysis(&[], None).contains("Baseline: – (no timers)\n---"));
}

#[test]
fn the_breakdown_stands_longest_first() {
    assert_snapshot!(breakdown("Training", &[("data", 1.0), ("forward", 3.0)], 4.0), @r"
    Training - Detailed Breakdown:
    ----------------------------------------
      forward             :     3.00s ( 75.0%)
      data                :     1.00s ( 25.0%)
    ----------------------------------------
    ");
    assert!(breakdown("T", &[("a", 0.0)], 0.0).contains("0.00s (  0.0%)"));
}

#[test]
fn the_inference_benchmark_has_details_only_when_asked() {
    let latency = Latency::new(&[1_234_500.0; 20], 8).unwrap();
    assert_snapshot!(inference("MLP", &latency, false), @r"
    MLP Inference Benchmark:
    ----------------------------------------
      Mean latency:        1.234 ms
      Min latency:         1.234 ms
      Max latency:         1.234 ms
      Throughput:          6480.4 samples/sec
    ----------------------------------------
    ");
    let details = inference("MLP", &latency, true);
    let further: Vec<&str> = details.lines().skip(6).collect();
    assert_snapshot!(further.join("\n"), @r"
      Median latency:      1.234 ms
      95% CI of median:    1.234 to 1.234 ms
      p90 latency:         1.234 ms
      p99 latency:         1.234 ms
      Steady:              yes
    ----------------------------------------
    ");
    let short = inference("m", &Latency::new(&[0.0], 1).unwrap(), true);
    assert!(short.contains("  Throughput:          – (the calls took no time)"));
    assert!(short.contains("  Steady:              – (1 call is too few"));
}

#[test]
fn the_warmup_is_laid_out_to_the_character() {
    let figures = Figures {
        first_seconds: 5.2,
        steady_seconds: Some(3.02),
        overhead_seconds: Some(2.18),
        overhead_ratio: Some(2.18 / 3.02),
    };
    assert_snapshot!(warmup("MLP", &figures), @r"
    MLP - Warmup Analysis:
    ----------------------------------------
      First epoch:           5.200s
      Steady state:          3.020s
      Warmup overhead:       2.180s ( 72.2%)
    ----------------------------------------
    ");
    let none = Figures {
        overhead_ratio: None,
        ..figures
    };
    assert!(warmup("MLP", &none).contains("2.180s (    –%)"));
    let alone = Figures {
        steady_seconds: None,
        overhead_seconds: None,
        ..none
    };
    assert!(warmup("MLP", &alone).contains("  Warmup overhead:       – (there is only one epoch)"));
}

fn timers() -> Vec<(String, Value)> {
    let inner = vec![("loss".to_owned(), Value::Number(0.5))];
    let nested = vec![
        ("time".to_owned(), Value::Number(2.25)),
        ("peak_memory_mb".to_owned(), Value::Absent),
        ("best".to_owned(), Value::Map(inner)),
        (
            "epochs".to_owned(),
            Value::List(vec![Value::Integer(1), Value::Bool(true)]),
        ),
    ];
    vec![
        ("a|b,\n\"c\"".to_owned(), Value::Number(0.1)),
        ("MLP".to_owned(), Value::Map(nested)),
    ]
}

#[test]
fn csv_has_a_column_for_every_nested_value() {
    let text = csv("1.1", &timers());
    assert_eq!(
        text,
        "Section,Model,Time (s),peak_memory_mb,best.loss,epochs\r\n\
         1.1,\"a|b,\\n\"\"c\"\"\",0.1,,,\r\n\
         1.1,MLP,2.25,,0.5,\"[1, true]\"\r\n"
    );
    assert_eq!(csv("1.1", &[]), "Section,Model,Time (s)\r\n");
}

#[test]
fn json_keeps_the_order_and_every_digit() {
    let text = json("1.1", "2024-05-06T07:08:09+00:00", &timers());
    assert_snapshot!(text, @r#"
    {
      "section": "1.1",
      "timestamp": "2024-05-06T07:08:09+00:00",
      "timers": {
        "a|b,\n\"c\"": 0.1,
        "MLP": {"time": 2.25, "peak_memory_mb": null, "best": {"loss": 0.5}, "epochs": [1, true]}
      }
    }
    "#);
    let infinite = [("x".to_owned(), Value::Number(f64::INFINITY))];
    assert!(json("", "", &infinite).contains("\"x\": null"));
    let empty: serde_json::Value = serde_json::from_str(&json("", "", &[])).unwrap();
    assert_eq!(empty["timers"], serde_json::json!({}));
}
