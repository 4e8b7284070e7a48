"""What is told of a program that computes with JAX: what it compiles, and what its laps may lack.

:func:`install` imports nothing. Once the program has imported JAX, its compilations are listened
to by way of `jax.monitoring`: two listeners are the only trace, until :func:`uninstall`.
"""

from __future__ import annotations

import atexit
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_installed = 0
_listening: Listening | None = None


class Listening:
    """The listeners of this process."""

    def __init__(self, monitoring: Any, registered: Any) -> None:
        from .._core import Compilations

        self._monitoring = monitoring
        # The same objects each time, to be found again.
        ended = self._ended = Compilations.ended
        self._began = Compilations(lambda: any(one is ended for one in registered())).began
        monitoring.register_event_duration_secs_listener(ended)
        listen = getattr(monitoring, "register_scalar_listener", None)
        if listen is not None:
            listen(self._began)

    def stop(self) -> None:
        """Takes them away, as far as the program has left them there."""
        for kind, listener in (("scalar", self._began), ("event_duration", self._ended)):
            try:
                getattr(self._monitoring, f"unregister_{kind}_listener")(listener)
            except (AssertionError, AttributeError, ValueError):
                pass


def install() -> None:
    """Tells of JAX from now on, as soon as the program has imported it."""
    global _installed
    _installed += 1
    if _installed == 1:
        from .._post_import import when_imported

        when_imported("jax", _jax_imported)


def uninstall() -> None:
    """Undoes one :func:`install`."""
    global _installed, _listening
    if _installed:
        _installed -= 1
    if not _installed and _listening is not None:
        _listening.stop()
        _listening = None


def _jax_imported(jax: ModuleType) -> None:
    global _listening
    if not _installed or _listening is not None:
        return
    from .._core import look_at_launches
    from .._launches import note_launches

    look_at_launches()
    # Registered after JAX's own, it runs before that forgets its devices.
    atexit.unregister(note_launches)
    atexit.register(note_launches)
    monitoring = getattr(jax, "monitoring", None)
    # What JAX doesn't tell in public, and nothing else does: whether listeners were cleared.
    private = sys.modules.get("jax._src.monitoring")
    registered = getattr(private, "get_event_duration_listeners", None)
    if monitoring is not None and registered is not None:
        _listening = Listening(monitoring, registered)
