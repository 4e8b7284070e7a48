use super::*;

/// What is asked by these variables, where recordings called `open.lap` are in progress.
fn asked(variables: &[(&str, &str)]) -> Asked {
    let value = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    Asked::of(value, |folder| folder == Path::new("open.lap"))
}

#[test]
fn switches_are_known_in_any_case_and_a_path_by_its_ending() {
    for on in ["1", "true", "YES", "On", " 1 "] {
        assert_eq!(asked(&[("LAPTIME", on)]).switch, Switch::On, "{on}");
    }
    for off in ["0", "False", "no", "OFF"] {
        assert_eq!(asked(&[("LAPTIME", off)]).switch, Switch::Off, "{off}");
    }
    for path in ["x.lap", "a/b.lap", "/a b/c.lap/"] {
        let wanted = Switch::Record(path.into());
        assert_eq!(asked(&[("LAPTIME", path)]).switch, wanted);
    }
    assert_eq!(asked(&[("LAPTIME", "")]), asked(&[]));
}

#[test]
fn a_value_that_says_nothing_is_told_with_those_that_would() {
    for bad in ["sure", "2", "x.lab", ".lap", "runs/", "on\u{1b}[2J"] {
        let asked = asked(&[("LAPTIME", bad)]);
        assert_eq!((asked.switch, asked.warnings.len()), (Switch::Unset, 1));
        assert!(!asked.warnings[0].to_string().contains('\u{1b}'));
    }
    let said = asked(&[
        ("LAPTIME", "sure"),
        ("LAPTIME_MEMORY", "2"),
        ("LAPTIME_AUTO", "all"),
    ]);
    let said: Vec<String> = said.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "LAPTIME=\"sure\" is not understood and is ignored; possible: 1/true/yes/on, 0/false/no/off, \
             or a path that ends in .lap",
            "LAPTIME_MEMORY=\"2\" is not understood, so memory is not counted; possible: 1/true/yes/on, \
             0/false/no/off, or objects",
            "LAPTIME_AUTO=\"all\" is not understood and is ignored; possible: 1/true/yes/on, \
             0/false/no/off, or some of phases,modules,ops,stacks,calls,nvtx,kernels=10:13",
        ]
    );
}

#[test]
fn functions_are_sampled_or_not_whatever_else_is_automatic() {
    let stacks =
        |typed: &str| asked(&[("LAPTIME_STACKS", typed), ("LAPTIME_AUTO", "stacks")]).stacks;
    assert_eq!(
        (stacks("0"), stacks("on"), stacks("")),
        (Some(false), Some(true), None)
    );
    let said = asked(&[("LAPTIME_STACKS", "all")]);
    assert_eq!(said.stacks, None);
    assert_eq!(
        said.warnings[0].to_string(),
        "LAPTIME_STACKS=\"all\" is not understood and is ignored; possible: 1/true/yes/on, 0/false/no/off"
    );
}

#[test]
fn a_recording_that_is_over_is_not_joined() {
    let run = |folder| asked(&[("LAPTIME_RUN", folder)]).run;
    assert_eq!(run("open.lap"), Some("open.lap".into()));
    assert_eq!(run("over.lap"), None);
    let both = asked(&[("LAPTIME_RUN", "over.lap"), ("LAPTIME", "own.lap")]);
    assert_eq!(
        (both.run, both.switch),
        (None, Switch::Record("own.lap".into()))
    );
}

#[test]
fn off_beats_everything() {
    let off = asked(&[
        ("LAPTIME", "no"),
        ("LAPTIME_RUN", "open.lap"),
        ("LAPTIME_MEMORY", "1"),
        ("LAPTIME_AUTO", "nonsense"),
    ]);
    assert_eq!((off.run, off.memory, off.automatic), (None, None, None));
    assert!(off.warnings.is_empty());
}

#[test]
fn devices_are_timed_by_events_unless_laps_are_to_wait_or_nothing_is() {
    let found = |typed: &str| asked(&[("LAPTIME_DEVICE", typed)]).device_time;
    assert_eq!(found("events"), Some(DeviceTime::Events));
    assert_eq!(found("sync"), Some(DeviceTime::Sync));
    assert_eq!(found("OFF"), Some(DeviceTime::Off));
    assert_eq!(found("yes"), Some(DeviceTime::Events));
    assert_eq!(
        (found(""), DeviceTime::default()),
        (None, DeviceTime::Events)
    );
    let streams = |typed: &str| asked(&[("LAPTIME_STREAMS", typed)]).streams;
    assert_eq!(streams("all"), Some(Streams::All));
    assert_eq!(streams("current"), Some(Streams::Current));
    let nothing = asked(&[("LAPTIME_DEVICE", "all"), ("LAPTIME_STREAMS", "sync")]);
    assert_eq!((nothing.device_time, nothing.streams), (None, None));
    let said: Vec<String> = nothing.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "LAPTIME_DEVICE=\"all\" is not understood and is ignored; possible: 1/true/yes/on, \
             0/false/no/off, or events, sync",
            "LAPTIME_STREAMS=\"sync\" is not understood and is ignored; possible: 1/true/yes/on, \
             0/false/no/off, or current, all",
        ]
    );
}

#[test]
fn devices_memory_has_a_way_to_know_peaks_or_a_switch() {
    let found = |typed: &str| asked(&[("LAPTIME_DEVICE_MEMORY", typed)]).device_memory;
    assert_eq!(found("bounds"), Some(DeviceMemory::Bounds));
    assert_eq!(found("fold"), Some(DeviceMemory::Fold));
    assert_eq!(found("1"), Some(DeviceMemory::Fold));
    assert_eq!(found("off"), Some(DeviceMemory::Off));
    let nothing = asked(&[("LAPTIME_DEVICE_MEMORY", "exact")]);
    assert_eq!((nothing.device_memory, nothing.warnings.len()), (None, 1));
}

#[test]
fn memory_and_phases_are_switches_too() {
    let memory = |typed| asked(&[("LAPTIME_MEMORY", typed)]).memory;
    assert_eq!(memory("yes"), Some(Counting::Allocations));
    assert_eq!(memory("objects"), Some(Counting::Objects));
    assert_eq!(memory("off"), None);
    let automatic = |typed: &str| asked(&[("LAPTIME_AUTO", typed)]).automatic.unwrap();
    assert!(automatic("on").phases && !automatic("on").modules);
    assert_eq!(automatic("0"), Automatic::default());
    assert_eq!(automatic(""), Automatic::default());
    let some = automatic("ops");
    assert!(some.phases && some.ops && !some.modules);
    assert_eq!(some.names().join(","), "phases,ops");
    let stacks = automatic("stacks");
    assert!(stacks.stacks && !stacks.phases);
    let calls = automatic("calls");
    assert!(calls.calls && !calls.phases && !calls.stacks);
    let nvtx = automatic("nvtx");
    assert!(nvtx.nvtx && nvtx.names() == ["nvtx"]);
    let kernels = automatic("kernels=10:13");
    let named = kernels.names().join(",");
    assert_eq!(kernels.kernels, Some(Steps { from: 10, to: 13 }));
    assert!(kernels.phases, "steps are of phases");
    assert_eq!(automatic(&named), kernels);
    for nothing in [
        "kernels",
        "kernels=3",
        "kernels=3:3",
        "kernels=4:3",
        "kernels=a:b",
    ] {
        let asked = asked(&[("LAPTIME_AUTO", nothing)]);
        assert_eq!(
            (asked.automatic, asked.warnings.len()),
            (None, 1),
            "{nothing}"
        );
    }
    assert_eq!(automatic("stacks,phases").names(), ["phases", "stacks"]);
    assert_eq!(automatic(&some.names().join(",")), some);
}
