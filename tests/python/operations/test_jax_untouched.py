"""A count leaves no trace in a JAX program: trained on with and without one, every bit is the same.

Programs are made of a state (plain arrays, linen, nnx), an optimizer, a way to hold the state and a
side effect; each is trained, counted and trained on beside a twin that isn't counted.
"""

import itertools
import random

import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("flax")

import flax.linen as nn
import jax.numpy as jnp
import numpy as np
from flax import nnx

import laptime as lt

X = jnp.arange(12.0).reshape(3, 4) / 12
# Effects on Python objects that a step changes in place.
IN_PLACE = [
    "appends its loss",
    "fills a cache",
    "counts its traces",
    "draws from a generator",
]


class Linen(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.BatchNorm(use_running_average=False)(nn.Dense(5)(x))


class Nnx(nnx.Module):
    def __init__(self):
        rngs = nnx.Rngs(0)
        self.linear = nnx.Linear(4, 5, rngs=rngs)
        self.norm = nnx.BatchNorm(5, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(self.norm(self.linear(x)))


def plain():
    def loss(state, x):
        return ((x @ state["params"]) ** 2).sum(), {}

    return {"params": jnp.ones((4, 5))}, loss


def linen():
    def loss(state, x):
        output, changed = Linen().apply(state, x, mutable=["batch_stats"])
        return (output**2).sum(), changed

    return Linen().init(jax.random.key(0), X), loss


def sgd(value, gradient, moments):
    return value - 0.125 * gradient, moments


def momentum(value, gradient, moment):
    moment = 0.5 * moment + gradient
    return value - 0.125 * moment, moment


class Step:
    """A training step of a program, with all that it keeps from step to step."""

    def __init__(self, state, optimizer, jitted, effect):
        self.history, self.cache, self.traces = [], {}, [0]
        self.generator = np.random.default_rng(0)
        self.effect = effect
        if state == "nnx":
            self.model = Nnx()
            self.moments = jax.tree.map(jnp.zeros_like, nnx.state(self.model, nnx.Param))
        else:
            self.state, self.loss = {"plain": plain, "linen": linen}[state]()
            self.moments = jax.tree.map(jnp.zeros_like, self.state["params"])
        self.optimizer = {"sgd": sgd, "momentum": momentum}[optimizer]
        functional = self.of_nnx if state == "nnx" else self.of_state
        self.functional = (
            (nnx.jit if state == "nnx" else jax.jit)(functional) if jitted else functional
        )
        self.jitted = self.functional if jitted else None

    def moved(self, params, grads, moments):
        pairs = jax.tree.map(self.optimizer, params, grads, moments)
        is_pair = lambda it: isinstance(it, tuple)  # noqa: E731
        return tuple(
            jax.tree.map(lambda it, at=at: it[at], pairs, is_leaf=is_pair) for at in (0, 1)
        )

    def of_state(self, state, moments, x):
        if self.effect == "counts its traces":
            self.traces[0] += 1
        grads, changed = jax.grad(
            lambda params: self.loss({**state, "params": params}, x), has_aux=True
        )(state["params"])
        params, moments = self.moved(state["params"], grads, moments)
        return {**state, **changed, "params": params}, moments, grads

    def of_nnx(self, model, moments, x):
        if self.effect == "counts its traces":
            self.traces[0] += 1
        grads = nnx.grad(lambda model: (model(x) ** 2).sum())(model)
        params, moments = self.moved(nnx.state(model, nnx.Param), grads, moments)
        nnx.update(model, params)
        return moments, grads

    def before(self, x):
        if self.effect == "draws from random":
            x = x + random.random()
        elif self.effect == "draws from numpy.random":
            x = x + np.random.rand()
        elif self.effect == "draws from a generator":
            x = x + self.generator.random()
        return x

    def after(self, grads):
        if self.effect == "appends its loss":
            self.history.append(jax.tree.leaves(grads)[0])
        elif self.effect == "fills a cache":
            self.cache[len(self.cache)] = jax.tree.leaves(grads)[0]

    def keeping(self, x):
        """Keeps its state in itself."""
        x = self.before(x)
        if hasattr(self, "model"):
            self.moments, grads = self.functional(self.model, self.moments, x)
        else:
            self.state, self.moments, grads = self.functional(self.state, self.moments, x)
        self.after(grads)

    def handed(self, state, moments, x):
        """Is given its state and returns it."""
        x = self.before(x)
        if hasattr(self, "model"):
            moments, grads = self.functional(state, moments, x)
        else:
            state, moments, grads = self.functional(state, moments, x)
        self.after(grads)
        return state, moments

    def train(self, held):
        if held == "handed":
            state = self.model if hasattr(self, "model") else self.state
            state, self.moments = self.handed(state, self.moments, X)
            self.state = state
        else:
            self.keeping(X)

    def count(self, held):
        if held == "handed":
            state = self.model if hasattr(self, "model") else self.state
            return lt.count(self.handed, state, self.moments, X)
        if held == "closed over":
            return lt.count(lambda x: self.keeping(x), X)
        return lt.count(self.keeping, X)

    def bits(self):
        kept = [getattr(self, "model", None), getattr(self, "state", None), self.moments]
        kept += [self.history, self.cache, self.traces]
        leaves = [leaf for leaf in jax.tree.leaves(kept) if leaf is not None]
        assert not any(isinstance(leaf, jax.core.Tracer) for leaf in leaves), "a tracer is left"
        known = [
            np.asarray(
                jax.random.key_data(leaf)
                if jnp.issubdtype(jnp.asarray(leaf).dtype, jax.dtypes.prng_key)
                else leaf
            ).tobytes()
            for leaf in leaves
        ]
        compiled = getattr(self.jitted, "_cache_size", lambda: 0)()
        return (
            known,
            compiled,
            self.generator.bit_generator.state,
            random.getstate(),
            str(np.random.get_state()),
        )


STATES = ["plain", "linen", "nnx"]
OPTIMIZERS = ["sgd", "momentum"]
HELD = ["handed", "kept", "closed over"]
EFFECTS = ["none", "draws from random", "draws from numpy.random", *IN_PLACE]
PROGRAMS = [
    (state, optimizer, held, jitted, effect)
    for (state, optimizer, held), effect in itertools.product(
        itertools.product(STATES, OPTIMIZERS, HELD), EFFECTS
    )
    # Each jitted step is compiled for itself, which takes long for a module.
    for jitted in [
        (optimizer, effect in ("none", "counts its traces")) == ("sgd", True) or state == "plain"
    ]
][::2]


@pytest.mark.parametrize(("state", "optimizer", "held", "jitted", "effect"), PROGRAMS)
def test_a_count_leaves_no_trace(state, optimizer, held, jitted, effect):
    bits = []
    for counted in (False, True):
        random.seed(7)
        np.random.seed(7)
        step = Step(state, optimizer, jitted, effect)
        step.train(held)
        if counted:
            before = step.bits()
            counts = step.count(held)
            # The product of 3 by 4 by 4 by 5 and the gradient of its weight.
            assert counts.mac == 2 * 3 * 4 * 5
            assert step.bits() == before
        step.train(held)
        bits.append(step.bits())
    assert bits[0] == bits[1]
