"""`%load_ext laptime`: `%laptime` for an expression, `%%laptime` for a cell, `%laptime auto on`.

A measured cell runs as IPython runs any cell, with its tracebacks, its last value and its
top-level `await`: only its first line, `%%laptime`, is replaced by a call that begins the
measurement. IPython's own event at the end of a cell ends it, however the cell ends.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

from ._cells import Cells
from ._expression import MeasuredExpression, measure

_NAME = "laptime"
# Stands for the cell's lines, which run as they are. IPython refuses an empty one.
_BELOW = "# the lines below"
_FIRST_LINE = re.compile(r"%%laptime(?:[ \t]+(?P<options>[^\n]*?))?[ \t]*\r?\n?\Z")
_EXPRESSION_USAGE = """\
%laptime [-o] [--budget SECONDS] EXPRESSION   measures an expression
%laptime auto on|off                          a line below every cell of a second or more
%%laptime [OPTIONS] [NAME]                    measures a cell; %%laptime --help lists its options"""


class Magics:
    """The magics of one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._cells = Cells(shell)

    def load(self) -> None:
        """Registers the magics and what they need."""
        self._shell.register_magic_function(self.line, "line", _NAME)
        self._shell.register_magic_function(self.cell, "cell", _NAME)
        self._shell.input_transformers_cleanup.append(replace_first_line)
        self._cells.load()

    def unload(self) -> None:
        """Takes everything back."""
        magics = self._shell.magics_manager.magics
        if magics["line"].get(_NAME) == self.line:
            del magics["line"][_NAME]
            del magics["cell"][_NAME]
        transformers = self._shell.input_transformers_cleanup
        if replace_first_line in transformers:
            transformers.remove(replace_first_line)
        self._cells.unload()

    def line(self, line: str) -> MeasuredExpression | None:
        """Measures an expression: a `%timeit` that finds its own warm-up and says how sure it is.

        %laptime [-o] [--budget SECONDS] EXPRESSION

        -o returns the figures; --budget is the time that all runs may take, 2 seconds by default.
        `%laptime auto on` prints a line below every cell that takes a second or more.
        """
        __tracebackhide__ = True  # IPython leaves such frames out
        words = line.split()
        if words[:1] == ["auto"] and words[1:] in (["on"], ["off"], []):
            self._switch(words[1:])
            return None
        if words[:1] == ["auto"] and len(words) == 2 and words[1].isidentifier():
            # No expression either.
            raise _usage_error(_EXPRESSION_USAGE)
        if words in (["-h"], ["--help"]):
            print(_EXPRESSION_USAGE)  # noqa: T201 # what was asked for
            return None
        options, expression = _options(line)
        if not expression:
            raise _usage_error(_EXPRESSION_USAGE)
        measured = measure(self._shell, expression, options["budget"])
        print(measured)  # noqa: T201 # that is what it is for
        return measured if options["o"] else None

    def _switch(self, words: list[str]) -> None:
        if words:
            self._cells.is_auto = words == ["on"]
        else:
            print(f"%laptime auto is {'on' if self._cells.is_auto else 'off'}")  # noqa: T201

    def cell(self, line: str, cell: str) -> None:
        """Measures a cell: its time, and its laps as a table.

        %%laptime [OPTIONS] [NAME]

        `%%laptime --help` lists the options.
        """
        options = self._cells.parsed(_words(line))
        if cell == _BELOW:
            self._cells.begin(options)
        else:
            # Called by a program or another magic, past what replaces the first line.
            self._shell.run_cell(f"%%laptime {line}\n{cell}")


def replace_first_line(lines: list[str]) -> list[str]:
    """Makes of `%%laptime` a call on the same line, so that line numbers stay the user's."""
    for index, line in enumerate(lines):
        if not line.strip():
            continue
        found = _FIRST_LINE.match(line)
        if found is None:
            break
        options = found["options"] or ""
        if options.startswith("?"):
            break
        call = f"get_ipython().run_cell_magic({_NAME!r}, {options!r}, {_BELOW!r})\n"
        return [*lines[:index], call, *lines[index + 1 :]]
    return lines


# Whether a cell is typed to its end in a terminal is seen by the `%%` that it begins with.
replace_first_line.has_side_effects = True  # type: ignore[attr-defined]


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise _usage_error(f"%%laptime {line}: {error}") from None


def _options(line: str) -> tuple[dict[str, Any], str]:
    """The options before an expression, and the expression as it was typed."""
    options: dict[str, Any] = {"o": False, "budget": 2.0}
    rest = line.strip()
    while True:
        word, _, after = rest.partition(" ")
        if word == "-o":
            options["o"], rest = True, after.lstrip()
        elif word == "--budget" or word.startswith("--budget="):
            value = word.partition("=")[2]
            if not value:
                value, _, after = after.lstrip().partition(" ")
            options["budget"], rest = _seconds(value), after.lstrip()
        elif word.startswith("--") and word[2:3].isalpha():
            raise _usage_error(f"{word} is not an option of %laptime.\n{_EXPRESSION_USAGE}")
        else:
            return options, rest


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise _usage_error(f"--budget takes seconds above 0, such as --budget 5, not {text!r}")
    return seconds


def _usage_error(message: str) -> Exception:
    from IPython.core.error import UsageError

    return UsageError(message)


# One per shell, however often the extension is loaded.
_loaded: dict[int, Magics] = {}


def load(shell: Any) -> None:
    """Registers the magics, once."""
    if id(shell) not in _loaded:
        _loaded[id(shell)] = magics = Magics(shell)
        magics.load()


def unload(shell: Any) -> None:
    """Takes the magics back."""
    magics = _loaded.pop(id(shell), None)
    if magics is not None:
        magics.unload()
