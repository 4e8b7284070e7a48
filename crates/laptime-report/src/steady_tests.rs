use laptime_analysis::Options;

use crate::tests::fed;
use crate::tests::scripted::{MAIN, MS, Script, anchor};
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
    let summary = fed::summarize(&[script], Options::default());
    let text = render(&summary, Format::Text, &View::default());
    let told = text.split_once("findings").unwrap().1;
    let told = told.split_once("\nspan ").unwrap().0;
    insta::assert_snapshot!(told, @"

    · The numbers are unreliable: the machine was busy. The thread that takes the steps waited for a CPU
      for 60 % of the time. Other programs, this one's own threads and workers, or a limit on the
      container's CPU took it: leave a CPU free and run again.
    ");
}
