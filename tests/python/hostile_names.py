"""Names that would be something else than a name wherever they aren't written as text."""

from __future__ import annotations

import random

SEED = 20_260_101
COUNT = 200

# Each is harmless by itself only where names are text.
PARTS = [
    "",
    " ",
    "\t",
    "\r\n",
    "two\nlines",
    "zero \0 byte",
    "\x07\x08\x7f",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b2J",
    '"quoted"',
    "'single'",
    "back\\slash",
    "\\n",
    "\\x3b",
    "\\udc80",
    "\ud800",
    "lone \udc80 surrogate",
    "\udfff\ud800",
    "semi;colon 12",
    "a/b",
    "a\\/b",
    "../../etc/passwd",
    "</script><script>alert(1)</script>",
    "<!--",
    "]]>",
    "&amp;",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "a,b",
    "{'a': [1]}",
    '{"ph": "X"}',
    "null",
    "NaN",
    "1e999",
    "true",
    "PAR1",
    "%s %n {0}",
    "`code` *bold*",
    "a|b",
    "\u202eright to left\u202c",
    "\u200f\u2066",
    "\u200bzero\u200dwidth",
    "\u2028\u2029\x85",
    "\ufeffmark",
    "\ufffe\uffff",
    "e\u0301",
    "\U0001f600\U0001f469\u200d\U0001f4bb",
    "\U0010ffff",
    "名前",
    "x" * 10_000,
    "€" * 3_500,
    "12",
]


def hostile_names() -> list[str]:
    """The parts, and random compositions of them; the same ones each time, all different."""
    names = dict.fromkeys(PARTS)
    choose = random.Random(SEED)
    while len(names) < COUNT:
        names["".join(choose.choices(PARTS[:52], k=choose.randint(2, 5)))] = None
    return list(names)
