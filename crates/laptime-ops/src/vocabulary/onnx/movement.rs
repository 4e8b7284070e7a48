//! What moves bytes, looks up, or only says something of a tensor.

use crate::event::Event;
use crate::family::movement::{lookup, moved, results};
use crate::family::work::Work;
use crate::vocabulary::table::{Entry, Rule, formula, moves, plain};

pub const TABLE: &[Entry] = &[
    plain(
        "Identity Reshape Flatten Squeeze Unsqueeze Shape Size Constant BitCast Optional \
         OptionalGetElement OptionalHasElement SequenceConstruct SequenceEmpty SequenceAt \
         SequenceInsert SequenceErase SequenceLength",
        Rule::Nothing,
    ),
    plain(
        "Transpose Concat Pad Tile Cast CastLike Trilu ReverseSequence DepthToSpace SpaceToDepth \
         Expand Split CenterCropPad Compress MaxUnpool ConcatFromSequence SplitToSequence \
         Col2Im OneHot",
        Rule::Copy,
    ),
    moves("Slice", "zero: what is kept read and written", |e| {
        let kept = results(e);
        Ok(moved(kept, kept))
    }),
    plain(
        "ConstantOfShape Range EyeLike RandomNormal RandomNormalLike RandomUniform \
         RandomUniformLike Bernoulli Multinomial BlackmanWindow HammingWindow HannWindow",
        Rule::Fill,
    ),
    moves(
        "Gather GatherElements GatherND",
        "zero: rows touched and index read, result written; not the table",
        |e| {
            let index = e.require("indices")?.bytes();
            Ok(lookup(e.require("data")?, index, e.require_output(0)?))
        },
    ),
    formula(
        "ScatterElements Scatter ScatterND TensorScatter",
        "1 FLOP or compare for each element of the source where it is added or chosen; none where \
         it is written over",
        |e: &Event| {
            let source = e.require_any(&["updates", "update"])?;
            let work = match e.text("reduction") {
                Some("add" | "mul") => Work::arithmetic(1),
                Some("max" | "min") => Work::compare(1),
                _ => Work::NONE,
            };
            Ok(e.moving(work.over(source)))
        },
    ),
];
