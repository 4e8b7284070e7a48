"""Loops, branches and devices of JAX programs: how often, and whether, things run."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, PartitionSpec

import laptime as lt


def count(function, inputs, kwargs, **options):
    return lt.count(function, *inputs, kwargs=kwargs, **options)


PRODUCT = 8 * 16 * 16


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


X, W = shape(8, 16), shape(16, 16)


def test_a_scan_of_a_hundred_products_is_a_hundred_products():
    def model(x, w):
        return jax.lax.scan(lambda x, _: (x @ w, None), x, None, length=100)[0]

    counts = count(model, (X, W), {})
    assert counts.mac == 100 * PRODUCT
    assert counts.by_op["jax::dot_general"].calls == 100
    # XLA's own analysis takes the body once, and this is said.
    assert counts.cross_check[1] < counts.total_flop / 50
    assert any("body of a loop once" in warning for warning in counts.warnings)


def test_a_scan_s_gradient_is_two_products_a_round():
    def model(w, x):
        return jax.lax.scan(lambda x, _: (x @ w, None), x, None, length=100)[0]

    counts = count(model, (W, X), {}, backward=True)
    assert counts.by_phase["forward"].mac == 100 * PRODUCT
    assert counts.by_phase["backward"].mac == 200 * PRODUCT


def test_loops_in_loops_multiply():
    def inner(x, w):
        return jax.lax.scan(lambda x, _: (x @ w, None), x, None, length=3)[0]

    def outer(x, w):
        return jax.lax.fori_loop(0, 5, lambda _, x: inner(x, w), x)

    assert count(outer, (X, W), {}).mac == 15 * PRODUCT


def test_a_checkpoint_in_a_scan_runs_again_in_every_round():
    @jax.checkpoint
    def body(w, x):
        return jnp.sin(x @ w)

    def model(w, x):
        return jax.lax.scan(lambda x, _: (body(w, x), None), x, None, length=10)[0]

    counts = count(model, (W, X), {}, backward=True)
    assert counts.mac == 30 * PRODUCT
    assert counts.executed_flop - counts.flop == 2 * 10 * PRODUCT


@pytest.mark.parametrize(
    ("start", "goes_on", "step", "rounds"),
    [
        (0, lambda i: i < 7, 1, 7),
        (0, lambda i: i < 7, 2, 4),
        (3, lambda i: i <= 7, 1, 5),
        (7, lambda i: i > 0, -1, 7),
        (7, lambda i: i >= 0, -2, 4),
        (9, lambda i: i < 7, 1, 0),
        (0, lambda i: jnp.int32(7) > i, 1, 7),
    ],
)
def test_a_while_that_counts_to_a_constant_runs_as_often_as_it_does(start, goes_on, step, rounds):
    def model(x, w):
        return jax.lax.while_loop(
            lambda state: goes_on(state[0]),
            lambda state: (state[0] + step, state[1] @ w),
            (start, x),
        )

    ran = int((model(jnp.ones((8, 16)), jnp.ones((16, 16)))[0] - start) / step)
    assert ran == rounds
    counts = count(model, (X, W), {})
    assert counts.uncounted == []
    assert counts.mac == rounds * PRODUCT


def test_a_while_that_depends_on_data_is_never_taken_as_one_round():
    def model(x, w):
        return jax.lax.while_loop(lambda x: x.sum() < 100, lambda x: x @ w, x)

    counts = count(model, (X, W), {})
    assert counts.mac == 0
    product = next(it for it in counts.uncounted if it.name == "jax::dot_general")
    assert "number of rounds is not known" in product.reason
    assert counts.coverage_ratio < 1.0


def test_a_loop_to_an_argument_is_one_whose_rounds_are_data():
    def model(x, w, rounds):
        return jax.lax.fori_loop(0, rounds, lambda _, x: x @ w, x)

    unknown = count(model, (X, W, shape(dtype=jnp.int32)), {})
    assert (unknown.mac, len(unknown.uncounted) > 0) == (0, True)
    # A number that is no array is part of the program.
    assert count(model, (X, W, 6), {}).mac == 6 * PRODUCT


def test_branches_of_the_same_cost_are_counted_once():
    def model(x, w):
        return jax.lax.cond(x[0, 0] > 0, lambda: x @ w, lambda: x @ w.T)

    counts = count(model, (X, W), {})
    assert counts.mac == PRODUCT
    assert counts.uncounted == []


def test_branches_of_different_cost_are_listed_and_none_is_chosen():
    def model(x, w):
        return jax.lax.cond(x[0, 0] > 0, lambda: x @ w, lambda: x + 1)

    counts = count(model, (X, W), {})
    assert counts.mac == 0
    assert [it.name for it in counts.uncounted] == ["jax::cond"]
    assert "branches cost differently" in counts.uncounted[0].reason


def test_a_switch_by_a_constant_is_the_branch_it_names():
    def model(x, w):
        branches = [lambda x: x, lambda x: x @ w, lambda x: x @ w @ w]
        return jax.lax.switch(2, branches, x)

    counts = count(jax.jit(model), (X, W), {})
    assert counts.mac == 2 * PRODUCT
    assert counts.uncounted == []


def mesh():
    return Mesh(np.array(jax.devices("cpu")), ("data",))


def test_devices_together_do_what_one_would_do_alone():
    def layer(x, w):
        return jax.lax.psum(x @ w, "data")

    shards = PartitionSpec("data"), PartitionSpec()
    sharded = jax.shard_map(layer, mesh=mesh(), in_specs=shards, out_specs=PartitionSpec())
    counts = count(sharded, (shape(32, 16), W), {})
    assert len(jax.devices("cpu")) == 4
    assert counts.mac == 32 * 16 * 16
    # On each of four devices 2 · 3/4 of the 128 numbers of 4 bytes.
    assert counts.communication_bytes == 4 * 2 * 3 * (8 * 16 * 4) // 4
    assert counts.by_op["jax::psum_invariant"].other_flop == 4 * (8 * 16) * 3 // 4


def test_each_collective_passes_its_part_of_the_bytes():
    def exchange(x):
        return (
            jax.lax.all_gather(x, "data", tiled=True),
            jax.lax.psum_scatter(x, "data", tiled=True),
            jax.lax.all_to_all(x, "data", 0, 0, tiled=True),
            jax.lax.ppermute(x, "data", [(0, 1), (1, 2), (2, 3), (3, 0)]),
        )

    along = PartitionSpec("data")
    f = jax.shard_map(exchange, mesh=mesh(), in_specs=(along,), out_specs=along, check_vma=False)
    rows = count(f, (shape(64, 16),), {}).by_op
    shard = 16 * 16 * 4
    assert rows["jax::all_gather"].communication_bytes == 4 * 3 * shard
    assert rows["jax::reduce_scatter"].communication_bytes == 3 * shard
    assert rows["jax::all_to_all"].communication_bytes == 3 * shard
    assert rows["jax::ppermute"].communication_bytes == 4 * shard


def test_a_pmap_is_counted_on_all_its_devices():
    model = jax.pmap(lambda x: jax.lax.psum(x @ jnp.ones((16, 16)), "i"), axis_name="i")
    counts = count(model, (shape(4, 8, 16),), {})
    assert counts.mac == 4 * PRODUCT
    assert counts.communication_bytes == 4 * 2 * 3 * (8 * 16 * 4) // 4
