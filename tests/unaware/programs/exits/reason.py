"""Ends with a reason instead of a code, without a newline at its end."""

import sys

sys.stderr.write("no newline before the reason: ")
sys.exit("the reason\nin two lines, one with a lone surrogate \udc80")
