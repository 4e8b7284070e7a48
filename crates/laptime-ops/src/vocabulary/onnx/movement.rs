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

#[cfg(test)]
mod tests {
    use crate::event::Argument;
    use crate::family::by_hand::{assert_costs, call, f32, i64};

    #[test]
    fn every_call_by_hand() {
        let (table, index) = (("data", f32(&[100, 4])), ("indices", i64(&[3])));
        let scattered = |how: &str| {
            let updates = ("updates", f32(&[3, 4]));
            let how = ("reduction", Argument::Text(how.into()));
            let arguments = [table.clone(), index.clone(), updates, how];
            call("onnx::ScatterElements", &arguments, &[&[100, 4]])
        };
        let moved = |columns: &[(&'static str, u128)]| {
            [columns, &[("read", 1672), ("written", 1600)]].concat()
        };
        assert_costs(&[
            (
                "3 rows of 16 bytes, 3 indices of 8",
                call("onnx::Gather", &[table.clone(), index.clone()], &[&[3, 4]]),
                &[("read", 72), ("written", 48)],
            ),
            (
                "what is kept",
                call("onnx::Slice", std::slice::from_ref(&table), &[&[3, 4]]),
                &[("read", 48), ("written", 48)],
            ),
            ("12 sums", scattered("add"), &moved(&[("flop", 12)])),
            ("12 products", scattered("mul"), &moved(&[("flop", 12)])),
            ("12 compares", scattered("max"), &moved(&[("compare", 12)])),
            ("written over", scattered("none"), &moved(&[])),
        ]);
    }
}
