"""Its standard streams closed by the shell, as under `2>&-`."""

import os
import subprocess
import sys

code = """
import os, sys
with open('said', 'a') as file:
    print(sys.stdin is None, sys.stdout is None, sys.stderr is None, file.fileno(), file=file)
print('lost')
sys.exit(3)
"""
for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
    print(
        closed,
        subprocess.run(f'"$0" -c "$1" {closed}', shell=True, executable="/bin/sh").returncode,
    )
    done = subprocess.run(["sh", "-c", f'exec "$0" -c "$1" {closed}', sys.executable, code])
    print(done.returncode)
with open("said") as file:
    print(file.read())
