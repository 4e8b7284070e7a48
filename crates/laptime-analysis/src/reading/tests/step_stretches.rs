use super::*;

#[test]
fn stretches_of_a_long_run_lose_no_step_and_no_byte() {
    let mut stretches = StepStretches::default();
    for step in 0..10_001 {
        stretches.push((step * 10, 4), false, Some(3));
        stretches.push((step * 10 + 5, 2), true, None);
    }
    let all = stretches.since(0);
    assert!(all.len() <= MOST);
    assert_eq!(all.iter().map(|one| one.count).sum::<u64>(), 10_001);
    assert_eq!(all.iter().map(|one| one.net_bytes).sum::<i64>(), 30_003);
    assert_eq!(all.iter().map(|one| one.duration).sum::<u64>(), 60_006);
    assert_eq!(all.last().map(|one| one.end), Some(100_007));
    for (at, steps) in [(0, 0.0), (50_000, 5_000.0), (100_010, 10_001.0)] {
        let found = steps_until(&all, at, 100_010);
        assert!((found - steps).abs() < 0.01, "{found} steps until {at}");
    }
}

#[test]
fn steps_that_grow_shorter_are_counted_by_step_and_not_by_time() {
    let mut stretches = StepStretches::default();
    for start in [0, 100, 200, 210, 220, 230] {
        stretches.push((start, 1), false, None);
    }
    let since = stretches.since(100);
    assert!((steps_until(&since, 200, 240) - 1.0).abs() < 1e-9);
    assert!((steps_until(&since, 225, 240) - 3.5).abs() < 1e-9);
}
