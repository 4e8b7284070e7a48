"""What memory holds, kept while a model runs: copies, and sums of what is too large to be copied.

Versions of tensors don't tell: `.data`, NumPy and hand-written kernels write without changing them.
"""

from __future__ import annotations

from typing import Any

#: Bytes that copies take on the host, altogether. Models of this size are copied in a second.
MOST_COPIED = 1 << 30
#: Words in a row, of which only the sum is kept where there is no room for a copy.
_ROW = 1024
#: What reading the memory of tensors raises that have none of their own.
UNREADABLE = (RuntimeError, NotImplementedError, ValueError, TypeError, AttributeError)


class Contents:
    """The memory of tensors. Those told first are copied first, up to `most` bytes."""

    def __init__(self, torch: Any, most: float | None = None) -> None:
        self._torch = torch
        self._room = MOST_COPIED if most is None else most
        self._kept: dict[tuple[str, int, int], _Stretch] = {}
        #: The names of what had changed, and had no copy, when all was put back.
        self.lost: list[str] = []

    def keep(self, tensor: Any, name: str) -> None:
        """Copies or adds up what a tensor holds; views of the same memory are kept once."""
        try:
            self._keep(tensor, name)
        except UNREADABLE:
            return  # a kind of tensor without memory of its own

    def _keep(self, tensor: Any, name: str) -> None:
        if tensor.numel() == 0 or tensor.is_meta:
            return
        for inner in _parts(tensor, self._torch):
            if inner is not tensor:
                self._keep(inner, name)
                continue
            storage, begin, end = _place(tensor)
            key = str(storage.device), storage.data_ptr() + begin, end
            if key[1] == begin or key in self._kept:
                continue  # it has no memory, as a placeholder hasn't
            fits = end - begin <= self._room
            self._kept[key] = _Stretch(self._torch, name, storage, begin, end, fits)
            self._room -= end - begin if fits else 0

    def restore(self) -> None:
        """Copies back what has changed."""
        self.lost = [one.name for one in self._kept.values() if not self._is_back(one)]

    def _is_back(self, one: _Stretch) -> bool:
        try:
            return one.put_back()
        except RuntimeError:
            return False  # the device has failed, which is being raised already


class _Stretch:
    """A stretch of memory."""

    def __init__(
        self, torch: Any, name: str, storage: Any, begin: int, end: int, is_copied: bool
    ) -> None:
        self.name = name
        self._torch, self._storage = torch, storage
        self._begin, self._end = begin, end
        self._is_copied = is_copied
        self._before = [self._taken(one) for one in self._views()]

    def put_back(self) -> bool:
        """Whether it is what it was, if need be by copying."""
        if self._storage.nbytes() < self._end:
            return True  # the model freed it, as sharded ones do, and will fill it again
        for now, before in zip(self._views(), self._before, strict=True):
            if not self._torch.equal(self._read(now), before):
                if not self._is_copied:
                    return False
                # The view is no part of a graph, so nothing that waits for `backward` is disturbed.
                now.copy_(before)
        return True

    def _views(self) -> list[Any]:
        """Its words, which compare fast, and the bytes that are left."""
        rest = self._begin
        views: list[Any] = []
        if self._begin % 8 == 0 and (words := (self._end - self._begin) // 8):
            views.append(self._view(self._torch.int64, self._begin // 8, words))
            rest += words * 8
        if rest < self._end:
            views.append(self._view(self._torch.uint8, rest, self._end - rest))
        return views

    def _view(self, dtype: Any, begin: int, count: int) -> Any:
        empty = self._torch.empty(0, dtype=dtype, device=self._storage.device)
        return empty.set_(self._storage, begin, (count,), (1,))

    def _taken(self, view: Any) -> Any:
        return view.to("cpu", copy=True) if self._is_copied else self._read(view)

    def _read(self, view: Any) -> Any:
        """What is compared."""
        if self._is_copied:
            return view.cpu()
        rows = view.numel() // _ROW * _ROW
        sums = view[:rows].view(-1, _ROW).sum(1, dtype=self._torch.int64)
        return self._torch.cat([sums, view[rows:].to(self._torch.int64)])


def _parts(tensor: Any, torch: Any) -> list[Any]:
    """The tensors that hold what a tensor shows: itself, or those that it is made of."""
    flatten = getattr(tensor, "__tensor_flatten__", None)
    if flatten is not None:
        return [getattr(tensor, name) for name in flatten()[0]]
    if tensor.layout == torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    return [tensor]


def _place(tensor: Any) -> tuple[Any, int, int]:
    """A tensor's storage, and its first byte there and the one behind its last."""
    size = tensor.element_size()
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    last = sum((count - 1) * stride for count, stride in steps)
    begin = tensor.storage_offset() * size
    return tensor.untyped_storage(), begin, begin + (last + 1) * size
