"""A small stack for the program below it, in threads of its own size too."""

import resource
import subprocess
import sys

code = """
import threading
threading.stack_size(64 << 10)
thread = threading.Thread(target=lambda: print(sum(range(1000))))
thread.start()
thread.join()
def depth(n): return n if n == 200 else depth(n + 1)
print(depth(0))
"""
resource.setrlimit(resource.RLIMIT_STACK, (512 << 10, resource.RLIM_INFINITY))
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
print(done.returncode, done.stdout, done.stderr)
