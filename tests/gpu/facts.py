"""Prints what the page says of the machine, as JSON. A process of its own: it makes a context."""

import json
from pathlib import Path

import machine

PACK = Path(__file__).resolve().parent

if __name__ == "__main__":
    pack = json.loads((PACK / "pack.json").read_text("utf-8"))
    print(json.dumps(machine.facts(pack)))
