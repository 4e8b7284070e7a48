"""Prometheus: figures of the latest steps in a file, for the node exporter's textfile collector.

from laptime.integrations import prometheus

prometheus.log("/var/lib/node_exporter/training.prom", every=50)
"""

from __future__ import annotations

import os
import re

from .._step_sink import StepSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core import StepWindow

__all__ = ["log"]


def log(path: str | os.PathLike[str], *, every: int = 50, name: str = "step") -> StepSink:
    """Replaces a file at every so many steps, until `.stop()`: a reader finds it whole.

    It holds gauges such as `laptime_step_ms`, and shares as
    `laptime_phase_share_ratio{phase="data"}`.
    """
    place = os.path.abspath(path)
    return StepSink(every, lambda window: _write(place, window), name=name, what="prometheus")


def _write(path: str, window: StepWindow) -> None:
    # The collector reads what ends in .prom, and this doesn't.
    beside = f"{path}.{os.getpid()}.new"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(_text(window))
        os.chmod(beside, 0o644)  # another user's process reads it
        os.replace(beside, path)
    except BaseException:
        try:
            os.unlink(beside)
        except OSError:
            pass
        raise


def _text(window: StepWindow) -> str:
    shares = {f"laptime/{phase}_share" for phase in window.share_ratios}
    gauges = {f"laptime/{window.name}_count": float(window.step)}
    gauges.update((tag, value) for tag, value in window.metrics().items() if tag not in shares)
    lines = []
    for tag, value in gauges.items():
        metric = re.sub("[^a-zA-Z0-9_]", "_", tag)
        lines += [f"# TYPE {metric} gauge", f"{metric} {value!r}"]
    if window.share_ratios:
        lines.append("# TYPE laptime_phase_share_ratio gauge")
    for phase, ratio in window.share_ratios.items():
        label = phase.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'laptime_phase_share_ratio{{phase="{label}"}} {ratio!r}')
    return "\n".join(lines) + "\n"
