"""Code that is compiled and executed by the program: exec, eval, runpy, dataclass factories."""

import collections
import dataclasses
import linecache
import runpy
import sys

source = "def made(x):\n    return sys._getframe().f_code.co_name, x\nresult = made(3)\n"
names = {"sys": sys}
exec(compile(source, "<made>", "exec"), names)
print(names["result"], sorted(name for name in names if name != "__builtins__"))
print(eval("[y for y in range(x)]", {"x": 4}))
with open("script.py", "w") as file:
    file.write("import sys\nprint(__name__, sys.argv[1:])\nleft = 5\n")
print(runpy.run_path("script.py", run_name="__main__")["left"])
point = collections.namedtuple("Point", "x y")
made = dataclasses.make_dataclass("Made", [("a", int), ("b", str, "z")], order=True)
print(point(1, 2), made(1) < made(2), dataclasses.asdict(made(1)))
linecache.cache["<made>"] = (len(source), None, source.splitlines(True), "<made>")
try:
    exec(compile("def fails():\n    1/0\nfails()", "<made>", "exec"))
except ZeroDivisionError as error:
    print(error.__traceback__.tb_next.tb_next.tb_lineno)
