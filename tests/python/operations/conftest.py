"""What these tests share stands beside them."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# JAX has as many devices as it is told before it makes the first array, wherever that is.
os.environ["JAX_NUM_CPU_DEVICES"] = "4"


def _with_operators_kept() -> None:
    """Keeps alive what TorchScript knows by its `id`.

    Operators that a test registers go with their library, and their ids stay in TorchScript's
    table: an attribute that comes to lie there, such as a layer's list of paddings, is then taken
    for a builtin, and scripting it fails.
    """
    from torch.jit import _builtins

    kept = []
    register = _builtins._register_builtin

    def keep(function: object, name: str) -> None:
        kept.append(function)
        register(function, name)

    _builtins._register_builtin = keep


_with_operators_kept()
