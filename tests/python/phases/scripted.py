"""A core with a clock that is set, for what module laps do: exact durations, and no sleeps."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Span:
    path: str
    start: int
    duration: int


@dataclass
class Open:
    token: int
    path: tuple[str, ...]
    start: int


@dataclass
class Lap:
    """A handle: it opens its name, and closes the innermost span that has it."""

    core: ScriptedCore
    name: str

    def __enter__(self):
        self.core.open_span(self.name)

    def __exit__(self, *_):
        named = (span for span in reversed(self.core.stack) if span.path[-1] == self.name)
        self.core.close_span(next(named).token)


@dataclass
class ScriptedCore:
    clock: int = 1_000
    spans: list[Span] = field(default_factory=list)
    stack: list[Open] = field(default_factory=list)
    tokens: int = 0

    def now(self):
        return self.clock

    def lap(self, name):
        return Lap(self, name)

    def open_span(self, name, start=None):
        self.tokens += 1
        path = (*self.stack[-1].path, name) if self.stack else (name,)
        self.stack.append(Open(self.tokens, path, self.clock if start is None else start))
        return self.tokens

    def close_span(self, token, end=None):
        at = next(index for index, span in enumerate(self.stack) if span.token == token)
        span = self.stack[at]
        del self.stack[at:]
        end = self.clock if end is None else end
        self.spans.append(Span("/".join(span.path), span.start, end - span.start))
