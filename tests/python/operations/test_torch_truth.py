"""Every row of tests/truth/operations.json, whose integers were derived by hand."""

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
pytest.importorskip("torchvision")
pytest.importorskip("transformers")

import truth_models as truth  # beside this file


def count(name, **how):
    return lt.count(truth.model(name), truth.example(name), **how)


def test_every_row_has_its_model():
    assert set(truth.ROWS) == set(truth.MODELS)


@pytest.mark.parametrize("name", truth.ROWS)
def test_the_forward_is_exact(name):
    row, counts = truth.ROWS[name], count(name)
    assert counts.mac == row["macs"]
    assert counts.flop == row["forward_flops_matmul_conv_sdpa_only"]
    assert counts.params == row["params"]
    assert counts.coverage_ratio == 1.0
    assert counts.warnings == []


@pytest.mark.parametrize("name", truth.ROWS)
def test_the_backward_is_exact_as_the_model_asks_for_it_and_as_it_runs(name):
    row, counts = truth.ROWS[name], count(name, backward=True)
    assert counts.flop == row["fwd_bwd_flops_model"]
    assert counts.executed_flop == row["fwd_bwd_flops_flash_executed"]
    assert counts.coverage_ratio == 1.0
    assert counts.uncounted == []


@pytest.mark.parametrize("name", ["resnet50", "lstm", "gpt2_sdpa", "encoder_layer", "fft"])
def test_real_tensors_give_the_same_as_fake_ones(name):
    fake, real = (count(name, backward=True, mode=mode) for mode in ("fake", "real"))
    for field in ("flop", "executed_flop", "params"):
        assert getattr(fake, field) == getattr(real, field)


def test_attention_is_a_part_of_its_model_and_a_causal_mask_has_a_figure_of_its_own():
    for name, row in truth.ROWS.items():
        if row["sdpa_macs_fwd"]:
            rows = count(name).by_op
            attention = sum(it.mac for op, it in rows.items() if "attention" in op)
            assert attention == row["sdpa_macs_fwd"], name
    causal = count("sdpa_causal")
    assert causal.active_flop == 2 * truth.ROWS["sdpa_causal"]["causal_exact_macs"]


def test_a_decoder_of_transformers_makes_no_mask_that_a_real_run_would_not():
    row = truth.ROWS["gpt2_sdpa"]
    assert count("gpt2_sdpa").active_flop == row["forward_flops_causal_discounted"]
    padding = torch.ones_like(truth.example("gpt2_sdpa"))
    padded = count("gpt2_sdpa", kwargs={"attention_mask": padding})
    assert padded.active_flop == row["forward_flops_causal_discounted"]
    # Of padding it makes a tensor, which is counted in full.
    padding[:, :7] = 0
    padded = count("gpt2_sdpa", kwargs={"attention_mask": padding})
    assert padded.active_flop == padded.flop == row["forward_flops_matmul_conv_sdpa_only"]


def test_an_encoder_in_eval_without_gradients_is_counted_and_not_skipped_by_its_fast_path():
    row = truth.ROWS["encoder_layer"]
    for context in (torch.no_grad, torch.inference_mode):
        with context():
            counts = count("encoder_layer")
        assert counts.flop == row["forward_flops_matmul_conv_sdpa_only"]


def test_grouped_gradients_are_not_counted_as_if_there_were_no_groups():
    for name in ("mobilenet_v3_large", "grouped_conv"):
        row = truth.ROWS[name]
        forward = row["macs"]
        if_ignored = row["grouped_wgrad_overcount_macs_if_groups_ignored"]
        assert count(name, backward=True).mac < 3 * forward
        assert if_ignored > forward


def test_a_transform_and_a_product_of_complex_numbers_are_other_arithmetic():
    row, counts = truth.ROWS["fft"], count("fft")
    rows = counts.by_op
    transforms = rows["aten::_fft_r2c"].other_flop + rows["aten::_fft_c2r"].other_flop
    assert transforms == row["fft_flops_convention"]
    assert rows["aten::mul"].other_flop == row["cplx_mul_flops"]
