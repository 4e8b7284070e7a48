from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

_T = TypeVar("_T")

class track(Generic[_T]):
    """Iterates over `items`; each iteration is a span called `name`.

    Its wait for the next item is its child `data`.
    """

    def __init__(self, items: Iterable[_T], name: str = "step") -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T]: ...
