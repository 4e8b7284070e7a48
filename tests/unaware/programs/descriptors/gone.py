"""The folder it runs in is removed while it runs."""

import os

os.makedirs("gone/inner")
os.chdir("gone/inner")
os.rmdir("../inner")
os.rmdir("../../gone") if os.path.exists("../../gone") else None
try:
    print(os.getcwd())
except FileNotFoundError as error:
    print(error)
pid = os.fork()
if pid == 0:
    os._exit(2)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
