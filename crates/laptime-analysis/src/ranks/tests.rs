//! Jobs whose slow rank is known, and what must not change an answer: the order of rows, blocks and units.

use proptest::prelude::*;

use super::*;
use crate::statistics::Random;

const MS: i64 = 1_000_000;

/// A part of a rank's step that takes longer by so many ms, in the steps that are told.
type Slower = (u32, OwnPart, i64, fn(u64) -> bool);

/// Rows of eight ranks with a jitter of 2 %, of which one may be slower.
fn rows(steps: u64, ranks: u32, slower: Option<Slower>) -> Vec<StepRow> {
    let mut random = Random::new(7);
    let usual = [10.0, 30.0, 50.0, 8.0, 2.0].map(|ms| ms * MS as f64);
    let mut rows = Vec::new();
    for step in 0..steps {
        for rank in 0..ranks {
            let mut own_ns = usual.map(|ns| (ns * (1.0 + 0.02 * random.normal())) as i64);
            if let Some((slow, part, ms, is_slow)) = slower
                && slow == rank
                && is_slow(step)
            {
                own_ns[part as usize] += ms * MS;
            }
            let peers = 0;
            let duration_ns = 110 * MS;
            rows.push(StepRow {
                rank,
                step,
                peers,
                own_ns,
                duration_ns,
            });
        }
    }
    rows
}

/// Both passes over rows that are parted into blocks.
fn diagnosis(rows: &[StepRow]) -> Diagnosis {
    let mut by_block: Vec<(u64, Vec<StepRow>)> = Vec::new();
    for row in rows {
        let number = row.step / BLOCK_STEPS;
        match by_block.iter_mut().find(|(known, _)| *known == number) {
            Some((_, rows)) => rows.push(*row),
            None => by_block.push((number, vec![*row])),
        }
    }
    let mut blocks = Blocks::default();
    for (number, rows) in &by_block {
        blocks.add(Block::of(*number, rows));
    }
    let suspects = Suspects::of(&blocks);
    let second = by_block
        .iter()
        .map(|(number, rows)| SuspectSteps::of(*number, rows, &suspects));
    Diagnosis::of(&suspects, &blocks, second)
}

fn named(diagnosis: &Diagnosis) -> Vec<(u32, OwnPart, Pattern)> {
    diagnosis
        .slow
        .iter()
        .map(|one| (one.rank, one.part, one.pattern))
        .collect()
}

#[test]
fn a_job_without_a_slow_rank_names_none() {
    let found = diagnosis(&rows(400, 8, None));
    assert_eq!((named(&found), found.of_their_own.len()), (Vec::new(), 0));
    assert!(found.held_up.ratio.abs() < 1e-9);
    // Whoever is last by chance: of eight ranks at 1.2 % of a step, the last is 1.4 deviations late.
    assert!(
        (0.01..0.025).contains(&found.jitter.ratio),
        "{}",
        found.jitter.ratio
    );
}

#[test]
fn a_slow_rank_is_named_with_its_part_its_pattern_and_its_cost() {
    let cases: [(Slower, Pattern); 3] = [
        ((3, OwnPart::Forward, 12, |_| true), Pattern::Always),
        (
            (3, OwnPart::Data, 12, |step| step >= 217),
            Pattern::From(217),
        ),
        (
            (3, OwnPart::Backward, 12, |step| step % 20 == 3),
            Pattern::Every {
                steps: 20,
                first: 3,
            },
        ),
    ];
    for (slower, pattern) in cases {
        let found = diagnosis(&rows(400, 8, Some(slower)));
        assert_eq!(named(&found), [(3, slower.1, pattern)]);
        let share = slower.2 as f64 / 110.0;
        let often = (0..400).filter(|step| slower.3(*step)).count() as f64 / 400.0;
        let expected = share * often;
        // Less by what another rank would have been late by.
        let held = found.held_up.ratio;
        assert!(
            (0.75 * expected..=1.05 * expected).contains(&held),
            "{held} of {expected}"
        );
        let excess_ms = found.slow[0].excess_ns as f64 / MS as f64;
        assert!((11.0..13.0).contains(&excess_ms), "{excess_ms}");
    }
}

#[test]
fn a_rank_that_saves_is_not_slow() {
    let found = diagnosis(&rows(
        400,
        8,
        Some((0, OwnPart::Other, 400, |step| step % 50 == 49)),
    ));
    assert_eq!(named(&found), []);
    assert_eq!(found.of_their_own.len(), 1);
    assert_eq!(
        found.of_their_own[0].pattern,
        Pattern::Every {
            steps: 50,
            first: 49
        }
    );
}

/// The rows with each rank's work told by what it does.
fn with_work(mut rows: Vec<StepRow>, work: impl Fn(&StepRow) -> Work) -> Vec<StepRow> {
    for row in &mut rows {
        row.peers = work(row).peers();
    }
    rows
}

#[test]
fn stages_are_told_and_compared_with_their_own_kind() {
    let forwards = |count: u32| (0..count).fold(Work::NONE, |work, _| work.phase(OwnPart::Forward));
    let staged = |slower| with_work(rows(300, 8, slower), |row| forwards(1 + row.rank / 4));
    let found = diagnosis(&staged(None));
    let Groups::Fixed(groups) = &found.groups else {
        panic!("{:?}", found.groups);
    };
    let ranks: Vec<&[u32]> = groups.iter().map(|group| &group.ranks[..]).collect();
    assert_eq!(ranks, [&[0, 1, 2, 3][..], &[4, 5, 6, 7]]);
    assert!((95..105).contains(&(groups[0].own_per_step_ns() / MS)));
    assert!((5..15).contains(&(groups[0].wait_per_step_ns() / MS)));
    assert_eq!(named(&found), []);
    let found = diagnosis(&staged(Some((5, OwnPart::Forward, 12, |_| true))));
    assert_eq!(named(&found), [(5, OwnPart::Forward, Pattern::Always)]);
}

#[test]
fn work_that_changes_from_step_to_step_is_uneven() {
    let tokens = |row: &StepRow| u64::from(row.rank) * 1000 + row.step;
    let each = with_work(rows(300, 8, None), |row| {
        Work::NONE.collective("all_to_all", &[0, 1], Some(tokens(row)))
    });
    let uneven = Groups::Uneven {
        compared_rows: 0,
        uncompared_rows: 2_400,
    };
    assert_eq!(diagnosis(&each).groups, uneven);
    assert_eq!(diagnosis(&rows(300, 8, None)).groups, Groups::Alike);
    assert_eq!(diagnosis(&[]).groups, Groups::Unknown);
}

#[test]
fn two_ranks_are_not_compared() {
    let rows = rows(100, 2, Some((0, OwnPart::Forward, 30, |_| true)));
    let block = Block::of(0, &rows);
    assert_eq!((block.ranks.len(), block.uncompared_rows), (0, 200));
    assert_eq!(named(&diagnosis(&rows)), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn the_order_of_rows_and_the_unit_of_time_change_nothing(seed in any::<u64>(), factor in 2_i64..50) {
        let slower: Slower = (5, OwnPart::Forward, 6, |step| step >= 100);
        let rows = rows(200, 6, Some(slower));
        let found = diagnosis(&rows);
        let mut shuffled = rows.clone();
        Random::new(seed).shuffle(&mut shuffled);
        prop_assert_eq!(&diagnosis(&shuffled), &found);
        let longer: Vec<StepRow> = rows
            .iter()
            .map(|row| StepRow {
                own_ns: row.own_ns.map(|ns| ns * factor),
                duration_ns: row.duration_ns * factor,
                ..*row
            })
            .collect();
        prop_assert_eq!(named(&diagnosis(&longer)), named(&found));
    }
}
