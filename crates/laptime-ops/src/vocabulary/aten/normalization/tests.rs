//! Normalisations: what each call costs, every column by hand.

use crate::event::Argument;
use crate::family::by_hand::{assert_costs, call, f32};

#[test]
#[allow(clippy::too_many_lines, reason = "a table")]
fn every_call_by_hand() {
    // 2 rows of 5 elements; 5 scales and 5 shifts.
    let on_ten = |name: &str, arguments: &[(&str, Argument)]| {
        let arguments = [&[("input", f32(&[2, 5]))], arguments].concat();
        call(name, &arguments, &[&[2, 5]])
    };
    let (weight, bias) = (("weight", f32(&[5])), ("bias", f32(&[5])));
    let both = [weight.clone(), bias];
    let weight = [weight];
    let with = |more: (&'static str, Argument)| [both.to_vec(), vec![more]].concat();
    let mask = |mask: [bool; 3]| {
        let mask = ("output_mask", Argument::Bools(mask.to_vec()));
        [weight.to_vec(), vec![mask]].concat()
    };
    let no = || Argument::Bool(false);
    let known = |mask: [bool; 3]| {
        let mask = ("output_mask", Argument::Bools(mask.to_vec()));
        [("train", no()), mask]
    };
    let bare = |flop| [("flop", flop), ("read", 40), ("written", 40)];
    let scaled = |flop| [("flop", flop), ("read", 60), ("written", 40)];
    let shifted = |flop| [("flop", flop), ("read", 80), ("written", 40)];
    let of = |name: &str, tensor: &str| call(name, &[(tensor, f32(&[10]))], &[&[5]]);
    let half = |flop| [("flop", flop), ("read", 40), ("written", 20)];
    assert_costs(&[
        ("5", on_ten("aten::layer_norm", &[]), &bare(50)),
        (
            "5 and a scale",
            on_ten("aten::layer_norm", &weight),
            &scaled(60),
        ),
        (
            "5, a scale and a shift",
            on_ten("aten::layer_norm", &both),
            &shifted(70),
        ),
        (
            "14 but Σ dy",
            on_ten(
                "aten::native_layer_norm_backward",
                &mask([true, true, false]),
            ),
            &scaled(130),
        ),
        (
            "x̂ 2, Σ dy x̂ 2",
            on_ten(
                "aten::native_layer_norm_backward",
                &mask([false, true, false]),
            ),
            &scaled(40),
        ),
        (
            "Σ dy",
            on_ten(
                "aten::native_layer_norm_backward",
                &mask([false, false, true]),
            ),
            &scaled(10),
        ),
        (
            "all 14",
            on_ten("aten::native_layer_norm_backward", &weight),
            &scaled(140),
        ),
        (
            "in training",
            on_ten("aten::native_batch_norm", &both),
            &shifted(70),
        ),
        (
            "known",
            on_ten("aten::native_batch_norm", &with(("training", no()))),
            &shifted(20),
        ),
        (
            "in training",
            on_ten("aten::_batch_norm_with_update", &both),
            &shifted(70),
        ),
        (
            "its own",
            on_ten("aten::instance_norm", &both),
            &shifted(70),
        ),
        (
            "known",
            on_ten("aten::instance_norm", &with(("use_input_stats", no()))),
            &shifted(20),
        ),
        (
            "known",
            on_ten("aten::_native_batch_norm_legit_no_training", &both),
            &shifted(20),
        ),
        (
            "all 14",
            on_ten("aten::native_batch_norm_backward", &weight),
            &scaled(140),
        ),
        (
            "known: dx 1",
            on_ten(
                "aten::native_batch_norm_backward",
                &known([true, false, false]),
            ),
            &bare(10),
        ),
        (
            "known: Σ dy x̂ 4",
            on_ten(
                "aten::native_batch_norm_backward",
                &known([false, true, false]),
            ),
            &bare(40),
        ),
        (
            "known: Σ dy 1",
            on_ten(
                "aten::native_batch_norm_backward",
                &known([false, false, true]),
            ),
            &bare(10),
        ),
        (
            "Σ x; x − mean, its square, Σ",
            on_ten("aten::batch_norm_stats", &[]),
            &bare(40),
        ),
        (
            "x̂ 2, Σ dy x̂ 2, Σ dy 1",
            on_ten("aten::batch_norm_backward_reduce", &[]),
            &bare(50),
        ),
        (
            "x̂ 2; · Σ, + Σ, dy −, · rstd",
            on_ten("aten::batch_norm_backward_elemt", &[]),
            &bare(60),
        ),
        // Of each rank: Σ mean; 1 / rstd²; (mean − Σ)², both added, and that added up.
        (
            "add div mul sub mul add add",
            of("aten::batch_norm_gather_stats", "mean"),
            &half(70),
        ),
        ("3", on_ten("aten::rms_norm", &[]), &bare(30)),
        (
            "3 and a scale",
            on_ten("aten::rms_norm", &weight),
            &scaled(40),
        ),
        (
            "all 9",
            on_ten("aten::_fused_rms_norm_backward", &weight),
            &scaled(90),
        ),
        (
            "9 but Σ dy x̂ 2",
            on_ten(
                "aten::_fused_rms_norm_backward",
                &mask([true, false, false]),
            ),
            &scaled(70),
        ),
        (
            "v², Σ; v · g / norm; 2 roots",
            call(
                "aten::_weight_norm",
                &[("v", f32(&[2, 5])), ("g", f32(&[2, 1]))],
                &[&[2, 5]],
            ),
            &[
                ("flop", 30),
                ("transcendental", 2),
                ("read", 48),
                ("written", 40),
            ],
        ),
        // With a number c of the row: Σ dw v; g · (dw / norm − v · c).
        (
            "mul add div mul sub mul",
            of("aten::_weight_norm_interface_backward", "saved_v"),
            &half(60),
        ),
    ]);
}
