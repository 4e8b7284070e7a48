"""What importlib says of a module before and after its import, as plugin systems ask."""

import importlib.util
import sys

for name in ("json", "colorsys", "not_there"):
    spec = importlib.util.find_spec(name)
    print(name, spec and (spec.name, type(spec.loader).__name__, sorted(vars(spec.loader))))
    print(name in sys.modules)
spec = importlib.util.find_spec("torch")
print(spec and (spec.name, type(spec.loader).__name__, spec.origin), "torch" in sys.modules)
import colorsys

print(type(colorsys.__loader__), sorted(vars(colorsys.__loader__)))
print([getattr(finder, "__name__", type(finder).__name__) for finder in sys.meta_path[-3:]])
