//! Attention in one node: the standard's, and those of `com.microsoft`.

use crate::event::{Argument, Event};
use crate::family::attention::{Attention, Mask};
use crate::family::matmul::macs;
use crate::family::work::Work;
use crate::vocabulary::table::{Counted, Entry, formula};

/// Turning a number with its neighbour: two products and their sum.
const ROTATION: Work = Work::arithmetic(3);

/// Attention, in all its layouts.
pub const TABLE: &[Entry] = &[formula(
    "Attention MultiHeadAttention GroupQueryAttention",
    "2·B·Hq·Sq·Sk·(Dqk+Dv), keys of the past with them; 2·B·S·prod(weights) for a projection; \
         scale and softmax of each score; active by a causal mask or a window",
    attention,
)];

/// The sizes of attention, however its tensors are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heads {
    /// Sequences.
    pub batch: u64,
    /// Heads of the queries.
    pub query_heads: u64,
    /// Heads of keys and values.
    pub key_heads: u64,
    /// Queries of a sequence.
    pub queries: u64,
    /// All keys of a sequence, those of the past with them.
    pub keys: u64,
    /// Keys of a sequence that come from the past.
    pub past: u64,
    /// Elements of a query and of a key.
    pub key_size: u64,
    /// Elements of a value.
    pub value_size: u64,
}

/// The shape of an input by its place.
type Shapes<'a> = dyn Fn(usize) -> Option<&'a [u64]> + 'a;

const RANK: &str = "its query, key and value are of other dimensions than it takes";

impl Heads {
    /// The sizes of an operator, by the shapes of its inputs and its attributes.
    pub fn of<'a>(
        operator: &str,
        shape: &Shapes<'a>,
        int: &dyn Fn(&str) -> Option<i64>,
        ints: &dyn Fn(&str) -> Option<&'a [i64]>,
    ) -> Result<Self, String> {
        let count = |name: &str| {
            let count = int(name).and_then(|count| u64::try_from(count).ok());
            count.filter(|count| *count > 0)
        };
        match operator {
            "onnx::Attention" => Self::standard(shape, &count),
            "com.microsoft::Attention" => Self::projected(shape, &count, ints("qkv_hidden_sizes")),
            "com.microsoft::MultiHeadAttention" => Self::multi_head(shape, &count),
            "com.microsoft::GroupQueryAttention" => Self::group_query(shape, &count),
            _ => Err("its kind of attention is not known".into()),
        }
    }

    fn standard(shape: &Shapes<'_>, count: &dyn Fn(&str) -> Option<u64>) -> Result<Self, String> {
        let [query, key, value] = [0, 1, 2].map(|index| shape(index).ok_or(RANK));
        let heads = |tensor: &[u64], name: &str| match *tensor {
            [batch, heads, length, size] => Ok((batch, heads, length, size)),
            [batch, length, all] => {
                let heads = count(name).ok_or_else(|| format!("it has no {name}"))?;
                Ok((batch, heads, length, all / heads))
            }
            _ => Err(RANK.to_owned()),
        };
        let (batch, query_heads, queries, key_size) = heads(query?, "q_num_heads")?;
        let (_, key_heads, keys, _) = heads(key?, "kv_num_heads")?;
        let (.., value_size) = heads(value?, "kv_num_heads")?;
        let past = shape(4).and_then(|past| past.get(2)).copied().unwrap_or(0);
        Ok(Self {
            batch,
            query_heads,
            key_heads,
            queries,
            keys: keys.saturating_add(past),
            past,
            key_size,
            value_size,
        })
    }

    fn projected(
        shape: &Shapes<'_>,
        count: &dyn Fn(&str) -> Option<u64>,
        sizes: Option<&[i64]>,
    ) -> Result<Self, String> {
        let (Some(&[batch, length, _]), Some(&[_, all])) = (shape(0), shape(1)) else {
            return Err(RANK.into());
        };
        let heads = count("num_heads").ok_or("it has no num_heads")?;
        let size = |index: usize| match sizes {
            Some(sizes) => sizes.get(index).and_then(|size| u64::try_from(*size).ok()),
            None => Some(all / 3),
        };
        let past = shape(4).and_then(|past| past.get(3)).copied().unwrap_or(0);
        Ok(Self {
            batch,
            query_heads: heads,
            key_heads: heads,
            queries: length,
            keys: length.saturating_add(past),
            past,
            key_size: size(1).ok_or(RANK)? / heads,
            value_size: size(2).ok_or(RANK)? / heads,
        })
    }

    fn multi_head(shape: &Shapes<'_>, count: &dyn Fn(&str) -> Option<u64>) -> Result<Self, String> {
        let heads = count("num_heads").ok_or("it has no num_heads")?;
        let past = shape(6).and_then(|past| past.get(2)).copied().unwrap_or(0);
        let one = |batch, queries, keys: u64, key_size, value_size| Self {
            batch,
            query_heads: heads,
            key_heads: heads,
            queries,
            keys: keys.saturating_add(past),
            past,
            key_size,
            value_size,
        };
        match (shape(0), shape(1), shape(2)) {
            (Some(&[batch, length, _, 3, size]), ..) => Ok(one(batch, length, length, size, size)),
            (Some(&[batch, length, all]), Some(&[_, keys, _]), Some(&[_, _, values])) => {
                Ok(one(batch, length, keys, all / heads, values / heads))
            }
            (Some(&[batch, length, all]), Some(&[_, keys, _, 2, size]), _)
            | (Some(&[batch, length, all]), Some(&[_, _, keys, _]), Some(&[_, _, _, size])) => {
                Ok(one(batch, length, keys, all / heads, size))
            }
            _ => Err(RANK.into()),
        }
    }

    fn group_query(
        shape: &Shapes<'_>,
        count: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Self, String> {
        let query_heads = count("num_heads").ok_or("it has no num_heads")?;
        let key_heads = count("kv_num_heads").ok_or("it has no kv_num_heads")?;
        let past = shape(3).and_then(|past| past.get(2)).copied().unwrap_or(0);
        let Some(&[batch, queries, all]) = shape(0) else {
            return Err(RANK.into());
        };
        let (length, size) = match shape(1) {
            Some(&[_, length, _]) => (length, all / query_heads),
            // Queries, keys and values in one.
            None => {
                let heads = key_heads.saturating_mul(2).saturating_add(query_heads);
                (queries, all / heads)
            }
            Some(_) => return Err(RANK.into()),
        };
        Ok(Self {
            batch,
            query_heads,
            key_heads,
            queries,
            keys: length.saturating_add(past),
            past,
            key_size: size,
            value_size: size,
        })
    }
}

fn attention(event: &Event) -> Counted {
    let shape = |index: usize| match event.arguments.get(index) {
        Some(Argument::Tensor(tensor)) => Some(&tensor.shape[..]),
        _ => None,
    };
    let int = |name: &str| event.int(name);
    let ints = |name: &str| event.ints(name);
    let name = &event.signature.name[..];
    let heads = Heads::of(name, &shape, &int, &ints)?;
    let dtype = event.require_output(0)?.dtype;
    // Of a cache with room for more, the part in use is what comes out.
    let is_grouped = name.ends_with("GroupQueryAttention");
    let kept = event.outputs.get(1).filter(|_| is_grouped);
    let keys = kept
        .and_then(|kept| kept.dim(2))
        .unwrap_or(u128::from(heads.keys));
    let is_causal = is_grouped || event.is_set("is_causal") || event.is_set("unidirectional");
    let window = event
        .int("local_window_size")
        .and_then(|size| u64::try_from(size).ok());
    let mask = match (is_causal, window) {
        (true, Some(left)) => Mask::Window {
            left: Some(left),
            right: Some(0),
        },
        (true, None) if heads.past == 0 && !is_grouped => Mask::CausalTopLeft,
        (true, None) => Mask::CausalBottomRight,
        (false, _) => Mask::Dense,
    };
    let [batch, queries] = [heads.batch, heads.queries].map(u128::from);
    let products = Attention {
        batch,
        heads: heads.query_heads.into(),
        queries,
        keys,
        key_size: heads.key_size.into(),
        value_size: heads.value_size.into(),
        mask,
    };
    let mut cost = event.moving(products.forward(dtype));
    if let Some(weights) = event.tensor("weights") {
        cost += macs(batch.saturating_mul(queries).saturating_mul(weights.held()));
    }
    if let Some(bias) = event.tensor("bias") {
        let added = batch.saturating_mul(queries).saturating_mul(bias.held());
        cost += Work::arithmetic(1).on(added, dtype);
    }
    if event.is_set("do_rotary") {
        let turned = u128::from(heads.query_heads) + u128::from(heads.key_heads);
        let turned = batch
            .saturating_mul(queries)
            .saturating_mul(turned)
            .saturating_mul(heads.key_size.into());
        cost += ROTATION.on(turned, dtype);
    }
    let masks = ["attn_mask", "attention_bias"].map(|name| event.tensor(name));
    if masks.iter().flatten().any(|mask| mask.dtype.is_floating()) {
        cost += Work::arithmetic(1).on(products.scores(), dtype);
    }
    Ok(cost)
}

#[cfg(test)]
mod tests;
