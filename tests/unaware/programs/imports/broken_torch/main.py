"""A program whose torch can't be imported, as where a library is missing, and that shows why."""

import sys
import traceback

import reasons


class Blocks:
    """A finder that lets nobody import it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("torch is blocked", name=name)


def shown():
    try:
        import torch  # noqa: F401
    except BaseException as error:
        traceback.print_exc()
        depth = len(list(traceback.walk_tb(error.__traceback__)))
        print(type(error).__name__, error, depth, error.__context__, "torch" in sys.modules)


for reason in (
    ImportError("libcudart.so.12: cannot open shared object file: No such file or directory"),
    RuntimeError("two copies of OpenMP"),
    KeyboardInterrupt(),
):
    reasons.reason = reason
    shown()
sys.meta_path.insert(0, Blocks)
shown()
sys.meta_path.remove(Blocks)
sys.meta_path.append(Blocks)
sys.path_importer_cache.clear()
folders, sys.path = sys.path, []
shown()
sys.path = folders
reasons.reason = OSError("undefined symbol: ncclCommSplit")
import torch  # noqa: E402, F401
