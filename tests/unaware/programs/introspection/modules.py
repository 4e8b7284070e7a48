"""Which modules a bare interpreter has loaded: what a lazy import would find there already."""

import sys

heavy = (
    "asyncio argparse ast contextlib ctypes dataclasses decimal difflib email http inspect json "
    "logging multiprocessing numpy pathlib pickle pprint random re selectors shutil signal socket "
    "sqlite3 subprocess tempfile textwrap torch traceback typing unittest urllib uuid warnings "
    "weakref zipfile"
).split()
print([name for name in heavy if name in sys.modules])
