"""Which framework counts a function whose inputs are NumPy's: the one that it runs."""

import functools
import warnings

import pytest

jax = pytest.importorskip("jax")
torch = pytest.importorskip("torch")

import jax.numpy as jnp
import numpy as np

import laptime as lt

# (3, 4) by (4, 5).
PRODUCT = 60
A, B = np.ones((3, 4), np.float32), np.ones((4, 5), np.float32)
WEIGHT = jnp.ones((4, 5))
TENSOR = torch.ones(4, 5)


def helper(x, w):
    return jnp.dot(x, w)


class Layer:
    """Callable, and of no framework by its type."""

    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return self.times(x)

    def times(self, x):
        return x @ self.weight


def imports_within(x, w):
    import jax.numpy as inner

    return inner.dot(x, w)


def values_of_numpy(x, w):
    if np.asarray(x).sum() > 0:
        return jnp.dot(x, w)
    return x


JAX = {
    "jitted": (jax.jit(lambda x, w: x @ w), A, B),
    "jitted and wrapped": (functools.partial(jax.jit(lambda x, w: x @ w), A), B),
    "names jax.numpy": (lambda x, w: jnp.dot(x, w), A, B),
    "names a function that does": (lambda x, w: helper(x, w), A, B),
    "closes over an array": (lambda x: x @ WEIGHT, A),
    "an object with an array": (Layer(WEIGHT), A),
    "a method of one": (Layer(WEIGHT).times, A),
    "a partial": (functools.partial(helper, A), B),
    "parameters in a dict": (lambda p, x: jnp.dot(x, p["w"]), {"w": B}, A),
    "jax's own": (jnp.dot, A, B),
    "a gradient": (jax.grad(lambda w, x: jnp.dot(x, w).sum(), argnums=1), B, A),
    "imports within": (imports_within, A, B),
    "asks for NumPy's values": (values_of_numpy, A, B),
    "shapes": (helper, jax.ShapeDtypeStruct((3, 4), "f4"), jax.ShapeDtypeStruct((4, 5), "f4")),
    "nothing given": (lambda: helper(A, B),),
    "a tensor lies by": (lambda x, w, _=TENSOR: helper(x, w), A, B),
}


@pytest.mark.parametrize("name", JAX)
def test_a_function_that_runs_jax_is_counted_by_jax(name):
    function, *inputs = JAX[name]
    counts = lt.count(function, *inputs)
    gradient = 2 if name == "a gradient" else 1
    assert counts.mac == gradient * PRODUCT
    assert all(operator.startswith("jax::") for operator in counts.by_op)


TORCH = {
    "names torch": (lambda x, w: torch.from_numpy(x) @ torch.from_numpy(w), A, B),
    "closes over a tensor": (lambda x: torch.as_tensor(x) @ TENSOR, A),
    "an object with a tensor": (Layer(TENSOR), torch.ones(3, 4)),
    "a module": (torch.nn.Linear(4, 5, bias=False), torch.ones(3, 4)),
    "nothing given": (lambda: torch.ones(3, 4) @ TENSOR,),
    "an array lies by": (lambda x, _=WEIGHT: torch.as_tensor(x) @ TENSOR, A),
}


@pytest.mark.parametrize("name", TORCH)
def test_a_function_that_runs_torch_is_counted_by_torch(name):
    function, *inputs = TORCH[name]
    counts = lt.count(function, *inputs)
    assert counts.mac == PRODUCT
    assert not any(operator.startswith("jax::") for operator in counts.by_op)


def test_what_numpy_does_with_its_own_arrays_is_no_part_of_the_count():
    counts = lt.count(lambda x, w: jnp.dot(np.sort(x @ w), jnp.ones((5, 2))), A, B)
    assert counts.mac == 3 * 5 * 2


def test_a_function_that_runs_neither_is_no_zero():
    with pytest.raises(TypeError, match="no operation"):
        lt.count(lambda x, w: x @ w, A, B)
    with pytest.raises(TypeError, match="no operation"):
        lt.count(np.dot, A, B)


@pytest.mark.parametrize("function", [lambda: None, lambda: TENSOR.shape, lambda: WEIGHT.shape])
def test_a_function_that_runs_nothing_is_no_zero(function):
    with pytest.raises(TypeError, match=r"nothing was counted: .* runs no operation of .*inputs"):
        lt.count(function)


@pytest.mark.parametrize(
    ("function", "inputs", "names"),
    [
        (lambda: TENSOR.reshape(-1), (), ["aten::view"]),
        (lambda: WEIGHT.reshape(-1), (), ["jax::reshape"]),
        (lambda x: x, (TENSOR,), []),
        (torch.nn.Identity(), (TENSOR,), []),
    ],
)
def test_operations_without_flop_are_a_zero(function, inputs, names):
    counts = lt.count(function, *inputs)
    assert (counts.total_flop, list(counts.by_op)) == (0, names)


def test_a_batch_as_one_dictionary_is_told_to_go_by_name():
    class Pair(torch.nn.Linear):
        def forward(self, x, mask=None):
            return super().forward(x) * mask

    batch = {"x": torch.ones(3, 4), "mask": torch.ones(3, 5)}
    with pytest.raises(
        TypeError, match=r"Pair takes x, mask by name.*lt.count\(model, kwargs=batch"
    ):
        lt.count(Pair(4, 5), batch)
    assert lt.count(Pair(4, 5), kwargs=batch).mac == PRODUCT
    # Others are not the model's names: its own error says what it misses.
    with pytest.raises((AttributeError, TypeError)) as left:
        lt.count(Pair(4, 5), {"y": TENSOR})
    assert "kwargs=batch" not in str(left.value)


def test_a_path_that_is_no_onnx_file_is_told_what_is_counted_instead(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing is downloaded"):
        lt.count("resnet50")
    for name, said in (("config.json", "laptime ops"), ("x.pt", "weights alone are no model")):
        path = tmp_path / name
        path.write_text("{}")
        with pytest.raises(lt.LaptimeError, match=f"{name} is no ONNX file.*{said}"):
            lt.count(path)


def test_arrays_that_a_step_gives_away_are_still_there_after_a_count():
    given = jnp.ones((3, 4))
    step = jax.jit(lambda x, w: x @ w, donate_argnums=0)
    # PyTorch is named as near as JAX is.
    lt.count(lambda w, _=TENSOR: step(given, w), B)
    assert not given.is_deleted()
    np.testing.assert_array_equal(given, A)


def test_an_iterator_that_is_passed_is_nothing_that_jax_warns_of():
    def step(batches):
        return torch.nn.functional.linear(next(batches), torch.ones(2, 3))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lt.count(step, iter([torch.ones(4, 3)])).mac == 24
