"""Refuses interpreters where the extension would be unsound, before anything is measured.

The extension relies on the interpreter's lock. A free-threaded Python switches it on when the
extension is imported, unless it was told not to (`PYTHON_GIL=0`, `-X gil=0`).
"""

from __future__ import annotations

import sys

# The import switches the lock on.
from ._core import __version__ as __version__


def check(is_free_threaded: object, is_locked: bool) -> None:
    """Raises `ImportError` where the lock is off."""
    if is_free_threaded and not is_locked:
        raise ImportError(
            "laptime needs the interpreter's lock (GIL), which is switched off: PYTHON_GIL=0 or "
            "-X gil=0 is set. Without that setting, importing laptime switches the lock on"
        )


def _is_locked() -> bool:
    return bool(getattr(sys, "_is_gil_enabled", lambda: True)())


if not _is_locked():
    import sysconfig  # slow, and needed here only

    check(sysconfig.get_config_var("Py_GIL_DISABLED"), _is_locked())
