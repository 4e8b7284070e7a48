"""Every argument that sys.exit takes, in children of its own."""

import os
import subprocess
import sys

for argument in ("0", "42", "300", "-1", "None", "'a reason'", "(1, 2)", "True", "2**40"):
    code = f"import sys; print('x', end=''); sys.exit({argument})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    print(argument, done.returncode, done.stdout, done.stderr)
for argument in (0, 1, 255, 256):
    print(argument, subprocess.run([sys.executable, "-c", f"import os; os._exit({argument})"]))
os._exit(0 if sys.stdout.flush() is None else 1)
