"""What programs say of their results: digests that differ when one bit does.

On the import path of every program of the suite; knows nothing of Laptime.
"""

import hashlib
import random
import sys


def digest(*values):
    """A short digest of tensors, arrays, state dictionaries and anything with a `repr`."""
    state = hashlib.sha256()
    for value in values:
        _add(state, value)
    return state.hexdigest()[:16]


def _add(state, value):
    if isinstance(value, dict):
        for key, entry in value.items():
            _add(state, key)
            _add(state, entry)
    elif isinstance(value, (list, tuple)):
        state.update(f"{len(value)}".encode())
        for entry in value:
            _add(state, entry)
    elif hasattr(value, "detach"):
        _add(state, value.detach().contiguous().cpu().numpy())
    elif hasattr(value, "tobytes") and hasattr(value, "dtype"):
        state.update(f"{value.dtype}{value.shape}".encode())
        state.update(value.tobytes())
    else:
        state.update(repr(value).encode())


def seed(number):
    """Seeds every random generator of the modules that are loaded."""
    random.seed(number)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(number)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(number)


def randomness():
    """A digest of the state of every random generator of the modules that are loaded."""
    states = [random.getstate()]
    if "numpy" in sys.modules:
        states.append(sys.modules["numpy"].random.get_state())
    if "torch" in sys.modules:
        states.append(sys.modules["torch"].get_rng_state())
    return digest(states)
