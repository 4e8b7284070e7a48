"""TensorBoard: figures of the steps as scalars.

from laptime.integrations import tensorboard

writer = SummaryWriter()                       # torch.utils.tensorboard or tensorboardX
log = tensorboard.log(writer, every=50)
train()
log.stop()
"""

from __future__ import annotations

from .._step_sink import StepSink
from ._needs import needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any

    from .._core import StepWindow

__all__ = ["log"]


def log(writer: Any | str | os.PathLike[str], *, every: int = 50, name: str = "step") -> StepSink:
    """Writes `laptime/step_ms`, `laptime/data_share`, … at every so many steps, until `.stop()`.

    `writer` is a `SummaryWriter`, or the folder for one of torch's, which `.stop()` closes. A
    folder that can't be written to is one warning.
    """
    if hasattr(writer, "add_scalar"):
        given = writer
        return StepSink(every, lambda window: _write(given, window), name=name, what="tensorboard")
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise needs("tensorboard", error) from None
    kept: list[Any] = []

    def tell(window: StepWindow) -> None:
        if not kept:
            kept.append(SummaryWriter(str(writer)))
        _write(kept[0], window)

    def end() -> None:
        if kept:
            kept.pop().close()

    return StepSink(every, tell, name=name, what="tensorboard", end=end)


def _write(writer: Any, window: StepWindow) -> None:
    for tag, value in window.metrics().items():
        writer.add_scalar(tag, value, window.step)
