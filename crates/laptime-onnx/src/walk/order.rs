//! The order in which a graph's nodes can run.
//!
//! The standard asks for files in that order; some aren't. A node waits for what it reads, and for
//! what the bodies in its attributes read from around it.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::error::{OnnxError, Result};
use crate::model::{Attribute, Graph, Node};

/// Places of nodes in an order in which they can run.
pub fn order(graph: &Graph) -> Result<Vec<usize>> {
    let makers = makers(graph)?;
    let needed: Vec<Vec<usize>> = graph
        .nodes
        .iter()
        .map(|node| {
            let mut read = HashSet::new();
            reads(node, &mut read);
            read.into_iter()
                .filter_map(|name| makers.get(name).copied())
                .collect()
        })
        .collect();
    let in_order = |(at, needed): (usize, &Vec<usize>)| needed.iter().all(|maker| *maker < at);
    if needed.iter().enumerate().all(in_order) {
        return Ok((0..graph.nodes.len()).collect());
    }
    sorted(graph, &needed)
}

/// Which node makes each value. Every name stands for one value.
fn makers(graph: &Graph) -> Result<HashMap<&str, usize>> {
    let twice = |name: &str| Err(OnnxError::Duplicate { name: name.into() });
    let mut given = HashSet::new();
    for input in &graph.inputs {
        if !given.insert(&input.name[..]) {
            return twice(&input.name);
        }
    }
    let mut constants = HashSet::new();
    for constant in &graph.initializers {
        // Old files name their constants among the inputs, too.
        if !constants.insert(&constant.name[..]) {
            return twice(&constant.name);
        }
    }
    let mut makers = HashMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        for name in node.outputs.iter().filter(|name| !name.is_empty()) {
            let is_given = given.contains(&name[..]) || constants.contains(&name[..]);
            if is_given || makers.insert(&name[..], at).is_some() {
                return twice(name);
            }
        }
    }
    Ok(makers)
}

/// All that a node reads.
fn reads<'a>(node: &'a Node, into: &mut HashSet<&'a str>) {
    into.extend(node.inputs.iter().map(|name| &name[..]));
    for (_, attribute) in &node.attributes {
        if let Attribute::Graph(body) = attribute {
            into.extend(free(body));
        }
    }
}

/// What a body reads from around it.
fn free(body: &Graph) -> HashSet<&str> {
    let mut names: HashSet<&str> = body.outputs.iter().map(|output| &output.name[..]).collect();
    for node in &body.nodes {
        reads(node, &mut names);
    }
    let made = body.nodes.iter().flat_map(|node| &node.outputs);
    let given = body.inputs.iter().map(|input| &input.name);
    let constants = body.initializers.iter().map(|constant| &constant.name);
    for name in made.chain(given).chain(constants) {
        names.remove(&name[..]);
    }
    names
}

/// Kahn's algorithm: a node is next once all it waits for has run.
fn sorted(graph: &Graph, needed: &[Vec<usize>]) -> Result<Vec<usize>> {
    let mut waiting: Vec<usize> = needed.iter().map(Vec::len).collect();
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); needed.len()];
    for (at, makers) in needed.iter().enumerate() {
        for maker in makers {
            readers[*maker].push(at);
        }
    }
    // `needed` has a maker once for each of its values.
    let mut ready: VecDeque<usize> = (0..needed.len()).filter(|at| waiting[*at] == 0).collect();
    let mut order = Vec::with_capacity(needed.len());
    while let Some(at) = ready.pop_front() {
        order.push(at);
        for reader in &readers[at] {
            waiting[*reader] -= 1;
            if waiting[*reader] == 0 {
                ready.push_back(*reader);
            }
        }
    }
    match waiting.iter().position(|count| *count > 0) {
        None => Ok(order),
        Some(stuck) => Err(OnnxError::Cycle {
            at: graph.nodes[stuck].describe(),
        }),
    }
}
