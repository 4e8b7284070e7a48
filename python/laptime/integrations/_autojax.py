"""What is told of a program that computes with JAX."""

from __future__ import annotations

import atexit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def install() -> None:
    """Has the recording tell of launches, if the program comes to use JAX. Imports nothing."""
    from .._post_import import when_imported

    when_imported("jax", _jax_imported)


def _jax_imported(_jax: ModuleType) -> None:
    from .._launches import note_launches

    # Registered after JAX's own, it runs before that forgets its devices.
    atexit.register(note_launches)
