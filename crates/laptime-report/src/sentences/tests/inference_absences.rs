use super::*;

#[test]
fn the_largest_batch_size_is_named() {
    assert_eq!(
        no_knee(&NoKnee::StillRises { largest: 4 }),
        "throughput still rises at 4, the largest batch size that was measured"
    );
    assert_eq!(
        no_crossover(&NoCrossover::NotFaster { largest: 64 }),
        "it isn't faster at 64, the largest batch size that was measured"
    );
}

#[test]
fn a_request_at_the_limit_has_its_interval() {
    let (low, high) = (0.985, 1.012);
    assert_eq!(
        no_answer(&NoAnswer::AtTheLimit { low, high }),
        "a request takes between 98.5 and 101.2 % of the time between two arrivals"
    );
}
