"""Modules that are reloaded, replaced by themselves, lazy, broken half way, circular."""

import importlib
import importlib.util
import os
import sys

sys.path.insert(0, os.getcwd())


def write(name, text):
    with open(f"{name}.py", "w") as file:
        file.write(text)
    importlib.invalidate_caches()


write("counted", "count = globals().get('count', 0) + 1\n")
import counted

print(importlib.reload(counted).count)
write(
    "replaced",
    "import sys\nclass M:\n    x = 5\n    def __getattr__(self, name):\n"
    "        if name.startswith('__'): raise AttributeError(name)\n"
    "        return name * 2\nsys.modules[__name__] = M()\n",
)
import replaced

print(replaced.x, replaced.ab, type(replaced))
write("broken", "first = 1\nraise OSError('half way')\n")
for _ in range(2):
    try:
        import broken
    except OSError as error:
        print(error, "broken" in sys.modules, error.__traceback__.tb_next.tb_lineno)
write("left", "import right\nx = 1\n")
write("right", "import left\ntry:\n    print(left.x)\nexcept AttributeError as e:\n    print(e)\n")
import left

write("lazy", "print('executed')\nvalue = 3\n")
spec = importlib.util.find_spec("lazy")
spec.loader = importlib.util.LazyLoader(spec.loader)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print("not yet")
print(module.value)
write(
    "attributes", "def __getattr__(name): return name.title()\ndef __dir__(): return ['z', 'a']\n"
)
import attributes

print(attributes.something, dir(attributes))
