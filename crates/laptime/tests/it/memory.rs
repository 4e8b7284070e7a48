//! Memory of laps in a program whose allocator counts: known blocks, nested, freed in every order.

use std::sync::Barrier;

use laptime::alloc::Tally;

use crate::own_process;

#[global_allocator]
static ALLOCATOR: Tally = Tally::system();

const MB: usize = 1_000_000;

/// Net and peak by path.
type Truth = Vec<(String, i64, i64)>;

fn raise(peaks: &mut [i64], to: i64) {
    for peak in peaks {
        *peak = to.max(*peak);
    }
}

/// Allocates a block in each of three nested laps, then frees them in `order` while the laps close.
fn nest(prefix: &str, sizes: [usize; 3], order: [usize; 3]) -> Truth {
    let names: Vec<String> = (0..3).map(|depth| format!("{prefix}{depth}")).collect();
    let mut blocks: Vec<Option<Vec<u8>>> = vec![None, None, None];
    let (mut now, mut peaks, mut starts) = (0_i64, Vec::new(), Vec::new());
    let mut laps = Vec::with_capacity(3);
    let mut truth = Truth::new();
    for depth in 0..3 {
        starts.push(now);
        peaks.push(now);
        laps.push(laptime::Lap::named(&names[depth]));
        blocks[depth] = Some(Vec::with_capacity(sizes[depth]));
        now += sizes[depth] as i64;
        raise(&mut peaks, now);
    }
    let transient: Vec<u8> = Vec::with_capacity(8 * MB);
    raise(&mut peaks, now + 8 * MB as i64);
    drop(transient);
    for (depth, freed) in (0..3).rev().zip(order) {
        blocks[freed] = None;
        now -= sizes[freed] as i64;
        drop(laps.pop());
        let path = names[..=depth].join("/");
        truth.push((path, now - starts[depth], peaks[depth] - starts[depth]));
    }
    truth
}

fn compare(truth: &Truth) {
    let summary = laptime::report().summary().clone();
    for (path, net, peak) in truth {
        let row = summary.row(path).unwrap_or_else(|| panic!("no {path}"));
        let close = |found: Option<i64>, wanted: i64| {
            let found = found.unwrap_or_else(|| panic!("{path} has no memory"));
            let slack = (wanted.abs() / 100).max(80_000);
            assert!(
                (found - wanted).abs() <= slack,
                "{path}: {found}, not {wanted}"
            );
        };
        close(row.memory.host_memory_net_min_bytes, *net);
        close(row.memory.host_memory_net_max_bytes, *net);
        close(
            row.memory
                .host_memory_peak_min_bytes
                .map(|bytes| bytes as i64),
            *peak,
        );
        close(
            row.memory
                .host_memory_peak_max_bytes
                .map(|bytes| bytes as i64),
            *peak,
        );
    }
}

const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// One test: counting is the process's.
#[test]
fn known_blocks_have_their_true_net_and_peak_from_one_thread_and_from_four() {
    own_process::run(|| {
        laptime::enable();
        laptime::alloc::start().unwrap();
        let all = [8 * MB, 64 * MB, 256 * MB];
        for (number, places) in ORDERS.iter().enumerate() {
            for (turn, order) in ORDERS.iter().enumerate() {
                let sizes = places.map(|place| all[place]);
                compare(&nest(&format!("one-{number}-{turn}-"), sizes, *order));
            }
        }
        let gate = Barrier::new(4);
        let truths: Vec<Truth> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|thread| {
                    let gate = &gate;
                    scope.spawn(move || {
                        let mut truth = Truth::new();
                        for (turn, order) in ORDERS.iter().enumerate() {
                            gate.wait();
                            truth.extend(nest(&format!("four-{thread}-{turn}-"), all, *order));
                        }
                        truth
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        truths.iter().for_each(compare);

        let mut late = Vec::new();
        {
            let outer = laptime::lap!("unbalanced outer");
            let inner = laptime::Lap::named("closed late");
            late.push(vec![0_u8; 8 * MB]);
            drop(outer);
            late.push(vec![0_u8; 16 * MB]);
            drop(inner);
        }
        compare(&vec![
            ("unbalanced outer".to_owned(), 8 * MB as i64, 8 * MB as i64),
            (
                "unbalanced outer/closed late".to_owned(),
                24 * MB as i64,
                24 * MB as i64,
            ),
        ]);
        laptime::alloc::stop();
        drop(laptime::lap!("after"));
        let summary = laptime::report().summary().clone();
        assert_eq!(
            summary
                .row("after")
                .unwrap()
                .memory
                .host_memory_net_max_bytes,
            None
        );
    });
}
