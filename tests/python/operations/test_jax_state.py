"""Modules and steps with state, in training: their figures by hand, and left as they were."""

import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("flax")

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
from flax import nnx

import laptime as lt

# 3 rows of 4 features to 5.
PRODUCT = 3 * 4 * 5
X = jnp.ones((3, 4))


class Trained(nnx.Module):
    """A product, a batch norm, a dropout, and a counter of its calls."""

    def __init__(self):
        rngs = nnx.Rngs(0)
        self.linear = nnx.Linear(4, 5, rngs=rngs)
        self.norm = nnx.BatchNorm(5, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.calls[...] += 1
        return self.dropout(self.norm(self.linear(x)))


def bits(tree):
    """Every leaf of nnx objects and arrays as bytes; a tracer has none, and fails."""
    leaves = [leaf for leaf in jax.tree.leaves(tree) if hasattr(leaf, "dtype")]
    keys = jax.dtypes.prng_key
    return [
        np.asarray(jax.random.key_data(x) if jnp.issubdtype(x.dtype, keys) else x).tobytes()
        for x in leaves
    ]


def loss(model, x):
    return (model(x) ** 2).sum()


def test_an_nnx_module_with_state_is_counted_in_training_and_left_as_it_was():
    model = Trained()
    model(X)
    before = bits(model)
    counts = lt.count(model, X, backward=True)
    assert (counts.by_phase["forward"].mac, counts.by_phase["backward"].mac) == (PRODUCT, PRODUCT)
    # 20 and 5 of the product, 5 and 5 of the norm: no gradient is for what is no `nnx.Param`.
    assert counts.params == 4 * 5 + 5 + 5 + 5
    assert counts.by_module["linear"].mac == 2 * PRODUCT
    assert bits(model) == before
    model(X)
    assert model.calls[...] == 2


def test_a_step_that_is_given_its_model_and_optimizer_is_counted():
    optax = pytest.importorskip("optax")
    model = Trained()
    optimizer = nnx.Optimizer(model, optax.sgd(0.5), wrt=nnx.Param)

    def step(model, optimizer, x):
        value, grads = nnx.value_and_grad(loss)(model, x)
        optimizer.update(model, grads)
        return value

    before = bits((model, optimizer))
    for it in (step, nnx.jit(step)):
        counts = lt.count(it, model, optimizer, X)
        assert counts.mac == 2 * PRODUCT, it
        assert counts.uncounted == []
    assert bits((model, optimizer)) == before
    step(model, optimizer, X)
    assert bits((model, optimizer)) != before


def test_a_step_that_closes_over_its_model_and_optimizer_is_counted():
    optax = pytest.importorskip("optax")

    class Trainer:
        def __init__(self):
            self.model = Trained()
            self.model.seen = "nothing"
            self.optimizer = nnx.Optimizer(self.model, optax.adam(0.5), wrt=nnx.Param)

        def step(self, x):
            self.model.seen = "a batch"
            value, grads = nnx.value_and_grad(loss)(self.model, x)
            self.optimizer.update(self.model, grads)
            return value

    trainer, other = Trainer(), Trainer()
    for it in (trainer, other):
        it.step(X)
    trainer.model.seen = "nothing"
    before = bits((trainer.model, trainer.optimizer))
    assert lt.count(trainer.step, X).mac == 2 * PRODUCT
    assert trainer.model.seen == "nothing"
    assert bits((trainer.model, trainer.optimizer)) == before
    assert trainer.step(X) == other.step(X)
    assert bits((trainer.model, trainer.optimizer)) == bits((other.model, other.optimizer))


def test_variables_in_a_state_that_a_step_keeps_are_left_as_they_were():
    model = Trained()
    moments = jax.tree.map(jnp.zeros_like, nnx.state(model, nnx.Param))

    @nnx.jit
    def update(model, moments, x):
        grads = nnx.grad(loss)(model, x)
        nnx.update(moments, jax.tree.map(jnp.add, moments, grads))

    before = bits((model, moments))
    assert lt.count(lambda x: update(model, moments, x), X).mac == 2 * PRODUCT
    assert bits((model, moments)) == before


def test_a_model_is_left_as_it_was_when_its_step_fails():
    model = Trained()
    before = bits(model)

    def step(x):
        model(x)
        raise ValueError("no such batch")

    with pytest.raises(ValueError, match="no such batch"):
        lt.count(step, X)
    assert bits(model) == before
    model(X)
    assert model.calls[...] == 1


def test_what_flax_refuses_of_a_jitted_step_is_refused_by_a_count_too():
    model = Trained()
    jitted = jax.jit(lambda x: model(x))
    with pytest.raises(Exception, match="trace level"):
        jitted(X)
    with pytest.raises(Exception, match="trace level"):
        lt.count(lambda x: jitted(x), X)
    model(X)
    assert model.calls[...] == 1


def test_gradients_of_a_function_of_a_model_are_for_its_parameters():
    model = Trained()
    counts = lt.count(loss, model, X, backward=True)
    assert (counts.mac, counts.params) == (2 * PRODUCT, 35)


def test_what_two_modules_share_is_one_parameter():
    shared = nnx.Linear(4, 4, use_bias=False, rngs=nnx.Rngs(0))

    def twice(models, x):
        return models[1](models[0](x)).sum()

    counts = lt.count(twice, (shared, shared), X, backward=True)
    # Both products, the gradients of both weights and of what is between them.
    assert (counts.mac, counts.params) == (5 * 3 * 4 * 4, 16)


class Linen(nn.Module):
    train: bool = True

    @nn.compact
    def __call__(self, x):
        x = nn.BatchNorm(use_running_average=not self.train)(nn.Dense(5, name="dense")(x))
        return nn.Dropout(0.5, deterministic=not self.train)(x)

    def first(self, x):
        return self.dense(x)


KEYS = {"params": jax.random.key(0), "dropout": jax.random.key(1)}


def test_a_linen_model_in_training_has_gradients_of_what_it_returns_and_not_of_its_statistics():
    variables = Linen().init(KEYS, X)
    before = bits(variables)
    options = {"rngs": {"dropout": KEYS["dropout"]}, "mutable": ["batch_stats"]}
    counts = lt.count(Linen().apply, variables, X, kwargs=options, backward=True)
    assert (counts.mac, counts.params) == (2 * PRODUCT, 35)
    whole = lt.count(
        Linen().apply, variables, X, kwargs=options, backward=True, loss=lambda out: out[0].sum()
    )
    assert counts.by_phase["backward"].total_flop == whole.by_phase["backward"].total_flop
    assert bits(variables) == before


@pytest.mark.parametrize("kind", [jnp.asarray, np.asarray])
def test_a_bound_linen_module_brings_its_variables_along(kind):
    variables = jax.tree.map(kind, Linen(train=False).init(KEYS, X))
    bound = Linen(train=False).bind(variables)
    x = kind(X)
    counts = lt.count(bound, x)
    assert (counts.mac, counts.params) == (PRODUCT, 35)
    assert counts.by_module["Linen.dense"].params == 25
    assert lt.count(bound, x, backward=True).mac == 2 * PRODUCT
    assert lt.count(bound.__call__, x).mac == PRODUCT
    assert lt.count(lambda x: bound(x), x).mac == PRODUCT


def test_a_bound_linen_module_in_training_keeps_its_statistics():
    variables = Linen().init(KEYS, X)
    rngs = {"dropout": KEYS["dropout"]}
    bound = Linen().bind(variables, rngs=rngs, mutable=["batch_stats"])
    before = bits(bound.variables)
    assert lt.count(bound, X, backward=True).mac == 2 * PRODUCT
    assert bits(bound.variables) == before


def test_a_part_of_a_bound_linen_module_is_counted_by_itself():
    class Two(nn.Module):
        def setup(self):
            self.up, self.down = nn.Dense(8), nn.Dense(4)

        def __call__(self, x):
            return self.down(self.up(x))

        def only_up(self, x):
            return self.up(x)

    bound = Two().bind(Two().init(KEYS, X))
    assert lt.count(bound.only_up, X).mac == 3 * 4 * 8
    assert lt.count(bound.down, jnp.ones((3, 8))).mac == 3 * 8 * 4
