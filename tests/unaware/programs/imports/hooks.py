"""An import hook of one's own: in front, it sees every import and makes modules from nothing."""

import importlib.abc
import importlib.machinery
import sys

asked = []


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        asked.append(name)
        if name.startswith("made_up"):
            return importlib.machinery.ModuleSpec(name, self, is_package=name == "made_up")
        return None

    def exec_module(self, module):
        module.name = module.__name__.upper()


sys.meta_path.insert(0, Finder())
import colorsys

import made_up.inner

print(asked, made_up.name, made_up.inner.name, made_up.__spec__, made_up.inner.__loader__)
sys.meta_path.pop(0)
sys.modules.pop("made_up.inner")
try:
    import made_up.inner
except ImportError as error:
    print(repr(error), error.name)
