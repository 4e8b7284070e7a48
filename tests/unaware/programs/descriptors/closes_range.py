"""Closes all but the standard streams, and goes on to its regular end."""

import os

os.closerange(3, 256)
for number in range(20):
    with open(f"file-{number}", "w") as file:
        file.write(f"content {number}\n" * 1000)
pid = os.fork()
if pid == 0:
    print("child", flush=True)
    os._exit(0)
print(os.waitpid(pid, 0)[1])
