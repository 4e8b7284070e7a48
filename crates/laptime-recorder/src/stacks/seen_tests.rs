use super::*;

const LOOK_NS: u64 = 10_000_000;

fn stack() -> SeenStack {
    SeenStack {
        has_interpreter: false,
        runner: Runner::Thread,
        turn: None,
        others_ready: false,
        is_collecting: false,
        frames: Some(Vec::new()),
    }
}

fn looked(thread: u64, used_ns: Option<u64>, is_running: bool) -> Looked {
    Looked {
        thread,
        used_ns,
        is_running,
        is_on_processor: false,
    }
}

fn at(look: u64) -> Moment {
    Moment {
        look,
        ticks: look * 100,
        within_ns: 1,
        ns: look * LOOK_NS,
    }
}

/// Looks at thread 7, which has used that much processor time by each look; what was ready after it.
fn looks(seen: &mut Seen, used: impl IntoIterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut ready = Vec::new();
    for (look, used_ns) in used {
        if !seen.stands_still(7, Some(used_ns), at(look)) {
            let is_running = true;
            seen.take(looked(7, Some(used_ns), is_running), stack(), at(look), 0);
        }
        seen.keep_those_of(look);
        ready.extend(told(seen));
    }
    ready
}

/// Of a program that runs for twenty seconds.
fn long_ago() -> Seen {
    Seen {
        first_ns: Some(0),
        ..Seen::default()
    }
}

fn told(seen: &mut Seen) -> Vec<(u64, u64)> {
    let ready = seen.ready();
    ready
        .map(|sample| (sample.ticks, sample.stands_for_ns / LOOK_NS))
        .collect()
}

#[test]
fn a_thread_that_runs_has_a_sample_each_look() {
    let mut seen = Seen::default();
    let ready = looks(&mut seen, [(1, 10), (2, 20), (3, 30)]);
    assert_eq!(ready, [(100, 1), (200, 1), (300, 1)]);
}

#[test]
fn looks_at_a_thread_that_stands_still_are_one_sample_up_to_the_last_of_them() {
    let mut seen = long_ago();
    let looked = [(2_001, 10), (2_002, 10), (2_003, 10), (2_004, 10)];
    let ready = looks(&mut seen, [(2_000, 5)].into_iter().chain(looked));
    assert_eq!(ready[1..], [(200_100, 1)]);
    // The time since the last look at which it stood still is that of what ran then.
    let ready = looks(&mut seen, [(2_005, 20)]);
    assert_eq!(ready, [(200_400, 3), (200_500, 1)]);
}

#[test]
fn of_a_program_that_is_killed_little_of_its_time_is_in_no_sample() {
    let mut seen = Seen::default();
    for look in 1..=3_000 {
        looks(&mut seen, [(look, 10)]);
        let held_ns = seen.threads[&7].held_ns;
        assert!(held_ns <= look * LOOK_NS / 16 && held_ns < MOST_HELD_NS);
    }
}

#[test]
fn what_is_held_is_written_after_a_second_when_the_thread_ends_and_at_the_end() {
    let mut seen = long_ago();
    let ready = looks(&mut seen, (2_001..=2_250).map(|look| (look, 10)));
    assert_eq!(ready[1..], [(210_100, 100), (220_100, 100)]);
    seen.keep_those_of(2_251);
    assert_eq!(told(&mut seen), [(225_000, 49)]);
    looks(&mut seen, [(2_300, 5), (2_301, 5)]);
    seen.finish();
    assert_eq!(told(&mut seen), [(230_100, 1)]);
}

#[test]
fn without_processor_time_and_after_a_failure_a_thread_is_read_at_every_look() {
    let mut seen = Seen::default();
    let unread = SeenStack {
        frames: None,
        ..stack()
    };
    seen.take(looked(7, Some(1), false), unread, at(1), 0);
    assert!(!seen.stands_still(7, Some(1), at(2)));
    seen.take(looked(8, None, false), stack(), at(2), 0);
    assert!(!seen.stands_still(8, None, at(3)));
}

#[test]
fn time_of_a_look_that_failed_counts_as_unread_only() {
    let mut seen = Seen::default();
    looks(&mut seen, [(1, 10)]);
    seen.take_unread(at(2), at(1).ns);
    assert_eq!(told(&mut seen), [(200, 1)]);
    assert_eq!(looks(&mut seen, [(3, 20)]), [(300, 1)]);
}

#[test]
fn a_sample_says_whether_its_thread_changed_no_context_since_the_one_before() {
    let mut seen = Seen::default();
    let turns = [Some(5), Some(5), Some(6), None, None];
    for (look, turn) in (1..).zip(turns) {
        let stack = SeenStack { turn, ..stack() };
        seen.take(looked(7, Some(look), true), stack, at(look), 0);
    }
    // It stands still after that: it can't have changed it.
    seen.stands_still(7, Some(5), at(6));
    seen.finish();
    let same: Vec<bool> = seen.ready().map(|sample| sample.in_same_turn).collect();
    assert_eq!(same, [false, true, false, false, false, true]);
}

#[test]
fn hundreds_of_threads_that_stand_still_write_little() {
    let (mut seen, mut samples) = (Seen::default(), 0);
    for look in 1..=200 {
        for thread in 1..=200 {
            if !seen.stands_still(thread, Some(5), at(look)) {
                seen.take(looked(thread, Some(5), false), stack(), at(look), 0);
            }
        }
        seen.keep_those_of(look);
        samples += seen.ready().count();
    }
    // A dozen of each, in two seconds.
    assert!(samples < 12 * 200, "{samples}");
    let held: Vec<u64> = seen.threads.values().map(|known| known.held_ns).collect();
    assert!(
        held.iter().all(|held_ns| *held_ns <= 200 * LOOK_NS),
        "{held:?}"
    );
}

#[test]
fn no_more_threads_run_at_a_look_than_there_are_processors() {
    let mut seen = long_ago();
    let used = |look: u64, thread: u64| Some(look * thread * LOOK_NS / 10);
    for look in 1..=20 {
        for thread in 1..=9 {
            // Two of them stand still, though the system calls them runnable.
            let used_ns = used(if thread < 3 { 1 } else { look }, thread);
            if !seen.stands_still(thread, used_ns, at(look)) {
                seen.take(looked(thread, used_ns, thread != 9), stack(), at(look), 0);
            }
        }
        seen.share_processors(4, LOOK_NS);
        seen.keep_those_of(look);
        let running = seen.ready().filter(|sample| sample.is_running);
        let running: Vec<u64> = running.map(|sample| sample.thread).collect();
        // Those that used most; one that waits for something else is none of them.
        assert_eq!(running, [5, 6, 7, 8]);
    }
}

#[test]
fn threads_run_for_no_longer_than_they_used_a_processor() {
    // Three that wait for one lock, the interpreter's or a busy processor: each has it in turn.
    let mut seen = long_ago();
    let mut running_ns = 0;
    for look in 1..=90_u64 {
        for thread in 0..3 {
            let used_ns = Some(1 + (look + thread) / 3 * LOOK_NS);
            if !seen.stands_still(thread, used_ns, at(look)) {
                seen.take(
                    looked(thread, used_ns, true),
                    stack(),
                    at(look),
                    at(look - 1).ns,
                );
            }
        }
        seen.share_processors(4, LOOK_NS);
        let running = seen.ready().filter(|sample| sample.is_running);
        running_ns += running.map(|sample| sample.stands_for_ns).sum::<u64>();
    }
    let looks = running_ns / LOOK_NS;
    assert!((88..=92).contains(&looks), "{looks}");
}

#[test]
fn who_runs_at_a_look_is_who_has_the_interpreter_and_not_who_ran_before() {
    let mut seen = long_ago();
    let mut running = Vec::new();
    for look in 1..=20_u64 {
        // Thread 1 ran for nearly all of the time, and has just gone to sleep and been woken.
        let of_thread = [(1, 9, false), (2, 1, true)];
        for (thread, tenths, has_interpreter) in of_thread {
            let used_ns = Some(look * LOOK_NS * tenths / 10);
            let stack = SeenStack {
                has_interpreter,
                ..stack()
            };
            seen.take(
                looked(thread, used_ns, true),
                stack,
                at(look),
                at(look - 1).ns,
            );
        }
        seen.share_processors(2, LOOK_NS);
        let told = seen.ready().filter(|sample| sample.is_running);
        running.extend(told.map(|sample| sample.thread));
    }
    assert_eq!(running, [2; 20]);
}

/// A stack with one function, and whether its thread collects garbage.
fn in_function(name: &str, is_collecting: bool) -> SeenStack {
    let function = Arc::new(SeenFunction {
        name: name.to_owned(),
        file: "job.py".to_owned(),
    });
    SeenStack {
        is_collecting,
        frames: Some(vec![SeenFrame { function, line: 1 }]),
        ..stack()
    }
}

/// The threads that collect garbage by the samples of one look, at which these were seen.
fn collecting(stacks: &[(u64, SeenStack)]) -> Vec<u64> {
    let mut seen = Seen::default();
    for (thread, stack) in stacks {
        seen.take(looked(*thread, Some(1), true), stack.clone(), at(1), 0);
    }
    seen.check_collections();
    let ready = seen.ready();
    let collecting = ready.filter(|one| one.stack.as_ref().is_some_and(|one| one.is_collecting));
    collecting.map(|sample| sample.thread).collect()
}

#[test]
fn a_thread_that_runs_while_another_is_in_a_finalizer_collects_nothing() {
    let works = || (7, in_function("work", true));
    let finalizer = |is_collecting| in_function("File.__del__", is_collecting);
    assert_eq!(collecting(&[works(), (8, in_function("wait", false))]), [7]);
    assert!(collecting(&[works(), (8, finalizer(false))]).is_empty());
    assert!(collecting(&[(7, finalizer(true))]).is_empty());
}
