use laptime_analysis::Options;
use laptime_core::format::record::Record;
use laptime_core::{ProcessMemory, Span, SpanMemory};

use crate::tests::analyzed;
use crate::tests::scripted::{EPOCH_NS, MAIN, MS, Script, anchor};
use crate::{Format, View, render};

#[test]
fn what_there_is_to_doubt_follows_in_sentences_with_what_to_do() {
    let mut script = Script::new(7, 0);
    script.name_track(MAIN, false, "main");
    for step in 0..40 {
        script.span(&["step"], step * 20 * MS, 20 * MS);
        script.delayed(MAIN, (step + 1) * 20 * MS, (step + 1) * 12 * MS);
    }
    script.header.closed = Some(anchor(800 * MS));
    let summary = analyzed::summarize(&[script], Options::default());
    let text = render(&summary, Format::Text, &View::default());
    let told = text.split_once("findings").unwrap().1;
    let told = told.split_once("\nspan ").unwrap().0;
    insta::assert_snapshot!(told, @"

    · The numbers are unreliable: the machine was busy. The thread that takes the steps waited for a CPU
      for 60 % of the time. Other programs, this one's own threads and workers, or a limit on the
      container's CPU took the CPU time: leave a CPU free and run again.
    ");
}

#[test]
fn memory_of_what_is_between_steady_steps_is_no_gap_to_explain() {
    let mut script = Script::new(7, 0);
    let step = script.path(&["step"]);
    for index in 0..40 {
        let memory = SpanMemory {
            net_bytes: 0,
            peak_bytes: 2_048,
        };
        let start = EPOCH_NS + index * 20 * MS;
        script.push(Span::plain(step, start, 19 * MS, MAIN).with_memory(Some(memory)));
    }
    script.observed(Record::Memory {
        ticks: EPOCH_NS,
        memory: ProcessMemory {
            bytes: 4_096,
            peak_bytes: 8_192,
        },
    });
    script.header.closed = Some(anchor(800 * MS));
    let summary = analyzed::summarize(&[script], Options::default());
    let text = render(&summary, Format::Text, &View::default());
    let (whole, steady) = text.split_once("steady state").unwrap();
    let other = whole.lines().find(|line| line.starts_with("other"));
    assert!(other.is_some_and(|line| line.contains("4.0 KiB")), "{text}");
    assert!(
        steady.contains("other") && !steady.contains('\u{2013}'),
        "{steady}"
    );
}
