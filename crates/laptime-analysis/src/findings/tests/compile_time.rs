use super::*;
use crate::Options;
use crate::findings::tests::found;
use crate::testing::analyzed::summarize;
use crate::testing::scripted::{MS, Script, anchor};

/// Compiling that takes so many ms in all, at each of these places; the run takes 10 s.
fn compiled(each: &[(&[&str], &[u64])]) -> Script {
    let mut script = Script::new(7, 10_000 * MS);
    script.header.closed = Some(anchor(10_000 * MS));
    let mut at = 500;
    for (around, times) in each {
        for ms in *times {
            let path: Vec<&str> = around.iter().copied().chain(["compile"]).collect();
            script.span(&path, at * MS, ms * MS);
            for depth in (1..=around.len()).rev() {
                script.span(&around[..depth], at * MS, (ms + 10) * MS);
            }
            at += ms + 20;
        }
    }
    script
}

/// A path, how often, and how many ms.
type Place = (String, u64, u64);

fn told(script: &Script) -> Option<(u64, u64, Vec<Place>)> {
    found(script).into_iter().find_map(|one| match one {
        Finding::Compiling {
            count,
            total_ns,
            places,
            ..
        } => {
            let each = places.into_iter();
            let each = each.map(|place| (place.path, place.count, place.total_ns / MS));
            Some((count, total_ns / MS, each.collect()))
        }
        _ => None,
    })
}

#[test]
fn compiling_is_one_kind_of_time_wherever_it_happens() {
    let script = compiled(&[
        (&["evaluation"], &[4_000, 1_000]),
        (&[], &[1_500]),
        (&["step", "forward"], &[800]),
        (&["prepare"], &[100]),
    ]);
    let place = |path: &str, count, ms| (path.to_owned(), count, ms);
    let places = vec![
        place("evaluation/compile", 2, 5_000),
        place("compile", 1, 1_500),
        place("step/forward/compile", 1, 800),
    ];
    assert_eq!(told(&script), Some((5, 7_400, places)));
    let before_steps = compiled(&[(&[], &[3_500])]);
    let places = vec![place("compile", 1, 3_500)];
    assert_eq!(told(&before_steps), Some((1, 3_500, places)));
}

#[test]
fn little_compiling_is_none() {
    assert_eq!(told(&compiled(&[(&["evaluation"], &[2_500])])), None);
    let mut short = compiled(&[(&["evaluation"], &[700])]);
    short.header.closed = Some(anchor(1_500 * MS));
    assert_eq!(told(&short), None);
}

#[test]
fn what_is_compiled_while_something_else_is_compiled_counts_once() {
    let mut script = compiled(&[(&["evaluation"], &[4_000])]);
    script.span(&["evaluation", "compile", "compile"], 600 * MS, 2_000 * MS);
    assert_eq!(told(&script).map(|told| (told.0, told.1)), Some((1, 4_000)));
    let summary = summarize(&[script], Options::default());
    assert_eq!(
        summary.rows.iter().filter(|row| is_outermost(row)).count(),
        1
    );
}
