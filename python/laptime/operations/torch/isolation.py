"""Being alone: no mode sees what runs."""

from __future__ import annotations

from typing import Any

import torch


class Alone:
    """Within it there are no dispatch modes.

    What torch has for this is a generator. One that a signal's handler cuts short would put the
    modes back when it is collected, perhaps long after the count; this one never does.
    """

    def __init__(self) -> None:
        self._above: list[Any] = []

    def __enter__(self) -> None:
        while torch._C._len_torch_dispatch_stack():
            self._above.append(torch._C._pop_torch_dispatch_stack(None))

    def __exit__(self, *_: object) -> None:
        while self._above:
            torch._C._push_on_torch_dispatch_stack(self._above.pop())
