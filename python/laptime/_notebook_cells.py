"""Which cell of a notebook a function stands in: IPython names the files of cells by numbers."""

from __future__ import annotations

import sys

from ._core import note, recorded_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Cells that are told, the last ones.
_MOST = 256


def note_cells() -> None:
    """Tells readers of the recording what IPython calls its cells: `In[3]`."""
    shell_class = getattr(
        sys.modules.get("IPython.core.interactiveshell"), "InteractiveShell", None
    )
    if shell_class is None or not shell_class.initialized():
        return
    # Its compiler keeps them; there is no public name for it.
    compiler = getattr(shell_class.instance(), "compile", None)
    cells: Any = getattr(compiler, "_filename_map", None)
    if not cells or not issubclass(type(cells), dict):
        return
    import json

    last = list(cells.items())[-_MOST:]
    note("cells", json.dumps({recorded_file(file): f"In[{number}]" for file, number in last}))
