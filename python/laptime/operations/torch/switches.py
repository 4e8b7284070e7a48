"""What is on or off in torch for a whole thread or process, and how to put it back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

#: What torch keeps for itself has no types.
_C: Any = torch._C


def switches() -> list[Callable[[], None]]:
    """Reads all of them now; each of these puts one back, if it is another then."""
    return [partial(_put_back, get(), get, put) for get, put in _SWITCHES]


def _put_back(before: Any, get: Callable[[], Any], put: Callable[[Any], Any]) -> None:
    if get() != before:
        put(before)


def _dispatch_keys() -> tuple[Any, Any]:
    """Which parts of the dispatcher this thread adds, and which it leaves out.

    Context managers of torch's own set these. One that is interrupted as it is entered leaves, for
    instance, all of autograd out.
    """
    return _C._dispatch_tls_local_include_set(), _C._dispatch_tls_local_exclude_set()


def _set_dispatch_keys(before: tuple[Any, Any]) -> None:
    included, excluded = before
    # Of this one a bit is left if it is set as the others are.
    _C._set_meta_in_tls_dispatch_include(included.has(_C.DispatchKey.Meta))
    for key in _C.DispatchKey.__members__.values():
        if _C._dispatch_tls_local_include_set().has(key) != included.has(key):
            _C._dispatch_tls_set_dispatch_key_included(key, included.has(key))
        if _C._dispatch_tls_local_exclude_set().has(key) != excluded.has(key):
            _C._dispatch_tls_set_dispatch_key_excluded(key, excluded.has(key))


def _autocast(device: str) -> tuple[bool, torch.dtype]:
    return torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)


def _set_autocast(device: str, before: tuple[bool, torch.dtype]) -> None:
    torch.set_autocast_enabled(device, before[0])
    torch.set_autocast_dtype(device, before[1])


def _nesting() -> int:
    """How many autocasts the thread is in: the casts of weights are kept until there is none."""
    _C.autocast_increment_nesting()
    return int(_C.autocast_decrement_nesting())


def _set_nesting(before: int) -> None:
    while _nesting() > before:
        _C.autocast_decrement_nesting()
    while _nesting() < before:
        _C.autocast_increment_nesting()


#: Switches as pairs of functions, some of which a version of torch may lack.
_PAIRS = (
    ("_get_mkldnn_enabled", "_set_mkldnn_enabled"),
    ("_get_cudnn_enabled", "_set_cudnn_enabled"),
    ("_get_cudnn_benchmark", "_set_cudnn_benchmark"),
    ("_get_cudnn_deterministic", "_set_cudnn_deterministic"),
    ("_get_flash_sdp_enabled", "_set_sdp_use_flash"),
    ("_get_mem_efficient_sdp_enabled", "_set_sdp_use_mem_efficient"),
    ("_get_math_sdp_enabled", "_set_sdp_use_math"),
    (
        "_get_deterministic_fill_uninitialized_memory",
        "_set_deterministic_fill_uninitialized_memory",
    ),
)

_SWITCHES: list[tuple[Callable[[], Any], Callable[[Any], Any]]] = [
    (_dispatch_keys, _set_dispatch_keys),
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (_C._is_fwd_grad_enabled, _C._set_fwd_grad_enabled),
    (_C._get_torch_function_state, _C._set_torch_function_state),
    (torch.get_default_dtype, torch.set_default_dtype),
    (lambda: _autocast("cpu"), lambda before: _set_autocast("cpu", before)),
    (lambda: _autocast("cuda"), lambda before: _set_autocast("cuda", before)),
    (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    (_nesting, lambda before: _set_nesting(before)),
    (torch.backends.mha.get_fastpath_enabled, torch.backends.mha.set_fastpath_enabled),
    (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
    (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    (torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    (torch.get_num_threads, torch.set_num_threads),
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (_C._is_multithreading_enabled, _C._set_multithreading_enabled),
    *(
        (getattr(_C, get), getattr(_C, put))
        for get, put in _PAIRS
        if hasattr(_C, get) and hasattr(_C, put)
    ),
    (_C._get_graph_executor_optimize, _C._set_graph_executor_optimize),
    (lambda: RemovableHandle.next_id, lambda number: setattr(RemovableHandle, "next_id", number)),
]
