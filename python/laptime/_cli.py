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
    except KeyboardInterrupt:
        # It came while the command ran, which has said so and knows its own exit code.
        code = code or 130
    if sys.flags.inspect:
        # Meant for the program: here the interpreter would keep the exit code to itself.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main())
