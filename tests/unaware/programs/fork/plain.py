"""A server that forks a child per request, as pre-fork servers do, and reads its answer."""

import os
import random

from seen import randomness

random.seed(1)
for request in range(5):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        random.seed(request)
        os.close(reader)
        os.write(writer, f"{request} {random.random()} {randomness()}\n".encode())
        os._exit(request)
    os.close(writer)
    with os.fdopen(reader) as answers:
        print(answers.read(), end="")
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(randomness())
