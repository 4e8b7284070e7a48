"""How NumPy's arrays are saved: what they hold, their shape and whether they may be written."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

#: Objects of an array that are entered.
MOST_ENTERED = 100_000
#: Bytes of arrays that are copied before a count; what is beyond is left alone.
MOST_COPIED = 1 << 30


class Arrays:
    """Saves arrays, with copies up to `MOST_COPIED` in all."""

    def __init__(self) -> None:
        self._copied = 0

    def __call__(self, array: Any) -> Callable[[], Any] | tuple[Callable[[], Any], Any]:
        form = _Form(array)
        before = self._copy(array)

        def restore() -> None:
            try:
                form.restore()
                if before is not None and not _is_same(array, before):
                    _set_writeable(array, True)
                    array[...] = before
            finally:
                _set_writeable(array, form.writeable)

        if before is not None and before.dtype == object:
            return restore, before.ravel().tolist()
        return restore

    def _copy(self, array: Any) -> Any:
        """What an array holds; nothing if that can't be written, or is too much."""
        # One that has no memory of its own may have a file behind it that is only read.
        if not array.flags.writeable and not array.flags.owndata:
            return None
        if array.dtype.hasobject:
            return array.copy() if array.dtype == object and array.size <= MOST_ENTERED else None
        self._copied += array.nbytes
        return array.copy() if self._copied <= MOST_COPIED else None


def _is_same(array: Any, before: Any) -> bool:
    """Only what changed is written: others may read it, and a file may lie behind it."""
    if before.dtype == object:
        return all(one is other for one, other in zip(array.flat, before.flat))
    return array.tobytes() == before.tobytes()


def _set_writeable(array: Any, writeable: bool) -> None:
    if array.flags.writeable == writeable:
        return
    # A view of what is locked can't be written; what it is a view of is put back by itself.
    base = getattr(array.base, "flags", None)
    is_locked = writeable and base is not None and not base.writeable
    if is_locked:
        array.base.setflags(write=True)
    try:
        array.setflags(write=writeable)
    finally:
        if is_locked:
            array.base.setflags(write=False)


class _Form:
    """How an array looks at its memory."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.writeable: bool = array.flags.writeable
        self._before = self._now()
        self._nbytes = array.nbytes

    def _now(self) -> tuple[Any, ...]:
        return self.array.dtype, self.array.shape, self.array.strides

    def restore(self) -> None:
        """Changes the array itself: others hold it."""
        if self._now() == self._before:
            return
        array, (dtype, shape, strides) = self.array, self._before
        with warnings.catch_warnings():
            # Setting them is on its way out of NumPy, but nothing else puts them back.
            warnings.simplefilter("ignore", DeprecationWarning)
            if array.nbytes != self._nbytes:
                array.shape = -1
                if array.dtype != dtype:
                    array.dtype = "u1"
                array.resize(self._nbytes // array.itemsize, refcheck=False)
            if array.dtype != dtype:
                if array.itemsize != dtype.itemsize:
                    array.shape = -1
                array.dtype = dtype
            if array.shape != shape:
                array.shape = shape
            if array.strides != strides:
                array.strides = strides
