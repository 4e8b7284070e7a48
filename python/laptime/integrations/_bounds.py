"""How long and how often something may happen before the phases take it for something else."""

from __future__ import annotations

ADJACENT_NS = 1_000_000
"""An iterator made this short a time before its first fetch was made for it: a ``for`` loop."""
CHAIN_NS = 10_000_000
"""A fetch this long after another one that no forward followed has nothing to do with it."""
MOST_FETCHES = 1_024
"""Fetches without a forward before they are taken for a pass without a model."""
MOST_BACKWARDS = 256
"""Micro-batches in one step before its update is taken to be out of sight: compiled, say."""
MOST_FORWARDS = 64
"""Forwards with gradients, neither fed by a loader nor followed by a backward, before they
are taken for evaluation."""
