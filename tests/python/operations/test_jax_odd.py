"""JAX programs of odd kinds: transforms of transforms, linear algebra, what platforms decide."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

import laptime as lt


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


X, W = shape(8, 16), shape(16, 16)
PRODUCT = 8 * 16 * 16


def scanned(x, w):
    return lax.scan(lambda state, _: (state @ w, None), x, None, length=5)[0]


def looped(w, x):
    return lax.fori_loop(0, 7, lambda _, state: state @ w, x).sum()


def saved(w, x):
    policy = jax.checkpoint_policies.dots_saveable
    return jax.checkpoint(lambda w, x: jnp.sin(x @ w), policy=policy)(w, x).sum()


@jax.custom_vjp
def own_gradient(x, w):
    return x @ w


own_gradient.defvjp(lambda x, w: (x @ w, (x, w)), lambda kept, g: (g @ kept[1].T, kept[0].T @ g))


def tangent(x, w, dx):
    _, linear = jax.linearize(lambda x: x @ w, x)
    return linear(dx)


def convolved(x, kernel):
    return lax.conv_general_dilated(
        x, kernel, (1, 1), "VALID", rhs_dilation=(2, 2), feature_group_count=2
    )


def sharded(x, w):
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    along = PartitionSpec("data")
    inside = jax.shard_map(
        lambda x, w: x @ w, mesh=mesh, in_specs=(along, PartitionSpec()), out_specs=along
    )
    return inside(x, w)


def in_place(x, w):
    reference = jax.new_ref(x)
    reference[...] = reference[...] @ w
    return reference[...]


BY_HAND = {
    "a vmap of a scan": (jax.vmap(scanned, (0, None)), (shape(3, 8, 16), W), 3 * 5 * PRODUCT),
    "a loop's gradient": (jax.grad(looped), (W, X), 3 * 7 * PRODUCT),
    "a policy that saves products": (jax.grad(saved), (W, X), 2 * PRODUCT),
    "a custom vjp": (jax.grad(lambda w, x: own_gradient(x, w).sum()), (W, X), 3 * PRODUCT),
    # 4 + 2 + 1 products upwards, 1 + 3 down again.
    "an associative scan": (
        lambda x: lax.associative_scan(jnp.matmul, x),
        (shape(8, 4, 4),),
        11 * 64,
    ),
    "a linear function of the tangent": (tangent, (X, W, X), 2 * PRODUCT),
    "a jvp": (lambda *it: jax.jvp(lambda x, w: x @ w, it[:2], it[2:]), (X, W, X, W), 3 * PRODUCT),
    # v A, and A by each of the 6 rows of the identity.
    "a jacobian": (jax.jacrev(lambda v, a: v @ a), (shape(4), shape(4, 6)), 24 + 6 * 24),
    # 2 images, 8 features of 2 each, 12 by 12 out of 16 by 16 by 3 by 3 taps two apart.
    "groups and dilation": (
        convolved,
        (shape(2, 4, 16, 16), shape(8, 2, 3, 3)),
        2 * 8 * 12 * 12 * 2 * 9,
    ),
    # (20, 30) by (30, 5) first, then (10, 20) by (20, 5).
    "an einsum of three": (
        lambda *it: jnp.einsum("ij,jk,kl->il", *it),
        (shape(10, 20), shape(20, 30), shape(30, 5)),
        3000 + 1000,
    ),
    "a ragged product": (
        lax.ragged_dot,
        (shape(32, 16), shape(4, 16, 24), shape(4, dtype=jnp.int32)),
        32 * 16 * 24,
    ),
    # 2 sequences, 4 heads of queries on 2 of keys, 8 by 10, 16 features in and out.
    "grouped queries": (
        jax.nn.dot_product_attention,
        (shape(2, 8, 4, 16), shape(2, 10, 2, 16), shape(2, 10, 2, 16)),
        2 * 4 * 8 * 10 * (16 + 16),
    ),
    "a map in batches": (
        lambda x, w: lax.map(lambda it: it @ w, x, batch_size=2),
        (shape(3, 8, 16), W),
        3 * PRODUCT,
    ),
    "one device": (sharded, (X, W), PRODUCT),
    "an array in place": (in_place, (X, W), PRODUCT),
    "random numbers": (
        lambda key, w: jax.random.normal(key, (8, 16)) @ w,
        (jax.random.key(0), W),
        PRODUCT,
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_program_costs_what_it_costs_by_hand(name):
    function, inputs, mac = BY_HAND[name]
    counts = lt.count(function, *inputs)
    assert counts.uncounted == []
    assert counts.mac == mac


# LAPACK Working Note 41, a matrix of 9 by 6 and one of 6 by 6.
GEQRF = 648 - 144 + 54 + 36 + 28
ORGQR = 1296 - 1080 + 288 + 108 - 54 - 36 - 8
LU = 216 - 72 - 18 + 5
FACTORS = {
    "jax::qr": (jnp.linalg.qr, (shape(9, 6),), GEQRF + ORGQR),
    "jax::cholesky": (jnp.linalg.cholesky, (shape(6, 6),), 72 + 18 + 1),
    "jax::lu": (jnp.linalg.det, (shape(6, 6),), LU),
    "jax::triangular_solve": (jnp.linalg.solve, (shape(6, 6), shape(6, 2)), 2 * 2 * 36),
}


@pytest.mark.parametrize("name", FACTORS)
def test_a_factorisation_costs_what_lapack_says(name):
    function, inputs, flop = FACTORS[name]
    counts = lt.count(function, *inputs)
    assert counts.uncounted == []
    assert counts.by_op[name].other_flop == flop


def test_an_inverse_is_a_factorisation_and_two_triangles():
    rows = lt.count(jnp.linalg.inv, shape(6, 6)).by_op
    assert rows["jax::lu"].other_flop == LU
    assert rows["jax::triangular_solve"].other_flop == 2 * 6 * 36


@pytest.mark.parametrize("name", ["svd", "eigh", "eigvals"])
def test_what_iterates_is_listed_with_the_reason(name):
    counts = lt.count(getattr(jnp.linalg, name), shape(6, 6))
    assert len(counts.uncounted) == 1
    assert "until it converges" in counts.uncounted[0].reason
    assert counts.coverage_ratio < 1.0


def test_a_factorisation_that_chooses_its_columns_is_listed_with_the_reason():
    counts = lt.count(lambda x: jax.scipy.linalg.qr(x, pivoting=True), shape(9, 6))
    reasons = {it.name: it.reason for it in counts.uncounted}
    assert list(reasons) == ["jax::geqp3"] or list(reasons) == ["jax::qr"]
    assert all("is data" in reason for reason in reasons.values())


def test_a_choice_by_platform_is_the_branch_of_the_one_it_runs_on():
    def chosen(x, w):
        return lax.platform_dependent(x, w, tpu=lambda x, w: x, default=lambda x, w: x @ w)

    counts = lt.count(chosen, X, W)
    assert counts.uncounted == []
    assert counts.mac == (0 if jax.default_backend() == "tpu" else PRODUCT)
