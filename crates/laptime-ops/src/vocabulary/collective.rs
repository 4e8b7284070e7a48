//! Collectives of `torch.distributed`, the functional ones and those of process groups.
//!
//! How many ranks take part is read from an argument `group_size`, which feeds add where the
//! operator has none but they can ask the group; else from the sizes of what goes in and comes out.

use std::sync::LazyLock;

use laptime_core::Cost;

use super::table::{Counted, Dialect, Entry, Rule, formula, plain};
use crate::event::Event;
use crate::family::collective::{Collective, cost};
use crate::tensor::{Dtype, Tensor};

/// Operators by which devices talk to each other.
pub const TABLE: &[Entry] = &[
    formula(
        "all_reduce all_reduce_coalesced allreduce allreduce_coalesced multimem_all_reduce \
         one_shot_all_reduce two_shot_all_reduce multimem_one_shot_all_reduce",
        "2(p−1)/p of its bytes over links; (p−1)/p FLOP an element",
        |e| whole(e, Collective::AllReduce),
    ),
    formula(
        "reduce",
        "its bytes over links; (p−1)/p FLOP an element",
        |e| whole(e, Collective::Reduce),
    ),
    formula("broadcast", "its bytes over links", |e| {
        whole(e, Collective::Send)
    }),
    formula("send isend", "its bytes over links; read", |e| {
        Ok(Cost {
            bytes_written: 0,
            ..whole(e, Collective::Send)?
        })
    }),
    formula(
        "recv recv_any_source irecv",
        "its bytes over links; written",
        |e| {
            Ok(Cost {
                bytes_read: 0,
                ..whole(e, Collective::Send)?
            })
        },
    ),
    formula(
        "all_gather_into_tensor all_gather_into_tensor_coalesced _allgather_base allgather \
         allgather_coalesced allgather_into_tensor_coalesced gather gather_into_tensor \
         _low_contention_all_gather",
        "(p−1)/p of all ranks' bytes over links",
        |e| parts(e, Collective::Exchange, going_in(e), coming_out(e)),
    ),
    formula(
        "reduce_scatter_tensor reduce_scatter_tensor_coalesced _reduce_scatter_base \
         reduce_scatter _low_contention_reduce_scatter",
        "(p−1)/p of its input's bytes over links; (p−1)/p FLOP an element",
        |e| parts(e, Collective::ReduceScatter, coming_out(e), going_in(e)),
    ),
    formula("scatter", "(p−1)/p of all ranks' bytes over links", |e| {
        parts(e, Collective::Exchange, coming_out(e), going_in(e))
    }),
    formula(
        "all_to_all_single alltoall alltoall_base shard_dim_alltoall",
        "(p−1)/p of its bytes over links",
        |e| whole(e, Collective::Exchange),
    ),
    plain(
        "wait_tensor wait_tensors barrier monitored_barrier _wrap_tensor_autograd \
         mesh_get_process_group check_for_nan _barrier _rendezvous",
        Rule::Nothing,
    ),
    plain(
        "batch_p2p_ops",
        Rule::Unknown("what it sends and what it receives is data"),
    ),
];

/// The dialect of exchanges between processes.
pub static DIALECT: LazyLock<Dialect> = LazyLock::new(|| Dialect::new(TABLE.iter().copied()));

const UNKNOWN: &str = "how many ranks are in its group isn't known";

fn told(event: &Event) -> Option<u128> {
    event.count("group_size").filter(|ranks| *ranks > 0)
}

fn held<'a>(tensors: impl Iterator<Item = &'a Tensor>) -> u128 {
    tensors.fold(0, |all, tensor| all.saturating_add(tensor.held()))
}

/// Elements of the arguments of these names, separated by spaces.
fn held_by(event: &Event, names: &str) -> u128 {
    held(names.split(' ').flat_map(|name| event.tensors(name)))
}

fn dtype(event: &Event) -> Result<Dtype, String> {
    let mut tensors = event.inputs().chain(&event.outputs);
    let first = tensors.next().ok_or("it has no tensors")?;
    Ok(first.dtype)
}

/// What goes in, where the operator names it; an in-place operator's first argument else.
fn going_in(event: &Event) -> u128 {
    let names = "input inputs input_tensor input_tensors input_list";
    match held_by(event, names) {
        0 => held_by(event, "self tensor tensors"),
        elements => elements,
    }
}

/// What comes out, where the operator has an argument for it; its outputs else.
fn coming_out(event: &Event) -> u128 {
    let names = "output outputs output_tensor output_tensors output_lists out";
    match held_by(event, names) {
        0 => held(event.outputs.iter()),
        elements => elements,
    }
}

/// A collective over a tensor that every rank has whole.
fn whole(event: &Event, kind: Collective) -> Counted {
    // A message goes to one rank, a broadcast's bus bytes are the same for any number.
    let ranks = match kind {
        Collective::Send => told(event).unwrap_or(2),
        _ => told(event).ok_or(UNKNOWN)?,
    };
    let elements = match going_in(event) {
        0 => held(event.inputs()),
        elements => elements,
    };
    Ok(event.moving(cost(kind, ranks, elements, dtype(event)?)))
}

/// A collective whose one side is a rank's part and whose other side is everything.
fn parts(event: &Event, kind: Collective, part: u128, all: u128) -> Counted {
    let ranks = told(event).or_else(|| {
        let ranks = all.checked_div(part)?;
        (ranks > 0 && part.checked_mul(ranks) == Some(all)).then_some(ranks)
    });
    let ranks = ranks.ok_or(UNKNOWN)?;
    let all = if all > 0 {
        all
    } else {
        part.saturating_mul(ranks)
    };
    Ok(event.moving(cost(kind, ranks, all, dtype(event)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32};
    use crate::outcome::Outcome;

    #[test]
    fn every_exchange_by_hand() {
        let among = |name: &str, ranks: i64, arguments: &[(&str, Argument)], output: &[u64]| {
            let arguments = [arguments, &[("group_size", Argument::Int(ranks))]].concat();
            call(&format!("c10d::{name}"), &arguments, &[output])
        };
        let whole = [("input", f32(&[1000]))];
        let sent = [("tensors", f32(&[10]))];
        let gathered = [
            ("output_tensor", f32(&[400])),
            ("input_tensor", f32(&[100])),
        ];
        let given = [
            ("output_tensor", f32(&[100])),
            ("input_tensor", f32(&[400])),
        ];
        let columns = |columns: &[(&'static str, u128)], moved: [u128; 2], links| {
            [
                columns,
                &[("read", moved[0]), ("written", moved[1]), ("links", links)],
            ]
            .concat()
        };
        let even = [4000, 4000];
        // Among four, 3/4 of 4000 bytes and of 1000 additions; of four parts of 100, 3/4 of 1600 bytes.
        assert_costs(&[
            (
                "2 · 3/4",
                among("all_reduce", 4, &whole, &[1000]),
                &columns(&[("flop", 750)], even, 6000),
            ),
            (
                "once",
                among("reduce", 4, &whole, &[1000]),
                &columns(&[("flop", 750)], even, 4000),
            ),
            (
                "3/4",
                among("all_to_all_single", 4, &whole, &[1000]),
                &columns(&[], even, 3000),
            ),
            (
                "once, to one",
                call("c10d::send", &sent, &[]),
                &[("read", 40), ("links", 40)],
            ),
            (
                "once, from one",
                call("c10d::recv_", &sent, &[]),
                &[("written", 40), ("links", 40)],
            ),
            (
                "under another name",
                among("all_reduce", 4, &[("values", f32(&[1000]))], &[1000]),
                &columns(&[("flop", 750)], even, 6000),
            ),
            (
                "to itself",
                among("broadcast", 1, &sent, &[10]),
                &[("read", 40), ("written", 40)],
            ),
            (
                "3/4 of all, by the sizes",
                call("c10d::_allgather_base_", &gathered, &[&[400]]),
                &columns(&[], [2000, 1600], 1200),
            ),
            (
                "3/4 of all, and of its additions",
                call("c10d::_reduce_scatter_base_", &given, &[&[100]]),
                &columns(&[("flop", 300)], [2000, 400], 1200),
            ),
            (
                "3/4 of all",
                call("c10d::scatter_", &given, &[&[100]]),
                &columns(&[], [2000, 400], 1200),
            ),
            (
                "3/4 of four parts",
                among(
                    "all_gather_into_tensor",
                    4,
                    &[("input", f32(&[100]))],
                    &[400],
                ),
                &columns(&[], [400, 1600], 1200),
            ),
        ]);
        let odd = [
            ("output_tensor", f32(&[401])),
            ("input_tensor", f32(&[100])),
        ];
        for (name, arguments) in [
            ("c10d::all_reduce", &whole[..]),
            ("c10d::_allgather_base_", &odd[..]),
        ] {
            let event = Event::named(name, arguments, vec![Tensor::f32([401])]);
            let outcome = crate::vocabulary::outcome(&event);
            assert!(
                matches!(outcome, Outcome::Uncounted(reason) if reason == UNKNOWN),
                "{name}"
            );
        }
    }
}
