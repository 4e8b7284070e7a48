"""The span tree against a model: any order of opening, closing and switching contexts."""

from __future__ import annotations

import contextvars
import itertools
from collections import Counter

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

import laptime as lt
from laptime import _core

NAMES = st.sampled_from("abcd")
machines = itertools.count()

Path = tuple[str, ...]


class Stack:
    """What is open in one context: entries on the stack, and strays that were left behind."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.entries: list[tuple[str, Path, int]] = []
        self.strays: list[tuple[str, Path, int]] = []

    @property
    def path(self) -> Path:
        return self.entries[-1][1] if self.entries else self.base


class SpanTree(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        # All paths of this example stand under a root of its own, and so apart from others'.
        self.root = f"model {next(machines)}"
        self.outermost = lt.lap(self.root)
        self.outermost.__enter__()
        self.closed: Counter[Path] = Counter()
        self.unbalanced: Counter[Path] = Counter()
        self.stacks = [Stack((self.root,))]
        self.contexts: list[contextvars.Context | None] = [None]
        self.current = 0

    @property
    def stack(self) -> Stack:
        return self.stacks[self.current]

    def call(self, function, *arguments):  # type: ignore[no-untyped-def]
        context = self.contexts[self.current]
        return context.run(function, *arguments) if context else function(*arguments)

    def count(self, entry: tuple[str, Path, int], *, unbalanced: bool) -> None:
        self.closed[entry[1]] += 1
        self.unbalanced[entry[1]] += unbalanced

    @rule(name=NAMES)
    def open(self, name: str) -> None:
        if len(self.stack.entries) > 30:
            return
        path = (*self.stack.path, name)
        token = self.call(_core.open_span, name)
        self.stack.entries.append((name, path, token))

    @rule(name=NAMES)
    def run_a_lap(self, name: str) -> None:
        def lap() -> list[str]:
            with lt.lap(name):
                return _core.current_path()

        path = (*self.stack.path, name)
        assert self.call(lap) == list(path)
        self.closed[path] += 1

    @precondition(lambda self: self.stack.entries)
    @rule()
    def close_the_innermost(self) -> None:
        entry = self.stack.entries.pop()
        assert self.call(_core.close_span, entry[2]) > 0
        self.count(entry, unbalanced=False)

    @precondition(lambda self: self.stack.entries)
    @rule(data=st.data())
    def close_any(self, data: st.DataObject) -> None:
        entries = self.stack.entries
        index = data.draw(st.integers(0, len(entries) - 1))
        entry = entries[index]
        self.call(_core.close_span, entry[2])
        self.count(entry, unbalanced=index < len(entries) - 1)
        self.stack.strays += reversed(entries[index + 1 :])
        del entries[index:]

    @precondition(lambda self: self.stack.strays)
    @rule(data=st.data())
    def close_a_stray(self, data: st.DataObject) -> None:
        index = data.draw(st.integers(0, len(self.stack.strays) - 1))
        entry = self.stack.strays.pop(index)
        self.call(_core.close_span, entry[2])
        self.count(entry, unbalanced=True)

    @rule(token=st.integers(0, 2**64))
    def close_what_never_was(self, token: int) -> None:
        assert self.call(_core.close_span, token) == 0

    @precondition(lambda self: len(self.contexts) < 4)
    @rule()
    def make_a_context(self) -> None:
        self.contexts.append(self.call(contextvars.copy_context))
        self.stacks.append(Stack(self.stack.path))
        # Its spans open under what is open now, however late the first one comes; a context made
        # in the thread's own asks at its first span, so that one has to come at once.
        if self.current == 0:
            before, self.current = self.current, len(self.contexts) - 1
            self.run_a_lap("a")
            self.current = before

    @rule(data=st.data())
    def switch(self, data: st.DataObject) -> None:
        self.current = data.draw(st.integers(0, len(self.contexts) - 1))

    @rule()
    def ask(self) -> None:
        assert self.call(_core.current_path) == list(self.stack.path)

    def teardown(self) -> None:
        for index, stack in enumerate(self.stacks):
            self.current = index
            while stack.entries:
                self.close_the_innermost()
            for entry in stack.strays:
                self.call(_core.close_span, entry[2])
                self.count(entry, unbalanced=True)
        self.outermost.__exit__(None, None, None)
        report = lt.report()
        rows = {tuple(row.names): row for row in report.find(f"{self.root}/**") if row.count}
        rows.pop((self.root,))
        assert {path: row.count for path, row in rows.items()} == dict(self.closed)
        for path, row in rows.items():
            assert row.unbalanced_count == self.unbalanced[path], path


SpanTree.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestSpanTree = SpanTree.TestCase
