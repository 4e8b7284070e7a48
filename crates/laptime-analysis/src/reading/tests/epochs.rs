use super::*;
use crate::analyzer::Options;
use crate::summary::Summary;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MAIN, MS, Script};
use laptime_core::{PathId, SpanFlags};

fn summary_of(script: &Script) -> Summary {
    summarize(std::slice::from_ref(script), Options::default())
}

/// Returns epochs of 10 steps of 10 ms, an evaluation of 30 ms and 5 ms of something else.
fn trained(epochs: u64) -> Script {
    let mut script = Script::new(7, 100_000 * MS);
    let mut now = 500 * MS;
    for epoch in 0..epochs {
        script.mark(&["epoch"], now);
        for _ in 0..10 {
            script.span(&["step"], now, 10 * MS);
            now += 10 * MS;
        }
        script.span(&["evaluation"], now, 30 * MS);
        now += 30 * MS;
        script.metric(&["accuracy"], now, 0.5 + epoch as f64 / 10.0);
        now += 5 * MS;
    }
    script
}

#[test]
fn an_epoch_lasts_until_the_next_one_and_the_last_until_its_last_step_or_evaluation() {
    let summary = summary_of(&trained(3));
    let told: Vec<_> = (summary.epochs.iter())
        .map(|epoch| {
            let evaluation_ms = epoch.evaluation_ns.map(|ns| ns / MS);
            (
                epoch.at_ns / MS,
                epoch.duration_ns / MS,
                epoch.step_count,
                evaluation_ms,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (500, 135, 10, Some(30)),
            (635, 135, 10, Some(30)),
            (770, 130, 10, Some(30))
        ]
    );
}

#[test]
fn an_epoch_has_the_last_value_of_each_metric_in_it() {
    let mut script = trained(2);
    script.metric(&["accuracy"], 510 * MS, 0.1);
    let summary = summary_of(&script);
    let values = |index: usize| summary.epochs[index].metrics.get("accuracy").copied();
    // The value that follows the last evaluation is of the last epoch too.
    assert_eq!((values(0), values(1)), (Some(0.5), Some(0.6)));
}

#[test]
fn without_marks_the_spans_named_epoch_tell_epochs() {
    let mut script = Script::new(7, 10_000 * MS);
    for epoch in 0..2 {
        let start = 1_000 * (epoch + 1) * MS;
        for step in 0..4 {
            script.span(&["epoch", "step"], start + 100 * step * MS, 90 * MS);
        }
        script.span(&["epoch"], start, 500 * MS);
    }
    let epochs = summary_of(&script).epochs;
    let counts: Vec<_> = epochs.iter().map(|epoch| epoch.step_count).collect();
    assert_eq!(counts, [4, 4]);
    assert_eq!(epochs[1].evaluation_ns, None);
}

#[test]
fn steps_before_the_first_epoch_belong_to_none() {
    let mut script = trained(1);
    script.span(&["step"], 100 * MS, 10 * MS);
    assert_eq!(summary_of(&script).epochs[0].step_count, 10);
    let mut script = Script::new(7, 1_000 * MS);
    script.span(&["step"], 100 * MS, 10 * MS);
    assert_eq!(summary_of(&script).epochs, []);
}

#[test]
fn counts_stay_exact_when_neighbours_are_put_together() {
    let mut epochs = Epochs::default();
    let per_epoch = 3 * MOST_UNITS as u64 / 2 + 7;
    for epoch in 0..4 {
        let began = epoch * per_epoch * 10;
        for step in 0..per_epoch {
            // The mark comes late, as it does where an epoch is known by its second batch.
            if step == 2 {
                epochs.mark(MAIN, began);
            }
            let span = Span::plain(laptime_core::PathId(2), began + step * 10, 9, MAIN);
            epochs.span(PhaseName::Step, &span);
        }
    }
    let found = epochs.main_training();
    let counts: Vec<_> = found.iter().map(|epoch| epoch.steps).collect();
    assert_eq!(counts, [per_epoch; 4]);
    assert_eq!(found[3].end, 4 * per_epoch * 10 - 1);
    assert!(epochs.tracks[0].1.units.len() <= MOST_UNITS);
}

#[test]
fn a_step_in_pieces_is_one_step() {
    let mut script = Script::new(7, 1_000 * MS);
    script.mark(&["epoch"], 100 * MS);
    script.span(&["step"], 100 * MS, 10 * MS);
    script.span_on(MAIN, &["step"], 120 * MS, 10 * MS, SpanFlags::CONTINUES);
    let epoch = &summary_of(&script).epochs[0];
    assert_eq!((epoch.step_count, epoch.duration_ns), (1, 30 * MS));
}

/// Adds a pass of 10 steps of 10 ms on a track of its own.
fn pass(script: &mut Script, track: u32, start: u64) {
    script.mark_on(track, &["epoch"], start);
    for step in 0..10 {
        let at = start + step * 10 * MS;
        script.span_on(track, &["step"], at, 10 * MS, SpanFlags::NONE);
    }
}

/// In a notebook each cell is a task.
#[test]
fn passes_that_follow_each_other_on_tracks_of_their_own_are_one_training_s() {
    let mut script = Script::new(7, 100_000 * MS);
    for cell in 0..40 {
        let start = 500 * MS + cell * 200 * MS;
        pass(&mut script, 10 + cell as u32, start);
        script.metric(&["loss"], start + 110 * MS, cell as f64);
    }
    let epochs = summary_of(&script).epochs;
    assert_eq!(epochs.len(), 40);
    for (cell, epoch) in epochs.iter().enumerate() {
        assert_eq!(epoch.step_count, 10);
        assert_eq!(epoch.metrics.get("loss"), Some(&(cell as f64)));
    }
}

#[test]
fn of_trainings_side_by_side_the_one_with_most_epochs_is_told() {
    let mut script = Script::new(7, 100_000 * MS);
    for epoch in 0..3 {
        pass(&mut script, 10, 500 * MS + epoch * 100 * MS);
    }
    for epoch in 0..2 {
        pass(&mut script, 11, 510 * MS + epoch * 140 * MS);
    }
    let epochs = summary_of(&script).epochs;
    let steps: Vec<u64> = epochs.iter().map(|epoch| epoch.step_count).collect();
    assert_eq!(steps, [10, 10, 10]);
}

#[test]
fn many_tracks_of_many_epochs_are_read_in_bounded_memory_and_time() {
    let mut epochs = Epochs::default();
    for track in 0..100 {
        for at in 0..2_000 {
            epochs.mark(track, at * 10);
            epochs.span(PhaseName::Step, &Span::plain(PathId(1), at * 10, 5, track));
        }
    }
    let kept: usize = epochs
        .tracks
        .iter()
        .map(|(_, track)| track.units.len())
        .sum();
    assert!(kept <= 8 * MOST_UNITS + 92 * FEW_UNITS, "{kept}");
    assert_eq!(
        epochs.main_training().len(),
        2_000,
        "a first one has them all"
    );
}
