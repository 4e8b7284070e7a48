"""Where code lies that isn't the program's.

What the program's own functions name is looked at and put back after a count; what a library
keeps for itself must stay. PyTorch holds the addresses of its operators in C++: where they were
forgotten again with what a count had imported, the next call of one was a call of freed memory.
"""

from __future__ import annotations

import os
import sys
import sysconfig

#: Libraries wherever they were imported from: built in a folder of one's own, on `PYTHONPATH`.
_WHEREVER = ("torch", "numpy", "jax", "jaxlib")
#: What folders of installed packages are called: the environment's, the user's, the system's.
_INSTALLED = ("site-packages", "dist-packages")


def libraries() -> tuple[str, ...]:
    """Beginnings of the file names of code that isn't the program's."""
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {path for path in sys.path if os.path.basename(path) in _INSTALLED}
    files = [getattr(sys.modules.get(name), "__file__", None) for name in _WHEREVER]
    folders |= {os.path.dirname(file) for file in files if file}
    folders.add(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return (*(folder + os.sep for folder in folders), "<frozen", "<string torch")
