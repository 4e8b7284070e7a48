"""Children of each kind say what the kernel knows of them: forked, spawned, and a shell's."""

import multiprocessing
import os
import subprocess
import sys

from kernel import said


def child():
    print("\n".join(said()), flush=True)


if __name__ == "__main__":
    for kind in ("fork", "spawn"):
        print(kind, flush=True)
        process = multiprocessing.get_context(kind).Process(target=child)
        process.start()
        process.join()
    pid = os.fork()
    if pid == 0:
        child()
        os._exit(0)
    print("forked", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    status = "grep -E '^(Sig(Blk|Ign|Cgt)|Seccomp|Threads|NoNewPrivs)' /proc/self/status"
    subprocess.run(["sh", "-c", f"{status}; ls /proc/self/fd | wc -l"], check=True)
    subprocess.run([sys.executable, "-S", "-c", "import os; print(os.listdir('/proc/self/fd'))"])
