"""Modules in a zip archive, their sources and data, and a zip that is run itself."""

import linecache
import subprocess
import sys
import traceback
import zipfile

with zipfile.ZipFile("app.zip", "w") as archive:
    for name, text in {
        "packed/__init__.py": "def fails(): return 1 / 0\n",
        "packed/data.txt": "data\n",
        "__main__.py": "import packed, sys\nprint(__file__[-22:], sys.argv[1:])\npacked.fails()\n",
    }.items():
        archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text)
sys.path.insert(0, "app.zip")
import packed

print(packed.__loader__.get_data("app.zip/packed/data.txt"))
try:
    packed.fails()
except ZeroDivisionError:
    traceback.print_exc()
print(linecache.getline(packed.__file__, 1, packed.__dict__))
done = subprocess.run([sys.executable, "app.zip", "a"], capture_output=True, text=True)
print(done.returncode, done.stdout, done.stderr)
