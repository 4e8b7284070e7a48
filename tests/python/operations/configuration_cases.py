"""Answers for many configurations, each in a fork: `python configuration_cases.py FOLDER < cases`.

A case is a line of JSON: the file's text. Its answer is a line: what the command would read (None
after a minute), the signal that ended it, and what was opened beside libraries and the system. The
bounds are a hundredth of the usual ones, so that reaching one takes a second.
"""

import json
import os
import select
import signal
import sys
from pathlib import Path

import torch
import transformers

from laptime.operations.command import answer, budget, other_files

#: Models that are imported once, for all cases.
WARM = ("bert", "gpt2", "llama", "swin", "vit")
LIMIT_S = 60

FOLDER = Path(sys.argv[1])
FILE = FOLDER / "config.json"
REQUEST = {"kind": "config", "target": str(FILE), "inputs": [], "kwargs": [], "sequence": None}
REQUEST |= {"backward": False, "mode": "auto", "roofline": False}


def opened_to(descriptor: int) -> None:
    """Has what Python opens written there, once it has passed what Laptime lets through."""
    own = (str(Path(__file__).parent), sys.prefix, sys.base_prefix)
    known = (*other_files.libraries(), "/dev/", "/proc/", "/sys/", *own)

    def hook(event: str, arguments: tuple) -> None:
        if event.startswith("socket.") and event != "socket.__new__":
            os.write(descriptor, f"{event}\n".encode())
        elif event in ("open", "os.listdir", "os.scandir") and not isinstance(arguments[0], int):
            path = os.path.abspath(os.fsdecode(arguments[0] or "."))
            if not path.startswith(known):
                os.write(descriptor, f"{path}\n".encode())

    other_files._listen()
    sys.addaudithook(hook)


def child(answer_to: int, opened: int) -> None:
    os.dup2(answer_to, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.chdir(FOLDER)
    opened_to(opened)
    sys.argv[1:] = [json.dumps(REQUEST)]
    try:
        answer.main()
    finally:
        os._exit(0)


def case(text: str) -> dict:
    FILE.write_text(text)
    (answers, answer_to), (paths, opened) = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        child(answer_to, opened)
    os.close(answer_to)
    os.close(opened)
    said = b""
    while select.select([answers], [], [], LIMIT_S)[0]:
        part = os.read(answers, 1 << 16)
        if not part:
            break
        said += part
    else:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with open(paths) as read:
        beside = sorted(set(read.read().splitlines()))
    os.close(answers)
    return {"answer": json.loads(said) if said else None, "status": status, "opened": beside}


def main() -> None:
    os.environ |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}
    transformers.logging.set_verbosity_error()
    with torch.device("meta"):
        for name in WARM:
            config = transformers.AutoConfig.for_model(name, num_hidden_layers=1, depths=[1])
            transformers.AutoModel.from_config(config)
    budget.MOST_PARTS //= 100
    budget.MOST_MEMORY_BYTES //= 4
    budget.MOST_SECONDS //= 60
    for line in sys.stdin:
        print(json.dumps(case(json.loads(line))), flush=True)


main()
