"""Few descriptors are allowed: those that are left are as many as ever."""

import os
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
opened = []
try:
    while True:
        opened.append(os.open(os.devnull, os.O_RDONLY))
except OSError as error:
    print(error, opened)
for descriptor in opened:
    os.close(descriptor)
pid = os.fork()
if pid == 0:
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(os.popen("echo still works").read())
