"""ONNX files from Python: open sizes, loops and branches, quantised operators, errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def value(name, kind=F32, sizes=()):
    return helper.make_tensor_value_info(name, kind, sizes)


def constant(name, numbers, kind="int64"):
    np = pytest.importorskip("numpy")
    return numpy_helper.from_array(np.array(numbers, dtype=kind), name)


def weight(name, *sizes):
    np = pytest.importorskip("numpy")
    return numpy_helper.from_array(np.zeros(sizes, dtype="float32"), name)


def save(folder, nodes, inputs, outputs, constants=(), *, checked=True, **model):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(constants))
    model.setdefault("opset_imports", [helper.make_opsetid("", 21)])
    made = helper.make_model(graph, **model)
    made.ir_version = 10
    if checked:
        onnx.checker.check_model(made)
    path = folder / "model.onnx"
    onnx.save(made, str(path))
    return path


@pytest.fixture
def product(tmp_path):
    return save(
        tmp_path,
        [helper.make_node("MatMul", ["x", "w"], ["y"], name="/fc/MatMul")],
        [value("x", sizes=["batch", 8])],
        [value("y", sizes=["batch", 3])],
        [weight("w", 8, 3)],
    )


def test_open_sizes_are_asked_for_by_name_and_given(product):
    with pytest.raises(lt.LaptimeError) as error:
        lt.count(product)
    assert str(error.value) == (
        f'{product}: the ONNX file leaves sizes open: "batch" (of "x"); '
        'give them: dims={"batch": 1}'
    )
    counts = lt.count(str(product), dims={"batch": 5})
    assert counts.mac == 5 * 8 * 3
    assert counts.params == 24
    assert counts.by_module["fc"].mac == counts.mac
    assert counts.by_op["onnx::MatMul"].calls == 1


def test_sizes_that_the_file_does_not_leave_open_are_refused(product):
    with pytest.raises(lt.LaptimeError, match='leaves no size "bach" open; open are "batch"'):
        lt.count(product, dims={"batch": 5, "bach": 5})


def test_a_file_has_its_own_inputs_and_dims_are_a_files(product):
    with pytest.raises(TypeError, match="give dims only"):
        lt.count(product, [1, 2])
    with pytest.raises(TypeError, match="dims goes with the path of an ONNX file"):
        lt.count(len, dims={"batch": 1})


def test_no_framework_is_imported_for_a_file(product):
    program = (
        "import sys, laptime as lt; "
        f"c = lt.count({str(product)!r}, dims={{'batch': 2}}); "
        "print(c.mac, sorted({'torch', 'onnx', 'numpy', 'jax'} & set(sys.modules)))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert told.stdout == "48 []\n", told.stderr


def test_weights_in_another_file_are_not_looked_for(tmp_path, product):
    model = onnx.load(str(product))
    onnx.save(
        model,
        str(product),
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    (tmp_path / "weights.bin").unlink()
    counts = lt.count(product, dims={"batch": 5})
    assert (counts.mac, counts.params) == (120, 24)


def test_a_file_that_is_cut_off_and_one_that_is_none_are_errors(tmp_path, product):
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(product.read_bytes()[:-9])
    with pytest.raises(lt.LaptimeError, match="the ONNX file is cut off"):
        lt.count(cut)
    cut.write_bytes(b"")
    with pytest.raises(lt.LaptimeError, match="not an ONNX model"):
        lt.count(cut)
    with pytest.raises(FileNotFoundError):
        lt.count(tmp_path / "nothing.onnx")
    with pytest.raises(IsADirectoryError):
        lt.count(tmp_path)


def test_a_formula_of_the_users_counts_an_operator_that_nobody_knows(tmp_path):
    path = save(
        tmp_path,
        [helper.make_node("Gemm2", ["x", "w"], ["y"], domain="mine", units=3)],
        [value("x", sizes=[5, 8])],
        [value("y", sizes=[5, 3])],
        [weight("w", 8, 3)],
        opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("mine", 1)],
        checked=False,
    )
    counts = lt.count(path)
    assert [row.name for row in counts.uncounted] == ["mine::Gemm2"]
    assert counts.coverage_ratio == 0.0

    def formula(call):
        (rows, inner), (_, columns) = (tensor.shape for tensor in call.inputs)
        return {"mac": rows * inner * columns}

    lt.register_formula("mine::Gemm2", formula)
    try:
        counts = lt.count(path)
    finally:
        lt.register_formula("mine::Gemm2", None)
    assert (counts.mac, counts.uncounted) == (120, [])


def test_a_scan_of_a_hundred_products_is_a_hundred_products(tmp_path):
    body = helper.make_graph(
        [
            helper.make_node("MatMul", ["state", "each"], ["next"]),
            helper.make_node("Identity", ["next"], ["left"]),
        ],
        "body",
        [value("state", sizes=[4, 4]), value("each", sizes=[4, 4])],
        [value("next", sizes=[4, 4]), value("left", sizes=[4, 4])],
    )
    path = save(
        tmp_path,
        [helper.make_node("Scan", ["x", "all"], ["y", "z"], num_scan_inputs=1, body=body)],
        [value("x", sizes=[4, 4]), value("all", sizes=["length", 4, 4])],
        [value("y", sizes=[4, 4]), value("z", sizes=["length", 4, 4])],
    )
    assert lt.count(path, dims={"length": 100}).mac == 100 * 64


def test_a_loop_whose_end_depends_on_data_is_listed_and_never_taken_as_one_round(tmp_path):
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["on"], ["still"]),
            helper.make_node("MatMul", ["state", "w"], ["next"]),
        ],
        "body",
        [value("i", I64), value("on", BOOL), value("state", sizes=[4, 4])],
        [value("still", BOOL), value("next", sizes=[4, 4])],
    )
    path = save(
        tmp_path,
        [helper.make_node("Loop", ["count", "", "x"], ["y"], body=body)],
        [value("x", sizes=[4, 4]), value("count", I64)],
        [value("y", sizes=[4, 4])],
        [weight("w", 4, 4)],
    )
    counts = lt.count(path)
    assert counts.mac == 0
    (row,) = [row for row in counts.uncounted if row.name == "onnx::MatMul"]
    assert row.reason == "it runs in a loop whose number of rounds is not known"


def test_sizes_are_inferred_as_the_standards_own_evaluator_gives_them(tmp_path):
    nodes = [
        helper.make_node("Conv", ["x", "k"], ["c"], strides=[2, 1], pads=[1, 0, 1, 2]),
        helper.make_node("MaxPool", ["c"], ["p"], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
        helper.make_node("Shape", ["p"], ["s"], start=2),
        helper.make_node("ReduceProd", ["s"], ["n"], keepdims=1),
        helper.make_node("Concat", ["lead", "n"], ["t"], axis=0),
        helper.make_node("Reshape", ["p", "t"], ["r"]),
        helper.make_node("Transpose", ["r"], ["u"], perm=[0, 2, 1]),
        helper.make_node("Split", ["u"], ["a", "b"], axis=2, num_outputs=2),
        helper.make_node("Unsqueeze", ["b", "one"], ["v"]),
        helper.make_node("Expand", ["v", "wide"], ["e"]),
        helper.make_node("Pad", ["e", "pads"], ["d"]),
        helper.make_node("Relu", ["d"], ["y"]),
    ]
    constants = [
        weight("k", 5, 3, 3, 3),
        constant("lead", [2, 5]),
        constant("one", [1]),
        constant("wide", [1, 4, 1, 1]),
        constant("pads", [0, 0, 1, 0, 0, 0, 0, 2]),
    ]
    path = save(
        tmp_path,
        nodes,
        [value("x", sizes=[2, 3, 17, 19])],
        [value("y", sizes=None)],
        constants,
        checked=False,
    )
    np = pytest.importorskip("numpy")
    reference = pytest.importorskip("onnx.reference").ReferenceEvaluator(str(path))
    (output,) = reference.run(None, {"x": np.zeros((2, 3, 17, 19), dtype="float32")})
    counts = lt.count(path)
    assert counts.uncounted == []
    assert counts.by_op["onnx::Relu"].compare == output.size > 0


def test_quantised_products_count_in_the_headline(tmp_path):
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "scale", "zero"]),
        helper.make_node("MatMulInteger", ["q", "w", "zero"], ["n"]),
        helper.make_node("Cast", ["n"], ["y"], to=F32),
    ]
    path = save(
        tmp_path,
        nodes,
        [value("x", sizes=[5, 8])],
        [value("y", sizes=[5, 3])],
        [constant("w", [[0] * 3] * 8, "int8")],
    )
    counts = lt.count(path)
    assert (counts.mac, counts.params, counts.uncounted) == (120, 24, [])


def test_external_data_outside_the_folder_is_never_opened(tmp_path, product):
    model = onnx.load(str(product))
    (tensor,) = model.graph.initializer
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", "../" * 12 + "etc/passwd"
    path = Path(tmp_path, "outside.onnx")
    path.write_bytes(model.SerializeToString())
    assert lt.count(path, dims={"batch": 5}).mac == 120
