"""Changes its mask and its folder, and works with relative names from there."""

import os
import stat
import sys

print(oct(os.umask(0o077)), os.getcwd().endswith("work"), os.listdir("."))
os.makedirs("deep/er")
os.chdir("deep")
with open("er/file", "w") as file:
    file.write("x")
print(oct(stat.S_IMODE(os.stat("er/file").st_mode)), oct(stat.S_IMODE(os.stat("er").st_mode)))
os.symlink("er/file", "link")
os.mkfifo("pipe", 0o600)
os.chmod("er", 0o500)
os.umask(0o777)
os.chdir("/")
print(sys.argv[0].endswith("places.py"), __file__ == sys.argv[0], os.path.isabs(__file__))
