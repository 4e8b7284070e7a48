"""The standard's own tests of its operators: files with the sizes of what comes out."""

from __future__ import annotations

from math import prod

import pytest

import laptime as lt

pytest.importorskip("onnx")
from onnx import helper
from onnx.backend.test.case.node import collect_testcases

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

#: What the standard has and Laptime lists as uncounted; everything else has a formula.
WITHOUT_A_FORMULA = {
    "ai.onnx.ml::ArrayFeatureExtractor",
    "ai.onnx.ml::Binarizer",
    "ai.onnx.ml::LabelEncoder",
    "ai.onnx.ml::TreeEnsemble",
    "ai.onnx.preview.training::Adagrad",
    "ai.onnx.preview.training::Adam",
    "ai.onnx.preview.training::Momentum",
    "ai.onnx.preview::FlexAttention",
    "onnx::Det",
}

#: Elements of less than a byte, which NumPy has no type of that size for.
NARROW = {21, 22, 23, 25, 26, 27, 28}


def stated_bytes(value):
    """Bytes of a value by its stated sizes; None where they are not stated."""
    tensor = value.type.tensor_type
    if not tensor.HasField("shape") or tensor.elem_type in NARROW | {8}:
        return None
    sizes = [dim.dim_value for dim in tensor.shape.dim]
    return prod(sizes) * helper.tensor_dtype_to_np_dtype(tensor.elem_type).itemsize


def cases():
    return [case for case in collect_testcases(None) if case.model is not None]


def test_the_sizes_of_what_comes_out_are_those_that_the_standard_states(tmp_path):
    path = tmp_path / "model.onnx"
    checked, without, wrong = 0, set(), []
    for case in cases():
        model = type(case.model)()
        model.CopyFrom(case.model)
        for output in model.graph.output:  # to be inferred
            if output.type.HasField("tensor_type"):
                output.type.tensor_type.ClearField("shape")
        path.write_bytes(model.SerializeToString())
        try:
            counts = lt.count(path)
        except lt.LaptimeError as error:
            if "leaves sizes open" not in str(error):
                wrong.append(f"{case.name}: {error}")
            continue
        rows = counts.uncounted
        without |= {row.name for row in rows if row.reason == "no formula for it is known"}
        if rows or len(model.graph.node) != 1 or len(model.graph.output) != 1:
            continue
        (row,) = counts.by_op.values() if counts.by_op else (None,)
        stated = stated_bytes(case.model.graph.output[0])
        # Views write nothing.
        if row is None or stated is None or row.bytes_written == 0:
            continue
        checked += 1
        if row.bytes_written != stated:
            wrong.append(f"{case.name}: {row.bytes_written} bytes, not {stated}")
    assert wrong == []
    assert without == WITHOUT_A_FORMULA
    assert checked > 500
