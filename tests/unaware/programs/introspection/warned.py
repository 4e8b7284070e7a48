"""Warnings that name their caller, shown once per place, turned into errors, captured."""

import logging
import warnings


def deprecated(level):
    warnings.warn("use something else", DeprecationWarning, stacklevel=level)


def calls(level):
    deprecated(level)


for _ in range(3):
    calls(1)
    calls(2)
    calls(3)
    calls(50)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    calls(2)
    print([(warning.lineno, str(warning.message)) for warning in caught])
print(len(warnings.filters), [entry[0] for entry in warnings.filters])
warnings.simplefilter("error")
try:
    calls(2)
except DeprecationWarning as warning:
    print(repr(warning))
logging.captureWarnings(True)
warnings.simplefilter("always")
calls(2)
