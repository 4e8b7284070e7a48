"""Works in a folder of its own, which it deletes."""

import os
import shutil
import tempfile
import time

folder = tempfile.mkdtemp()
os.chdir(folder)
shutil.rmtree(folder)
end = time.monotonic() + 1.5
while time.monotonic() < end:
    sum(range(1000))
