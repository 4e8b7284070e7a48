"""What each module of a model has: parameters, MACs, FLOP and seconds, as a tree.

Counts come by a module's path, times by its identity. A module that stands at several places has
all its numbers at the first. Modules of ignored classes are left out with all that is in them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Account:
    """A module with all that is in it."""

    name: str
    kind: str
    about: str
    params: int
    mac: int
    flop: int
    #: None where it was not called, or not timed.
    seconds: float | None
    children: tuple[Account, ...] = ()
    #: Why it has no numbers.
    left_out: str = ""
    #: Modules in it are left out: of its MACs and FLOP, not of its seconds.
    lacks: bool = False

    @property
    def flop_per_s(self) -> float | None:
        """A module's FLOP over its seconds, where both are of the same modules."""
        return None if self.lacks or not self.seconds else self.flop / self.seconds

    def levels(self) -> Iterator[list[Account]]:
        """The modules with numbers, by how deep they stand."""
        level: list[Account] = [self]
        while level:
            yield level
            below = (child for account in level for child in account.children)
            level = [child for child in below if not child.left_out]


class Accountant:
    """Makes the tree, from MACs and FLOP by path and seconds by identity."""

    def __init__(
        self,
        counted: Callable[[str], tuple[int, int]],
        seconds: Mapping[int, float],
        ignored: Collection[type] = (),
    ) -> None:
        self._counted = counted
        self._seconds = seconds
        self._ignored = ignored
        self._first: dict[int, str] = {}
        self._own: dict[int, tuple[int, int]] = {}

    def account(self, model: torch.nn.Module) -> Account:
        """The account of a model."""
        self._add_own(unwrapped(model), "")
        return self._account(model, "", "")

    def _add_own(self, module: torch.nn.Module, path: str) -> None:
        """Adds up what a module does itself, at all its places."""
        mac, flop = self._counted(path)
        for below, _, child in children(module, path):
            less = self._counted(below)
            mac, flop = mac - less[0], flop - less[1]
            self._add_own(unwrapped(child), below)
        before = self._own.get(id(module), (0, 0))
        self._own[id(module)] = before[0] + mac, before[1] + flop

    def _account(self, outer: torch.nn.Module, name: str, path: str) -> Account:
        module = unwrapped(outer)
        kind, about = type(module).__name__, module.extra_repr()
        first = self._first.setdefault(id(module), path)
        left_out = "ignored" if path and type(module) in self._ignored else ""
        if first != path:
            left_out = f"the module at {first}"
        if left_out:
            return Account(name, kind, about, 0, 0, 0, None, left_out=left_out)
        below = tuple(
            self._account(child, child_name, at) for at, child_name, child in children(module, path)
        )
        mac, flop = self._own[id(module)]
        # A module's own seconds; of one that only holds others, which is never called, theirs.
        known = [child.seconds for child in below if child.seconds is not None]
        held = sum(known) if known else None
        of_module = self._seconds.get(id(module), held)
        return Account(
            name,
            kind,
            about,
            params_of(module),
            mac + sum(child.mac for child in below),
            flop + sum(child.flop for child in below),
            self._seconds.get(id(outer), of_module),
            below,
            lacks=any(child.left_out == "ignored" or child.lacks for child in below),
        )


def children(module: torch.nn.Module, path: str) -> Iterator[tuple[str, str, torch.nn.Module]]:
    """The modules right in one: path, name and module."""
    for name, child in list(module._modules.items()):
        if child is not None:
            yield f"{path}.{name}" if path else name, name, child


def unwrapped(module: torch.nn.Module) -> torch.nn.Module:
    """A module without what `torch.compile` put around it, which has no row."""
    return dict(module._modules.items()).get("_orig_mod") or module


def params_of(module: torch.nn.Module) -> int:
    """Elements of its parameters, each once; of those that have a shape yet."""
    known = (one for one in module.parameters() if not torch.nn.parameter.is_lazy(one))
    return sum(parameter.numel() for parameter in known)
