from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TextIO, TypeVar

_T = TypeVar("_T")

class track(Generic[_T]):
    """Iterates over `items`; each iteration is a span called `name`.

    Its wait for the next item is its child `data`. With `log` each iteration has a line, such as
    `Epoch 1/5 | Test Acc: 0.920 | Epoch Time: 6.482 sec`: on the standard output, in a file, or given to
    what is called with it.
    """

    def __init__(
        self,
        items: Iterable[_T],
        name: str = "step",
        *,
        log: bool | TextIO | Callable[[str], object] = False,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T]: ...
