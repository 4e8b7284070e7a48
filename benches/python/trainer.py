"""What a callback costs a trainer: Transformers' Trainer with Laptime's, beside without.

The two take turns, and the ratio is that of the medians. Lines and figures are told at every tenth
step, as a trainer that logs often does.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time

import blocks
import torch
import transformers

from laptime.integrations.transformers import LaptimeCallback

STEPS = 60
TURNS = 11


class Model(torch.nn.Module):
    """About 5 ms a step."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(512, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1)
        )

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        out = self.layers(x)
        return {"loss": out.pow(2).mean(), "logits": out}


def seconds(with_callback: bool) -> float:
    """The time of a training."""
    arguments = transformers.TrainingArguments(
        tempfile.gettempdir(),
        max_steps=STEPS,
        per_device_train_batch_size=128,
        logging_steps=10,
        disable_tqdm=True,
        save_strategy="no",
        use_cpu=True,
        report_to=[],
        log_level="error",
    )
    items = [{"x": torch.randn(512)} for _ in range(1024)]
    callbacks = [LaptimeCallback()] if with_callback else []
    trainer = transformers.Trainer(Model(), arguments, train_dataset=items, callbacks=callbacks)
    trainer.remove_callback(transformers.PrinterCallback)
    begun = time.perf_counter()
    trainer.train()
    return time.perf_counter() - begun


def main() -> None:
    """Prints the result as JSON."""
    seconds(False)
    seconds(True)
    turns = [(seconds(False), seconds(True)) for _ in range(TURNS)]
    without, with_callback = ([turn[at] for turn in turns] for at in (0, 1))
    middle, low, high = blocks.ratio(with_callback, without)
    result = {
        "turns": TURNS,
        "step_ms": statistics.median(without) / STEPS * 1e3,
        "ratio": middle,
        "interval": [low, high],
    }
    print(json.dumps({"Transformers' Trainer with LaptimeCallback": result}))


if __name__ == "__main__":
    main()
