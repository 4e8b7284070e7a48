"""Started with limits, signals blocked and ignored, a umask and a niceness: all of it arrives."""

import os
import resource
import signal
import subprocess
import sys

if sys.argv[1:] == ["again"]:
    from kernel import said

    print("\n".join(said()))
else:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 31))
    resource.setrlimit(resource.RLIMIT_STACK, (4 << 20, 16 << 20))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGCHLD, signal.SIGRTMAX})
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.umask(0o027)
    os.nice(3)
    done = subprocess.run([sys.executable, __file__, "again"], restore_signals=False)
    print(done.returncode)
