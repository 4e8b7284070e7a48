"""The dimensions of a program, each with its parts; the first of each is the plain one."""

from __future__ import annotations

from ..part import Part
from . import caches, data, hooks, models, optimizers, randomness, records, steps, weights

DIMENSIONS: dict[str, tuple[Part, ...]] = {
    "network": models.NETWORKS,
    "layer": models.LAYERS,
    "wrapped": models.WRAPPED,
    "held": weights.HELD,
    "rest": weights.REST,
    "optimizer": optimizers.OPTIMIZERS,
    "gradients": optimizers.GRADIENTS,
    "schedule": optimizers.SCHEDULES,
    "precision": optimizers.PRECISION,
    "average": records.AVERAGES,
    "metric": records.METRICS,
    "cache": caches.CACHES,
    "randomness": randomness.RANDOMNESS,
    "hook": hooks.HOOKS,
    "data": data.DATA,
    "twist": steps.TWISTS,
    "count": steps.COUNTS,
    "end": steps.ENDS,
}
