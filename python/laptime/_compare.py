"""`lt.compare`: recordings that were made, or functions that take turns now."""

from __future__ import annotations

from ._core import compare as compare_recordings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._core import Comparison
    from .benchmarks import FunctionComparison


def compare(base: Any, new: Any = None, **options: Any) -> Comparison | FunctionComparison:
    """Tells which is faster, by how much, and how sure that is.

    Recordings of a program, before and after a change, or several of each:

        lt.compare("before.lap", "after.lap")
        lt.compare(["before-1.lap", "before-2.lap"], ["after-1.lap", "after-2.lap"])

    A side is a recording, or a list of several runs: only with several can be told how much runs
    of the same program differ. Files of benchmarks, of `lt.bench(…).save` or `laptime bench -o`,
    are compared by the benchmarks' names. `allow_different` compares recordings although machine,
    device or work differ; `salvage` reads what is intact of damaged ones.

    Functions, which take turns until it's clear or `budget` seconds are over, 3 for each of them
    unless told otherwise; the first one is the base, and `seed` sets the order of turns:

        lt.compare({"eager": lambda: model(x), "compiled": lambda: compiled(x)})

    With `setup=make` each iteration is `fn(make())`, and `make` isn't measured: for functions that
    use up their input.

    Changes below `threshold`, a part of the base, are none.

    **Errors** where a recording can't be read, or with fewer than two functions.
    """
    if hasattr(base, "keys"):
        if new is not None:
            raise TypeError(
                "functions are compared in one dictionary: lt.compare({'a': f, 'b': g})"
            )
        from .benchmarks import compare_functions

        return compare_functions(base, **options)
    if new is None or callable(base):
        raise TypeError(
            "lt.compare takes two recordings, lt.compare('before.lap', 'after.lap'), "
            "or functions by their names, lt.compare({'a': f, 'b': g})"
        )
    return compare_recordings(base, new, **options)
