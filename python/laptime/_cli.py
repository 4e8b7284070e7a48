"""The `laptime` command, the same program as cargo's."""

import os
import sys

from ._core import run_cli


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    # A script named on the command line runs under this interpreter.
    os.environ["LAPTIME_PYTHON"] = sys.executable
    code = 0
    try:
        code = run_cli(sys.argv)
        return code
    except KeyboardInterrupt:
        # It came while the command ran, which has said so and knows its own exit code.
        return code or 130


if __name__ == "__main__":
    sys.exit(main())
