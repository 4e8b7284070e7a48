"""Asks everything of the standard library for attributes that are not there, and dir() of it."""

import asyncio
import gc
import logging
import multiprocessing
import sys
import threading
import types
import unittest

odd = []
for module in (asyncio, logging, multiprocessing, threading, unittest, sys, gc, types):
    for name in sorted(dir(module)):
        value = getattr(module, name)
        code = getattr(value, "__code__", None)
        if isinstance(code, types.CodeType) and "laptime" in code.co_filename:
            odd.append((module.__name__, name))
print(odd)
for kind in (threading.Thread, logging.Logger, asyncio.Task, asyncio.BaseEventLoop):
    print(kind.__name__, sorted(vars(kind)))
