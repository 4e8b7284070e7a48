use super::*;
use proptest::prelude::*;

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Allocates, or below zero frees.
    Count(i64),
    Open,
    /// Closes one of the open laps, not always the innermost.
    Close(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (-1_000_i64..1_000).prop_map(Step::Count),
        2 => Just(Step::Open),
        1 => Just(Step::Close(0)),
        1 => any::<usize>().prop_map(Step::Close),
    ];
    proptest::collection::vec(step, 0..200)
}

/// A lap with every net that it saw.
struct Remembered {
    id: u64,
    nets: Vec<i64>,
}

proptest! {
    #[test]
    fn net_and_peak_of_every_lap_are_those_of_a_lap_that_remembers_everything(steps in steps()) {
        let mut frames = Frames::default();
        let mut running = Running::default();
        let mut model: Vec<Remembered> = Vec::new();
        for (id, step) in (0_u64..).zip(steps) {
            match step {
                Step::Count(bytes) => {
                    running.net += bytes;
                    running.peak = running.peak.max(running.net);
                    for lap in &mut model {
                        lap.nets.push(lap.nets.last().unwrap() + bytes);
                    }
                }
                Step::Open => {
                    frames.push(id, &mut running);
                    model.push(Remembered { id, nets: vec![0] });
                }
                Step::Close(which) => {
                    if model.is_empty() {
                        prop_assert_eq!(frames.take(id, &mut running), None);
                        continue;
                    }
                    let lap = model.remove(model.len() - 1 - which % model.len());
                    let expected = SpanMemory {
                        net_bytes: *lap.nets.last().unwrap(),
                        peak_bytes: *lap.nets.iter().max().unwrap() as u64,
                    };
                    prop_assert_eq!(frames.take(lap.id, &mut running), Some(expected));
                }
            }
        }
    }

    #[test]
    fn what_a_span_did_in_pieces_is_what_it_did(nets in proptest::collection::vec(-1_000_i64..1_000, 1..60), cut in 0_usize..60) {
        let of = |nets: &[i64]| {
            let mut memory = SpanMemory::default();
            for bytes in nets {
                memory.net_bytes += bytes;
                memory.peak_bytes = memory.peak_bytes.max(memory.net_bytes.max(0) as u64);
            }
            memory
        };
        let (first, second) = nets.split_at(cut.min(nets.len()));
        prop_assert_eq!(of(first).then(of(second)), of(&nets));
    }
}
