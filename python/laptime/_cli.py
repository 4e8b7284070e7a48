"""The `laptime` command, the same program as cargo's."""

import os
import signal
import sys

from ._core import run_cli

#: Commands that Ctrl-C ends at once, with nothing half done; the others see to it themselves.
_ENDS_AT_ONCE = ("report", "compare", "export", "pack")


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    # A script named on the command line runs under this interpreter.
    os.environ["LAPTIME_PYTHON"] = sys.executable
    is_default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_default and sys.argv[1:2] and sys.argv[1] in _ENDS_AT_ONCE:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
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
