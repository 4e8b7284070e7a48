use super::*;

#[test]
fn a_fact_names_the_values_of_both_sides() {
    let values = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
    let difference = |fact, base: &[&str], new: &[&str]| {
        phrase(&Difference::Fact {
            fact,
            base: values(base),
            new: values(new),
        })
    };
    assert_eq!(
        difference(Fact::Device, &["A100", "H200"], &["none"]),
        "the device differs: A100 and H200 and none"
    );
    assert_eq!(
        difference(Fact::Threads, &["1"], &["2"]),
        "the number of threads that compute differs: 1 and 2"
    );
}

#[test]
fn the_work_of_a_step_has_its_thousands_apart() {
    let difference = Difference::StepWork {
        noun: "step".to_owned(),
        base_flop: 1_000.0,
        new_flop: 2_000.0,
    };
    assert_eq!(
        phrase(&difference),
        "the work of a step differs: 1,000 FLOP and 2,000 FLOP"
    );
}

#[test]
fn a_recording_names_its_option() {
    let difference = Difference::Recorded {
        option: RecordingOption::DeviceWait,
        base: Extent::Off,
        new: Extent::SomeRuns,
    };
    let Words { fact, base, new } = words(&difference);
    assert_eq!(fact, "waiting for the device (LAPTIME_DEVICE=sync)");
    assert_eq!((&base[..], &new[..]), ("off", "on in some runs"));
}
