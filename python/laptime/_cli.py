"""The `laptime` command, the same program as cargo's."""

import os
import sys

from ._core import run_cli


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    # A script named on the command line runs under this interpreter.
    os.environ["LAPTIME_PYTHON"] = sys.executable
    return run_cli(sys.argv)


if __name__ == "__main__":
    sys.exit(main())
