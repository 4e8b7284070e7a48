//! Time that operators took by themselves: without that of the operators inside of them.
//!
//! The rules are those of `torch.profiler`'s `key_averages`, so that the numbers are too: an operator is
//! inside of another one of its thread that holds all of its time, and one that is all that another
//! one of the same name calls is the same call.

use laptime_core::Total;

/// An operator as a profiler saw it, in nanoseconds of its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorRun {
    /// Start of the operator.
    pub start_ns: u64,
    /// Duration of the operator.
    pub duration_ns: u64,
    /// Number of its thread.
    pub thread: u64,
    /// Number of its name.
    pub name: u32,
}

/// Times of one operator; `None` in [`nest_operators`]'s answer where it is the same call as the one around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperatorRunTime {
    /// Time without the operators that it called.
    pub self_ns: u64,
    /// Time with the operators that it called.
    pub total_ns: u64,
}

#[derive(Debug, Clone, Default)]
struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
}

/// Returns the times of each operator, in the order of `all`.
///
/// **Cost** sorting them.
pub fn nest_operators(all: &[OperatorRun]) -> Vec<Option<OperatorRunTime>> {
    let mut nodes = placed(all);
    // From the outside in: who merges with its caller has the caller's caller by then.
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| key(&all[*at], *at));
    let mut is_same = vec![false; all.len()];
    for at in order {
        let Some(parent) = nodes[at].parent else {
            continue;
        };
        if all[parent].name == all[at].name && nodes[parent].children.len() == 1 {
            is_same[at] = true;
            let children = std::mem::take(&mut nodes[at].children);
            for child in &children {
                nodes[*child].parent = Some(parent);
            }
            nodes[parent].children = children;
        }
    }
    let each = nodes.iter().enumerate().zip(&is_same);
    each.map(|((at, node), is_same)| {
        let children = node.children.iter().map(|child| all[*child].duration_ns);
        (!is_same).then(|| OperatorRunTime {
            self_ns: all[at].duration_ns.saturating_sub(children.total()),
            total_ns: all[at].duration_ns,
        })
    })
    .collect()
}

fn end(ran: &OperatorRun) -> u64 {
    ran.start_ns.saturating_add(ran.duration_ns)
}

fn key(ran: &OperatorRun, at: usize) -> (u64, u64, std::cmp::Reverse<u64>, usize) {
    (ran.thread, ran.start_ns, std::cmp::Reverse(end(ran)), at)
}

fn placed(all: &[OperatorRun]) -> Vec<Node> {
    let mut nodes = vec![Node::default(); all.len()];
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|at| key(&all[*at], *at));
    let mut open: Vec<usize> = Vec::new();
    for at in order {
        let one = &all[at];
        while let Some(last) = open.last() {
            let around = &all[*last];
            let holds = around.thread == one.thread
                && one.start_ns < end(around)
                && end(one) <= end(around);
            if holds {
                nodes[at].parent = Some(*last);
                nodes[*last].children.push(at);
                break;
            }
            open.pop();
        }
        open.push(at);
    }
    nodes
}
