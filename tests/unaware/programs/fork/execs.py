"""Children that become another program, and the ways subprocess starts them."""

import os
import subprocess
import sys

pid = os.fork()
if pid == 0:
    os.execv("/bin/sh", ["sh", "-c", "echo from sh; exit 3"])
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
code = "import sys; print('from python', sys.argv[1:]); sys.exit(len(sys.argv))"
done = subprocess.run([sys.executable, "-c", code, "a", "b"], capture_output=True, text=True)
print(done.returncode, done.stdout, done.stderr)
done = subprocess.run([sys.executable, "-I", "-S", "-c", "1/0"], capture_output=True, text=True)
print(done.returncode, done.stdout, done.stderr)
done = subprocess.run("echo $0 $1", shell=True, capture_output=True, text=True)
print(done)
done = subprocess.run(["/bin/true"], preexec_fn=lambda: os.nice(1), close_fds=False)
print(done)
print(os.system("exit 6") >> 8, os.popen("echo popen").read())
print(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("/bin/false", ["false"], {}), 0)[1]))
