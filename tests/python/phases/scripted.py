"""A ``laptime._core`` with a scripted clock: tests assert exact durations and never sleep.

It keeps a stack of open spans and a list of finished ones, with the recorder's rules: spans
close by identity, automatic ones together with their parent, others stay open as strays.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Span:
    path: str
    start: int
    duration: int
    flags: int = 0
    memory: tuple[int, int] | None = None

    @property
    def end(self) -> int:
        return self.start + self.duration


@dataclass
class Open:
    token: int
    name: str
    path: tuple[str, ...]
    start: int
    automatic: bool


@dataclass
class Lap:
    """A handle: it opens its name, and closes the innermost span that has it."""

    core: ScriptedCore
    name: str

    def __enter__(self):
        self.core.open_span(self.name)

    def __exit__(self, *_):
        for span in reversed(self.core.stack):
            if span.name == self.name:
                self.core.close_span(span.token)
                return


@dataclass
class ScriptedCore:
    CONTINUES = 2
    CLOSED_BY_PARENT = 128
    UNFINISHED = 512

    clock: int = 1_000
    spans: list[Span] = field(default_factory=list)
    marks: list[tuple[str, int]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    stack: list[Open] = field(default_factory=list)
    strays: list[Open] = field(default_factory=list)
    memory: tuple[int, int] | None = None
    """Net and peak of every span that ends from now on, while memory is counted."""
    serial: int = 0

    def now(self) -> int:
        return self.clock

    def ticks_to_ns(self, ticks: int) -> int:
        return ticks * 1_000

    def is_on(self) -> bool:
        return True

    def open_span(self, name, start=None, *, automatic=False):
        self.serial += 1
        token = (self.serial << 16) | (len(self.stack) + 1)
        path = (self.stack[-1].path if self.stack else ()) + (name,)
        start = self.clock if start is None else start
        self.stack.append(Open(token, name, path, start, automatic))
        return token

    def close_span(self, token, end=None, flags=0):
        end = self.clock if end is None else end
        for index, span in enumerate(self.stack):
            if span.token == token:
                for above in reversed(self.stack[index + 1 :]):
                    if above.automatic:
                        self._write(above, end, self.CLOSED_BY_PARENT)
                    else:
                        self.strays.append(above)
                del self.stack[index:]
                self._write(span, end, flags)
                return end - span.start
        for stray in self.strays:
            if stray.token == token:
                self.strays.remove(stray)
                self._write(stray, end, 1)
                return end - stray.start
        return 0

    def _write(self, span, end, flags):
        path, duration = "/".join(span.path), end - span.start
        self.spans.append(Span(path, span.start, duration, flags, self.memory))

    def is_open(self, token):
        return any(span.token == token for span in self.stack)

    def open_automatic(self, name, start):
        return self.open_span(name, start, automatic=True)

    def suspend_span(self, token):
        for index, span in enumerate(self.stack):
            if span.token == token:
                self.strays.extend(
                    above for above in self.stack[index + 1 :] if not above.automatic
                )
                del self.stack[index:]
                return True, self.memory
        return False, None

    def last_written(self):
        return len(self.spans)

    def path_of(self, token):
        return next(([*span.path] for span in self.stack if span.token == token), [])

    def rename_span(self, token, name):
        for span in self.stack:
            if span.token == token:
                span.name, span.path = name, (*span.path[:-1], name)

    def emit_span(self, name, start, duration, flags, parent, memory):
        self.spans.append(Span("/".join((*parent, name)), start, duration, flags, memory))

    def mark(self, name):
        self.marks.append((name, self.clock))

    def mark_outermost(self, name, at):
        self.marks.append((name, at))

    def lap(self, name):
        return Lap(self, name)

    def metric(self, name, value):
        pass

    def note(self, code, message):
        self.notes.append((code, message))

    def current_path(self):
        return [span.name for span in self.stack]

    # -- what tests ask --------------------------------------------------------------------

    def count(self, path):
        """Spans of a path, continued ones counted once and those cut short not at all."""
        parts = self.CONTINUES | self.UNFINISHED
        return sum(s.path == path and not s.flags & parts for s in self.spans)

    def total(self, path):
        return sum(s.duration for s in self.spans if s.path == path)

    def paths(self):
        return sorted({s.path for s in self.spans})

    def top(self):
        """Outermost spans, in order of their start."""
        return sorted((s for s in self.spans if "/" not in s.path), key=lambda s: s.start)
